"""Audit a table: every cell under every rule, and the rules ranked by what they explain."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from math import log10
from typing import TypeVar

from empirical.audit.cell import Cell
from empirical.audit.explain import neighbours, permissiveness, question
from empirical.audit.grid import RoundedGrid
from empirical.audit.hypothesis import Group, Mixed, Rule, Scoring, group_of

LISTED = 20  # explanations that are listed for a cell
COUNTED = 2000  # explanations that are counted for a cell
ERRORS = 0.01  # share of misprinted cells that the evidence for a rule allows for
WEIGHED = 16  # rules, from the top of the ranking, whose evidence is weighed; more in a small table,
WEIGHINGS = 1000  # up to so many cells under rules
VARIED = 4  # rules, from the top, whose samples are also let vary between groups

Hypothesis = Rule | Mixed
T = TypeVar("T")


@dataclass(frozen=True)
class CellReport:
    """One cell under one hypothesis.

    Attributes:
        cell: the printed cell.
        rule: the rule that applies to it.
        explanations: up to `LISTED` sets of per-seed scores, in printed units.
        counts: for each explanation the numerators of its scores over `denominator`; under per-seed rounding
            the exact scores that are rounded to each, up to `LISTED`.
        denominator: a perfect score, in the same steps.
        found: how many explanations there are, counted up to `COUNTED`.
        complete: whether `found` is all of them; False with nothing found where the scores are finer than
            what is printed, so that they are not listed.
        grim: some attainable scores have the mean.
        debit: the standard deviation lies between the extremes of bounded scores with that mean.
        grimmer: some attainable scores have both.
        permissiveness: share of the printable cells close by that the rule explains.
        nearest: where nothing explains the cell, cells close by that the rule can print.
    """

    cell: Cell
    rule: Rule
    explanations: tuple[tuple[Fraction, ...], ...]
    counts: tuple[tuple[tuple[int, ...], ...], ...]
    denominator: int
    found: int
    complete: bool
    grim: bool
    debit: bool
    grimmer: bool
    permissiveness: Fraction
    nearest: tuple[Cell, ...]


@dataclass(frozen=True)
class Ranked:
    """A hypothesis and what it explains.

    Attributes:
        hypothesis: a rule, or a rule whose samples vary between groups.
        explained: for each cell of the table, whether the hypothesis explains it.
        evidence: log10 of how much more probable the table is under the hypothesis than if every printable
            cell nearby were equally likely, allowing for a share `ERRORS` of misprints; None: not weighed. A
            rule that can print anything gains nothing from explaining everything. A summary for ranking only;
            the choice of a group's samples in a `Mixed` hypothesis is not charged for.
    """

    hypothesis: Hypothesis
    explained: tuple[bool, ...]
    evidence: float | None = None

    @property
    def total(self) -> int:
        """Number of cells explained."""
        return sum(self.explained)


@dataclass(frozen=True)
class Audit:
    """The audit of a table.

    Attributes:
        cells: the cells.
        ranking: single rules, most cells explained first, then most evidence.
        mixed: hypotheses whose samples vary between groups, most evidence first; empty where nothing may
            vary.
    """

    cells: tuple[Cell, ...]
    ranking: tuple[Ranked, ...]
    mixed: tuple[Ranked, ...] = ()
    _reports: dict[Hypothesis, tuple[CellReport, ...]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def best(self) -> Ranked:
        """The single rule that explains most cells."""
        return self.ranking[0]

    @property
    def sharpest(self) -> Ranked:
        """The hypothesis with the most evidence."""
        weighed = [ranked for ranked in (*self.ranking, *self.mixed) if ranked.evidence is not None]
        return max(weighed, key=lambda ranked: ranked.evidence or 0.0)

    @property
    def inexplicable(self) -> tuple[Cell, ...]:
        """The cells that no rule explains."""
        return tuple(
            cell for i, cell in enumerate(self.cells) if not any(ranked.explained[i] for ranked in self.ranking)
        )

    def reports(self, hypothesis: Hypothesis) -> tuple[CellReport, ...]:
        """Every cell under one hypothesis."""
        if hypothesis not in self._reports:
            self._reports[hypothesis] = tuple(cell_report(cell, hypothesis.rule_for(cell)) for cell in self.cells)
        return self._reports[hypothesis]


def cell_report(cell: Cell, rule: Rule) -> CellReport:
    """One cell under one rule, with its explanations."""
    asked = question(cell, rule)
    if asked is None:
        return CellReport(cell, rule, (), (), 0, 0, True, False, False, False, Fraction(0), nearest=())
    answers = asked.answers()
    listed = list(islice(answers, LISTED))
    more = sum(1 for _ in islice(answers, COUNTED - len(listed))) if len(listed) == LISTED else 0
    step, exact = asked.grid.step, asked.grid
    if isinstance(exact, RoundedGrid):
        rounded, exact = exact, exact.inner
        counts = tuple(tuple(tuple(islice(rounded.sources(x), LISTED)) for x in found) for found in listed)
    else:
        counts = tuple(tuple((x,) for x in found) for found in listed)
    return CellReport(
        cell=cell,
        rule=rule,
        explanations=tuple(tuple(x * step for x in found) for found in listed),
        counts=counts,
        denominator=exact.top,
        found=len(listed) + more,
        complete=len(listed) + more < COUNTED and not asked.too_fine,
        grim=asked.mean_possible(),
        debit=asked.spread_possible(),
        grimmer=asked.possible(),
        permissiveness=permissiveness(cell, rule),
        nearest=() if asked.possible() else tuple(neighbours(cell, rule)),
    )


def audit(cells: Sequence[Cell], candidates: Sequence[Rule], vary: tuple[str, ...] = ()) -> Audit:
    """Try every rule on every cell.

    Args:
        cells: the table, at least one cell; each gives what its rules leave open (problems, seeds).
        candidates: the rules to try, at least one.
        vary: labels between whose values the samples a problem may vary; empty: nowhere.

    Raises:
        ValueError: no cells, no candidates, or a number that neither cell nor rule gives.
    """
    if not cells or not candidates:
        raise ValueError(f"cells = {len(cells)} and candidates = {len(candidates)}: both must be at least 1")
    explains, weigh = _memo(_explains), _memo(_weight)
    ranking = [Ranked(rule, tuple(explains(cell, rule) for cell in cells)) for rule in candidates]
    ranking.sort(key=lambda ranked: -ranked.total)

    def weighed(ranked: Ranked) -> Ranked:
        weights = [weigh(cell, ranked.hypothesis.rule_for(cell)) for cell in cells]
        return replace(ranked, evidence=sum(weights))

    depth = max(WEIGHED, WEIGHINGS // len(cells))
    top = [weighed(ranked) for ranked in ranking[:depth]]
    top.sort(key=lambda ranked: (-ranked.total, -(ranked.evidence or 0.0)))
    mixed: list[Ranked] = []
    if vary:
        scorings = list(dict.fromkeys(rule.scoring for rule in candidates))
        shared = dict.fromkeys(
            replace(ranked.hypothesis, estimator=scorings[0][0], samples=scorings[0][1])
            for ranked in ranking
            if isinstance(ranked.hypothesis, Rule)
        )
        for rule in list(shared)[:VARIED]:
            hypothesis = _mixed(cells, rule, scorings, vary, weigh)
            explained = tuple(explains(cell, hypothesis.rule_for(cell)) for cell in cells)
            mixed.append(weighed(Ranked(hypothesis, explained)))
        mixed.sort(key=lambda ranked: -(ranked.evidence or 0.0))
    return Audit(tuple(cells), (*top, *ranking[depth:]), tuple(mixed))


def _mixed(
    cells: Sequence[Cell],
    rule: Rule,
    scorings: Sequence[Scoring],
    vary: tuple[str, ...],
    weigh: Callable[[Cell, Rule], float],
) -> Mixed:
    """For each group the scoring with the most evidence; on a tie the one that most groups prefer."""
    groups: dict[Group, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(group_of(cell, vary), []).append(cell)
    variants = {s: replace(rule, estimator=s[0], samples=s[1]) for s in scorings}
    evidence = {
        group: {s: round(sum(weigh(cell, variants[s]) for cell in members), 9) for s in scorings}
        for group, members in groups.items()
    }
    best = {group: [s for s in scorings if e[s] == max(e.values())] for group, e in evidence.items()}
    popularity = Counter(s for choices in best.values() for s in choices)
    common = max(scorings, key=lambda s: popularity[s])
    exceptions = tuple(
        (group, max(choices, key=lambda s: popularity[s])) for group, choices in best.items() if common not in choices
    )
    return Mixed(variants[common], vary, exceptions)


def _explains(cell: Cell, rule: Rule) -> bool:
    asked = question(cell, rule)
    return asked is not None and asked.possible()


def _weight(cell: Cell, rule: Rule) -> float:
    """log10 of the cell's probability under the rule over that if any cell nearby were as likely."""
    if not _explains(cell, rule):
        return log10(ERRORS)
    return log10((1 - ERRORS) / float(permissiveness(cell, rule)) + ERRORS)


def _memo(function: Callable[[Cell, Rule], T]) -> Callable[[Cell, Rule], T]:
    known: dict[tuple[Cell, Rule], T] = {}

    def remembered(cell: Cell, rule: Rule) -> T:
        if (cell, rule) not in known:
            known[cell, rule] = function(cell, rule)
        return known[cell, rule]

    return remembered
