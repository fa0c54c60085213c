"""`reference.laws` against 50-digit formulas, their derivatives, quadrature and one another."""

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import laws, mean_field, oscillator
from reference.fixed_point import critical_beta, fixed_points
from reference.flow import flow
from reference.laws import LAWS, Law
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = np.finfo(float).eps
REWARD = st.floats(-2, 2)
RATE = st.floats(-4, 0).map(lambda x: 10**x)
ZETA = st.one_of(
    st.sampled_from([0.0, 0.5, 1 - 1e-9, 1 - 1e-15, 1.0, np.nextafter(1, 2), 1 + 1e-12, 1 + 1e-6, 1e4, 1e6]),
    st.floats(0, 3),
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
    "single_exponential": lambda t, r0, r, a: r - (r - r0) * mp.exp(-a * t),
    "single_exponential_from_zero": lambda t, r, a: r * (1 - mp.exp(-a * t)),
    "critically_damped": lambda t, r0, r, w: r - (r - r0) * (1 + w * t) * mp.exp(-w * t),
    "critically_damped_from_zero": lambda t, r, w: r * (1 - (1 + w * t) * mp.exp(-w * t)),
    "second_order": lambda t, r0, r, w, z: r - (r - r0) * rest_response(w * t, z),
}
DRAWS = {"R_0": REWARD, "R_inf": REWARD, "rate": RATE, "omega_n": RATE, "zeta": ZETA}


def theta_of(data: st.DataObject, law: Law) -> list[float]:
    return [data.draw(DRAWS[p.name], p.name) for p in law.parameters]


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data(), x=X)
def test_linear_laws_against_fifty_digits(name: str, data: st.DataObject, x: float) -> None:
    law, formula = LAWS[name], FORMULAS[name]
    theta = theta_of(data, law)
    scale = next(v for p, v in zip(law.parameters, theta, strict=True) if p.unit == "1/step")
    t = x / scale
    with mp.workdps(60):
        exact = formula(mp.mpf(t), *map(mp.mpf, theta))
        # values up to 4; an exponent or phase of up to 320 carries 3 roundings
        bound = 4 * (10 + 3 * min(x, 700)) * EPS
        within(float(mp.mpf(float(law(t, *theta))) - exact), bound)
        found = law.gradient(t, *theta)
        for i, parameter in enumerate(law.parameters):
            where = list(map(mp.mpf, theta))
            if parameter.name == "zeta" and theta[i] < 1e-9:
                continue  # one-sided: see below
            step = mp.mpf(10) ** -20 * max(abs(where[i]), mp.mpf(10) ** -4)
            ends = [formula(mp.mpf(t), *where[:i], where[i] + s * step, *where[i + 1 :]) for s in (1, -1)]
            slope = (ends[0] - ends[1]) / (2 * step)
            # central difference: step^2 times a third derivative, below 1e-25 of the terms at hand. By a rate R
            # moves at most 4 t per unit, by zeta at most x^3 exp(-x) or x/zeta; the phase as above
            size = {"reward": 1.0, "1/step": 4 * t, "": 4 * min(x, 1) ** 3 * max(1.0, x)}[parameter.unit]
            within(float(mp.mpf(float(found[i])) - slope), bound * size + 1e-18)


@pytest.mark.parametrize("name", ["critically_damped_from_zero", "single_exponential_from_zero"])
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
def test_damping_slope_against_fifty_digits(x: float, zeta: float) -> None:
    with mp.workdps(80):
        z, y = mp.mpf(zeta), mp.mpf(x)
        # exp(-zeta x) x (cosh r - sinh(r)/r)/(zeta^2 - 1), r = x sqrt(zeta^2 - 1), or its limit x^3/3
        r = mp.sqrt(mp.mpc(z**2 - 1)) * y
        exact = mp.exp(-z * y) * y**3 * (mp.re((mp.cosh(r) - mp.sinh(r) / r) / r**2) if r else mp.mpf(1) / 3)
        size = exact
        if zeta < 1:  # the envelope
            size = mp.exp(-z * y) * min(y**3, y / (1 - z**2))
        if size < 1e-280:
            return
        # the derivative is that of the response
        step = mp.mpf(10) ** -25
        slope = (rest_response(y, z + step) - rest_response(y, z - step)) / (2 * step)
        assert abs(slope - exact) < 1e-20 * max(1, abs(exact))
        # an exponent of up to 650 or a phase of up to 320 carries 3 roundings
        within(
            float((mp.mpf(float(laws.damping_slope(x, zeta))) - exact) / size),
            (30 + 3 * min(650, x * (1 + zeta))) * EPS,
        )


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
        (laws.critically_damped(t, 0.0, 0.9, 0.3), laws.critically_damped_from_zero(t, 0.9, 0.3)),
        (laws.single_exponential(t, 0.0, 0.9, 0.3), laws.single_exponential_from_zero(t, 0.9, 0.3)),
        (laws.mean_field(t, 0.2, 0.9, 0.0), laws.mean_field_free(t, 0.2, 0.9)),
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


@given(p_0=P, kappa=st.floats(0.01, 3), beta=st.floats(0, 3))
def test_mean_field_agrees_with_the_flow_in_the_logit(p_0: float, kappa: float, beta: float) -> None:
    t = np.linspace(0, 30, 40)
    # both integrate the same drift, that one in another coordinate and to 1e-10 a step
    within(float(np.max(np.abs(laws.mean_field(t, p_0, kappa, beta) - flow(t, p_0, p_0, beta, kappa)))), 5e-8)


def test_mean_field_without_penalty_inflects_at_one_half() -> None:
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
    assert len(LAWS) == 7
    for name, law in LAWS.items():
        assert law.name == name
        assert law is getattr(laws, name)
        assert all(p.low < p.high and p.meaning for p in law.parameters)


BAD = [
    ("single_exponential", (0, 1, -1), "rate"),
    ("single_exponential", (float("nan"), 1, 1), "R_0"),
    ("single_exponential", (0, float("inf"), 1), "R_inf"),
    ("single_exponential", (0, 1), "theta"),
    ("single_exponential_from_zero", (1, 0), "rate"),
    ("critically_damped", (0, 1, 0), "omega_n"),
    ("critically_damped_from_zero", (1, float("nan")), "omega_n"),
    ("second_order", (0, 1, 1, -0.1), "zeta"),
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
        (lambda: mean_field.solve(-1.0, 0.5, 1, 1), "t"),
        (lambda: mean_field.solve(1.0, 2.0, 1, 1), "p_0"),
        (lambda: mean_field.solve(1.0, 0.5, -1.0, 1), "kappa"),
        (lambda: mean_field.solve(1.0, 0.5, 1, float("nan")), "beta"),
    ],
)
def test_bad_input_names_the_argument_and_its_domain(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} = .*; expected"):
        call()
