"""Brute force for the audit: print every set of per-seed scores there is, and look a cell up."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb

from empirical.audit import Estimator, Rule, printed

Table = dict[tuple[str, str | None], list[tuple[Fraction, ...]]]


def scores(problems: int, samples: int, k: int, estimator: Estimator, scale: int) -> list[Fraction]:
    """Every score of one seed, from every number of correct samples of every problem."""

    def score(correct: int) -> Fraction:
        if estimator is Estimator.ANY:
            return Fraction(min(correct, 1))
        return 1 - Fraction(comb(samples - correct, k), comb(samples, k))

    single = {score(correct) for correct in range(samples + 1)}
    return sorted({sum(chosen) * Fraction(scale, problems) for chosen in product(single, repeat=problems)})


def table(values: Sequence[Fraction], seeds: int, rule: Rule, decimals: int, std_decimals: int | None) -> Table:
    """Every printed cell, and the sets of scores that are printed so."""
    cells: Table = {}
    for chosen in combinations_with_replacement(values, seeds):
        cells.setdefault(printed(chosen, rule, decimals, std_decimals), []).append(chosen)
    return cells
