"""The stability threshold, whole: what Eq. 11 says, of which system it is true, and where the lagged map really turns.

In order: the oscillator (Eq. 11, Proposition 9), the map against it (Section 3.6), then the exact frontiers of the map,
constant lag and periodic refresh, stability and onset of ringing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from reference import lag, oscillator
from reference.history import Schedule
from spec import threshold as said
from spec.symbols import K, K_ref, a, eta, mu
from verification.evidence import kill, within
from verification.strategies import exact_momenta, gains, intervals, momenta

EPS = float(np.finfo(float).eps)
SCHEDULES: tuple[Schedule, ...] = ("constant", "periodic")


def lambdified(symbols: Sequence[sp.Symbol], expression: sp.Basic) -> Any:
    """The expression of spec/ for mpmath, so that only the reference's rounding is left in a comparison."""
    return sp.lambdify(list(symbols), expression, modules="mpmath")


def relative(found: float, exact: Any) -> float:
    """The relative error of a double against mpmath."""
    return float(mpmath.mpf(found) / exact - 1)


# --- the oscillator ----------------------------------------------------------------------------------
_effective_damping = lambdified((mu, eta, K, K_ref), said.effective_damping)


@pytest.mark.claim("eq-11", step="reference-damping", kind="property")
@given(rate=momenta(), step=gains(1e-4, 10.0), stiffness=gains(1e-3, 10.0), interval=st.floats(0.0, 1e4))
def test_the_damping_vanishes_where_eq_11_says(rate: float, step: float, stiffness: float, interval: float) -> None:
    _, c, _ = oscillator.coefficients(step, rate, stiffness, interval)
    with mpmath.workdps(50):
        exact = _effective_damping(*(mpmath.mpf(v) for v in (rate, step, stiffness, interval)))
        # the reference rounds each of two terms twice at most, and their difference once
        bound = 2 * EPS * ((1 - rate) / step + stiffness * interval)
        within(float(c - exact), bound, "damping")
    critical = (1 - rate) / (stiffness * step)
    _, at, _ = oscillator.coefficients(step, rate, stiffness, critical)
    within(float(at), 8 * EPS * (1 - rate) / step, "damping at the threshold")


@pytest.mark.claim("prop-9", step="reference-poles", kind="property")
@given(rate=momenta(), gain=gains(), interval=st.floats(0.0, 1e4))
def test_a_pole_is_right_exactly_past_eq_11(rate: float, gain: float, interval: float) -> None:
    excess = gain * interval - (1 - rate)
    assume(abs(excess) > 8 * EPS * (1 - rate))  # nearer, rounding decides
    m, c, k = oscillator.coefficients(1.0, rate, gain, interval)
    slow, fast = oscillator.poles(m, c, k)
    rightmost = max(float(slow.real), float(fast.real))
    assert (rightmost > 0) == (excess > 0)
    # a sum of two doubles of which the larger is good to 4 eps
    within(float((slow + fast).real + c / m), 8 * EPS * float(abs(slow) + abs(fast)), "sum of the poles")


# --- the map against it ------------------------------------------------------------------------------
@pytest.mark.claim("sec-3.6", step="reference-frontiers", kind="property")
@given(rate=momenta(0.99), interval=intervals(2, 1000), schedule=st.sampled_from(SCHEDULES))
def test_the_map_is_stable_past_eq_11(rate: float, interval: int, schedule: Schedule) -> None:
    said_gain = (1 - rate) / interval
    true_gain = float(lag.critical_gain(rate, interval, schedule))
    # at constant lag 2 the ratio is 1 + (1-mu)/4 to first order, the smallest of all: 2.5e-3 at mu = 0.99
    assert true_gain > said_gain * (1 + 1e-4)
    assert lag.stable(rate, said_gain * (1 + 1e-4), interval, schedule)


@pytest.mark.claim("sec-3.6", step="reference-frontiers", kind="property")
@given(rate=momenta(), factor=st.floats(1.001, 2.0))
def test_without_lag_the_map_flips_where_eq_11_promises_stability(rate: float, factor: float) -> None:
    gain = 2 * (1 + rate) * factor
    assert oscillator.coefficients(1.0, rate, gain, 0.0)[1] > 0  # Eq. 11 at K_ref = 0: damped, whatever the gain
    assert not lag.stable(rate, gain, 0, "constant")
    path = lag.trajectory(rate, gain, 0, "constant", 40)
    assert np.all(np.sign(path[20:-1]) == -np.sign(path[21:]))  # a flip: the sign alternates


@pytest.mark.claim("sec-3.6", step="reference-frontiers", kind="exact")
def test_the_small_counterexamples_run() -> None:
    doubling = lag.trajectory(Fraction(0), Fraction(3), 0, "constant", 12)
    assert list(doubling) == [(-2) ** k for k in range(13)]
    # constant lag 2 at a = 3/5 decays like 0.9914^k, where Eq. 11 says unstable; at a = 2/3 > 0.618 it grows
    assert max(abs(lag.trajectory(Fraction(0), Fraction(3, 5), 2, "constant", 1000)[990:])) < Fraction(1, 1000)
    assert max(abs(lag.trajectory(Fraction(0), Fraction(2, 3), 2, "constant", 300)[290:])) > 100
    halving = lag.trajectory(Fraction(0), Fraction(3, 4), 2, "periodic", 20)
    assert list(halving[::2]) == [Fraction(-1, 2) ** k for k in range(11)]
    kill(
        "eq-11-as-frontier",
        lambda: within(float(lag.critical_gain(0.0, 2, "constant")) * 2 - 1, 1e-3),
    )


@pytest.mark.claim("sec-3.6", step="reference-frontiers", kind="property")
def test_the_papers_own_parameters_ring_at_every_interval() -> None:
    for interval in range(200):
        assert oscillator.damping_ratio(0.3, 0.8, 0.12, interval) <= 5 / 9 + 2 * EPS
        assert lag.onset_gain(0.8, interval, "constant") < 0.3 * 0.12
        assert lag.onset_gain(0.8, interval + 1, "periodic") < 0.3 * 0.12
    assert np.min(lag.trajectory(0.8, 0.036, 0, "constant", 60)) < -0.05  # it overshoots without any lag


def changes_sign(rate: float, gain: float, interval: int, schedule: Schedule) -> None:
    """The run from rest crosses 0 again and again while it grows."""
    turn = math.pi / float(lag.critical(rate, interval, schedule).frequency)
    steps = int(8 * turn) + 4 * interval + 20
    path = lag.trajectory(rate, gain, interval, schedule, steps)
    half = path[len(path) // 4 :]
    assert np.min(half) < 0 < np.max(half)


@pytest.mark.claim("new-growth-oscillates", step="reference-trajectories", kind="property")
@given(
    rate=momenta(0.95),
    interval=intervals(1, 40),
    schedule=st.sampled_from(SCHEDULES),
    factor=st.floats(1.01, 3.0),
)
def test_growth_oscillates(rate: float, interval: int, schedule: Schedule, factor: float) -> None:
    changes_sign(rate, factor * float(lag.critical_gain(rate, interval, schedule)), interval, schedule)


@pytest.mark.claim("new-growth-oscillates", step="reference-trajectories", kind="property")
def test_only_a_driving_force_grows_monotonely() -> None:
    kill("negative-force", lambda: changes_sign(0.5, -0.05, 3, "constant"))


# --- constant lag ------------------------------------------------------------------------------------
@pytest.mark.claim("new-one-step-lag", step="reference-critical-gain", kind="property")
@given(rate=momenta())
def test_one_step_of_lag_agrees_with_eq_11(rate: float) -> None:
    within(float(lag.critical_gain(rate, 1, "constant")) - (1 - rate), EPS)


def _pair(angle: Any) -> tuple[Any, Any]:
    return mpmath.sin(angle), mpmath.cos(angle)


_frontier_rate = lambdified((said.X, said.w), said._frontier_rate)


@pytest.mark.claim("new-constant-frontier", step="reference-critical-gain", kind="property")
@given(rate=momenta(), interval=intervals(1))
def test_the_constant_frontier(rate: float, interval: int) -> None:
    gain, kind, frequency = lag.critical(rate, interval, "constant")
    assert kind == "Neimark-Sacker"
    with mpmath.workdps(50):
        w, odds = mpmath.mpf(float(frequency)), (1 - mpmath.mpf(rate)) / (1 + mpmath.mpf(rate))
        for _ in range(4):  # Newton on sin X sin(w/2) = odds cos X cos(w/2) from a double: 50 digits after two steps
            sine, cosine, low, high = *_pair(interval * w), *_pair(w / 2)
            slope = (interval + odds / 2) * cosine * low + (mpmath.mpf(1) / 2 + odds * interval) * sine * high
            w -= (sine * low - odds * cosine * high) / slope
        assert 0 < interval * w < mpmath.pi / 2
        within(float(_frontier_rate(interval * w, w) - rate), 1e-30, "momentum")
        exact = (1 - mpmath.mpf(rate)) * mpmath.sin(w) / mpmath.sin(interval * w)
        # the root is stationary in nothing: 8 eps of the frequency reach the gain with a condition number of at most 1
        within(relative(float(gain), exact), 16 * EPS, "critical gain")
        ratio = float(exact) * interval / (1 - rate)
    assert 1 - 4 * EPS <= ratio < math.pi / 2


@pytest.mark.claim("new-constant-frontier", step="reference-critical-gain", kind="property")
@given(interval=intervals(1))
def test_the_constant_frontier_without_momentum(interval: int) -> None:
    exact = 2 * mpmath.sin(mpmath.pi / (2 * (2 * interval + 1)))
    within(relative(float(lag.critical_gain(0.0, interval, "constant")), exact), 16 * EPS)


@pytest.mark.claim("new-constant-frontier", step="reference-critical-gain", kind="property")
@given(rate=momenta())
def test_the_frontier_at_lags_0_and_2(rate: float) -> None:
    within(float(lag.critical_gain(rate, 0, "constant")) / (2 * (1 + rate)) - 1, 2 * EPS)
    # a^2 + (1+mu) a = 1 - mu, without cancellation
    two = 2 * (1 - rate) / (1 + rate + math.sqrt((1 + rate) ** 2 + 4 * (1 - rate)))
    within(float(lag.critical_gain(rate, 2, "constant")) / two - 1, 16 * EPS)


def radius(rate: float, gain: float, interval: int) -> float:
    """The largest modulus of the companion matrix's eigenvalues: no formula of the frontier enters."""
    matrix = np.zeros((interval + 1, interval + 1))
    matrix[0, 0], matrix[0, 1] = 1 + rate, -rate
    matrix[0, interval] -= gain
    matrix[np.arange(1, interval + 1), np.arange(interval)] = 1.0
    return float(np.max(np.abs(np.linalg.eigvals(matrix))))


@pytest.mark.claim("new-constant-frontier", step="first-crossing", kind="property")
@given(rate=momenta(0.95), interval=st.integers(1, 16), share=st.floats(0.01, 1.0))
def test_the_first_crossing_by_eigenvalues(rate: float, interval: int, share: float) -> None:
    gain = float(lag.critical_gain(rate, interval, "constant"))
    # 0.1% of gain moves the modulus by more than 1e-6 up to lag 16; the eigenvalues are good to 1e-12 there
    assert radius(rate, gain * share * 0.999, interval) < 1
    assert radius(rate, gain * 1.001, interval) > 1


@pytest.mark.claim("new-constant-frontier", step="first-crossing", kind="property")
def test_eq_11_is_not_that_crossing() -> None:
    def crosses(gain: float) -> None:
        assert radius(0.5, gain * 0.99, 3) < 1 < radius(0.5, gain * 1.01, 3)

    crosses(float(lag.critical_gain(0.5, 3, "constant")))
    kill("eq-11-as-frontier", lambda: crosses((1 - 0.5) / 3))


def schur_stable(polynomial: list[Fraction]) -> bool:
    """Whether all roots lie inside the unit circle, by the Schur-Cohn recursion in exact arithmetic."""
    while len(polynomial) > 1:
        lead, last = polynomial[0], polynomial[-1]
        if abs(last) >= abs(lead):
            return False
        reverse = polynomial[::-1]
        polynomial = [lead * p - last * r for p, r in zip(polynomial, reverse, strict=True)][:-1]
    return True


@pytest.mark.claim("new-constant-frontier", step="first-crossing", kind="exact")
@given(rate=exact_momenta(20), gain=st.fractions(Fraction(1, 50), 4, max_denominator=50), interval=st.integers(1, 7))
def test_the_frontier_by_exact_schur_cohn(rate: Fraction, gain: Fraction, interval: int) -> None:
    polynomial = [Fraction(1), -(1 + rate), rate, *[Fraction(0)] * (interval - 1)]
    polynomial[interval + 1] += gain
    distance = float(gain) / float(lag.critical_gain(float(rate), interval, "constant")) - 1
    assume(abs(distance) > 1e-12)
    assert schur_stable(polynomial) == (distance < 0)


_touching = lambdified((said.L, mu), said._touching)
_onset = lambdified((said.z, said.L, mu), said._onset)


@pytest.mark.claim("new-constant-onset", step="reference-onset-gain", kind="property")
@given(rate=momenta(), interval=intervals(1))
def test_the_onset_at_constant_lag(rate: float, interval: int) -> None:
    with mpmath.workdps(50):
        exact = _onset(_touching(interval, mpmath.mpf(rate)), interval, mpmath.mpf(rate))
        # the power (1-u)^(L-1) has the condition number L u/(1-u) <= 2 in u; a dozen roundings around it
        within(relative(float(lag.onset_gain(rate, interval, "constant")), exact), 32 * EPS)
    within(float(lag.onset_gain(rate, 0, "constant")) - (1 - math.sqrt(rate)) ** 2, 4 * EPS)


def promises_monotony(gain: float, interval: int) -> None:
    """Eq. 10 gives more than 1 at a gain where the map begins to ring."""
    assert oscillator.damping_ratio(1.0, 0.0, gain, interval) > 1 + 1e-9


@pytest.mark.claim("new-constant-onset", step="zeta-late", kind="property")
@given(interval=intervals(2))
def test_zeta_one_comes_late_at_constant_lag(interval: int) -> None:
    promises_monotony(float(lag.onset_gain(0.0, interval, "constant")), interval)


@pytest.mark.claim("new-constant-onset", step="zeta-late", kind="property")
def test_zeta_one_is_where_zeta_is_one() -> None:
    # (1 - a L)^2 = 2a (1 + a L^2) at L = 5: 25 a^2 + 12 a = 1
    critically_damped = (-6 + math.sqrt(61)) / 25
    kill("zeta-one-as-onset", lambda: promises_monotony(critically_damped, 5))


# --- periodic refresh: what trainers run -------------------------------------------------------------
_trace = sp.lambdify([mu, a, said.q, said.W, said.N], said._trace)
_determinant = sp.lambdify([mu, a, said.q, said.W, said.N], said._determinant)


@pytest.mark.claim("new-periodic-frontier", step="reference-period-map", kind="exact")
@given(
    rate=exact_momenta(30),
    gain=st.fractions(Fraction(1, 30), 4, max_denominator=30),
    interval=st.integers(1, 9),
)
def test_the_cycle_in_exact_arithmetic(rate: Fraction, gain: Fraction, interval: int) -> None:
    matrix = lag.period_map(rate, gain, interval)
    q, total = rate**interval, sum((rate**j for j in range(1, interval + 1)), Fraction(0))
    assert matrix[0, 0] + matrix[1, 1] == _trace(rate, gain, q, total, interval)
    assert matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0] == _determinant(rate, gain, q, total, interval)
    # and it is the map: iterate the definition for one cycle from (e_0, e_{-1}) = (3, 2)
    path, last = [Fraction(2), Fraction(3)], Fraction(3)
    for _ in range(interval):
        path.append(path[-1] - gain * last + rate * (path[-1] - path[-2]))
    assert matrix[0, 0] * 3 + matrix[0, 1] * 2 == path[-1]
    assert matrix[1, 0] * 3 + matrix[1, 1] * 2 == path[-2]


_flip = lambdified((said.q, said.W, said.N), said._flip)
_torus = lambdified((said.q, said.W, said.N), said._torus)


def cycle(rate: float, interval: int) -> tuple[Any, Any, Any]:
    """1 - mu, q and S, with 60 digits."""
    r = mpmath.mpf(rate)
    q = r**interval
    return 1 - r, q, r * (1 - q) / (1 - r)


@pytest.mark.claim("new-periodic-frontier", step="reference-critical-gain", kind="property")
@given(rate=momenta(), interval=intervals(1))
def test_the_periodic_frontier(rate: float, interval: int) -> None:
    with mpmath.workdps(60):
        left, q, total = cycle(rate, interval)
        exact = left * _flip(q, total, interval)
        if interval > 1 and rate > 0:
            exact = min(exact, left * _torus(q, total, interval))
        # sums of positive terms in the reference: a dozen roundings and one power of mu with condition number 1 in 1-q
        within(relative(float(lag.critical_gain(rate, interval, "periodic")), exact), 64 * EPS)
        assert exact * interval / left >= 2 * (1 - mpmath.mpf(10) ** -40)


@pytest.mark.claim("new-periodic-frontier", step="reference-critical-gain", kind="property")
@pytest.mark.parametrize(("rate", "interval"), list(itertools.product([0.0, 0.5, 0.9], [1, 2, 8, 30])))
def test_runs_on_either_side_of_the_periodic_frontier(rate: float, interval: int) -> None:
    gain = float(lag.critical_gain(rate, interval, "periodic"))
    matrix = np.asarray(lag.period_map(rate, gain, interval), dtype=float)
    # the spectral radius is 1 there: eigenvalues of a 2 x 2 matrix, a double one only where a flip meets a torus
    within(float(np.max(np.abs(np.linalg.eigvals(matrix)))) - 1, 1e-9, "modulus")
    for factor, grows in ((0.98, False), (1.02, True)):
        path = np.abs(lag.trajectory(rate, factor * gain, interval, "periodic", 1200 * interval))
        assert (np.max(path[-2 * interval :]) > np.max(path[600 * interval : 602 * interval])) == grows


_periodic_onset = lambdified((mu, said.q, said.W, said.N), said._periodic_onset)


@pytest.mark.claim("new-periodic-onset", step="reference-onset-gain", kind="property")
@given(rate=momenta(), interval=intervals(1))
def test_the_onset_under_periodic_refresh(rate: float, interval: int) -> None:
    with mpmath.workdps(60):
        _, q, total = cycle(rate, interval)
        exact = _periodic_onset(mpmath.mpf(rate), q, total, interval)
        within(relative(float(lag.onset_gain(rate, interval, "periodic")), exact), 64 * EPS)


def rings_before(rate: float, interval: int, schedule: Schedule) -> None:
    """zeta at the true onset is below 1: Eq. 10 called it ringing already."""
    gain = float(lag.onset_gain(rate, interval, schedule))
    assert oscillator.damping_ratio(1.0, rate, gain, interval) < 1 + 8 * EPS / (1 - rate)


@pytest.mark.claim("new-periodic-onset", step="zeta-early", kind="property")
@given(rate=momenta(), interval=intervals(1))
def test_zeta_one_is_conservative_under_periodic_refresh(rate: float, interval: int) -> None:
    rings_before(rate, interval, "periodic")


@pytest.mark.claim("new-periodic-onset", step="zeta-early", kind="property")
def test_it_is_not_at_constant_lag() -> None:
    rings_before(0.0, 5, "periodic")
    kill("constant-lag", lambda: rings_before(0.0, 5, "constant"))
