"""How well does an oscillator replace a force from the past? Orders, histories, and the exact frontier (Lemma 5)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference import lag, oscillator
from spec import lag as said
from spec import momentum as said_of_momentum
from spec.claim import Identity
from spec.symbols import K, delta, eta, mu, tau
from verification.evidence import kill, within
from verification.strategies import floats, gains, momenta

EPS = float(np.finfo(float).eps)

# A measured order is off by about c*tau/ln 2, c the ratio of the next coefficient to the leading one; tau <= 1/256 and
# c <= 10 in the cases below keep that under 0.06. Rounding: 1e-13 against errors above 1e-9.
ORDER_BAND = 0.1

_without_lag = {said.m: said_of_momentum.mass, said.c: said_of_momentum.damping}
_mass, _damping = (
    sp.lambdify((mu, eta, K, tau), e.subs(_without_lag).subs(delta, 1)) for e in (said.mass, said.damping)
)


@pytest.mark.claim("eq-7", step="reference-coefficients", kind="property")
@given(rate=momenta(), step=gains(1e-6, 10.0), stiffness=gains(1e-3, 10.0), delay=st.floats(0.0, 100.0))
def test_coefficients(rate: float, step: float, stiffness: float, delay: float) -> None:
    m, c, k = oscillator.coefficients(step, rate, stiffness, delay)
    # six rounded operations a side; in the damping they are relative to the larger of its two terms
    within(m / _mass(rate, step, stiffness, delay) - 1, 12 * EPS)
    within(float(c) - _damping(rate, step, stiffness, delay), 12 * EPS * (1 / step + stiffness * delay))
    assert k == stiffness


def truncation_error(
    mass: float, damping: float, stiffness: float, delay: float, velocity: float, times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """e of the delay equation less e of the oscillator of Eq. 7, both from history 1."""
    m, c = mass + stiffness * delay**2 / 2, damping - stiffness * delay
    exact = lag.delay_trajectory(mass, damping, stiffness, delay, times, velocity=velocity)
    return np.asarray(exact - oscillator.response(times, m, c, stiffness, 1.0, velocity))


def order(error: Callable[[float], float], fine: float) -> float:
    """log2 of the error's ratio between 2*fine and fine."""
    return math.log2(error(2 * fine) / error(fine))


def fixed_order(mass: float, damping: float, stiffness: float, velocity: float) -> float:
    times = np.linspace(0.0, 4.0, 401)
    return order(
        lambda d: float(np.max(np.abs(truncation_error(mass, damping, stiffness, d, velocity, times)))), 1 / 512
    )


CASES = [(1.0, 1.0, 1.0), (1.0, 2.5, 1.0), (0.5, 3.0, 2.0)]


@pytest.mark.claim("lemma-5", step="measured-third-order", kind="property")
@pytest.mark.parametrize("case", CASES)
def test_third_order_from_rest(case: tuple[float, float, float]) -> None:
    found = fixed_order(*case, velocity=0.0)
    within(found - 3, ORDER_BAND, "order from rest")
    kill("order-two-from-rest", lambda: within(found - 2, ORDER_BAND))


@pytest.mark.claim("lemma-5", step="measured-second-order", kind="property")
@pytest.mark.parametrize("case", CASES)
def test_second_order_with_a_velocity(case: tuple[float, float, float]) -> None:
    found = fixed_order(*case, velocity=1.0)
    within(found - 2, ORDER_BAND, "order with a velocity")
    kill("velocity-of-third-order", lambda: within(found - 3, ORDER_BAND))


@pytest.mark.claim("lemma-5", step="measured-second-order", kind="property")
@pytest.mark.parametrize(("rate", "interval"), [(0.0, 1), (0.5, 1), (0.5, 3)])
def test_second_order_in_the_papers_scaling(rate: float, interval: int) -> None:
    # eta = delta, K = 1: mass (1+mu) delta/2, damping 1-mu, lag interval*delta
    def error(d: float, first: float) -> float:
        layer = np.linspace(0.0, 40 * d, 401)
        times = np.concatenate([layer, np.linspace(40 * d, 3.0, 201)])
        times = times[times >= first]
        gap = truncation_error((1 + rate) * d / 2, 1 - rate, 1.0, interval * d, 0.0, times)
        return float(np.max(np.abs(gap)))

    within(order(lambda d: error(d, 0.0), 1 / 2048) - 2, ORDER_BAND, "order in the sup norm")
    within(order(lambda d: error(d, 1.0), 1 / 2048) - 3, ORDER_BAND, "order away from the layer")


@pytest.mark.claim("new-delay-history", step="measured-kick", kind="property")
@given(
    mass=st.floats(1.0, 3.0), damping=st.floats(0.3, 1.5), stiffness=st.floats(0.3, 1.5), velocity=st.floats(0.5, 2.0)
)
def test_the_kick_of_an_initial_velocity(mass: float, damping: float, stiffness: float, velocity: float) -> None:
    time = 1.5
    impulse = said.HISTORY.step("impulse-with-velocity")
    assert isinstance(impulse, Identity)
    per_square = float(impulse.rhs.subs({K: stiffness, said.v: velocity, tau: 1}))
    limit = -per_square / mass * float(oscillator.response(time, mass, damping, stiffness, 0.0, 1.0))

    def scaled(delay: float) -> float:
        gap = truncation_error(mass, damping, stiffness, delay, velocity, np.array([time]))
        return float(gap[0]) / delay**2

    d = 1 / 512
    # Richardson leaves the second order in tau: at most (1 + K/m + c/m)^4 tau^2, as every derivative of e in units of
    # the initial data is at most such a power; rounding: 1e-13/tau^2
    bound = (1 + velocity) * (1 + (stiffness + damping) / mass) ** 4 * d**2 + 4e-13 / d**2
    within(2 * scaled(d / 2) - scaled(d) - limit, bound, "kick")


_at = said.FRONTIER.assumes[0].domain
_frontier = sp.lambdify((said.x, K, tau), (said._mass_at, said._damping_at))


def counts(x: float, stiffness: float, delay: float, shift: float) -> None:
    """No root in the right half-plane just short of the frontier's lag, two just past it."""
    m, c = _frontier(x, stiffness, delay)
    # both sides are a few rounded operations from the frontier's lag, far less than 1e-9
    assert lag.unstable_roots(m, c, stiffness, delay * shift * (1 - 1e-9)) == 0
    assert lag.unstable_roots(m, c, stiffness, delay * shift * (1 + 1e-9)) == 2


@pytest.mark.claim("new-delay-frontier", step="reference-frontier", kind="property")
@given(x=floats(_at), stiffness=st.floats(0.01, 100.0), delay=st.floats(0.01, 100.0))
def test_the_frontier_of_the_delay_equation(x: float, stiffness: float, delay: float) -> None:
    assume(x >= 1e-3)  # c tau/m = x tan x: below, the mass's inertia is 10^6 times the damping, and rounding decides
    counts(x, stiffness, delay, 1.0)


@pytest.mark.claim("new-delay-frontier", step="reference-frontier", kind="property")
@pytest.mark.parametrize("x", [0.1, 0.5, 1.0, 1.4, 1.499])
def test_the_frontier_by_the_argument_principle(x: float) -> None:
    m, c = _frontier(x, 1.0, 1.0)
    assert lag.winding_count(m, c, 1.0, 0.999) == 0
    assert lag.winding_count(m, c, 1.0, 1.001) == 2
    kill("later-frontier", lambda: counts(x, 1.0, 1.0, 1.05))
