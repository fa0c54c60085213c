"""The least-squares problem of one law on one record, its levels eliminated (variable projection).

Source: Golub and Pereyra 1973; the approximate curvature is Kaufman's 1975.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from reference.domain import Floats
from reference.fitters.family import Family
from reference.fitters.noise import Noise

_TINY = 1e-290


class Point(NamedTuple):
    """The problem at one set of coordinates, at the best levels.

    Attributes:
        q: the free coordinates.
        sse: weighted (and whitened) residual sum of squares.
        slope: its derivatives by q.
        bend: Kaufman's approximation of its second derivatives.
        low, high: the levels.
    """

    q: Floats
    sse: float
    slope: Floats
    bend: Floats
    low: float
    high: float


@dataclass(frozen=True)
class Problem:
    """Data and law. Build it with `pose`.

    Attributes:
        family: the law.
        span: the unit of time, steps.
        x: times over span.
        y: rewards minus `origin`.
        origin: subtracted so that digits are not lost.
        weight: 1/sigma, None for equal weights.
        noise: the errors' autocorrelation.
        low, high: pinned levels (minus origin), None where free.
        box: bounds of the two levels (minus origin), None without bounds.
        pinned: coordinates held fixed, by index.
        one, yw: the constant 1 and y, weighted and whitened.
    """

    family: Family
    span: float
    x: Floats
    y: Floats
    origin: float
    weight: Floats | None
    noise: Noise
    low: float | None
    high: float | None
    box: tuple[tuple[float, float], tuple[float, float]] | None
    pinned: Mapping[int, float]
    one: Floats
    yw: Floats

    @property
    def free(self) -> list[int]:
        """Indices of the coordinates that are searched."""
        return [k for k in range(len(self.family.shape.coordinates)) if k not in self.pinned]

    @property
    def count(self) -> int:
        """Free parameters, levels included."""
        return len(self.free) + (self.low is None) + (self.high is None)

    def edges(self) -> Floats:
        """Ends of the search in the free coordinates, shape (d, 2)."""
        return self.family.shape.edges(self.x)[self.free]

    def whiten(self, v: Floats) -> Floats:
        """Weight and whiten a curve."""
        return self.noise.whiten(v if self.weight is None else v * self.weight)

    def all_coordinates(self, q: Floats) -> tuple[float, ...]:
        """Free and pinned coordinates in the order of the shape."""
        free = iter(q)
        return tuple(
            self.pinned[k] if k in self.pinned else float(next(free)) for k in range(len(self.family.shape.coordinates))
        )

    def with_noise(self, noise: Noise) -> Problem:
        """The same problem with other errors."""
        bare = replace(self, noise=noise)
        return replace(bare, one=bare.whiten(np.ones_like(self.x)), yw=bare.whiten(self.y))

    def with_data(self, y: Floats) -> Problem:
        """The same problem with other rewards (origin already subtracted)."""
        return replace(self, y=y, yw=self.whiten(y))

    def progress(self, q: Floats) -> tuple[Floats, tuple[Floats, ...]]:
        """s and its derivatives by the free coordinates, not whitened."""
        s, slopes = self.family.shape.progress(self.x, self.all_coordinates(q))
        return s, slopes if not self.pinned else tuple(slopes[k] for k in self.free)

    @cached_property
    def _centred(self) -> tuple[float, float, Floats]:
        """|one|^2, the best constant, and what it leaves of yw."""
        norm = float(self.one @ self.one)
        level = float(self.one @ self.yw) / norm
        return norm, level, self.yw - level * self.one

    def at(self, q: Floats) -> Point:
        """The least squares over the levels, and its slope, at coordinates q; sse is infinite beyond doubles."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._at(q)

    def _at(self, q: Floats) -> Point:
        s, slopes = self.progress(q)
        sw, inner = self.whiten(s), [self.whiten(d) for d in slopes]
        low, high = self.low, self.high
        if self.box is not None:
            low, high = self._boxed(sw)
        low, high, residual, columns = self._levels(sw, low, high)
        rise = high - low
        slope = [-2 * rise * float(residual @ d) for d in inner]
        bend = [[float(a @ b) for b in inner] for a in inner]
        for column, norm in columns:
            shadow = [float(column @ d) for d in inner]
            bend = [
                [x - a * b / max(norm, _TINY) for x, b in zip(row, shadow, strict=True)]
                for row, a in zip(bend, shadow, strict=True)
            ]
        bend = [[2 * rise * rise * x for x in row] for row in bend]
        sse = float(residual @ residual)
        if not all(map(math.isfinite, (sse, *slope, *itertools.chain(*bend)))):
            sse = np.inf  # the curve leaves the range of doubles here: nobody wants to be
        size = len(inner)
        return Point(q, sse, np.array(slope), np.array(bend).reshape(size, size), low, high)

    def _levels(
        self, sw: Floats, low: float | None, high: float | None
    ) -> tuple[float, float, Floats, list[tuple[Floats, float]]]:
        """Best levels, of which either may be given; the residual; orthogonal columns of the free ones, |column|^2."""
        one, yw = self.one, self.yw
        if low is None and high is None:
            norm, level, rest = self._centred
            mean = float(one @ sw) / norm
            c = one * -mean
            c += sw
            square = float(c @ c)
            rise = float(c @ rest) / max(square, _TINY)
            residual = c * -rise
            residual += rest
            return level - rise * mean, level + rise * (1 - mean), residual, [(one, norm), (c, square)]
        if high is None:
            assert low is not None
            rest = yw - low * one if low else yw
            square = float(sw @ sw)
            rise = float(sw @ rest) / max(square, _TINY)
            return low, low + rise, rest - rise * sw, [(sw, square)]
        if low is None:
            c = one - sw
            rest = yw - high * one if high else yw
            square = float(c @ c)
            fall = float(c @ rest) / max(square, _TINY)
            return high + fall, high, rest - fall * c, [(c, square)]
        return low, high, yw - low * one - (high - low) * sw, []

    def _boxed(self, sw: Floats) -> tuple[float | None, float | None]:
        """The levels that sit on the box: the convex problem's solution lies inside, on an edge, or in a corner."""
        assert self.box is not None
        choices: list[list[float | None]] = [
            [None, *(b for b in bounds if np.isfinite(b))] if given is None else [given]
            for given, bounds in zip((self.low, self.high), self.box, strict=True)
        ]
        best, found = np.inf, (choices[0][-1], choices[1][-1])
        for low, high in itertools.product(*choices):
            a, b, residual, _ = self._levels(sw, low, high)
            fits = (low is not None or self.box[0][0] <= a <= self.box[0][1]) and (
                high is not None or self.box[1][0] <= b <= self.box[1][1]
            )
            sse = float(residual @ residual)
            if fits and sse < best:
                best, found = sse, (low, high)
        return found
