"""Raw: the rows of a log as its reader found them, column by column, before any name is understood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirical.logs.note import Note
from empirical.logs.numbers import Faults, Floats, Numbers, convert, convert_text

MOST_NAMES = 5000  # distinct keys, beyond which a file is no log of metrics
DEEPEST = 8  # nested dictionaries


@dataclass
class Raw:
    """What a reader hands over.

    Attributes:
        container: what kind of file it is, in words.
        columns: source name -> values, all of one length, nan where a row lacks the key.
        faults: source name -> what in it was no number.
        lines: line (or row) of the file on which each row ends, from 1.
        settings: numbers and words about the run that are no columns.
        notes: what was repaired or dropped on the way.
        versions: "trl" -> "0.22.2", where the file says so.
    """

    container: str
    columns: dict[str, Floats]
    faults: dict[str, Faults]
    lines: NDArray[np.int64]
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.lines.size)


class Rows:
    """Collects rows in pieces, so that a long log never stands in memory as dictionaries."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[tuple[int, Floats]]] = {}
        self._faults: dict[str, Faults] = {}
        self._lines: list[Sequence[int]] = []
        self.size = 0
        self.nan = 0  # values logged as nan, in columns not told apart
        self.surplus: set[str] = set()

    def add(self, rows: Sequence[Mapping[str, object]], lines: Sequence[int], text: bool = False) -> None:
        """Add rows: key -> value of any type; nested dictionaries become keys with slashes.

        Args:
            rows, lines: the rows and the line of each.
            text: whether numbers are text in this format, so that there is nothing to say about it.
        """
        if not rows:
            return
        flat = [_flat(row) if any(isinstance(v, dict) for v in row.values()) else row for row in rows]
        names: dict[str, None] = {}
        for keys in {tuple(row) for row in flat}:
            names.update(dict.fromkeys(keys))
        for name in names:
            piece = convert([row.get(name) for row in flat], lines)
            if text:
                piece.faults.strings = 0
            self._put(name, piece)
        self._close(lines)

    def add_cells(self, header: Sequence[str], records: Sequence[Sequence[str]], lines: Sequence[int]) -> None:
        """Add the rows of a text table, each as long as the header."""
        if not records:
            return
        for name, cells in zip(header, zip(*records, strict=True), strict=True):
            self._put(name, convert_text(cells, lines))
        self._close(lines)

    def add_arrays(self, columns: Mapping[str, Floats], lines: Sequence[int]) -> None:
        """Add columns of numbers, all as long as `lines`."""
        for name, values in columns.items():
            self._put(name, Numbers(values))
        self._close(lines)

    def _put(self, name: object, piece: Numbers) -> None:
        key = str(name)
        if key not in self._pieces and len(self._pieces) >= MOST_NAMES:
            self.surplus.add(key)
            return
        self._pieces.setdefault(key, []).append((self.size, piece.values))
        self._faults.setdefault(key, Faults()).add(piece.faults)

    def _close(self, lines: Sequence[int]) -> None:
        self._lines.append(lines)
        self.size += len(lines)

    def raw(self, container: str) -> Raw:
        """All rows added so far."""
        columns: dict[str, Floats] = {}
        for name in list(self._pieces):
            pieces = self._pieces.pop(name)
            if len(pieces) == 1 and pieces[0][1].size == self.size:
                columns[name] = pieces[0][1]
                continue
            whole = np.full(self.size, np.nan)
            for start, values in pieces:
                whole[start : start + values.size] = values
            columns[name] = whole
        lines = np.concatenate([np.asarray(part, dtype=np.int64) for part in self._lines]) if self._lines else None
        raw = Raw(container, columns, self._faults, np.empty(0, np.int64) if lines is None else lines)
        if self.nan:
            raw.notes.append(Note("read", f"{self.nan} values were logged as nan"))
        if self.surplus:
            raw.notes.append(Note("dropped", f"{len(self.surplus)} keys beyond the first {MOST_NAMES}"))
        return raw


def _flat(row: Mapping[str, object], prefix: str = "", depth: int = 0) -> dict[str, object]:
    out: dict[str, object] = {}
    for key, value in row.items():
        if isinstance(value, dict) and depth < DEEPEST:
            out.update(_flat(value, f"{prefix}{key}/", depth + 1))
        else:
            out[f"{prefix}{key}"] = value
    return out
