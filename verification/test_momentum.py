"""Does the oscillator track the heavy-ball map? In which scaling, from which start, to which order? (Lemma 4)"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference import momentum, oscillator
from spec import momentum as said
from spec.claim import Identity
from spec.symbols import K, delta, eta, mu
from verification.evidence import kill, within
from verification.strategies import exact_momenta, gains, momenta

EPS = float(np.finfo(float).eps)
Start = Callable[[float, float], tuple[float, float]]


def equal(_: float, __: float) -> tuple[float, float]:
    """(1, 1): the values of a run at rest, one step late."""
    return 1.0, 1.0


def rest(_: float, gain: float) -> tuple[float, float]:
    """(1, 1 - a): the map's own first step from e_{-1} = e_0 = 1."""
    return 1.0, 1.0 - gain


def slow(rate: float, gain: float) -> tuple[float, float]:
    """On the slow mode of the map."""
    return 1.0, float(momentum.modes(rate, gain)[0].real)


def exponents(rate: float, gain: float) -> tuple[complex, complex]:
    """The exponents a step of (1+mu)/2 e'' + (1-mu) e' + a e = 0, from the reference's oscillator."""
    slow_pole, fast_pole = oscillator.poles((1 + rate) / 2, 1 - rate, gain)
    return complex(slow_pole), complex(fast_pole)


def sampled(rate: float, gain: float, e0: float, e1: float, steps: int) -> NDArray[np.float64]:
    """The ODE's solution through (e_0, e_1) at whole steps."""
    p, q = exponents(rate, gain)
    u, v = np.exp(p), np.exp(q)
    first = (e1 - e0 * v) / (u - v)
    k = np.arange(steps + 1)
    return np.real(first * np.exp(p * k) + (e0 - first) * np.exp(q * k))


def largest_error(rate: float, gain: float, start: Start, steps: int) -> float:
    """max over 0 <= k <= steps of |e_k - e(k)|."""
    e0, e1 = start(rate, gain)
    path = momentum.trajectory(rate, gain, e0, e1, steps)
    return float(np.max(np.abs(path - sampled(rate, gain, e0, e1, steps))))


def order(error: Callable[[float], float], fine: float) -> float:
    """log2 of the error's ratio between steps 2*fine and fine; it differs from the order by O(fine)."""
    return math.log2(error(2 * fine) / error(fine))


# A measured order is off by about c*fine/ln 2, c the ratio of the next coefficient to the leading one. With fine <=
# 1/500 and c <= 20 (the cases below) that is under 0.06; rounding adds less than 1e-13/1e-7.
ORDER_BAND = 0.1

# rate, start, order in the scaling "mu fixed, a = delta, horizon 2"
FIRST_ORDER = [
    (0.0, equal, 1.0),
    (0.5, equal, 1.0),
    (0.5, rest, 1.0),
    (0.8, rest, 1.0),
    (0.0, rest, 2.0),
    (0.0, slow, 2.0),
    (0.5, slow, 2.0),
]


def first_order_scaling(rate: float, start: Start) -> float:
    fine = (1 - rate) ** 2 / 500
    return order(lambda d: largest_error(rate, d, start, round(2 / d)), fine)


_mass_at = sp.lambdify((mu, eta, delta), said.mass)
_damping_at = sp.lambdify((mu, eta, delta), said.damping)


@pytest.mark.claim("lemma-4", step="measured-orders", kind="property")
@pytest.mark.parametrize("rate", [0.0, 0.5, 0.9])
def test_with_the_rate_fixed_nothing_converges(rate: float) -> None:
    eta_, stiffness = 0.5, 1.8 * (1 - rate) ** 2

    def error(d: float) -> float:
        # Eq. 6 with its own delta, at t = k delta up to 20: neither m nor c is that of delta = 1
        m, c, steps = _mass_at(rate, eta_, d), _damping_at(rate, eta_, d), round(20 / d)
        path = momentum.trajectory(rate, eta_ * stiffness, 1.0, 1.0 - eta_ * stiffness, steps)
        drift, unit = (float(oscillator.response(d, m, c, stiffness, *start)) for start in ((1.0, 0.0), (0.0, 1.0)))
        ode = oscillator.response(d * np.arange(steps + 1), m, c, stiffness, 1.0, (path[1] - drift) / unit)
        return float(np.max(np.abs(path - ode)))

    # the error of a step does not depend on delta, and its largest value is reached in the first steps: order 0
    # exactly, but for some 1e-12 of rounding in errors above 1e-3
    within(order(error, 1 / 50), 1e-8, "order")


@pytest.mark.claim("lemma-4", step="measured-orders", kind="property")
def test_with_momentum_fixed_the_order_is_one_but_on_the_slow_mode() -> None:
    for rate, start, expected in FIRST_ORDER:
        within(first_order_scaling(rate, start) - expected, ORDER_BAND, f"order at {rate} from {start.__name__}")
    kill("order-2-from-equal-values", lambda: within(first_order_scaling(0.0, equal) - 2, ORDER_BAND))


def inertial(memory: float, kappa: float, matched: bool) -> float:
    """The measured order with 1 - mu = memory*delta, a = kappa*delta^2, horizon 2, from rest."""

    def error(d: float) -> float:
        rate, gain, steps = 1 - memory * d, kappa * d * d, round(2 / d)
        if matched:
            return largest_error(rate, gain, rest, steps)
        ode = oscillator.response(np.arange(steps + 1), (1 + rate) / 2, 1 - rate, gain, 1.0)
        return float(np.max(np.abs(momentum.trajectory(rate, gain, 1.0, 1.0 - gain, steps) - ode)))

    return order(error, 1 / 400)


@pytest.mark.claim("lemma-4", step="measured-inertial-order", kind="property")
@pytest.mark.parametrize(("memory", "kappa"), [(1.0, 1.0), (3.0, 1.0), (0.5, 2.0)])
def test_in_the_inertial_scaling_the_order_is_two_if_matched(memory: float, kappa: float) -> None:
    within(inertial(memory, kappa, matched=True) - 2, ORDER_BAND, "order, matched")
    within(inertial(memory, kappa, matched=False) - 1, ORDER_BAND, "order, zero velocity")
    kill(
        "ode-from-zero-velocity",
        lambda: within(inertial(memory, kappa, matched=False) - 2, ORDER_BAND),
    )


_mass = sp.lambdify((mu, eta), said.mass.subs(delta, 1))
_damping = sp.lambdify((mu, eta), said.damping.subs(delta, 1))


@pytest.mark.claim("eq-6", step="reference-coefficients", kind="property")
@given(rate=momenta(), step=gains(1e-6, 10.0), stiffness=gains(1e-3, 10.0))
def test_coefficients(rate: float, step: float, stiffness: float) -> None:
    m, c, k = oscillator.coefficients(step, rate, stiffness, 0.0)
    # each is three correctly rounded operations on either side
    within(float(m) / _mass(rate, step) - 1, 6 * EPS)
    within(c / _damping(rate, step) - 1, 6 * EPS)
    assert k == stiffness


_quadratic = sp.lambdify((said.z, mu, eta, K), said.z**2 - (1 + mu - eta * K) * said.z + mu)


@pytest.mark.claim("eq-6", step="reference-modes", kind="property")
@given(rate=momenta(), gain=gains())
def test_modes_are_roots_of_the_printed_quadratic(rate: float, gain: float) -> None:
    for root in momentum.modes(rate, gain):
        # a root good to 8 eps, put into the quadratic, leaves that times the sum of its terms' sizes; three terms round
        size = float(abs(root) ** 2 + (1 + rate + gain) * abs(root) + rate)
        within(abs(_quadratic(complex(root), rate, gain, 1.0)), 16 * EPS * size + 1e-300)


_step_two = sp.lambdify(
    (mu, eta, K, said.w_1, said.w_2, said.e_0, said.e_1),
    said.LEMMA_4.step("error-at-step-two").rhs,  # type: ignore[union-attr]
)


@pytest.mark.claim("lemma-4", step="reference-error", kind="property")
@given(
    rate=momenta(),
    gain=gains(1e-3, 4.0),
    w=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    e=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
)
def test_error_at_step_two(rate: float, gain: float, w: tuple[float, float], e: tuple[float, float]) -> None:
    found = float(momentum.trajectory(rate, gain, *e, 2)[2]) - ((w[0] + w[1]) * e[1] - w[0] * w[1] * e[0])
    # a dozen operations on numbers of at most 2 (1 + mu + a) <= 12
    within(found - _step_two(rate, gain, 1.0, *w, *e), 12 * 12 * EPS)


# --- what causes it ----------------------------------------------------------------------------------
_error_equal = said.PADE.step("from-equal-values")
_error_rest = said.PADE.step("from-rest")
assert isinstance(_error_equal, Identity)
assert isinstance(_error_rest, Identity)
_limit_equal = sp.lambdify(said.c, _error_equal.rhs)
_limit_rest = sp.lambdify(said.c, _error_rest.rhs)


@pytest.mark.claim("new-memory-is-pade", step="measured-constant", kind="property")
@given(rate=momenta(0.95))
def test_first_order_constants(rate: float) -> None:
    for start, limit in ((equal, _limit_equal), (rest, _limit_rest)):

        def scaled(gain: float, start: Start = start) -> float:
            e0, e1 = start(rate, gain)
            error = momentum.trajectory(rate, gain, e0, e1, 2) - sampled(rate, gain, e0, e1, 2)
            return float(error[2]) / gain

        gain = 1e-4 * (1 - rate) ** 2
        # Richardson leaves the second order in gain/(1-mu)^2, with a coefficient below 10; rounding is 10 eps/gain
        found = 2 * scaled(gain / 2) - scaled(gain)
        within(found - limit(1 - rate), 10 * 1e-8 + 40 * EPS / gain, f"from {start.__name__}")


@pytest.mark.claim("new-slow-mode-tracking", step="measured-order", kind="property")
@pytest.mark.parametrize("rate", [0.0, 0.3, 0.5, 0.9])
def test_slow_mode_for_all_time(rate: float) -> None:
    def error(gain: float) -> float:
        z = float(momentum.modes(rate, gain)[0].real)
        return largest_error(rate, gain, slow, round(6 * (1 - rate) / gain)) if 0 < z < 1 else math.nan

    gain = (1 - rate) ** 2 / 500
    within(order(error, gain) - 2, ORDER_BAND, "order")
    # relative to a^2/(6 e (1-mu)^2) the next term is of order a/(1-mu)^2 = 1/500 with a coefficient below 20
    within(error(gain) * 6 * math.e * (1 - rate) ** 2 / gain**2 - 1, 20 / 500, "constant")


# --- the true statement ------------------------------------------------------------------------------
def recursion_holds(
    rate: Fraction, gain: Fraction, w: tuple[Fraction, Fraction], e: tuple[Fraction, Fraction], memory: bool
) -> None:
    """The error of any recurrence with multipliers w as a sum of kicks, in exact arithmetic."""
    steps = 7
    path = momentum.trajectory(rate, gain, *e, steps)
    kick = momentum.trajectory(rate, gain, Fraction(0), Fraction(1), steps)
    ode = [*e]
    for k in range(1, steps):
        ode.append((w[0] + w[1]) * ode[k] - w[0] * w[1] * ode[k - 1])
    force = (1 - w[0]) * (1 - w[1]) - gain
    defect = rate - w[0] * w[1] if memory else Fraction(0)
    for k in range(steps + 1):
        total = sum((kick[k - j] * (force * ode[j] + defect * (ode[j] - ode[j - 1])) for j in range(1, k)), Fraction(0))
        assert path[k] - ode[k] == total


small = st.fractions(-2, 2, max_denominator=12)


@pytest.mark.claim("new-inertial-tracking", step="error-recursion", kind="exact")
@given(
    rate=exact_momenta(),
    gain=st.fractions(0, 4, max_denominator=12),
    w=st.tuples(small, small),
    e=st.tuples(small, small),
)
def test_error_is_a_sum_of_kicks(
    rate: Fraction, gain: Fraction, w: tuple[Fraction, Fraction], e: tuple[Fraction, Fraction]
) -> None:
    recursion_holds(rate, gain, w, e, memory=True)


@pytest.mark.claim("new-inertial-tracking", step="error-recursion", kind="exact")
def test_the_memory_defect_is_needed() -> None:
    half = Fraction(1, 2)
    kill("memory-defect-forgotten", lambda: recursion_holds(half, half, (half, half / 2), (half, -half), memory=False))


def check_bound(d: float, kappa: float, horizon: float, power: int) -> None:
    """The error from rest against steps^power / 2 times the defects' sum."""
    rate, gain, steps = 1 - d, kappa * d * d, round(horizon / d)
    if abs((1 - rate) ** 2 - 2 * (1 + rate) * gain) < 1e-3 * d * d:
        return  # a double root: `sampled` has no two modes there
    ode = sampled(rate, gain, 1.0, 1.0 - gain, steps)
    p, q = exponents(rate, gain)
    force = abs(np.expm1(p) * np.expm1(q) - gain)
    memory = abs(rate - np.exp(p + q))
    bound = steps**power / 2 * (force * np.max(np.abs(ode)) + memory * np.max(np.abs(np.diff(ode))))
    # rounding: each of `steps` steps leaves at most 4 eps, carried on at most `steps` times; the modes' split divides
    within(largest_error(rate, gain, rest, steps), bound + 4 * EPS * steps**2 + 1e3 * EPS, "error")


@pytest.mark.claim("new-inertial-tracking", step="explicit-bound", kind="property")
@given(d=st.floats(0.005, 0.2), kappa=st.floats(0.05, 5.0), horizon=st.floats(0.5, 4.0))
def test_explicit_bound(d: float, kappa: float, horizon: float) -> None:
    check_bound(d, kappa, horizon, power=2)


@pytest.mark.claim("new-inertial-tracking", step="explicit-bound", kind="property")
def test_the_bound_needs_the_square() -> None:
    check_bound(0.01, 1.0, 2.0, power=2)
    kill("bound-without-square", lambda: check_bound(0.01, 1.0, 2.0, power=1))
