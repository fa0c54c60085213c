"""FixedPoint: where the binary bandit's exact drift vanishes in the interior, and for which beta.

In the logit L the interior fixed points solve F(p) = beta (L - L_ref), F as in `reference.drift`. For
infinite groups F = 1/sigma = 2 cosh(L/2): a convex curve against a line, so 0, 1 (tangent) or 2 solutions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.counts import Floats
from reference.drift import logit, reference_logit, sigmoid
from reference.group import drift_factor, drift_factor_slope

Stability = Literal["stable", "unstable", "semistable"]

# Up to this beta the curve and the line stay inside the range of doubles at every logit that is tried.
MOST_BETA = 1e300


@dataclass(frozen=True)
class FixedPoint:
    """One interior zero of the drift.

    Attributes:
        p: success probability; rounds to 1 where the logit exceeds about 37.
        logit: log(p/(1-p)), the number to trust near 1.
        stability: "stable", "unstable", or "semistable" (the tangent point at beta = critical_beta).
        stiffness: -g'(p) per unit of kappa; positive where stable.
    """

    p: float
    logit: float
    stability: Stability
    stiffness: float


def fixed_points(p_ref: float, beta: float) -> tuple[FixedPoint, ...]:
    """Find all interior fixed points of the binary bandit with infinite groups.

    Args:
        p_ref: success probability of the reference policy, strictly inside (0, 1).
        beta: weight of the KL term, positive, at most 1e300.

    Returns:
        Nothing below `critical_beta(p_ref)`; at it (within rounding) one semistable point; above it a stable
        point and, at a larger p, an unstable one. p = 1 attracts always: near it the drift is positive.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Assumption 1 of the paper and Mroueh (2025), re-derived for Eq. 2's KL term.
    """
    x_ref = reference_logit(p_ref)
    domain.number("beta", beta, 0.0, closed=False)
    beta = domain.number("beta", beta, 0.0, MOST_BETA)

    def excess(x: float) -> float:
        return 2.0 * math.cosh(x / 2.0) - beta * (x - x_ref)

    lowest = 2.0 * math.asinh(beta)
    depth = excess(lowest)
    noise = 8.0 * np.finfo(float).eps * (2.0 * math.cosh(lowest / 2.0) + beta * (abs(lowest) + abs(x_ref)))
    if depth > noise:
        return ()
    if depth >= -noise:
        return (FixedPoint(float(sigmoid(lowest)), lowest, "semistable", 0.0),)
    step = 1.0
    while excess(lowest + step) < 0.0:
        step *= 2.0
    roots = (_bisect(excess, x_ref, lowest), _bisect(excess, lowest, lowest + step))
    return tuple(_fixed_point(x, beta, None, 0) for x in roots)


def finite_fixed_points(p_ref: float, beta: float, size: int, ddof: int = 0) -> tuple[FixedPoint, ...]:
    """Find all interior fixed points of the binary bandit's mean drift with finite groups.

    The topology is not that of infinite groups: F is bounded (by sqrt(size-1) for ddof 0), so p = 1 repels
    and the largest fixed point is stable for every beta > 0. At size 2 it is L_ref + 1/beta (ddof 0) or
    L_ref + 1/(sqrt(2) beta) (ddof 1).

    Args:
        p_ref: success probability of the reference policy, strictly inside (0, 1).
        beta: weight of the KL term, positive, large enough for sqrt(size-1)/beta to be a double.
        size: completions in a group, an integer of at least 2.
        ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers).

    Returns:
        The fixed points by rising p. F falls below p = 1/2, which allows one there; above, the line is
        scanned in steps of 1/20 in the logit (F varies on a scale of about 1) with extrema refined between
        the nodes.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: corrects Proposition 10 of the paper (fixed point independent of G).
    """
    x_ref = reference_logit(p_ref)
    beta = domain.number("beta", beta, 0.0, closed=False)
    top = float(drift_factor(1.0, size, ddof))

    def excess(x: float) -> float:
        return float(drift_factor(sigmoid(x), size, ddof)) - beta * (x - x_ref)

    roots: list[float] = []
    if x_ref < 0.0 and excess(0.0) <= 0.0:
        roots.append(_bisect(excess, x_ref, 0.0))
    last = x_ref + top / beta  # beyond it the pull always wins
    if math.isinf(last):
        raise ValueError(
            f"beta = {beta}; expected at least {top / np.finfo(float).max:.3g}, or the plateau is no double"
        )
    flat = 40.0 + math.log(size)  # beyond it F equals its value at p = 1 within rounding
    start, stop = max(0.0, x_ref), min(last + 1.0, flat)
    if stop > start:
        x = np.linspace(start, stop, math.ceil(20.0 * (stop - start)) + 1)
        values = drift_factor(sigmoid(x), size, ddof) - beta * (x - x_ref)
        knots = _refine(excess, x, values)
        signs = [excess(knot) > 0.0 for knot in knots]
        for i in range(len(knots) - 1):
            if signs[i] != signs[i + 1]:
                roots.append(_bisect(excess, knots[i], knots[i + 1]))
        if signs[-1]:
            roots.append(last)
    return tuple(_fixed_point(x, beta, size, ddof) for x in roots)


def critical_beta(p_ref: ArrayLike) -> Floats:
    """Compute the smallest beta at which infinite groups have an interior fixed point.

    The line beta (L - L_ref) touches 2 cosh(L/2) at L = 2u: beta_c = sinh(u), where u solves
    u - coth(u) = L_ref/2. So the curve is parametric in u, and its inverse is explicit (`critical_logit`).

    Args:
        p_ref: success probability of the reference policy, strictly inside (0, 1), any shape.

    Returns:
        Array of the shape of p_ref. Newton's method from the root of u - 1/u = L_ref/2, which lies below; the
        left-hand side is concave and rising, so the iterates rise to the root.

    Raises:
        ValueError: p_ref lies outside (0, 1).
    """
    half = np.asarray(logit(domain.open_probability("p_ref", p_ref))) / 2.0
    root = np.sqrt(half**2 + 4.0)
    u = np.where(half > 0.0, (half + root) / 2.0, 2.0 / (root + np.abs(half)))
    for _ in range(60):
        u = u - (u - 1.0 / np.tanh(u) - half) / (1.0 + 1.0 / np.sinh(u) ** 2)
    out: Floats = np.sinh(u)
    return out[()]


def critical_logit(beta: ArrayLike) -> Floats:
    """Compute the largest logit of p_ref at which this beta leaves infinite groups an interior fixed point.

    The inverse of `critical_beta` in closed form: L_ref = 2 asinh(beta) - 2 sqrt(1 + beta^2)/beta. The
    tangent point itself lies at L = 2 asinh(beta).

    Args:
        beta: weight of the KL term, positive, any shape.

    Raises:
        ValueError: beta is not positive.
    """
    beta_ = domain.array("beta", beta, 0.0, closed=False)
    with np.errstate(over="ignore"):
        out: Floats = 2.0 * np.arcsinh(beta_) - 2.0 * (np.hypot(1.0, beta_) / beta_)
    if np.isinf(out).any():
        raise ValueError(f"beta = {beta_[np.isinf(out)].flat[0]}; expected large enough for 2/beta to be a double")
    return out[()]


def _fixed_point(x: float, beta: float, size: int | None, ddof: int) -> FixedPoint:
    """Fill in a fixed point from its logit, which keeps the digits that p loses near 1.

    -g'(p) = s (beta - dF/dL) with s = p (1-p); dF/dL is sinh(L/2) for infinite groups and s F'(p) for finite ones.
    """
    sigma = math.exp(-abs(x) / 2.0) * float(sigmoid(abs(x)))  # 1/(2 cosh(L/2)); its square may underflow
    if size is None:
        lean = math.sinh(x / 2.0)
    else:
        lean = -math.copysign(sigma**2, x) * float(drift_factor_slope(sigmoid(-abs(x)), size, ddof))
    return FixedPoint(float(sigmoid(x)), x, "stable" if beta > lean else "unstable", sigma * (sigma * (beta - lean)))


def _bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """Halve a bracket until its ends are neighbouring doubles."""
    sign = function(low) > 0.0
    while low < (middle := low + (high - low) / 2.0) < high:
        if (function(middle) > 0.0) == sign:
            low = middle
        else:
            high = middle
    return high


def _refine(function: Callable[[float], float], x: Floats, values: Floats) -> list[float]:
    """Add to the nodes the extrema between them at which the function may touch or cross zero unseen."""
    knots = [float(node) for node in x]
    for i in range(1, len(x) - 1):
        trio = values[i - 1 : i + 2]
        same = np.all(trio > 0.0) or np.all(trio < 0.0)
        if same and abs(trio[1]) <= abs(trio[0]) and abs(trio[1]) <= abs(trio[2]):
            knots.append(_nearest_zero(function, float(x[i - 1]), float(x[i + 1])))
    return sorted(knots)


def _nearest_zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Minimise |function| on a bracket by golden-section search."""
    golden = (math.sqrt(5.0) - 1.0) / 2.0
    sign = 1.0 if function(low) > 0.0 else -1.0
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if sign * function(left) < sign * function(right):
            high = right
        else:
            low = left
    return (low + high) / 2.0
