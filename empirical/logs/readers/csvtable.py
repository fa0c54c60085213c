"""CSV: a text table with a header, separated by commas, semicolons or tabs."""

import csv
import re
from collections.abc import Iterator
from io import StringIO
from itertools import islice

from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.source import Source

PIECE = 50_000  # records converted at once
MOST_RAGGED = 0.2
SEPARATORS = ",;\t"


def matches(source: Source) -> bool:
    """The first line that is not blank has a separator and names, no number among them."""
    line = first_line(source)
    separator = separator_of(line)
    if separator is None:
        return False
    names = [name.strip().strip('"') for name in line.split(separator)]
    return any(re.search("[A-Za-z]", name) for name in names) and not any(_is_number(name) for name in names if name)


def first_line(source: Source) -> str:
    """The first line that is neither blank nor a comment."""
    lines = (line for line in source.head.splitlines() if line.strip() and not line.startswith("#"))
    return next(lines, "")


def separator_of(line: str) -> str | None:
    """The most frequent separator, None where there is none."""
    best = max(SEPARATORS, key=line.count)
    return best if line.count(best) else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower() not in ("nan", "inf", "infinity")


def read(source: Source) -> Raw:
    """All records; ragged ones are dropped and noted.

    Raises:
        InputError: no rows, an unbalanced quote, or more than a fifth of the records ragged.
    """
    header, records = table(source)
    if "value" in [h.lower() for h in header] and {"wall time", "step"} <= {h.lower() for h in header}:
        header = [_tag(source) if h.lower() == "value" else h for h in header]
    return gather(source, header, records, "CSV")


def table(source: Source) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The header, and the records with their lines.

    Raises:
        InputError: there is no header.
    """
    separator = separator_of(first_line(source)) or ","
    text = source.text.replace("\0", "")
    records = _records(source, text, separator)
    header = next((record for _, record in records if any(record) and not record[0].startswith("#")), None)
    if header is None:
        raise source.refuse("no header", "the columns' names in the first line", line=1)
    names: list[str] = []
    for i, name in enumerate(header):
        clean = name.strip() or f"column {i + 1}"
        names.append(clean if clean not in names else f"{clean} ({i + 1})")
    return names, records


def _records(source: Source, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error as error:
        raise source.refuse(
            str(error), "separated fields with balanced quotes", "correct the quotes in this line", line=reader.line_num
        ) from None


def gather(source: Source, header: list[str], records: Iterator[tuple[int, list[str]]], container: str) -> Raw:
    """The records of a table as columns.

    Raises:
        InputError: no rows, or more than a fifth of the records ragged.
    """
    rows, width = Rows(), len(header)
    ragged: list[int] = []
    last = 0
    while piece := list(islice(records, PIECE)):
        good: list[list[str]] = []
        lines: list[int] = []
        for line, record in piece:
            if len(record) == width:
                good.append(record)
                lines.append(line)
            elif any(field.strip() for field in record):
                if len(record) > width and not any(field.strip() for field in record[width:]):
                    good.append(record[:width])
                    lines.append(line)
                else:
                    ragged.append(line)
            last = line
        rows.add_cells(header, good, lines)
    if not rows.size or len(ragged) > max(1, MOST_RAGGED * (rows.size + len(ragged))):
        found = (
            f"{len(ragged)} of {rows.size + len(ragged)} rows that do not have {width} fields" if ragged else "no row"
        )
        raise source.refuse(
            found,
            f"rows of {width} fields, as in the header",
            line=ragged[0] if ragged else 1,
            todo="write decimals with a point, and quote a field that holds the separator",
        )
    raw = rows.raw(container)
    raw.notes += source.decoded[1]
    if ragged:
        why = " (the file breaks off there)" if ragged == [last] else ""
        raw.notes.append(
            Note("dropped", f"{len(ragged)} rows without {width} fields, the first at line {ragged[0]}{why}")
        )
    return raw


def _tag(source: Source) -> str:
    """The metric of a TensorBoard CSV download, from its file name: run-NAME-tag-train_reward.csv."""
    found = re.search(r"tag-(.+?)(?:\s\(\d+\))?\.csv", source.path.name)
    return found[1] if found else source.path.stem


READER = Reader("CSV", matches, read)
