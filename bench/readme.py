"""The generated part of this folder's README: the table and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.machine import machine
from bench.row import Row

README = Path(__file__).with_name("README.md")
START, END = "<!-- table: written by `tox -e bench -- --write` -->", "<!-- end of table -->"
HEADER = ("quantity", "measured", "beside", "ratio", "asked for")


def section(name: str, rows: Sequence[Row]) -> str:
    """The machine and the table of one benchmark."""
    lines = [f"### {name}", "", machine(), "", f"| {' | '.join(HEADER)} |", "| --- | --- | --- | ---: | --- |"]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row.cells())} |" for row in rows]
    return "\n".join(lines)


def filled(text: str, table: dict[str, Sequence[Row]]) -> str:
    """The README with these benchmarks' tables replaced, or put behind the others.

    Raises:
        ValueError: a marker of the generated part is missing.
    """
    if START not in text or END not in text:
        raise ValueError(f"{README}: expected the markers {START!r} and {END!r}")
    head, rest = text.split(START, 1)
    old, tail = rest.split(END, 1)
    kept = {part.split("\n", 1)[0].strip(): f"### {part.strip()}" for part in old.split("### ")[1:]}
    kept |= {name: section(name, rows) for name, rows in table.items()}
    tables = "\n\n".join(kept.values())
    return f"{head}{START}\n\n{tables}\n\n{END}{tail}"


def write(table: dict[str, Sequence[Row]]) -> None:
    """Write the tables into the README."""
    README.write_text(filled(README.read_text(encoding="utf-8"), table), encoding="utf-8")
