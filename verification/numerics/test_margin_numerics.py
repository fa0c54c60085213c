"""`reference.margin` against 60-digit arithmetic: the least distance over the unit circle, in its three pieces."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.margin import delayed_margin
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = float(np.finfo(float).eps)
SHORTS = st.one_of(st.floats(0.001, 1.0), st.floats(-12.0, 0.0).map(lambda x: 10.0**x))


@given(short=SHORTS, share=st.floats(1e-6, 1 - 1e-6))
def test_the_margin_keeps_its_digits(short: float, share: float) -> None:
    """b^2 - 2 v excess + 4 mu v^2 cancels near mu = 1: there it is of the order of (1 - mu)^2."""
    mu = 1 - short
    b = share * 2 * (1 + mu)
    found = float(delayed_margin(b, mu))
    with mpmath.workdps(60):
        m, x = mpmath.mpf(mu), mpmath.mpf(b)
        excess = x * (1 + m) - (1 - m) ** 2
        v = min(excess / (4 * m), mpmath.mpf(2)) if excess > 0 and m > 0 else mpmath.mpf(2 if excess > 0 else 0)
        exact = mpmath.sqrt(x**2 - 2 * v * excess + 4 * m * v**2)
        # b - b_- and b_+ - b are differences of doubles good to 4 eps; 2 (1 + mu) - b is one too
        spread = min(abs(x - (1 - mpmath.sqrt(m)) ** 2), abs((1 + mpmath.sqrt(m)) ** 2 - x), 2 * (1 + m) - x)
        within(float(found / exact - 1), 16 * EPS * (1 + 4 / float(spread)), "margin")


def test_the_margin_near_one_by_hand() -> None:
    """b = 2 and mu -> 1: b_- -> 0 and b_+ -> 4, so (1 - mu) sqrt(2 * 2/4) = 1 - mu to first order."""
    within(float(delayed_margin(2.0, 1 - 2.0**-40)) * 2.0**40 - 1, 2.0**-38, "margin over 1 - mu")
