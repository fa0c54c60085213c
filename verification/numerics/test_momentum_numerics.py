"""`reference.momentum` against exact rationals, 50-digit arithmetic, eigenvalues and a Lyapunov solver."""

from fractions import Fraction
from typing import Literal

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_lyapunov

from reference import momentum, oscillator
from reference.momentum import Launch, Scaling
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = np.finfo(float).eps
MU = st.fractions(0, Fraction(99, 100), max_denominator=100)
NEAR_ONE = st.floats(-12, 0).map(lambda x: 1 - 10**x)
ANY_MU = st.one_of(st.just(0.0), st.floats(1e-3, 0.99), NEAR_ONE, st.floats(-14, -1).map(lambda x: 10**x))
NUDGE = st.sampled_from([0.0, 1e-15, -1e-15, 1e-12, -1e-9, 1e-3])


@st.composite
def gains(draw: st.DrawFn, mu: float) -> float:
    """Gains inside the stable range, many of them where modes meet or the map is about to flip."""
    ends = ((1 - mu) / (1 + mu**0.5)) ** 2, (1 + mu**0.5) ** 2, 1 + mu, 2 * (1 + mu)
    end = draw(st.sampled_from(ends)) * (1 + draw(NUDGE))
    gain = draw(st.one_of(st.just(end), st.floats(1e-9, 2 * (1 + mu)), st.floats(-9, 0).map(lambda x: 10**x)))
    return float(min(gain, 2 * (1 + mu) * (1 - 1e-12)))


@given(mu=MU, gain=st.fractions(Fraction(1, 100), 1, max_denominator=100))
def test_floats_follow_the_exact_trajectory(mu: Fraction, gain: Fraction) -> None:
    exact = momentum.trajectory(mu, gain, Fraction(1), Fraction(1), 80)
    assert all(isinstance(e, Fraction | int) for e in exact)
    double = momentum.trajectory(float(mu), float(gain), 1.0, 1.0, 80)
    # each of 80 steps adds at most 5 roundings of values below 2; perturbations decay (a < 1 is stable) after
    # growing to at most 1/(1 - mu) <= 100 times their size
    within(float(np.max(np.abs(double - exact.astype(float)))), 80 * 5 * 2 * 100 * EPS)


def test_the_trajectory_by_hand() -> None:
    path = momentum.trajectory(Fraction(1, 2), Fraction(1, 4), 1, Fraction(1, 3), 3)
    # 5/4 * 1/3 - 1/2 = -1/12, 5/4 * (-1/12) - 1/6 = -13/48
    assert path.tolist() == [1, Fraction(1, 3), Fraction(-1, 12), Fraction(-13, 48)]


def test_a_run_beyond_the_range_of_doubles_does_not_raise() -> None:
    assert not np.isfinite(momentum.trajectory(0.5, 100.0, 1.0, 1.0, 400)[-1])


def exact_modes(mu: float, gain: float) -> tuple[mp.mpc, mp.mpc, mp.mpf]:
    half, root = (1 + mp.mpf(mu) - mp.mpf(gain)) / 2, mp.mpf(0)
    disc = half**2 - mp.mpf(mu)
    root = mp.sqrt(mp.mpc(disc))
    large, small = sorted((half + root, half - root), key=lambda z: -abs(z))
    return large, small, disc


@given(data=st.data(), mu=ANY_MU)
def test_modes_keep_their_digits_where_they_meet(data: st.DataObject, mu: float) -> None:
    gain = data.draw(gains(mu))
    with mp.workdps(60):
        large, small, disc = exact_modes(mu, gain)
        found = [complex(z) for z in momentum.modes(mu, gain)]
        pairs = [abs(mp.mpc(f) - e) / max(abs(e), mp.mpf(1e-300)) for f, e in zip(found, (large, small), strict=True)]
        if disc < 0 and found[0].imag * large.imag < 0:
            pairs = [abs(mp.mpc(f) - mp.conj(e)) / abs(e) for f, e in zip(found, (large, small), strict=True)]
        # sqrt, division and sums of like signs: at most 8 roundings
        within(float(max(pairs)), 8 * EPS)
        assert (found[0].imag == 0) == (disc >= 0)


@pytest.mark.parametrize("gain", [1 - 1e-12, 1 + 1e-12, 1 - 3e-14])
@pytest.mark.parametrize("mu", [0.0, 1e-30, 1e-26])
def test_modes_keep_their_digits_where_they_nearly_vanish(mu: float, gain: float) -> None:
    with mp.workdps(60):
        exact = exact_modes(mu, gain)[:2]
        for found, e in zip(momentum.modes(mu, gain), exact, strict=True):
            nearest = min(abs(mp.mpc(complex(found)) - z) for z in (e, mp.conj(e)))
            within(float(nearest / max(abs(e), mp.mpf(1e-300))), 8 * EPS)


def test_naive_modes_lose_half_their_digits() -> None:
    mu, gain = 0.81, 0.01 * (1 - 1e-13)
    with mp.workdps(60):
        large = exact_modes(mu, gain)[0]
        half = (1 + mu - gain) / 2
        naive = half + complex(half**2 - mu) ** 0.5
        assert abs(mp.mpc(naive) - large) > 1e-10
        within(float(abs(mp.mpc(complex(momentum.modes(mu, gain)[0])) - large)), 8 * EPS)


@given(data=st.data(), mu=ANY_MU, k=st.integers(0, 10**5), start=st.sampled_from(["rest", "step", "kick"]))
def test_closed_form_against_fifty_digits(data: st.DataObject, mu: float, k: int, start: str) -> None:
    gain = data.draw(gains(mu))
    second = {"rest": 1.0, "step": 1 - gain, "kick": 0.3}[start]
    with mp.workdps(60):
        z, w, disc = exact_modes(mu, gain)
        if k < 2:
            exact = mp.mpf((1.0, second)[k])
        elif z == 0:
            exact = mp.mpf(0)
        else:
            ladder = [(z**j - w**j) / (z - w) if z != w else j * z ** (j - 1) for j in (k, k - 1)]
            exact = mp.re(second * ladder[0] - mp.mpf(mu) * ladder[1])
        # the envelope: both terms before they may cancel
        gap = abs(z - w) / 2
        reach = min(mp.mpf(k), 1 / gap) if gap else mp.mpf(k)
        size = abs(z) ** max(k - 1, 0) * (abs(z) + abs(second - mp.re(z + w) / 2) * reach) if k else mp.mpf(1)
        if not 1e-290 < size < 1e290:
            return
        # exponents reach 670 and carry 4 roundings, an angle k theta carries 2
        turn = float(abs(mp.arg(z))) if disc < 0 else 0.0
        bound = (4 * 670 + 20 + 4 * k * turn) * EPS
        within(float((mp.mpf(float(momentum.closed_form(mu, gain, 1.0, second, k))) - exact) / size), bound)


@given(mu=MU, gain=st.fractions(Fraction(1, 50), Fraction(7, 2), max_denominator=50))
@settings(max_examples=30)
def test_two_routes_to_the_trajectory_agree(mu: Fraction, gain: Fraction) -> None:
    exact = momentum.trajectory(mu, gain, Fraction(1), Fraction(2, 3), 40)
    steps = np.arange(41)
    found = momentum.closed_form(float(mu), float(gain), 1.0, 2 / 3, steps)
    # inputs are rounded once: an error of EPS in mu or gain moves e_k by at most k^2 EPS of its largest value
    size = max(float(abs(e)) for e in exact)
    within(float(np.max(np.abs(found - exact.astype(float)))) / size, 40**2 * 4 * EPS)


@given(mu=st.fractions(0, Fraction(9, 10), max_denominator=30))
def test_where_the_modes_meet_the_solution_is_linear_times_a_power(mu: Fraction) -> None:
    root = mu  # sqrt of mu^2
    exact = momentum.trajectory(mu**2, (1 - root) ** 2, Fraction(1), root, 30)
    assert exact.tolist() == [root**k for k in range(31)]
    exact = momentum.trajectory(mu**2, (1 - root) ** 2, Fraction(0), Fraction(1), 30)
    assert exact.tolist() == [k * root ** (k - 1) if k else 0 for k in range(31)]


@given(mu=MU, slack=st.floats(1e-6, 0.999))
def test_stability_ends_at_twice_one_plus_mu(mu: Fraction, slack: float) -> None:
    bound = float(momentum.stable_gain(float(mu)))
    assert momentum.spectral_radius(float(mu), bound * (1 - slack)) < 1
    assert momentum.spectral_radius(float(mu), bound * (1 + slack)) > 1
    assert momentum.spectral_radius(float(mu), -slack) > 1
    # at the bound dz/da = 1/(1 - mu), and the bound itself is rounded
    assert abs(momentum.spectral_radius(float(mu), bound) - 1) < 8 * EPS / (1 - float(mu))


@given(mu=st.floats(0.01, 0.98), slack=st.floats(1e-3, 0.9))
def test_modes_are_real_and_positive_just_up_to_the_monotone_gain(mu: float, slack: float) -> None:
    bound = float(momentum.monotone_gain(mu))
    large, small = momentum.modes(mu, bound * (1 - slack))
    assert large.imag == 0
    assert small.imag == 0
    assert small.real > 0
    large, _ = momentum.modes(mu, bound + slack * (1 - bound) * 0.5)
    assert abs(large.imag) > 0 or large.real < 0


@given(mu=ANY_MU)
def test_monotone_gain_keeps_its_digits_near_one(mu: float) -> None:
    with mp.workdps(60):
        exact = (1 - mp.sqrt(mp.mpf(mu))) ** 2
        within(float(mp.mpf(float(momentum.monotone_gain(mu))) / exact - 1), 6 * EPS)  # 5 roundings, one doubled


@given(mu=st.floats(0, 0.95), part=st.floats(0.02, 0.98))
def test_stationary_variance_solves_the_lyapunov_equation(mu: float, part: float) -> None:
    gain = part * 2 * (1 + mu)
    companion = np.array([[1 + mu - gain, -mu], [1.0, 0.0]])
    solved = solve_discrete_lyapunov(companion, np.diag([1.0, 0.0]))[0, 0]
    # the solver inverts I - A (x) A, whose condition number grows like 1/(1 - rho)^2
    rho = float(momentum.spectral_radius(mu, gain))
    found = float(momentum.stationary_variance(mu, gain, 1.0))
    within(found / solved - 1, 1e3 * EPS / (1 - rho) ** 2)
    assert abs(float(momentum.stationary_variance(mu, gain, 2.0)) / found - 2) < 4 * EPS


@given(mu=MU, part=st.fractions(Fraction(1, 40), Fraction(39, 40), max_denominator=40))
def test_stationary_variance_is_a_fixed_point_exactly(mu: Fraction, part: Fraction) -> None:
    """Var and lag-one covariance reproduce themselves under one step of the map, in rationals."""
    gain = part * 2 * (1 + mu)
    b = 1 + mu - gain
    variance = (1 + mu) / ((1 - mu) * gain * (2 * (1 + mu) - gain))
    covariance = b * variance / (1 + mu)
    assert b**2 * variance - 2 * b * mu * covariance + mu**2 * variance + 1 == variance
    assert b * variance - mu * covariance == covariance
    found = float(momentum.stationary_variance(float(mu), float(gain), 1.0))
    # 8 roundings, and the rounded gain's distance from either end, at least 1/40 of the range
    within(found / float(variance) - 1, 100 * EPS / float(1 - mu))


def test_noise_is_measured_on_the_map_itself() -> None:
    rng = np.random.default_rng(7)
    mu, gain, count, paths = 0.5, 0.4, 400, 20_000
    previous, now = np.zeros(paths), np.zeros(paths)
    for _ in range(count):
        previous, now = now, (1 + mu - gain) * now - mu * previous + rng.standard_normal(paths)
    # independent Gaussian paths: the mean square has relative sd sqrt(2/paths) = 0.01; six of them, alpha 2e-9
    within(float(np.mean(now**2) / momentum.stationary_variance(mu, gain, 1.0)) - 1, 0.06)


LAUNCHES: list[Launch] = ["rest", "matched", "slow"]
SCALINGS: list[Scaling] = ["fixed", "gain", "inertial"]
Order = Literal[0, 1, 2]
# Lemma 4's order in delta: (scaling, mu, how the ODE starts, the map's e_1) -> order
ORDERS: list[tuple[Scaling, float, Launch, str, Order]] = [
    ("fixed", 0.0, "matched", "1 - a", 0),
    ("fixed", 0.9, "matched", "1", 0),
    ("fixed", 0.5, "slow", "1", 0),
    ("gain", 0.0, "matched", "1", 1),
    ("gain", 0.0, "matched", "1 - a", 2),
    ("gain", 0.5, "matched", "1", 1),
    ("gain", 0.5, "matched", "1 - a", 1),
    ("gain", 0.5, "rest", "1", 1),
    ("gain", 0.0, "slow", "1", 2),
    ("gain", 0.5, "slow", "1", 2),
    ("inertial", 0.5, "matched", "1", 2),
    ("inertial", 0.5, "matched", "1 - a", 2),
    ("inertial", 0.0, "rest", "1", 1),
    ("inertial", 0.5, "rest", "1", 1),
    ("inertial", 0.5, "slow", "1", 2),
]


def worst(scaling: Scaling, mu: float, launch: Launch, second: str, delta: float) -> float:
    """The largest |error| over 0 <= k <= 4/delta."""
    gain = {"gain": 0.5 * (1 - mu)}.get(scaling, 0.1 * (1 - mu) ** 2)
    m, a = momentum.scaled(scaling, mu, gain, delta)
    e1 = 1 - a if second == "1 - a" else 1.0
    return float(np.max(np.abs(momentum.ode_error(m, a, np.arange(round(4 / delta) + 1), launch, 1.0, e1))))


@pytest.mark.parametrize(("scaling", "mu", "launch", "second", "order"), ORDERS)
def test_convergence_orders(scaling: Scaling, mu: float, launch: Launch, second: str, order: Order) -> None:
    errors = [worst(scaling, mu, launch, second, 2.0**-j) for j in (10, 11)]
    # successive terms differ by a factor delta ~ 1e-3 times a constant below 20 here: 0.03 in the order
    within(np.log2(errors[0] / errors[1]) - order, 0.05, "order")


def test_the_order_detects_a_wrong_mass() -> None:
    """The negative control: with half the mass even the inertial scaling from matched values is not second order."""

    def control(delta: float) -> float:
        m, a = momentum.scaled("inertial", 0.5, 0.1, delta)
        k = np.arange(round(4 / delta) + 1)
        unit = oscillator.response(1.0, (1 + m) / 4, 1 - m, a, 0.0, 1.0)
        speed = (1 - a - oscillator.response(1.0, (1 + m) / 4, 1 - m, a, 1.0)) / unit
        ode = oscillator.response(k, (1 + m) / 4, 1 - m, a, 1.0, speed)
        return float(np.max(np.abs(momentum.closed_form(m, a, 1.0, 1 - a, k) - ode)))

    assert np.log2(control(2.0**-9) / control(2.0**-10)) < 0.5


@given(mu=st.floats(0, 0.99), part=st.floats(0.01, 0.9), k=st.integers(0, 3000), e1=st.floats(-1, 1))
def test_ode_error_against_fifty_digits(mu: float, part: float, k: int, e1: float) -> None:
    gain = part * (1 - mu) ** 2 / (2 * (1 + mu))
    with mp.workdps(60):
        m, a, second = mp.mpf(mu), mp.mpf(gain), mp.mpf(e1)
        z, w, _ = exact_modes(mu, gain)
        path = mp.re(((second - w) * z**k - (second - z) * w**k) / (z - w))
        disc = mp.sqrt((1 - m) ** 2 - 2 * (1 + m) * a)
        p, q = (-(1 - m) + disc) / (1 + m), (-(1 - m) - disc) / (1 + m)
        through = ((second - mp.exp(q)) * mp.exp(p * k) - (second - mp.exp(p)) * mp.exp(q * k)) / (
            mp.exp(p) - mp.exp(q)
        )
        rest = (p * mp.exp(q * k) - q * mp.exp(p * k)) / (p - q)
        exact: dict[Launch, mp.mpf] = {
            "matched": path - through,
            "rest": path - rest,
            "slow": mp.re(z) ** k - mp.exp(p * k),
        }
        for launch, value in exact.items():
            found = float(momentum.ode_error(mu, gain, k, launch, 1.0, e1))
            # 1e-13 of values up to 1 + |v0|/(1 - mu), v0 <= 3; "matched" divides a rounding by 1 - mu again
            within(float(found - value), 1e-13 * (1 + 6 / (1 - mu)))


def test_the_error_does_not_depend_on_delta_or_eta_but_through_mu_and_gain() -> None:
    mu, eta, stiffness, k = 0.6, 0.2, 0.5, np.arange(60)
    for delta in (1.0, 0.1):
        mass, damping = (1 + mu) * delta**2 / (2 * eta), (1 - mu) * delta / eta
        ode = oscillator.response(k * delta, mass, damping, stiffness, 1.0)
        path = momentum.trajectory(mu, eta * stiffness, 1.0, 1.0, 59)
        found = momentum.ode_error(mu, eta * stiffness, k, "rest", 1.0, 1.0)
        within(float(np.max(np.abs(found - (path - ode)))), 1e-13)  # 60 steps of a few roundings


def test_broadcasts() -> None:
    paths = momentum.trajectory(np.array([0.0, 0.5])[:, None], np.array([0.1, 0.2, 0.3]), 1.0, 1.0, 7)
    assert paths.shape == (2, 3, 8)
    assert np.array_equal(paths[1, 2], momentum.trajectory(0.5, 0.3, 1.0, 1.0, 7))
    closed = momentum.closed_form(
        np.array([0.0, 0.5])[:, None, None], np.array([0.1, 0.2, 0.3])[:, None], 1, 1, range(8)
    )
    assert closed.shape == (2, 3, 8)
    within(float(np.max(np.abs(closed - paths))), 100 * EPS)  # 8 steps of a stable map
    assert momentum.ode_error(np.array([[0.1], [0.2]]), 0.05, [0, 1, 2]).shape == (2, 3)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: momentum.trajectory(1.0, 0.1, 1, 1, 5), "mu"),
        (lambda: momentum.trajectory(-0.1, 0.1, 1, 1, 5), "mu"),
        (lambda: momentum.trajectory(Fraction(1), 0.1, 1, 1, 5), "mu"),
        (lambda: momentum.trajectory(0.5, float("nan"), 1, 1, 5), "gain"),
        (lambda: momentum.trajectory(0.5, "much", 1, 1, 5), "gain"),
        (lambda: momentum.trajectory(0.5, 0.1, float("inf"), 1, 5), "e0"),
        (lambda: momentum.trajectory(0.5, 0.1, 1, float("nan"), 5), "e1"),
        (lambda: momentum.trajectory(0.5, 0.1, 1, 1, 2.5), "steps"),  # type: ignore[arg-type]
        (lambda: momentum.trajectory(0.5, 0.1, 1, 1, 0), "steps"),
        (lambda: momentum.closed_form(0.5, 0.1, 1, 1, -1), "k"),
        (lambda: momentum.closed_form(0.5, 0.1, 1, 1, 1.5), "k"),
        (lambda: momentum.closed_form(0.5, float("nan"), 1, 1, 1), "gain"),
        (lambda: momentum.stationary_variance(0.5, 3.0, 1.0), "gain"),
        (lambda: momentum.stationary_variance(0.5, 0.0, 1.0), "gain"),
        (lambda: momentum.stationary_variance(0.5, 0.1, -1.0), "noise_variance"),
        (lambda: momentum.modes("x", 0.1), "mu"),
        (lambda: momentum.spectral_radius(0.5, np.inf), "gain"),
        (lambda: momentum.stable_gain(1.0), "mu"),
        (lambda: momentum.monotone_gain(-1e-9), "mu"),
        (lambda: momentum.ode_error(0.5, 0.0, 1), "gain"),
        (lambda: momentum.ode_error(0.5, 0.1, 1.5), "k"),
        (lambda: momentum.ode_error(0.5, 0.1, 1, "slow"), "gain"),
        (lambda: momentum.ode_error(0.5, 0.1, 1, "fast"), "launch"),  # type: ignore[arg-type]
        (lambda: momentum.scaled("gain", 0.5, 0.1, 0.0), "delta"),
        (lambda: momentum.scaled("gain", 0.5, 0.1, 2.0), "delta"),
        (lambda: momentum.scaled("gain", 1.5, 0.1, 0.5), "mu"),
        (lambda: momentum.scaled("other", 0.5, 0.1, 0.5), "scaling"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_names_the_argument_and_its_domain(call: object, argument: str) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} = .*; expected"):
        call()  # type: ignore[operator]


def test_scalings_by_hand() -> None:
    assert momentum.scaled("fixed", 0.5, 0.25, 0.5) == (0.5, 0.25)
    assert momentum.scaled("gain", 0.5, 0.25, 0.5) == (0.5, 0.125)
    assert momentum.scaled("inertial", 0.5, 0.25, 0.5) == (0.75, 0.0625)


def test_floats_in_floats_out() -> None:
    assert momentum.trajectory(0, 1, 1, 1, 3).dtype == np.float64
    assert momentum.trajectory(0.5, Fraction(1, 2), 1, 1, 3).dtype == object


def test_the_map_without_memory_forgets_its_start() -> None:
    """Both modes vanish at mu = 0, a = 1: e_2 and all that follow are 0."""
    assert momentum.closed_form(0.0, 1.0, 2.0, 3.0, [0, 1, 2, 3]).tolist() == [2, 3, 0, 0]


def test_the_closed_form_where_the_modes_are_one() -> None:
    k = np.arange(9)
    # powers of two: only the exponential of k log(1/2) rounds, 2 EPS for k <= 8, and the product
    assert np.allclose(momentum.closed_form(0.25, 0.25, 0.0, 1.0, k), k * 0.5 ** (k - 1.0), rtol=16 * EPS, atol=0)


def test_the_closed_form_for_a_negative_gain() -> None:
    """e grows: every e_k is a sum of positive terms, so iteration and closed form keep their digits."""
    for gain in (-0.1, -0.5, -2.0, -9.0):
        path = momentum.trajectory(0.5, gain, 1.0, 1.0, 12)
        found = momentum.closed_form(0.5, gain, 1.0, 1.0, range(13))
        assert np.allclose(found, path, rtol=13 * 8 * EPS, atol=0)  # at most 8 roundings a step


@pytest.mark.parametrize("gain", [1e-13, 2.4e-13, 1e-10, 1e-7])
def test_from_rest_next_to_mu_one_nothing_cancels(gain: float) -> None:
    """e_1 - z e_0 = 1 - z is tiny: taken as a difference it would lose what 1 - mu is short of 1."""
    mu = 1 - 2.0**-20
    with mp.workdps(60):
        z, w, _ = exact_modes(mu, gain)
        for k in (10, 1000, 100_000):
            exact = mp.re(((1 - w) * z**k - (1 - z) * w**k) / (z - w))
            angle = 1 + k * abs(mp.im(mp.log(z)))
            found = mp.mpf(float(momentum.closed_form(mu, gain, 1.0, 1.0, k)))
            within(float(found - exact), 8 * EPS * float(angle))


def test_the_starting_values_of_the_error_are_one() -> None:
    for launch in LAUNCHES:
        found = momentum.ode_error(0.5, 0.01, [0, 1, 5], launch)
        assert np.array_equal(found, momentum.ode_error(0.5, 0.01, [0, 1, 5], launch, 1.0, 1.0))


@pytest.mark.parametrize("share", [1.0, 1 - 1e-13, 1 + 1e-13, 0.5, 2.0])
@pytest.mark.parametrize("short", [1e-3, 1e-5, 3e-7])
def test_modes_keep_their_digits_next_to_the_flip(short: float, share: float) -> None:
    """The mirror image of the double root, where 2 (1 + mu) - a is as small as (1 - sqrt(mu))^2."""
    mu = 1 - short
    gain = 2 * (1 + mu) - share * ((1 - mu) / (1 + mu**0.5)) ** 2
    with mp.workdps(60):
        exact = exact_modes(mu, gain)[:2]
        for found, e in zip(momentum.modes(mu, gain), exact, strict=True):
            nearest = min(abs(mp.mpc(complex(found)) - z) for z in (e, mp.conj(e)))
            within(float(nearest / abs(e)), 8 * EPS)
        k, second = 3001, mp.mpf("0.5")
        z, w = exact
        ladder = [(z**j - w**j) / (z - w) if z != w else j * z ** (j - 1) for j in (k, k - 1)]
        path = mp.re(second * ladder[0] - mp.mpf(mu) * ladder[1])
        found_path = mp.mpf(float(momentum.closed_form(mu, gain, 1.0, 0.5, k)))
        # a few roundings of the phase k angle and of the envelope
        within(float(found_path - path), 16 * EPS * (1 + float(abs(ladder[0]) + abs(ladder[1]))))


@pytest.mark.parametrize(
    ("mu", "gain", "e0", "e1", "k"),
    [(0.9, -1.0, 0.0, 0.0, 5000), (0.5, 4.0, 0.0, 0.0, 10**5), (0.0, 3.0, 0.0, 0.0, 5001), (0.0, -3.0, 1.0, 0.0, 2000)],
)
def test_a_mode_that_the_start_leaves_out_does_not_come_in_by_overflow(
    mu: float, gain: float, e0: float, e1: float, k: int
) -> None:
    """The other mode's powers are inf by then: inf times 0 would be nan."""
    assert momentum.trajectory(mu, gain, e0, e1, k)[-1] == 0
    assert momentum.closed_form(mu, gain, e0, e1, k) == 0


@pytest.mark.parametrize("gain", [1e160, -1e160, 1.7e308])
def test_a_gain_whose_square_is_no_double_is_refused(gain: float) -> None:
    for call in (
        lambda: momentum.modes([0.5, 0.5], [1.0, gain]),
        lambda: momentum.spectral_radius(0.5, gain),
        lambda: momentum.closed_form(0.5, gain, 1.0, 1.0, 3),
        lambda: momentum.ode_error(0.5, abs(gain), 3),
    ):
        with pytest.raises(ValueError, match=r"^gain = .*expected at most 1e\+140 in modulus"):
            call()
    assert momentum.spectral_radius(0.5, 1e140) == 1e140  # z = -a + ...: the rest is below its rounding
