"""Scalar root: one bracketed root of an increasing function, for whole arrays at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_UNIT = float(np.finfo(np.float64).eps)


def increasing_root(
    function: Callable[[Floats], tuple[Floats, Floats]], low: Floats, high: Floats, start: Floats
) -> Floats:
    """Find where increasing functions vanish, by Newton's method inside a shrinking bracket.

    Args:
        function: maps x to (value, derivative), elementwise; increasing on every bracket.
        low: values at or left of the roots, any shape.
        high: values at or right of the roots, the same shape.
        start: first guesses inside the brackets, the same shape.

    Returns:
        The roots. A Newton step that leaves the bracket, or fails to be finite, is replaced by a bisection, so the
        iteration ends within about 60 rounds from any start; from a good one it takes 3 to 6.

    Source: safeguarded Newton iteration (Dekker 1969; Brent 1973, chapter 4).
    """
    x, low, high = start.copy(), low.copy(), high.copy()
    for _ in range(120):
        value, slope = function(x)
        np.copyto(low, x, where=value <= 0.0)
        np.copyto(high, x, where=value >= 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            proposal = x - value / slope
        inside = (proposal >= low) & (proposal <= high)
        following = np.where(inside, proposal, 0.5 * (low + high))
        done = bool(np.all(np.abs(following - x) <= 2.0 * _UNIT * np.abs(x)))
        x = following
        if done:
            break
    return x
