"""Show an audit on the terminal, and write all of it as JSON."""

import json
import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empirical.audit.audit import Audit, CellReport, Hypothesis, Ranked
from empirical.audit.cell import Cell
from empirical.audit.hypothesis import Mixed, Rule
from empirical.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 3  # explanations of a cell that fit on the terminal


def number(value: Fraction) -> str:
    """A rational as a decimal where it has one of at most six digits, otherwise as a fraction."""
    scaled = value * 10**6
    if scaled.denominator == 1:
        return f"{scaled.numerator // 10**6}.{scaled.numerator % 10**6:06d}".rstrip("0").rstrip(".")
    return str(value)


def explanations(report: CellReport) -> str:
    """The first sets of per-seed scores that explain a cell, and how many more there are."""
    if not report.grimmer:
        near = ", ".join(cell.shown for cell in report.nearest[:SHOWN])
        return "nothing" + (f"; close by: {near}" if near else "")
    if not report.found:
        return "scores finer than the print"
    shown = "  ".join(f"({', '.join(number(value) for value in values)})" for values in report.explanations[:SHOWN])
    more = report.found - SHOWN
    return shown + (f"  and {more}{'' if report.complete else ' or more'} others" if more > 0 else "")


def show(audit: Audit, console: "Console", *, view: str = "best", listed: int = 10) -> None:
    """Print the ranking of the rules, the cells under one hypothesis, and the verdict.

    Args:
        audit: the audit.
        console: where to.
        view: under which hypothesis the cells are shown: "best" or "sharpest".
        listed: how many rules are listed.
    """
    from rich.markup import escape
    from rich.table import Table

    size = len(audit.cells)
    ranking = Table(title="Rules, by the number of cells explained", title_justify="left")
    for heading in ("rank", "explained", "evidence (log10)"):
        ranking.add_column(heading, justify="right")
    ranking.add_column("rule")
    for rank, ranked in enumerate(audit.ranking[:listed], 1):
        ranking.add_row(str(rank), f"{ranked.total}/{size}", _evidence(ranked), str(ranked.hypothesis))
    for ranked in audit.mixed[:1]:
        ranking.add_row("mixed", f"{ranked.total}/{size}", _evidence(ranked), escape(str(ranked.hypothesis)))
    console.print(ranking)

    chosen = audit.best if view == "best" else audit.sharpest
    table = Table(title=escape(f"Cells under: {chosen.hypothesis}"), title_justify="left")
    table.add_column("line", justify="right")
    table.add_column("cell")
    table.add_column("printed", justify="right", no_wrap=True)
    for heading in ("GRIM", "DEBIT", "GRIMMER"):
        table.add_column(heading)
    table.add_column("explains by chance", justify="right")
    table.add_column("per-seed scores")
    for report in audit.reports(chosen.hypothesis):
        table.add_row(
            str(report.cell.line or ""),
            escape(report.cell.name),
            report.cell.shown,
            *(_mark(passed) for passed in (report.grim, report.debit, report.grimmer)),
            f"{float(report.permissiveness):.0%}",
            escape(explanations(report)),
            style=None if report.grimmer else "bold red",
        )
    console.print(table)
    for name, ranked in (("Best single rule", audit.best), ("Sharpest hypothesis", audit.sharpest)):
        console.print(f"{name}: {escape(str(ranked.hypothesis))}", highlight=False)
        console.print(f"  explains {ranked.total} of {size} cells.", highlight=False)
        for cell in _unexplained(audit, ranked):
            console.print(f"  not explained: {escape(where(cell))}", highlight=False)
    for cell in audit.inexplicable:
        console.print(f"No rule explains: {escape(where(cell))}", highlight=False)
    if audit.best.total < size:
        console.print(
            "What to do: compare the cells not explained with the per-seed logs; widen --samples, --seeds or "
            "--vary if the hypotheses are too narrow.",
            highlight=False,
        )


def where(cell: Cell) -> str:
    """A cell by line, name and print."""
    return (f"line {cell.line}: " if cell.line else "") + f"{cell.name}: {cell.shown}"


def as_json(audit: Audit) -> dict[str, Any]:
    """The whole audit in JSON's types; rationals are strings such as "61/3"."""
    return {
        "cells": [_cell(cell) for cell in audit.cells],
        "ranking": [_ranked(audit, ranked) for ranked in audit.ranking],
        "mixed": [_ranked(audit, ranked) for ranked in audit.mixed],
        "best": _reported(audit, audit.best),
        "sharpest": _reported(audit, audit.sharpest),
        "inexplicable": [audit.cells.index(cell) for cell in audit.inexplicable],
    }


def target(path: Path) -> Path:
    """The regular file behind a path, which need not exist yet.

    Raises:
        InputError: it is something else, or its folder does not exist or cannot be written to.
    """
    path = path.resolve()
    problem = None
    if path.exists() and not path.is_file():
        problem = "a folder or a device"
    elif not path.parent.is_dir():
        problem = "no such folder"
    elif not os.access(path.parent, os.W_OK):
        problem = "a folder that cannot be written to"
    if problem:
        raise InputError(
            path,
            found=problem,
            expected="a file in a folder that can be written to",
            todo="give another path to --json",
        )
    return path


def write_json(audit: Audit, path: Path) -> None:
    """Write the audit; an existing file is replaced only by a complete one.

    Raises:
        InputError: the file cannot be written.
    """
    path = target(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(json.dumps(as_json(audit), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            path,
            found=error.strerror or "an error",
            expected="a file that can be written",
            todo="give another path to --json",
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def _evidence(ranked: Ranked) -> str:
    return "" if ranked.evidence is None else f"{ranked.evidence:.1f}"


def _mark(passed: bool) -> str:
    return "yes" if passed else "no"


def _unexplained(audit: Audit, ranked: Ranked) -> Iterable[Cell]:
    return (cell for cell, explained in zip(audit.cells, ranked.explained, strict=True) if not explained)


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "line": cell.line,
        "labels": cell.labels,
        "mean": str(cell.mean),
        "std": None if cell.std is None else str(cell.std),
        "problems": cell.problems,
        "seeds": cell.seeds,
        "samples": cell.samples,
        "k": cell.k,
        "scale": cell.scale,
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "rounding": rule.rounding,
        "per_seed": rule.per_seed,
        "ddof": rule.ddof,
        "samples": rule.samples,
        "estimator": rule.estimator,
        "seeds": rule.seeds,
        "problems": rule.problems,
        "per_seed_decimals": rule.per_seed_decimals,
    }


def _hypothesis(hypothesis: Hypothesis) -> dict[str, Any]:
    if isinstance(hypothesis, Mixed):
        return {
            "text": str(hypothesis),
            **_rule(hypothesis.rule),
            "vary": list(hypothesis.columns),
            "exceptions": [
                {"group": list(group), "estimator": estimator, "samples": samples}
                for group, (estimator, samples) in hypothesis.exceptions
            ],
        }
    return {"text": str(hypothesis), **_rule(hypothesis)}


def _ranked(audit: Audit, ranked: Ranked) -> dict[str, Any]:
    return {
        "rule": _hypothesis(ranked.hypothesis),
        "explained": ranked.total,
        "of": len(audit.cells),
        "evidence_log10": ranked.evidence,
        "unexplained": [i for i, explained in enumerate(ranked.explained) if not explained],
    }


def _reported(audit: Audit, ranked: Ranked) -> dict[str, Any]:
    return {
        **_ranked(audit, ranked),
        "cells": [
            {
                "explained": report.grimmer,
                "grim": report.grim,
                "debit": report.debit,
                "grimmer": report.grimmer,
                "permissiveness": str(report.permissiveness),
                "found": report.found,
                "complete": report.complete,
                "per_seed": [[str(value) for value in values] for values in report.explanations],
                "counts": [[list(sources) for sources in found] for found in report.counts],
                "denominator": report.denominator,
                "nearest": [cell.shown for cell in report.nearest],
            }
            for report in audit.reports(ranked.hypothesis)
        ],
    }
