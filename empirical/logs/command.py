"""The command `read`: `python -m empirical read RUN`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from empirical.errors import refusals


def read(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A log, or the folder of a run.", show_default=False)],
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write what was understood here; - for the terminal.", show_default=False),
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table here.", show_default=False)] = None,
) -> None:
    """Read the log of a GRPO run and say what was understood: columns, units, meaning, repairs.

    RUN is trainer_state.json (under any name), JSON, JSONL, CSV, Parquet, TensorBoard events, a W&B export, a
    notebook or its table, console output of TRL, verl or OpenRLHF, or a folder with one of them.

    Exit code: 0, or 2 for a log that cannot be used.
    """
    with refusals():
        from empirical.logs.reading import read as read_log
        from empirical.logs.show import show, summary
        from empirical.output import WIDTH, dumps, write

        log = read_log(run)
        if csv is not None:
            write(csv, log.table.to_csv(index=False))
        if json == "-":
            sys.stdout.write(dumps(summary(log)))
            return
        if json is not None:
            write(Path(json), dumps(summary(log)))
        from rich.console import Console

        show(log, Console() if sys.stdout.isatty() else Console(width=WIDTH))
