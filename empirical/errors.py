"""Bad input: one exception that says where, what was found, what was expected and what to do."""

import errno
import os
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


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def no_room(error: BaseException) -> bool:
    """Whether an error, or what caused it, is a disk that takes no more; not every library keeps the number."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in NO_ROOM:
            return True
        if any(os.strerror(code) in str(seen) for code in NO_ROOM):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


@contextmanager
def refusals() -> Iterator[None]:
    """Turn an InputError, and a full disk, into a message on stderr and exit code 2, without a traceback."""
    try:
        yield
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except Exception as error:
        if not no_room(error):
            raise
        full = InputError(
            getattr(error, "filename", None) or "the output",
            found="a full disk",
            expected="room for it",
            todo="free some space and give the same command again; files that were complete are as they were",
        )
        print(f"error: {full}", file=sys.stderr)
        raise SystemExit(2) from None
