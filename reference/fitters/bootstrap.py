"""Block bootstrap: a law fitted again to its curve plus residuals drawn in blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from reference import domain
from reference.domain import Floats
from reference.fitters import profile
from reference.fitters.blocks import Blocks
from reference.fitters.descent import descend
from reference.fitters.problem import Point, Problem
from reference.fitters.result import Fit
from reference.fitters.search import basins, find, lattice, surface

_TOGETHER = 4_000_000  # values of the surface in the making at once
_BASINS = 3  # of the surface that are looked at
_SAME = 0.4  # distance of coordinates: two steps of the grid of rates
_RIVAL = 1.05  # depth of another basin, as a multiple of the deepest, up to which it is descended into as well


@dataclass(frozen=True)
class Bootstrap:
    """Refits of a law.

    Attributes:
        draws: each parameter's estimates, shape (draws,), in the order of the law.
        sse: of each refit.
        block: points in a block.
    """

    draws: dict[str, Floats] = field(repr=False)
    sse: Floats = field(repr=False)
    block: int

    @property
    def stderr(self) -> dict[str, float]:
        """Standard deviations of the draws."""
        return {name: float(np.std(values, ddof=1)) for name, values in self.draws.items()}

    def interval(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Percentile intervals; raises ValueError for a level outside (0, 1)."""
        tail = (1 - domain.number("level", level, 0.0, 1.0, closed=False)) / 2
        return {n: (float(np.quantile(v, tail)), float(np.quantile(v, 1 - tail))) for n, v in self.draws.items()}


def block_bootstrap(fit: Fit, draws: int = 1000, block: int | None = None, seed: int = 0) -> Bootstrap:
    """Refit a law to resampled records.

    Each record is the fitted curve plus residuals (in units of sigma, their mean removed) drawn in overlapping blocks.
    Each refit is the estimator of the fit itself, with its noise model, over the whole range of timescales.

    Args:
        fit: the fit.
        draws: >= 2.
        block: points in a block, in [1, n]; by default n^(1/3), or longer with the errors' correlation time.
        seed: of the random numbers.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Künsch 1989 (overlapping blocks); the default length grows as Hall, Horowitz and Jing 1995.
    """
    count = domain.integer("draws", draws, 2)
    size = domain.integer("block", _length(fit) if block is None else block, 1, fit.points)
    curves = resampled(fit, count, size, seed)
    points = refit(fit.problem, fit.point, curves)
    rows = [profile.parameters(fit.problem, point) for point in points]
    names = list(fit.parameters)
    return Bootstrap({n: np.array([r[n] for r in rows]) for n in names}, np.array([p.sse for p in points]), size)


def _length(fit: Fit) -> int:
    n = fit.points
    phi = fit.noise.coefficients if fit.noise.gaps is None else np.array(fit.noise.partial)
    slow = (1 + abs(float(phi.sum()))) / max(1 - abs(float(phi.sum())), 1 / n)
    return int(min(max(1, n // 4), math.ceil((n * slow) ** (1 / 3))))


def resampled(fit: Fit, draws: int, block: int, seed: int) -> Floats:
    """Curve plus residuals in blocks, minus the problem's origin, shape (draws, n)."""
    rng = np.random.default_rng(seed)
    n = fit.points
    unit = np.ones(n) if fit.sigma is None else fit.sigma
    residual = fit.residuals / unit
    residual = residual - residual.mean()
    starts = rng.integers(0, n - block + 1, size=(draws, -(-n // block)))
    which = (starts[:, :, None] + np.arange(block)).reshape(draws, -1)[:, :n]
    out: Floats = (fit.problem.y - fit.residuals) + unit * residual[which]
    return out


def refit(problem: Problem, near: Point, curves: Floats) -> list[Point]:
    """The global minimum for each of many curves on the same times.

    Args:
        problem: the least-squares problem whose rewards are replaced.
        near: its own minimum, one of the starts.
        curves: rewards minus the problem's origin, shape (draws, n).
    """
    if not problem.free:
        return [find(problem.with_data(y)) for y in curves]
    grid, edges = lattice(problem), problem.edges()
    rough = grid.blocks.average(problem)
    averages = _averaged(grid.blocks, problem, curves)
    together = max(1, _TOGETHER // len(grid.q))
    out: list[Point] = []
    for first in range(0, len(curves), together):
        depths = surface(rough, grid.s, averages[first : first + together].T)
        for depth, y in zip(depths.T, curves[first : first + together], strict=True):
            own = problem.with_data(y)
            best = descend(own, near.q, edges)
            for k in basins(grid.q, depth, _BASINS):
                other = depth[k] <= _RIVAL * depth.min() and np.abs(grid.q[k] - best.q).max() > _SAME
                if other:
                    best = min(best, descend(own, grid.q[k], edges), key=lambda p: p.sse)
            out.append(best)
    return out


def _averaged(blocks: Blocks, problem: Problem, curves: Floats) -> Floats:
    """Block averages of many curves, shape (draws, blocks)."""
    if problem.weight is None:
        return np.add.reduceat(curves, blocks.starts, axis=1) / blocks.count
    mass = np.square(problem.weight)
    out: Floats = np.add.reduceat(curves * mass, blocks.starts, axis=1) / np.add.reduceat(mass, blocks.starts)
    return out
