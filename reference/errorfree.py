"""Sums and products of doubles together with what rounding took from them.

Source: Moller and Knuth for the sum, Veltkamp and Dekker (1971) for the product.
"""

from __future__ import annotations

import numpy as np

from reference.domain import Floats

_SPLIT = 134217729.0  # 2**27 + 1, Veltkamp's constant for doubles


def two_sum(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """x + y rounded, and the exact remainder."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def two_product(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """x * y rounded, and the exact remainder (barring underflow, and |x|, |y| beyond 1e300)."""
    high = x * y
    a, b = _halves(x)
    c, d = _halves(y)
    return high, b * d - (((high - a * c) - b * c) - a * d)


def quotient(x: Floats, x_low: Floats, y: Floats) -> tuple[Floats, Floats]:
    """(x + x_low) / y as a double and a correction; together good to about 2**-100."""
    ratio = x / y
    product, low = two_product(ratio, y)
    return ratio, ((x - product) - low + x_low) / y


def root(x: Floats, x_low: Floats) -> tuple[Floats, Floats]:
    """The square root of x + x_low >= 0 as a double and a correction; together good to about 2**-100."""
    high = np.asarray(np.sqrt(x), dtype=np.float64)
    square, low = two_product(high, high)
    twice = np.where(high == 0, 1.0, 2 * high)
    return high, np.where(high == 0, 0.0, ((x - square) - low + x_low) / twice)


def _halves(x: Floats) -> tuple[Floats, Floats]:
    big = _SPLIT * x
    top = big - (big - x)
    return top, x - top
