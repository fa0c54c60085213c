"""The delay equation: float path against exact fractions, roots against residuals, counts against windings."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import factorial

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reference import delay, lag

pytestmark = pytest.mark.infrastructure

POSITIVE = st.floats(-2.0, 2.0).map(lambda x: float(10.0**x))


def test_without_mass_the_pieces_are_the_known_polynomials() -> None:
    """e' = -e(t - 1): sum of (-1)^n (t - n + 1)^n / n!, written out, to the last digit."""
    for t in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(47, 3)):
        terms = [(-1) ** n * max(t - n + 1, Fraction(0)) ** n / factorial(n) for n in range(1, 20)]
        assert lag.delay_exact(0, 1, 1, 1, t) == 1 + sum(terms)
    assert lag.delay_exact(0, 2, 2, 1, Fraction(5, 2)) == lag.delay_exact(0, 1, 1, 1, Fraction(5, 2))


def test_without_damping_the_pieces_are_the_known_polynomials() -> None:
    """e'' = -4 e(t - 1), history 3, velocity 5: both sums written out."""
    t = Fraction(7, 3)
    rest = sum((-4) ** n * (t - n + 1) ** (2 * n) * Fraction(3) / factorial(2 * n) for n in range(1, 4))
    push = sum((-4) ** n * (t - n) ** (2 * n + 1) * Fraction(5) / factorial(2 * n + 1) for n in range(3))
    assert lag.delay_exact(1, 0, 4, 1, t, 3, 5) == 3 + rest + push
    assert lag.delay_exact(2, 0, 8, 1, t, 3, 5) == 3 + rest + push


def test_first_piece_is_the_textbook_response() -> None:
    """On [0, tau] the force is constant: e = 1 - K t/c + K m/c^2 (1 - e^{-ct/m}) + m v/c (1 - e^{-ct/m})."""
    m, c, K, v, t = Fraction(1, 2), Fraction(3), Fraction(2), Fraction(7), Fraction(4, 5)
    with mpmath.workdps(60):
        fade = 1 - mpmath.exp(-mpmath.mpf(24) / 5)
        expected = 1 - mpmath.mpf(8) / 15 + fade / 9 + fade * 7 / 6
        assert abs(lag.delay_exact(m, c, K, 1, t, 1, v, digits=50) - expected) < mpmath.mpf(10) ** -50


@pytest.mark.parametrize("t", [Fraction(5, 3), Fraction(31, 7), Fraction(61, 8)])
def test_exact_solution_satisfies_the_equation(t: Fraction) -> None:
    m, c, K, tau = Fraction(2, 3), Fraction(5, 4), Fraction(9, 7), Fraction(6, 5)
    h = Fraction(1, 10**12)
    left, middle, right, old = (lag.delay_exact(m, c, K, tau, x, 2, -1, digits=70) for x in (t - h, t, t + h, t - tau))
    with mpmath.workdps(70):
        step = mpmath.mpf(10) ** -12
        slope, bend = (right - left) / (2 * step), (right - 2 * middle + left) / step**2
        residual = mpmath.mpf(2) / 3 * bend + mpmath.mpf(5) / 4 * slope + mpmath.mpf(9) / 7 * old
        assert abs(residual) < 1e-22  # central differences err by h^2 times the fourth derivative, here below 100


# m, c, K, tau: stable, near the threshold, unstable, stiff, without mass, without damping, hardly damped, wavy
CASES = [
    (1.0, 1.0, 0.3, 1.0),
    (1.0, 1.0, 1.1, 1.0),
    (0.5, 2.0, 1.0, 3.0),
    (1e-3, 1.0, 1.2, 1.0),
    (1e-7, 1.0, 1.5, 1.0),
    (0.0, 1.0, 1.5, 1.0),
    (1.0, 0.0, 0.1, 1.0),
    (1.0, 1e-9, 1.0, 1.0),
    (1.0, 1.0, 200.0, 2.0),
    (5.0, 0.2, -0.01, 7.0),
]


@pytest.mark.parametrize("case", CASES)
def test_float_path_over_fifty_delays(case: tuple[float, float, float, float]) -> None:
    tau = case[3]
    rng = np.random.default_rng(3)
    t = np.sort(np.concatenate([[0.0, 1e-6, 1e-3 * tau, tau, 50.0 * tau], rng.uniform(0.0, 50.0 * tau, 3)]))
    velocity = 0.0 if case[0] == 0.0 else 0.7
    fast = lag.delay_trajectory(*case, t, 1.0, velocity)
    exact = np.array([float(lag.delay_exact(*case, float(x), 1, velocity, digits=20)) for x in t])
    # relative to the largest value so far, which for an unstable case grows without bound
    size = np.maximum(1.0, np.maximum.accumulate(np.abs(exact)))
    assert np.max(np.abs(fast - exact) / size) < 1e-11


@given(m=POSITIVE, c=POSITIVE, K=POSITIVE, tau=POSITIVE, where=st.floats(0.0, 6.0))
@settings(max_examples=60, deadline=None)
def test_float_path_on_random_equations(m: float, c: float, K: float, tau: float, where: float) -> None:
    t = where * tau
    exact = float(lag.delay_exact(m, c, K, tau, t, digits=20))
    grid = np.append(np.linspace(0.0, t, 50), t)
    fast = lag.delay_trajectory(m, c, K, tau, grid)
    assert abs(fast[-1] - exact) < 1e-11 * max(1.0, float(np.abs(fast).max()))


def test_a_wrong_panel_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: without panels graded into the layer a stiff case is visibly wrong."""
    exact = float(lag.delay_exact(1e-3, 1.0, 1.2, 1.0, 0.002, digits=20))
    monkeypatch.setattr(delay, "_LAYER", 1e9)
    assert abs(float(lag.delay_trajectory(1e-3, 1.0, 1.2, 1.0, 0.002)) - exact) > 1e-8


def test_solution_is_linear_in_history_and_velocity_and_keeps_the_shape_of_t() -> None:
    t = np.array([[0.3, 12.0], [4.0, 1.0]])
    both = lag.delay_trajectory(1.0, 0.4, 0.6, 1.0, t, 2.0, -3.0)
    rest = lag.delay_trajectory(1.0, 0.4, 0.6, 1.0, t)
    push = lag.delay_trajectory(1.0, 0.4, 0.6, 1.0, t, 0.0, 1.0)
    assert both.shape == (2, 2)
    assert np.allclose(both, 2.0 * rest - 3.0 * push, rtol=0.0, atol=1e-12)
    assert float(lag.delay_trajectory(1.0, 0.4, 0.6, 1.0, 0.0)) == pytest.approx(1.0, abs=1e-15)
    assert lag.delay_trajectory(1.0, 0.4, 0.6, 1.0, []).shape == (0,)


def test_long_run_follows_the_dominant_roots() -> None:
    """After 10^4 delays only the slowest pair is left, with the amplitude that its residue gives."""
    m, c, tau = 0.5, 1.0, 1.0
    K = float(lag.critical_stiffness(m, c, tau)) * (1.0 - 1e-5)
    t = np.linspace(9_990.0, 10_000.0, 11)
    s = complex(lag.characteristic_roots(m, c, K, tau, count=1)[0])
    assert -1e-4 < s.real < 0.0
    residue = (m * s + c - K * (1 - np.exp(-s * tau)) / s) / (2 * m * s + c - K * tau * np.exp(-s * tau))
    expected = 2.0 * np.real(residue * np.exp(s * t))
    # 10^4 delays, each with a rounding of a few 1e-16 that the slow mode keeps
    assert np.max(np.abs(lag.delay_trajectory(m, c, K, tau, t) - expected)) < 1e-10


@given(m=POSITIVE, c=POSITIVE, tau=POSITIVE, K=POSITIVE, bare=st.sampled_from(["", "mass", "damping"]))
@settings(max_examples=80, deadline=None)
def test_roots_are_roots_on_their_branches_and_complete(m: float, c: float, tau: float, K: float, bare: str) -> None:
    m, c = (0.0 if bare == "mass" else m), (0.0 if bare == "damping" else c)
    assume(tau * min(K / c if c else math.inf, math.sqrt(K / m) if m else math.inf) < 1e3)
    near = abs(K / float(lag.onset_stiffness(m, c, tau)) - 1.0) if c > 0.0 else 1.0
    assume(near > 1e-6)
    roots = lag.characteristic_roots(m, c, K, tau, count=5, digits=30)
    real = [z for z in roots if z.imag == 0]
    pairs = [z for z in roots if z.imag > 0]
    assert len(real) == (2 if c > 0.0 and lag.onset_stiffness(m, c, tau) > K else 0)
    assert len(pairs) == 5 - len(real) // 2
    with mpmath.workdps(50):
        for z in roots:
            size = (abs(m * z**2) + abs(c * z)) * (1 + abs(z * tau))
            # the residual of a root rounded to 30 digits; near the double root the slope vanishes as its square root
            assert abs(m * z**2 + c * z + K * mpmath.exp(-tau * z)) < 1e-28 * size
        for k, z in enumerate(pairs, start=len(real) // 2):
            turn = z.imag * tau + mpmath.arg(z) + mpmath.arg(m * z + c)
            assert abs(turn - mpmath.pi * (2 * k + 1)) < 1e-20
    right = 2 * sum(z.real > 0 for z in pairs)
    count = int(lag.unstable_roots(m, c, K, tau))
    if count < 10:
        assert right == count
    w = math.sqrt(max(float(x.real) for x in np.roots([m * m, c * c, -K * K]))) if m else K / c
    turns = (w * tau - math.atan2(c, m * w)) / (2.0 * math.pi)
    if abs(turns - round(turns)) > 1e-6:  # no root on the imaginary axis to within rounding
        assert lag.winding_count(m, c, K, tau) == count


def test_roots_without_mass_are_those_of_lambert() -> None:
    for K in (0.3, 1.2, 9.0):
        roots = lag.characteristic_roots(0.0, 1.0, K, 2.0, count=4, digits=40)
        with mpmath.workdps(45):
            branches = (0, -1, 1, 2, 3) if math.exp(-1.0) > 2.0 * K else (0, 1, 2, 3)
            for z, k in zip(roots, branches, strict=True):
                assert abs(z - mpmath.lambertw(-2 * mpmath.mpf(K), k) / 2) < mpmath.mpf(10) ** -38


@given(m=POSITIVE, c=POSITIVE, tau=POSITIVE)
@settings(max_examples=100, deadline=None)
def test_boundary_is_where_the_pair_crosses(m: float, c: float, tau: float) -> None:
    K = float(lag.critical_stiffness(m, c, tau))
    assert float(lag.critical_delay(m, c, K)) == pytest.approx(tau, rel=1e-12)
    assert lag.unstable_roots(m, c, K * (1 - 1e-9), tau) == 0
    assert lag.unstable_roots(m, c, K * (1 + 1e-9), tau) == 2
    assert lag.winding_count(m, c, K * (1 - 1e-3), tau) == 0
    assert lag.winding_count(m, c, K * (1 + 1e-3), tau) == 2
    # the truncated threshold lambda tau = 1 is short by x/sin x, between 1 and pi/2
    ratio = K * tau / c
    assert 1.0 <= ratio <= 0.5 * math.pi
    assert lag.onset_stiffness(m, c, tau) < K
    assert float(lag.onset_stiffness(m, c, tau)) * tau / c < 1.0 / math.e


def test_boundary_agrees_with_many_digits() -> None:
    with mpmath.workdps(50):
        for m, c, tau in ((1.0, 1.0, 1.0), (1.0, 1e-8, 1.0), (1e-8, 1.0, 1.0), (3.0, 7.0, 0.01), (0.0, 2.0, 3.0)):
            load = mpmath.mpf(c) * mpmath.mpf(tau)
            x = mpmath.findroot(
                lambda x, m=m, load=load: m * x * mpmath.sin(x) - load * mpmath.cos(x),
                (mpmath.mpf(10) ** -20, mpmath.pi / 2),
                solver="anderson",
                tol=1e-80,
                maxsteps=300,
            )
            exact = c * x / (mpmath.mpf(tau) * mpmath.sin(x))
            assert abs(float(lag.critical_stiffness(m, c, tau)) / exact - 1) < 1e-15
    assert lag.critical_stiffness(1.0, 0.0, 1.0) == 0.0
    assert lag.critical_delay(1.0, 0.0, 1.0) == 0.0
    assert lag.onset_stiffness(4.0, 2.0, 1e-12) == pytest.approx(0.25, rel=1e-11)


def test_the_map_with_constant_lag_tends_to_the_delay_equation() -> None:
    """tan(Lw) tan(w/2) against x tan x: with m, c of Lemma 4 and tau = L they agree to second order in 1/L."""
    for share in (0.1, 1.0, 10.0):  # c tau/m, held fixed as the interval grows
        gaps = []
        for interval in (100, 1000):
            mu = (1 - share / (2 * interval)) / (1 + share / (2 * interval))
            K = float(lag.critical_stiffness((1 + mu) / 2, 1 - mu, interval))
            gaps.append(1.0 - float(lag.critical_gain(mu, interval, "constant")) / K)
        assert gaps[0] / gaps[1] == pytest.approx(100.0, rel=0.01)


def test_winding_count_refuses_the_boundary_and_huge_turns() -> None:
    with pytest.raises(ValueError, match="imaginary axis"):
        lag.winding_count(0.0, 1.0, math.pi / 2, 1.0)
    with pytest.raises(ValueError, match="unstable_roots"):
        lag.winding_count(0.0, 1.0, 1e5, 1.0)
    assert lag.unstable_roots(0.0, 1.0, 1e5, 1.0) == 2 * math.ceil((1e5 - math.pi / 2) / (2 * math.pi))


Call = Callable[[float, float, float, float], object]
SOLVERS: list[Call] = [
    lambda m, c, K, tau: lag.delay_trajectory(m, c, K, tau, 1.0),
    lambda m, c, K, tau: lag.delay_exact(m, c, K, tau, 1.0),
]
ROOTS: list[Call] = [
    lambda m, c, K, tau: lag.unstable_roots(m, c, K, tau),
    lambda m, c, K, tau: lag.winding_count(m, c, K, tau),
    lambda m, c, K, tau: lag.characteristic_roots(m, c, K, tau),
]
BAD = [
    ((-1.0, 1.0, 1.0, 1.0), "mass"),
    ((float("nan"), 1.0, 1.0, 1.0), "mass"),
    ((1.0, -1.0, 1.0, 1.0), "damping"),
    ((0.0, 0.0, 1.0, 1.0), "damping"),
    ((1.0, 1.0, float("nan"), 1.0), "stiffness"),
    ((1.0, 1.0, 1.0, 0.0), "tau"),
    ((1.0, 1.0, 1.0, float("inf")), "tau"),
]


@pytest.mark.parametrize(("arguments", "name"), BAD)
def test_bad_coefficients_are_refused_by_name(arguments: tuple[float, float, float, float], name: str) -> None:
    for call in SOLVERS + ROOTS:
        with pytest.raises(ValueError, match=name):
            call(*arguments)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: lag.delay_trajectory(1, 1, 1, 1, -0.1), "t"),
        (lambda: lag.delay_trajectory(1, 1, 1, 1, float("nan")), "t"),
        (lambda: lag.delay_exact(1, 1, 1, 1, -1), "t"),
        (lambda: lag.delay_exact(1, 1, 1, 1, 1, digits=0), "digits"),
        (lambda: lag.delay_trajectory(0, 1, 1, 1, 1.0, 1.0, 2.0), "velocity"),
        (lambda: lag.delay_trajectory(1, 1, 1, 1, 1.0, float("inf")), "history"),
        (lambda: lag.delay_trajectory(1, 0, 1e12, 1, 1.0), "tau"),
        (lambda: lag.critical_stiffness(1, 1, -1), "tau"),
        (lambda: lag.critical_stiffness(0, 0, 1), "damping"),
        (lambda: lag.onset_stiffness(-1, 1, 1), "mass"),
        (lambda: lag.critical_delay(1, 1, 0), "stiffness"),
        (lambda: lag.unstable_roots(1, 1, -1, 1), "stiffness"),
        (lambda: lag.characteristic_roots(1, 1, 1, 1, 0), "count"),
        (lambda: lag.characteristic_roots(1, 1, 1, 1, 2, 3), "digits"),
    ],
)
def test_bad_arguments_are_refused_by_name(call: Callable[[], object], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        call()


def test_overflow_of_an_unstable_run_is_reported() -> None:
    with pytest.raises(OverflowError, match="doubles"):
        lag.delay_trajectory(0.0, 1.0, 30.0, 1.0, 5000.0)


def test_what_int64_cannot_count_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^tau = .*fewer than 2\*\*53 roots"):
        lag.unstable_roots(0.0, 5e14, 9e97, 2.4e-3)
    with pytest.raises(ValueError, match=r"^t = .*expected below 1e\+09 delays"):
        lag.delay_trajectory(1.0, 1.0, 0.5, 1.0, [0.0, 1e19])


@pytest.mark.parametrize(("m", "c", "K"), [(0.0, 1.0, 10.0), (1.0, 0.0, 1e2), (0.3, 1.0, 2.0), (1e-3, 1.0, 1.2)])
@pytest.mark.parametrize("factor", [128.0, 1 / 128])
def test_the_equation_may_be_multiplied_by_any_number(m: float, c: float, K: float, factor: float) -> None:
    t = np.linspace(0.0, 3.0, 31)
    one, other = (lag.delay_trajectory(x * m, x * c, x * K, 1.0, t) for x in (1.0, factor))
    # a power of 2 changes no rounding of the coefficients; what is left is the solver's, about 1e-13 as documented
    assert np.allclose(one, other, rtol=0.0, atol=1e-12 * max(1.0, float(np.abs(one).max())))


def test_more_oscillations_or_delays_than_documented_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^tau = 1\.0; expected a delay of at most a few hundred oscillations$"):
        lag.delay_trajectory(0.0, 1.0, 1300.0, 1.0, 0.5)
    with pytest.raises(ValueError, match=r"^t = 1000000000\.0; expected below 1e\+09 delays: each one is computed"):
        lag.delay_trajectory(1.0, 1.0, 0.5, 1.0, [0.0, 1e9, 2e9])


def test_the_default_number_of_digits_is_fifty() -> None:
    bare, wished = lag.delay_exact(1, 1, 1, 1, 2), lag.delay_exact(1, 1, 1, 1, 2, digits=50)
    with mpmath.workdps(80):
        assert bare == wished != lag.delay_exact(1, 1, 1, 1, 2, digits=51)


def test_a_time_that_rounds_to_the_end_of_its_delay_is_found() -> None:
    tau, t = 2.6894490658162615, 34.9628378556114  # 13 tau by rounding, yet floor(t / tau) is 12
    assert t / tau < 13.0
    assert t - 12 * tau >= tau
    found = lag.delay_trajectory(1.0, 1.0, 0.3, tau, [math.nextafter(t, 0.0), t, math.nextafter(t, 99.0)])
    assert np.ptp(found) < 1e-13  # the slope is below 1, the three times are 1.5e-14 apart
