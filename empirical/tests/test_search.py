"""The search for integers with a given sum and spread, against all multisets."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirical.audit import Grid, Lattice
from empirical.audit.search import multisets

pytestmark = pytest.mark.infrastructure


class Some(Grid):
    """Given integers."""

    def __init__(self, members: frozenset[int], top: int) -> None:
        self.step, self.top, self.members = Fraction(1), top, members

    def __contains__(self, multiple: object) -> bool:
        return multiple in self.members


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    top = draw(st.integers(1, 9))
    if draw(st.booleans()):
        return Lattice(Fraction(1), top)
    return Some(draw(st.frozensets(st.integers(0, top), min_size=1)), top)


@settings(max_examples=300)
@given(st.integers(1, 5), grids(), st.data())
def test_search_is_the_enumeration(size: int, some: Grid, data: st.DataObject) -> None:
    """Ranges close to the sum and the spread of some integers: where an end that is off by one shows."""
    values = data.draw(st.lists(st.integers(0, some.top), min_size=size, max_size=size))
    total, exact = sum(values), size * sum(x * x for x in values) - sum(values) ** 2
    off = st.integers(-3, 3)
    totals = (total + data.draw(off), total + data.draw(off))
    spread = data.draw(st.none() | st.tuples(off, off | st.integers(0, 60)))
    if spread is not None:
        spread = (max(exact + spread[0], 0), exact + spread[1])
    expected = [
        chosen
        for chosen in combinations_with_replacement([h for h in range(some.top + 1) if h in some], size)
        if totals[0] <= sum(chosen) <= totals[1]
        and (spread is None or spread[0] <= size * sum(x * x for x in chosen) - sum(chosen) ** 2 <= spread[1])
    ]
    assert sorted(multisets(size, totals, spread, some)) == sorted(expected)


def test_a_wide_window_is_not_enumerated() -> None:
    """Two values out of 10^7 each: 10^14 pairs, of which two have this sum and spread."""
    found = list(multisets(2, (10**7, 10**7), (4 * 1234**2, 4 * 1235**2), Lattice(Fraction(1), 10**7)))
    assert sorted(found, reverse=True) == [(5 * 10**6 - x, 5 * 10**6 + x) for x in (1234, 1235)]
