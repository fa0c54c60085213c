"""Expansion: the finite-group quantities of `reference.group` in powers of 1/G, with their next-order terms.

With s = p (1-p), the delta method (Cramer 1946) on sqrt(phat (1-phat)) and the exact binomial central moments
up to the sixth give

    E[std_G]/sigma = 1 - 1/(8 s G) - (7 - 16 s)/(128 s^2 G^2) - (75 - 288 s + 128 s^2)/(1024 s^3 G^3) +
    O(G^-4).

The series is asymptotic in 1/(s G): near p = 0 and 1 it needs G much larger than 1/s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.counts import Floats
from reference.group import drift_ratio

# The largest group size that `size_for_drift` tries.
LARGEST_SIZE = 2**61


def _summed(p: Floats, size: int, terms: Sequence[Callable[[Floats, Floats], Floats]]) -> Floats:
    """Sum terms in s = p (1-p) and x = 1/(s G), the latter so that no power of s alone under- or overflows."""
    s = p * (1.0 - p)
    with np.errstate(over="ignore"):
        x = 1.0 / (s * size) if len(terms) > 1 else np.ones_like(s)
        out: Floats = np.zeros_like(p)
        for term in terms:
            out = out + term(s, x)
    good = np.isfinite(out)
    if not good.all():
        raise ValueError(f"p = {p[~good].flat[0]}; expected p (1-p) large enough for terms below 1.8e308")
    return out


def drift_ratio_expansion(p: ArrayLike, size: int, ddof: int = 0, order: int = 2) -> Floats:
    """Expand `reference.group.drift_ratio` in 1/G.

    Args:
        p: success probability strictly inside (0, 1), any shape.
        size: completions in a group, an integer of at least 2.
        ddof: 0 (population std) or 1 (sample std); the factor sqrt((G-1)/G) of ddof 1 is kept exact.
        order: highest power of 1/G kept, 0 to 3.

    Returns:
        Array of the shape of p. The error is O(size**-(order+1)).

    Raises:
        ValueError: an argument lies outside its domain, or p is so near 0 that a term, about (p G)**-order, leaves
            the range of doubles.

    Source: delta method (Cramer 1946); quantifies the first sentence of the paper's Proposition 10.
    """
    p_ = domain.open_probability("p", p)
    size = domain.integer("size", size, 2)
    ddof = domain.integer("ddof", ddof, 0, 1)
    order = domain.integer("order", order, 0, 3)
    terms = (
        lambda s, x: np.ones_like(s),
        lambda s, x: -x / 8.0,
        lambda s, x: -(7.0 - 16.0 * s) / 128.0 * x**2,
        lambda s, x: -(75.0 - 288.0 * s + 128.0 * s**2) / 1024.0 * x**3,
    )
    ratio = _summed(p_, size, terms[: order + 1])
    if ddof:
        ratio = ratio * np.sqrt((size - 1) / size)
    return ratio[()]


def noise_variance_expansion(p: ArrayLike, size: int, order: int = 1) -> Floats:
    """Expand `reference.group.noise_variance` (ddof 0, normalised) in 1/G.

    The terms are 1/4 - s, then (3 - 8 s)/(32 s G), then (17 - 68 s + 32 s^2)/(128 s^2 G^2), from the
    square of the module's head. At p = 1/2 the leading one vanishes and the law is 1/(8 G): the variance itself
    falls like 1/G^2.

    Args:
        p: success probability strictly inside (0, 1), any shape.
        size: completions in a group, an integer of at least 2.
        order: highest power of 1/G kept, 0 to 2.

    Returns:
        Array of the shape of p. The error is O(size**-(order+1)).

    Raises:
        ValueError: an argument lies outside its domain, or p is so near 0 that a term, about (p G)**-order, leaves
            the range of doubles.

    Source: delta method (Cramer 1946); corrects the covariance of the paper's Lemma 6.
    """
    p_ = domain.open_probability("p", p)
    size = domain.integer("size", size, 2)
    order = domain.integer("order", order, 0, 2)
    terms = (
        lambda s, x: (0.5 - p_) ** 2,
        lambda s, x: (3.0 - 8.0 * s) / 32.0 * x,
        lambda s, x: (17.0 - 68.0 * s + 32.0 * s**2) / 128.0 * x**2,
    )
    return _summed(p_, size, terms[: order + 1])[()]


def size_for_drift(p: ArrayLike, tolerance: float, ddof: int = 0) -> Floats:
    """Find the smallest group size from which on the drift is within a relative tolerance of its limit.

    Args:
        p: success probability strictly inside (0, 1), any shape.
        tolerance: allowed shortfall of `reference.group.drift_ratio` below 1, in [1e-4, 1].
        ddof: 0 (population std) or 1 (sample std).

    Returns:
        Integer-valued array of the shape of p. To leading order 1/(8 p (1-p) tolerance), and 1/(2 tolerance)
        more for ddof 1. Exact: the ratio rises with the size, and the bracket is bisected.

    Raises:
        ValueError: an argument lies outside its domain, or p is so near 0 or 1 that the size would exceed 2**61.
    """
    p_ = domain.open_probability("p", p)
    ddof = domain.integer("ddof", ddof, 0, 1)
    tolerance = domain.number("tolerance", tolerance, 1e-4, 1.0)
    out = np.empty(p_.shape)
    for index in np.ndindex(p_.shape):
        low, high = 1, 2
        while 1.0 - drift_ratio(p_[index], high, ddof) > tolerance:
            low, high = high, 2 * high
            if high > LARGEST_SIZE:
                raise ValueError(
                    f"p = {p_[index]}, tolerance = {tolerance}; expected p (1-p) tolerance large enough for a size "
                    f"of at most {LARGEST_SIZE}: it is about 1/(8 p (1-p) tolerance)"
                )
        while high - low > 1:
            middle = (low + high) // 2
            if 1.0 - drift_ratio(p_[index], middle, ddof) > tolerance:
                low = middle
            else:
                high = middle
        out[index] = high
    return out[()]
