"""Grids: the text tables of notebooks, and the choice among several."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows
from empirical.logs.source import Source

_METRIC = re.compile(r"reward|score|loss", re.IGNORECASE)
_REWARD = re.compile(r"reward|score", re.IGNORECASE)


@dataclass(frozen=True)
class Grid:
    """A table of text.

    Attributes:
        header: the columns' names.
        records: the rows.
        lines: the line on which each row ends.
    """

    header: tuple[str, ...]
    records: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]


def choose(grids: Sequence[Grid]) -> tuple[Grid | None, list[Note]]:
    """The longest table with rewards, or else with losses; and a note about the others."""
    good = [g for g in grids if g.records and any(_METRIC.search(name) for name in g.header)]
    if not good:
        return None, []
    best = max(good, key=lambda g: (any(_REWARD.search(name) for name in g.header), len(g.records)))
    others = [len(g.records) for g in good if g is not best]
    notes = (
        [Note("dropped", f"{len(others)} other tables of metrics ({', '.join(map(str, others[:5]))} rows)")]
        if others
        else []
    )
    return best, notes


def rows_of(grid: Grid, container: str) -> Raw:
    """A table as columns; ragged rows are dropped and noted."""
    width = len(grid.header)
    names: list[str] = []
    for i, name in enumerate(grid.header):
        clean = name.strip() or f"column {i + 1}"
        names.append(clean if clean not in names else f"{clean} ({i + 1})")
    good = [(r, n) for r, n in zip(grid.records, grid.lines, strict=True) if len(r) == width]
    table = Rows()
    table.add_cells(names, [[cell.strip() for cell in r] for r, _ in good], [n for _, n in good])
    raw = table.raw(container)
    if len(good) < len(grid.records):
        raw.notes.append(Note("dropped", f"{len(grid.records) - len(good)} rows without {width} cells"))
    return raw


def read(source: Source, grids: Sequence[Grid], container: str) -> Raw:
    """The best of several tables.

    Raises:
        InputError: none has a row and a column of rewards or losses.
    """
    grid, notes = choose(grids)
    if grid is None:
        raise source.refuse(f"{len(grids)} tables, none of them of metrics", "a table with a column of rewards")
    raw = rows_of(grid, container)
    if not raw.size:
        raise source.refuse("a table without a whole row", "rows as long as the header", line=grid.lines[0])
    raw.notes += [*notes, *source.decoded[1]]
    return raw
