"""Regime: whether a trajectory approaches a value monotonically, overshoots it once, or rings about it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference import domain

MONOTONE, OVERSHOOTING, OSCILLATORY = 0, 1, 2


def crossings(trajectory: ArrayLike, target: float, tolerance: float = 1e-3) -> NDArray[np.int64]:
    """Count how often each trajectory changes the side of the target on which it lies.

    Args:
        trajectory: values along the first axis, shape (steps + 1, ...), finite.
        target: the value about which sides are told apart.
        tolerance: half-width of the dead band about the target, as a share of the starting distance, in (0,
            1); inside it a trajectory keeps its last side, so rounding and tiny ripples do not count.

    Returns:
        Integer array of the shape ....

    Raises:
        ValueError: an argument lies outside its domain.
    """
    x = domain.array("trajectory", trajectory)
    if x.ndim == 0 or not len(x):
        raise ValueError(f"trajectory = {x}; expected an array with its steps, at least one, along the first axis")
    target = domain.number("target", target)
    tolerance = domain.number("tolerance", tolerance, 0.0, 1.0, closed=False)
    band = tolerance * np.abs(x[0] - target)
    side = np.sign(x[0] - target)
    count = np.zeros(x.shape[1:], dtype=np.int64)
    for row in x[1:]:
        away = row - target
        now = np.where(np.abs(away) > band, np.sign(away), side)
        count += now * side < 0.0
        side = now
    return count


def classify(trajectory: ArrayLike, target: float, tolerance: float = 1e-3) -> NDArray[np.int64]:
    """Sort trajectories into MONOTONE (no crossing of the target), OVERSHOOTING (one) and OSCILLATORY (more).

    Args, Raises: as for `crossings`.

    Returns:
        Integer array of 0, 1 and 2. A run that is absorbed beyond the target counts as OVERSHOOTING: see
        `settled`.

    Source: the three regimes of the paper's Figure 7, whose rule it does not state.
    """
    return np.minimum(crossings(trajectory, target, tolerance), OSCILLATORY)


def settled(trajectory: ArrayLike, target: float, tolerance: float = 1e-3) -> NDArray[np.bool_]:
    """Tell whether the last tenth of each trajectory stays inside the dead band about the target.

    Args, Raises: as for `crossings`.

    Returns:
        Boolean array of the shape of one step.
    """
    x = domain.array("trajectory", trajectory)
    if x.ndim == 0 or not len(x):
        raise ValueError(f"trajectory = {x}; expected an array with its steps, at least one, along the first axis")
    target = domain.number("target", target)
    tolerance = domain.number("tolerance", tolerance, 0.0, 1.0, closed=False)
    tail = x[-max(len(x) // 10, 1) :]
    out: NDArray[np.bool_] = np.all(np.abs(tail - target) <= tolerance * np.abs(x[0] - target), axis=0)
    return out
