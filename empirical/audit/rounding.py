"""Exact rounding: what is printed for a rational or for its square root, and which values print alike."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)


class Rounding(StrEnum):
    """How a number is shortened to the printed decimals.

    `HALF_UP` sends a tie away from zero, `HALF_EVEN` to the even last digit, `TRUNCATION` drops the digits.
    `BINARY` is what programs do: the number is a double, which nearly always lies to one side of a decimal
    tie, and is rounded to the decimal nearest to it (`format` and `round` in Python, `printf` in C).
    """

    HALF_UP = "half-up"
    HALF_EVEN = "half-even"
    TRUNCATION = "truncation"
    BINARY = "binary"


@dataclass(frozen=True)
class Printed:
    """A decimal number as printed.

    Attributes:
        value: the number it spells, exactly.
        decimals: digits after the point, trailing zeros included.
    """

    value: Fraction
    decimals: int

    @classmethod
    def of(cls, text: str) -> "Printed":
        """Read a printed decimal number.

        Raises:
            ValueError: `text` is not digits with at most one point and a sign.
        """
        if not NUMBER.fullmatch(text):
            raise ValueError(f"text = {text!r} is not a decimal number such as 12.30")
        return cls(Fraction(text if text[-1] != "." else text[:-1]), len(text.partition(".")[2]))

    def __hash__(self) -> int:  # far cheaper than that of a Fraction
        return hash((self.value.numerator, self.decimals))

    @property
    def unit(self) -> Fraction:
        """One unit of the last printed digit."""
        return Fraction(1, 10**self.decimals)

    def shifted(self, units: int) -> "Printed":
        """The number printed `units` units of the last digit further up."""
        return Printed(self.value + units * self.unit, self.decimals)

    def __str__(self) -> str:
        return show(self.value, self.decimals)


def show(value: Fraction, decimals: int) -> str:
    """A rational that is a whole number of units of the last digit, with exactly `decimals` decimals."""
    units = value * 10**decimals
    if units.denominator != 1:
        raise ValueError(f"value = {value} has no exact spelling with decimals = {decimals}")
    sign, digits = "-" if units < 0 else "", str(abs(units.numerator)).rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}" if decimals else sign + digits


@dataclass(frozen=True)
class Interval:
    """An interval of the line, with each end closed or open."""

    low: Fraction
    high: Fraction
    low_closed: bool
    high_closed: bool

    def multiples(self, step: Fraction) -> tuple[int, int]:
        """First and last integer h with h * step inside; the first exceeds the last where there is none."""
        return _integers(self.low / step, self.high / step, self.low_closed, self.high_closed)

    def squares(self, step: Fraction) -> tuple[int, int]:
        """First and last integer h >= 0 with sqrt(h * step) inside; first exceeds last where there is none.

        Both sides are squared, so no root is ever taken.
        """
        if self.high < 0:
            return 0, -1
        low = self.low if self.low >= 0 else Fraction(0)
        low_closed = self.low_closed if self.low >= 0 else True
        first, last = _integers(low * low / step, self.high * self.high / step, low_closed, self.high_closed)
        return max(first, 0), last


def _integers(low: Fraction, high: Fraction, low_closed: bool, high_closed: bool) -> tuple[int, int]:
    first = ceil(low) if low_closed else floor(low) + 1
    last = floor(high) if high_closed else ceil(high) - 1
    return first, last


@lru_cache(maxsize=65536)
def preimage(printed: Printed, rounding: Rounding) -> Interval:
    """Every real number that is printed as `printed`.

    For `Rounding.BINARY` both ends are closed: which of two ties belongs here depends on the double, not the
    number.
    """
    value, unit = abs(printed.value), printed.unit
    if rounding is Rounding.TRUNCATION:
        reach, below, low_closed, high_closed = unit, Fraction(0), True, False
    else:
        even = rounding is Rounding.HALF_EVEN and int(value / unit) % 2 == 0
        reach = below = unit / 2
        low_closed = high_closed = even or rounding is Rounding.BINARY
        low_closed |= rounding is Rounding.HALF_UP
    if value == 0:
        return Interval(-reach, reach, high_closed, high_closed)
    if printed.value < 0:
        return Interval(-value - reach, -value + below, high_closed, low_closed)
    return Interval(value - below, value + reach, low_closed, high_closed)


def round_fraction(value: Fraction, decimals: int, rounding: Rounding) -> Fraction:
    """The value that is printed for `value`, or for `Rounding.BINARY` for the double nearest to it."""
    if rounding is Rounding.BINARY:
        value = Fraction(float(value))
    scaled = abs(value) * 10**decimals
    units = floor(scaled)
    rest = scaled - units
    if _rounds_up(units, (rest > Fraction(1, 2)) - (rest < Fraction(1, 2)), rounding):
        units += 1
    return Fraction(units if value >= 0 else -units, 10**decimals)


def round_root(square: Fraction, decimals: int, rounding: Rounding) -> Fraction:
    """The value that is printed for the square root of `square` with `decimals` decimals, without taking it.

    `Rounding.BINARY` sends a tie to the even digit here: the error of a computed root depends on the program.

    Raises:
        ValueError: `square` is negative.
    """
    if square < 0:
        raise ValueError(f"square = {square} is negative")
    scaled = square * 100**decimals
    units = isqrt(floor(scaled))
    middle = Fraction(2 * units + 1, 2) ** 2
    if _rounds_up(units, (scaled > middle) - (scaled < middle), rounding):
        units += 1
    return Fraction(units, 10**decimals)


def _rounds_up(units: int, side: int, rounding: Rounding) -> bool:
    """Whether a magnitude between `units` and `units` + 1 goes up; `side` of the middle is 0 for a tie."""
    if rounding is Rounding.TRUNCATION:
        return False
    if side == 0:
        return rounding is Rounding.HALF_UP or units % 2 == 1
    return side > 0
