"""`reference.errorfree` against exact rationals: sums and products lose nothing, quotients and roots 2**-100."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.domain import Floats
from reference.errorfree import quotient, root, two_product, two_sum

pytestmark = pytest.mark.infrastructure

SMALL = 2.0**-53
DOUBLES = st.floats(2.0**-100, 2.0**100) | st.floats(-(2.0**100), -(2.0**-100)) | st.just(0.0)
POSITIVE = st.floats(2.0**-100, 2.0**100)
TAILS = st.floats(-SMALL, SMALL)


def double(x: float) -> Floats:
    return np.asarray(x, dtype=np.float64)


def parts(pair: tuple[Floats, Floats]) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])


def exact(pair: tuple[Floats, Floats]) -> Fraction:
    return Fraction(float(pair[0])) + Fraction(float(pair[1]))


@given(x=DOUBLES, y=DOUBLES)
def test_sums_and_products_are_exact(x: float, y: float) -> None:
    for pair, truth in (
        (two_sum(double(x), double(y)), Fraction(x) + Fraction(y)),
        (two_product(double(x), double(y)), Fraction(x) * Fraction(y)),
    ):
        assert exact(pair) == truth
        assert abs(pair[1]) <= SMALL * abs(pair[0])


@given(x=DOUBLES, tail=TAILS, y=POSITIVE)
def test_quotients_keep_a_hundred_bits(x: float, tail: float, y: float) -> None:
    low = x * tail
    truth = (Fraction(x) + Fraction(low)) / Fraction(y)
    # the correction is the exact remainder over y, rounded three times, and at most 2**-51 of the quotient
    assert abs(exact(quotient(double(x), double(low), double(y))) - truth) <= abs(truth) * Fraction(2) ** -100


@given(x=POSITIVE, tail=TAILS)
def test_roots_keep_a_hundred_bits(x: float, tail: float) -> None:
    low = x * tail
    found = exact(root(double(x), double(low)))
    # found^2/(x + low) - 1 is twice the relative error of found, to first order
    assert abs(found**2 / (Fraction(x) + Fraction(low)) - 1) <= Fraction(2) ** -99


def test_exact_values_have_no_remainder() -> None:
    assert parts(two_sum(double(1.0), double(2.0))) == (3.0, 0.0)
    assert parts(two_sum(double(1.0), double(2.0**-60))) == (1.0, 2.0**-60)
    assert parts(two_product(double(1 + 2.0**-30), double(1 - 2.0**-30))) == (1.0, -(2.0**-60))
    assert parts(quotient(double(6.0), double(0.0), double(3.0))) == (2.0, 0.0)
    assert parts(root(double(9.0), double(0.0))) == (3.0, 0.0)
    assert parts(root(double(1.0), double(2.0**-60))) == (1.0, 2.0**-61)
    with np.errstate(all="raise"):
        assert parts(root(double(0.0), double(0.0))) == (0.0, 0.0)
    assert root(np.array([4.0, 0.0]), np.zeros(2))[0].dtype == np.float64
