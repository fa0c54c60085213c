"""verl's console lines: `step:12 - actor/entropy:0.31 - critic/score/mean:0.52`, often behind a Ray prefix."""

import re

from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.readers.text import LOGS, lines
from empirical.logs.source import Source

_LINE = re.compile(r"\bstep:(\d+) - (?=\S+:)")


def matches(source: Source) -> bool:
    """A line holds `step:N - name:value`."""
    return bool(_LINE.search(source.head)) or (source.suffix in LOGS and bool(_LINE.search(source.text)))


def read(source: Source) -> Raw:
    """The rows of all such lines; other lines are passed over.

    Raises:
        InputError: there is none.
    """
    rows, numbers, cut = [], [], 0
    for number, line in lines(source.text):
        found = _LINE.search(line)
        if found is None:
            continue
        row: dict[str, object] = {"step": found[1]}
        for item in line[found.end() :].split(" - "):
            name, colon, value = item.strip().rpartition(":")
            if colon and name and value.strip():
                row[name] = value
            else:
                cut += 1
        rows.append(row)
        numbers.append(number)
    if not rows:
        raise source.refuse("no line `step:N - name:value`", "verl's console output")
    table = Rows()
    table.add(rows, numbers, text=True)
    raw = table.raw("verl console output")
    raw.notes += source.decoded[1]
    if cut:
        raw.notes.append(Note("dropped", f"{cut} pieces of lines without a value (a line that breaks off)"))
    return raw


READER = Reader("verl console output", matches, read)
