"""Where the values of a symbol come from: the executable half of an assumption."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

import sympy as sp

Point = dict[sp.Symbol, sp.Rational]

_WIDE = 8  # without an assumption a symbol may be any rational in [-8, 8]
_DENOMINATOR = 997  # a prime: no draw lands on a round number by accident
_LANDMARKS = [sp.Rational(n, 2) for n in range(-4, 5)]


@dataclass(frozen=True)
class Domain:
    """An interval of reals or integers; `None` as a bound means none.

    `draw` returns exact rationals, so that a point can be handed to the symbolic route and to the
    50-digit route unchanged. Unbounded sides reach `_WIDE` beyond the other bound.
    """

    low: sp.Rational | None = None
    high: sp.Rational | None = None
    low_open: bool = False
    high_open: bool = False
    integer: bool = False

    def predicate(self, symbol: sp.Symbol) -> sp.Basic:
        """The domain as a sympy condition on `symbol`."""
        parts: list[sp.Basic] = []
        if self.low is not None:
            parts.append(symbol > self.low if self.low_open else symbol >= self.low)
        if self.high is not None:
            parts.append(symbol < self.high if self.high_open else symbol <= self.high)
        return sp.And(*parts)

    def contains(self, value: sp.Rational) -> bool:
        """Whether the exact `value` lies in the domain."""
        if self.integer and not value.is_integer:
            return False
        if self.low is not None and (value < self.low or (self.low_open and value == self.low)):
            return False
        return self.high is None or value < self.high or (not self.high_open and value == self.high)

    def covers(self, other: Domain) -> bool:
        """Whether every value of `other` lies in this domain."""
        if self.integer and not other.integer:
            return False
        below = self.low is None or (
            other.low is not None
            and (other.low > self.low or (other.low == self.low and (other.low_open or not self.low_open)))
        )
        above = self.high is None or (
            other.high is not None
            and (other.high < self.high or (other.high == self.high and (other.high_open or not self.high_open)))
        )
        return bool(below and above)

    def draw(self, rng: Random) -> sp.Rational:
        """One exact rational of the domain, inside open bounds."""
        low = self.low if self.low is not None else (self.high or 0) - _WIDE
        high = self.high if self.high is not None else max(low, 0) + _WIDE
        if self.integer:
            first = int(sp.floor(low)) + 1 if self.low_open else int(sp.ceiling(low))
            last = int(sp.ceiling(high)) - 1 if self.high_open else int(sp.floor(high))
            return sp.Integer(rng.randint(first, last))
        return low + (high - low) * sp.Rational(rng.randint(1, _DENOMINATOR - 1), _DENOMINATOR)

    def outside(self, rng: Random) -> Iterator[sp.Rational]:
        """Values that violate the domain: landmarks first, then random ones."""
        for value in (self.low, self.high, *_LANDMARKS):
            if value is not None and not self.contains(value):
                yield value
        for _ in range(40):
            value = sp.Rational(rng.randint(-_WIDE * _DENOMINATOR, _WIDE * _DENOMINATOR), _DENOMINATOR)
            if not self.contains(value):
                yield value

    def sympy_assumptions(self) -> dict[str, bool]:
        """What sympy's own assumption system may use of the domain in a proof."""
        facts: dict[str, bool] = {"real": True}
        if self.integer:
            facts["integer"] = True
        if self.low is not None and self.low >= 0:
            strict = self.low > 0 or self.low_open
            facts["positive" if strict else "nonnegative"] = True
        if self.high is not None and self.high <= 0:
            strict = self.high < 0 or self.high_open
            facts["negative" if strict else "nonpositive"] = True
        return facts


@dataclass(frozen=True)
class Assumption:
    """One hypothesis: a symbol in a domain, or (with `where`) a joint condition on drawn symbols.

    Attributes:
        says: the hypothesis in a few words.
        symbol: the symbol it restricts, or None for a joint condition.
        domain: where `symbol` is drawn from.
        where: a sympy condition; points that violate it are drawn again.
    """

    says: str
    symbol: sp.Symbol | None = None
    domain: Domain = Domain()
    where: sp.Basic = sp.true

    def condition(self) -> sp.Basic:
        """The hypothesis as a sympy condition."""
        return self.domain.predicate(self.symbol) if self.symbol is not None else self.where

    def symbols(self) -> frozenset[sp.Symbol]:
        """The symbols that it speaks of."""
        return frozenset({self.symbol}) if self.symbol is not None else frozenset(self.where.free_symbols)

    def holds(self, point: Mapping[sp.Symbol, sp.Rational]) -> bool:
        """Whether the exact `point` satisfies it."""
        if self.symbol is not None:
            return self.domain.contains(point[self.symbol])
        return bool(self.where.subs(point) == sp.true)


def real(symbol: sp.Symbol) -> Assumption:
    """Any real number."""
    return Assumption(f"{symbol} real", symbol)


def positive(symbol: sp.Symbol) -> Assumption:
    """A real number > 0."""
    return Assumption(f"{symbol} > 0", symbol, Domain(low=sp.Integer(0), low_open=True))


def nonnegative(symbol: sp.Symbol) -> Assumption:
    """A real number >= 0."""
    return Assumption(f"{symbol} >= 0", symbol, Domain(low=sp.Integer(0)))


def above(symbol: sp.Symbol, low: int | sp.Rational) -> Assumption:
    """A real number > `low`."""
    return Assumption(f"{symbol} > {low}", symbol, Domain(low=sp.Rational(low), low_open=True))


def between(symbol: sp.Symbol, low: int | sp.Rational, high: int | sp.Rational, closed: str = "") -> Assumption:
    """A real number between `low` and `high`; `closed` names the closed ends: "", "[", "]" or "[]"."""
    domain = Domain(sp.Rational(low), sp.Rational(high), "[" not in closed, "]" not in closed)
    left, right = ("<=" if "[" in closed else "<"), ("<=" if "]" in closed else "<")
    return Assumption(f"{low} {left} {symbol} {right} {high}", symbol, domain)


def integer(symbol: sp.Symbol, low: int, high: int | None = None) -> Assumption:
    """A whole number >= `low` (and <= `high`)."""
    top = None if high is None else sp.Integer(high)
    says = f"{symbol} whole, >= {low}" + ("" if high is None else f" and <= {high}")
    return Assumption(says, symbol, Domain(sp.Integer(low), top, integer=True))


def where(condition: sp.Basic, says: str = "") -> Assumption:
    """A joint condition on symbols that other assumptions draw."""
    return Assumption(says or str(condition), where=condition)


def draw(assumptions: tuple[Assumption, ...], symbols: frozenset[sp.Symbol], rng: Random) -> Point:
    """One exact point that satisfies every assumption; a symbol without any is drawn from the reals.

    Raises:
        ValueError: no point was found in 2000 tries; the assumptions may contradict one another.
    """
    ranges = {a.symbol: a.domain for a in assumptions if a.symbol is not None}
    joint = [a for a in assumptions if a.symbol is None]
    needed = sorted(symbols.union(*(a.symbols() for a in joint)), key=str)
    for _ in range(2000):
        point = {s: ranges.get(s, Domain()).draw(rng) for s in needed}
        if all(a.holds(point) for a in joint):
            return point
    raise ValueError(f"no point satisfies {[a.says for a in assumptions]} in 2000 draws")


def draw_without(
    dropped: Assumption, kept: tuple[Assumption, ...], symbols: frozenset[sp.Symbol], rng: Random
) -> Iterator[Point]:
    """Points that satisfy `kept` and violate `dropped`, at most about 100."""
    everything = symbols | dropped.symbols()
    if dropped.symbol is not None:
        joint = tuple(a for a in kept if a.symbol is None)
        ranges = tuple(a for a in kept if a.symbol is not None)
        for value in dropped.domain.outside(rng):
            point = draw(ranges, everything - {dropped.symbol}, rng) | {dropped.symbol: value}
            if all(a.holds(point) for a in joint):
                yield point
        return
    for _ in range(400):
        point = draw(kept, everything, rng)
        if not dropped.holds(point):
            yield point


def ends(assumptions: tuple[Assumption, ...], inside: list[Point]) -> Iterator[Point]:
    """Points on the closed finite ends of the ranges, which a random draw never hits; one symbol at a time."""
    joint = [a for a in assumptions if a.symbol is None]
    for assumption in assumptions:
        domain = assumption.domain
        for end, opened in ((domain.low, domain.low_open), (domain.high, domain.high_open)):
            if assumption.symbol is None or end is None or opened:
                continue
            for point in inside[:3]:
                moved = point | {assumption.symbol: end}
                if assumption.symbol in point and all(a.holds(moved) for a in joint):
                    yield moved
