"""Stationary variance, finite-group drift and early slopes against the reference implementations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import drift, fixed_point, flow, group, lag, momentum, oscillator
from spec import fluctuation as said
from spec.symbols import C_eff, D, G, K_eff, a, beta, eta, mu, p
from verification.evidence import kill, within
from verification.strategies import momenta

EPS = float(np.finfo(float).eps)
DECADES = st.floats(-3.0, 3.0).map(lambda x: 10.0**x)
PROBABILITIES = st.floats(0.001, 0.999)
SIZES = st.integers(2, 64)

_variance: Callable[..., float] = sp.lambdify((D, G, C_eff, K_eff), said.VARIANCE_12, "math")


def same_variance(noise: float, size: float, mass: float, damping: float, stiffness: float, factor: float) -> None:
    covariance = oscillator.stationary_covariance(mass, damping, stiffness, noise, size)
    # four roundings on either side
    within(float(covariance[0, 0]) / (factor * _variance(noise, size, damping, stiffness)) - 1, 8 * EPS)


@pytest.mark.claim("prop-10", step="reference-covariance", kind="property")
@given(noise=DECADES, size=st.integers(1, 1024), mass=DECADES, damping=DECADES, stiffness=DECADES)
def test_covariance(noise: float, size: int, mass: float, damping: float, stiffness: float) -> None:
    same_variance(noise, size, mass, damping, stiffness, 1.0)


@pytest.mark.claim("prop-10", step="reference-covariance", kind="property")
@given(zeta=st.floats(0.1, 5.0), omega=st.floats(0.2, 2.0), time=st.floats(0.1, 3.0))
def test_the_exact_discrete_law_keeps_the_covariance(zeta: float, omega: float, time: float) -> None:
    c, k = 2 * zeta * omega, omega**2
    phi, noise = oscillator.step(1.0, c, k, 1.0, time)
    here = oscillator.stationary_covariance(1.0, c, k, 1.0)
    # the block exponential holds exp(+-A t); its error is EPS times its norm, squared in the product
    norm = float(np.exp((c + k + 1.0) * time))
    within(
        float(np.max(np.abs(phi @ here @ phi.T + noise - here))),
        64 * EPS * norm * max(1.0, float(np.max(here))),
        "drift of the covariance",
    )


@pytest.mark.claim("prop-10", step="reference-covariance", kind="property")
def test_a_group_of_half_the_size_is_noticed() -> None:
    same_variance(2.0, 8, 1.0, 3.0, 0.5, 1.0)
    kill("group-size-twice", lambda: same_variance(2.0, 8, 1.0, 3.0, 0.5, 2.0))


@pytest.fixture(scope="module")
def ratio() -> Callable[[float, int], float]:
    """The spec's binomial sum over sigma, in double precision."""
    functions: dict[int, Callable[[float], float]] = {}

    def value(x: float, size: int) -> float:
        if size not in functions:
            functions[size] = sp.lambdify(p, said.drift_ratio(sp.Integer(size)).doit(), "math")
        return float(functions[size](x))

    return value


def same_ratio(ours: Callable[[float, int], float], x: float, size: int, ddof: int) -> None:
    # each of at most size terms carries 2 size roundings of powers, and all are positive
    bound = 8 * size * EPS + 32 * EPS
    within(float(group.drift_ratio(x, size, ddof)) / ours(x, size) - 1, bound, "relative gap of the ratio")


@pytest.mark.claim("prop-10", step="reference-drift", kind="property")
@given(x=PROBABILITIES, size=st.sampled_from([2, 3, 4, 8, 16]))
def test_drift_ratio(ratio: Callable[[float, int], float], x: float, size: int) -> None:
    same_ratio(ratio, x, size, 0)
    assert float(group.drift_ratio(x, size)) < 1


@pytest.mark.claim("prop-10", step="reference-drift", kind="property")
def test_the_trainers_ddof_is_noticed(ratio: Callable[[float, int], float]) -> None:
    within(float(group.drift_ratio(0.5, 4)) - (3 / 8 + 3**0.5 / 4), 8 * EPS)
    within(float(group.drift_ratio(0.5, 4, 1)) - (3 / 8 + 3**0.5 / 4) * 0.75**0.5, 8 * EPS)
    kill("ddof-1", lambda: same_ratio(ratio, 0.5, 4, 1))


def below(p_ref: float, weight: float, size: int, which: int) -> None:
    limit = fixed_point.fixed_points(p_ref, weight)
    finite = fixed_point.finite_fixed_points(p_ref, weight, size)
    assert len(finite) > which, "finite groups have no such fixed point"
    assert finite[which].stability == limit[which].stability
    assert finite[which].p < limit[which].p, "the drift of finite groups vanishes before that of the limit"
    assert float(drift.drift(limit[which].p, p_ref, weight, 1.0, size)) < 0
    # the spec's drift at p*, whatever the weight, is the reference's
    here = limit[which].p
    expected = (here * (1 - here)) ** 1.5 * (float(group.drift_ratio(here, size)) - 1)
    # the root is good to a few EPS in the logit, times weight p(1-p) <= 2
    within(float(drift.drift(here, p_ref, weight, 1.0, size)) - expected, 64 * EPS, "drift at p*")


@pytest.mark.claim("prop-10", step="reference-fixed-point", kind="property")
@given(p_ref=st.floats(0.05, 0.5), weight=st.floats(1.0, 2.0), size=SIZES)
def test_the_fixed_point_moves_down(p_ref: float, weight: float, size: int) -> None:
    if fixed_point.fixed_points(p_ref, weight):
        below(p_ref, weight, size, 0)


@pytest.mark.claim("prop-10", step="reference-fixed-point", kind="property")
def test_from_one_of_eight() -> None:
    places = [fixed_point.finite_fixed_points(1 / 8, 1.0, size)[0].p for size in (2, 4, 16)]
    assert [round(x, 3) for x in places] == [0.280, 0.419, 0.497]
    assert round(fixed_point.fixed_points(1 / 8, 1.0)[0].p, 3) == 0.514
    kill("upper-point", lambda: below(1 / 8, 1.0, 4, 1))


_upper = sp.lambdify((p, G), said.upper, "math")
_lower = sp.lambdify((p, G), said.lower, "math")


def between_bounds(x: float, size: int, ddof: int) -> None:
    value = float(group.drift_ratio(x, size, ddof))
    # bounds and value are sums of terms of size <= 3 + 1/(size p (1-p)), each with a few roundings
    slack = 32 * EPS * (3 + 1 / (size * x * (1 - x)))
    within(max(value - _upper(x, size), _lower(x, size) - value, 0.0), slack, "excursion")


@pytest.mark.claim("new-finite-group-drift", step="reference-ratio", kind="property")
@given(x=PROBABILITIES, size=st.one_of(SIZES, st.integers(64, 2000)))
def test_ratio_between_its_bounds(x: float, size: int) -> None:
    between_bounds(x, size, 0)


@pytest.mark.claim("new-finite-group-drift", step="reference-ratio", kind="property")
def test_the_bounds_are_those_of_ddof_zero() -> None:
    between_bounds(0.5, 4, 0)
    kill("ddof-1", lambda: between_bounds(0.5, 4, 1))


_std: Callable[[float], float] = sp.lambdify(p, said.expected_std(sp.Integer(4)).doit(), "math")


def same_std(x: float, size: int) -> None:
    within(float(group.expected_std(x, size)) / _std(x) - 1, 64 * EPS, "relative gap of E[std]")


@pytest.mark.claim("new-finite-group-drift", step="reference-std", kind="property")
@given(x=PROBABILITIES)
def test_expected_std_of_four(x: float) -> None:
    same_std(x, 4)  # five positive terms of eight roundings, either side
    within(float(group.expected_std(x, 2)) / (x * (1 - x)) - 1, 16 * EPS)


@pytest.mark.claim("new-finite-group-drift", step="reference-std", kind="property")
def test_another_group_size_is_noticed() -> None:
    kill("one-more-completion", lambda: same_std(0.3, 5))


def apart(p_ref: float, weight: float, small: int, large: int) -> None:
    """The smaller group is at least a quarter slower to half the way, and settles 1% lower."""
    plateaus = [fixed_point.finite_fixed_points(p_ref, weight, size)[0].p for size in (small, large)]
    assert plateaus[0] < 0.99 * plateaus[1]
    half = (p_ref + plateaus[0]) / 2
    t = np.linspace(0.0, 80.0, 1601)
    times = [float(t[np.searchsorted(flow.flow(t, p_ref, p_ref, weight, 1.0, size), half)]) for size in (small, large)]
    assert times[0] > 1.25 * times[1]


@pytest.mark.claim("remark-11", step="reference-flow", kind="property")
@settings(max_examples=8)  # a second each
@given(p_ref=st.floats(0.1, 0.45), weight=st.floats(1.0, 2.0))
def test_pairs_are_slower_and_settle_lower(p_ref: float, weight: float) -> None:
    apart(p_ref, weight, 2, 16)


@pytest.mark.claim("remark-11", step="reference-flow", kind="property")
def test_one_of_eight_takes_four_times_as_long() -> None:
    t = np.linspace(0.0, 60.0, 6001)
    pairs, sixteen = (float(t[np.searchsorted(flow.flow(t, 1 / 8, 1 / 8, 1.0, 1.0, size), 0.25)]) for size in (2, 16))
    assert round(pairs / sixteen, 1) == 4.1
    kill("sixteen-against-sixty-four", lambda: apart(1 / 8, 1.0, 16, 64))


_understated = sp.lambdify((mu, a), said.understated.subs({said.w: 1, eta: 1}), "math")
_plain = sp.lambdify((mu, a), said.plain_variance.subs(said.w, 1), "math")
BELOW_FLIP = st.floats(1e-4, 0.98)


def same_understatement(m: float, gain: float, rate: float, scaled: bool) -> None:
    _, damping, stiffness = oscillator.coefficients(rate, m, gain / rate, 0.0)
    noise = 1.0 / rate**2 if scaled else 1.0
    continuous = float(oscillator.stationary_variance(damping, stiffness, noise))
    # the factor 2 (1+mu) - a loses at most a factor 50 of a share <= 0.98
    discrete = float(momentum.stationary_variance(m, gain, 1.0))
    within(discrete / continuous / _understated(m, gain) - 1, 2000 * EPS, "ratio of the variances")


@pytest.mark.claim("eq-12", step="reference-variance", kind="property")
@given(m=momenta(), share=BELOW_FLIP, rate=st.floats(0.01, 3.0))
def test_the_update_is_noisier_than_the_oscillator(m: float, share: float, rate: float) -> None:
    same_understatement(m, share * float(momentum.stable_gain(m)), rate, True)


@pytest.mark.claim("eq-12", step="reference-variance", kind="property")
def test_the_forcing_is_the_noise_over_the_rate() -> None:
    kill("noise-not-scaled", lambda: same_understatement(0.5, 0.3, 0.1, False))


def same_plain(m: float, gain: float, reference_m: float) -> None:
    within(float(momentum.stationary_variance(reference_m, gain, 1.0)) / _plain(m, gain) - 1, 1000 * EPS)


@pytest.mark.claim("new-update-variance", step="reference-variance", kind="property")
@given(m=momenta(), share=BELOW_FLIP)
def test_variance_of_the_update(m: float, share: float) -> None:
    same_plain(m, share * float(momentum.stable_gain(m)), m)


@pytest.mark.claim("new-update-variance", step="reference-variance", kind="property")
@given(m=st.floats(0.0, 0.9), share=st.floats(0.05, 0.9))
def test_variance_of_the_update_by_its_impulses(m: float, share: float) -> None:
    gain = share * float(momentum.stable_gain(m))
    impulses = momentum.trajectory(m, gain, 1.0, 1.0 + m - gain, 3000)
    # the slowest decay per step is 1 - a/(1-mu) > 1 - 0.05*2, or sqrt(mu) <= 0.949: 3000 steps leave < 1e-60;
    # each of the summed squares errs by at most 4000 EPS of itself
    within(float(np.sum(impulses**2)) / _plain(m, gain) - 1, 8000 * EPS, "sum of squared impulses")


@pytest.mark.claim("new-update-variance", step="reference-variance", kind="property")
def test_another_momentum_is_noticed() -> None:
    kill("momentum-up", lambda: same_plain(0.5, 0.3, 0.6))


_two_step = sp.lambdify(a, said.two_step_variance.subs(said.w, 1), "math")
_one_step = sp.lambdify((mu, a), said.one_step_variance.subs(said.w, 1), "math")


def impulses(m: float, gain: float, interval: int) -> float:
    history = [0.0] * (lag.order(interval, "constant") - 1) + [1.0]
    return float(np.sum(lag.trajectory(m, gain, interval, "constant", 4000, history) ** 2))


def same_two_step(gain: float, interval: int) -> None:
    # gains in [0.02, 0.6]: the slowest root is below 0.99, so 4000 steps leave < 1e-17; the sum of squares is
    # conditioned like the variance itself, 1/(1-root)^2 <= 1e4
    within(impulses(0.0, gain, interval) / _two_step(gain) - 1, 2e4 * EPS, "two-step variance")


@pytest.mark.claim("new-lagged-variance", step="reference-impulses", kind="property")
@given(gain=st.floats(0.02, 0.6))
def test_variance_at_a_lag_of_two(gain: float) -> None:
    same_two_step(gain, 2)


@pytest.mark.claim("new-lagged-variance", step="reference-impulses", kind="property")
@given(m=st.floats(0.0, 0.8), share=st.floats(0.05, 0.95))
def test_variance_at_a_lag_of_one(m: float, share: float) -> None:
    gain = share * (1 - m)
    # mu + a <= 0.99 is the squared modulus of a complex pair: 4000 steps leave 1e-17; conditioning as above
    within(impulses(m, gain, 1) / _one_step(m, gain) - 1, 2e4 * EPS, "one-step variance")


@pytest.mark.claim("new-lagged-variance", step="reference-impulses", kind="property")
def test_another_lag_is_noticed() -> None:
    same_two_step(0.5, 2)
    kill("other-lag", lambda: same_two_step(0.5, 1))


_early = sp.lambdify((said.p_ref, said.p_star), said.early_slope, "math")
_rate = sp.lambdify((said.p_star, beta), said.relaxation_rate, "math")


def local_slope(p_ref: float, weight: float, start: float) -> float:
    """The slope of -log(p* - p) at p = `start`, by the reference drift."""
    p_star = fixed_point.fixed_points(p_ref, weight)[0].p
    return float(drift.drift(start, p_ref, weight)) / (p_star - start)


def same_early(p_ref: float, weight: float, start: float) -> None:
    p_star = fixed_point.fixed_points(p_ref, weight)[0].p
    # p* is good to a few EPS, and p* - p_ref loses them over the distance
    bound = 64 * EPS / (p_star - p_ref)
    within(local_slope(p_ref, weight, start) / _early(p_ref, p_star) - 1, bound, "early slope")


@pytest.mark.claim("remark-12", step="reference-slopes", kind="property")
@given(p_ref=st.floats(0.02, 0.6), weight=st.floats(1.6, 8.0))
def test_slopes(p_ref: float, weight: float) -> None:
    points = fixed_point.fixed_points(p_ref, weight)
    if not points or points[0].stability != "stable":
        return
    p_star = points[0].p
    same_early(p_ref, weight, p_ref)
    within(drift.early_slope(p_ref, p_star) / _early(p_ref, p_star) - 1, 64 * EPS / (p_star - p_ref), "early slope")
    # the two parts of the rate, each below weight/4 + 1/4, err by a few EPS
    within(points[0].stiffness - _rate(p_star, weight), 32 * EPS * (1 + weight), "relaxation rate")


@pytest.mark.claim("remark-12", step="reference-slopes", kind="property")
def test_the_error_goes_both_ways() -> None:
    rates = {}
    for correct in (1, 2):
        kappa = drift.class_rate(correct, 8)
        point = fixed_point.fixed_points(correct / 8, 1.0)[0]
        rates[correct] = drift.early_slope(correct / 8, point.p, kappa), kappa * point.stiffness
    assert [round(x, 3) for x in rates[1]] == [0.106, 0.278]
    assert [round(x, 3) for x in rates[2]] == [0.097, 0.021]
    same_early(1 / 8, 1.0, 1 / 8)
    kill("late-slope", lambda: same_early(1 / 8, 1.0, 0.5))


def late_is_the_rate(p_ref: float, weight: float, distance: float) -> None:
    point = fixed_point.fixed_points(p_ref, weight)[0]
    slope = local_slope(p_ref, weight, point.p - distance)
    # g'' <= 2 (1 + weight) and g''' likewise on the way (p(1-p) <= 1/4): the linear error is distance times
    # that; rounding adds 16 EPS/distance
    within(slope - point.stiffness, 2 * (1 + weight) * distance + 64 * EPS / distance, "late slope")


@pytest.mark.claim("new-late-slope", step="reference-flow", kind="property")
@given(p_ref=st.floats(0.05, 0.4), weight=st.floats(1.6, 4.0))
def test_late_slope(p_ref: float, weight: float) -> None:
    late_is_the_rate(p_ref, weight, 1e-7)


@pytest.mark.claim("new-late-slope", step="reference-flow", kind="property")
def test_slope_along_the_flow() -> None:
    point = fixed_point.fixed_points(1 / 8, 1.0)[0]
    t = np.array([1e-3, 2e-3, 40.0, 41.0])
    deviation = -np.log(point.p - flow.flow(t, 1 / 8, 1 / 8, 1.0))
    early, late = (deviation[1] - deviation[0]) / 1e-3, deviation[3] - deviation[2]
    # the early slope changes by about its own square root a unit of time: 1e-2 over 1e-3 is generous, and the
    # flow's 1e-9 over 1e-3 adds 3e-6; at t = 40 the distance is 4e-5 and the integrator's 1e-9 adds 5e-5
    within(early - drift.early_slope(1 / 8, point.p), 1e-3, "early slope of the flow")
    within(late - point.stiffness, 1e-3, "late slope of the flow")
    kill("early-window", lambda: within(early - point.stiffness, 1e-3))
