"""Fitting: from a record and the name of a law to the global optimum."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.domain import Floats
from reference.fitters import noise as errors
from reference.fitters.problem import Point, Problem
from reference.fitters.record import checked, family_of, gaps_of, pose
from reference.fitters.result import Fit
from reference.fitters.search import find, rough_minima

_ROUNDS = 4  # of fitting and re-estimating the noise
_EXACT = 1e-22  # residual over total sum of squares at which only rounding is left


def fit(
    t: ArrayLike,
    reward: ArrayLike,
    law: str,
    sigma: ArrayLike | None = None,
    *,
    noise: str = "auto",
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> Fit:
    """Fit a law to a reward curve: globally, and without a starting value.

    Levels enter linearly and are eliminated exactly (variable projection); the nonlinear parameters are searched on
    a grid over all timescales that the record can show, and polished by Newton's method to machine precision.
    Oscillations are searched up to half the sampling frequency of the finest interval; beyond are only their aliases.

    Args:
        t: times >= 0 in steps, increasing, shape (n,), n >= 4.
        reward: shape (n,).
        law: a name in `LAWS`.
        sigma: standard deviations of the errors up to a common factor, one number or shape (n,); None for equal.
        noise: "auto" for autoregressive errors whose order, up to 8 and up to n/20, has the smallest AICc; the
            estimates are then generalised least squares. "white" for (weighted) least squares.
        fixed: parameters held at a value.
        bounds: (low, high) for the levels of the law, such as {"R_inf": (0, 1)}; infinite ends are no bound.

    Raises:
        ValueError: an argument lies outside its domain; the message names it, its value and its domain.

    Source: Golub and Pereyra 1973 (projection); Prais and Winsten 1954 (whitening); Burg 1975 (noise).
    """
    family = family_of(law)
    times, rewards, deviations = checked(t, reward, sigma)
    domain.choice("noise", noise, ("auto", "white"))
    problem = pose(family, times, rewards, deviations, fixed or {}, bounds or {})
    starts = rough_minima(problem)
    point = find(problem, starts)
    if noise == "auto":
        problem, point = _whitened(problem, point, times, starts)
    return Fit(law, times, rewards, deviations, problem, point)


def _whitened(problem: Problem, point: Point, t: Floats, starts: list[Floats]) -> tuple[Problem, Point]:
    """Alternate between the curve and the noise, as Cochrane and Orcutt do, the order chosen once."""
    total = problem.yw - problem.yw.mean()
    if not point.sse > _EXACT * float(total @ total) or errors.highest_order(t.size, True) < 1:
        return problem, point
    gaps = gaps_of(t)
    best = errors.choose(_residual(problem, point), problem.count, gaps)
    if not best.order:
        return problem, point
    for _ in range(_ROUNDS):
        problem = problem.with_noise(best)
        point = find(problem, [point.q, *starts])
        following = errors.again(_residual(problem, point), best)
        if np.abs(np.subtract(following.partial, best.partial)).max() < 1e-4:
            break
        best = following
    return problem, point


def _residual(problem: Problem, point: Point) -> Floats:
    """Residuals in units of sigma, not whitened."""
    s, _ = problem.progress(point.q)
    residual = problem.y - point.low - (point.high - point.low) * s
    return residual if problem.weight is None else residual * problem.weight
