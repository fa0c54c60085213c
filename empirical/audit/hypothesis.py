"""A joint hypothesis about how every number of a table came about."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

from empirical.audit.cell import Cell
from empirical.audit.grid import Estimator
from empirical.audit.rounding import Rounding

SAMPLES = (1, 2, 3, 4, 5, 8, 10, 16)  # completions a problem that are tried where nothing is said about them
PER_SEED = (None, Rounding.HALF_UP, Rounding.HALF_EVEN, Rounding.TRUNCATION)
SEEDS = (2, 3, 4, 5)  # seeds that are tried where nothing is said about them


@dataclass(frozen=True)
class Rule:
    """One joint hypothesis; what a cell states about itself takes precedence.

    Attributes:
        rounding: how mean and standard deviation were rounded. `BINARY` lets any decimal tie
            pass, except that of a mean of rounded scores: those are known doubles, and so is their mean.
        per_seed: how each seed's score was rounded before mean and standard deviation were taken of the
            rounded scores; None: they were taken of the exact scores.
        ddof: 1 divides the squared deviations by seeds - 1, 0 by seeds.
        samples: completions a problem; None with `Estimator.ANY`, which does not depend on them.
        estimator: how a problem is scored.
        seeds: number of seeds; None: as the cell states.
        problems: number of problems; None: as the cell states.
        per_seed_decimals: decimals of the per-seed rounding; None: as many as the mean has.
    """

    rounding: Rounding = Rounding.HALF_UP
    per_seed: Rounding | None = None
    ddof: int = 1
    samples: int | None = 1
    estimator: Estimator = Estimator.UNBIASED
    seeds: int | None = None
    problems: int | None = None
    per_seed_decimals: int | None = None

    def __post_init__(self) -> None:
        if self.ddof not in (0, 1):
            raise ValueError(f"ddof = {self.ddof} is neither 0 nor 1")
        if self.per_seed is Rounding.BINARY:
            raise ValueError("per_seed = 'binary' is not decided by the score: use half-up, half-even or truncation")
        for name in ("samples", "seeds", "problems"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} = {value} is not a positive integer")

    def rule_for(self, cell: Cell) -> "Rule":
        """The rule itself: it is the same for every cell."""
        return self

    @property
    def scoring(self) -> "Scoring":
        """Estimator and samples: the part that may differ between groups of a `Mixed` hypothesis."""
        return self.estimator, self.samples

    def __str__(self) -> str:
        parts = [
            f"{self.rounding}, seeds rounded {self.per_seed} before" if self.per_seed else f"{self.rounding}, once",
            f"ddof {self.ddof}",
            scoring_text(self.scoring),
        ]
        if self.seeds is not None:
            parts.append(f"{self.seeds} seeds")
        if self.problems is not None:
            parts.append(f"{self.problems} problems")
        return ", ".join(parts)


Scoring = tuple[Estimator, int | None]
Group = tuple[str, ...]


def scoring_text(scoring: Scoring) -> str:
    """Estimator and samples in words."""
    estimator, samples = scoring
    return "any of the first k samples" if estimator is Estimator.ANY else f"{samples} samples a problem"


@dataclass(frozen=True)
class Mixed:
    """A rule whose samples a problem may differ between groups of cells, and nothing else may.

    Attributes:
        rule: the shared part, with the most common scoring.
        columns: the labels that make a group.
        exceptions: the groups that are scored differently, and how.
    """

    rule: Rule
    columns: tuple[str, ...]
    exceptions: tuple[tuple[Group, Scoring], ...]

    def rule_for(self, cell: Cell) -> Rule:
        """The rule of the cell's group."""
        scoring = dict(self.exceptions).get(group_of(cell, self.columns))
        return self.rule if scoring is None else replace(self.rule, estimator=scoring[0], samples=scoring[1])

    def __str__(self) -> str:
        parts = [f"{scoring_text(scoring)} in {' / '.join(group)}" for group, scoring in self.exceptions]
        return "; ".join([str(self.rule), *parts])


def group_of(cell: Cell, columns: tuple[str, ...]) -> Group:
    """The values of some labels of a cell."""
    return tuple(cell.labels.get(column, "") for column in columns)


def rules(
    *,
    rounding: Iterable[Rounding] = tuple(Rounding),
    per_seed: Iterable[Rounding | None] = PER_SEED,
    ddof: Iterable[int] = (0, 1),
    samples: Iterable[int] = SAMPLES,
    estimator: Iterable[Estimator] = tuple(Estimator),
    seeds: Iterable[int | None] = (None,),
    problems: Iterable[int | None] = (None,),
    per_seed_decimals: int | None = None,
) -> tuple[Rule, ...]:
    """All combinations of the candidates, those that differ in nothing listed once."""
    estimators = tuple(estimator)
    scores: list[Scoring] = [(Estimator.UNBIASED, n) for n in samples if Estimator.UNBIASED in estimators]
    if Estimator.ANY in estimators:
        scores.append((Estimator.ANY, None))
    return tuple(
        Rule(r, s, d, n, e, m, p, per_seed_decimals)
        for (e, n), s, r, d, m, p in product(
            scores, tuple(per_seed), tuple(rounding), tuple(ddof), tuple(seeds), tuple(problems)
        )
    )
