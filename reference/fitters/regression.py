"""Polynomials with autoregressive errors: what a law with a plateau has to beat."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reference.domain import Floats
from reference.fitters import noise as errors
from reference.fitters.record import gaps_of

_ROUNDS = 4


class Polynomial(NamedTuple):
    """A polynomial in (t - t_first)/(t_last - t_first): coefficients from the constant on, and its AICc."""

    coefficients: Floats
    aicc: float


def polynomial(t: Floats, reward: Floats, sigma: Floats | None, degree: int) -> Polynomial:
    """Fit by generalised least squares.

    Args:
        t, reward, sigma: a checked record, shape (n,).
        degree: 0 for a constant, 1 for a line.
    """
    weight = np.ones_like(t) if sigma is None else 1 / sigma
    place = (t - t[0]) / (t[-1] - t[0])
    design = np.stack([weight * place**k for k in range(degree + 1)], axis=1)
    target, noise, gaps = weight * reward, errors.Noise(), gaps_of(t)
    coefficients = np.linalg.lstsq(design, target, rcond=None)[0]
    for _ in range(_ROUNDS):
        noise = errors.choose(target - design @ coefficients, degree + 1, gaps)
        columns = np.stack([noise.whiten(c) for c in design.T], axis=1)
        coefficients = np.linalg.lstsq(columns, noise.whiten(target), rcond=None)[0]
    left = noise.whiten(target - design @ coefficients)
    n, k = t.size, degree + 2 + noise.order
    if n - k - 1 < 1:
        return Polynomial(coefficients, math.inf)
    sse = max(float(left @ left), 1e-300)
    score = n * math.log(2 * math.pi * sse / n) + n + noise.log_determinant() - 2 * float(np.log(weight).sum())
    return Polynomial(coefficients, score + 2 * k * n / (n - k - 1))
