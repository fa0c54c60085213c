"""The attainable scores, against all numbers of correct samples of all problems."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from empirical.audit import Estimator, Grid, Lattice, RoundedGrid, Rounding, SumGrid, grid, round_fraction
from empirical.tests import brute
from empirical.tests.strategies import EXACT

pytestmark = pytest.mark.infrastructure


def values(some: Grid) -> list[Fraction]:
    return [h * some.step for h in some.between(0, some.top)]


@st.composite
def arguments(draw: st.DrawFn) -> tuple[int, int, int, Estimator, int]:
    samples = draw(st.integers(1, 7))
    k = draw(st.integers(1, samples))
    scale = draw(st.sampled_from((1, 100)))
    return draw(st.integers(1, 4)), samples, k, draw(st.sampled_from(Estimator)), scale


@settings(deadline=None)
@given(arguments())
def test_grid_holds_exactly_the_attainable_scores(drawn: tuple[int, int, int, Estimator, int]) -> None:
    assert values(grid(*drawn)) == brute.scores(*drawn)


def test_ten_samples_of_pass_at_5_leave_gaps_at_the_low_end() -> None:
    some = grid(30, 10, 5, Estimator.UNBIASED)
    assert isinstance(some, SumGrid)
    assert (some.step, some.top) == (Fraction(100, 30 * 252), 30 * 252)
    # one problem with some right: 126, 196, 231, 246, 251 or 252 of 252; near the top all steps are possible
    assert list(some.between(0, 252)) == [0, 126, 196, 231, 246, 251, 252]
    assert list(some.between(some.top - 3, some.top)) == list(range(some.top - 3, some.top + 1))


@settings(deadline=None)
@example((4, 2, 1, Estimator.UNBIASED, 100), 0, Rounding.HALF_EVEN)  # 12.5, 37.5, ...: coarser than the print
@example((4, 2, 1, Estimator.UNBIASED, 100), 0, Rounding.HALF_UP)
@given(arguments(), st.integers(0, 2), st.sampled_from(EXACT))
def test_rounded_grid_holds_the_rounded_scores(
    drawn: tuple[int, int, int, Estimator, int], decimals: int, rounding: Rounding
) -> None:
    exact = grid(*drawn)
    some = RoundedGrid(exact, decimals, rounding)
    expected: dict[Fraction, list[int]] = {}
    for h in exact.between(0, exact.top):
        expected.setdefault(round_fraction(h * exact.step, decimals, rounding), []).append(h)
    assert values(some) == sorted(expected)
    sums = {x + y for x in some.between(0, some.top) for y in some.between(0, some.top)}
    assert all(some.may_sum(total, 2) for total in sums)
    assert list(some.between(1, some.top - 1)) == [h for h in range(1, some.top) if h in some]
    for h in some.between(0, some.top):
        assert list(some.sources(h)) == expected[h * some.step]


def test_a_score_too_fine_to_resolve_becomes_more_than_what_is_attainable() -> None:
    some = grid(2, 20, 5, Estimator.UNBIASED)
    assert isinstance(some, Lattice)
    assert not some.exact
    assert all(value / some.step == int(value / some.step) for value in brute.scores(2, 20, 5, Estimator.UNBIASED, 100))


@pytest.mark.parametrize("outside", [-1, "1", 1.0, 10**9])
def test_nothing_else_is_attainable(outside: object) -> None:
    for some in (grid(3, 4, 1, Estimator.UNBIASED), grid(3, 10, 5, Estimator.UNBIASED)):
        assert outside not in some
        assert outside not in RoundedGrid(some, 2, Rounding.HALF_UP)


@pytest.mark.parametrize(
    ("problems", "samples", "k", "scale", "name"),
    [
        (0, 1, 1, 100, "problems"),
        (1, 0, 1, 100, "samples"),
        (1, 1, 0, 100, "k"),
        (1, 1, 1, 0, "scale"),
        (1, 4, 5, 100, "samples"),
    ],
)
def test_a_number_outside_its_domain_is_named(problems: int, samples: int, k: int, scale: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} ="):
        grid(problems, samples, k, Estimator.UNBIASED, scale)


def test_scores_are_not_rounded_by_their_double() -> None:
    with pytest.raises(ValueError, match="rounding = 'binary'"):
        RoundedGrid(grid(3, 1, 1, Estimator.UNBIASED), 2, Rounding.BINARY)
