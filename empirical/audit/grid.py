"""Granularity: the values that one seed's score can take, as whole multiples of a step.

A score over `problems` problems with `samples` completions each is a sum of per-problem scores. For the
unbiased pass@k estimator of Chen et al. (2021) a problem with c correct completions of n scores 1 - C(n-c,
k)/C(n, k): for k = 1 that is c/n, for n = k it is "any of the k".
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from math import comb, gcd

from empirical.audit.rounding import Rounding, round_fraction

WIDEST = 5000  # residues of the finest per-problem score that SumGrid resolves; beyond, see `grid`


class Estimator(StrEnum):
    """How a problem is scored from its completions.

    `UNBIASED`: 1 - C(n-c, k)/C(n, k) over all n completions, for k = 1 their average. `ANY`: whether any of
    the first k is correct, whatever n.
    """

    UNBIASED = "unbiased"
    ANY = "any"


class Grid(ABC):
    """The attainable values of one score: `h * step` for the attainable integers h in 0 ... `top`.

    Attributes:
        step: distance of neighbouring multiples, in printed units.
        top: the largest attainable multiple.
        exact: False where the grid holds more than what is attainable; a cell that it cannot explain is still
            inexplicable.
    """

    step: Fraction
    top: int
    exact: bool = True

    @abstractmethod
    def __contains__(self, multiple: object) -> bool:
        """Whether the integer `multiple` is attainable."""

    def between(self, first: int, last: int) -> Iterator[int]:
        """The attainable multiples in first ... last, ascending."""
        return (h for h in range(max(first, 0), min(last, self.top) + 1) if h in self)

    def may_sum(self, total: int, size: int) -> bool:
        """False only if no `size` attainable multiples have this sum: a search may stop at once."""
        return True


class Lattice(Grid):
    """Every multiple from 0 to `top`."""

    def __init__(self, step: Fraction, top: int, exact: bool = True) -> None:
        self.step, self.top, self.exact = step, top, exact

    def __contains__(self, multiple: object) -> bool:
        return isinstance(multiple, int) and 0 <= multiple <= self.top

    def between(self, first: int, last: int) -> Iterator[int]:
        """The multiples in first ... last, ascending."""
        return iter(range(max(first, 0), min(last, self.top) + 1))


class SumGrid(Grid):
    """Sums of at most `terms` numbers drawn, with repetition, from `weights`.

    Args:
        unit: what a score of one is worth in printed units, divided by `terms`.
        weights: ascending positive integers; the last stands for a per-problem score of one.
        terms: number of problems.
    """

    def __init__(self, unit: Fraction, weights: tuple[int, ...], terms: int) -> None:
        self.weights, self.terms = weights, terms
        self.step, self.top = unit / weights[-1], weights[-1] * terms

    def __contains__(self, multiple: object) -> bool:
        if not isinstance(multiple, int) or not 0 <= multiple <= self.top:
            return False
        full, slack = self.weights[-1], self.top - multiple
        return any(s <= multiple and deficit <= slack for s, deficit in _partials(self.weights)[multiple % full])


@lru_cache(maxsize=64)
def _partials(weights: tuple[int, ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """For each residue modulo the largest weight W, the undominated sums of the smaller weights.

    A sum s of j smaller weights leaves room for W's: a target T in its residue is reached with j + (T-s)/W <=
    terms numbers exactly if s <= T and j*W - s <= terms*W - T. Small s and small deficit j*W - s are both
    wanted; both grow with every weight added, so undominated pairs are found in ascending order of s.
    """
    *partial, full = weights
    found: list[list[tuple[int, int]]] = [[] for _ in range(full)]
    queue = [(0, 0)]
    while queue:
        s, deficit = heappop(queue)
        known = found[s % full]
        if known and known[-1][1] <= deficit:
            continue
        known.append((s, deficit))
        for weight in partial:
            heappush(queue, (s + weight, deficit + full - weight))
    return tuple(tuple(pairs) for pairs in found)


class RoundedGrid(Grid):
    """The values of another grid, each rounded to `decimals` decimals."""

    def __init__(self, inner: Grid, decimals: int, rounding: Rounding) -> None:
        if rounding is Rounding.BINARY:
            raise ValueError("rounding = 'binary' is not decided by the score")
        self.inner, self.decimals, self.rounding = inner, decimals, rounding
        self.step = Fraction(1, 10**decimals)
        self.top = int(round_fraction(inner.top * inner.step, decimals, rounding) / self.step)
        self.exact = inner.exact
        ratio = self.step / inner.step / 2
        self._up, self._down = ratio.numerator, ratio.denominator
        self._known: dict[int, bool] = {}

    def __contains__(self, multiple: object) -> bool:
        if not isinstance(multiple, int) or not 0 <= multiple <= self.top:
            return False
        if multiple not in self._known:
            self._known[multiple] = next(self.sources(multiple), None) is not None
        return self._known[multiple]

    def between(self, first: int, last: int) -> Iterator[int]:
        """The attainable multiples in first ... last, ascending."""
        if 2 * self._up >= self._down:  # the inner grid is the finer one
            yield from super().between(first, last)
            return
        previous = -1
        for inner in self.inner.between(*self._source_range(first, last)):
            multiple = self._rounded(inner)
            if multiple != previous:
                yield multiple
            previous = multiple

    def may_sum(self, total: int, size: int) -> bool:
        """Whether some multiple of the inner grid is as close to the sum as `size` roundings let it be."""
        low, high = 2 * total - size, 2 * total + size
        if self.rounding is Rounding.TRUNCATION:
            low, high = 2 * total, 2 * total + 2 * size
        return -(-low * self._up // self._down) <= high * self._up // self._down

    def sources(self, multiple: int) -> Iterator[int]:
        """The multiples of the inner grid that are rounded to `multiple`, ascending."""
        return self.inner.between(*self._source_range(multiple, multiple))

    def _source_range(self, least: int, most: int) -> tuple[int, int]:
        """First and last integer that is rounded into least ... most: `preimage`, in integers, for speed."""
        if self.rounding is Rounding.TRUNCATION:
            return -(-2 * least * self._up // self._down), -(-2 * (most + 1) * self._up // self._down) - 1
        low, high = (2 * least - 1) * self._up, (2 * most + 1) * self._up
        even = self.rounding is Rounding.HALF_EVEN
        first = low // self._down + 1 if even and least % 2 else -(-low // self._down)
        last = high // self._down if even and most % 2 == 0 else -(-high // self._down) - 1
        return first, last

    def _rounded(self, inner: int) -> int:
        """What a multiple of the inner grid is rounded to, as a multiple of this one."""
        units, rest = divmod(inner * self._down, 2 * self._up)
        if self.rounding is Rounding.TRUNCATION:
            return units
        tie_up = self.rounding is Rounding.HALF_UP or units % 2 == 1
        return units + (rest > self._up or (rest == self._up and tie_up))


@lru_cache(maxsize=4096)
def grid(problems: int, samples: int, k: int, estimator: Estimator, scale: int = 100) -> Grid:
    """The attainable values of one seed's pass@k.

    Args:
        problems: number of problems, at least 1.
        samples: completions a problem, at least k; not used by `Estimator.ANY`.
        k: the k of pass@k; 1 for an average of binary outcomes.
        estimator: how a problem is scored.
        scale: what a perfect score is printed as: 100 for percent, 1 for a proportion.

    Returns:
        The grid. Where the per-problem scores of the unbiased estimator have a common denominator above
        `WIDEST`, all its multiples, with `exact` False: those steps are far below anything printed.

    Raises:
        ValueError: a number outside its domain.
    """
    for name, value in (("problems", problems), ("samples", samples), ("k", k), ("scale", scale)):
        if value < 1:
            raise ValueError(f"{name} = {value} is not a positive integer")
    unit = Fraction(scale, problems)
    if estimator is Estimator.ANY:
        return Lattice(unit, problems)
    if samples < k:
        raise ValueError(f"samples = {samples} is less than k = {k}")
    if k == 1:
        return Lattice(unit / samples, problems * samples)
    whole = comb(samples, k)
    weights = sorted({whole - comb(samples - correct, k) for correct in range(1, samples + 1)})
    shared = gcd(*weights)
    weights = [weight // shared for weight in weights]
    full = weights[-1]
    if len(weights) == 1:
        return Lattice(unit, problems)
    if full > WIDEST:
        return Lattice(unit / full, problems * full, exact=False)
    return SumGrid(unit, tuple(weights), problems)
