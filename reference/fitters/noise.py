"""Noise: autoregressive errors, their likelihood, and the operator that whitens them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from reference.domain import Floats

_HIGHEST = 8  # order
_POINTS_PER_ORDER = 20


@dataclass(frozen=True)
class Noise:
    """Stationary AR(p) errors by their partial autocorrelations, in units of sigma.

    Attributes:
        partial: reflection coefficients, each inside (-1, 1); empty for white noise.
        gaps: None where times are equally spaced; otherwise intervals in units of their median, with p <= 1: the
            correlation of neighbours is then partial[0]**gap.
    """

    partial: tuple[float, ...] = ()
    gaps: Floats | None = field(default=None, repr=False, compare=False)

    @property
    def order(self) -> int:
        """p."""
        return len(self.partial)

    @property
    def coefficients(self) -> Floats:
        """phi_1, ..., phi_p of e_t = phi_1 e_{t-1} + ... + innovation."""
        return self._rows[-1] if self.partial else np.zeros(0)

    def whiten(self, v: Floats) -> Floats:
        """The innovations of v divided by their standard deviation relative to the last one's; exact at the start."""
        if not self.partial:
            return v
        if self.gaps is not None:
            rho = self.partial[0] ** self.gaps
            out = v.copy()
            out[1:] = (v[1:] - rho * v[:-1]) * self._spread()[1:]
            out[0] *= self._spread()[0]
            return out
        p = self.order
        out = v.copy()
        if v.size > p:
            out[p:] = np.convolve(v, self._filter, "valid")
        spread = self._spread()
        for j in range(min(p, v.size)):
            head = v[j] - (self._rows[j - 1] @ v[j - 1 :: -1][:j] if j else 0.0)
            out[j] = head * spread[j]
        return out

    @cached_property
    def _rows(self) -> list[Floats]:
        return _predictors(self.partial)

    @cached_property
    def _filter(self) -> Floats:
        """1, -phi_1, ..., -phi_p."""
        return np.concatenate([[1.0], -self.coefficients])

    @cached_property
    def _heads(self) -> Floats:
        """`_spread` of equally spaced times."""
        k = 1 - np.square(self.partial)
        return np.array([np.sqrt(np.prod(k[j:])) for j in range(self.order)])

    def _spread(self) -> Floats:
        """Standard deviation of the last innovation over that of innovation j; the first p, or all with gaps."""
        if self.gaps is not None:
            rho = self.partial[0] ** self.gaps
            unit = 1 - self.partial[0] ** 2
            return np.sqrt(unit / np.concatenate([[1.0], 1 - rho * rho]))
        return self._heads

    def log_determinant(self) -> float:
        """ln det of the covariance over the innovation variance to the n."""
        if not self.partial:
            return 0.0
        return float(-2 * np.log(self._spread()).sum())


def _predictors(partial: tuple[float, ...]) -> list[Floats]:
    """Best linear predictors of order 1, 2, ..., p from the reflection coefficients (Durbin and Levinson)."""
    rows: list[Floats] = []
    phi = np.zeros(0)
    for k in partial:
        phi = np.concatenate([phi - k * phi[::-1], [k]])
        rows.append(phi)
    return rows


def reflections(residual: Floats, highest: int) -> Floats:
    """Partial autocorrelations 1, ..., `highest` by Burg's method, without removing a mean.

    Source: Burg 1975; each lies in [-1, 1].
    """
    forward, backward = residual[1:], residual[:-1]
    out = np.zeros(highest)
    for k in range(highest):
        power = forward @ forward + backward @ backward
        if not power > 0:
            break
        out[k] = np.clip(2 * (forward @ backward) / power, -1 + 1e-9, 1 - 1e-9)
        forward, backward = (forward - out[k] * backward)[1:], (backward - out[k] * forward)[:-1]
    return out


def highest_order(n: int, regular: bool) -> int:
    """The largest order tried: one for every 20 points, 8 at most, 1 where times are not equally spaced."""
    return min(_HIGHEST if regular else 1, n // _POINTS_PER_ORDER)


def choose(residual: Floats, parameters: int, gaps: Floats | None) -> Noise:
    """The order with the smallest AICc, by Burg's method on the residuals of a fit.

    Args:
        residual: in units of sigma, in the order of time.
        parameters: fitted already, counted in AICc.
        gaps: as in `Noise`.
    """
    n = residual.size
    highest = highest_order(n, gaps is None)
    if highest < 1 or not residual @ residual > 0:
        return Noise()
    if gaps is not None:
        return _irregular(residual, parameters, gaps)
    partial = reflections(residual, highest)
    gain = np.concatenate([[0.0], np.cumsum(np.log1p(-(partial**2)))])
    orders = np.arange(highest + 1)
    count = parameters + 1 + orders
    score = n * gain + 2 * count * n / np.maximum(n - count - 1, 1)
    return Noise(tuple(float(k) for k in partial[: int(np.argmin(score))]))


def _irregular(residual: Floats, parameters: int, gaps: Floats) -> Noise:
    """An Ornstein-Uhlenbeck process by maximum likelihood on a grid, if AICc prefers it to white noise."""
    n = residual.size

    def score(rho: float) -> float:
        noise = Noise((rho,), gaps) if rho else Noise()
        w = noise.whiten(residual)
        k = parameters + 1 + noise.order
        return float(n * np.log(w @ w / n) + noise.log_determinant() + 2 * k * n / max(n - k - 1, 1))

    grid = np.concatenate([np.arange(0.02, 0.98, 0.03), 1 - np.geomspace(0.02, 1e-4, 12)])
    scores = [score(float(rho)) for rho in grid]
    best = int(np.argmin(scores))
    if scores[best] >= score(0.0):
        return Noise()
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    for _ in range(40):  # golden section
        a, b = high - 0.618034 * (high - low), low + 0.618034 * (high - low)
        low, high = (low, b) if score(float(a)) < score(float(b)) else (a, high)
    return Noise((float((low + high) / 2),), gaps)


def again(residual: Floats, noise: Noise) -> Noise:
    """The same model with coefficients from other residuals."""
    if noise.gaps is not None:
        return _irregular(residual, 0, noise.gaps)
    return Noise(tuple(float(k) for k in reflections(residual, noise.order)))
