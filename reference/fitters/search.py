"""The global search: the least-squares surface on a grid, then descent from its deepest basins.

The first look is on averages over blocks of data, narrow where the law can bend; what is found there is only a
start: the last descent is on all data.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference.domain import Floats
from reference.fitters.blocks import Blocks, divide
from reference.fitters.descent import descend
from reference.fitters.problem import Point, Problem
from reference.fitters.shape import Shape

_FINALISTS = 3  # and on all data
_APART = 0.25  # distance of coordinates below which two grid points are one basin
_CHUNK = 8_000  # grid values in the making at once: what the nearest cache holds


@dataclass(frozen=True)
class Lattice:
    """A shape on a grid of coordinates: q (points, d), s (points, len(blocks.x)), and the blocks."""

    q: Floats
    s: Floats
    blocks: Blocks


_lattices: OrderedDict[tuple[str, bytes], Lattice] = OrderedDict()
_KEPT = 8


def lattice(problem: Problem) -> Lattice:
    """The grid for the times and the pinned coordinates of a problem; the last few are kept."""
    shape, x = problem.family.shape, problem.x
    key = (f"{problem.family.law.name} {sorted(problem.pinned.items())}", x.tobytes())
    if key not in _lattices:
        q = shape.grid(x)
        for k, value in problem.pinned.items():
            q[:, k] = value
        if problem.pinned:
            q = np.unique(q, axis=0)
        blocks = divide(x, shape.early)
        _lattices[key] = Lattice(q[:, problem.free], _evaluated(shape, q, blocks.x), blocks)
        while len(_lattices) > _KEPT:
            _lattices.popitem(last=False)
    else:
        _lattices.move_to_end(key)
    return _lattices[key]


def forget() -> None:
    """Drop the grids that are kept."""
    _lattices.clear()


def _evaluated(shape: Shape, q: Floats, x: Floats) -> Floats:
    s = np.empty((len(q), x.size))
    rows = max(1, _CHUNK // x.size)
    with np.errstate(all="ignore"):
        for k in range(0, len(q), rows):
            part = q[k : k + rows]
            s[k : k + rows] = shape.bulk(x, tuple(part[:, c : c + 1] for c in range(q.shape[1])))
    return s


def surface(problem: Problem, s: Floats, y: Floats | None = None) -> Floats:
    """Least squares over the levels for each row of s, shape (rows,), or (rows, k) for k curves y of shape (n, k).

    The errors are white. Curves are minus `origin`.
    """
    mass = np.square(problem.one)
    curves = problem.y[:, None] if y is None else y
    my = mass[:, None] * curves
    with np.errstate(all="ignore"):
        oo, os, ss = mass.sum(), (s @ mass)[:, None], ((s * s) @ mass)[:, None]
        oy, sy, yy = my.sum(axis=0), s @ my, np.einsum("nk,nk->k", my, curves)
        box = problem.box or ((-np.inf, np.inf), (-np.inf, np.inf))
        best = np.full(np.broadcast_shapes(os.shape, sy.shape), np.inf)
        for low in _choices(problem.low, box[0]):
            for high in _choices(problem.high, box[1]):
                a, b = _levels(low, high, oo, os, ss, oy, sy)
                sse = (
                    yy - 2 * (a * (oy - sy) + b * sy) + a * a * (oo - 2 * os + ss) + 2 * a * b * (os - ss) + b * b * ss
                )
                fits = (low is not None) | ((a >= box[0][0]) & (a <= box[0][1]))
                fits = fits & ((high is not None) | ((b >= box[1][0]) & (b <= box[1][1])))
                best = np.where(fits & np.isfinite(sse) & (sse < best), sse, best)
    return best[:, 0] if y is None else best


def _choices(given: float | None, bounds: tuple[float, float]) -> list[float | None]:
    return [given] if given is not None else [None, *(b for b in bounds if np.isfinite(b))]


def _levels(
    low: float | None, high: float | None, oo: float, os: Floats, ss: Floats, oy: Floats, sy: Floats
) -> tuple[Floats | float, Floats | float]:
    if low is None and high is None:
        spread = np.maximum(ss - os * os / oo, 1e-14 * ss)
        rise = (sy - os * oy / oo) / spread
        level = oy / oo - rise * os / oo
        return level, level + rise
    if high is None and low is not None:
        return low, low + (sy - low * os) / ss
    if low is None and high is not None:
        return high + ((oy - sy) - high * (oo - os)) / (oo - 2 * os + ss), high
    assert low is not None
    assert high is not None
    return low, high


def basins(q: Floats, sse: Floats, most: int) -> NDArray[np.int64]:
    """Indices of grid points, deepest first: local minima of a sorted axis, or points apart from deeper ones."""
    if q.shape[1] == 1:
        walled = np.concatenate([[np.inf], sse, [np.inf]])
        minima = np.flatnonzero((sse <= walled[:-2]) & (sse < walled[2:]))
        return minima[np.argsort(sse[minima], kind="stable")][:most]
    chosen: list[int] = []
    for k in np.argsort(sse, kind="stable")[: 40 * most]:
        if np.isfinite(sse[k]) and all(np.abs(q[k] - q[j]).max() > _APART for j in chosen):
            chosen.append(int(k))
            if len(chosen) == most:
                break
    return np.array(chosen, dtype=np.int64)


def rough_minima(problem: Problem) -> list[Floats]:
    """Coordinates of the deepest local minima on the averages, deepest first; white errors, whatever the problem's."""
    if not problem.free:
        return [np.zeros(0)]
    grid = lattice(problem)
    edges = problem.edges()
    rough = grid.blocks.average(problem)
    starts = basins(grid.q, surface(rough, grid.s), problem.family.shape.basins)
    if not starts.size:
        starts = np.array([len(grid.q) // 2])
    found = sorted((descend(rough, grid.q[k], edges, polish=False) for k in starts), key=lambda p: p.sse)
    return [p.q for p in _distinct(found)]


def find(problem: Problem, starts: list[Floats] | None = None) -> Point:
    """The global minimum of a problem over its coordinates between their edges.

    Args:
        problem: the least-squares problem.
        starts: of the last descents; `rough_minima` by default.
    """
    edges = problem.edges()
    places = rough_minima(problem) if starts is None else starts
    best = min((descend(problem, q, edges) for q in places), key=lambda p: p.sse)
    return _at_zero(problem, best, edges)


def _at_zero(problem: Problem, point: Point, edges: Floats) -> Point:
    """The point with a parameter that may be 0, and was searched by its logarithm, put to 0 where it wants to be."""
    domains = {p.name: p for p in problem.family.law.parameters}
    for row, k in enumerate(problem.free):
        c = problem.family.shape.coordinates[k]
        if c.kind == "log" and domains[c.name].closed and point.q[row] <= edges[row, 0]:
            q = point.q.copy()
            q[row] = -np.inf
            return problem.at(q)
    return point


def _distinct(found: list[Point]) -> list[Point]:
    """The deepest, and others that are neither the same nor so much shallower that averaging cannot matter."""
    kept: list[Point] = []
    worst = found[-1].sse
    for p in found:
        close = p.sse <= found[0].sse + 0.05 * (worst - found[0].sse)
        if not kept or (close and all(np.abs(p.q - k.q).max() > 1e-3 for k in kept)):
            kept.append(p)
    return kept[:_FINALISTS]
