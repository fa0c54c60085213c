"""The command `audit`: `python -m empirical audit TABLE.csv`."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from empirical.audit.grid import Estimator
from empirical.audit.hypothesis import PER_SEED, SAMPLES, SEEDS, rules
from empirical.audit.rounding import Rounding
from empirical.audit.table import LARGEST, pass_at, published_cells, read_cells
from empirical.errors import InputError, refusals

T = TypeVar("T")
WIDTH = 160  # columns of the report where it does not go to a terminal


class Scale(StrEnum):
    """What a perfect score is printed as."""

    PERCENT = "percent"
    PROPORTION = "proportion"


class View(StrEnum):
    """The hypothesis under which the cells are shown."""

    BEST = "best"
    SHARPEST = "sharpest"


def audit(
    table: Annotated[
        Path | None,
        typer.Argument(metavar="TABLE.csv", help="One cell a row, as printed.", show_default=False),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Audit Table 1 of the paper instead of a file.")
    ] = False,
    scale: Annotated[Scale, typer.Option(help="What the numbers are.")] = Scale.PERCENT,
    metric: Annotated[
        str, typer.Option(help="pass@K or accuracy, where the table has no column 'metric'.")
    ] = "accuracy",
    problems: Annotated[
        str | None, typer.Option(help="Problems behind a mean, where the table does not say; or candidates.")
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            help="Seeds, where the table does not say; or candidates.",
            show_default=",".join(map(str, SEEDS)),
        ),
    ] = None,
    samples: Annotated[
        str | None,
        typer.Option(
            help="Samples a problem, where the table does not say; or candidates.",
            show_default=",".join(map(str, SAMPLES)),
        ),
    ] = None,
    ddof: Annotated[str, typer.Option(help="Divisor of the variance is seeds - ddof; candidates.")] = "0,1",
    rounding: Annotated[
        str, typer.Option(help="Candidates for the last rounding.")
    ] = "half-up,half-even,truncation,binary",
    per_seed: Annotated[
        str,
        typer.Option(help="Candidates for a rounding of each seed's score before averaging; none for no such."),
    ] = "none,half-up,half-even,truncation",
    estimator: Annotated[str, typer.Option(help="Candidates for pass@k.")] = "unbiased,any",
    vary: Annotated[
        str,
        typer.Option(
            help="Labels between whose values the samples may vary in the mixed hypothesis, "
            "such as benchmark,model; --published starts with these two.",
            show_default="none",
        ),
    ] = "",
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every number here.", show_default=False)
    ] = None,
    show: Annotated[
        View, typer.Option(help="Show the cells under the best single rule, or the sharpest hypothesis.")
    ] = View.SHARPEST,
    top: Annotated[int, typer.Option(min=1, help="Rules to list.")] = 10,
) -> None:
    """Audit a table of means and standard deviations over seeds: which scores can be behind each cell?

    GRIM, GRIMMER and DEBIT in exact arithmetic, under every combination of the candidates given.

    The columns of TABLE.csv: mean (as printed, trailing zeros included); optionally std, problems, seeds,
    samples and metric (pass@1, pass@5, accuracy); all others name the cell. A row's own numbers take
    precedence over options.

    "best" is the single rule that explains most cells; "sharpest" the hypothesis with the most evidence,
    which also counts against a rule that it could explain almost any number.

    Exit code: 0 where one rule explains every cell, 1 where none does, 2 for bad input.

    What to do about a cell that nothing explains: look for a typing error (cells close by are listed), then
    for a wrong number of problems, seeds or samples, then ask for the per-seed numbers.
    """
    with refusals():
        if (table is None) == (not published):
            raise typer.BadParameter("give either a TABLE.csv or --published", param_hint="TABLE.csv")
        if pass_at(metric) is None:
            raise typer.BadParameter(f"{metric!r} is neither pass@K nor accuracy", param_hint="--metric")
        candidates: dict[str, Any] = {
            "rounding": _choices(rounding, {str(r): r for r in Rounding}, "--rounding"),
            "per_seed": _choices(per_seed, {str(r or "none"): r for r in PER_SEED}, "--per-seed"),
            "estimator": _choices(estimator, {str(e): e for e in Estimator}, "--estimator"),
            "ddof": _choices(ddof, {"0": 0, "1": 1}, "--ddof"),
            "samples": SAMPLES if samples is None else _counts(samples, "samples"),
        }
        seed_counts = SEEDS if seeds is None else _counts(seeds, "seeds")
        problem_counts = () if problems is None else _counts(problems, "problems")
        from empirical.audit.audit import audit as try_all
        from empirical.audit.report import show as show_audit
        from empirical.audit.report import target, write_json

        if json is not None:
            target(json)
        if table is not None:
            cells = read_cells(table, scale=scale, metric=metric, need_problems=problems is None)
        else:
            cells = published_cells()
        varied = tuple(name.strip() for name in vary.split(",") if name.strip())
        for name in varied:
            if name not in cells[0].labels:
                raise InputError(
                    table or "Table 1",
                    line=1,
                    column=name,
                    found="no such label",
                    expected=f"one of {', '.join(cells[0].labels)}",
                    todo="give names of label columns to --vary",
                )
        if any(cell.seeds is None for cell in cells):
            candidates["seeds"] = seed_counts
        if any(cell.problems is None for cell in cells):
            candidates["problems"] = problem_counts
        if all(cell.samples is not None for cell in cells):
            candidates["samples"] = (cells[0].samples or 1,)
        result = try_all(cells, rules(**candidates), varied or (("benchmark", "model") if published else ()))
        if json is not None:
            write_json(result, json)
        from rich.console import Console

        console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
        show_audit(result, console, view=show, listed=top)
    raise typer.Exit(0 if result.best.total == len(cells) else 1)


def _choices(text: str, known: dict[str, T], option: str) -> tuple[T, ...]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is none of {', '.join(known)}", param_hint=option)
    return tuple(known[name] for name in dict.fromkeys(names))


def _counts(text: str, name: str) -> tuple[int, ...]:
    numbers = [part.strip() for part in text.split(",")]
    for part in numbers:
        if not (part.isascii() and part.isdigit() and 1 <= int(part) <= LARGEST[name]):
            raise typer.BadParameter(
                f"{part!r} is not a whole number from 1 to {LARGEST[name]}", param_hint=f"--{name}"
            )
    return tuple(dict.fromkeys(int(part) for part in numbers))
