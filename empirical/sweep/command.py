"""The command `sweep`: run the cells that are missing."""

import shlex
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from empirical.errors import InputError, refusals
from empirical.output import dumps, folder, write
from empirical.sweep import design, runner, store
from empirical.sweep.cell import Cell

RUN = "run.json"
NEEDS = ("torch", "trl", "transformers", "datasets", "joblib")


def sweep(
    full: Annotated[bool, typer.Option("--full", help="All arms and seeds: about an hour on two cores.")] = False,
    out: Annotated[Path, typer.Option(help="Folder of the sweep.")] = Path("build/empirical/sweep"),
    cluster: Annotated[
        str | None, typer.Option(help="An existing cluster: tcp://HOST:PORT (Dask) or ray://HOST:PORT (Ray).")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cells at a time on this machine.")] = 2,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the cells and stop.")] = False,
) -> None:
    """Sweep the refresh interval on a small transformer under TRL, beside its exact twin.

    Finished cells are never run twice: the same command continues a sweep that was stopped. The folder gets
    cells/ (a file a cell), sweep.jsonl.gz (all of them), report.md with its figures/, and run.json.

    Exit code: 0 done, 2 for bad input, 130 when interrupted.
    """
    with refusals():
        chosen = design.cells(full=full)
        if dry_run:
            todo = runner.missing(chosen, out)
            for cell in chosen:
                print(("to do" if cell in todo else "done ").ljust(6), cell.key, cell.settings)
            print(f"{len(todo)} of {len(set(chosen))} cells to do")
            return
        _require()
        target = folder(out)
        print(_run(chosen, target, jobs=jobs, cluster=cluster))


def _require() -> None:
    """Say what is missing before anything is started."""
    from importlib.util import find_spec

    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        raise InputError(
            "this environment", found=f"no package {missing[0]}", expected="the extra `train`",
            todo="pip install -c constraints.txt -e '.[train]'",
        )  # fmt: skip


def _run(chosen: list[Cell], target: Path, *, jobs: int, cluster: str | None) -> Path:
    """Run what is missing, pack all that is there, and report on it; the report's path."""
    from empirical.sweep.report import report
    from empirical.sweep.work import one
    from empirical.training.run import versions

    begin = time.monotonic()

    def done(cell: Cell, finished: int, of: int) -> None:
        seconds = time.monotonic() - begin
        print(f"{finished}/{of} {seconds:6.0f} s  {cell.kind} {cell.arm} {cell.settings}", file=sys.stderr, flush=True)

    try:
        count = runner.run(chosen, target, one, jobs=jobs, cluster=cluster, done=done)
    except KeyboardInterrupt:
        print(f"\nstopped. The finished cells in {target} are safe; the same command goes on.", file=sys.stderr)
        raise SystemExit(130) from None
    results = store.load(target, dict.fromkeys(chosen))
    store.pack(results, target / store.PACKED)
    if count:
        about = {
            "command": "python -m empirical " + shlex.join(sys.argv[1:]),
            "cells": len(results),
            "seconds": sum(r.values["seconds"] for r in results),
            "versions": versions(),
        }
        write(target / RUN, dumps(about))
    return report(results, target)
