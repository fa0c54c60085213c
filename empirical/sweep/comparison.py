"""Comparison: every sampled condition against its control, with intervals over the pairs of warm-up and seed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from empirical.sweep.cell import Cell, is_control
from empirical.sweep.effects import Difference, difference, predicted_drop
from empirical.sweep.modes import Modes, modes
from empirical.sweep.protocol import Reading, drop, read
from empirical.sweep.store import Result

END = 0.95  # plateau of the oscillator that Theorem 7 predicts where beta = 0


@dataclass(frozen=True)
class Comparison:
    """A sampled condition against its control, over the pairs of the same warm-up and seed.

    Attributes:
        cell: the condition, at its first pair.
        control: what it is compared with, at that pair.
        t80: steps later, None where a run never gets there.
        drop: the largest fall, more than the control's.
        plateau: mean of the last quarter, more than the control's.
        late_sd: about a straight line there, more than the control's.
        fell: how many runs fall by more than 0.01.
        twin: the largest fall of the condition's noise-free twins, nan without one.
        predicted: the fall that Theorem 7 has with the stiffness of the stiffest mode; nan where it was not measured.
    """

    cell: Cell
    control: Cell
    t80: Difference | None
    drop: Difference
    plateau: Difference
    late_sd: Difference
    fell: int
    twin: float
    predicted: float

    @property
    def power(self) -> float:
        """The probability that the drop's interval lies above 0 if the true one were `predicted`."""
        return self.drop.power(self.predicted)

    @property
    def name(self) -> str:
        """The condition in words."""
        c = self.cell
        parts = [c.arm]
        parts += [f"interval {c.interval}"] if c.interval > 1 else []
        parts += [f"delay {c.delay}"] if c.delay else []
        parts += [f"G = {c.size}"] if c.size != 8 else []
        return ", ".join(parts)


def target(cell: Cell) -> float | None:
    """The finite-group fixed point that a run with beta > 0 settles at, None where beta = 0."""
    if not cell.beta:
        return None
    from reference.bandit import finite_fixed_points

    return float(finite_fixed_points(0.3, cell.beta, cell.size, 1)[-1].p)


def reading(result: Result, steps: int | None = None) -> Reading:
    """A run by the protocol.

    Args:
        result: the run.
        steps: how many of its steps to read, None for all.
    """
    p = result.p if steps is None else result.p[: steps + 1]
    return read(p, target(result.cell))


def largest_drop(found: Reading) -> float:
    """The larger of the two drops of a run."""
    return max(found.rise_drop, 0.0 if np.isnan(found.late_drop) else found.late_drop)


def _same(a: Cell, b: Cell, *names: str) -> bool:
    return all(getattr(a, name) == getattr(b, name) for name in names)


SETTING = ("learning_rate", "optimizer", "momentum", "beta", "variant", "sequences")


def control_of(result: Result, results: Sequence[Result]) -> Result | None:
    """The run without lag of the same setting, warm-up and seed; for one without lag, that of the usual group."""
    cell = result.cell
    found = [
        r for r in results
        if r.cell.kind == "sampled" and is_control(r.cell) and _same(cell, r.cell, *SETTING, "warm_up", "seed")
    ]  # fmt: skip
    own = [r for r in found if _same(cell, r.cell, "size", "scale") and r.cell != cell]
    usual = [r for r in found if r.cell.size == 8 and r.cell.scale == "group" and r.cell != cell]
    if not is_control(cell):
        return own[0] if own else None
    return usual[0] if usual and not _same(cell, usual[0].cell, "size", "scale") else None


def compare(results: Sequence[Result]) -> list[Comparison]:
    """Every sampled condition with two pairs or more, in the order of the results."""
    groups: dict[tuple[object, ...], list[tuple[Result, Result]]] = {}
    for r in results:
        other = control_of(r, results) if r.cell.kind == "sampled" else None
        if other is not None:
            groups.setdefault(r.cell.condition, []).append((r, other))
    stiffest = modes(results)
    return [_compare(pairs, results, stiffest) for pairs in groups.values() if len(pairs) > 1]


def _compare(pairs: Sequence[tuple[Result, Result]], results: Sequence[Result], stiffest: Modes | None) -> Comparison:
    cell, control = pairs[0][0].cell, pairs[0][1].cell
    steps = min(cell.steps, control.steps)
    readings = [(reading(a, steps), reading(b, steps)) for a, b in pairs]

    def column(name: str) -> Difference | None:
        a, b = (np.array([getattr(r[k], name) for r in readings]) for k in (0, 1))
        return difference(a, b) if np.isfinite(a).all() and np.isfinite(b).all() else None

    falls = [(largest_drop(a), largest_drop(b)) for a, b in readings]
    plateau, late_sd = column("plateau"), column("late_sd")
    assert plateau is not None
    assert late_sd is not None
    twins = [
        drop(r.p)
        for r in results
        if r.cell.kind == "twin"
        and _same(r.cell, cell, "learning_rate", "optimizer", "momentum", "beta", "variant", "size", "scale")
        and _same(r.cell, cell, "interval", "delay", "ratio", "clip", "ceiling", "steps")
    ]
    return Comparison(
        cell,
        control,
        column("t80"),
        difference(np.array([a for a, _ in falls]), np.array([b for _, b in falls])),
        plateau,
        late_sd,
        sum(a > 0.01 for a, _ in falls),
        max(twins, default=float("nan")),
        _predicted(cell, stiffest),
    )


def _predicted(cell: Cell, stiffest: Modes | None) -> float:
    """Theorem 7's drop with the smallest of the measured top eigenvalues: the least that it predicts."""
    lag = cell.delay or (cell.interval if cell.interval > 1 else 0)
    usual = cell.optimizer == "sgd" and cell.size == 8 and cell.scale == "group" and cell.variant == "one"
    if stiffest is None or not lag or not usual:
        return float("nan")
    stiffness, end = (min(stiffest.plateau, default=float("nan")), target(cell)) if cell.beta else (stiffest.least, END)
    if np.isnan(stiffness) or end is None:
        return float("nan")
    return predicted_drop(cell.learning_rate, cell.momentum, stiffness, lag, 0.3, end, cell.steps)
