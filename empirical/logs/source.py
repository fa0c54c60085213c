"""Source: a file's bytes, decoded once."""

import re
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from empirical.errors import InputError
from empirical.logs.note import Note

HEAD = 65536  # bytes that are enough to tell what a file is
LARGEST = 4 << 30  # bytes

_BINARY = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive (or a spreadsheet, or a torch checkpoint)",
    b"\x7fELF": "a program",
    b"\x80\x02": "a Python pickle",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
}
ACCEPTED = (
    "trainer_state.json, JSON, JSONL, CSV, Parquet, TensorBoard events, a notebook or its table, or console output"
)


@dataclass(frozen=True)
class Source:
    """A file, read whole.

    Attributes:
        path: where it is.
        data: its bytes, unpacked where the file is gzipped.
    """

    path: Path
    data: bytes

    @cached_property
    def decoded(self) -> tuple[str, list[Note]]:
        """The text, with a note where the encoding needed a guess."""
        data, notes = self.data, []
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            text = data.decode("utf-16", errors="replace")
            notes.append(Note("repaired", "the text is UTF-16"))
        else:
            text = data.decode("utf-8-sig", errors="replace")
        wrong = text.count("\ufffd")
        if wrong:
            notes.append(Note("repaired", f"{wrong} places are no valid text and were replaced"))
        return text, notes

    @property
    def text(self) -> str:
        """The text."""
        return self.decoded[0]

    @cached_property
    def head(self) -> str:
        """The first lines as text, without a byte-order mark."""
        data = self.data[:HEAD]
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        return data.decode("utf-16" if utf16 else "utf-8-sig", errors="replace")

    @property
    def suffix(self) -> str:
        """The file name's ending in lower case, without .gz."""
        name = self.path.name.lower().removesuffix(".gz")
        return name[name.rfind(".") :] if "." in name else ""

    def refuse(
        self,
        found: str,
        expected: str = ACCEPTED,
        todo: str = "give the file or folder that the trainer wrote its metrics to",
        line: int | None = None,
        column: str | None = None,
    ) -> InputError:
        """The error of this file."""
        return InputError(self.path, found=found, expected=expected, todo=todo, line=line, column=column)


def load(path: Path) -> Source:
    """Read a file.

    Raises:
        InputError: it cannot be read, is empty, is too large, or is of a kind that holds no log.
    """
    try:
        size = path.stat().st_size
        data = path.read_bytes() if path.is_file() and size <= LARGEST else None
    except OSError as error:
        raise InputError(
            path,
            found=error.strerror or "an unreadable file",
            expected="a log",
            todo="check the path and the permissions",
        ) from None
    if data is None:
        what = f"{size} bytes" if path.is_file() else "neither a file nor a folder"
        raise InputError(path, found=what, expected=f"a log of at most {LARGEST} bytes", todo="give another file")
    if data.startswith(b"\x1f\x8b"):
        try:
            data = _unpacked(data)
        except (OSError, EOFError, zlib.error):
            raise InputError(
                path, found="a damaged gzip file", expected="a whole one", todo="copy the file again"
            ) from None
    source = Source(path, data)
    if re.search(rb"[^\0 \t\r\n]", data) is None:
        raise source.refuse("an empty file", todo="check that the run has logged something, and where")
    for magic, what in _BINARY.items():
        if data.startswith(magic):
            raise source.refuse(what)
    return source


def _unpacked(data: bytes) -> bytes:
    """As much as a gzip stream, whole or cut off, gives."""
    stream = zlib.decompressobj(31)
    out = stream.decompress(data, LARGEST)
    if stream.unconsumed_tail:
        raise EOFError
    return out
