"""Rounding, and its inverse, in exact rationals."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirical.audit import Printed, Rounding, round_fraction, round_root
from empirical.audit.rounding import Interval, preimage, show
from empirical.tests.strategies import EXACT

pytestmark = pytest.mark.infrastructure

DECIMAL = {
    Rounding.HALF_UP: ROUND_HALF_UP,
    Rounding.HALF_EVEN: ROUND_HALF_EVEN,
    Rounding.TRUNCATION: ROUND_DOWN,
}
halves = st.integers(-5000, 5000).map(lambda n: Fraction(n, 2000))  # every fifth one is a tie at two decimals
rationals = st.one_of(halves, st.fractions(-50, 50, max_denominator=999))


def inside(interval: Interval, value: Fraction) -> bool:
    low = value >= interval.low if interval.low_closed else value > interval.low
    high = value <= interval.high if interval.high_closed else value < interval.high
    return low and high


@pytest.mark.parametrize("rounding", EXACT)
@given(units=st.integers(-(10**6), 10**6), decimals=st.integers(0, 3))
def test_agrees_with_the_decimal_module(rounding: Rounding, units: int, decimals: int) -> None:
    value = Decimal(units).scaleb(-4)
    theirs = value.quantize(Decimal(1).scaleb(-decimals), rounding=DECIMAL[rounding])
    assert round_fraction(Fraction(value), decimals, rounding) == Fraction(theirs)


@given(value=st.floats(-100, 100), decimals=st.integers(0, 4))
def test_binary_is_what_python_prints(value: float, decimals: int) -> None:
    assert round_fraction(Fraction(value), decimals, Rounding.BINARY) == Fraction(f"{value:.{decimals}f}")


@pytest.mark.parametrize("rounding", EXACT)
@given(value=rationals, decimals=st.integers(0, 3))
def test_each_number_lies_in_one_preimage_only(rounding: Rounding, value: Fraction, decimals: int) -> None:
    shown = Printed(round_fraction(value, decimals, rounding), decimals)
    for units in range(-2, 3):
        assert inside(preimage(shown.shifted(units), rounding), value) == (units == 0)


@pytest.mark.parametrize("rounding", EXACT)
@given(root=st.integers(0, 9999).map(lambda n: Fraction(n, 2000)), decimals=st.integers(0, 3))
def test_root_of_a_square_rounds_like_the_number(rounding: Rounding, root: Fraction, decimals: int) -> None:
    assert round_root(root * root, decimals, rounding) == round_fraction(root, decimals, rounding)


@pytest.mark.parametrize("rounding", EXACT)
@given(square=st.fractions(0, 50, max_denominator=999), decimals=st.integers(0, 3))
def test_root_lies_in_the_preimage_of_its_print(rounding: Rounding, square: Fraction, decimals: int) -> None:
    shown = Printed(round_root(square, decimals, rounding), decimals)
    for units in range(-2, 3):
        first, last = preimage(shown.shifted(units), rounding).squares(Fraction(1, square.denominator))
        assert (first <= square.numerator <= last) == (units == 0)


@given(
    low=rationals,
    width=st.fractions(0, 3),
    step=st.fractions("1/50", 2),
    closed=st.tuples(st.booleans(), st.booleans()),
)
def test_multiples_are_those_inside(low: Fraction, width: Fraction, step: Fraction, closed: tuple[bool, bool]) -> None:
    interval = Interval(low, low + width, *closed)
    first, last = interval.multiples(step)
    near = range(int(low / step) - 3, int((low + width) / step) + 4)
    assert [h for h in near if first <= h <= last] == [h for h in near if inside(interval, h * step)]


def test_root_of_a_negative_number_is_refused() -> None:
    with pytest.raises(ValueError, match="square = -1 is negative"):
        round_root(Fraction(-1), 2, Rounding.HALF_UP)


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("12.30", Fraction(123, 10), 2),
        ("0", Fraction(0), 0),
        ("-.5", Fraction(-1, 2), 1),
        ("7.", Fraction(7), 0),
    ],
)
def test_printed_numbers_keep_their_decimals(text: str, value: Fraction, decimals: int) -> None:
    assert Printed.of(text) == Printed(value, decimals)


@pytest.mark.parametrize("text", ["", "abc", "12,3", "1e3", "nan", "inf", "1/2", "1_0", " 1", "٣", "."])
def test_what_is_no_printed_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a decimal number"):
        Printed.of(text)


def test_show_keeps_trailing_zeros_and_refuses_what_it_cannot_spell() -> None:
    assert [show(Fraction(1, 2), 2), show(Fraction(-1, 20), 2), show(Fraction(7), 0)] == [
        "0.50",
        "-0.05",
        "7",
    ]
    with pytest.raises(ValueError, match="no exact spelling"):
        show(Fraction(1, 3), 2)
