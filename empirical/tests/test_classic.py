"""GRIM, GRIMMER and DEBIT: known answers, and every data set there is."""

import doctest
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirical.audit import Lattice, Rounding, debit, grim, grimmer, round_fraction, round_root, spread_bounds
from empirical.audit.rounding import show
from empirical.tests.strategies import EXACT

pytestmark = pytest.mark.infrastructure


def moments(data: Iterable[int | Fraction], ddof: int, rounding: Rounding, decimals: int = 2) -> tuple[str, str]:
    """Mean and standard deviation as printed."""
    values = [Fraction(x) for x in data]
    mean = sum(values, Fraction(0)) / len(values)
    variance = sum(((x - mean) ** 2 for x in values), Fraction(0)) / (len(values) - ddof)
    return (
        show(round_fraction(mean, decimals, rounding), decimals),
        show(round_root(variance, decimals, rounding), decimals),
    )


@pytest.mark.parametrize(
    ("mean", "size", "sums"),
    [
        ("5.19", 28, ()),  # the example of Brown & Heathers (2017)
        ("5.18", 28, (145,)),
        ("5.21", 28, (146,)),
        ("3.45", 20, (69,)),
        ("3.47", 20, ()),
        ("0.5", 3, ()),
        ("0.3", 3, (1,)),
    ],
)
def test_grim_of_known_means(mean: str, size: int, sums: tuple[int, ...]) -> None:
    assert grim(mean, size) == sums


def test_grim_needs_the_trailing_zero() -> None:
    assert grim("0.7", 3) == (2,)
    assert grim("0.70", 3) == ()


@given(st.integers(1, 40), st.integers(1, 3), st.sampled_from(EXACT), st.sampled_from((1, 100)), st.data())
def test_grim_is_all_sums_that_print_so(
    size: int, items: int, rounding: Rounding, scale: int, data: st.DataObject
) -> None:
    shown = data.draw(st.integers(0, 5 * scale * 100).map(lambda units: show(Fraction(units, 100), 2)))
    expected = tuple(
        total
        for total in range(6 * size * items)
        if show(round_fraction(Fraction(total * scale, size * items), 2, rounding), 2) == shown
    )
    assert grim(shown, size, items=items, scale=scale, rounding=rounding) == expected


def test_grimmer_of_known_pairs() -> None:
    assert grimmer("3.44", "2.47", 18, low=1, high=7) is None  # Allard's (2018) example
    data = grimmer("3.44", "2.48", 18, low=1, high=7)
    assert data is not None
    assert moments(data, 1, Rounding.HALF_UP) == ("3.44", "2.48")


def test_grimmer_refuses_what_parity_lets_through() -> None:
    """Four deviations from 10 with sum 0 have no sum of squares 28, though it is even like their sum."""
    assert grimmer("10.0000", "3.0551", 4, high=20) is None  # 28 / 3: even, like the sum, yet impossible
    assert grimmer("10.0000", "2.9439", 4, high=20) is not None  # 26 / 3


@settings(deadline=None)
@given(
    st.integers(2, 4),
    st.integers(1, 2),
    st.integers(0, 1),
    st.sampled_from(EXACT),
    st.integers(0, 2),
    st.integers(1, 4),
)
def test_grimmer_is_decided_as_by_all_data_sets(
    size: int, items: int, ddof: int, rounding: Rounding, low: int, width: int
) -> None:
    high = low + width
    possible = {
        moments([Fraction(x, items) for x in chosen], ddof, rounding, 1)
        for chosen in combinations_with_replacement(range(low * items, high * items + 1), size)
    }
    for mean in (show(Fraction(units, 10), 1) for units in range(10 * low, 10 * high + 1)):
        for std in (show(Fraction(units, 10), 1) for units in range(10 * width + 1)):
            found = grimmer(mean, std, size, items=items, ddof=ddof, low=low, high=high, rounding=rounding)
            assert (found is not None) == ((mean, std) in possible)
            if found is not None:
                assert moments([Fraction(x, items) for x in found], ddof, rounding, 1) == (mean, std)


@pytest.mark.parametrize(
    ("mean", "std", "size", "consistent"),
    [
        ("0.50", "0.51", 20, True),  # sqrt(5/19) = 0.513
        ("0.50", "0.50", 20, False),
        ("0.93", "0.25", 1683, True),
        ("0.19", "0.35", 1683, False),  # sqrt(0.19 * 0.81) = 0.392
        ("0.77", "0.42", 1683, True),
    ],
)
def test_debit_of_known_pairs(mean: str, std: str, size: int, consistent: bool) -> None:
    assert bool(debit(mean, std, size)) == consistent


@given(st.integers(2, 30), st.integers(0, 1), st.sampled_from(EXACT), st.sampled_from((1, 100)), st.data())
def test_debit_is_all_counts_that_print_so(
    size: int, ddof: int, rounding: Rounding, scale: int, data: st.DataObject
) -> None:
    prints = [
        moments([Fraction(scale)] * ones + [Fraction(0)] * (size - ones), ddof, rounding) for ones in range(size + 1)
    ]
    mean, std = data.draw(st.sampled_from(prints))
    if data.draw(st.booleans()):
        std = show(Fraction(std) + Fraction(1, 100), 2)
    expected = tuple(ones for ones in range(size + 1) if prints[ones] == (mean, std))
    assert debit(mean, std, size, scale=scale, ddof=ddof, rounding=rounding) == expected


@given(st.integers(2, 12), st.integers(0, 1), st.integers(0, 10), st.integers(0, 60))
def test_debit_is_grimmer_on_a_scale_of_two(size: int, ddof: int, tenths: int, units: int) -> None:
    mean, std = show(Fraction(tenths, 10), 1), show(Fraction(units, 100), 2)
    assert bool(debit(mean, std, size, ddof=ddof)) == (grimmer(mean, std, size, ddof=ddof, high=1) is not None)


@given(st.integers(2, 4), st.integers(1, 5), st.integers(0, 1), st.data())
def test_spread_bounds_are_the_extremes(size: int, top: int, ddof: int, data: st.DataObject) -> None:
    total = data.draw(st.integers(0, size * top))
    step = Fraction(1, 3)
    variances = [
        sum(((x - Fraction(total, size)) ** 2 for x in chosen), Fraction(0)) * step**2 / (size - ddof)
        for chosen in combinations_with_replacement(range(top + 1), size)
        if sum(chosen) == total
    ]
    bounds = spread_bounds(total, size, Lattice(step, top), ddof)
    assert bounds == (min(variances), max(variances))
    if top == 1:
        assert bounds[0] == bounds[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grim("1.0", 0), "size = 0"),
        (lambda: grim("1.0", 5, items=-1), "items = -1"),
        (lambda: grim("x", 5), "text = 'x'"),
        (lambda: grimmer("1.0", "1.0", 1, high=5), "size = 1"),
        (lambda: grimmer("1.0", "1.0", 401, high=5), "size = 401"),
        (lambda: grimmer("1.0", "1.0", 5, high=5, ddof=2), "ddof = 2"),
        (lambda: grimmer("1.0", "1.0", 5, low=6, high=5), "low = 6"),
        (lambda: debit("0.5", "0.5", 1), "size = 1"),
        (lambda: spread_bounds(9, 2, Lattice(Fraction(1), 4)), "total = 9"),
        (lambda: spread_bounds(1, 1, Lattice(Fraction(1), 4)), "size = 1"),
    ],
)
def test_a_number_outside_its_domain_is_named(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()


def test_the_examples_in_the_docstrings() -> None:
    import sys

    for name in ("grim", "grimmer", "debit"):
        module = sys.modules[f"empirical.audit.{name}"]
        result = doctest.testmod(module)
        assert result.attempted > 0
        assert result.failed == 0
