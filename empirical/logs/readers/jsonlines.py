"""JSONL: one JSON object a line, as verl, OpenRLHF, W&B's history and many hand-written callbacks write."""

import json
from collections.abc import Iterator, Sequence
from io import BytesIO

from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.readers.arrow import columnar
from empirical.logs.source import Source

PIECE = 4 << 20  # bytes parsed at once
MOST_DAMAGED = 0.2  # share of the lines that may be no JSON object
UNREADABLE = (ValueError, RecursionError, MemoryError)  # what json.loads raises on bad text


def matches(source: Source) -> bool:
    """The first two lines that are not blank are JSON objects; or the only one is, in a file called .jsonl."""
    lines = [line for line in source.head.splitlines() if line.strip()][:3]
    if not lines or not lines[0].lstrip().startswith("{"):
        return False
    good = [_object(line) is not None for line in lines[:2]]
    if source.suffix in (".jsonl", ".ndjson"):
        return any(good)
    return len(lines) > 1 and good[0] and (good[1] or lines[1].lstrip().startswith('{"'))


def _object(text: str | bytes) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except UNREADABLE:
        return None
    return value if isinstance(value, dict) else None


def pieces(data: bytes) -> Iterator[tuple[list[bytes], int]]:
    """The lines in pieces, with the number of the first one, from 1."""
    stream, line = BytesIO(data), 1
    while lines := stream.readlines(PIECE):
        yield lines, line
        line += len(lines)


def read(source: Source) -> Raw:
    """All objects; damaged lines are dropped and noted.

    Raises:
        InputError: more than a fifth of the lines are no JSON objects, or none is.
    """
    data = source.data
    notes: list[Note] = []
    if data[:3] == b"\xef\xbb\xbf" or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text, notes = source.decoded
        data = text.encode()
    rows = Rows()
    damaged: list[int] = []
    total = last = 0
    for lines, first in pieces(data):
        last = first + len(lines) - 1
        count = columnar(lines, first, rows)
        if count is None:
            found, numbers, bad = _parse(lines, range(first, last + 1))
            rows.add(found, numbers)
            damaged += bad
            count = len(found) + len(bad)
        total += count
    if not rows.size or len(damaged) > max(1, MOST_DAMAGED * total):
        line = damaged[0] if damaged else 1
        raise source.refuse(
            f"{len(damaged)} of {total} lines that are no JSON object",
            "one JSON object a line",
            line=line,
            todo="remove the lines that the trainer did not write, or give the console output as a .log file",
        )
    raw = rows.raw("JSONL")
    raw.notes += notes
    if damaged:
        why = "the file breaks off there" if damaged == [last] else "no JSON object"
        raw.notes.append(Note("dropped", f"{len(damaged)} damaged lines, the first at line {damaged[0]} ({why})"))
    return raw


def _parse(lines: list[bytes], numbers: Sequence[int]) -> tuple[list[dict[str, object]], Sequence[int], list[int]]:
    """Objects, their lines, and the lines that are none."""
    try:
        values = json.loads(b"[" + b",".join(lines) + b"]")
    except UNREADABLE:
        values = None
    if values is not None and len(values) == len(lines) and all(type(v) is dict for v in values):
        return values, numbers, []
    found, where, bad = [], [], []
    for line, number in zip(lines, numbers, strict=True):
        if line.strip(b" \t\r\n\0"):
            value = _object(line)
            if value is None:
                bad.append(number)
            else:
                found.append(value)
                where.append(number)
    return found, where, bad


READER = Reader("JSONL", matches, read)
