"""`reference.oscillator` against 50-digit arithmetic, a Lyapunov solver and its own defining properties."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.linalg import expm, solve_continuous_lyapunov

from reference import oscillator
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = np.finfo(float).eps
RATIOS = [
    *(-10, -1.5, -1.0, -1 + 1e-15, -0.3, 0.0, 1e-3, 0.3, 0.999, 1 - 1e-9, 1 - 1e-15, 1.0),
    *(np.nextafter(1, 2), 1 + 1e-15, 1 + 9e-15, 1 + 1e-12, 1 + 1e-9, 1 + 1e-5, 1.2, 30.0, 1e4, 1e6),
]
LOG = st.floats(-3, 3)


def fifty_digits(
    t: float, mass: float, damping: float, stiffness: float, e0: float, v0: float
) -> tuple[mp.mpf, mp.mpf]:
    """The response and the scale of its error: itself where no sign changes, else its envelope."""
    t_, m, c, k, e, v = (mp.mpf(float(x)) for x in (t, mass, damping, stiffness, e0, v0))
    rate = c / (2 * m)
    disc = rate**2 - k / m
    root, slope = mp.sqrt(abs(disc)), v + rate * e
    if disc >= 0:
        first, second = e * mp.cosh(root * t_), slope * (mp.sinh(root * t_) / root if root else t_)
        size = abs(first + second) if first * second >= 0 else abs(first) + abs(second)
    else:
        first, second = e * mp.cos(root * t_), slope * mp.sin(root * t_) / root
        size = abs(e) + abs(slope) * min(t_, 1 / root)
    decay = mp.exp(-rate * t_)
    return decay * (first + second), decay * size


@pytest.mark.parametrize("zeta", RATIOS)
@given(mass=LOG, stiffness=LOG, when=st.floats(-8, 7), start=st.sampled_from([(1, 0), (1, 0.7), (1, -0.3), (0, 1)]))
def test_response_has_twelve_digits(
    zeta: float, mass: float, stiffness: float, when: float, start: tuple[float, float]
) -> None:
    m, k = 10**mass, 10**stiffness
    omega = (k / m) ** 0.5
    c, t = 2 * zeta * (k * m) ** 0.5, 10**when / omega
    with mp.workdps(60):
        exact, size = fifty_digits(t, m, c, k, start[0], start[1] * omega)
        if not 1e-280 < size < 1e280:
            return
        # 1e-12 is the promise; an exponent reaches 650 before under- or overflow and carries at most 5
        # roundings, 5 * 650 * EPS/2 = 3.6e-13
        found = mp.mpf(float(oscillator.response(t, m, c, k, start[0], start[1] * omega)))
        within(float((found - exact) / size), 1e-12)
        if start[1] == 0:  # e'' = 0 at the start, so that velocity is the response to a kick of -K/M
            exact, size = fifty_digits(t, m, c, k, 0, 1)
            found = mp.mpf(float(oscillator.velocity(t, m, c, k, 1.0)))
            within(float((found + mp.mpf(k) / mp.mpf(m) * exact) / (size * mp.mpf(k) / mp.mpf(m))), 1e-12)


@given(zeta=st.floats(-2, 3), scale=st.sampled_from([1e-150, 1e-60, 1e60, 1e150]))
def test_units_do_not_matter(zeta: float, scale: float) -> None:
    plain = oscillator.response([0.3, 2.0, 5.0], 1.0, 2 * zeta, 1.0, 1.0, 0.2)
    same = oscillator.response([0.3, 2.0, 5.0], scale, 2 * zeta * scale, scale, 1.0, 0.2)
    size = max(1.0, float(np.max(np.abs(plain))))  # growth, where zeta < 0
    within(float(np.max(np.abs(plain - same))), 100 * EPS * size)
    slow = oscillator.response(
        np.array([0.3, 2.0, 5.0]) * scale**0.5, scale, 2 * zeta * scale**0.5, 1.0, 1.0, 0.2 / scale**0.5
    )
    within(float(np.max(np.abs(plain - slow))), 100 * EPS * size)


def test_growth_beyond_doubles_is_infinite_with_its_sign() -> None:
    assert oscillator.response(1e4, 1.0, -3.0, 1.0, 1.0) == -np.inf
    assert oscillator.response(1e4, 1.0, -3.0, 1.0, 0.0, 1.0) == np.inf
    assert oscillator.response(1e4, 1.0, 3.0, 1.0, 1.0) == 0


@pytest.mark.parametrize("damping", [-3.0, -2.0, -1.0, 0.0, 0.7, 2.0, 5.0])
def test_nothing_moves_at_rest_on_the_fixed_point(damping: float) -> None:
    """Also where any other start has grown beyond the range of doubles: no inf times 0."""
    with np.errstate(all="raise"):
        for f in (oscillator.response, oscillator.velocity):
            assert np.array_equal(f([0.0, 1.0, 1e4], 1.0, damping, 1.0, 0.0, 0.0), np.zeros(3))
    moved = oscillator.response(1e4, 1.0, damping, 1.0, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    assert moved[0] == 0
    assert damping > 0 or np.all(moved[1:] != 0)


@pytest.mark.parametrize(("damping", "t"), [(2.0, 900.0), (2.5, 1800.0), (0.8, 2000.0), (-0.8, 2000.0), (-2.5, 400.0)])
@pytest.mark.parametrize("start", [(1.0, 0.0), (0.3, -0.4)])
def test_a_large_start_may_outlast_its_decay(damping: float, t: float, start: tuple[float, float]) -> None:
    """exp(-rate t) alone is out of range, 1e300 times it is not; the other way round for growth."""
    scale = 1e300 if damping > 0 else 1e-300
    with mp.workdps(60):
        exact, size = fifty_digits(t, 1.0, damping, 1.0, scale * start[0], scale * start[1])
        assert 1e-280 < abs(exact) < 1e280
        found = float(oscillator.response(t, 1.0, damping, 1.0, scale * start[0], scale * start[1]))
        within(float((mp.mpf(found) - exact) / size), 2e-12)  # twice the exponent of the promise's own 650


@pytest.mark.parametrize("damping", [2 - 1e-14, 1e-3])
def test_a_kick_keeps_its_digits_at_the_shortest_times(damping: float) -> None:
    """sin(root t)/root would not: root t is below the normal doubles, where digits are lost."""
    for t in (1e-307, 1e-200, 1e-20):
        within(float(oscillator.response(t, 1.0, damping, 1.0, 0.0, 1.0)) / t - 1, 10 * EPS)  # less t damping / 2


@pytest.mark.parametrize(("side", "other"), [(3, 5), (7, 3), (11, 7), (1, 1), (13, 3)])
def test_damping_that_is_critical_to_the_last_digit(side: int, other: int) -> None:
    """M = a^2, C = 2 a b, K = b^2: the discriminant is 0 though rate and K/M are rounded, and nothing divides by it."""
    mass, damping, stiffness, rate = side**2, 2 * side * other, other**2, other / side
    with np.errstate(all="raise"):
        for t in (0.0, 0.3, 1.0, 20.0):
            exact = (1 + rate * t) * np.exp(-rate * t)
            # an exponent of up to 60 with 4 roundings
            within(float(oscillator.response(t, mass, damping, stiffness, 1.0)) / exact - 1, 150 * EPS)
        slow, fast = oscillator.poles(mass, damping, stiffness)
        assert slow.imag == fast.imag == 0
        within(float(slow.real) / -rate - 1, 2 * EPS)
        within(float(fast.real) / -rate - 1, 2 * EPS)
        within(float(oscillator.inflection_time(mass, damping, stiffness)) * rate - 1, 4 * EPS)
        assert oscillator.overshoot(mass, damping, stiffness) == 0
        assert oscillator.overshoot(mass, -damping, stiffness) == np.inf
        assert oscillator.inflection_time(mass, -damping, stiffness) == np.inf


def test_doubles_come_out_whatever_goes_in() -> None:
    one = np.array([1])  # whole numbers
    found = [
        *oscillator.coefficients(one, [0], one, one),
        oscillator.damping_ratio(one, [0], one, one),
        oscillator.natural_frequency(one, one),
        oscillator.response(one, one, one, one, one),
        oscillator.velocity(one, one, one, one, one),
        oscillator.inflection_time(one, one, one),
        oscillator.overshoot(one, one, one),
        oscillator.stationary_covariance(one, one, one, one),
        oscillator.stationary_variance(one, one, one),
    ]
    assert {x.dtype for x in found} == {np.dtype(np.float64)}
    assert {x.dtype for x in oscillator.poles(one, one, one)} == {np.dtype(np.complex128)}


def naive(t: float, mass: float, damping: float, stiffness: float) -> float:
    """The textbook formula, which cancels."""
    root = complex(damping**2 - 4 * mass * stiffness) ** 0.5
    fast, slow = (-damping - root) / (2 * mass), (-damping + root) / (2 * mass)
    return float(((-fast * np.exp(slow * t) + slow * np.exp(fast * t)) / (slow - fast)).real)


def test_the_textbook_formula_misses_the_bound() -> None:
    c, t = 2 * (1 + 1e-9), 3.0
    with mp.workdps(60):
        exact, size = fifty_digits(t, 1.0, c, 1.0, 1.0, 0.0)
        assert abs(naive(t, 1.0, c, 1.0) - exact) / size > 1e-12
        within(float((float(oscillator.response(t, 1.0, c, 1.0, 1.0)) - exact) / size), 1e-12)


def test_a_phase_without_its_rounding_error_misses_the_bound() -> None:
    c, k = 1e-6, 0.7
    root = (k - c**2 / 4) ** 0.5
    misses = 0
    for t in np.geomspace(1e4, 1e6, 20):
        with mp.workdps(60):
            exact, size = fifty_digits(t, 1.0, c, k, 1.0, 0.0)
            plain = np.exp(-c / 2 * t) * (np.cos(root * t) + c / 2 * np.sin(root * t) / root)
            misses += abs(plain - exact) / size > 1e-12
            within(float((float(oscillator.response(t, 1.0, c, k, 1.0)) - exact) / size), 1e-12)
    assert misses > 5


POSITIVE = st.fractions(Fraction(1, 1000), 10, max_denominator=1000)
LAG = st.fractions(0, 100, max_denominator=8)


@given(eta=POSITIVE, mu=st.fractions(0, Fraction(99, 100), max_denominator=100), k=POSITIVE, tau=LAG)
def test_coefficients_are_those_of_the_exact_arithmetic(
    eta: Fraction, mu: Fraction, k: Fraction, tau: Fraction
) -> None:
    e, m, s, lag = (Fraction(float(x)) for x in (eta, mu, k, tau))
    mass, damping, stiffness = (Fraction(float(x)) for x in oscillator.coefficients(eta, mu, k, tau))  # type: ignore[arg-type]
    within(float(mass / (((1 + m) + s * e * lag**2) / (2 * e)) - 1), 6 * EPS)  # positive terms, 6 roundings
    exact = ((1 - m) - s * e * lag) / e
    assert stiffness == s
    assert (damping > 0) == (exact > 0)
    if exact:
        within(float(damping / exact - 1), 8 * EPS)
        with mp.workdps(40):
            c, mm, ss = (mp.mpf(x.numerator) / x.denominator for x in (exact, mass, s))
            zeta = float(oscillator.damping_ratio(eta, mu, k, tau))  # type: ignore[arg-type]
            within(float(zeta / (c / (2 * mp.sqrt(ss * mm))) - 1), 16 * EPS)


def test_damping_keeps_its_sign_next_to_the_threshold() -> None:
    """(1 - mu)/eta - K tau in doubles is 0 or of the wrong sign; exactly it is not."""
    wrong, rng = 0, np.random.default_rng(3)
    for eta, mu, tau in zip(rng.uniform(0.1, 1, 200), rng.uniform(0, 1, 200), rng.integers(1, 20, 200), strict=True):
        stiffness = (1 - mu) / (eta * tau)
        exact = (1 - Fraction(mu)) - Fraction(stiffness) * Fraction(eta) * int(tau)
        found = float(oscillator.coefficients(eta, mu, stiffness, tau)[1])
        assert np.sign(found) == np.sign(float(exact))
        wrong += np.sign((1 - mu) / eta - stiffness * tau) != np.sign(float(exact))
    assert wrong > 20


@given(mass=LOG, stiffness=LOG, zeta=st.sampled_from(RATIOS))
def test_poles_have_all_their_digits(mass: float, stiffness: float, zeta: float) -> None:
    m, k = 10**mass, 10**stiffness
    c = 2 * zeta * (m * k) ** 0.5
    with mp.workdps(60):
        # the numerator is exact at 60 digits, so that a double root is one
        disc = (mp.mpf(c) ** 2 - 4 * mp.mpf(m) * mp.mpf(k)) / (4 * mp.mpf(m) ** 2)
        root, rate = mp.sqrt(mp.mpc(disc)), mp.mpf(c) / (2 * mp.mpf(m))
        exact = sorted((-rate + root, -rate - root), key=abs)
        if disc < 0:
            exact = [-rate + root, -rate - root]
        for found, e in zip(oscillator.poles(m, c, k), exact, strict=True):
            within(float(abs(mp.mpc(complex(found)) - e) / abs(e)), 8 * EPS)  # 6 roundings, no cancellation
        assert (complex(oscillator.poles(m, c, k)[0]).imag == 0) == (disc >= 0)


@given(mass=LOG, stiffness=LOG)
def test_natural_frequency(mass: float, stiffness: float) -> None:
    m, k = 10**mass, 10**stiffness
    within(float(oscillator.natural_frequency(m, k)) ** 2 * m / k - 1, 6 * EPS)


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


@given(
    mass=LOG, stiffness=LOG, zeta=st.one_of(st.sampled_from([z for z in RATIOS if z > -0.999]), st.floats(-0.99, 1e3))
)
@example(mass=np.log10(0.99), stiffness=np.log10(0.55), zeta=1.168)  # rate and K/M apart: either side of the switch
@example(mass=np.log10(0.51), stiffness=np.log10(0.99), zeta=1.15)
@example(mass=0.0, stiffness=0.0, zeta=2 / 3**0.5 - 1e-9)
@example(mass=0.0, stiffness=0.0, zeta=2 / 3**0.5 + 1e-9)
def test_inflection_time_against_fifty_digits(mass: float, stiffness: float, zeta: float) -> None:
    m, k = 10**mass, 10**stiffness
    c = 2 * zeta * (m * k) ** 0.5
    with mp.workdps(60):
        omega = mp.sqrt(mp.mpf(k) / mp.mpf(m))
        ratio = mp.mpf(c) / (2 * mp.sqrt(mp.mpf(k) * mp.mpf(m)))
        if ratio > 1:
            exact = mp.acosh(ratio) / (omega * mp.sqrt(ratio**2 - 1))
        else:
            exact = mp.acos(ratio) / (omega * mp.sqrt(1 - ratio**2)) if ratio < 1 else 1 / omega
        # 10 roundings; the logarithm of at least e^0.5 amplifies those of its argument at most fourfold
        within(float(mp.mpf(float(oscillator.inflection_time(m, c, k))) / exact - 1), 40 * EPS)


def test_inflection_next_to_no_damping_is_a_quarter_of_a_period() -> None:
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        for damping in (0.0, 1e-310, -1e-310, 1e-200):
            within(float(oscillator.inflection_time(1.0, damping, 4.0)) / (np.pi / 4) - 1, 4 * EPS)


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


@given(mass=LOG, stiffness=LOG, zeta=st.floats(-0.999, 0.999))
def test_overshoot_against_fifty_digits(mass: float, stiffness: float, zeta: float) -> None:
    m, k = 10**mass, 10**stiffness
    c = 2 * zeta * (m * k) ** 0.5
    with mp.workdps(60):
        ratio = mp.mpf(c) / (2 * mp.sqrt(mp.mpf(k) * mp.mpf(m)))
        exponent = mp.pi * ratio / mp.sqrt(1 - ratio**2)
        within(
            float(mp.mpf(float(oscillator.overshoot(m, c, k))) * mp.exp(exponent) - 1),
            (4 + 8 * abs(float(exponent))) * EPS,
        )


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


@given(zeta=st.floats(0.003, 0.9), swings=st.integers(1, 8))
def test_settling_where_an_extremum_touches_the_band(zeta: float, swings: int) -> None:
    """A band equal to the n-th extremum, up to rounding: the branch point of the search."""
    band = float(oscillator.overshoot(1.0, 2 * zeta, 1.0)) ** swings
    if band < 1e-12:
        return
    for level in (band * (1 - 1e-9), band, band * (1 + 1e-9)):
        t = oscillator.settling_time(1.0, 2 * zeta, 1.0, level)
        # the crossing is known to 1e-14 of t, the response to 1e-12 of its envelope
        within(abs(float(oscillator.response(t, 1.0, 2 * zeta, 1.0, 1.0))) / level - 1, 1e-9)
        later = t * (1 + 1e-6) + np.linspace(0, 20, 2000)
        assert np.all(np.abs(oscillator.response(later, 1.0, 2 * zeta, 1.0, 1.0)) <= level * (1 + 1e-9))


@given(log_zeta=st.floats(0, 5), band=st.floats(0.01, 0.5))
def test_overdamped_settling_time_is_that_of_the_slow_mode(log_zeta: float, band: float) -> None:
    zeta = 10**log_zeta * 1.001
    with mp.workdps(40):
        z = mp.mpf(2 * zeta) / 2
        root = mp.sqrt(z**2 - 1)
        slow, fast = -1 / (z + root), -(z + root)
        exact = mp.findroot(
            lambda t: (-fast * mp.exp(slow * t) + slow * mp.exp(fast * t)) / (slow - fast) - band,
            float(oscillator.settling_time(1.0, 2 * zeta, 1.0, band)),
        )
        # e is known to 1e-12; d log e/d log t is at least 0.01 where e <= 1/2
        within(float(mp.mpf(oscillator.settling_time(1.0, 2 * zeta, 1.0, band)) / exact - 1), 1e-10)


def test_settling_never_comes_without_damping() -> None:
    assert oscillator.settling_time(1.0, 0.0, 1.0) == np.inf


@pytest.mark.parametrize("log_zeta", [-3, -6, -9, -13, -16, -100])
def test_settling_with_hardly_any_damping(log_zeta: int) -> None:
    zeta = 10.0**log_zeta
    found = oscillator.settling_time(1.0, 2 * zeta, 1.0, 0.05)
    # the envelope enters the band at log(20)/zeta, and the last crossing is at most half a swing, pi, before it
    within(found / (np.log(20) / zeta) - 1, np.pi * zeta / np.log(20) + 1e-14)
    if log_zeta > -9:
        # the crossing, where |e'| is at most 1, is known to 1e-14 of t
        within(abs(float(oscillator.response(found, 1.0, 2 * zeta, 1.0, 1.0))) - 0.05, 1e-12 + 1e-14 * found)


@pytest.mark.parametrize("damping", [0.2, 1.0, 2.0, 2.5, 1e3])
@pytest.mark.parametrize("band", [0.999, 0.9, 0.5])
def test_settling_within_the_first_swing(damping: float, band: float) -> None:
    found = oscillator.settling_time(1.0, damping, 1.0, band)
    within(abs(float(oscillator.response(found, 1.0, damping, 1.0, 1.0))) - band, 1e-12)
    before, after = np.linspace(0, found * (1 - 1e-9), 100), found * (1 + 1e-9) + np.linspace(0, 40, 4001)
    if damping >= 2:  # it falls, and crosses once
        assert np.all(oscillator.response(before, 1.0, damping, 1.0, 1.0) > band)
    assert np.all(np.abs(oscillator.response(after, 1.0, damping, 1.0, 1.0)) < band)


def test_a_rate_beyond_any_double_never_settles() -> None:
    assert oscillator.settling_time(1.0, 1e-320, 1.0) == np.inf


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


def exact_step(m: float, c: float, k: float, d: float, h: float) -> tuple[mp.matrix, mp.matrix]:
    """Phi = exp(A h), and Q = S - Phi S Phi' with S from A S + S A' = -B, at 80 digits (c != 0)."""
    mass, damping, stiffness, noise = (mp.mpf(x) for x in (m, c, k, d))
    drift = mp.matrix([[0, 1], [-stiffness / mass, -damping / mass]])
    phi = mp.expm(drift * mp.mpf(h))
    still = mp.matrix([[noise / (2 * damping * stiffness), 0], [0, noise / (2 * damping * mass)]])
    assert mp.norm(drift * still + still * drift.T + mp.matrix([[0, 0], [0, noise / mass**2]])) < 1e-60 * mp.norm(still)
    return phi, still - phi * still * phi.T


@given(
    mass=st.floats(0.2, 5),
    damping=st.floats(-1, 5).filter(lambda c: abs(c) > 1e-3),
    stiffness=st.floats(0.1, 5),
    when=st.floats(-6, 2),
)
def test_one_step_against_eighty_digits(mass: float, damping: float, stiffness: float, when: float) -> None:
    time = 10**when
    phi, noise = oscillator.step(mass, damping, stiffness, 0.7, time)
    with mp.workdps(80):
        exact_phi, exact_noise = exact_step(mass, damping, stiffness, 0.7, time)
        scale = [mp.sqrt(exact_noise[i, i]) for i in (0, 1)]
        root = (stiffness / mass) ** 0.5
        for i in (0, 1):
            for j in (0, 1):
                # relative to the geometric mean of the diagonal: a bound in the units of neither coordinate;
                # up to 12 doublings, each of which adds 10 roundings and the 1e-12 of Phi
                within(float((mp.mpf(noise[i, j]) - exact_noise[i, j]) / (scale[i] * scale[j])), 2e-12)
        size = max(abs(exact_phi[i, j]) / root ** (i - j) for i in (0, 1) for j in (0, 1))
        for i in (0, 1):
            for j in (0, 1):
                within(float((mp.mpf(phi[i, j]) - exact_phi[i, j]) / size) / root ** (i - j), 1e-11)


@pytest.mark.parametrize(
    ("mass", "damping", "stiffness", "time"),
    [(1.0, 1e-3, 1e-4, 220.0), (1e-4, 1e-3, 1.0, 0.028), (1e4, 1.0, 1.0, 310.0), (1.0, 2.5, 1e-3, 1.3)],
)
def test_a_step_is_halved_by_its_fastest_rate(mass: float, damping: float, stiffness: float, time: float) -> None:
    """omega_n time or C time/M near 3, in units far from 1: halved too seldom the series is wrong by 1e-9."""
    _, noise = oscillator.step(mass, damping, stiffness, 1.0, time)
    assert noise.shape == (2, 2)
    with mp.workdps(80):
        exact = exact_step(mass, damping, stiffness, 1.0, time)[1]
        for i in (0, 1):
            for j in (0, 1):
                scale = mp.sqrt(exact[i, i] * exact[j, j])
                within(float((mp.mpf(noise[i, j]) - exact[i, j]) / scale), 2e-12)  # as above
    for intensity, when in ((0.0, time), (1.0, 0.0)):
        assert np.array_equal(oscillator.step(mass, damping, stiffness, intensity, when)[1], np.zeros((2, 2)))


def test_a_group_of_one_is_the_default() -> None:
    assert oscillator.stationary_variance(0.5, 0.25, 3.0) == 3.0 / (2 * 0.5 * 0.25)
    assert oscillator.stationary_covariance(4.0, 0.5, 0.25, 3.0)[1, 1] == 3.0 / (2 * 0.5 * 4.0)


def test_poles_turn_complex_below_the_rounding_of_the_discriminant() -> None:
    """K = fl(C^2)/4: the discriminant is what rounding took from C^2, and its sign decides."""
    signs = []
    for c in np.random.default_rng(4).uniform(0.5, 2, 50):
        exact = Fraction(c) ** 2 - Fraction(c * c)
        slow = complex(oscillator.poles(1.0, c, c * c / 4)[0])
        assert (slow.imag == 0) == (exact >= 0)
        signs.append(exact >= 0)
    assert 5 < sum(signs) < 45


def test_a_damping_beyond_range_is_shown_alone() -> None:
    with pytest.raises(ValueError, match=r"^damping = 1e\+150; expected below"):
        oscillator.response(1.0, 1, [1, 1e150, 1e160], 1, 1)


def single_block(m: float, c: float, k: float, d: float, h: float) -> np.ndarray:
    """Van Loan's block exponential taken at once."""
    drift = np.array([[0.0, 1.0], [-k / m, -c / m]])
    block = np.zeros((4, 4))
    block[:2, :2], block[2:, 2:], block[1, 3] = -drift, drift.T, d / m**2
    exponential = expm(block * h)
    return np.asarray(exponential[2:, 2:].T @ exponential[:2, 2:])


def test_a_long_step_ends_in_the_stationary_state() -> None:
    for c, h in ((2.0, 40.0), (1.0, 1e5), (1e3, 1e6)):
        phi, noise = oscillator.step(1.0, c, 1.0, 3.0, h)
        still = oscillator.stationary_covariance(1.0, c, 1.0, 3.0)
        # up to 30 doublings of 10 roundings each
        within(
            float(np.max(np.abs(noise - still)) / still[0, 0]), 300 * EPS + 2 * float(np.exp(-2 * h / max(c, 2 / c)))
        )
        assert np.max(np.abs(phi)) < 1e-3
    # the single block already overflows or cancels at C time/M = 40
    still = oscillator.stationary_covariance(1.0, 2.0, 1.0, 3.0)
    assert np.max(np.abs(single_block(1.0, 2.0, 1.0, 3.0, 40.0) - still)) > 0.1


@given(damping=st.floats(-1, 4), first=st.floats(0.01, 3), second=st.floats(0.01, 3))
def test_two_steps_compose(damping: float, first: float, second: float) -> None:
    phi, noise = oscillator.step(1.3, damping, 0.7, 0.4, first + second)
    phi_1, noise_1 = oscillator.step(1.3, damping, 0.7, 0.4, first)
    phi_2, noise_2 = oscillator.step(1.3, damping, 0.7, 0.4, second)
    size = np.exp(6 * max(0.0, -damping) / 1.3)  # the growth of a covariance
    within(float(np.max(np.abs(phi_2 @ phi_1 - phi))), 1e-12 * size)
    within(float(np.max(np.abs(phi_2 @ noise_1 @ phi_2.T + noise_2 - noise))), 1e-12 * size * 10)


def test_undamped_steps_gain_energy_linearly() -> None:
    _, noise = oscillator.step(1.0, 0.0, 4.0, 0.5, 2 * np.pi)  # two periods: K Q_11 + M Q_22 = D t/M
    within(4.0 * noise[0, 0] + noise[1, 1] - 0.5 * 2 * np.pi, 1e-12)
    assert not np.any(oscillator.step(1.0, 1.0, 1.0, 0.0, 1.0)[1])
    phi, noise = oscillator.step(1.0, 1.0, 1.0, 1.0, 0.0)
    assert np.array_equal(phi, np.eye(2))
    assert not np.any(noise)


def test_sampled_kicks_have_the_covariance_of_one_step() -> None:
    rng = np.random.default_rng(11)
    phi, noise = oscillator.step(1.0, 0.8, 2.0, 0.6, 0.5)
    path = oscillator.sample(1.0, 0.8, 2.0, 0.6, 0.5, 30_000, 1.0, -1.0, rng)
    assert np.array_equal(path[0], [1.0, -1.0])
    kicks = path[1:] - path[:-1] @ phi.T
    found = kicks.T @ kicks / 30_000
    for i, j in ((0, 0), (0, 1), (1, 1)):
        # sd of a mean of products of Gaussians: sqrt(Q_ii Q_jj + Q_ij^2)/sqrt(n); six of them, alpha 6e-9 in all
        within(found[i, j] - noise[i, j], 6 * ((noise[i, i] * noise[j, j] + noise[i, j] ** 2) / 30_000) ** 0.5)
    again = oscillator.sample(1.0, 0.8, 2.0, 0.6, 0.5, 10, 1.0, -1.0, np.random.default_rng(11))
    assert np.array_equal(again, oscillator.sample(1.0, 0.8, 2.0, 0.6, 0.5, 10, 1.0, -1.0, np.random.default_rng(11)))


def test_without_noise_a_sample_is_the_response() -> None:
    path = oscillator.sample(1.0, 0.8, 2.0, 0.0, 0.5, 20, 1.0, -1.0, np.random.default_rng(0))
    t = 0.5 * np.arange(21)
    # 20 steps, each with a few roundings
    within(float(np.max(np.abs(path[:, 0] - oscillator.response(t, 1.0, 0.8, 2.0, 1.0, -1.0)))), 1e-13)
    within(float(np.max(np.abs(path[:, 1] - oscillator.velocity(t, 1.0, 0.8, 2.0, 1.0, -1.0)))), 1e-13)


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
        (lambda: oscillator.response(1.0, 1, 1, 0, 1), "stiffness"),
        (lambda: oscillator.response(1.0, 1, 1, 1, float("nan")), "e0"),
        (lambda: oscillator.response(1.0, 1, 1, 1, 1, float("inf")), "v0"),
        (lambda: oscillator.response(1.0, 1, 1e150, 1, 1), "damping"),
        (lambda: oscillator.response(1.0, 1, [1, 1e150], 1, 1), "damping"),
        (lambda: oscillator.velocity(1.0, -1, 1, 1, 1), "mass"),
        (lambda: oscillator.velocity(-1.0, 1, 1, 1, 1), "t"),
        (lambda: oscillator.natural_frequency(1, -1), "stiffness"),
        (lambda: oscillator.poles(1, float("inf"), 1), "damping"),
        (lambda: oscillator.inflection_time(0, 1, 1), "mass"),
        (lambda: oscillator.overshoot(1, 1, -1), "stiffness"),
        (lambda: oscillator.stationary_variance(1.0, 1.0, -1.0), "noise_intensity"),
        (lambda: oscillator.stationary_variance(1.0, 1.0, 1.0, 0), "group_size"),
        (lambda: oscillator.stationary_covariance(0.0, 1.0, 1.0, 1.0), "mass"),
        (lambda: oscillator.step(1, 1, 1, 1, -1.0), "time"),
        (lambda: oscillator.step(0, 1, 1, 1, 1.0), "mass"),
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


def test_no_branch_warns_where_numpy_is_told_to_raise() -> None:
    """What overflows or underflows on the way to a right answer is the function's own business."""
    with np.errstate(over="raise", under="raise", invalid="raise", divide="raise"):
        for zeta in (-0.9, -0.5, 0.0, 0.3, 1 - 1e-15, 1.0, 1 + 1e-15, 3.0, 1e6):
            for t in (0.0, 1e-9, 1.0, 1e3, 1e6):
                oscillator.response(t, 1.0, 2 * zeta, 1.0, 1.0)
            oscillator.inflection_time(1.0, 2 * zeta, 1.0)
            oscillator.overshoot(1.0, 2 * zeta, 1.0)
        assert float(oscillator.overshoot(1.0, -2 * (1 - 1e-9), 1.0)) == np.inf
        assert float(oscillator.overshoot(1.0, 2 * (1 - 1e-9), 1.0)) == 0
        assert float(oscillator.response(1e6, 1.0, 1.0, 1.0, 1.0)) == 0
        for damping in (1.0, 2.0, 3.0):  # below the normal doubles on the way to 0
            for t in np.linspace(600, 2500, 39):
                oscillator.response(t, 1.0, damping, 1.0, 1.0)
            for t in (1355.0, 1360.0):
                oscillator.response(t, 1.0, damping, 1.0, 1e-20)


@pytest.mark.parametrize("zeta", [0.05, 0.2, 0.5, 0.75])
@pytest.mark.parametrize("extremum", range(1, 8))
def test_settling_just_inside_and_just_outside_an_extremum(zeta: float, extremum: int) -> None:
    half = np.pi / (1 - zeta**2) ** 0.5
    height = abs(float(oscillator.response(extremum * half, 1.0, 2 * zeta, 1.0, 1.0)))
    for band in (height, np.nextafter(height, 0), height * (1 - 1e-15), height * (1 - 1e-12)):
        # e is flat there: a band short by a few roundings is left within sqrt(1e-12) of the extremum, or before
        # the one after it; a band as high as the extremum may be left at the crossing before it
        found = oscillator.settling_time(1.0, 2 * zeta, 1.0, float(band))
        earliest = extremum - 1 if band > height * (1 - 1e-14) else extremum
        assert earliest * half < found * (1 + 1e-5)
        assert found < (extremum + 0.01) * half
        later = np.linspace(found * (1 + 1e-6), found + 3 * half, 1001)
        assert float(np.max(np.abs(oscillator.response(later, 1.0, 2 * zeta, 1.0, 1.0)))) <= height * (1 + 1e-14)
    inside = oscillator.settling_time(1.0, 2 * zeta, 1.0, height * (1 + 1e-9))
    assert (extremum - 1) * half < inside < (extremum - 0.001) * half * (1 - 1e-5)


@pytest.mark.parametrize("damping", [0.4, 2.0, 3.0])
@pytest.mark.parametrize("band", [0.9, 0.5, 0.05, 1e-6])
def test_settling_scales_with_the_unit_of_time(damping: float, band: float) -> None:
    slow = oscillator.settling_time(1.0, damping, 1.0, band)
    for unit in (2.0**-10, 2.0**10):  # powers of two: all but the root finder's own 1e-14 is exact
        scaled = oscillator.settling_time(unit**2, damping * unit, 1.0, band)
        within(scaled / unit / slow - 1, 1e-12)


def test_the_deepest_band_is_reached() -> None:
    """At zeta = 1 the last crossing solves (1 + x) exp(-x) = band: over 100 rounds in units far from 1."""
    for scale in (1.0, 1e35, 1e100):
        x = scale * oscillator.settling_time(1 / scale, 2.0, scale, 1e-290)
        within(x - np.log1p(x) + float(np.log(1e-290)), 1e-12 * x, "exponent")
