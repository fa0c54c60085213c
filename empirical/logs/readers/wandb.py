"""W&B CSV exports: a chart's download, whose columns are called `run - metric`, with __MIN and __MAX beside each."""

import re

from empirical.errors import quote
from empirical.logs.note import Note
from empirical.logs.raw import Raw
from empirical.logs.reader import Reader
from empirical.logs.readers.csvtable import first_line, gather, separator_of, table
from empirical.logs.source import Source

_BOUND = re.compile(r"__(MIN|MAX)$")


def matches(source: Source) -> bool:
    """A column name ends in __MIN or __MAX, or several are `run - metric`."""
    line = first_line(source)
    separator = separator_of(line)
    if separator is None:
        return False
    names = [name.strip().strip('"') for name in line.split(separator)]
    return any(_BOUND.search(name) for name in names) or sum(" - " in name for name in names) > len(names) / 2


def read(source: Source) -> Raw:
    """The columns of the run that the export holds.

    Raises:
        InputError: it holds several runs, or no rows.
    """
    header, records = table(source)
    raw = gather(source, header, records, "W&B CSV export")
    bounds = [name for name in header if _BOUND.search(name)]
    runs = sorted({name.rsplit(" - ", 1)[0] for name in header if " - " in name and name not in bounds})
    if len(runs) > 1:
        raise source.refuse(
            f"{len(runs)} runs: {', '.join(map(quote, runs[:5]))}",
            "the columns of one run",
            line=1,
            todo="hide the other runs before the export, or split the file, and give each file as a RUN of its own",
        )
    for name in bounds:
        raw.columns.pop(name, None)
    if bounds:
        raw.notes.append(Note("dropped", f"{len(bounds)} columns __MIN and __MAX, which repeat the values"))
    if runs:
        prefix = f"{runs[0]} - "
        raw.columns = {name.removeprefix(prefix): values for name, values in raw.columns.items()}
        raw.faults = {name.removeprefix(prefix): faults for name, faults in raw.faults.items()}
        raw.settings["run"] = runs[0]
        raw.notes.append(Note("renamed", f"columns of the run {quote(runs[0])} without its name"))
    return raw


READER = Reader("W&B CSV export", matches, read, sure=True)
