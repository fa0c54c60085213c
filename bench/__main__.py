"""`python -m bench [NAME ...] [--write]`: run the benchmarks and print their table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from bench import audit, delay, fitters, grid, instruments, lag, oscillator
from bench.machine import machine
from bench.readme import HEADER, write
from bench.row import Row

BENCHMARKS: dict[str, Callable[[], list[Row]]] = {
    "lag": lag.rows,
    "delay": delay.rows,
    "oscillator": oscillator.rows,
    "grid": grid.rows,
    "fitters": fitters.rows,
    "audit": audit.rows,
    "instruments": instruments.rows,
}


def show(name: str, rows: Sequence[Row], console: Console) -> None:
    """Print one benchmark's table."""
    table = Table(title=name, title_justify="left", title_style="bold")
    for column in HEADER:
        table.add_column(column, justify="right" if column == "ratio" else "left")
    for row in rows:
        table.add_row(*row.cells(), style="red" if row.met is False else None)
    console.print(table)


def main() -> int:
    """Run; the exit code is 1 where something asked for was not reached."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Errors and speed ratios, in one run.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--write", action="store_true", help="rewrite the tables of these in bench/README.md")
    given = parser.parse_args()
    for name in given.names:
        if name not in BENCHMARKS:
            parser.error(f"{name!r} is none of {', '.join(BENCHMARKS)}")
    console = Console() if sys.stdout.isatty() else Console(width=150)
    console.print(machine())
    table: dict[str, Sequence[Row]] = {}
    for name in given.names or BENCHMARKS:
        table[name] = BENCHMARKS[name]()
        show(name, table[name], console)
    if given.write:
        write(table)
    return int(any(row.met is False for rows in table.values() for row in rows))


if __name__ == "__main__":
    sys.exit(main())
