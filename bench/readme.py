"""The generated part of this folder's README: the table and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.machine import machine
from bench.row import Row

README = Path(__file__).with_name("README.md")
START, END = "<!-- table: written by `tox -e bench -- --write` -->", "<!-- end of table -->"
HEADER = ("quantity", "measured", "beside", "ratio", "asked for")


def markdown(table: dict[str, Sequence[Row]]) -> str:
    """The machine and one table a benchmark."""
    parts = [machine()]
    for name, rows in table.items():
        lines = [f"### {name}", "", f"| {' | '.join(HEADER)} |", "| --- | --- | --- | ---: | --- |"]
        lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row.cells())} |" for row in rows]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def filled(text: str, table: dict[str, Sequence[Row]]) -> str:
    """The README with its generated part replaced.

    Raises:
        ValueError: a marker of the generated part is missing.
    """
    if START not in text or END not in text:
        raise ValueError(f"{README}: expected the markers {START!r} and {END!r}")
    head, rest = text.split(START, 1)
    return f"{head}{START}\n\n{markdown(table)}\n\n{END}{rest.split(END, 1)[1]}"


def write(table: dict[str, Sequence[Row]]) -> None:
    """Write the table into the README."""
    README.write_text(filled(README.read_text(encoding="utf-8"), table), encoding="utf-8")
