"""Laws of the mean reward over time, each a pure function of t with named parameters, bounds and gradient.

Time is in optimizer steps, rewards in the unit of the data. Six laws are linear responses (Eq. 13, by its
timescale and by its rate, 14, 16, 17 and the general second order); two are the nonlinear mean-field flow of a
binary softmax bandit, which needs no inertia to start slowly. `saturation` and the exponential and critically
damped laws keep the digits of R - R_0 at small times; all keep those of R.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from reference import domain, oscillator
from reference import mean_field as mean_field_flow
from reference.domain import Floats

Curve = Callable[..., Floats]
Slopes = Callable[..., tuple[Floats, ...]]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a law.

    Attributes:
        name: as in `Law.__call__`.
        low, high: its domain; infinite where there is no bound.
        closed: whether the bounds themselves belong to it.
        unit: "reward", "step", "1/step", or "" for a pure number.
        meaning: in the paper's terms.
    """

    name: str
    low: float
    high: float
    closed: bool
    unit: str
    meaning: str


@dataclass(frozen=True)
class Law:
    """A mean-reward curve R(t; theta).

    Attributes:
        name: its key in `LAWS`.
        parameters: in the order of the arguments.
        source: the equation of the paper, or where else it comes from.
    """

    name: str
    parameters: tuple[Parameter, ...]
    source: str
    curve: Curve = field(repr=False)
    slopes: Slopes = field(repr=False)

    def __call__(self, t: ArrayLike, *theta: float) -> Floats:
        """R at times t >= 0, an array of the shape of t.

        Raises:
            ValueError: a wrong number of parameters, or a value outside its domain.
        """
        return np.asarray(self.curve(domain.non_negative("t", t), *self.checked(theta)), dtype=np.float64)

    def gradient(self, t: ArrayLike, *theta: float) -> Floats:
        """dR/dtheta in closed form or by variational equations, shape (*t.shape, number of parameters).

        At the closed bound beta = 0 it is the one-sided derivative. Raises ValueError as `__call__`.
        """
        time = domain.non_negative("t", t)
        columns = self.slopes(time, *self.checked(theta))
        return np.stack([np.broadcast_to(column, time.shape) for column in columns], axis=-1)

    def checked(self, theta: tuple[float, ...]) -> list[float]:
        """The parameters as floats; raises ValueError where one lies outside its domain."""
        if len(theta) != len(self.parameters):
            names = ", ".join(p.name for p in self.parameters)
            raise ValueError(f"theta = {theta}; expected {len(self.parameters)} parameters: {names}")
        pairs = zip(self.parameters, theta, strict=True)
        return [domain.number(p.name, value, p.low, p.high, p.closed) for p, value in pairs]


_R0 = Parameter("R_0", -math.inf, math.inf, False, "reward", "mean reward at t = 0")
_RINF = Parameter("R_inf", -math.inf, math.inf, False, "reward", "plateau, p* of Assumption 1")
_RATE = Parameter("rate", 0.0, math.inf, False, "1/step", "lambda = K/C, relaxation rate")
_OMEGA = Parameter("omega_n", 0.0, math.inf, False, "1/step", "sqrt(K/M), undamped natural frequency")
_ZETA = Parameter("zeta", -1.0, math.inf, False, "", "damping ratio C / (2 sqrt(K M)); below 0 past Eq. 11's threshold")
_TIMESCALE = Parameter("T", 0.0, math.inf, False, "step", "relaxation time C/K; M^0.3 in Eq. 13")
_P0 = Parameter("p_0", 0.0, 1.0, False, "reward", "success probability of the reference policy, and at t = 0")
_KAPPA = Parameter(
    "kappa", 0.0, math.inf, False, "1/step", "learning rate times n/(m (n - m)), m of n completions correct"
)
_BETA = Parameter("beta", 0.0, math.inf, True, "", "weight of the KL term")


def _saturation(t: Floats, r_inf: float, timescale: float) -> Floats:
    return -r_inf * np.expm1(-t / timescale)


def _saturation_slopes(t: Floats, r_inf: float, timescale: float) -> tuple[Floats, ...]:
    x = t / timescale
    return -np.expm1(-x), -r_inf / timescale * (x * np.exp(-x))


def _exponential(t: Floats, r_0: float, r_inf: float, rate: float) -> Floats:
    return r_0 - (r_inf - r_0) * np.expm1(-rate * t)


def _exponential_slopes(t: Floats, r_0: float, r_inf: float, rate: float) -> tuple[Floats, ...]:
    return np.exp(-rate * t), -np.expm1(-rate * t), (r_inf - r_0) * (t * np.exp(-rate * t))


def _critical(t: Floats, r_0: float, r_inf: float, omega_n: float) -> Floats:
    from scipy.special import gammainc

    # 1 - (1 + x) exp(-x) is the regularised incomplete gamma function P(2, x)
    return np.asarray(r_0 + (r_inf - r_0) * gammainc(2.0, omega_n * t), dtype=np.float64)


def _critical_slopes(t: Floats, r_0: float, r_inf: float, omega_n: float) -> tuple[Floats, ...]:
    from scipy.special import gammainc

    x = omega_n * t
    left = (1 + x) * np.exp(-x)
    return left, np.asarray(gammainc(2.0, x), dtype=np.float64), (r_inf - r_0) * (t * (x * np.exp(-x)))


def _second_order(t: Floats, r_0: float, r_inf: float, omega_n: float, zeta: float) -> Floats:
    return r_inf - _scaled(r_inf - r_0, oscillator.response(omega_n * t, 1.0, _damping(zeta), 1.0, 1.0))


def _second_order_slopes(t: Floats, r_0: float, r_inf: float, omega_n: float, zeta: float) -> tuple[Floats, ...]:
    x, damping, rise = omega_n * t, _damping(zeta), r_inf - r_0
    left = oscillator.response(x, 1.0, damping, 1.0, 1.0)
    speed = oscillator.velocity(x, 1.0, damping, 1.0, 1.0)
    return left, 1 - left, -t * _scaled(rise, speed), -_scaled(rise, damping_slope(x, zeta))


def _damping(zeta: float) -> float:
    """C of the oscillator with M = K = 1; raises ValueError where it would leave the range of doubles."""
    if zeta > 1e130:
        raise ValueError(f"zeta = {zeta}; expected in (-1, 1e130]")
    return 2 * zeta


def _scaled(rise: float, shape: Floats) -> Floats:
    """rise * shape, 0 where there is no rise, even if the shape has grown beyond doubles."""
    return rise * shape if rise else np.zeros_like(shape)


def damping_slope(x: ArrayLike, zeta: ArrayLike) -> Floats:
    """dh/dzeta of the response from rest h'' + 2 zeta h' + h = 0, h(0) = 1, at x = omega_n t.

    It equals exp(-zeta x) x^3 W((zeta^2 - 1) x^2) with W(y) = (cosh r - sinh(r)/r)/y, r = sqrt y: a power
    series for |y| <= 1, the two exponentials above, cos and sin below.

    Args:
        x: times in units of 1/omega_n, >= 0.
        zeta: damping ratios > -1, broadcast against x. Below 0 the slope grows, beyond the range of doubles to inf.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    time, ratio = np.broadcast_arrays(domain.non_negative("x", x), domain.array("zeta", zeta, -1.0, closed=False))
    d = (ratio - 1) * (ratio + 1)
    root = np.sqrt(np.abs(d))
    with np.errstate(over="ignore", under="ignore"):
        r = root * time
        y = np.sign(d) * np.minimum(r, 1.0) ** 2
        series = np.zeros_like(y)
        for n in reversed(range(9)):  # the tenth term is 1.2e-18 of the first at |y| = 1
            series = series * y + (2 * n + 2) / math.factorial(2 * n + 3)
        s, safe, decay = np.clip(r, 1.0, 1e300), np.where(d == 0, 1.0, d), np.exp(-ratio * time)
        small = decay * np.minimum(time, 1e100) ** 3 * series
        slow = np.exp(-time / np.where(d > 0, ratio + root, 1.0))
        over = time / safe * slow * ((1 - 1 / s) + (1 + 1 / s) * np.exp(-2 * s)) / 2
        under = time / safe * decay * (np.cos(s) - np.sin(s) / s)
    return np.asarray(np.where(r <= 1, small, np.where(d > 0, over, under)), dtype=np.float64)


def _mean_field(t: Floats, p_0: float, kappa: float, beta: float) -> Floats:
    return mean_field_flow.solve(t, p_0, kappa, beta)[0]


def _mean_field_slopes(t: Floats, p_0: float, kappa: float, beta: float) -> tuple[Floats, ...]:
    return mean_field_flow.solve(t, p_0, kappa, beta)[1]


def _free(t: Floats, p_0: float, kappa: float) -> Floats:
    return mean_field_flow.solve(t, p_0, kappa, 0.0)[0]


def _free_slopes(t: Floats, p_0: float, kappa: float) -> tuple[Floats, ...]:
    return mean_field_flow.solve(t, p_0, kappa, 0.0)[1][:2]


def _from_zero(law: Law, source: str) -> Law:
    """The law with its first parameter, R_0, pinned to 0."""

    def curve(t: Floats, *theta: float) -> Floats:
        return law.curve(t, 0.0, *theta)

    def slopes(t: Floats, *theta: float) -> tuple[Floats, ...]:
        return law.slopes(t, 0.0, *theta)[1:]

    return Law(f"{law.name}_from_zero", law.parameters[1:], source, curve, slopes)


saturation = Law("saturation", (_RINF, _TIMESCALE), "Eq. 13", _saturation, _saturation_slopes)
single_exponential = Law("single_exponential", (_R0, _RINF, _RATE), "Eq. 14", _exponential, _exponential_slopes)
single_exponential_from_zero = _from_zero(single_exponential, "Eq. 13, by its rate 1/T")
critically_damped = Law("critically_damped", (_R0, _RINF, _OMEGA), "Eq. 17, Section 4.4", _critical, _critical_slopes)
critically_damped_from_zero = _from_zero(critically_damped, "Eq. 16")
second_order = Law("second_order", (_R0, _RINF, _OMEGA, _ZETA), "Prop. 14", _second_order, _second_order_slopes)
mean_field = Law(
    "mean_field", (_P0, _KAPPA, _BETA), "Assumption 1, binary softmax bandit", _mean_field, _mean_field_slopes
)
mean_field_free = Law("mean_field_free", (_P0, _KAPPA), "the same without KL term", _free, _free_slopes)

LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        saturation,
        single_exponential_from_zero,
        single_exponential,
        critically_damped_from_zero,
        critically_damped,
        second_order,
        mean_field_free,
        mean_field,
    )
}
