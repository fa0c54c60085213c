"""Descent: from a start to a stationary point of a problem, to the last digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.domain import Floats
from reference.fitters.problem import Point, Problem

_LONGEST = 2.0  # step of a coordinate
_ROUNDING = 1e-13  # of a coordinate: a step this short changes nothing but the last digits of the slope
_DIFFERENCE = 3e-4  # half-width of the central difference of the slope: error 1e-7 of the curvature


def descend(problem: Problem, start: Floats, edges: Floats, polish: bool = True) -> Point:
    """The local minimum that is downhill from `start`.

    Args:
        problem: the least-squares problem.
        start: free coordinates, inside the edges.
        edges: ends of the search, shape (free coordinates, 2).
        polish: whether the last digits matter.

    Returns:
        The point; a coordinate that wants to leave stays at its edge.
    """
    point = problem.at(np.clip(start, edges[:, 0], edges[:, 1]))
    if not start.size or not np.isfinite(point.sse):
        return point
    if start.size == 1:
        return _along_a_line(problem, point, float(edges[0, 0]), float(edges[0, 1]), 1e-10 if polish else 1e-4)
    point = _damped(problem, point, edges)
    return _polished(problem, point, edges) if polish else point


def _along_a_line(problem: Problem, point: Point, low: float, high: float, tolerance: float) -> Point:
    """Root of the slope: a Gauss-Newton step, then secants, kept between points whose slopes have opposite signs."""
    best, left, right = point, low, high
    seen = [False, False]
    bend = float(point.bend[0, 0])
    for _ in range(80):
        q, slope = float(point.q[0]), float(point.slope[0])
        if slope == 0:
            break
        if slope > 0:
            right, seen[1] = q, True
        else:
            left, seen[0] = q, True
        step = -slope / bend if bend > 0 else -np.sign(slope) * 0.3
        if abs(step) <= _ROUNDING * (1 + abs(q)):
            break
        if abs(step) > 0.5:
            step = 0.5 * np.sign(step)
        if not left < q + step < right:
            step = (left + right) / 2 - q if all(seen) else (left if step < 0 else right) - q
        following = problem.at(np.array([q + step]))
        if following.sse > point.sse * (1 + 1e-9) and not all(seen) and abs(step) > 1e-3:
            # uphill although the slope points down: another basin begins here
            following = problem.at(np.array([q + step / 8]))
            step /= 8
        change = float(following.slope[0]) - slope
        bend = change / step if step and change / step > 0 else float(following.bend[0, 0])
        point = following
        if abs(point.slope[0]) <= abs(best.slope[0]) or point.sse < best.sse * (1 - 1e-12):
            best = point
        if abs(step) <= tolerance * (1 + abs(q)) or q + step in (low, high):
            break  # a secant step this short has squared its error away
    return best


def _damped(problem: Problem, point: Point, edges: Floats) -> Point:
    """Levenberg and Marquardt, with coordinates frozen at an edge that they want to cross."""
    damping = 1e-3
    for _ in range(100):
        free = _inside(point, edges)
        if not free.size:
            return point
        bend, slope = point.bend[np.ix_(free, free)], point.slope[free]
        while True:
            matrix = bend + damping * np.diag(np.maximum(np.diag(bend), 1e-12 * (point.sse + 1e-300)))
            step = _bounded(-_solved(matrix, slope))
            trial = point.q.copy()
            trial[free] = np.clip(trial[free] + step, edges[free, 0], edges[free, 1])
            following = problem.at(trial)
            if following.sse < point.sse:
                damping = max(damping / 8, 1e-12)
                break
            damping *= 6
            if damping > 1e10:
                return point
        moved = np.abs(following.q - point.q).max()
        settled = moved < 1e-5 or point.sse - following.sse < 1e-13 * point.sse
        point = following
        if settled:
            break
    return point


def _polished(problem: Problem, point: Point, edges: Floats) -> Point:
    """Newton's method with the curvature by central differences of the exact slope."""
    for _ in range(8):
        free = _inside(point, edges)
        if not free.size:
            return point
        bend = np.empty((free.size, free.size))
        for row, k in enumerate(free):
            ahead, behind = point.q.copy(), point.q.copy()
            ahead[k] = min(point.q[k] + _DIFFERENCE, edges[k, 1])
            behind[k] = max(point.q[k] - _DIFFERENCE, edges[k, 0])
            rise = problem.at(ahead).slope - problem.at(behind).slope
            bend[row] = rise[free] / (ahead[k] - behind[k])
        bend = (bend + bend.T) / 2
        if not np.all(np.isfinite(bend)) or np.linalg.eigvalsh(bend)[0] <= 0:
            return point
        step = _bounded(-_solved(bend, point.slope[free]))
        trial = point.q.copy()
        trial[free] = np.clip(trial[free] + step, edges[free, 0], edges[free, 1])
        following = problem.at(trial)
        if following.sse > point.sse * (1 + 1e-12):
            return point
        small = np.abs(step).max() <= 1e-6
        if np.abs(following.slope[free]).max() <= np.abs(point.slope[free]).max() or not small:
            point = following
        if small:
            return point  # quadratic: the next step would be 1e-12
    return point


def _inside(point: Point, edges: Floats) -> NDArray[np.int64]:
    """Indices of the coordinates that are not held by an edge."""
    held = ((point.q <= edges[:, 0]) & (point.slope > 0)) | ((point.q >= edges[:, 1]) & (point.slope < 0))
    return np.flatnonzero(~held)


def _bounded(step: Floats) -> Floats:
    return step * min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))


def _solved(matrix: Floats, slope: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(matrix, slope), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, slope, rcond=None)[0], dtype=np.float64)
