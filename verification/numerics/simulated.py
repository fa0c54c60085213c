"""Simulated runs: a law's curve with autoregressive noise."""

from __future__ import annotations

import numpy as np

from reference.domain import Floats
from reference.fitters.family import FAMILIES


def autoregressive(rng: np.random.Generator, n: int, rho: float) -> Floats:
    """Stationary AR(1) noise of standard deviation 1."""
    shocks, out = rng.standard_normal(n), np.empty(n)
    out[0] = shocks[0]
    for k in range(1, n):
        out[k] = rho * out[k - 1] + (1 - rho * rho) ** 0.5 * shocks[k]
    return out


def run(law: str, t: Floats, theta: tuple[float, ...], rng: np.random.Generator, spread: float, rho: float) -> Floats:
    """A reward curve with noise of standard deviation `spread`."""
    return FAMILIES[law].law(t, *theta) + spread * autoregressive(rng, t.size, rho)
