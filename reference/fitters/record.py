"""The record: times and rewards as they come in, checked."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.domain import Floats
from reference.fitters.family import FAMILIES, Family
from reference.fitters.noise import Noise
from reference.fitters.problem import Problem

_FEWEST = 4
_REGULAR = 1e-6  # of the median interval: what rounding may add to equally spaced times


def checked(t: ArrayLike, reward: ArrayLike, sigma: ArrayLike | None) -> tuple[Floats, Floats, Floats | None]:
    """Times, rewards and standard deviations as arrays of one length.

    Raises:
        ValueError: nan or infinite values, negative or non-increasing t, fewer than 4 points, unequal lengths,
            sigma not above 0.
    """
    times, rewards = domain.non_negative("t", t), domain.array("reward", reward)
    if times.ndim != 1 or times.size < _FEWEST:
        raise ValueError(f"t has shape {times.shape}; expected one dimension and at least {_FEWEST} times")
    if rewards.shape != times.shape:
        raise ValueError(f"reward has shape {rewards.shape}; expected {times.shape}, that of t")
    steps = times[1:] - times[:-1]
    if not steps.min() > 0:
        k = int(np.argmin(steps > 0))
        raise ValueError(f"t = {times[k]:g}, {times[k + 1]:g} at {k}, {k + 1}; expected increasing times")
    if sigma is None:
        return times, rewards, None
    deviations = domain.positive("sigma", sigma)
    if deviations.ndim and deviations.shape != times.shape:
        raise ValueError(f"sigma has shape {deviations.shape}; expected one number or {times.shape}, the shape of t")
    return times, rewards, np.broadcast_to(deviations, times.shape)


def gaps_of(t: Floats) -> Floats | None:
    """Intervals over their median, None where all are equal."""
    steps = np.diff(t)
    middle = float(np.median(steps))
    return None if np.abs(steps - middle).max() <= _REGULAR * middle else steps / middle


def family_of(law: str) -> Family:
    """The family of a law by its name; raises ValueError for any other."""
    if not isinstance(law, str) or law not in FAMILIES:
        near = difflib.get_close_matches(str(law), FAMILIES, n=2, cutoff=0.5)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(f"law = {law!r}{hint}; expected one of {', '.join(map(repr, FAMILIES))}")
    return FAMILIES[law]


def pose(
    family: Family,
    t: Floats,
    reward: Floats,
    sigma: Floats | None,
    fixed: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]],
) -> Problem:
    """The least-squares problem.

    Raises:
        ValueError: `fixed` or `bounds` name no parameter of the law, a value is outside its domain, or a bound is
            on a nonlinear parameter.
    """
    names = {p.name: p for p in family.law.parameters}
    for which, given in (("fixed", fixed), ("bounds", bounds)):
        for name in given:
            if name not in names:
                raise ValueError(f"{which} names {name!r}; expected one of {', '.join(names)}")
    values = {
        name: domain.number(name, value, names[name].low, names[name].high, names[name].closed)
        for name, value in fixed.items()
    }
    levels = [values.get(level) if isinstance(level, str) else level for level in (family.low, family.high)]
    origin = float(next((level for level in levels if level is not None), reward.mean()))
    shifted = [None if level is None else level - origin for level in levels]
    span = float(t[-1])
    pinned = {k: c.inside(values[c.name], span) for k, c in enumerate(family.shape.coordinates) if c.name in values}
    weight = None if sigma is None else 1 / sigma
    x, y = t / span, reward - origin
    one = np.ones_like(x) if weight is None else weight
    yw = y if weight is None else weight * y
    box = _box(family, bounds, origin)
    return Problem(family, span, x, y, origin, weight, Noise(), shifted[0], shifted[1], box, pinned, one, yw)


def _box(
    family: Family, bounds: Mapping[str, tuple[float, float]], origin: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    if not bounds:
        return None
    levels = [level for level in (family.low, family.high) if isinstance(level, str)]
    ends = []
    for level in (family.low, family.high):
        low, high = bounds.get(level, (-np.inf, np.inf)) if isinstance(level, str) else (-np.inf, np.inf)
        if not low < high:
            raise ValueError(f"bounds[{level!r}] = {low, high}; expected a lower and a higher number")
        ends.append((float(low) - origin, float(high) - origin))
    for name in bounds:
        if name not in levels:
            raise ValueError(f"bounds names {name!r}; expected one of the levels {', '.join(levels)}")
    return ends[0], ends[1]
