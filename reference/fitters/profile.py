"""Profiles: estimates in the law's units, their covariance, and profile-likelihood intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reference.domain import Floats
from reference.fitters.coordinate import Coordinate
from reference.fitters.descent import descend
from reference.fitters.problem import Point, Problem

if TYPE_CHECKING:
    from reference.fitters.result import Fit

_FARTHEST = 1e7  # of a level, in units of the range of the rewards
_DOUBLINGS = 60
_OUTSIDE = 3.0  # ranges of the rewards from the estimate, beyond which a level may be held by the search's end alone


def parameters(problem: Problem, point: Point) -> dict[str, float]:
    """All parameters by name, in the law's order."""
    family = problem.family
    values: dict[str, float] = {}
    for name, level in ((family.low, point.low), (family.high, point.high)):
        if isinstance(name, str):
            values[name] = level + problem.origin
    for c, q in zip(family.shape.coordinates, problem.all_coordinates(point.q), strict=True):
        values[c.name] = c.outside(q, problem.span)
    return {name: values[name] for name in family.names}


def covariance(problem: Problem, point: Point, freedom: int) -> Floats:
    """Linearised covariance of the free parameters in the law's order."""
    family, rise = problem.family, point.high - point.low
    s, slopes = problem.progress(point.q)
    columns: dict[str, Floats] = {}
    if problem.low is None:
        columns[str(family.low)] = problem.one - problem.whiten(s)
    if problem.high is None:
        columns[str(family.high)] = problem.whiten(s)
    for k, q, d in zip(problem.free, point.q, slopes, strict=True):
        c = family.shape.coordinates[k]
        stretch = c.stretch(float(q), problem.span)
        columns[c.name] = problem.whiten(d) * (rise / stretch) if stretch else _one_sided(problem, point, c.name)
    names = [name for name in family.names if name in columns]
    if freedom < 1:
        return np.full((len(names), len(names)), np.inf)
    jacobian = np.stack([columns[name] for name in names], axis=1)
    size = np.sqrt(np.square(jacobian).sum(axis=0))
    if not np.all(size > 0) or not np.all(np.isfinite(size)):
        return np.full((len(names), len(names)), np.inf)
    triangle = np.linalg.qr(jacobian / size, mode="r")
    if np.abs(np.diag(triangle)).min() < 1e-14:
        return np.full((len(names), len(names)), np.inf)
    inverse = np.linalg.inv(triangle)
    out: Floats = point.sse / freedom * (inverse @ inverse.T) / np.outer(size, size)
    return out


def _one_sided(problem: Problem, point: Point, name: str) -> Floats:
    """The curve's slope by a parameter that sits at the closed end of its domain, whitened."""
    slopes = problem.family.law.gradient(problem.x * problem.span, *parameters(problem, point).values())
    return problem.whiten(slopes[:, problem.family.names.index(name)])


def interval(fit: Fit, name: str, level: float) -> tuple[float, float]:
    """Both ends of the profile interval of one parameter."""
    from scipy.special import stdtrit

    if fit.degrees_of_freedom < 1:
        p = next(p for p in fit.problem.family.law.parameters if p.name == name)
        return p.low, p.high
    reach = float(stdtrit(fit.degrees_of_freedom, (1 + level) / 2))
    return _end(fit, name, reach, -1), _end(fit, name, reach, 1)


def _end(fit: Fit, name: str, reach: float, side: int) -> float:
    problem, point = fit.problem, fit.point
    law_end = next((p.low, p.high)[side > 0] for p in problem.family.law.parameters if p.name == name)
    spread = math.sqrt(max(point.sse, 1e-300) / fit.degrees_of_freedom)
    error = fit.stderr[name]
    if name in (problem.family.low, problem.family.high):
        centre = fit.parameters[name] - problem.origin
        scale = float(np.ptp(problem.y)) or 1.0
        limit = side * _FARTHEST * scale
        first = min(error * reach, scale) if error > 0 else 1e-12 * scale
        edge = False
    else:
        k, c = _index(problem, name)
        centre = float(point.q[problem.free.index(k)])
        limit = float(problem.family.shape.edges(problem.x)[k, int(side > 0)])
        stretch = c.stretch(centre, problem.span)
        first = min(error * reach / stretch, 1.0) if error > 0 and stretch else 1e-12
        if math.isinf(centre):  # the estimate is the closed end of the domain
            if side < 0:
                return law_end
            centre, first = float(problem.family.shape.edges(problem.x)[k, 0]), 1.0
        edge = True
    walk = _Walk(fit, name)

    def excess(value: float) -> float:
        """How far the profile lies above the target, in standard deviations."""
        rise = walk(value) - point.sse
        return math.copysign(math.sqrt(abs(rise)), rise) / spread - reach

    found = _crossing(excess, centre, side * max(first, 1e-14 * (1 + abs(centre))), limit, -reach)
    if found is None:
        return law_end
    if not edge and abs(found - centre) > _OUTSIDE * float(np.ptp(problem.y)) and walk.cornered(found):
        return law_end
    return problem.family.shape.coordinates[k].outside(found, problem.span) if edge else found + problem.origin


def _index(problem: Problem, name: str) -> tuple[int, Coordinate]:
    k = next(k for k, c in enumerate(problem.family.shape.coordinates) if c.name == name)
    return k, problem.family.shape.coordinates[k]


class _Walk:
    """The profile of one parameter, each minimum started from the one before."""

    def __init__(self, fit: Fit, name: str) -> None:
        self.problem, self.name = fit.problem, name
        k = next((k for k, c in enumerate(fit.problem.family.shape.coordinates) if c.name == name), None)
        self.k = k
        self.q = fit.point.q if k is None else np.delete(fit.point.q, fit.problem.free.index(k))

    def __call__(self, value: float) -> float:
        held = self.problem_at(value)
        found = descend(held, self.q, held.edges())
        self.q = found.q
        return found.sse

    def cornered(self, value: float) -> bool:
        """Whether a timescale sits at an end of the search here: the profile rises for want of room, not of fit."""
        self(value)
        edges = self.problem_at(value).edges()
        return bool(np.any((self.q <= edges[:, 0]) | (self.q >= edges[:, 1])))

    def problem_at(self, value: float) -> Problem:
        if self.k is not None:
            return replace(self.problem, pinned={**self.problem.pinned, self.k: value})
        if self.name == self.problem.family.low:
            return replace(self.problem, low=value)
        return replace(self.problem, high=value)


def _crossing(
    excess: Callable[[float], float], centre: float, first: float, limit: float, at_centre: float
) -> float | None:
    """Where an increasing `excess` crosses 0 between centre and limit, starting with a step; None if it does not."""
    inner, value_inner, step = centre, at_centre, first
    for _ in range(_DOUBLINGS):
        outer = centre + step
        beyond = abs(step) >= abs(limit - centre)
        if beyond:
            outer = limit
        value_outer = excess(outer)
        if value_outer >= 0:
            break
        if beyond:
            return None
        inner, value_inner = outer, value_outer
        step *= 2
    else:
        return None
    for _ in range(60):  # regula falsi with Illinois' halving; the excess is nearly a straight line
        middle = outer - value_outer * (outer - inner) / (value_outer - value_inner)
        if not min(inner, outer) < middle < max(inner, outer):
            middle = (inner + outer) / 2
        value = excess(middle)
        if abs(value) < 1e-9 or abs(outer - inner) < 1e-12 * (abs(outer) + abs(inner)):
            return middle
        if (value < 0) == (value_inner < 0):
            inner, value_inner, value_outer = middle, value, value_outer / 2
        else:
            inner, value_inner = outer, value_outer
            outer, value_outer = middle, value
        if value_inner * value_outer > 0:
            return middle
    return middle
