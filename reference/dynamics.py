"""Dynamics of a run, read off its reward curve: is what swings noise, an underdamped mode, or an unstable one?

The curve is fitted by the general second-order response from rest (Prop. 14), damping ratios from -1 to above 1, with
autoregressive errors, and set against everything that does not swing: a constant, a line, and the monotone laws, each
with its own autoregressive errors. Noise that merely looks periodic is predicted by its own past.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.domain import Floats
from reference.fitters.estimate import fit
from reference.fitters.record import checked
from reference.fitters.regression import polynomial
from reference.fitters.result import Fit

CALLS = ("noise", "underdamped", "unstable", "not identifiable")
_MONOTONE = ("single_exponential", "critically_damped", "logistic")
_FEWEST = 20
_CYCLES = 0.75  # of the fitted mode within the record
_EXACT = 1e-20  # of the total sum of squares
_SURE = 0.99  # level of the interval of the damping ratio that decides the call


@dataclass(frozen=True)
class Dynamics:
    """What a reward curve says about the mode that it follows.

    Attributes:
        call: one of `CALLS`. "noise": nothing swings beyond what noise about a monotone curve does. "underdamped": a
            mode that swings and settles. "unstable": a mode that swings and grows.
        damping_ratio: zeta of Eq. 10, below 0 for growth; nan where the call is "noise" or nothing was fitted.
        frequency: of the damped mode, rad/step.
        growth: exponent of its envelope, 1/step: minus the stability margin zeta omega_n.
        intervals: of damping_ratio, frequency and growth, at `level`.
        level: of the intervals.
        evidence: AICc of the best monotone curve minus that of the second-order response; nan where that is monotone.
        reason: the call in a sentence.
        law: the second-order fit, None where there was none.
    """

    call: str
    damping_ratio: float
    frequency: float
    growth: float
    intervals: dict[str, tuple[float, float]]
    level: float
    evidence: float
    reason: str
    law: Fit | None = field(default=None, repr=False)


def threshold(n: int) -> float:
    """AICc by which the swinging response must win before it is believed.

    Its frequency is searched over about n/2 independent values, which costs 2 ln(n/2) in twice the log likelihood; the
    rest keeps false alarms below 1 % on white and autoregressive noise, by simulation.
    """
    return 9.0 + 2.0 * math.log(n / 2)


def classify(t: ArrayLike, reward: ArrayLike, sigma: ArrayLike | None = None, level: float = 0.9) -> Dynamics:
    """Read the dynamics off a reward curve.

    Args:
        t, reward, sigma: as in `reference.fitters.fit`.
        level: of the intervals, in (0, 1).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    times, rewards, deviations = checked(t, reward, sigma)
    inside = domain.number("level", level, 0.0, 1.0, closed=False)
    if times.size < _FEWEST:
        return _none(inside, f"{times.size} points: a swing needs at least {_FEWEST} to be told from noise")
    if not np.ptp(rewards) > 1e-12 * float(np.abs(rewards).max()):
        return _none(inside, "the reward is constant")
    swing = fit(times, rewards, "second_order", deviations)
    zeta = swing.parameters["zeta"]
    evidence, needed = math.nan, threshold(times.size)
    if zeta < 1:
        total = float(np.sum((swing.problem.yw - swing.problem.yw.mean()) ** 2))
        rivals = [polynomial(times, rewards, deviations, degree).aicc for degree in (0, 1)]
        rivals += [_score(fit(times, rewards, law, deviations), total) for law in _MONOTONE]
        evidence = min(rivals) - _score(swing, total)
    if not evidence > needed:
        why = f"AICc {evidence:.1f} better, {needed:.1f} is needed" if zeta < 1 else "the best response does not swing"
        text = f"no swing beyond noise: {why}"
        return Dynamics("noise", math.nan, math.nan, math.nan, {}, inside, evidence, text, swing)
    cycles = _frequency(swing) * float(times[-1] - times[0]) / (2 * math.pi)
    ends = _intervals(swing, inside)
    low, high = swing.interval(_SURE)["zeta"]
    head = f"a mode of period {2 * math.pi / _frequency(swing):.4g} steps, damping ratio {zeta:.3g}"
    if cycles < _CYCLES:
        call, tail = "not identifiable", f"; the record shows {cycles:.2f} of its cycle, expected at least {_CYCLES}"
    elif high < 0:
        call, tail = "unstable", f"; it grows: zeta < {high:.3g} at {_SURE:.0%}"
    elif low > 0 and high < 1:
        call, tail = "underdamped", f"; it settles: zeta in [{low:.3g}, {high:.3g}] at {_SURE:.0%}"
    else:
        call, tail = "not identifiable", f"; zeta in [{low:.3g}, {high:.3g}] at {_SURE:.0%} leaves open which"
    return Dynamics(call, zeta, _frequency(swing), _growth(swing), ends, inside, evidence, head + tail, swing)


def _none(level: float, reason: str) -> Dynamics:
    return Dynamics("not identifiable", math.nan, math.nan, math.nan, {}, level, math.nan, reason)


def _score(found: Fit, total: float) -> float:
    """AICc, with a floor under the residuals of an exact curve so that rounding does not decide."""
    if found.sse > _EXACT * total:
        return found.aicc
    n, k = found.points, found.problem.count + 1
    return n * math.log(2 * math.pi * _EXACT * total / n) + n + 2 * k * n / (n - k - 1)


def _frequency(found: Fit) -> float:
    zeta, omega = found.parameters["zeta"], found.parameters["omega_n"]
    return omega * math.sqrt(max(1 - zeta * zeta, 0.0))


def _growth(found: Fit) -> float:
    return -found.parameters["zeta"] * found.parameters["omega_n"]


def _intervals(found: Fit, level: float) -> dict[str, tuple[float, float]]:
    """Profile interval of zeta; the pole's two parts, in which the curve is nearly linear, from the covariance."""
    from scipy.special import stdtrit

    zeta, omega = found.parameters["zeta"], found.parameters["omega_n"]
    names = found.free
    part = np.ix_(*[[names.index("omega_n"), names.index("zeta")]] * 2)
    covariance = found.covariance[part]
    reach = float(stdtrit(found.degrees_of_freedom, (1 + level) / 2))
    root = math.sqrt(max(1 - zeta * zeta, 1e-12))

    def around(centre: float, slope: Floats) -> tuple[float, float]:
        half = reach * math.sqrt(float(slope @ covariance @ slope))
        return centre - half, centre + half

    return {
        "damping_ratio": found.interval(level)["zeta"],
        "frequency": around(omega * root, np.array([root, -omega * zeta / root])),
        "growth": around(-zeta * omega, np.array([-zeta, -omega])),
    }
