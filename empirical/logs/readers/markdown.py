"""Markdown: a table of a model card or a saved notebook."""

import re
from itertools import pairwise

from empirical.logs.raw import Raw
from empirical.logs.reader import Reader
from empirical.logs.readers import grid
from empirical.logs.readers.grid import Grid
from empirical.logs.source import Source

_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$")


def matches(source: Source) -> bool:
    """A line of dashes and bars follows a line with bars."""
    lines = source.head.splitlines()
    return any(_RULE.match(b) and "|" in a for a, b in pairwise(lines))


def _cells(line: str) -> tuple[str, ...]:
    inside = line.strip().removeprefix("|").removesuffix("|")
    return tuple(cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inside))


def grids(text: str) -> list[Grid]:
    """All tables of a markdown text."""
    lines = text.splitlines()
    out = []
    for i in range(1, len(lines)):
        if not (_RULE.match(lines[i]) and "|" in lines[i - 1]):
            continue
        records, numbers = [], []
        for j in range(i + 1, len(lines)):
            if "|" not in lines[j]:
                break
            records.append(_cells(lines[j]))
            numbers.append(j + 1)
        out.append(Grid(_cells(lines[i - 1]), tuple(records), tuple(numbers)))
    return out


def read(source: Source) -> Raw:
    """The table of metrics.

    Raises:
        InputError: there is none.
    """
    return grid.read(source, grids(source.text), "notebook table (markdown)")


READER = Reader("notebook table (markdown)", matches, read)
