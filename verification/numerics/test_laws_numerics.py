"""`reference.laws` against 50-digit formulas, their derivatives, quadrature and one another."""

import re
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Integer, Symbol, sqrt
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

from reference import laws, mean_field, oscillator
from reference.drift import class_rate, stiffness
from reference.fixed_point import critical_beta, fixed_points
from reference.flow import flow, free_flow
from reference.laws import LAWS, Law
from spec.claim import Property
from spec.saturation import CLAIMS
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = np.finfo(float).eps
REWARD = st.floats(-2, 2)
RATE = st.floats(-4, 0).map(lambda x: 10**x)
ZETA = st.one_of(
    st.sampled_from(
        [
            -1 + 1e-15,
            -1 + 1e-9,
            -0.5,
            0.0,
            0.5,
            1 - 1e-9,
            1 - 1e-15,
            1.0,
            np.nextafter(1, 2),
            1 + 1e-12,
            1 + 1e-6,
            1e4,
            1e6,
        ]
    ),
    st.floats(-0.999, 3),
    st.floats(0, 6).map(lambda x: 10**x),
)
X = st.floats(-6, 2.5).map(lambda x: 10**x)


def rest_response(x: mp.mpf, zeta: mp.mpf) -> mp.mpf:
    """h of h'' + 2 zeta h' + h = 0 from rest at 1, by its poles."""
    root = mp.sqrt(mp.mpc(zeta**2 - 1))
    if root == 0:
        return (1 + x) * mp.exp(-x)
    p, q = -zeta + root, -zeta - root
    return mp.re((p * mp.exp(q * x) - q * mp.exp(p * x)) / (p - q))


FORMULAS: dict[str, Callable[..., Any]] = {
    "saturation": lambda t, r, big_t: r * (1 - mp.exp(-t / big_t)),
    "single_exponential": lambda t, r0, r, a: r - (r - r0) * mp.exp(-a * t),
    "single_exponential_from_zero": lambda t, r, a: r * (1 - mp.exp(-a * t)),
    "critically_damped": lambda t, r0, r, w: r - (r - r0) * (1 + w * t) * mp.exp(-w * t),
    "critically_damped_from_zero": lambda t, r, w: r * (1 - (1 + w * t) * mp.exp(-w * t)),
    "second_order": lambda t, r0, r, w, z: r - (r - r0) * rest_response(w * t, z),
}
DRAWS = {"R_0": REWARD, "R_inf": REWARD, "rate": RATE, "omega_n": RATE, "zeta": ZETA, "T": RATE.map(lambda x: 1 / x)}


def envelope(x: float, zeta: float) -> tuple[float, float]:
    """What h and dh/dzeta may grow to below zeta = 0: the envelope of the oscillation, and its slope by zeta."""
    if zeta >= 0:
        return 1.0, min(x, 1) ** 3 * max(1.0, x)  # x^3 exp(-x) or x/zeta
    gap, growth = (1 - zeta) * (1 + zeta), float(np.exp(-zeta * x))
    return growth * (1 + min(x, gap**-0.5)), growth * min(x**3, x / gap)


def theta_of(data: st.DataObject, law: Law) -> list[float]:
    return [data.draw(DRAWS[p.name], p.name) for p in law.parameters]


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data(), x=X)
def test_linear_laws_against_fifty_digits(name: str, data: st.DataObject, x: float) -> None:
    law, formula = LAWS[name], FORMULAS[name]
    theta = theta_of(data, law)
    named = dict(zip((p.name for p in law.parameters), theta, strict=True))
    t = x * named["T"] if "T" in named else x / named.get("rate", named.get("omega_n", 1.0))
    size, by_zeta = envelope(x, named.get("zeta", 0.0))
    with mp.workdps(60):
        exact = formula(mp.mpf(t), *map(mp.mpf, theta))
        # values up to 4 times the envelope; an exponent or phase of up to 320 carries 3 roundings
        bound = 4 * (10 + 3 * min(x, 700)) * EPS
        within(float(mp.mpf(float(law(t, *theta))) - exact), bound * size)
        found = law.gradient(t, *theta)
        for i, parameter in enumerate(law.parameters):
            where = list(map(mp.mpf, theta))
            step = mp.mpf(10) ** -20 * max(abs(where[i]), mp.mpf(10) ** -4)
            ends = [formula(mp.mpf(t), *where[:i], where[i] + s * step, *where[i + 1 :]) for s in (1, -1)]
            slope = (ends[0] - ends[1]) / (2 * step)
            # central difference: step^2 = 1e-48 or less times a third derivative, at most (1e4 x)^3 of the terms at
            # hand. By a rate R moves at most 4 t per unit, by T at most 4 x/T, by zeta as its envelope does
            unit = {"reward": size, "1/step": 4 * t * size, "step": 4 * x**2 / t, "": 4 * by_zeta}[parameter.unit]
            within(float(mp.mpf(float(found[i])) - slope), bound * unit + 1e-18 * size)


@pytest.mark.parametrize("name", ["critically_damped_from_zero", "single_exponential_from_zero", "saturation"])
@given(x=st.floats(-12, 0).map(lambda x: 10**x))
def test_a_start_at_zero_keeps_its_digits(name: str, x: float) -> None:
    with mp.workdps(60):
        exact = FORMULAS[name](mp.mpf(x), mp.mpf(0.7), mp.mpf(1))
        within(
            float(mp.mpf(float(LAWS[name](x, 0.7, 1.0))) / exact - 1), 40 * EPS
        )  # a series of terms that fall at once


def test_the_textbook_forms_do_not() -> None:
    x = 3e-10
    assert abs((1 - (1 + x) * np.exp(-x)) / (x**2 / 2) - 1) > 0.1
    assert abs((1 - np.exp(-x)) / x - 1) > 1e-8


@given(x=X, zeta=ZETA)
@example(x=300.0, zeta=1.00000159731228)  # where zeta^2 - 1, formed as it stands, costs 4000 roundings
@example(x=300.0, zeta=1.0000040753929658)
@example(x=0.7, zeta=-0.99999)
@example(x=5.0, zeta=0.5)  # each of the three forms, well inside its range
@example(x=9.0, zeta=-0.3)
@example(x=5.0, zeta=1.2)
@example(x=5.0, zeta=3.0)
def test_damping_slope_against_fifty_digits(x: float, zeta: float) -> None:
    with mp.workdps(80):
        z, y = mp.mpf(zeta), mp.mpf(x)
        # exp(-zeta x) x (cosh r - sinh(r)/r)/(zeta^2 - 1), r = x sqrt(zeta^2 - 1), or its limit x^3/3
        r = mp.sqrt(mp.mpc(z**2 - 1)) * y
        exact = mp.exp(-z * y) * y**3 * (mp.re((mp.cosh(r) - mp.sinh(r) / r) / r**2) if r else mp.mpf(1) / 3)
        size = exact
        if zeta < 1:  # the envelope
            size = mp.exp(-z * y) * min(y**3, y / (1 - z**2))
        if not 1e-280 < size < 1e280:
            return
        # the derivative is that of the response
        step = mp.mpf(10) ** -25
        slope = (rest_response(y, z + step) - rest_response(y, z - step)) / (2 * step)
        # 80 digits, of which the poles' difference and the step take 40
        assert abs(slope - exact) < 1e-20 * max(1, abs(exact), size)
        # an exponent of up to 650 or a phase of up to 320 carries 3 roundings
        within(
            float((mp.mpf(float(laws.damping_slope(x, zeta))) - exact) / size),
            (30 + 3 * min(650, x * (1 + abs(zeta)))) * EPS,
        )


def test_the_slope_by_damping_warns_of_nothing_on_its_way_to_zero() -> None:
    with np.errstate(all="raise"):
        for zeta in (0.5, 1.0, 1.0 + 1e-9, 3.0):
            for x in np.linspace(600, 5000, 89):
                assert 0 <= abs(float(laws.damping_slope(x, zeta))) < 1e-40


def test_without_a_rise_the_shape_is_that_of_the_times() -> None:
    t = np.array([[0.0, 1.0], [5.0, 1e6]])
    assert np.array_equal(laws.second_order(t, 0.3, 0.3, 1.0, 0.5), np.full((2, 2), 0.3))
    for name, law in LAWS.items():
        assert law.gradient(t, *typical(law)).shape == (2, 2, len(law.parameters)), name
        assert law.gradient(t, *typical(law)).dtype == law(t, *typical(law)).dtype == np.float64


def test_the_slope_by_damping_without_its_series_misses_the_bound() -> None:
    """The textbook quotient divides by zeta^2 - 1 and cancels; the law passes zeta = 1 without a jump."""
    x, zeta = 1.7, 1 + 1.3e-13
    root = (zeta**2 - 1) ** 0.5
    textbook = np.exp(-zeta * x) * x * (np.cosh(root * x) - np.sinh(root * x) / (root * x)) / (zeta**2 - 1)
    exact = np.exp(-x) * x**3 / 3  # at zeta = 1; 1.3e-13 away it differs by as much
    assert abs(textbook - exact) > 1e-6
    # by zeta the columns move at most 2.2 exp(-x) per unit: x^3/3, x^3/3, x^3 - x^4/3, x^4/3 - x^5/15, times exp(-x)
    near = (
        laws.second_order.gradient(x, 0.0, 1.0, 1.0, 1.0),
        *(laws.second_order.gradient(x, 0.0, 1.0, 1.0, z) for z in (np.nextafter(1, 0), np.nextafter(1, 2), zeta)),
    )
    within(float(near[0][3] + exact), 30 * EPS)
    for other, distance in zip(near[1:], (EPS, EPS, 1.3e-13), strict=True):
        within(float(np.max(np.abs(other - near[0]))), 2.2 * np.exp(-x) * distance + 30 * EPS)


@given(zeta=st.floats(-0.99, -0.01), rise=st.sampled_from([0.0, 1.0, -2.0]))
def test_growth_beyond_doubles_is_infinite_and_without_a_rise_nothing_moves(zeta: float, rise: float) -> None:
    t = 1e6
    found, slopes = laws.second_order(t, 0.3, 0.3 + rise, 1.0, zeta), laws.second_order.gradient(t, 0.3, 0.3, 1.0, zeta)
    assert found == 0.3 if rise == 0 else np.isinf(found)
    assert slopes[2] == slopes[3] == 0
    assert np.all(np.isinf(slopes[:2]))


@given(x=st.floats(0.01, 30), zeta=st.floats(1.01, 50))
def test_the_overdamped_limit_is_the_single_exponential(x: float, zeta: float) -> None:
    t = x * 2 * zeta
    difference = laws.second_order(t, 0.0, 1.0, 1.0, zeta) - laws.single_exponential(t, 0.0, 1.0, 1 / (2 * zeta))
    # Cor. 13's rate K/C = omega_n/(2 zeta); from rest the largest gap is 1/(4 zeta^2), approached from below
    within(float(difference), 1 / (4 * zeta**2) + 10 * EPS * zeta)


def test_the_laws_meet_where_they_should() -> None:
    t = np.geomspace(1e-3, 40, 200)
    pairs = [
        (laws.second_order(t, 0.2, 0.9, 0.3, 1.0), laws.critically_damped(t, 0.2, 0.9, 0.3)),
        (laws.second_order.gradient(t, 0.2, 0.9, 0.3, 1.0)[:, :3], laws.critically_damped.gradient(t, 0.2, 0.9, 0.3)),
        (laws.critically_damped(t, 0.0, 0.9, 0.3), laws.critically_damped_from_zero(t, 0.9, 0.3)),
        (laws.single_exponential(t, 0.0, 0.9, 0.3), laws.single_exponential_from_zero(t, 0.9, 0.3)),
        (laws.saturation(t, 0.9, 1 / 0.3), laws.single_exponential_from_zero(t, 0.9, 0.3)),
        (laws.mean_field(t, 0.2, 0.9, 0.0), laws.mean_field_free(t, 0.2, 0.9)),
        (laws.mean_field(t, 0.2, 0.9, 0.0), free_flow(t, 0.2, 0.9)),
        (laws.mean_field(t, 0.2, 0.9, 1e-13), laws.mean_field_free(t, 0.2, 0.9)),
        (laws.mean_field.gradient(t, 0.2, 0.9, 1e-13), laws.mean_field.gradient(t, 0.2, 0.9, 0.0)),
    ]
    for one, other in pairs:
        within(float(np.max(np.abs(one - other))), 1e-10)  # the looser of the solver's two tolerances


def test_an_inflection_is_where_the_slope_peaks() -> None:
    t = float(oscillator.inflection_time(1.0, 3.0, 1.0))
    h = 1e-4
    ends = laws.second_order([t - h, t, t + h], 0.0, 1.0, 1.0, 1.5)
    within(float(ends[0] - 2 * ends[1] + ends[2]) / h**2, 1e-6)  # third derivative times h, and 1e-15/h^2


P = st.floats(-4, 4).map(lambda x: float(1 / (1 + np.exp(-x))))


NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def exact_flow(p_0: float, beta: float, p: float) -> tuple[float, float, float, float]:
    """Time to p at kappa = 1, and dp/dt and the derivatives of p there, by quadrature of dL/f(L) in the logit.

    24-point Gauss rules on panels that halve towards the end, where the speed f may all but vanish.
    """
    origin, end = (np.log(q / (1 - q)) for q in (p_0, p))
    edges = np.append(end - (end - origin) * 2.0 ** -np.arange(0, 40, 0.5), end)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    x = middle + half * NODES

    def speed(y: Any) -> Any:
        weight = 1 / (2 * np.cosh(y / 2))
        return weight - beta * weight**2 * (y - origin)

    weight, share = 1 / (2 * np.cosh(x / 2)), half * WEIGHTS
    time = float(np.sum(share / speed(x)))
    late = float(np.sum(share * weight**2 / speed(x) ** 2))
    moment = float(np.sum(share * weight**2 * (x - origin) / speed(x) ** 2))
    rate = float(p * (1 - p) * speed(end))  # dp/dt
    return time, rate, rate * (1 / float(speed(origin)) + beta * late) / (p_0 * (1 - p_0)), -rate * moment


@given(p_0=P, kappa=st.floats(0.01, 3), beta=st.floats(0.001, 3), s=st.floats(-2, 2).map(lambda x: 10**x))
def test_mean_field_against_quadrature(p_0: float, kappa: float, beta: float, s: float) -> None:
    t = s / kappa
    p = float(laws.mean_field(t, p_0, kappa, beta))
    time, rate, by_start, by_beta = exact_flow(p_0, beta, p)
    if rate < 1e-4 * p * (1 - p):
        return  # next to the fixed point the time from p alone is ill-conditioned: see the next test
    # an error in p is the speed times the error in time; the solver promises 1e-11, the rest is quadrature's:
    # 1e-13 of the time
    within(rate * (s - time), 1e-11 + 1e-13 * rate * s)
    found = laws.mean_field.gradient(t, p_0, kappa, beta)
    for value, exact in zip(found, (by_start, rate * t, by_beta), strict=True):
        # p's own error of 1e-11 enters the exact value over the speed, at least 1e-4
        within(float(value - exact), 1e-7 * max(1.0, abs(exact)))


def fifty_digit_time(theta: list[mp.mpf], end: mp.mpf) -> mp.mpf:
    """The time at which the flow's logit reaches `end`: quadrature of dL over dL/dt."""
    p_0, kappa, beta = theta
    origin = mp.log(p_0 / (1 - p_0))

    def pace(x: mp.mpf) -> mp.mpf:
        sigma = 1 / (2 * mp.cosh(x / 2))
        return 1 / (kappa * sigma * (1 - beta * sigma * (x - origin)))

    return mp.quad(pace, mp.linspace(origin, end, 9))


# p_0, kappa, beta, and the logit reached: half and nearly all of the way to a fixed point, past p = 1/2, to 1
JOURNEYS = [(0.2, 0.3, 1.3, -0.6), (0.3, 0.7, 3.0, -0.18), (0.05, 0.5, 0.005, 1.1), (0.6, 1.0, 0.4, 4.4)]


@pytest.mark.parametrize(("p_0", "kappa", "beta", "end"), JOURNEYS)
def test_mean_field_gradient_against_fifty_digits(p_0: float, kappa: float, beta: float, end: float) -> None:
    with mp.workdps(50):
        theta, stop = [mp.mpf(p_0), mp.mpf(kappa), mp.mpf(beta)], mp.mpf(end)
        t, p = float(fifty_digit_time(theta, stop)), 1 / (1 + mp.exp(-stop))
        sigma, rise = mp.sqrt(p * (1 - p)), stop - mp.log(theta[0] / (1 - theta[0]))
        speed = theta[1] * sigma**3 * (1 - theta[2] * sigma * rise)
        exact = []
        for i in range(3):
            step, ends = mp.mpf(10) ** -15, []
            for sign in (1, -1):
                moved = [v + sign * step * (i == j) for j, v in enumerate(theta)]
                ends.append(fifty_digit_time(moved, stop))
            exact.append(-speed * (ends[0] - ends[1]) / (2 * step))  # t(p, theta) = t, differentiated
        paces = [1 - beta * float(rise * k / 99) / 2 / np.cosh((end - float(rise * k / 99)) / 2) for k in range(100)]
        # at most 100 steps of 1e-12 |y| + 1e-13 each. In u such an error grows like the speed du/dt, which is at most
        # 1/4 and was at least `slowest`/4; once more through the variational equations that it drives
        slowest = min(paces)
        bound = 100 * 1.1e-12 / slowest**2
        within(float(mp.mpf(float(laws.mean_field(t, p_0, kappa, beta))) - p), bound)
        for found, slope in zip(laws.mean_field.gradient(t, p_0, kappa, beta), exact, strict=True):
            within(float(mp.mpf(float(found)) - slope), bound * max(1.0, *(abs(float(e)) for e in exact)))


@given(p_0=P, kappa=st.floats(0.01, 3), s=st.floats(-3, 3).map(lambda x: 10**x))
def test_mean_field_without_penalty_against_fifty_digits(p_0: float, kappa: float, s: float) -> None:
    t = s / kappa

    def exact(start: mp.mpf, rate: mp.mpf) -> mp.mpf:
        u = (start - mp.mpf(0.5)) / mp.sqrt(start * (1 - start)) + rate * mp.mpf(t) / 4
        return (1 + u / mp.sqrt(1 + u**2)) / 2

    with mp.workdps(50):
        theta, step = (mp.mpf(p_0), mp.mpf(kappa)), mp.mpf(10) ** -18
        # p moves by at most 1/5 per unit of u, of size below 4 + s/4, which takes 6 roundings
        bound = (10 + 6 * (4 + s / 4)) * EPS
        within(float(mp.mpf(float(laws.mean_field_free(t, p_0, kappa))) - exact(*theta)), bound)
        found = laws.mean_field_free.gradient(t, p_0, kappa)
        for i, unit in enumerate((1 / (p_0 * (1 - p_0)) ** 1.5, t)):  # du/dtheta, at most
            ends = [exact(*(v + sign * step * (i == j) for j, v in enumerate(theta))) for sign in (1, -1)]
            within(float(mp.mpf(float(found[i])) - (ends[0] - ends[1]) / (2 * step)), bound * unit)


@pytest.mark.parametrize("p_0", [1e-300, 1e-30, 1 - 2.0**-53])
def test_a_start_next_to_an_end_has_a_finite_gradient(p_0: float) -> None:
    for beta in (0.0, 0.7):
        found = laws.mean_field.gradient([0.0, 1.0], p_0, 1.0, beta)
        # over one unit of time u, beyond 1e7 in size, does not stir: dp/dp_0 stays 1 up to 1e-7
        within(float(np.max(np.abs(found[:, 0] - 1))), 2e-7)
        assert np.all(np.isfinite(found))


@given(p_0=st.floats(0.05, 0.6), above=st.floats(1.02, 3), late=st.sampled_from([1e4, 1e6, 1e9]))
def test_mean_field_ends_at_the_fixed_point(p_0: float, above: float, late: float) -> None:
    beta = float(critical_beta(p_0)) * above
    stable = fixed_points(p_0, beta)[0]
    p, found = mean_field.solve(late, p_0, 1.0, beta)
    within(float(p) - stable.p, 1e-11)
    h = 1e-5
    for i, change in ((0, (h, 0.0)), (2, (0.0, h))):
        ends = [fixed_points(p_0 + s * change[0], beta + s * change[1])[0].p for s in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * h)
        # central difference: h^2/6 p''', and rounding EPS/h; near the tangent p''' grows like (above - 1)^-2.5
        within(float(found[i]) - slope, 1e-8 + 1e-7 * max(1.0, abs(slope)) * (above - 1) ** -2)
    within(float(found[1]), 1e-9)  # kappa no longer matters


@given(p_0=st.floats(0.05, 0.6), above=st.floats(1.1, 3), kappa=st.floats(0.1, 2))
def test_the_rest_of_the_way_decays_at_the_stiffness(p_0: float, above: float, kappa: float) -> None:
    """dp/dkappa = t/kappa dp/dt; once settled, dp/dt decays as exp(-K t), K = -g'(p*)."""
    beta = float(critical_beta(p_0)) * above
    rate = float(stiffness(fixed_points(p_0, beta)[0].p, beta, kappa))
    times = np.array([30.0, 40.0]) / rate
    found = mean_field.solve(times, p_0, kappa, beta)[1][1]
    # linear from 1e-9 of the way on: K is wrong by a few 1e-9 of itself, the more so the closer the tangent
    within(float(found[1] / found[0] / (4 / 3) * np.exp(10)) - 1, 1e-6)


@given(p_0=P, kappa=st.floats(0.01, 3), beta=st.floats(0, 3))
def test_mean_field_agrees_with_the_flow_in_the_logit(p_0: float, kappa: float, beta: float) -> None:
    t = np.linspace(0, 30, 40)
    # both integrate the same drift, that one in another coordinate and to 1e-10 a step
    within(float(np.max(np.abs(laws.mean_field(t, p_0, kappa, beta) - flow(t, p_0, p_0, beta, kappa)))), 5e-8)


def test_mean_field_keeps_decaying_where_the_linear_approach_takes_over() -> None:
    p_0, beta, times = 0.3, 3.0, np.arange(20.0, 33.0, 2.0)
    left = float(mean_field.solve(1e6, p_0, 1.0, beta)[0]) - mean_field.solve(times, p_0, 1.0, beta)[0]
    assert left[0] > 1e-8 > left[3] > left[-1]  # both sides of the 1e-9 at which it does
    assert left[4] > 5e-11
    rate = float(stiffness(fixed_points(p_0, beta)[0].p, beta))
    # p is good to 1e-11, which is at most a fifth of what is left at either end of a step
    within(float(np.max(np.abs(np.diff(np.log(left[:5])) + 2 * rate))), 0.4)


@pytest.mark.parametrize("p_0", [0.3, 0.7])
def test_mean_field_under_an_overwhelming_penalty_relaxes_at_once(p_0: float) -> None:
    """u - u_0 = (1 - e^{-r s})/(4 r) with r = beta p_0 (1 - p_0): of order 1/beta, and the next order is its square."""
    beta, kappa = 1e10, 1.3
    rate = beta * p_0 * (1 - p_0)  # 1/(1 + u_0^2) = 4 p_0 (1 - p_0)
    t = np.array([0.0, 0.5, 1.0, 3.0, 1e12]) / rate / kappa
    p, (_, by_kappa, _) = mean_field.solve(t, p_0, kappa, beta)
    slope = 4 * (p_0 * (1 - p_0)) ** 1.5
    way = slope * -np.expm1(-rate * kappa * t) / (4 * rate)
    within(float(np.max(np.abs(p - p_0 - way))), 2 * EPS)  # rounding of p
    exact = slope / 4 * np.exp(-rate * kappa * t) * t
    within(float(np.max(np.abs(by_kappa - exact))), 1e-8 * float(exact.max()))


def test_mean_field_slope_in_the_penalty_has_a_limit() -> None:
    t, beta = np.array([0.0, 0.5, 3.0, 20.0]), 1e-6
    for p_0 in (0.2, 0.6):
        free, near = (mean_field.solve(t, p_0, 0.9, b)[1] for b in (0.0, beta))
        within(float(np.max(np.abs(free[0][0] - 1))), 4 * EPS)  # dp/dp_0 at t = 0
        # d2p/dbeta2 is below 1 + t^2 in size: |du/ds| <= 1/4, and the pull of unit size lasts t
        assert np.all(np.abs(near[2] - free[2]) <= beta * (1 + t**2) + 1e-8 * np.abs(free[2]).max())
        assert np.all(free[2][1:] < 0.0)
        assert [x[0] for x in near[1:]] == [0.0, 0.0]
        assert near[0][0] == pytest.approx(1.0, abs=4 * EPS)


def test_mean_field_of_no_time_at_all_is_empty() -> None:
    p, slopes = mean_field.solve(np.zeros((0, 2)), 0.3, 1.0, 1.0)
    assert p.shape == (0, 2)
    assert [x.shape for x in slopes] == [(0, 2)] * 3


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_mean_field_names_a_time_beyond_the_doubles(beta: float) -> None:
    with pytest.raises(ValueError, match=r"^kappa = 10000000000\.0, t = 1e\+300; expected a product below 1\.8e308$"):
        mean_field.solve([1.0, 1e300], 0.5, 1e10, beta)


def test_mean_field_without_penalty_inflects_at_one_half() -> None:
    assert laws.mean_field_free([0.0, 1e12, 1e200], 0.1, 1.0)[1:] == pytest.approx([1.0, 1.0], abs=EPS)
    p_0, kappa = 0.1, 0.02
    t = -4 * (p_0 - 0.5) / (p_0 * (1 - p_0)) ** 0.5 / kappa
    within(float(laws.mean_field_free(t, p_0, kappa)) - 0.5, 10 * EPS)
    slope = [float(np.diff(laws.mean_field_free([x, x + 1e-3], p_0, kappa))[0]) for x in (0.9 * t, t, 1.1 * t)]
    assert slope[1] > slope[0]
    assert slope[1] > slope[2]


@given(p_0=P, kappa=st.floats(0.01, 3), s=st.floats(-2, 3).map(lambda x: 10**x))
def test_mean_field_free_solves_its_equation(p_0: float, kappa: float, s: float) -> None:
    t, h = s / kappa, 1e-5 * s / kappa
    ends = laws.mean_field_free([t - h, t + h], p_0, kappa)
    p = float(laws.mean_field_free(t, p_0, kappa))
    # central difference: (1e-5 s)^2/6 of a third derivative below 1, and one rounding over h
    within(float(ends[1] - ends[0]) / (2 * h) / kappa - (p * (1 - p)) ** 1.5, 1e-9 + 4 * EPS / (1e-5 * s))


def test_order_shape_and_size_do_not_matter() -> None:
    t = np.array([[30.0, 0.0, 4.0], [4.0, 900.0, 1.0]])
    for law, theta in ((laws.mean_field, (0.2, 0.4, 1.3)), (laws.second_order, (0.1, 0.9, 0.2, 1.2))):
        whole, slopes = law(t, *theta), law.gradient(t, *theta)
        assert whole.shape == (2, 3)
        assert slopes.shape == (2, 3, len(theta))
        assert whole[0, 2] == whole[1, 0]
        assert law(7.0, *theta).shape == ()
        assert law([], *theta).shape == (0,)
        assert law.gradient([], *theta).shape == (0, len(theta))
        # one time alone takes other solver steps: the promise, twice
        within(float(law(4.0, *theta)) - whole[0, 2], 2e-11)
    assert laws.mean_field(0.0, 0.2, 0.4, 1.3) == pytest.approx(0.2, abs=4 * EPS)
    assert laws.mean_field.gradient(0.0, 0.2, 0.4, 1.3) == pytest.approx([1.0, 0.0, 0.0], abs=1e-14)


@pytest.mark.parametrize("name", ["mean_field", "mean_field_free"])
@given(data=st.data())
@settings(max_examples=20)
def test_gradients_of_the_flow_are_finite_differences(name: str, data: st.DataObject) -> None:
    law = LAWS[name]
    theta = [data.draw(st.floats(0.1, 0.9)), data.draw(st.floats(0.1, 1)), data.draw(st.floats(0.1, 1))]
    theta = theta[: len(law.parameters)]
    t, h = np.array([0.5, 3.0, 10.0]), 1e-4
    found = law.gradient(t, *theta)
    for i in range(len(theta)):
        up, down = list(theta), list(theta)
        up[i] += h
        down[i] -= h
        slope = (law(t, *up) - law(t, *down)) / (2 * h)
        # h^2/6 of a third derivative, below 6000 at p_0 = 0.1 and t = 10; 1e-11/h of the solver
        within(float(np.max(np.abs(slope - found[:, i]))), 1e-5)


def test_every_law_is_listed_and_described() -> None:
    assert len(LAWS) == 8
    assert laws.second_order.parameters[3].low == -1
    for name, law in LAWS.items():
        assert law.name == name
        assert law is getattr(laws, name)
        assert all(p.low < p.high and p.meaning for p in law.parameters)


TYPICAL = {"R_0": 0.25, "R_inf": 0.875, "rate": 0.03, "omega_n": 0.05, "zeta": 1.4, "T": 30.0}
TYPICAL |= {"p_0": 0.3, "kappa": 0.07, "beta": 0.9}


def typical(law: Law, **changed: float) -> list[float]:
    return [{**TYPICAL, **changed}[p.name] for p in law.parameters]


@pytest.mark.parametrize("name", LAWS)
def test_units_are_those_in_which_the_law_scales(name: str) -> None:
    """R in other units of reward and time is R of the parameters in those units, as each of them says."""
    law, t = LAWS[name], np.array([0.0, 3.0, 40.0, 200.0])
    of_reward = 4.0 if law.parameters[0].name.startswith("R") else 1.0  # a probability has a unit of its own
    of_time = 8.0
    factor = {"reward": of_reward, "step": of_time, "1/step": 1 / of_time, "": 1.0}
    theta = typical(law)
    other = [value * factor[p.unit] for value, p in zip(theta, law.parameters, strict=True)]
    # powers of two scale without rounding
    assert np.array_equal(law(of_time * t, *other), of_reward * law(t, *theta))
    slopes = law.gradient(of_time * t, *other), law.gradient(t, *theta)
    for i, p in enumerate(law.parameters):
        assert np.array_equal(slopes[0][:, i], slopes[1][:, i] * (of_reward / factor[p.unit])), p.name


MASS, DAMPING, STIFFNESS = 9.0, 7.0, 0.25


def by_formula(text: str, **named: float) -> float:
    """What a formula in words' notation, such as C / (2 sqrt(K M)), comes to."""
    rules = (*standard_transformations, implicit_multiplication)
    known = {**{name: Symbol(name, positive=True) for name in named}, "sqrt": sqrt}
    formula = parse_expr(text, local_dict=known, transformations=rules, global_dict={"Integer": Integer})
    assert {str(x) for x in formula.free_symbols} <= set(named), text
    return float(formula.subs({known[name]: value for name, value in named.items()}))


@pytest.mark.parametrize(
    ("name", "lead", "exact"),
    [
        ("rate", "lambda = ", STIFFNESS / DAMPING),
        ("omega_n", "", float(oscillator.natural_frequency(MASS, STIFFNESS))),
        ("zeta", "damping ratio ", DAMPING / (2 * (STIFFNESS * MASS) ** 0.5)),
        ("T", "relaxation time ", DAMPING / STIFFNESS),
        ("kappa", "learning rate times ", class_rate(3, 8)),
    ],
)
def test_the_formula_in_a_meaning_is_the_parameter(name: str, lead: str, exact: float) -> None:
    meanings = {p.meaning for law in LAWS.values() for p in law.parameters if p.name == name}
    assert len(meanings) == 1
    text = meanings.pop()
    assert text.startswith(lead)
    formula = re.split("[,;]", text.removeprefix(lead))[0]
    named = {"M": MASS, "C": DAMPING, "K": STIFFNESS} if name != "kappa" else {"m": 3.0, "n": 8.0}
    within(by_formula(formula, **named) / exact - 1, 10 * EPS)


def test_the_parameters_of_the_second_order_are_those_of_its_oscillator() -> None:
    t = np.linspace(0, 200, 41)
    for damping in (7.0, 3.0, 1.0):
        omega, zeta = (STIFFNESS / MASS) ** 0.5, damping / (2 * (STIFFNESS * MASS) ** 0.5)
        exact = 0.9 - 0.7 * oscillator.response(t, MASS, damping, STIFFNESS, 1.0)
        # both to 1e-12, omega t to 3 roundings: the response moves at most 1 per unit of it
        within(float(np.max(np.abs(laws.second_order(t, 0.2, 0.9, omega, zeta) - exact))), 2e-12)


def test_a_level_is_where_its_meaning_says() -> None:
    seen = []
    for name, law in LAWS.items():
        for i, p in enumerate(law.parameters):
            theta = typical(law)
            if p.meaning.endswith("at t = 0"):
                within(float(law(0.0, *theta)) - theta[i], 4 * EPS)
                seen.append((name, p.name))
            if p.meaning.startswith("plateau, p* of Assumption 1"):
                within(float(law(1e5, *theta)) - theta[i], 4 * EPS)  # exp(-500) at least
                seen.append((name, p.name))
    starts = {name for name, level in seen if level in ("R_0", "p_0")}
    assert starts == {name for name in LAWS if "from_zero" not in name and name != "saturation"}
    assert {name for name, level in seen if level == "R_inf"} == {n for n in LAWS if "mean_field" not in n}
    for name in set(LAWS) - starts:
        assert LAWS[name](0.0, *typical(LAWS[name])) == 0


def test_a_heavy_kl_term_holds_the_policy_at_its_reference() -> None:
    assert laws.mean_field.parameters[2].meaning == "weight of the KL term"
    assert laws.mean_field.parameters[0].meaning.startswith("success probability of the reference policy")
    # at the fixed point beta (L - L_0) = 1/sigma: p - p_0 = sigma/beta, to first order in 1/beta
    beta, sigma = 1e4, (0.3 * 0.7) ** 0.5
    within((float(laws.mean_field(1e3, 0.3, 1.0, beta)) - 0.3) * beta / sigma - 1, 10 / beta)


def test_every_law_names_the_equation_of_its_claim() -> None:
    found = {}
    for claim in CLAIMS:
        for step in claim.steps:
            if isinstance(step, Property) and step.says.startswith("reference.laws."):
                found[step.says.rpartition(".")[2]] = claim.cites[0].number
    assert set(found) >= {"single_exponential", "critically_damped"}
    for name, place in found.items():
        assert LAWS[name].source.startswith(place.replace("Equation", "Eq."))
    assert laws.saturation.source == laws.single_exponential_from_zero.source.split(",")[0]
    assert laws.second_order.source == "Prop. 14"
    assert laws.mean_field.source.startswith("Assumption 1,")
    assert laws.mean_field_free.source.startswith("the same without KL")


def test_a_wrong_number_of_parameters_is_told_with_their_names() -> None:
    for law in LAWS.values():
        names = ", ".join(p.name for p in law.parameters)
        for theta in ((), (*typical(law), 0.5)):
            with pytest.raises(ValueError, match=re.escape(f"expected {len(law.parameters)} parameters: {names}")):
                law(1.0, *theta)
    with pytest.raises(ValueError, match=re.escape("expected 3 parameters: R_0, R_inf, rate")):
        laws.single_exponential(1.0, 0.5)


def test_an_unbounded_level_has_no_closed_end() -> None:
    for law in LAWS.values():
        for p in law.parameters:
            assert type(p.closed) is bool
            assert not (p.closed and np.isinf(p.low))
            assert p.closed == (p.name == "beta")  # the gradient there is one-sided


BAD = [
    ("single_exponential", (0, 1, -1), "rate"),
    ("single_exponential", (float("nan"), 1, 1), "R_0"),
    ("single_exponential", (0, float("inf"), 1), "R_inf"),
    ("single_exponential", (0, 1), "theta"),
    ("single_exponential_from_zero", (1, 0), "rate"),
    ("critically_damped", (0, 1, 0), "omega_n"),
    ("critically_damped_from_zero", (1, float("nan")), "omega_n"),
    ("saturation", (1, 0), "T"),
    ("saturation", (1, -2.0), "T"),
    ("saturation", (float("nan"), 1), "R_inf"),
    ("second_order", (0, 1, 1, -1), "zeta"),
    ("second_order", (0, 1, 1, -2.0), "zeta"),
    ("second_order", (0, 1, 1, float("nan")), "zeta"),
    ("second_order", (0, 1, 1, 1e200), "zeta"),
    ("second_order", (0, 1, 1, 1, 1), "theta"),
    ("second_order", (0, 1, -1, 0.1), "omega_n"),
    ("mean_field", (0, 1, 1), "p_0"),
    ("mean_field", (1, 1, 1), "p_0"),
    ("mean_field", (0.5, 0, 1), "kappa"),
    ("mean_field", (0.5, 1, -1), "beta"),
    ("mean_field_free", (0.5, float("inf")), "kappa"),
]


@pytest.mark.parametrize(("name", "theta", "argument"), BAD)
def test_bad_parameters_name_the_argument_and_its_domain(name: str, theta: tuple[float, ...], argument: str) -> None:
    for call in (LAWS[name], LAWS[name].gradient):
        with pytest.raises(ValueError, match=rf"^{argument} = .*; expected"):
            call([1.0], *theta)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: laws.second_order(-1.0, 0, 1, 1, 1), "t"),
        (lambda: laws.mean_field.gradient([float("nan")], 0.5, 1, 1), "t"),
        (lambda: laws.damping_slope(-1.0, 1.0), "x"),
        (lambda: laws.damping_slope(1.0, -1.0), "zeta"),
        (lambda: laws.damping_slope(1.0, [1.0, float("inf")]), "zeta"),
        (lambda: mean_field.solve(-1.0, 0.5, 1, 1), "t"),
        (lambda: mean_field.solve(1.0, 2.0, 1, 1), "p_0"),
        (lambda: mean_field.solve(1.0, 0.5, -1.0, 1), "kappa"),
        (lambda: mean_field.solve(1.0, 0.5, 1, float("nan")), "beta"),
    ],
)
def test_bad_input_names_the_argument_and_its_domain(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} = .*; expected"):
        call()
