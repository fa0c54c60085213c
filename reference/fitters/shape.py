"""The shape of a law: its progress s(x; q), so that R = low + (high - low) s.

Times are x = t/span in [0, 1], span the last time of the record. Coordinates q are scalars, or arrays that
broadcast against x: one call then evaluates a whole grid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reference.domain import Floats
from reference.fitters.coordinate import Coordinate

Coordinates = tuple[Floats | float, ...]
Progress = Callable[[Floats, Coordinates], tuple[Floats, tuple[Floats, ...]]]
Grid = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Shape:
    """A progress curve with its coordinates.

    Attributes:
        coordinates: the nonlinear parameters.
        progress: (x, q) -> s and its derivatives by each coordinate.
        grid: x -> starting points of the global search, shape (points, coordinates); so dense that each basin of
            the least-squares surface holds one.
        edges: x -> the ends of the search, shape (coordinates, 2).
        bulk: (x, q) -> s alone, for a grid; good to 1e-6 of its largest, or to some 1e-3 where it is interpolated.
        basins: grid points to descend from, at most.
        early: whether whatever happens at x happens over times of the order of x, so that later data may be
            averaged in wider blocks for the first look.
    """

    coordinates: tuple[Coordinate, ...]
    progress: Progress
    grid: Grid
    edges: Grid
    bulk: Callable[[Floats, Coordinates], Floats]
    early: bool = True
    basins: int = 12


def first_gap(x: Floats) -> float:
    """The smallest positive time: nothing faster shows in the data."""
    return float(x[0] if x[0] > 0 else x[1])


def finest_gap(x: Floats) -> float:
    """The smallest interval between data."""
    return float(np.diff(x).min())


def axis(low: float, high: float, step: float) -> Floats:
    """Equally spaced from `low` to `high`, no more than `step` apart."""
    return np.linspace(low, high, max(2, int(np.ceil((high - low) / step)) + 1))


def product(*axes: Floats) -> Floats:
    """All combinations, shape (points, axes)."""
    return np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=-1)
