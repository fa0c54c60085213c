"""`reference.momentum` against exact rationals, eigenvalues and a Lyapunov solver."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_lyapunov

from reference import momentum
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = np.finfo(float).eps
MU = st.fractions(0, Fraction(99, 100), max_denominator=100)


@given(mu=MU, gain=st.fractions(Fraction(1, 100), 1, max_denominator=100))
def test_floats_follow_the_exact_trajectory(mu: Fraction, gain: Fraction) -> None:
    exact = momentum.trajectory(mu, gain, Fraction(1), Fraction(1), 80)
    assert all(isinstance(e, Fraction | int) for e in exact)
    double = momentum.trajectory(float(mu), float(gain), 1.0, 1.0, 80)
    # each of 80 steps adds at most 5 roundings of values below 2; perturbations decay (a < 1 is stable) after
    # growing to at most 1/(1 - mu) <= 100 times their size
    within(float(np.max(np.abs(double - exact.astype(float)))), 80 * 5 * 2 * 100 * EPS)


@given(mu=MU, gain=st.fractions(Fraction(1, 1000), 4, max_denominator=1000))
def test_modes_solve_the_characteristic_equation(mu: Fraction, gain: Fraction) -> None:
    m, a = float(mu), float(gain)
    large, small = (complex(z) for z in momentum.modes(m, a))
    within(abs(large + small - (1 + m - a)), 20 * EPS * (1 + m + a))
    within(abs(large * small - m), 20 * EPS * max(m, EPS))
    assert abs(large) >= abs(small) * (1 - 4 * EPS)


@given(mu=MU, slack=st.floats(1e-6, 0.999))
def test_stability_ends_at_twice_one_plus_mu(mu: Fraction, slack: float) -> None:
    bound = float(momentum.stable_gain(float(mu)))
    assert momentum.spectral_radius(float(mu), bound * (1 - slack)) < 1
    assert momentum.spectral_radius(float(mu), bound * (1 + slack)) > 1
    assert momentum.spectral_radius(float(mu), -slack) > 1


@given(mu=st.floats(0.01, 0.98), slack=st.floats(1e-3, 0.9))
def test_modes_are_real_and_positive_just_up_to_the_monotone_gain(mu: float, slack: float) -> None:
    bound = float(momentum.monotone_gain(mu))
    large, small = momentum.modes(mu, bound * (1 - slack))
    assert large.imag == 0
    assert small.imag == 0
    assert small.real > 0
    large, _ = momentum.modes(mu, bound + slack * (1 - bound) * 0.5)
    assert abs(large.imag) > 0 or large.real < 0


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


def test_broadcasts() -> None:
    paths = momentum.trajectory(np.array([0.0, 0.5])[:, None], np.array([0.1, 0.2, 0.3]), 1.0, 1.0, 7)
    assert paths.shape == (2, 3, 8)
    assert np.array_equal(paths[1, 2], momentum.trajectory(0.5, 0.3, 1.0, 1.0, 7))


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: momentum.trajectory(1.0, 0.1, 1, 1, 5), "mu"),
        (lambda: momentum.trajectory(-0.1, 0.1, 1, 1, 5), "mu"),
        (lambda: momentum.trajectory(0.5, float("nan"), 1, 1, 5), "gain"),
        (lambda: momentum.trajectory(0.5, 0.1, float("inf"), 1, 5), "e0"),
        (lambda: momentum.trajectory(0.5, 0.1, 1, 1, 2.5), "steps"),  # type: ignore[arg-type]
        (lambda: momentum.trajectory(0.5, 0.1, 1, 1, 0), "steps"),
        (lambda: momentum.stationary_variance(0.5, 3.0, 1.0), "gain"),
        (lambda: momentum.stationary_variance(0.5, 0.0, 1.0), "gain"),
        (lambda: momentum.stationary_variance(0.5, 0.1, -1.0), "noise_variance"),
        (lambda: momentum.modes("x", 0.1), "mu"),
    ],
)
def test_bad_input_names_the_argument_and_its_domain(call: object, argument: str) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} = .*; expected"):
        call()  # type: ignore[operator]
