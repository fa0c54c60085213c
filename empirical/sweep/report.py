"""Report: effect sizes with intervals and power as Markdown, and the figures beside it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from empirical.output import folder, write
from empirical.sweep.comparison import compare
from empirical.sweep.effects import shown
from empirical.sweep.groups import noise_factors, speeds, spreads
from empirical.sweep.modes import ON_THE_RISE, modes, thresholds
from empirical.sweep.plots import render
from empirical.sweep.store import Result

REPORT = "report.md"
FIGURES = "figures"
EFFECTS = (
    "| condition | pairs | p = 0.8, steps later | largest drop, more | runs that drop > 0.01 | twin's drop "
    "| Theorem 7's drop, stiffest mode (power) | plateau, more |"
)
"""The columns of `effect_rows`."""


def effect_rows(results: Sequence[Result]) -> list[str]:
    """A table row a sampled condition."""
    rows = []
    for c in compare(results):
        twin = "-" if np.isnan(c.twin) else f"{c.twin:.3f}"
        predicted = "-" if np.isnan(c.predicted) else f"{c.predicted:.2f} ({c.power:.2f})"
        rows.append(
            f"| {c.name} | {c.drop.pairs} | {shown(c.t80, 1)} | {shown(c.drop)} | {c.fell} | {twin} | {predicted} "
            f"| {shown(c.plateau)} |"
        )
    return rows


def size_rows(results: Sequence[Result]) -> list[str]:
    """A table row a group size."""
    return [
        f"| {s.size} | {s.ratio.pairs} | {shown(s.ratio, 2)} | {s.low:.2f} to {s.high:.2f} |" for s in speeds(results)
    ]


def threshold_rows(results: Sequence[Result]) -> list[str]:
    """A table row a point near a threshold."""
    return [
        f"| {t.how} | {t.lag} | {t.factor} | {t.growth.pairs} | {shown(t.growth, 4)} "
        f"| {'-' if np.isnan(t.exact) else f'{t.exact:+.4f}'} |"
        for t in thresholds(results)
    ]


def table(head: str, rows: Sequence[str]) -> list[str]:
    """A Markdown table of finished rows with an empty line after it; nothing without rows."""
    return [head, "| " + " | ".join("---" for _ in head.strip("|").split("|")) + " |", *rows, ""] if rows else []


def text(results: Sequence[Result], figures: Sequence[str]) -> str:
    """The report.

    Args:
        results: of a sweep.
        figures: names of those that were drawn.
    """
    lines = ["# The refresh sweep", ""]
    lines += [
        f"{len(results)} cells. Intervals are Student's at 95%, over pairs of runs with the same warm-up and seed,"
    ]
    lines += ["or over warm-ups; rules: `empirical/sweep/protocol.py`.", "", "## Against the run without lag", ""]
    rows = effect_rows(results)
    lines += table(EFFECTS, rows)
    if not rows:
        lines += ["No condition has two pairs of runs yet.", ""]
    found = modes(results)
    if found is not None:
        lines += [f"## Stiffness ({len(found.warm_ups)} warm-ups)", ""]
        lines += [f"Fitted to the reward curve: {', '.join(f'{k:.2f}' for k in found.fitted)}.", ""]
        factors = [(k, *found.factor(k)) for k in ON_THE_RISE]
        each = (f"{m:.0f} [{low:.0f}, {high:.0f}] at step {k}" for k, m, low, high in factors)
        lines += [f"Top eigenvalue of the linearised force over it: {', '.join(each)}.", ""]
    near = threshold_rows(results)
    lines += ["## Thresholds: growth a step of a push along the stiffest mode", ""] if near else []
    lines += table(
        "| lag is a | steps | learning rate over the predicted limit | warm-ups | growth | exact map |", near
    )
    speed = size_rows(results)
    lines += ["## Group size: steps to p = 0.8 over those of G = 8, noise-free", ""] if speed else []
    lines += table("| G | warm-ups | ratio | range that the exact drift allows |", speed)
    spread = [
        f"| {s.size} | {s.runs} | {shown(s.std, 4)} | {shown(s.large)} | {shown(s.collapsed)} |"
        for s in spreads(results)
    ]
    lines += ["## Logged within-group spread", ""] if spread else []
    lines += table("| G | runs | less E[std_G](p) | less sqrt(p (1-p)) | collapsed, less p^G + (1-p)^G |", spread)
    noise = noise_factors(results)
    if noise:
        each = (f"{m:.1f} [{low:.1f}, {high:.0f}] at interval {k}" for k, (m, low, high) in noise.items())
        lines += ["## Noise of a step over that without lag", "", ", ".join(each) + ".", ""]
    lines += [f"![{name}]({FIGURES}/{name}.png)" for name in figures]
    return "\n".join(lines).rstrip() + "\n"


def report(results: Sequence[Result], target: Path) -> Path:
    """Write the report and its figures into a folder.

    Args:
        results: of a sweep.
        target: the sweep's folder.

    Returns:
        The report's path.

    Raises:
        InputError: a file cannot be written.
    """
    drawn = render(results)
    if drawn:
        place = folder(target / FIGURES)
        for name, (png, svg) in drawn.items():
            write(place / f"{name}.png", png)
            write(place / f"{name}.svg", svg)
    write(target / REPORT, text(results, list(drawn)))
    return target / REPORT
