"""Which per-seed scores explain a cell under a rule; what a rule prints for given scores."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import islice, permutations
from operator import add

from empirical.audit.cell import Cell
from empirical.audit.debit import spread_bounds
from empirical.audit.grid import Estimator, Grid, Lattice, RoundedGrid, grid
from empirical.audit.hypothesis import Rule
from empirical.audit.rounding import Printed, Rounding, preimage, round_fraction, round_root
from empirical.audit.search import Range, multisets

ORDERED = 4  # seeds up to which every order of adding doubles is tried; beyond, any tie is let through
FINEST = 20_000  # sums of scores behind one printed mean, beyond which they are not looked at one by one
REACH = 3  # units of the last digit: how far around a cell its rule's permissiveness is measured


@dataclass(frozen=True)
class Question:
    """A cell under a rule, in integers: which multiples of the grid have such a sum and such a spread?

    Attributes:
        size: number of seeds.
        grid: the attainable scores of one seed.
        mean: the printed mean.
        totals: first and last sum that is printed as the mean.
        ties: sums whose mean is a decimal tie, printed as the mean only if its double falls that way.
        spreads: first and last n * sum(x^2) - (sum x)^2 that is printed as the standard deviation; None: no
            standard deviation is printed.
    """

    size: int
    grid: Grid
    mean: Printed
    totals: Range
    ties: frozenset[int]
    spreads: Range | None

    @property
    def too_fine(self) -> bool:
        """Whether the steps are so far below the printed digits that listing multiples is pointless."""
        return self.totals[1] - self.totals[0] > FINEST or (isinstance(self.grid, Lattice) and not self.grid.exact)

    def answers(self) -> Iterator[tuple[int, ...]]:
        """The ascending tuples of multiples; none, although there are some, where the grid is too fine."""
        if self.too_fine:
            return iter(())
        return self._rounded(multisets(self.size, self.totals, self.spreads, self.grid))

    def possible(self) -> bool:
        """GRIMMER: some attainable scores have the printed mean and standard deviation.

        On a grid that is too fine, only what holds for any scores between nothing and perfect is asked.
        """
        if self.too_fine:
            return self.mean_possible() and self.spread_possible()
        return next(self.answers(), None) is not None

    def mean_possible(self) -> bool:
        """GRIM: some attainable scores have the printed mean."""
        if self.too_fine:
            return self.totals[0] <= self.size * self.grid.top and self.totals[1] >= 0
        return next(self._rounded(multisets(self.size, self.totals, None, self.grid)), None) is not None

    def spread_possible(self) -> bool:
        """DEBIT on a bounded grid: the standard deviation lies between the extremes for such a mean."""
        if self.spreads is None:
            return True
        if self.too_fine:  # n times the sum of squares is at most n times the largest score times the sum
            highest = self.size * self.grid.top
            middle = min(max(highest // 2, self.totals[0]), self.totals[1])
            return self.spreads[0] <= middle * (highest - middle)
        flat, (first, last) = Lattice(Fraction(1), self.grid.top), self.totals
        for total in range(max(first, 0), min(last, self.size * self.grid.top) + 1):
            least, most = spread_bounds(total, self.size, flat, ddof=0)
            if least * self.size**2 <= self.spreads[1] and most * self.size**2 >= self.spreads[0]:
                return True
        return False

    def _rounded(self, found: Iterator[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        if not self.ties or self.size > ORDERED:
            return found
        return (multiples for multiples in found if sum(multiples) not in self.ties or self._falls_here(multiples))

    def _falls_here(self, multiples: tuple[int, ...]) -> bool:
        """Whether the double of a mean on a decimal tie, summed in some order, is printed as the mean."""
        doubles = [float(multiple * self.grid.step) for multiple in multiples]
        return any(
            round_fraction(double_mean(order), self.mean.decimals, Rounding.BINARY) == self.mean.value
            for order in set(permutations(doubles))
        )


def double_mean(doubles: Sequence[float]) -> Fraction:
    """The mean of doubles as a program computes it, added one after the other and divided, as a rational."""
    return Fraction(reduce(add, doubles) / len(doubles))


@lru_cache(maxsize=4096)
def scores(cell: Cell, rule: Rule) -> Grid | None:
    """The attainable scores of one seed behind a cell; None where there are fewer samples than k.

    Raises:
        ValueError: neither cell nor rule gives the number of problems.
    """
    problems = cell.problems if cell.problems is not None else rule.problems
    if problems is None:
        raise ValueError("problems = None: neither the cell nor the rule gives the number of problems")
    samples = cell.samples if cell.samples is not None else rule.samples
    if rule.estimator is Estimator.ANY:
        samples = max(samples or 1, cell.k)
    if samples is None or samples < cell.k:
        return None
    decimals = cell.mean.decimals if rule.per_seed_decimals is None else rule.per_seed_decimals
    return _scores(problems, samples, cell.k, rule.estimator, cell.scale, rule.per_seed, decimals)


@lru_cache(maxsize=4096)
def _scores(
    problems: int,
    samples: int,
    k: int,
    estimator: Estimator,
    scale: int,
    per_seed: Rounding | None,
    decimals: int,
) -> Grid:
    exact = grid(problems, samples, k, estimator, scale)
    if per_seed is None or (exact.step * 10**decimals).denominator == 1:  # every score is spelt out anyway
        return exact
    return RoundedGrid(exact, decimals, per_seed)


def question(cell: Cell, rule: Rule) -> Question | None:
    """A cell under a rule, in integers; None where the rule does not apply to the cell.

    A rule does not apply where a problem has fewer samples than k, and where a standard deviation with ddof 1
    is printed for a single seed.

    Raises:
        ValueError: neither cell nor rule gives the number of problems, or of seeds.
    """
    size = cell.seeds if cell.seeds is not None else rule.seeds
    if size is None:
        raise ValueError("seeds = None: neither the cell nor the rule gives the number of seeds")
    values = scores(cell, rule)
    if values is None or (cell.std is not None and size <= rule.ddof):
        return None
    spreads = None if cell.std is None else _spreads(cell.std, rule, size, values.step)
    return Question(size, values, cell.mean, *_totals(cell.mean, rule, values.step / size), spreads)


@lru_cache(maxsize=65536)
def _totals(mean: Printed, rule: Rule, step: Fraction) -> tuple[Range, frozenset[int]]:
    first, last = preimage(mean, rule.rounding).multiples(step)
    if rule.rounding is not Rounding.BINARY or rule.per_seed is None:
        return (first, last), frozenset()
    return (first, last), frozenset(total for total in (first, last) if abs(total * step - mean.value) * 2 == mean.unit)


@lru_cache(maxsize=65536)
def _spreads(std: Printed, rule: Rule, size: int, step: Fraction) -> Range:
    return preimage(std, rule.rounding).squares(step**2 / (size * (size - rule.ddof)))


def explain(cell: Cell, rule: Rule, limit: int | None = None) -> list[tuple[Fraction, ...]]:
    """Every set of per-seed scores, ascending and in printed units, that the rule prints as this cell.

    Args:
        cell: the printed cell.
        rule: the joint hypothesis. Under per-seed rounding the scores are the rounded ones.
        limit: stop after so many; None finds all.
    """
    asked = question(cell, rule)
    if asked is None:
        return []
    step = asked.grid.step
    return [tuple(x * step for x in found) for found in islice(asked.answers(), limit)]


def explained(cell: Cell, rule: Rule) -> bool:
    """Whether any per-seed scores explain the cell under the rule."""
    asked = question(cell, rule)
    return asked is not None and asked.possible()


def count(cell: Cell, rule: Rule, limit: int | None = None) -> int:
    """How many sets of per-seed scores explain the cell under the rule, counted up to `limit`."""
    asked = question(cell, rule)
    return 0 if asked is None else sum(1 for _ in islice(asked.answers(), limit))


def printed(values: Iterable[Fraction], rule: Rule, decimals: int, std_decimals: int | None) -> tuple[str, str | None]:
    """What the rule prints as mean and standard deviation of exact per-seed scores: the forward direction.

    Args:
        values: the exact scores of the seeds, in printed units.
        rule: the joint hypothesis; only its rounding, per-seed rounding and ddof matter.
        decimals: decimals of the mean.
        std_decimals: decimals of the standard deviation; None prints none.

    Raises:
        ValueError: no values, or no more than `ddof` values where a standard deviation is to be printed.
    """
    shown = list(values)
    if not shown:
        raise ValueError("values = [] holds no score")
    if rule.per_seed is not None:
        places = decimals if rule.per_seed_decimals is None else rule.per_seed_decimals
        shown = [round_fraction(value, places, rule.per_seed) for value in shown]
    mean = sum(shown, Fraction(0)) / len(shown)
    if rule.rounding is Rounding.BINARY:
        mean = double_mean([float(value) for value in shown])
    text = str(Printed(round_fraction(mean, decimals, rule.rounding), decimals))
    if std_decimals is None:
        return text, None
    if len(shown) <= rule.ddof:
        raise ValueError(f"values = {shown} has no standard deviation with ddof = {rule.ddof}")
    mean = sum(shown, Fraction(0)) / len(shown)
    variance = sum(((value - mean) ** 2 for value in shown), Fraction(0)) / (len(shown) - rule.ddof)
    return text, str(Printed(round_root(variance, std_decimals, rule.rounding), std_decimals))


def neighbours(cell: Cell, rule: Rule, reach: int = REACH) -> list[Cell]:
    """The cells within `reach` units of the last digit, in mean and std, that the rule can print."""
    asked = question(cell, rule)
    if asked is None:
        return []
    stds = _around(cell.std, reach, None) if cell.std is not None else [None]
    spreads = [None if std is None else _spreads(std, rule, asked.size, asked.grid.step) for std in stds]
    return [
        replace(cell, mean=mean, std=std)
        for mean in _around(cell.mean, reach, cell.scale)
        for totals, ties in [_totals(mean, rule, asked.grid.step / asked.size)]
        for std, spread in zip(stds, spreads, strict=True)
        if Question(asked.size, asked.grid, mean, totals, ties, spread).possible()
    ]


def permissiveness(cell: Cell, rule: Rule, reach: int = REACH) -> Fraction:
    """Share of the printable cells within `reach` units of the last digit that the rule explains.

    One means that no cell around here could have failed: that it is explained says nothing.
    """
    printable = len(_around(cell.mean, reach, cell.scale))
    if cell.std is not None:
        printable *= len(_around(cell.std, reach, None))
    return Fraction(len(neighbours(cell, rule, reach)), printable)


def _around(number: Printed, reach: int, highest: int | None) -> list[Printed]:
    near = [number.shifted(units) for units in range(-reach, reach + 1)]
    return [other for other in near if other.value >= 0 and (highest is None or other.value <= highest)]
