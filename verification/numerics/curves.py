"""Random well-posed curves of every law: the rise lies within the record, noise is a few per cent of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference.domain import Floats

Rng = np.random.Generator


def _levels(rng: Rng) -> tuple[float, float]:
    low = rng.uniform(-1, 1)
    return low, low + rng.choice([-1, 1]) * rng.uniform(0.2, 2)


def _one_rate(rng: Rng, span: float) -> float:
    return float(np.exp(rng.uniform(np.log(1.5), np.log(20)))) / span


_DRAW: dict[str, Callable[[Rng, float], tuple[float, ...]]] = {
    "saturation": lambda r, s: (_levels(r)[1] + 3, 1 / _one_rate(r, s)),
    "single_exponential_from_zero": lambda r, s: (_levels(r)[1] + 3, _one_rate(r, s)),
    "single_exponential": lambda r, s: (*_levels(r), _one_rate(r, s)),
    "critically_damped_from_zero": lambda r, s: (_levels(r)[1] + 3, 2 * _one_rate(r, s)),
    "critically_damped": lambda r, s: (*_levels(r), 2 * _one_rate(r, s)),
    "second_order": lambda r, s: (*_levels(r), 4 * _one_rate(r, s), r.uniform(0.1, 1.6)),
    "mean_field_free": lambda r, s: (r.uniform(0.02, 0.5), np.exp(r.uniform(2.5, 4)) / s),
    "mean_field": lambda r, s: (r.uniform(0.02, 0.4), np.exp(r.uniform(3, 5)) / s, np.exp(r.uniform(-1, 1))),
    "logistic": lambda r, s: (*_levels(r), np.exp(r.uniform(1.8, 3.5)) / s, r.uniform(0.2, 0.7) * s),
    "generalised_logistic": lambda r, s: (
        *_levels(r),
        r.uniform(8, 25) / s,
        r.uniform(0.3, 0.6) * s,
        r.uniform(0.4, 2),
    ),
    "scalerl_sigmoid": lambda r, s: (*_levels(r), r.uniform(0.1, 0.5) * s, r.uniform(1, 4)),
    "power_law": lambda r, s: (*_levels(r), r.uniform(0.03, 0.3) * s, r.uniform(0.7, 3)),
}


def draw(law: str, rng: Rng) -> tuple[Floats, tuple[float, ...]]:
    """Times, regular or not, and parameters in the order of the law."""
    n = int(rng.integers(40, 300))
    span = 10 ** rng.uniform(0, 4)
    t = np.linspace(0, span, n)
    if rng.random() < 0.3:
        t = np.sort(rng.uniform(0, span, n))
        t[-1] = span
    return t, tuple(float(v) for v in _DRAW[law](rng, span))


def noisy(curve: Floats, rng: Rng, share: float = 0.04) -> Floats:
    """The curve with white Gaussian noise, a share of its range."""
    return curve + share * float(np.ptp(curve)) * rng.standard_normal(curve.size)
