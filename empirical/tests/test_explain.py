"""Explaining a cell, against the print of every set of per-seed scores."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirical.audit import (
    Cell,
    Estimator,
    Printed,
    Rounding,
    Rule,
    count,
    explain,
    explained,
    grid,
    neighbours,
    permissiveness,
    printed,
    round_fraction,
)
from empirical.audit.rounding import show
from empirical.tests import brute
from empirical.tests.strategies import EXACT, rules

pytestmark = pytest.mark.infrastructure

decimals = st.integers(0, 1)


def shown(mean: str, std: str | None, k: int = 1, scale: int = 100) -> Cell:
    return Cell(Printed.of(mean), None if std is None else Printed.of(std), k=k, scale=scale)


def brute_table(rule: Rule, k: int, places: int, std_places: int | None, scale: int) -> brute.Table:
    assert rule.problems
    assert rule.seeds
    values = brute.scores(rule.problems, max(rule.samples or 1, k), k, rule.estimator, scale)
    return brute.table(values, rule.seeds, rule, places, std_places)


@st.composite
def situations(draw: st.DrawFn, rounding: tuple[Rounding, ...] = EXACT) -> tuple[Rule, int, int]:
    rule = draw(rules(rounding, largest=3))
    k = draw(st.integers(1, rule.samples or 1))
    return rule, k, draw(st.sampled_from((1, 100)))


@settings(deadline=None, max_examples=30)
@given(situations(), decimals, decimals)
def test_fast_and_brute_force_explain_the_same_cells(
    situation: tuple[Rule, int, int], places: int, std_places: int
) -> None:
    """Every printable cell is explained or flagged as the enumeration says, by the same scores."""
    rule, k, scale = situation
    table = brute_table(rule, k, places, std_places, scale)
    means = {mean for mean, _ in table}
    stds = {std for _, std in table}
    for mean in means:
        for std in stds:
            cell = shown(mean, std, k, scale)
            found = explain(cell, rule)
            assert explained(cell, rule) == bool(found) == ((mean, std) in table)
            assert count(cell, rule) == len(found)
            expected = set(table.get((mean, std), []))
            if rule.per_seed is not None:
                expected = {
                    tuple(sorted(round_fraction(x, places, rule.per_seed) for x in chosen)) for chosen in expected
                }
            assert set(found) == expected
            assert len(found) == len(expected)


@settings(deadline=None, max_examples=60)
@given(situations(), decimals, decimals, st.data())
def test_a_perturbed_cell_is_flagged_as_often_as_the_arithmetic_allows(
    situation: tuple[Rule, int, int], places: int, std_places: int, data: st.DataObject
) -> None:
    """All perturbations by up to two units of the last digits: the printable ones pass."""
    rule, k, scale = situation
    table = brute_table(rule, k, places, std_places, scale)
    mean, std = data.draw(st.sampled_from(sorted(table, key=str)))
    assert std is not None
    cell = shown(mean, std, k, scale)
    around = [
        (show(m, places), show(s, std_places))
        for m in (cell.mean.value + up * cell.mean.unit for up in range(-2, 3))
        for s in (Fraction(std) + up * Fraction(1, 10**std_places) for up in range(-2, 3))
        if 0 <= m <= scale and s >= 0
    ]
    possible = {pair for pair in around if pair in table}
    assert {(str(c.mean), str(c.std)) for c in neighbours(cell, rule, 2)} == possible
    assert permissiveness(cell, rule, 2) == Fraction(len(possible), len(around))


@settings(deadline=None)
@given(
    st.integers(1, 3000),
    st.integers(1, 12),
    st.sampled_from((1, 5)),
    rules((*EXACT, Rounding.BINARY)),
    st.sampled_from((1, 100)),
    st.data(),
)
def test_a_table_made_from_counts_is_never_flagged(
    problems: int, samples: int, k: int, rule: Rule, scale: int, data: st.DataObject
) -> None:
    """Realistic counts of correct samples, printed under the rule: explained, by those very scores."""
    samples = max(samples, k)
    rule = Rule(rule.rounding, rule.per_seed, rule.ddof, samples, rule.estimator, rule.seeds, problems)
    attainable = grid(problems, samples, k, rule.estimator, scale)
    multiples = st.integers(0, attainable.top).filter(lambda h: h in attainable)
    assert rule.seeds
    start = data.draw(multiples)
    near = st.integers(max(start - 400, 0), min(start + 400, attainable.top)).filter(lambda h: h in attainable)
    values = [data.draw(near) * attainable.step for _ in range(rule.seeds)]
    places = 2 if scale == 100 else 4
    mean, std = printed(values, rule, places, places)
    cell = shown(mean, std, k, scale)
    assert explained(cell, rule)
    if rule.per_seed is not None:
        values = [round_fraction(value, places, rule.per_seed) for value in values]
    if rule.estimator is Estimator.ANY or k == 1 or samples == k:  # elsewhere there are too many to list
        assert tuple(sorted(values)) in explain(cell, rule)
    assert explained(shown(mean, None, k, scale), rule)


@settings(deadline=None)
@given(st.integers(0, 495), st.integers(0, 60), st.integers(0, 60), st.integers(2, 3))
def test_a_table_made_by_numpy_is_never_flagged_as_binary(low: int, up: int, further: int, seeds: int) -> None:
    """99 problems, five samples: percentages with two decimals, then numpy's mean and std, then format."""
    counts = [low, min(low + up, 495), min(low + further, 495)][:seeds]
    scores = np.array([round(100 * c / 495, 2) for c in counts])
    cell = shown(f"{scores.mean():.2f}", f"{scores.std(ddof=1):.2f}")
    rule = Rule(Rounding.BINARY, Rounding.HALF_UP, 1, 5, seeds=seeds, problems=99)
    assert explained(cell, rule)


def test_a_tie_tells_the_roundings_apart() -> None:
    """Scores 16.77 and 18.38 (83 and 91 of 495): their mean 17.575 is a double just below."""
    for rounding, up in ((Rounding.HALF_UP, True), (Rounding.HALF_EVEN, True), (Rounding.BINARY, False)):
        rule = Rule(rounding, Rounding.HALF_UP, 1, 5, seeds=2, problems=99)
        assert explained(shown("17.58", "1.14"), rule) == up
        assert explained(shown("17.57", "1.14"), rule) != up


def test_two_seeds_and_30_problems() -> None:
    """The cell 1.67 ± 2.35: one problem of 30 in one seed, but only if 3.33 was rounded before averaging."""
    cell = shown("1.67", "2.35", k=5)
    rounded = Rule(Rounding.HALF_UP, Rounding.HALF_UP, 1, 5, seeds=2, problems=30)
    assert explain(cell, rounded) == [(Fraction(0), Fraction("3.33"))]
    assert explain(cell, Rule(Rounding.HALF_UP, None, 1, 5, seeds=2, problems=30)) == []
    assert explain(cell, Rule(Rounding.HALF_EVEN, Rounding.HALF_UP, 1, 5, seeds=2, problems=30)) == []
    assert explain(cell, Rule(Rounding.HALF_UP, Rounding.HALF_UP, 0, 5, seeds=2, problems=30)) == []


def test_any_of_the_first_k_does_not_depend_on_the_samples() -> None:
    first = Rule(estimator=Estimator.ANY, samples=None, problems=4, seeds=1)
    assert explain(shown("25.0", None, k=5), first) == [(Fraction(25),)]
    assert explain(shown("12.5", None, k=5), first) == []


def test_what_the_cell_states_takes_precedence() -> None:
    stated = Cell(Printed.of("50.00"), problems=2, seeds=1, samples=1)
    assert explain(stated, Rule(problems=7, seeds=3, samples=9)) == [(Fraction(50),)]


def test_a_rule_that_does_not_apply_explains_nothing() -> None:
    assert not explained(shown("50.0", None, k=5), Rule(samples=4, seeds=1, problems=2))
    assert not explained(shown("50.0", "0.0"), Rule(samples=1, seeds=1, problems=2, ddof=1))
    assert explained(shown("50.0", "0.0"), Rule(samples=1, seeds=1, problems=2, ddof=0))


def test_scores_finer_than_the_print_are_neither_listed_nor_flagged_unless_impossible() -> None:
    rule = Rule(samples=64, seeds=4, problems=500)
    assert explained(shown("41.20", "1.30", k=8), rule)
    assert explain(shown("41.20", "1.30", k=8), rule) == []
    assert not explained(shown("1.00", "40.00", k=8), rule)


def test_missing_numbers_are_named() -> None:
    with pytest.raises(ValueError, match="problems = None"):
        explained(shown("1.0", None), Rule(seeds=2))
    with pytest.raises(ValueError, match="seeds = None"):
        explained(shown("1.0", None), Rule(problems=2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ddof": 2}, "ddof = 2"),
        ({"samples": 0}, "samples = 0"),
        ({"seeds": -1}, "seeds = -1"),
        ({"per_seed": Rounding.BINARY}, "per_seed"),
    ],
)
def test_a_rule_outside_its_domain_is_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rule(**arguments)  # type: ignore[arg-type]


def test_printing_needs_enough_values() -> None:
    with pytest.raises(ValueError, match="holds no score"):
        printed([], Rule(), 2, None)
    with pytest.raises(ValueError, match="no standard deviation"):
        printed([Fraction(1)], Rule(), 2, 2)
