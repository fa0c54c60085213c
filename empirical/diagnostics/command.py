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
    momentum: Annotated[
        float | None,
        typer.Option(min=0.0, max=0.999999, help="AdamW's beta_1, or momentum.", show_default="from the log, else 0.9"),
    ] = None,
    refresh: Annotated[
        int | None,
        typer.Option(min=1, max=4096, help="Optimizer steps a generation serves.", show_default="from the log"),
    ] = None,
    knob: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="learning_rate, momentum, refresh or group_size: one value, or one for each RUN, with commas between.",
            show_default="from the logs",
        ),
    ] = None,
) -> None:
    """Diagnose runs: plateau, dynamics, coupling, degeneracy, concentration, stability.

    Several runs are also compared as a function of the knob in which they differ.

    Writes DIR/report.html (one page, no external resources), DIR/report.json (every number) and DIR/figures.

    Exit code: 0; 1 where something named in --fail-on was FOUND; 2 for bad input (nothing is written).
    """
    with refusals():
        from empirical import report
        from empirical.diagnostics import NAMES, Run, Verdict, comparison
        from empirical.diagnostics import diagnose as ask
        from empirical.diagnostics.settings import settings
        from empirical.logs.reading import read

        wanted = {name.strip() for name in fail_on.split(",") if name.strip()} - {"none"}
        for name in sorted(wanted - {"any", *NAMES}):
            raise InputError(
                "--fail-on",
                found=repr(name),
                expected=f"any, none, or some of {', '.join(NAMES)}",
                todo="correct the name",
            )
        given = settings(knob or [], len(runs), {"group_size": group_size, "momentum": momentum, "refresh": refresh})
        logs = [read(run) for run in runs]
        judged = []
        for path, log, told in zip(runs, logs, given, strict=True):
            run = Run(log, str(path), **told)
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
        for line in comparison.lines([(one.run, one.diagnoses) for one in judged]):
            sys.stdout.write(f"compared: {line}\n")
        sys.stdout.write(f"report: {page}\n")
        if failed:
            raise typer.Exit(1)
