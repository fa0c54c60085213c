"""Blocks: averages of neighbouring data, for the first look of the search."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reference.domain import Floats
from reference.fitters.noise import Noise
from reference.fitters.problem import Problem

_EVEN = 1024  # blocks, for a law that may bend anywhere
_FINENESS = 32  # points before a block, for each point in it


@dataclass(frozen=True)
class Blocks:
    """Averages of neighbouring data.

    Attributes:
        starts: first index of each block.
        count: points in each.
        x: mean time of each.
    """

    starts: NDArray[np.int64]
    count: Floats
    x: Floats

    def average(self, problem: Problem) -> Problem:
        """The problem on the averages, with white errors."""
        w = problem.weight
        if w is None:
            mass, y = self.count, np.add.reduceat(problem.y, self.starts) / self.count
        else:
            mass = np.add.reduceat(w * w, self.starts)
            y = np.add.reduceat(w * w * problem.y, self.starts) / mass
        root = np.sqrt(mass)
        return replace(problem, x=self.x, y=y, weight=root, noise=Noise(), one=root, yw=root * y)


def divide(x: Floats, early: bool) -> Blocks:
    """Blocks of width 1 at first, then of a 32nd of the points before; of n/1024 points at most unless `early`."""
    n = x.size
    widest = n if early else max(1, n // _EVEN)
    i = min(2 * _FINENESS, n)
    starts = list(range(i))
    while i < n:
        starts.append(i)
        width = i // _FINENESS
        i += width if width < widest else widest
    first = np.array(starts)
    count = np.diff(np.append(first, x.size)).astype(np.float64)
    return Blocks(first, count, np.add.reduceat(x, first) / count)
