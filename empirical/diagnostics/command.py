"""The command `diagnose`: `python -m empirical diagnose RUN [RUN ...] --out DIR`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from empirical.errors import InputError, refusals


def diagnose(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Logs, or folders of runs.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path("report"),
    fail_on: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Exit 1 where one of these is FOUND: names of diagnoses, `any`, or `none`."),
    ] = "none",
    group_size: Annotated[
        int | None, typer.Option(min=2, max=4096, help="Completions a prompt.", show_default="from the log")
    ] = None,
    momentum: Annotated[float, typer.Option(min=0.0, max=0.999999, help="AdamW's beta_1, or momentum.")] = 0.9,
    refresh: Annotated[
        int | None,
        typer.Option(min=1, max=4096, help="Optimizer steps a generation serves.", show_default="from the log"),
    ] = None,
) -> None:
    """Diagnose runs: plateau, dynamics, coupling, degeneracy, concentration, stability.

    Writes DIR/report.html (one page, no external resources), DIR/report.json (every number) and DIR/figures.

    Exit code: 0; 1 where something named in --fail-on was FOUND; 2 for bad input (nothing is written).
    """
    with refusals():
        from empirical import report
        from empirical.diagnostics import NAMES, Run, Verdict
        from empirical.diagnostics import diagnose as ask
        from empirical.logs.reading import read

        wanted = {name.strip() for name in fail_on.split(",") if name.strip()} - {"none"}
        for name in sorted(wanted - {"any", *NAMES}):
            raise InputError(
                "--fail-on",
                found=repr(name),
                expected=f"any, none, or some of {', '.join(NAMES)}",
                todo="correct the name",
            )
        logs = [read(run) for run in runs]
        judged = []
        for path, log in zip(runs, logs, strict=True):
            run = Run(log, str(path), group_size, momentum, refresh)
            judged.append(report.Judged(run, ask(run)))
        page = report.write(judged, out)
        failed = False
        for one in judged:
            sys.stdout.write(f"{one.run.name}\n")
            for note in one.run.log.notes:  # what a reader must not miss: data that is not in the verdicts
                if note.kind in ("refused", "repaired"):
                    sys.stdout.write(f"  note      {note}\n")
            for d in one.diagnoses:
                sys.stdout.write(f"  {d.verdict:<9} {d.name}: {d.says}\n")
                failed = failed or (d.verdict is Verdict.FOUND and bool(wanted & {"any", d.name}))
        sys.stdout.write(f"report: {page}\n")
        if failed:
            raise typer.Exit(1)
