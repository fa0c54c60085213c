"""Steps: rows in the order of training, one a step; restarts, repeats and rows of evaluation resolved."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from empirical.logs.note import Note
from empirical.logs.numbers import Floats

Rows = NDArray[np.int64]
_FEW = 20  # one step back in so many rows can still be a restart


def resolve(step: Floats, columns: Mapping[str, Floats], lines: Rows) -> tuple[Rows, dict[str, Floats], list[Note]]:
    """One row a step, in increasing order.

    A step that goes back is a run resumed from a checkpoint: what was logged at and after that step is dropped, as
    the weights were. Rows of one step are merged; where two of them hold the same key, the later value stays.

    Args:
        step: of each row, finite whole numbers.
        columns: the values, as long as `step`.
        lines: of each row, for the notes.

    Returns:
        The steps, the columns, and what was done.
    """
    notes: list[Note] = []
    keep, order, said = _restarts(step, lines)
    notes += said
    rows = np.flatnonzero(keep) if order is None else order
    wanted = step[rows]
    if wanted.size < 2 or bool(np.all(np.diff(wanted) > 0)):
        chosen = rows if rows.size < step.size else None
        out = {name: values if chosen is None else values[chosen] for name, values in columns.items()}
        return wanted.astype(np.int64), out, notes
    unique, where = np.unique(wanted, return_inverse=True)
    merged: dict[str, Floats] = {}
    conflicts: dict[str, int] = {}
    for name, values in columns.items():
        there = ~np.isnan(values[rows])
        out_column = np.full(unique.size, np.nan)
        out_column[where[there]] = values[rows][there]  # of repeated indices numpy keeps the last
        merged[name] = out_column
        repeated = int(there.sum()) - int((~np.isnan(out_column)).sum())
        if repeated:
            different = int((values[rows][there] != out_column[where[there]]).sum())
            if different:
                conflicts[name] = different
    joined = wanted.size - unique.size
    notes.append(Note("merged", f"{joined} rows into another row of the same step"))
    if conflicts:
        worst = sorted(conflicts, key=lambda name: -conflicts[name])[:3]
        told = ", ".join(f"{name} ({conflicts[name]})" for name in worst)
        notes.append(Note("repaired", f"steps logged twice with different values: the later one was kept: {told}"))
    return unique.astype(np.int64), merged, notes


def _restarts(step: Floats, lines: Rows) -> tuple[NDArray[np.bool_], Rows | None, list[Note]]:
    """Rows to keep; or an order, where the rows are only shuffled."""
    back = np.flatnonzero(np.diff(step) < 0) + 1
    keep = np.ones(step.size, dtype=bool)
    if not back.size:
        return keep, None, []
    if back.size > max(3, step.size / _FEW):
        order = np.argsort(step, kind="stable")
        return keep, order, [Note("repaired", f"steps go back in {back.size} of {step.size} rows: they were sorted")]
    notes = []
    bounds = [*back.tolist(), step.size]
    for start, end in pairwise(bounds):
        resumed = step[start:end].min()
        lost = keep[:start] & (step[:start] >= resumed)
        keep[:start] &= ~lost
        notes.append(
            Note(
                "dropped",
                f"{int(lost.sum())} rows: at line {lines[start]} the step goes back from {step[start - 1]:g} to "
                f"{step[start]:g}, a run started again; earlier rows from step {resumed:g} on are superseded",
            )
        )
    return keep, None, notes


def spacing(step: Rows) -> tuple[int, int]:
    """The usual distance between steps, and how many steps at that distance are missing."""
    if step.size < 2:
        return 1, 0
    gaps = np.diff(step)
    values, counts = np.unique(gaps, return_counts=True)
    usual = int(values[np.argmax(counts)])
    return usual, int(np.maximum(gaps // usual - 1, 0).sum())
