"""History: what was evaluated at theta_old, under a constant lag or periodic refresh, for many cells."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reference.counts import Floats, Integers

Schedule = Literal["constant", "periodic"]


class History:
    """Remember a quantity of shape (d, c) along the steps and hand back its value at each cell's theta_old.

    Args:
        intervals: refresh interval of every cell, (c,). "constant": theta_old = theta_{k-interval}, and the
            starting value before that; 0 means no lag. "periodic": theta_old is copied where k is a multiple
            of the interval, which is at least 1; 1 means no lag.
        schedule: "constant" or "periodic".

    Source: Eq. 3 of the paper for the constant lag; trainers refresh periodically.
    """

    def __init__(self, intervals: Integers, schedule: Schedule) -> None:
        self._intervals = intervals
        self._periodic = schedule == "periodic"
        self._cells = np.arange(len(intervals))
        self._depth = 1 if self._periodic else int(intervals.max(initial=0)) + 1
        self._fresh = self._depth == 1 and not (self._periodic and bool(np.any(intervals > 1)))
        self._ring: Floats = np.empty(0)
        self._out: Floats = np.empty(0)
        self._age = np.zeros_like(intervals)
        self._back = self._cells - intervals * len(intervals)

    def old(self, step: int, current: Floats) -> Floats:
        """Store the quantity at this step (called once a step, from 0 on) and return it as of theta_old."""
        if self._fresh:
            return current
        if self._periodic:
            return self._held(step, current)
        return self._lagged(step, current)

    def _held(self, step: int, current: Floats) -> Floats:
        if step == 0:
            self._out, self._age = current.copy(), np.zeros_like(self._intervals)
        else:
            self._age += 1
            refresh: NDArray[np.bool_] = self._age == self._intervals
            np.copyto(self._out, current, where=refresh)
            np.copyto(self._age, 0, where=refresh)
        return self._out

    def _lagged(self, step: int, current: Floats) -> Floats:
        rows, cells = current.shape
        if step == 0:
            self._ring = np.empty((rows, self._depth, cells))
            self._out = np.empty_like(current)
        now = step % self._depth
        self._ring[:, now] = current
        # the slot `interval` before this one; where that is negative, counted from the end of the ring
        place = self._back + now * cells
        if step < self._depth:
            place = np.where(self._intervals > step, self._cells, place)
        np.take(self._ring.reshape(rows, -1), place, axis=1, out=self._out, mode="wrap")
        return self._out
