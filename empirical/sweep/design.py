"""The design: which cells a sweep has. Nothing here was chosen after a look at a sampled run of the sweep.

A condition is compared with the lag-0 condition of the same learning rate, at the same warm-ups and seeds.
"""

from dataclasses import replace
from typing import Any

from empirical.sweep.cell import Cell

WARM_UPS = (0, 1)
MORE = (2, 3, 4, 5)  # warm-ups of the full sweep's noise-free cells alone: they cost seconds, and intervals need them
MAIN = tuple((w, s) for w in WARM_UPS for s in (0, 1, 2))
SIDE = tuple((w, s) for w in WARM_UPS for s in (0, 1))
FEW = ((0, 0), (1, 1), (0, 1))
RATE, FAST, ADAM = 5e-4, 2e-3, 1e-3  # learning rates
SHORT = 200  # steps where the run settles sooner
BETA = 1.0  # a KL weight with its plateau well inside: p* = 0.737 at G = 8 (`reference.bandit.finite_fixed_points`)
BASE = {"sequences": 128, "learning_rate": RATE, "steps": 300}
QUICK = {"sequences": 128, "learning_rate": FAST, "steps": SHORT}
PLATEAU = {**QUICK, "beta": BETA}
WAY = (1, 40, 80, 150)  # steps of the rise at which the force is linearised

Condition = tuple[str, dict[str, Any], tuple[tuple[int, int], ...]]

FULL: tuple[Condition, ...] = (
    *(("refresh", {**BASE, "interval": k}, MAIN) for k in (1, 64, 16, 4)),
    *(("delay", {**BASE, "delay": k}, SIDE) for k in (16, 2)),
    *(("no ratio", {**BASE, "interval": k, "ratio": False}, SIDE) for k in (64, 16)),
    ("clip", {**BASE, "interval": 64, "clip": 0.2}, SIDE),
    ("two-sided clip", {**BASE, "interval": 64, "clip": 0.2, "ceiling": 2.0}, SIDE),
    *(("plateau", {**PLATEAU, "interval": k}, SIDE) for k in (1, 64, 16)),
    ("plateau size", {**PLATEAU, "size": 2}, SIDE),
    ("plateau delay", {**PLATEAU, "delay": 16}, SIDE),
    *(("size", {**BASE, "size": g}, SIDE) for g in (2, 16, 4)),
    *(("fast", {**QUICK, "interval": k}, SIDE) for k in (1, 64)),
    *(("scale none", {**BASE, "steps": SHORT, "interval": k, "scale": "none"}, FEW) for k in (1, 64)),
    *(("adamw", {**QUICK, "optimizer": "adamw", "learning_rate": ADAM, "interval": k}, FEW) for k in (1, 64)),
    ("reuse", {**BASE, "interval": 16, "iterations": 16}, FEW),
    *(("two tokens", {**BASE, "steps": SHORT, "variant": "two", "interval": k}, FEW) for k in (1, 16)),
)
DEFAULT: tuple[Condition, ...] = (
    *(("refresh", {**BASE, "steps": SHORT, "interval": k}, SIDE) for k in (1, 64)),
    ("delay", {**BASE, "steps": SHORT, "delay": 16}, FEW),
    ("no ratio", {**BASE, "steps": SHORT, "interval": 64, "ratio": False}, FEW),
    *(("plateau", {**PLATEAU, "interval": k}, FEW) for k in (1, 64)),
    ("size", {**BASE, "steps": SHORT, "size": 2}, FEW),
)


def has_twin(cell: Cell) -> bool:
    """Whether the exact expected update of a condition is known."""
    return cell.variant == "one" or cell.interval == 1


def twins(cells: list[Cell]) -> list[Cell]:
    """A twin for every condition and warm-up that has one.

    The order of prompts, the number of completions and their reuse do not enter an expectation.
    """
    found = [replace(c, kind="twin", seed=0, iterations=1, sequences=c.size) for c in cells if has_twin(c)]
    return list(dict.fromkeys(found))


def stiffness(way: tuple[int, ...], warm_ups: tuple[int, ...] = WARM_UPS) -> list[Cell]:
    """Where the linearised force is looked at: along the rise, and at the interior plateau."""
    return [
        *(Cell("stiffness", "stiffness", warm_up=w, learning_rate=RATE, steps=k) for w in warm_ups for k in way),
        *(
            Cell("stiffness", "stiffness", warm_up=w, learning_rate=FAST, steps=SHORT, beta=BETA)
            for w in warm_ups
        ),
    ]  # fmt: skip


def noise_free() -> list[Cell]:
    """The twins and the stiffness of `MORE`: what the lag, the delay and the group size do without sampling."""
    named = [(arm, fields) for arm, fields, _ in FULL if arm in ("refresh", "delay", "size")]
    return [*stiffness(WAY, MORE), *twins([Cell(arm, warm_up=w, **fields) for w in MORE for arm, fields in named])]


def cells(*, full: bool) -> list[Cell]:
    """The cells of a sweep, the most telling ones first.

    Args:
        full: the 75-minute sweep, otherwise the 15-minute one.
    """
    sampled = [
        Cell(arm, warm_up=w, seed=s, **fields)
        for arm, fields, pairs in (FULL if full else DEFAULT)
        for w, s in pairs
    ]  # fmt: skip
    first = 24 if full else 8  # the main comparison, and then its predictions
    return [
        *sampled[:first],
        *stiffness(WAY if full else WAY[1:3]),
        *twins(sampled),
        *(noise_free() if full else []),
        *sampled[first:],
    ]
