"""The lagged map and its frontiers against companion matrices, exact fractions and 50-digit arithmetic."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference import frontier, lag
from reference.history import Schedule
from reference.spectrum import starts
from verification.numerics.watched import looks

pytestmark = pytest.mark.infrastructure

MOMENTA = st.floats(0.0, 0.999)
SCHEDULES: tuple[Schedule, ...] = ("constant", "periodic")


def companion(mu: float, gain: float, interval: int) -> NDArray[np.float64]:
    """One step of the constant lag as a matrix on (e_k, ..., e_{k-n+1}), straight from the map."""
    n = max(interval, 1) + 1
    matrix = np.eye(n, k=-1)
    matrix[0, :2] = 1.0 + mu, -mu
    matrix[0, interval] -= gain
    return matrix


def brute_cycle(mu: float, gain: float, interval: int) -> NDArray[np.float64]:
    """One refresh cycle as a product of single steps on (e_k, e_{k-1}, copy)."""
    step = np.array([[1.0 + mu, -mu, -gain], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    product = np.linalg.matrix_power(step, interval)
    return np.asarray(product[:2] @ np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), dtype=np.float64)


def brute_multipliers(mu: float, gain: float, interval: int, schedule: Schedule) -> NDArray[np.complex128]:
    matrix = companion if schedule == "constant" else brute_cycle
    values = np.linalg.eigvals(matrix(mu, gain, interval)).astype(np.complex128)
    return values[np.argsort(-np.abs(values))]


def radius(mu: float, gain: float, interval: int, schedule: Schedule) -> float:
    return float(np.abs(brute_multipliers(mu, gain, interval, schedule)[0]))


def precise_critical(mu: float, interval: int, schedule: Schedule) -> mpmath.mpf:
    """The frontier from the raw definitions at the working precision, with no rearrangement."""
    m = mpmath.mpf(mu)
    if schedule == "constant":
        if interval == 0:
            return 2 * (1 + m)

        def phase(w: mpmath.mpf) -> mpmath.mpf:  # arg of z^{L-1} (z-1) (z-mu), less pi
            z = mpmath.expj(w)
            return (interval - 1) * w + mpmath.arg(z - 1) + mpmath.arg(z - m) - mpmath.pi

        low, high = mpmath.mpf(10) ** -40, mpmath.pi / (2 * interval)
        for _ in range(190):
            middle = (low + high) / 2
            low, high = (low, middle) if phase(middle) > 0 else (middle, high)
        return abs(mpmath.expj(low) - 1) * abs(mpmath.expj(low) - m)
    q = m**interval
    S = m * (1 - q) / (1 - m)
    flip = 2 * (1 + q) * (1 - m) / ((1 + q) * interval - 2 * S)
    turn = S - q * interval
    return min(flip, (1 - q) * (1 - m) / turn) if interval > 1 and mu > 0 else flip


def precise_onset(mu: float, interval: int, schedule: Schedule) -> mpmath.mpf:
    m = mpmath.mpf(mu)
    if schedule == "periodic":  # the smaller root of trace^2 = 4 det, both linear in the gain
        q = m**interval
        S = m * (1 - q) / (1 - m)
        R, Q = (interval - S) / (1 - m), (S - q * interval) / (1 - m)
        b = (1 + q) * R + 2 * Q
        return (b - mpmath.sqrt(b * b - (1 - q) ** 2 * R * R)) / R**2
    L = interval
    z = (L * (1 + m) + mpmath.sqrt((L * (1 - m)) ** 2 + 4 * m)) / (2 * (L + 1))
    return z ** (L - 1) * (1 - z) * (z - m) if z > 0 else mpmath.mpf(1)


def hard_cases(seed: int, count: int, schedule: Schedule) -> list[tuple[float, int]]:
    rng = np.random.default_rng(seed)
    first = 0 if schedule == "constant" else 1
    cases = [(mu, L) for mu in (0.0, 1e-300, 0.5, 0.9, 0.9999, 1.0 - 2.0**-53) for L in (first, 1, 2, 300, 10**6)]
    for _ in range(count):
        mu = float(rng.choice([rng.uniform(), 1.0 - 10 ** rng.uniform(-15, 0), 10 ** rng.uniform(-20, 0)]))
        cases.append((min(mu, 1.0 - 2.0**-53), int(10 ** rng.uniform(0, 6))))
    return cases


# 1e-15 is seven half-units in the last place: each result is a dozen rounded operations on positive terms
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("fast", "precise"), [(lag.critical_gain, precise_critical), (lag.onset_gain, precise_onset)])
def test_frontiers_agree_with_many_digits(
    schedule: Schedule, fast: Callable[..., float], precise: Callable[..., mpmath.mpf]
) -> None:
    cases = hard_cases(5, 60, schedule)
    found = fast([mu for mu, _ in cases], [L for _, L in cases], schedule)
    with mpmath.workdps(90):  # the raw periodic onset cancels 32 digits at mu = 1 - 2**-53
        for (mu, interval), value in zip(cases, np.asarray(found), strict=True):
            exact = precise(mu, interval, schedule)
            assert abs(mpmath.mpf(float(value)) / exact - 1) < 1e-15, (mu, interval)


@given(mu=MOMENTA, interval=st.integers(0, 30), schedule=st.sampled_from(SCHEDULES))
@settings(max_examples=250, deadline=None)
def test_radius_is_one_exactly_at_the_critical_gain(mu: float, interval: int, schedule: Schedule) -> None:
    interval = max(interval, 1) if schedule == "periodic" else interval
    found = lag.critical(mu, interval, schedule)
    gain = float(found.gain)
    # at a = 0 the multiplier leaves 1 at rate 1/(1-mu), so the least margin at a relative step d is of order
    # d (1-mu)
    assert radius(mu, gain * (1 - 1e-4), interval, schedule) < 1.0 - 1e-9
    assert radius(mu, gain * (1 + 1e-4), interval, schedule) > 1.0 + 1e-9
    for share in (0.01, 0.3, 0.9):
        assert radius(mu, gain * share, interval, schedule) < 1.0
    for excess in (1.5, 10.0):
        assert radius(mu, gain * excess, interval, schedule) > 1.0


@given(mu=st.floats(0.0, 0.99), interval=st.integers(0, 25), schedule=st.sampled_from(SCHEDULES))
@settings(max_examples=150, deadline=None)
def test_kind_and_frequency_are_those_of_the_critical_multiplier(mu: float, interval: int, schedule: Schedule) -> None:
    interval = max(interval, 1) if schedule == "periodic" else interval
    found = lag.critical(mu, interval, schedule)
    steps = interval if schedule == "periodic" else 1
    values = brute_multipliers(mu, float(found.gain), interval, schedule)
    nearest = values[np.argmin(np.abs(values - np.exp(1j * float(found.frequency) * steps)))]
    # near the double multiplier at -1 the eigenvalues are only good to the root of the rounding, 1e-7
    assert abs(nearest - np.exp(1j * float(found.frequency) * steps)) < 1e-6
    assert abs(abs(nearest) - 1.0) < 1e-6
    assert (found.kind == "flip") == (float(found.frequency) * steps == pytest.approx(math.pi, rel=1e-15))


@given(mu=MOMENTA, interval=st.integers(0, 20), schedule=st.sampled_from(SCHEDULES))
@settings(max_examples=200, deadline=None)
def test_dominant_multiplier_is_real_positive_exactly_up_to_the_onset(
    mu: float, interval: int, schedule: Schedule
) -> None:
    interval = max(interval, 1) if schedule == "periodic" else interval
    onset = float(lag.onset_gain(mu, interval, schedule))
    assert onset < lag.critical_gain(mu, interval, schedule)
    for share in (0.05, 0.5, 0.98):
        values = brute_multipliers(mu, share * onset, interval, schedule)
        assert values[0].imag == 0.0
        assert values[0].real > 0.0
        assert abs(values[1]) < values[0].real
    for excess in (1.02, 3.0, 1000.0):
        values = brute_multipliers(mu, excess * onset, interval, schedule)
        top = values[np.abs(values) > abs(values[0]) * (1 - 1e-9)]
        assert np.all((np.abs(top.imag) > 0.0) | (top.real < 0.0))


@given(mu=MOMENTA, interval=st.integers(0, 12), schedule=st.sampled_from(SCHEDULES), share=st.floats(0.05, 0.95))
@settings(max_examples=80, deadline=None)
def test_trajectory_from_rest_stays_monotone_below_the_onset(
    mu: float, interval: int, schedule: Schedule, share: float
) -> None:
    # a start on the dominant mode; under a constant lag its history is z^-j, under refresh the eigenvector
    interval = max(interval, 1) if schedule == "periodic" else interval
    gain = share * float(lag.onset_gain(mu, interval, schedule))
    z = lag.spectrum(mu, gain, interval, schedule)[0].real
    if schedule == "constant":
        history = [z ** (-j) for j in range(lag.order(interval, schedule))][::-1]
    else:
        matrix = brute_cycle(mu, gain, interval)
        history = [(z - matrix[0, 0]) / matrix[0, 1], 1.0] if mu > 0.0 else [1.0, 1.0]
    path = lag.trajectory(mu, gain, interval, schedule, 60, history)
    assert np.all(np.diff(path) <= 1e-12)
    assert np.all(path >= -1e-12)


def test_a_wrong_frontier_would_be_noticed() -> None:
    """Negative control: the other schedule's gain, and the truncated line, do not give a radius of one."""
    mu, interval = 0.8, 6
    pairs: tuple[tuple[Schedule, Schedule], ...] = (("constant", "periodic"), ("periodic", "constant"))
    for schedule, other in pairs:
        wrong = float(lag.critical_gain(mu, interval, other))
        assert abs(radius(mu, wrong, interval, schedule) - 1.0) > 1e-3
        assert radius(mu, 1.05 * (1 - mu) / interval, interval, schedule) < 1.0


def test_the_series_of_a_cycle_keep_their_digits() -> None:
    h = np.logspace(-12.0, math.log10(0.5), 60)
    with mpmath.workdps(50):
        exact = [float(mpmath.coth(mpmath.mpf(float(x)) / 2) - 2 / mpmath.mpf(float(x))) for x in h]
    # three half-units in the last place (coefficient, sum, product) and 2.1e-17 of at least 0.08 that is left out
    assert np.allclose(frontier._kappa(h), exact, rtol=3 * 2.0**-53 + 2.6e-16, atol=0.0)


def test_sums_of_a_cycle_agree_with_many_digits() -> None:
    cases = [case for case in hard_cases(8, 60, "periodic") if case[0] > 1e-3]
    cases += [(mu, T) for mu in (0.55, 0.61, 0.65, 0.9) for T in (1, 2, 3, 4, 7)]
    mu, interval = np.array([float(m) for m, _ in cases]), np.array([float(T) for _, T in cases])
    found = frontier.cycle(mu, interval)
    assert np.all(found.Q[interval == 1.0] == 0.0)  # one step: the determinant is mu whatever the gain
    with mpmath.workdps(90):
        for i, (momentum, T) in enumerate(cases):
            m = mpmath.mpf(momentum)
            q = m**T
            s = (1 - q) / (1 - m)
            R, Q = (T - m * s) / (1 - m), (m * s - q * T) / (1 - m)
            exact = {"one_minus_q": 1 - q, "s": s, "S": m * s, "R": R, "Q": Q, "flip": R - Q}
            for name, value in exact.items():
                # a dozen rounded operations on positive terms: 16 half-units in the last place
                error = abs(mpmath.mpf(float(getattr(found, name)[i])) - value)
                assert error <= 16 * 2.0**-53 * value, (name, momentum, T)


def test_the_frontier_starts_close_and_needs_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start is within a tenth of the root (2.4 % on this grid), and Newton's method squares the error: three or
    four steps are down to rounding, one more sees that, and a wrong slope or start would take many."""
    seen = looks(monkeypatch, frontier)
    mu = np.concatenate([np.linspace(0.0, 0.99, 34), 1.0 - np.logspace(-3, -15, 13)])[:, None]
    lag.critical(mu, [1, 2, 3, 5, 10, 100, 10**4, 10**6], "constant")
    assert 2 <= len(seen) <= 6


@pytest.mark.parametrize(("mu", "interval"), [(0.7, 4), (0.9, 2), (0.9, 10), (0.9, 20), (0.99, 5), (0.99, 200)])
def test_the_pair_of_a_cycle_leaves_the_circle_at_the_stated_angle(mu: float, interval: int) -> None:
    found = lag.critical(mu, interval, "periodic")
    assert found.kind == "Neimark-Sacker"
    with mpmath.workdps(50):
        m = mpmath.mpf(mu)
        q = m**interval
        S = m * (1 - q) / (1 - m)
        R, Q = (interval - S) / (1 - m), (S - q * interval) / (1 - m)
        angle = mpmath.acos((1 + q - (1 - q) / Q * R) / 2)  # half the trace where the determinant is 1
    # both squares are good to a few units, and an angle in (0, pi) from its half's tangent is as good
    assert float(found.frequency) * interval == pytest.approx(float(angle), rel=1e-13)


def test_frontiers_do_not_warn_at_the_ends_of_their_domain() -> None:
    mu = np.array([0.0, 5e-324, 1e-300, 1e-16, 0.5, 1.0 - 2.0**-53])[:, None]
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        for schedule in SCHEDULES:
            found = lag.critical(mu, [1, 2, 10**6, 10**15], schedule)
            assert np.all((found.gain > 0.0) & np.isfinite(found.gain))
            assert np.all(lag.onset_gain(mu, [1, 2, 10**6, 10**15], schedule) > 0.0)


def test_counts_and_critical_lags_over_a_grid() -> None:
    for mu in (0.0, 0.3, 0.6, 0.9, 0.99):
        for interval in (0, 1, 2, 3, 5, 8, 13):
            top = float(lag.critical_gain(mu, interval, "constant"))
            for gain in [*np.array([0.5, 0.97, 1.03, 2.0, 3.3, 7.0]) * top, 0.97 * 2 * (1 + mu), 1.03 * 2 * (1 + mu)]:
                moduli = np.abs(brute_multipliers(mu, float(gain), interval, "constant"))
                if np.min(np.abs(moduli - 1.0)) > 1e-6:
                    assert lag.unstable_count(mu, gain, interval) == np.sum(moduli > 1.0)
    # between the frontier of one step of lag and that of none only the map without lag is stable
    for mu in (0.2, 0.5, 0.9):
        for gain in (1.01 * (1 - mu), 2.0, 1.99 * (1 + mu)):
            assert 0.0 < lag.critical_interval(mu, gain) < 1.0
    momenta = np.linspace(0.0, 0.99, 100)[:, None]
    intervals = np.arange(30)
    found = lag.unstable_count(momenta, 2.0 * (1.0 + momenta), intervals)
    assert found.dtype == np.int64
    assert np.all(found <= intervals + 1)  # on the last frontier it is one of the two, and never more than all


def test_limits_of_the_constant_critical_gain() -> None:
    mu = np.linspace(0.0, 0.999, 40)[:, None]
    L = np.unique(np.round(np.logspace(0, 6, 60)))
    ratio = lag.critical_gain(mu, L, "constant") * L / (1.0 - mu)
    assert np.all(ratio[:, 0] == 1.0 / 1.0)
    assert np.all(ratio >= 1.0)
    assert np.all(ratio < 0.5 * np.pi)
    assert np.all(np.diff(ratio, axis=1) > 0.0)  # rises with the interval
    assert np.all(np.diff(ratio[:, 1:], axis=0) < 0.0)  # falls with the momentum
    gap = (1.0 - ratio[:20, -1:] / (0.5 * np.pi)) * 2.0 * L[-1] * (1.0 - mu[:20]) / (1.0 + mu[:20])
    assert np.all(np.abs(gap - 1.0) < 1e-5)  # relative gap (1+mu)/(2 L (1-mu)); the next order is its square
    assert np.allclose(lag.critical_gain(0.0, L, "constant"), 2.0 * np.sin(np.pi / (4.0 * L + 2.0)), rtol=1e-15)
    assert np.array_equal(lag.critical_gain(mu, 0, "constant"), 2.0 * (1.0 + mu))
    # small lag against the inertia: 1 + (L^2-1)(1-mu)/(3 L (1+mu)); the error is of the order of the square
    near = lag.critical_gain(1.0 - 1e-5, 30, "constant") * 30 / 1e-5
    assert near - 1.0 == pytest.approx(899 / 90 * 1e-5 / 2.0, rel=1e-3)


def test_limits_of_the_periodic_critical_gain() -> None:
    mu = np.concatenate([[0.0], np.linspace(0.01, 0.99, 99), 1.0 - np.logspace(-3, -12, 10)])[:, None]
    T = np.unique(np.round(np.logspace(0, 6, 80)))
    found = lag.critical(mu, T, "periodic")
    ratio = found.gain * T / (1.0 - mu)
    assert np.allclose(ratio[0], 2.0, rtol=1e-15)
    # above 2 by the flip's 4 S/T at least; where that is below rounding there is nothing to see
    assert np.all(ratio[1:] > 2.0)
    bare = lag.critical_gain(mu[:, 0], 0, "constant")
    assert np.allclose(lag.critical_gain(mu[:, 0], 1, "periodic"), bare, rtol=2e-15)
    q = mu**T
    S = np.array([[float(_geometric(float(m), int(t))) for t in T] for m in mu[:, 0]])
    edge = 4.0 * S - T * (1.0 + q) ** 2
    clear = np.abs(edge) > 1e-9 * T
    assert np.array_equal((found.kind == "Neimark-Sacker")[clear], (edge > 0.0)[clear])
    # the largest value at T >= 2 is 4/(1 - mu^2) = 5.679 at T = 2, mu^3 + mu^2 + mu = 1
    root = float(np.roots([1.0, 1.0, 1.0, -1.0])[-1].real)
    assert float(lag.critical_gain(root, 2, "periodic")) * 2 / (1 - root) == pytest.approx(4 / (1 - root**2), rel=1e-14)
    assert np.all(ratio[:, 1:] <= 4.0 / (1.0 - root**2))
    # mu -> 1 at fixed T: 2 T/(T-1)
    late = lag.critical_gain(1.0 - 1e-12, T[1:40], "periodic") * T[1:40] / 1e-12
    assert np.allclose(late, 2.0 * T[1:40] / (T[1:40] - 1.0), rtol=1e-4)


def _geometric(mu: float, steps: int) -> float:
    return float(mpmath.mpf(mu) * (1 - mpmath.mpf(mu) ** steps) / (1 - mpmath.mpf(mu)))


def test_limits_of_the_onsets() -> None:
    mu = np.linspace(0.0, 0.99, 34)[:, None]
    L = np.unique(np.round(np.logspace(0, 6, 60)))
    constant = lag.onset_gain(mu, L, "constant") * L / (1.0 - mu)
    assert np.all(constant < 1.0 / math.e)
    assert np.all(np.diff(constant, axis=1) > 0.0)
    gap = (1.0 - constant[:20, -1:] * math.e) * 2.0 * L[-1] * (1.0 - mu[:20]) / (1.0 + mu[:20])
    assert np.all(
        np.abs(gap - 1.0) < 1e-4
    )  # the same relative gap as the critical gain; next order, and 1e-10 rounding
    assert np.allclose(lag.onset_gain(mu, 1, "constant"), (1.0 - mu) ** 2 / 4.0, rtol=1e-14)
    assert np.allclose(lag.onset_gain(mu, 0, "constant"), (1.0 - np.sqrt(mu)) ** 2, rtol=1e-12)
    assert np.allclose(lag.onset_gain(mu, 1, "periodic"), (1.0 - np.sqrt(mu)) ** 2, rtol=1e-12)
    periodic = lag.onset_gain(mu, L, "periodic") * L / (1.0 - mu)
    assert np.allclose(periodic[0], 1.0, rtol=1e-15)
    assert np.all(periodic[1:] < 1.0)
    assert np.all(np.diff(periodic[1:], axis=1) > 0.0)
    expected = 2.0 * np.sqrt(mu[1:] / (L[-1] * (1.0 - mu[1:])))
    assert np.allclose(1.0 - periodic[1:, -1:], expected, rtol=2.0 * expected.max())  # the next term is 3/4 expected^2


@given(mu=st.floats(0.0, 0.99), gain=st.floats(1e-3, 6.0), interval=st.integers(0, 40))
@settings(max_examples=200, deadline=None)
def test_unstable_count_is_that_of_the_companion_matrix(mu: float, gain: float, interval: int) -> None:
    moduli = np.abs(brute_multipliers(mu, gain, interval, "constant"))
    if np.min(np.abs(moduli - 1.0)) > 1e-6:  # eigenvalues cannot decide closer to the circle
        assert lag.unstable_count(mu, gain, interval) == np.sum(moduli > 1.0)
        assert (interval < lag.critical_interval(mu, gain)) == (moduli[0] < 1.0)
        assert lag.stable(mu, gain, interval, "constant") == (moduli[0] < 1.0)


@given(mu=st.floats(0.0, 0.999), interval=st.integers(1, 10**6))
@settings(max_examples=100, deadline=None)
def test_critical_interval_inverts_the_critical_gain(mu: float, interval: int) -> None:
    # the phase is linear in the interval; the relative errors of gain and phase add up to a few 1e-15
    gain = float(lag.critical_gain(mu, interval, "constant"))
    assert float(lag.critical_interval(mu, gain)) == pytest.approx(interval, rel=1e-13)


def test_critical_interval_of_a_gain_beyond_every_lag_is_zero() -> None:
    assert lag.critical_interval(0.5, 3.0) == 0.0
    assert lag.critical_interval(0.5, 100.0) == 0.0
    assert not lag.stable(0.5, 3.0, 0, "constant")
    assert not lag.stable(0.5, 0.0, 3, "periodic")
    assert not lag.stable(0.5, -0.1, 3, "constant")


@pytest.mark.parametrize("mu", [Fraction(0), Fraction(1, 3), Fraction(9, 10)])
@pytest.mark.parametrize("interval", [1, 2, 5, 9])
def test_period_map_is_exact(mu: Fraction, interval: int) -> None:
    gain = Fraction(2, 7)
    exact = lag.period_map(mu, gain, interval)
    path = lag.trajectory(mu, gain, interval, "periodic", 3 * interval, [Fraction(-2, 3), Fraction(5)])
    state = np.array([Fraction(5), Fraction(-2, 3)], dtype=object)
    for cycle in range(1, 4):
        state = exact @ state
        assert state[0] == path[cycle * interval]
        if interval > 1 or cycle > 1:
            assert state[1] == path[cycle * interval - 1]
    rounded = lag.period_map(float(mu), float(gain), interval)
    assert np.allclose(rounded, exact.astype(float), rtol=1e-13, atol=1e-13)


@given(mu=MOMENTA, gain=st.floats(-0.5, 5.0), interval=st.integers(1, 40))
@settings(max_examples=150, deadline=None)
def test_multipliers_are_the_eigenvalues_of_the_cycle(mu: float, gain: float, interval: int) -> None:
    brute = brute_cycle(mu, gain, interval)
    first, second = lag.multipliers(mu, gain, interval)
    size = 1.0 + float(np.max(np.abs(brute)))
    # the product of the brute steps carries a rounding of about interval * 1e-16 of its largest entry
    assert abs(first + second - np.trace(brute)) < 1e-12 * size
    assert abs(first * second - np.linalg.det(brute)) < 1e-12 * size**2
    assert abs(first) >= abs(second) * (1 - 1e-12)


def test_multipliers_keep_their_digits_at_the_onset() -> None:
    mu, interval = 0.9, 50
    onset = float(lag.onset_gain(mu, interval, "periodic"))
    close, far = (lag.multipliers(mu, onset * (1 - d), interval) for d in (1e-12, 1e-8))
    # the splitting grows like the square root of the distance; the distance 1e-12 itself is rounded by 1e-4
    assert float((far[0] - far[1]).real / (close[0] - close[1]).real) == pytest.approx(100.0, rel=1e-3)
    assert lag.multipliers(0.0, 1.0, 1).tolist() == [0.0, 0.0]


def test_spectrum_solves_the_characteristic_equation() -> None:
    for mu, gain, interval in ((0.9, 0.05, 0), (0.9, 0.05, 1), (0.7, 0.03, 40), (0.0, 0.2, 9)):
        z = lag.spectrum(mu, gain, interval, "constant")
        assert len(z) == max(interval, 1) + 1
        assert np.all(np.diff(np.abs(z)) <= 1e-15)
        residual = z ** float(interval - 1) * (z - 1.0) * (z - mu) + gain
        assert np.max(np.abs(residual)) < 1e-13
        assert np.sum(np.abs(z) > 1.0) == lag.unstable_count(mu, gain, interval)
    # the power of a rounded root errs by 300 half-units in the last place, the rest by less: 1e-13 in all
    z = lag.spectrum(0.9, 1e-4, 300, "constant")
    assert np.max(np.abs(z**299.0 * (z - 1.0) * (z - 0.9) / 1e-4 + 1.0)) < 1e-12
    assert np.array_equal(lag.spectrum(0.3, 0.1, 7, "periodic"), lag.multipliers(0.3, 0.1, 7))


def polished(z: complex, mu: float, gain: float, interval: int) -> mpmath.mpc:
    """Six Newton steps at 60 digits on z^{L-1} (z-1)(z-mu) + a, which double the digits each."""
    w, m = mpmath.mpc(z), mpmath.mpf(mu)
    for _ in range(6):
        value = w ** (interval - 1) * (w - 1) * (w - m) + gain
        slope = w ** (interval - 2) * ((interval - 1) * (w - 1) * (w - m) + w * (2 * w - 1 - m))
        w -= value / slope
    return w


@pytest.mark.parametrize("mu", [0.0, 1e-9, 0.5, 0.999])
@pytest.mark.parametrize(
    ("gain", "interval"),
    [(1e-30, 300), (1e-300, 300), (0.5, 300), (1e300, 300), (1e-12, 30), (-2.0, 40), (-0.3, 2), (1e5, 2), (0.3, 1)],
)
def test_every_multiplier_of_the_spectrum_has_its_digits(mu: float, gain: float, interval: int) -> None:
    z = lag.spectrum(mu, gain, interval, "constant")
    with mpmath.workdps(60):
        exact = [polished(complex(w), mu, gain, interval) for w in z]
        # the last correction is rounded to 4 half-units, the subtraction of it to one each in two parts
        assert max(abs(w - complex(v)) / abs(w) for w, v in zip(exact, z, strict=True)) < 8 * 2.0**-53
        places = {(mpmath.nstr(w.real, 30), mpmath.nstr(w.imag, 30)) for w in exact}
        assert len(places) == max(interval, 1) + 1  # none found twice, none missed
    assert z.dtype == np.complex128
    assert np.all(np.diff(np.abs(z)) <= 0.0)
    real = [w for w in z if w.imag == 0.0]
    assert len(real) % 2 == len(z) % 2  # the others come in pairs


@pytest.mark.parametrize("mu", [0.0, 1e-9, 0.5])
@pytest.mark.parametrize(("gain", "lag_"), [(1e-30, 300), (0.5, 7), (-3.0, 2), (1e300, 300), (1e-12, 3)])
def test_starting_points_lie_on_the_circles_of_the_newton_polygon(mu: float, gain: float, lag_: int) -> None:
    """On each circle two terms of the polynomial are equally large, no third is larger; as many points as degrees."""
    found = starts(mu, gain, lag_)
    assert len(found) == lag_ + 1
    log_size = {0: math.log(abs(gain)), lag_: math.log1p(mu), lag_ + 1: 0.0}
    if mu > 0.0:
        log_size[lag_ - 1] = math.log(mu)
    left = 0
    while left <= lag_:
        height = math.log(abs(found[left]))
        terms = {k: value + k * height for k, value in log_size.items()}
        # a log of up to 700 is good to 700 units, times a degree of up to 301
        top = [k for k, value in terms.items() if value > max(terms.values()) - 1e-10]
        assert left == min(top)
        circle = found[left : max(top)]
        assert len(top) > 1
        assert np.allclose(np.abs(circle), abs(circle[0]), rtol=1e-12)
        turns = np.sort(np.angle(circle / circle[0]) % (2 * np.pi))
        gaps = np.diff(np.append(turns[turns < 6.28], 2 * np.pi))
        assert np.allclose(gaps, 2 * np.pi / len(circle), atol=0.01)
        left = max(top)
    # no symmetry about the real axis, which the iteration would keep
    assert np.min(np.abs(found[:, None] - found.conj()[None, :]) / np.abs(found)) > 1e-4


@pytest.mark.parametrize(("mu", "gain", "lag_"), [(0.5, 0.1, 2), (0.9, 1e-3, 7), (0.0, 0.3, 40)])
def test_simple_multipliers_end_the_iteration_themselves(
    mu: float, gain: float, lag_: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corrections get down to rounding: without a bound on the iterations this returns all the same."""
    bounded = lag.spectrum(mu, gain, lag_, "constant")
    monkeypatch.setattr("reference.spectrum.ITERATIONS", 10**7)
    assert np.array_equal(lag.spectrum(mu, gain, lag_, "constant"), bounded)


def test_an_exact_double_multiplier_is_found_twice() -> None:
    # mu = 3/8 and a = 9/128: (z - 3/4)^2 (z + 1/8), all exact in binary; good to the root of the rounding
    z = lag.spectrum(0.375, 0.0703125, 2, "constant")
    assert np.allclose(z, [0.75, 0.75, -0.125], rtol=0.0, atol=1e-7)


def test_companion_eigenvalues_would_miss_the_digits_of_a_small_gain() -> None:
    """Negative control: at lag 300, gain 1e-30 the second eigenvalue is off by a twentieth, the last by a seventh."""
    rough = np.abs(brute_multipliers(0.5, 1e-30, 300, "constant"))
    exact = np.abs(lag.spectrum(0.5, 1e-30, 300, "constant"))
    assert rough[1] / exact[1] > 1.05
    assert rough[-1] / exact[-1] < 0.86


def test_spectrum_at_its_edges() -> None:
    assert lag.spectrum(0.5, 0.0, 4, "constant").tolist() == [1.0, 0.5, 0.0, 0.0, 0.0]
    assert lag.spectrum(0.5, 0.0, 4, "constant").dtype == np.complex128
    # the onset without and with one step of lag: a double multiplier, in closed form
    double = lag.spectrum(0.5, 1 / 16, 1, "constant")
    assert double.tolist() == [0.75, 0.75]
    assert double.dtype == np.complex128
    assert lag.spectrum(0.0, 1.0, 0, "constant").tolist() == [0.0, 0.0]
    assert lag.spectrum(0.25, 0.0, 0, "constant").tolist() == [1.0, 0.25]
    # lag 2 without momentum: z^3 - z^2 + a has its double root 2/3 at a = 4/27, kept to the root of the rounding
    near = lag.spectrum(0.0, 4 / 27, 2, "constant")
    assert np.allclose(near[:2], 2 / 3, rtol=0.0, atol=1e-7)
    assert near[2] == pytest.approx(-1 / 3, abs=1e-15)
    # and at a small negative gain the pair +-i sqrt(-a), next to 1
    tiny = lag.spectrum(0.0, -1e-300, 2, "constant")
    assert tiny[0] == pytest.approx(1.0, rel=1e-15)
    assert sorted(tiny[1:].imag / 1e-150) == pytest.approx([-1.0, 1.0], rel=1e-14)
    assert lag.spectrum(0.5, 1e300, 1, "constant")[0] == pytest.approx(1e150j)
    for gain in (5e-324, -1e-301):
        with pytest.raises(ValueError, match=r"^gain = -?\d.*expected 0 or at least 1e-300 in modulus"):
            lag.spectrum(0.5, gain, 2, "constant")
    assert lag.spectrum(0.5, 5e-324, 1, "constant").tolist() == [1.0, 0.5]


def test_multipliers_come_with_the_larger_and_of_a_pair_the_upper_one_first() -> None:
    # T = 1: z^2 - (1 + mu - a) z + mu; at mu = 1/4 the pair lies between the gains 1/4 and 9/4
    for gain in (0.5, 1.25, 2.0):
        first, second = lag.multipliers(0.25, gain, 1)
        assert first.imag > 0.0
        assert second == pytest.approx(first.conjugate(), rel=1e-15)
        assert first + second == pytest.approx(1.25 - gain, abs=1e-15)
    for gain, large in ((0.1, True), (-3.0, True), (2.5, False), (1e300, False)):
        first, second = lag.multipliers(0.25, gain, 1)
        assert first.imag == second.imag == 0.0
        assert (first.real > 0.0) == large
        assert abs(first) > abs(second)
        assert first * second == pytest.approx(0.25, rel=1e-15)
    assert lag.multipliers(0.25, 1.25, 1) == pytest.approx([0.5j, -0.5j], rel=1e-15)


def test_matrices_and_multipliers_broadcast_cell_by_cell() -> None:
    mu, gain, interval = np.array([0.1, 0.5, 0.9]), np.array([[0.3], [2.0]]), 4
    maps, pairs = lag.period_map(mu, gain, interval), lag.multipliers(mu, gain, interval)
    assert maps.shape == (2, 3, 2, 2)
    assert pairs.shape == (2, 3, 2)
    for i in range(2):
        for j in range(3):
            assert np.array_equal(maps[i, j], lag.period_map(mu[j], gain[i, 0], interval))
            assert np.allclose(maps[i, j], brute_cycle(mu[j], gain[i, 0], interval), rtol=1e-13)
            assert np.array_equal(pairs[i, j], lag.multipliers(mu[j], gain[i, 0], interval))


def test_fractions_are_wished_for_by_a_fraction_and_rational_company_alone() -> None:
    half = Fraction(1, 2)
    start: list[lag.Number] = [1, 1]
    cases: list[tuple[lag.Number, lag.Number, list[lag.Number], bool]] = [
        (half, 1, start, True),
        (0, half, start, True),
        (0, 1, [Fraction(1), 1], True),
        (0, 1, start, False),
        (0.5, half, start, False),
        (half, 0.5, start, False),
        (half, half, [1.0, 1], False),
    ]
    for mu, gain, history, exact in cases:
        path = lag.trajectory(mu, gain, 1, "constant", 2, history)
        assert path.dtype == (object if exact else np.float64)
        assert all(isinstance(value, Fraction) for value in path) == exact
        # e_1 = e_0 - a e_-1 and e_2 = (1 + mu) e_1 - mu e_0 - a e_0 from rest at 1
        assert path.tolist() == [1, 1 - gain, (1 + mu) * (1 - gain) - mu - gain]
    assert lag.period_map(half, half, 3).dtype == object
    for mu, gain in ((half, 0.5), (0.5, half), (0, 1)):
        assert lag.period_map(mu, gain, 3).dtype == np.float64
        assert np.array_equal(lag.period_map(mu, gain, 3), lag.period_map(float(mu), float(gain), 3))


def test_order_counts_the_states_that_start_the_map() -> None:
    assert [lag.order(interval, "constant") for interval in (0, 1, 2, 7)] == [2, 2, 3, 8]
    assert [lag.order(interval, "periodic") for interval in (1, 2, 7)] == [2, 2, 2]
    with pytest.raises(ValueError, match=r"^history has 2 states; expected 4, ending with e_0$"):
        lag.trajectory(0.5, 0.1, 3, "constant", 2, [1.0, 1.0])


def test_a_single_number_is_asked_for_by_name() -> None:
    pair = [0.5, 0.5]
    calls: dict[str, Callable[[], object]] = {
        "interval": lambda: lag.order([1, 2], "constant"),  # type: ignore[arg-type]
        "mu": lambda: lag.trajectory(pair, 0.1, 2, "constant", 3),  # type: ignore[arg-type]
        "gain": lambda: lag.spectrum(0.5, pair, 2, "constant"),  # type: ignore[arg-type]
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=f"^{name} has shape "):
            call()
    with pytest.raises(ValueError, match=r"^mu has shape "):
        lag.spectrum(pair, 0.1, 2, "constant")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^history = nan"):
        lag.trajectory(0.5, 0.1, 1, "constant", 3, [1.0, float("nan")])
    with pytest.raises(ValueError, match=r"^mu = .*expected in \[0, 1\)"):
        lag.period_map(Fraction(3, 2), Fraction(1, 2), 2)
    with pytest.raises(ValueError, match=r"^interval = 0; expected whole numbers >= 1"):
        lag.period_map(Fraction(1, 2), Fraction(1, 2), 0)


def test_the_step_of_an_overflow_is_told() -> None:
    # without momentum and lag e_k = (1 - a)^k: 1e300^2 is the first beyond the doubles
    with pytest.raises(OverflowError, match=r"at step 2$"):
        lag.trajectory(0.0, -1e300, 0, "constant", 5)


def test_trajectories_are_exact_in_fractions_and_close_in_floats() -> None:
    for schedule in SCHEDULES:
        for interval in (1, 3):
            exact = lag.trajectory(Fraction(1, 2), Fraction(1, 8), interval, schedule, 40)
            assert isinstance(exact[-1], Fraction)
            # all numbers are dyadic and few digits long at first: there the floats are exact too
            floats = lag.trajectory(0.5, 0.125, interval, schedule, 40)
            assert floats.dtype == np.float64
            assert np.array_equal(floats[:10], exact[:10].astype(float))
            assert np.allclose(floats, exact.astype(float), rtol=0.0, atol=1e-15)


def test_conventions_of_the_two_schedules() -> None:
    bare = lag.trajectory(0.6, 0.3, 0, "constant", 30)
    assert np.array_equal(bare, lag.trajectory(0.6, 0.3, 1, "periodic", 30))
    assert not np.allclose(bare, lag.trajectory(0.6, 0.3, 1, "constant", 30), atol=0.01)
    two = lag.trajectory(Fraction(0), Fraction(1, 4), 2, "periodic", 4)
    assert two.tolist() == [1, Fraction(3, 4), Fraction(1, 2), Fraction(3, 8), Fraction(1, 4)]
    two = lag.trajectory(Fraction(0), Fraction(1, 4), 2, "constant", 4)
    assert two.tolist() == [1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(1, 16)]


def test_growth_and_decay_of_trajectories_change_at_the_critical_gain() -> None:
    for schedule in SCHEDULES:
        for mu, interval in ((0.0, 1), (0.6, 2), (0.9, 8), (0.9, 50)):
            gain = float(lag.critical_gain(mu, interval, schedule))
            calm = lag.trajectory(mu, 0.9 * gain, interval, schedule, 3000)
            wild = lag.trajectory(mu, 1.1 * gain, interval, schedule, 3000)
            assert np.abs(calm[-200:]).max() < 0.1
            assert np.abs(wild[-200:]).max() > 10.0
    with pytest.raises(OverflowError, match="step"):
        lag.trajectory(0.0, 3.0, 0, "constant", 3000)


def test_shapes_broadcast_and_a_hundred_thousand_mixed_values_are_finite() -> None:
    assert lag.critical_gain([0.1, 0.2], [[1], [2], [3]], "periodic").shape == (3, 2)
    assert lag.onset_gain(0.5, 4, "constant").shape == ()
    rng = np.random.default_rng(11)
    mu, interval = 1.0 - 10 ** rng.uniform(-12, 0, 100_000), np.floor(10 ** rng.uniform(0, 6, 100_000))
    for schedule in SCHEDULES:
        critical, onset = lag.critical_gain(mu, interval, schedule), lag.onset_gain(mu, interval, schedule)
        assert np.all(np.isfinite(critical))
        assert np.all((onset > 0.0) & (onset < critical))


BAD_FRONTIER = [
    (-0.1, 3, "constant", "mu"),
    (1.0, 3, "constant", "mu"),
    (float("nan"), 3, "periodic", "mu"),
    (0.5, -1, "constant", "interval"),
    (0.5, 2.5, "constant", "interval"),
    (0.5, float("nan"), "constant", "interval"),
    (0.5, 0, "periodic", "interval"),
    (0.5, 3, "random", "schedule"),
]


@pytest.mark.parametrize(("mu", "interval", "schedule", "name"), BAD_FRONTIER)
def test_bad_input_is_refused_by_name(mu: float, interval: int, schedule: Schedule, name: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: lag.critical(mu, interval, schedule),
        lambda: lag.critical_gain(mu, interval, schedule),
        lambda: lag.onset_gain(mu, interval, schedule),
        lambda: lag.stable(mu, 0.1, interval, schedule),
        lambda: lag.trajectory(mu, 0.1, interval, schedule, 3),
        lambda: lag.spectrum(mu, 0.1, interval, schedule),
    ]
    if schedule == "periodic":
        calls += [lambda: lag.period_map(mu, 0.1, interval), lambda: lag.multipliers(mu, 0.1, interval)]
    if schedule == "constant":
        calls.append(lambda: lag.unstable_count(mu, 0.1, interval))
    for call in calls:
        with pytest.raises(ValueError, match=name):
            call()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: lag.trajectory(0.5, float("nan"), 2, "constant", 3), "gain"),
        (lambda: lag.stable(0.5, float("nan"), 2, "constant"), "gain"),
        (lambda: lag.spectrum(0.5, float("nan"), 2, "periodic"), "gain"),
        (lambda: lag.multipliers(0.5, float("inf"), 2), "gain"),
        (lambda: lag.period_map(0.5, float("nan"), 2), "gain"),
        (lambda: lag.unstable_count(0.5, 0.0, 2), "gain"),
        (lambda: lag.unstable_count(0.5, float("nan"), 2), "gain"),
        (lambda: lag.critical_interval(0.5, -1.0), "gain"),
        (lambda: lag.critical_interval(1.0, 1.0), "mu"),
        (lambda: lag.trajectory(0.5, 0.1, 2, "constant", -1), "steps"),
        (lambda: lag.trajectory(0.5, 0.1, 2, "constant", 3, [1.0]), "history"),
        (lambda: lag.trajectory(0.5, 0.1, 2, "constant", 3, [1.0, float("nan"), 1.0]), "history"),
        (lambda: lag.spectrum(0.5, 0.1, 301, "constant"), "interval"),
        (lambda: lag.period_map(Fraction(3, 2), Fraction(1, 2), 2), "mu"),
        (lambda: lag.period_map(Fraction(1, 2), Fraction(1, 2), 0), "interval"),
        (lambda: lag.order(2, "random"), "schedule"),  # type: ignore[arg-type]
    ],
)
def test_bad_gain_steps_and_history_are_refused_by_name(call: Callable[[], object], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        call()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_whole_float_is_an_interval_and_an_array_is_none(schedule: Schedule) -> None:
    plain = lag.trajectory(0.5, 0.1, 2, schedule, 5)
    assert np.array_equal(plain, lag.trajectory(0.5, 0.1, 2.0, schedule, 5))  # type: ignore[arg-type]
    for wrong in ([], [2, 3], np.array([1, 2, 3])):
        with pytest.raises(ValueError, match=r"^interval has shape"):
            lag.trajectory(0.5, 0.1, wrong, schedule, 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^history = 1.0; expected . states"):
        lag.trajectory(0.5, 0.1, 2, schedule, 5, history=1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(("gain", "interval"), [(1.7e308, 8), (-1.7e308, 1), (1e300, 10**9)])
def test_multipliers_beyond_doubles_are_refused(gain: float, interval: int) -> None:
    with pytest.raises(ValueError, match=r"^gain = .*within the range of doubles"):
        lag.multipliers(0.5, [1e-3, gain], interval)
    with pytest.raises(ValueError, match=r"^gain = .*within the range of doubles"):
        lag.spectrum(0.5, 1.7e308, 1, "constant")


def test_the_largest_gain_at_lag_one_is_two_to_the_1020() -> None:
    top = 2.0**1020  # four times it is half the largest power of two: the discriminant and twice a root are doubles
    for edge in (math.nextafter(top, 0.0), -math.nextafter(top, 0.0)):
        assert np.all(np.isfinite(lag.spectrum(0.5, edge, 1, "constant")))
    for edge in (top, -top):
        with pytest.raises(ValueError, match=rf"^gain = {re.escape(repr(edge))}; expected one whose multipliers"):
            lag.spectrum(0.5, edge, 1, "constant")


def test_a_gain_far_past_every_frontier_is_counted_without_a_warning() -> None:
    with np.errstate(all="raise"):
        assert lag.unstable_count(0.5, [1e160, 1.7e308], 5).tolist() == [6, 6]
        assert lag.critical_interval(0.5, [1e160, 1.7e308]).tolist() == [0.0, 0.0]
