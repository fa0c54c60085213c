"""Results on the disk: a small file a cell, whole or not there; and all of a sweep packed into two."""

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from empirical.errors import InputError
from empirical.logs.numbers import Floats
from empirical.output import write
from empirical.sweep.cell import Cell, from_settings

CELLS = "cells"
PACKED = "sweep.jsonl.gz"
DIGITS = 5  # decimals of a stored probability


@dataclass(frozen=True)
class Result:
    """A finished cell.

    Attributes:
        cell: what was run.
        values: what it left: curves as lists of numbers, see `empirical.sweep.twin.run` and `trainer.run`.
    """

    cell: Cell
    values: dict[str, Any]

    @property
    def p(self) -> Floats:
        """The curve, shape (steps + 1,)."""
        return np.asarray(self.values["p"], dtype=np.float64)


def rounded(value: Any, digits: int = DIGITS) -> Any:
    """A value with its floats rounded, through lists and dictionaries: significant digits above 1, decimals below."""
    if isinstance(value, float):
        if not np.isfinite(value):
            return None
        return round(value, digits) if abs(value) < 1.0 else float(f"{value:.{digits + 1}g}")
    if isinstance(value, dict):
        return {name: rounded(v, digits) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(v, digits) for v in value]
    return value


def path_of(folder: Path, cell: Cell) -> Path:
    """Where a cell's result lies."""
    return folder / CELLS / f"{cell.key}.json"


def save(folder: Path, cell: Cell, values: dict[str, Any]) -> None:
    """Write a finished cell under a temporary name, then rename it."""
    target = path_of(folder, cell)
    target.parent.mkdir(parents=True, exist_ok=True)
    write(target, json.dumps({"cell": cell.settings, **rounded(values)}) + "\n")


def _result(text: str, where: Path, line: int | None = None) -> Result:
    try:
        row = json.loads(text)
        return Result(from_settings(row.pop("cell")), row)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            where, found=f"no result of a cell ({error})", expected="a JSON object with the field cell", line=line,
            todo="delete the file: the cell is then run again",
        ) from None  # fmt: skip


def load(folder: Path, cells: Iterable[Cell]) -> list[Result]:
    """The finished ones of some cells, in their order.

    Raises:
        InputError: a file is not a result.
    """
    found = []
    for cell in cells:
        path = path_of(folder, cell)
        if path.exists():
            result = _result(path.read_text(encoding="utf-8"), path)
            if result.cell != cell:
                raise InputError(
                    path, found="the result of another cell", expected=f"the cell {cell.key}",
                    todo="delete the file: the cell is then run again",
                )  # fmt: skip
            found.append(result)
    return found


def pack(results: Iterable[Result], target: Path) -> None:
    """Write results into one compressed file, a line each; the same results give the same bytes."""
    lines = [json.dumps({"cell": r.cell.settings, **r.values}) for r in results]
    write(target, gzip.compress(("\n".join(lines) + "\n").encode(), compresslevel=9, mtime=0))


def unpack(source: Path) -> Iterator[Result]:
    """The results of a packed file.

    Raises:
        InputError: the file is missing, or a line of it is no result.
    """
    try:
        text = gzip.decompress(source.read_bytes()).decode()
    except (OSError, EOFError, ValueError) as error:
        raise InputError(
            source, found=str(error) or "no packed results", expected="the packed results of a sweep",
            todo="run python -m empirical sweep, or name its folder",
        ) from None  # fmt: skip
    for number, line in enumerate(text.splitlines(), 1):
        yield _result(line, source, number)
