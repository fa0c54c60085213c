"""Bad input: one exception that says where, what was found, what was expected and what to do."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LONGEST_QUOTE = 60  # characters of a found value that are shown before it is cut


def quote(found: object) -> str:
    """The repr of a found value, cut to a readable length: one line whatever the value holds."""
    text = repr(found)
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."


@dataclass(eq=False)
class InputError(Exception):
    """Input that cannot be used.

    Attributes:
        file: the file at fault.
        found: what stands there, in words or as a quoted value.
        expected: what should stand there.
        todo: what the user can do about it.
        line: line of the file, counted from 1 (None where no line is at fault).
        column: name of the column at fault (None where no column is at fault).
    """

    file: Path | str
    found: str
    expected: str
    todo: str
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        place = str(self.file)
        if self.line is not None:
            place += f", line {self.line}"
        if self.column is not None:
            place += f", column {self.column!r}"
        return f"{place}: found {self.found}; expected {self.expected}.\nWhat to do: {self.todo}."


@contextmanager
def refusals() -> Iterator[None]:
    """Turn an InputError into a message on stderr and exit code 2, without a traceback."""
    try:
        yield
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
