"""An append-only JSONL file that survives a kill at any moment."""

import errno
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from empirical.errors import InputError


class Journal:
    """Rows of a log, one JSON object a line, each on the disk before `append` returns.

    A last line that a kill cut off is dropped when the journal is opened. After a restart the steps since the
    last checkpoint are done again; their rows are there already, so they are compared, not written again.

    Attributes:
        path: the file.
        last: step of the last row; 0 where there is none.
        replayed: rows that came again.
        differing: how many of them were not equal to the row on the disk, clocks aside.
    """

    def __init__(self, path: Path, clocks: tuple[str, ...] = ()) -> None:
        self.path, self.clocks = path, clocks
        self.replayed = self.differing = 0
        self._rows = _whole_rows(path)
        self.last = max(self._rows, default=0)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def rows(self) -> list[dict[str, Any]]:
        """The rows so far, by step."""
        return [self._rows[step] for step in sorted(self._rows)]

    def append(self, row: Mapping[str, Any]) -> None:
        """Write a row and wait until it is on the disk.

        Raises:
            InputError: the disk is full, or the file cannot be written; what was there is as it was.
            ValueError: the row skips a step.
        """
        step = int(row["step"])
        if step <= self.last:
            self.replayed += 1
            self.differing += self._bare(row) != self._bare(self._rows[step])
            return
        if step != self.last + 1:
            raise ValueError(f"step = {step}; expected {self.last + 1}, the one after the last row of {self.path}")
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        size = os.fstat(self._file).st_size
        try:
            written = os.write(self._file, line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):  # where that fails too, the cut-off line is dropped at the next start
                os.ftruncate(self._file, size)
            raise InputError(
                self.path,
                found=error.strerror or "an error while writing",
                expected=f"room for the row of step {step}",
                todo=f"the {self.last} rows before it are safe: free some space, then continue with --resume",
            ) from None
        self._rows[step], self.last = dict(row), step

    def _bare(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in row.items() if name not in self.clocks}

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _whole_rows(path: Path) -> dict[int, dict[str, Any]]:
    """The rows of a journal by step; a cut-off last line is cut away.

    Raises:
        InputError: a damaged line that is not the last.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
            os.fsync(file.fileno())
    rows = {}
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            row = json.loads(line)
            rows[int(row["step"])] = row
        except (ValueError, KeyError, TypeError):
            raise InputError(
                path,
                line=number,
                found="a damaged row",
                expected="a JSON object with a step",
                todo="restore the file from a copy, or start a new run with another --out",
            ) from None
    return rows


def write_json(path: Path, value: object) -> None:
    """Write a JSON file in one step: to another name, then renamed."""
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, sort_keys=True, allow_nan=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
