"""Numbers: logged values of any type as floats, and a count of what was no number."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from empirical.errors import quote

Floats = NDArray[np.float64]

ABSENT = frozenset(
    {"", "none", "null", "no log", "nolog", "n/a", "na", "<na>", "-", "--", "\u2014", "nil", "undefined"}
)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_WRAPPED = re.compile(r"(?:np\.|numpy\.|torch\.)?(?:float\d*|int\d*|tensor|array)\(\s*\[?\s*([^\s,\])]+)")
_PLAIN = (float, int, type(None))


@dataclass
class Faults:
    """What was found in a column that is no plain number.

    Attributes:
        nan: values logged as nan.
        strings: numbers that were written as text.
        lists: lists of more than one value, and dictionaries; dropped.
        texts: text that is no number; dropped.
        example, line: the first such list or text, quoted, and its line.
    """

    nan: int = 0
    strings: int = 0
    lists: int = 0
    texts: int = 0
    example: str = ""
    line: int | None = None

    def add(self, other: "Faults") -> None:
        """Count another piece of the same column."""
        if not self.example:
            self.example, self.line = other.example, other.line
        self.nan += other.nan
        self.strings += other.strings
        self.lists += other.lists
        self.texts += other.texts


@dataclass(frozen=True)
class Numbers:
    """A piece of a column: floats, nan where nothing usable was logged, with a count of its faults."""

    values: Floats
    faults: Faults = field(default_factory=Faults)


def one(value: object) -> float | None:
    """A logged value as a float; None where it is absent.

    Raises:
        ValueError: it is text or a list.
    """
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in ABSENT:
            return None
        wrapped = _WRAPPED.match(text)
        if wrapped:
            text = wrapped[1]
        if _THOUSANDS.fullmatch(text):
            text = text.replace(",", "")
        if "_" in text:  # float() would read 1_0 as 10
            raise ValueError(text)
        return float(text.removesuffix("%"))
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return one(value[0])
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        try:
            return float(value)
        except OverflowError:
            return math.copysign(math.inf, value)
    raise ValueError(value)


def convert(values: Sequence[object], lines: Sequence[int] | None = None) -> Numbers:
    """A column, or a piece of one, as floats. Never fails: what is no number becomes nan and is counted.

    Args:
        values: as a parser of JSON, CSV or Python literals gives them.
        lines: for each value its line in the file.
    """
    kinds = set(map(type, values))
    if kinds.issubset(_PLAIN):
        try:
            out = np.array(values, dtype=np.float64)
        except (OverflowError, TypeError):
            pass
        else:
            faults = Faults()
            if float in kinds:
                faults.nan = int(np.isnan(out).sum()) - (values.count(None) if type(None) in kinds else 0)
            return Numbers(out, faults)
    out = np.full(len(values), np.nan)
    faults = Faults()
    for i, value in enumerate(values):
        try:
            number = one(value)
        except ValueError:
            if isinstance(value, str):
                faults.texts += 1
            else:
                faults.lists += 1
            if not faults.example:
                faults.example, faults.line = quote(value), None if lines is None else int(lines[i])
            continue
        if number is None:
            continue
        out[i] = number
        if number != number:
            faults.nan += 1
        if isinstance(value, str):
            faults.strings += 1
    return Numbers(out, faults)


def convert_text(cells: Sequence[str], lines: Sequence[int] | None = None) -> Numbers:
    """As `convert`, for the cells of a text table, in which all numbers are text and an empty cell is absent."""
    try:
        return (
            Numbers(np.array([cell or "nan" for cell in cells], dtype=np.float64))
            if _fast(cells)
            else _slow(cells, lines)
        )
    except ValueError:
        return _slow(cells, lines)


def _fast(cells: Sequence[str]) -> bool:
    """Whether numpy's own parser reads the cells as `one` does: no digits grouped by underscores, no nan to count."""
    joined = "".join(cells)
    return "_" not in joined and "n" not in joined and "N" not in joined


def _slow(cells: Sequence[str], lines: Sequence[int] | None) -> Numbers:
    numbers = convert(cells, lines)
    numbers.faults.strings = 0
    return numbers
