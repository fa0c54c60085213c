"""Families: each law of the reward as levels (linear, eliminated) and a shape (nonlinear, searched)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reference import laws
from reference.domain import Floats
from reference.fitters import bandit_shape, relaxation, sigmoid
from reference.fitters.shape import Shape
from reference.laws import Law, Parameter


@dataclass(frozen=True)
class Family:
    """R(t) = low + (high - low) s(t; q).

    Attributes:
        law: the curve with its parameters.
        low, high: the name of the level, or its value where the law pins it.
        shape: the progress s.
    """

    law: Law
    low: str | float
    high: str | float
    shape: Shape

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in the order of the law."""
        return tuple(p.name for p in self.law.parameters)


_UNBOUNDED = (-math.inf, math.inf, False)
_LOW = Parameter("R_low", *_UNBOUNDED, "reward", "level long before the rise")
_HIGH = Parameter("R_inf", *_UNBOUNDED, "reward", "plateau")
_START = Parameter("R_0", *_UNBOUNDED, "reward", "mean reward at t = 0")
_RATE = Parameter("rate", 0.0, math.inf, False, "1/step", "growth rate at small rewards")
_MID = Parameter("t_mid", *_UNBOUNDED, "step", "time of the midpoint (of the inflection at nu = 1)")
_NU = Parameter("nu", 0.0, math.inf, False, "", "asymmetry; 1 is the logistic")
_ASYMPTOTE = Parameter("A", *_UNBOUNDED, "reward", "asymptotic reward")
_C_MID = Parameter("C_mid", 0.0, math.inf, False, "step", "compute at half of the gain")
_B = Parameter("B", 0.0, math.inf, False, "", "scaling exponent")
_T = Parameter("T", 0.0, math.inf, False, "step", "time at which the power law sets in")
_ALPHA = Parameter("alpha", 0.0, math.inf, False, "", "exponent of the approach to the plateau")
_END = Parameter("R_end", *_UNBOUNDED, "reward", "value at the last time of the record")


def _grown(
    name: str, levels: tuple[Parameter, Parameter], own: tuple[Parameter, ...], shape: Shape, source: str
) -> Law:
    """A law made from a shape."""

    def both(t: Floats, *theta: float) -> tuple[Floats, tuple[Floats, ...]]:
        q = tuple(c.inside(v, 1.0) for c, v in zip(shape.coordinates, theta[2:], strict=True))
        return shape.progress(t, q)

    def curve(t: Floats, *theta: float) -> Floats:
        return theta[0] + (theta[1] - theta[0]) * both(t, *theta)[0]

    def slopes(t: Floats, *theta: float) -> tuple[Floats, ...]:
        s, by_q = both(t, *theta)
        rise = theta[1] - theta[0]
        inner = zip(shape.coordinates, theta[2:], by_q, strict=True)
        return 1 - s, s, *(rise * d / c.stretch(c.inside(v, 1.0), 1.0) for c, v, d in inner)

    return Law(name, (*levels, *own), source, curve, slopes)


logistic = _grown("logistic", (_LOW, _HIGH), (_RATE, _MID), sigmoid.logistic, "Verhulst 1838")
generalised_logistic = _grown(
    "generalised_logistic", (_LOW, _HIGH), (_RATE, _MID, _NU), sigmoid.generalised_logistic, "Richards 1959"
)
scalerl_sigmoid = _grown(
    "scalerl_sigmoid", (_START, _ASYMPTOTE), (_C_MID, _B), sigmoid.scalerl, "Khatri et al. 2025 (ScaleRL)"
)
power_law = _grown("power_law", (_START, _HIGH), (_T, _ALPHA), sigmoid.power, "shifted power law (Lomax 1954)")
line = Law(
    "line",
    (_START, Parameter("slope", *_UNBOUNDED, "reward/step", "gain a step")),
    "a yardstick",
    lambda t, start, slope: start + slope * t,
    lambda t, start, slope: (np.ones_like(t), t),
)

FAMILIES: dict[str, Family] = {
    family.law.name: family
    for family in (
        Family(laws.saturation, 0.0, "R_inf", relaxation.exponential_by_time),
        Family(laws.single_exponential_from_zero, 0.0, "R_inf", relaxation.exponential),
        Family(laws.single_exponential, "R_0", "R_inf", relaxation.exponential),
        Family(laws.critically_damped_from_zero, 0.0, "R_inf", relaxation.critical),
        Family(laws.critically_damped, "R_0", "R_inf", relaxation.critical),
        Family(laws.second_order, "R_0", "R_inf", relaxation.second_order),
        Family(laws.mean_field_free, 0.0, 1.0, bandit_shape.free),
        Family(laws.mean_field, 0.0, 1.0, bandit_shape.pulled),
        Family(logistic, "R_low", "R_inf", sigmoid.logistic),
        Family(generalised_logistic, "R_low", "R_inf", sigmoid.generalised_logistic),
        Family(scalerl_sigmoid, "R_0", "A", sigmoid.scalerl),
        Family(power_law, "R_0", "R_inf", sigmoid.power),
    )
}
