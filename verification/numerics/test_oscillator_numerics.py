"""`reference.oscillator` against 50-digit arithmetic, a Lyapunov solver and its own defining properties."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad_vec
from scipy.linalg import expm, solve_continuous_lyapunov

from reference import oscillator
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = np.finfo(float).eps
RATIOS = [-10, -1.5, -1.0, -0.3, 0.0, 0.3, 1 - 1e-15, 1.0, 1 + 1e-15, 1 + 1e-9, 1.2, 30.0, 1e6]
LOG = st.floats(-3, 3)


def fifty_digits(t: float, mass: float, damping: float, stiffness: float, v0: float) -> tuple[float, float]:
    """The response from e0 = 1 and the scale of its error: itself above zeta = 1, else its envelope."""
    with mp.workdps(60):
        t_, m, c, k, v = (mp.mpf(x) for x in (t, mass, damping, stiffness, v0))
        rate = c / (2 * m)
        root = mp.sqrt(rate**2 - k / m)
        sinhc = t_ if root == 0 else mp.sinh(root * t_) / root
        value = mp.re(mp.exp(-rate * t_) * (mp.cosh(root * t_) + (v + rate) * sinhc))
        pure = c >= 2 * mp.sqrt(k * m) and v >= -rate
        # the envelope: the size of the two terms before they cancel
        size = mp.exp(-rate * t_) * (abs(mp.cosh(root * t_)) + abs((v + rate) * sinhc))
        if rate**2 < k / m:
            size = mp.exp(-rate * t_) * (1 + abs((v + rate) / root))
        return float(value), float(abs(value) if pure else size)


@pytest.mark.parametrize("zeta", RATIOS)
@given(mass=LOG, stiffness=LOG, when=st.floats(-3, 2), push=st.sampled_from([0.0, 0.7]))
def test_response_has_twelve_digits(zeta: float, mass: float, stiffness: float, when: float, push: float) -> None:
    m, k = 10**mass, 10**stiffness
    omega = (k / m) ** 0.5
    c, t = 2 * zeta * (k * m) ** 0.5, 10**when * max(1.0, abs(zeta)) / omega
    exact, size = fifty_digits(t, m, c, k, push * omega)
    if not 1e-280 < size < 1e280:
        return
    # 1e-12 is the promise; the exponent omega*t*max(1, 2|zeta|) reaches 650 before under- or overflow, and an
    # exponential returns its argument's rounding, 650 eps = 1.5e-13
    within((float(oscillator.response(t, m, c, k, 1.0, push * omega)) - exact) / size, 1e-12)


def naive(t: float, mass: float, damping: float, stiffness: float) -> float:
    """The textbook formula, which cancels."""
    root = complex(damping**2 - 4 * mass * stiffness) ** 0.5
    fast, slow = (-damping - root) / (2 * mass), (-damping + root) / (2 * mass)
    return float(((-fast * np.exp(slow * t) + slow * np.exp(fast * t)) / (slow - fast)).real)


def test_the_textbook_formula_misses_the_bound() -> None:
    c, t = 2 * (1 + 1e-9), 3.0
    exact, size = fifty_digits(t, 1.0, c, 1.0, 0.0)
    assert abs(naive(t, 1.0, c, 1.0) - exact) / size > 1e-12
    within((float(oscillator.response(t, 1.0, c, 1.0, 1.0)) - exact) / size, 1e-12)


@given(mass=LOG, stiffness=LOG, zeta=st.floats(-3, 1e3))
def test_poles_multiply_to_stiffness_over_mass(mass: float, stiffness: float, zeta: float) -> None:
    m, k = 10**mass, 10**stiffness
    slow, fast = (complex(z) for z in oscillator.poles(m, 2 * zeta * (m * k) ** 0.5, k))
    within(abs(slow * fast / (k / m) - 1), 8 * EPS)
    within(abs(slow + fast + 2 * zeta * (k / m) ** 0.5), 8 * EPS * (1 + abs(zeta)) * (k / m) ** 0.5)
    assert abs(slow) <= abs(fast) * (1 + 4 * EPS)


@given(mass=LOG, stiffness=LOG, zeta=st.floats(-0.9, 50), when=st.floats(0.01, 3))
def test_velocity_is_the_slope(mass: float, stiffness: float, zeta: float, when: float) -> None:
    m, k = 10**mass, 10**stiffness
    omega = (k / m) ** 0.5
    c, t, h = 2 * zeta * (k * m) ** 0.5, when / omega, 1e-4 / omega / max(1, zeta)
    ends = oscillator.response(np.array([t - h, t + h]), m, c, k, 1.0, 0.3 * omega)
    slope = float(ends[1] - ends[0]) / (2 * h)
    # central difference: h^2/6 |e'''|; both values are known to 1e-13 of the envelope, which grows to at most
    # e^{0.9 * 3} < 15 from a start of 1.3; each derivative brings at most the fast pole, 2 max(1, zeta) omega
    bound = (h**2 / 6 * (2 * max(1, zeta) * omega) ** 3 + 1e-13 / h) * 15 * 1.3
    within(float(oscillator.velocity(t, m, c, k, 1.0, 0.3 * omega)) - slope, bound)


@given(zeta=st.floats(-0.9, 1e5), omega=st.floats(0.01, 10))
def test_acceleration_vanishes_at_the_inflection(zeta: float, omega: float) -> None:
    m, c, k = 1.0, 2 * zeta * omega, omega**2
    t = float(oscillator.inflection_time(m, c, k))
    e, v = float(oscillator.response(t, m, c, k, 1.0)), float(oscillator.velocity(t, m, c, k, 1.0))
    # M e'' = -C v - K e: both terms are known to 1e-12 of the envelope exp(-rate t), and t to 1e-14
    scale = abs(c * v) + k * abs(e) + k * np.exp(min(0.0, -zeta * omega * t))
    within((c * v + k * e) / scale, 4e-12 * (1 + abs(zeta) * omega * t))


def test_inflection_at_critical_damping_is_one_over_omega() -> None:
    for omega in (0.01, 1.0, 7.0):
        assert float(oscillator.inflection_time(1.0, 2 * omega, omega**2)) == pytest.approx(1 / omega, rel=1e-14)
    assert oscillator.inflection_time(1.0, -3.0, 1.0) == np.inf


@given(zeta=st.floats(0.05, 0.95), omega=st.floats(0.1, 10))
def test_overshoot_is_the_depth_of_the_first_swing(zeta: float, omega: float) -> None:
    t = np.linspace(0, 2 * np.pi / (omega * (1 - zeta**2) ** 0.5), 20001)
    deepest = -float(np.min(oscillator.response(t, 1.0, 2 * zeta * omega, omega**2, 1.0)))
    # the grid misses the extremum by at most half its spacing: curvature omega^2 times (spacing/2)^2 / 2
    within(float(oscillator.overshoot(1.0, 2 * zeta * omega, omega**2)) - deepest, (omega * t[1]) ** 2 / 8)


def test_overshoot_limits() -> None:
    assert oscillator.overshoot(1.0, 2.0, 1.0) == 0
    assert oscillator.overshoot(1.0, -2.0, 1.0) == np.inf
    assert oscillator.overshoot(1.0, -0.5, 1.0) > 1


@given(zeta=st.floats(0.05, 40), band=st.floats(0.01, 0.5))
def test_nothing_leaves_the_band_after_settling(zeta: float, band: float) -> None:
    c = 2 * zeta
    t = oscillator.settling_time(1.0, c, 1.0, band)
    within(abs(float(oscillator.response(t, 1.0, c, 1.0, 1.0))) - band, 1e-9)
    later = t * (1 + 1e-6) + np.linspace(0, 60 * max(1, zeta), 4000)
    assert np.all(np.abs(oscillator.response(later, 1.0, c, 1.0, 1.0)) <= band * (1 + 1e-9))


def test_settling_never_comes_without_damping() -> None:
    assert oscillator.settling_time(1.0, 0.0, 1.0) == np.inf


@given(mass=LOG, stiffness=LOG, zeta=st.floats(0.05, 20))
def test_stationary_covariance_solves_the_lyapunov_equation(mass: float, stiffness: float, zeta: float) -> None:
    m, k = 10**mass, 10**stiffness
    c = 2 * zeta * (m * k) ** 0.5
    # in units of omega_n the drift is well scaled, so the solver keeps its digits
    drift = np.array([[0, 1], [-1, -2 * zeta]])
    unit = solve_continuous_lyapunov(drift, -np.diag([0, 1.0]))
    found = oscillator.stationary_covariance(m, c, k, 3.0, 5)
    omega = (k / m) ** 0.5
    noise = 3.0 / 5 / m**2
    scale = np.array([[noise / omega**3, noise / omega**2], [noise / omega**2, noise / omega]])
    within(float(np.max(np.abs(found / scale - unit))), 1e-12 * (1 + zeta) * (1 + 1 / zeta))
    within(float(oscillator.stationary_variance(c, k, 3.0, 5)) / found[0, 0] - 1, 4 * EPS)


@given(mass=st.floats(0.2, 5), damping=st.floats(-1, 5), stiffness=st.floats(0.1, 5), time=st.floats(1e-3, 2))
def test_one_step_has_the_law_of_the_integral(mass: float, damping: float, stiffness: float, time: float) -> None:
    phi, noise = oscillator.step(mass, damping, stiffness, 0.7, time)
    drift = np.array([[0, 1], [-stiffness / mass, -damping / mass]])

    def integrand(s: float) -> np.ndarray:
        column = expm(drift * s)[:, 1:]
        return 0.7 / mass**2 * column @ column.T

    # quadrature of a smooth integrand to 1e-11, relative to its size
    exact, _ = quad_vec(integrand, 0, time, epsabs=1e-13, epsrel=1e-11)
    within(float(np.max(np.abs(noise - exact))) / np.max(np.abs(exact)), 1e-9)
    basis = [(1.0, 0.0), (0.0, 1.0)]
    columns = [
        [f(time, mass, damping, stiffness, e, v) for f in (oscillator.response, oscillator.velocity)] for e, v in basis
    ]
    within(
        float(np.max(np.abs(phi - np.array(columns, dtype=float).T))),
        1e-11 * np.exp(abs(damping) / mass * time),
    )


def test_sampled_paths_have_the_stationary_variance() -> None:
    rng = np.random.default_rng(20260)
    path = oscillator.sample(1.0, 1.0, 1.0, 2.0, 1.0, 40_000, 0.0, 0.0, rng)[:, 0]
    # Var(e) = 1 decorrelates like exp(-t/2): about 40000/2.7 independent squares of variance 2, sd 0.0116
    within(float(np.mean(path**2)) - 1.0, 6 * 0.0116)  # two-sided alpha 2e-9; a factor 2 is 86 sd away


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: oscillator.coefficients(0.0, 0.5, 1.0, 1.0), "eta"),
        (lambda: oscillator.coefficients(0.1, 1.0, 1.0, 1.0), "mu"),
        (lambda: oscillator.coefficients(0.1, 0.5, -1.0, 1.0), "stiffness"),
        (lambda: oscillator.damping_ratio(0.1, 0.5, 1.0, -1.0), "tau"),
        (lambda: oscillator.response(-1.0, 1, 1, 1, 1), "t"),
        (lambda: oscillator.response(1.0, 0, 1, 1, 1), "mass"),
        (lambda: oscillator.response(1.0, 1, float("nan"), 1, 1), "damping"),
        (lambda: oscillator.stationary_variance(-1.0, 1.0, 1.0), "damping"),
        (lambda: oscillator.settling_time(1, 1, 1, 1.5), "band"),
        (lambda: oscillator.step(1, 1, 1, -1.0, 1), "noise_intensity"),
        (lambda: oscillator.sample(1, 1, 1, 1, 1, 0, 0, 0, np.random.default_rng(0)), "steps"),
    ],
)
def test_bad_input_names_the_argument_and_its_domain(call: object, argument: str) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} = .*; expected"):
        call()  # type: ignore[operator]
