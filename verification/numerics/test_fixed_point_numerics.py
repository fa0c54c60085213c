"""Fixed points, slopes and flows of the binary bandit against mpmath, runs of the map, and exact cases."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from reference import drift, mean_field
from reference.bandit import (
    FixedPoint,
    SoftmaxBandit,
    critical_beta,
    critical_logit,
    finite_fixed_points,
    fixed_points,
)
from reference.flow import flow, free_flow
from reference.group import drift_factor
from reference.margin import delayed_margin

pytestmark = pytest.mark.infrastructure

references = st.floats(1e-6, 0.98)
betas = st.floats(0.02, 20.0)
some_sizes = st.sampled_from([2, 3, 4, 8, 16, 64])


def values(points: tuple[FixedPoint, ...]) -> list[str]:
    return [point.stability for point in points]


@given(references, betas)
def test_infinite_groups_have_none_or_a_stable_and_an_unstable_point(p_ref: float, beta: float) -> None:
    points = fixed_points(p_ref, beta)
    critical = float(critical_beta(p_ref))
    if abs(beta / critical - 1.0) < 1e-6:
        return
    if beta < critical:
        assert points == ()
        return
    assert values(points) == ["stable", "unstable"]
    lower, upper = points
    assert p_ref < lower.p < upper.p <= 1.0
    for point in points:
        # one double of the logit moves the equation by its slope times the spacing; cosh amplifies by its
        # value
        lean = 2.0 * math.cosh(point.logit / 2.0)
        pull = beta * (point.logit - float(drift.logit(p_ref)))
        assert lean == pytest.approx(pull, rel=1e-13 * (1.0 + abs(point.logit)))


@given(references, betas, some_sizes, st.sampled_from([0, 1]))
@settings(max_examples=30)
def test_finite_groups_always_end_on_a_stable_point(p_ref: float, beta: float, size: int, ddof: int) -> None:
    points = finite_fixed_points(p_ref, beta, size, ddof)
    assert len(points) in (1, 3)
    assert values(points) == ["stable", "unstable", "stable"][: len(points)]
    x_ref = float(drift.logit(p_ref))
    for point in points:
        lean = float(drift_factor(drift.sigmoid(point.logit), size, ddof))
        scale = (1.0 + beta) * (1.0 + abs(point.logit) + abs(x_ref))
        assert lean == pytest.approx(beta * (point.logit - x_ref), abs=1e-12 * (scale + lean))
    # the sign of F - beta (L - L_ref) on a fine grid leaves no further crossing
    x = np.linspace(x_ref - 1.0, points[-1].logit + 1.0, 2001)
    excess = drift_factor(drift.sigmoid(x), size, ddof) - beta * (x - x_ref)
    excess = excess[np.abs(excess) > 1e-9]
    assert np.count_nonzero(np.diff(np.sign(excess))) <= len(points)


def test_group_sizes_two_and_three_are_explicit() -> None:
    leans = ((2, 0, 1.0), (2, 1, math.sqrt(0.5)), (3, 0, math.sqrt(2.0)), (3, 1, 2.0 / math.sqrt(3.0)))
    for size, ddof, lean in leans:
        for beta in (0.005, 0.3, 4.0):
            (point,) = finite_fixed_points(0.125, beta, size, ddof)
            assert point.logit == pytest.approx(math.log(1.0 / 7.0) + lean / beta, rel=1e-12)
            assert point.stability == "stable"


def test_the_numbers_that_the_report_quotes() -> None:
    lower, upper = fixed_points(1 / 8, 1.0)
    assert lower.p == pytest.approx(0.51371, abs=5e-6)
    assert upper.p == pytest.approx(0.96059, abs=5e-6)
    kappa = drift.class_rate(1, 8)
    assert lower.stiffness * kappa == pytest.approx(0.27767, abs=5e-6)
    assert drift.early_slope(1 / 8, lower.p, kappa) == pytest.approx(0.10635, abs=5e-6)
    assert finite_fixed_points(1 / 8, 1.0, 4)[0].p == pytest.approx(0.41901, abs=5e-6)
    assert finite_fixed_points(1 / 8, 1.0, 4, 1)[0].p == pytest.approx(0.36832, abs=5e-6)
    assert float(critical_beta(1 / 8)) == pytest.approx(0.75025, abs=5e-6)
    assert float(critical_beta(2 / 8)) == pytest.approx(0.98846, abs=5e-6)
    two = fixed_points(2 / 8, 1.0)[0]
    wrong = drift.early_slope(2 / 8, two.p) / two.stiffness
    assert wrong == pytest.approx(4.523, abs=5e-4)
    # beta = 0.005: no interior fixed point unless p_ref is below 10**-173.7
    assert float(critical_logit(0.005)) / math.log(10.0) == pytest.approx(-173.716, abs=5e-4)


@given(st.floats(1e-4, 1e3))
def test_critical_beta_and_its_explicit_inverse(beta: float) -> None:
    mpmath.mp.dps = 40
    exact = mpmath.mpf(beta)
    expected = 2 * mpmath.asinh(exact) - 2 * mpmath.sqrt(1 + exact**2) / exact
    assert float(critical_logit(beta)) == pytest.approx(float(expected), rel=1e-14, abs=1e-13)
    if -600.0 < expected < 30.0:
        p_ref = float(1 / (1 + mpmath.exp(-expected)))
        # d(log beta)/dL is below 1/2, and p_ref carries L to about u exp(|L|) near p = 1, u (1+|L|) near 0
        tolerance = 1e-14 * (1.0 + abs(float(expected))) + 4e-16 * math.exp(max(float(expected), 0.0))
        assert float(critical_beta(p_ref)) == pytest.approx(beta, rel=4.0 * tolerance)


@pytest.mark.parametrize("p_ref", [1e-200, 1e-6, 0.125, 0.5, 0.9])
def test_number_of_fixed_points_changes_at_critical_beta(p_ref: float) -> None:
    critical = float(critical_beta(p_ref))
    assert len(fixed_points(p_ref, critical * (1.0 - 1e-9))) == 0
    pair = fixed_points(p_ref, critical * (1.0 + 1e-9))
    assert len(pair) == 2
    # they are born together at L = 2 asinh(beta), a square root of the distance apart
    for point in pair:
        assert point.logit == pytest.approx(2.0 * math.asinh(critical), abs=2e-3)


def test_tangent_point_is_semistable() -> None:
    # p_ref = 1/2: u = coth u, and beta = sinh u to the last double is tangent within rounding
    (point,) = fixed_points(0.5, float(critical_beta(0.5)))
    assert point.stability == "semistable"
    assert point.stiffness == 0.0


def test_runs_end_at_the_fixed_points() -> None:
    for correct, beta, size, ddof in ((1, 1.0, None, 0), (1, 1.0, 4, 0), (1, 1.0, 4, 1), (3, 2.0, 8, 1)):
        bandit = SoftmaxBandit.binary(correct, 8, beta, size=size, ddof=ddof)
        p = correct / 8
        found = fixed_points(p, beta) if size is None else finite_fixed_points(p, beta, size, ddof)
        run = bandit.trajectory(0.5, 0.0, 0, "advantage", "constant", 600)
        assert run[-1] == pytest.approx(found[0].p, abs=1e-12)


def test_unstable_point_separates_the_basins() -> None:
    unstable = fixed_points(0.125, 1.0)[1]
    t = np.array([0.0, 400.0])
    below = flow(t, unstable.p - 1e-3, 0.125, 1.0)[-1]
    above = flow(t, unstable.p + 1e-3, 0.125, 1.0)[-1]
    assert below == pytest.approx(fixed_points(0.125, 1.0)[0].p, abs=1e-6)
    assert above > 0.999
    # with finite groups the same start settles below 1, on a fixed point that infinite groups do not have
    upper = finite_fixed_points(0.125, 1.0, 64)[2]
    assert flow(np.array([0.0, 1e5]), 0.99, 0.125, 1.0, size=64)[-1] == pytest.approx(upper.p, abs=1e-7)


@given(st.floats(0.02, 0.98), st.floats(0.05, 5.0), st.sampled_from([None, 2, 3, 5, 40]), st.sampled_from([0, 1]))
@settings(max_examples=50)
def test_stiffness_is_minus_the_slope_of_the_drift(p: float, beta: float, size: int | None, ddof: int) -> None:
    """At a fixed point g' has no term from the prefactor; choose p_ref so that p is one."""
    mpmath.mp.dps = 40
    lean = 1.0 / math.sqrt(p * (1.0 - p)) if size is None else float(drift_factor(p, size, ddof))
    x_ref = float(drift.logit(p)) - lean / beta
    if not -600.0 < x_ref < 30.0:
        return

    def g(x: Any) -> Any:
        q = 1 - x
        if size is None:
            push = 1 / mpmath.sqrt(x * q)
        else:
            push = mpmath.fsum(
                mpmath.binomial(size, k)
                * x ** (k - 1)
                * q ** (size - k - 1)
                * mpmath.sqrt(mpmath.mpf(k * (size - k)) * (size - ddof) / size)
                / size
                for k in range(1, size)
            )
        return (x * q) ** 2 * (push - beta * (mpmath.log(x / q) - x_ref))

    slope = float(mpmath.diff(g, mpmath.mpf(p)))
    total = drift.stiffness(p, beta, 1.0, size, ddof)
    assert total == pytest.approx(-slope, rel=1e-9, abs=1e-9)
    now, old = drift.stiffness_parts(p, beta, 2.0, size, ddof)
    assert now - old == pytest.approx(2.0 * total, rel=1e-12, abs=1e-13)
    assert now == pytest.approx(2.0 * beta * p * (1.0 - p), rel=1e-14)
    if size is None:
        # Lemma 3 with Mroueh's map: -g' = kappa beta sigma^2 (1 - h')
        h = drift.amplification_slope(p, beta)
        assert total == pytest.approx(beta * p * (1.0 - p) * (1.0 - h), rel=1e-10, abs=1e-12)
        exact = mpmath.diff(
            lambda x: 1 / (1 + mpmath.exp(-x_ref - 1 / (beta * mpmath.sqrt(x * (1 - x))))), mpmath.mpf(p)
        )
        assert h == pytest.approx(float(exact), rel=1e-9, abs=1e-11)


def test_the_delayed_part_changes_sign_at_one_half() -> None:
    for size in (None, 4, 16):
        assert drift.stiffness_parts(0.5, 1.0, 1.0, size)[1] == pytest.approx(0.0, abs=1e-15)
        assert drift.stiffness_parts(0.7, 1.0, 1.0, size)[1] > 0.0
        assert drift.stiffness_parts(0.3, 1.0, 1.0, size)[1] < 0.0
    for size in (2, 3):  # every group with spread then has the same std
        assert drift.stiffness_parts(0.7, 1.0, 1.0, size)[1] == 0.0


@pytest.mark.parametrize(("correct", "interval", "size"), [(1, 3, None), (1, 2, 4), (2, 4, None), (5, 1, 8)])
def test_linearised_lagged_map_near_the_fixed_point(correct: int, interval: int, size: int | None) -> None:
    """Small deviations follow x_{k+1} = (1 + mu - b) x_k - mu x_{k-1} + d x_{k-lag}, under Eq. 2."""
    eta, mu, beta, steps = 0.05, 0.6, 2.0, 60
    kappa = drift.class_rate(correct, 8)
    p_ref = correct / 8
    found = fixed_points(p_ref, beta) if size is None else finite_fixed_points(p_ref, beta, size)
    star = found[0]
    bandit = SoftmaxBandit.binary(correct, 8, beta, size=size)
    x_ref = float(drift.logit(p_ref))
    now, old = (eta * part for part in drift.stiffness_parts(star.p, beta, kappa, size))
    start = 1e-5
    correct_logits = np.where(bandit.rewards == 1.0, 1.0, 0.0)
    share = (8 - correct) / 8
    past: list[Any] = [start] * (interval + 2)
    thetas = [np.log(bandit.prior) + (star.logit - x_ref + start) * (correct_logits - 1.0 + share)] * (interval + 2)
    for _ in range(steps):
        past.append((1.0 + mu - now) * past[-1] - mu * past[-2] + old * past[-1 - interval])
        force = bandit.gradient(thetas[-1], thetas[-1 - interval])
        thetas.append(thetas[-1] + eta * force + mu * (thetas[-1] - thetas[-2]))
    logits = [float(theta[0] - theta[-1]) + math.log(1.0) for theta in thetas]
    offset = x_ref - float(np.log(bandit.prior[0]) - np.log(bandit.prior[-1]))
    deviations = np.array(logits) + offset - star.logit
    # second order in the deviation: 1e-10 a step at most, 60 steps
    np.testing.assert_allclose(deviations, past, rtol=0, atol=6e-9)


@given(st.floats(0.01, 0.99), st.floats(0.1, 3.0))
@settings(max_examples=30)
def test_free_flow_solves_its_equation(p_0: float, kappa: float) -> None:
    t = np.linspace(0.0, 60.0, 13)
    p = free_flow(t, p_0, kappa)
    assert p[0] == pytest.approx(p_0, rel=1e-13)
    step = 1e-4
    rate = (free_flow(t + step, p_0, kappa) - free_flow(np.maximum(t - step, 0.0), p_0, kappa)) / np.where(
        t > 0.0, 2.0 * step, step
    )
    expected = drift.drift(p, 0.5, 0.0, kappa)
    # forward difference at t = 0: step kappa^2/2; central elsewhere: rounding u/step
    np.testing.assert_allclose(rate, expected, rtol=0, atol=step * kappa**2 + 1e-10)


def test_flow_reaches_the_ends_of_the_drift() -> None:
    assert drift.drift(0.0, 0.3, 1.0) == 0.0
    assert drift.drift(1.0, 0.3, 1.0, size=4) == 0.0
    assert drift.sigmoid(-800.0) == 0.0
    assert drift.sigmoid(800.0) == 1.0
    assert drift.logit(0.75) == pytest.approx(math.log(3.0), rel=1e-15)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("p_ref", lambda: fixed_points(0.0, 1.0)),
        ("p_ref", lambda: fixed_points(math.nan, 1.0)),
        ("beta", lambda: fixed_points(0.1, 0.0)),
        ("beta", lambda: fixed_points(0.1, math.nan)),
        ("p_ref", lambda: finite_fixed_points(1.0, 1.0, 4)),
        ("beta", lambda: finite_fixed_points(0.1, -1.0, 4)),
        ("size", lambda: finite_fixed_points(0.1, 1.0, 1)),
        ("ddof", lambda: finite_fixed_points(0.1, 1.0, 4, 3)),
        ("p_ref", lambda: critical_beta([0.1, 1.0])),
        ("beta", lambda: critical_logit(0.0)),
        ("p_star", lambda: drift.early_slope(0.5, 0.4)),
        ("beta", lambda: drift.amplification_slope(0.5, 0.0)),
        ("kappa", lambda: drift.stiffness(0.5, 1.0, -1.0)),
        ("t", lambda: flow([0.0, -1.0], 0.1, 0.1, 1.0)),
        ("t", lambda: flow([1.0, 1.0], 0.1, 0.1, 1.0)),
        ("t", lambda: free_flow(-1.0, 0.1)),
        ("p_0", lambda: free_flow(1.0, 0.0)),
    ],
)
def test_bad_input_is_named(name: str, call: Any) -> None:
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        call()


LAGS = (*range(0, 30, 2), 31, 47, 63, 90)


def radius(b: float, d: float, mu: float, lag: int) -> float:
    """Return the largest modulus of the roots of the lagged linear map."""
    coefficients = np.zeros(max(lag, 1) + 2)
    coefficients[:3] = [1.0, -(1.0 + mu - b), mu]
    coefficients[lag + 1] -= d
    return float(np.abs(np.roots(coefficients)).max())


@given(st.floats(0.01, 0.95), st.floats(0.0, 0.95), st.floats(-0.99, 0.99))
@settings(max_examples=25)
def test_below_the_margin_no_lag_destabilises(share: float, mu: float, part: float) -> None:
    b = share * 2.0 * (1.0 + mu)
    d = part * float(delayed_margin(b, mu))
    for lag in (0, 1, 2, 5, 17, 40):
        assert radius(b, d, mu, lag) < 1.0 + 1e-9  # rounding of simple roots


def test_just_above_the_margin_a_long_lag_does() -> None:
    for b, mu in ((0.03, 0.9), (0.5, 0.5), (1.7, 0.2), (0.004, 0.5), (2.9, 0.6)):
        d = 1.02 * float(delayed_margin(b, mu))
        worst = max(radius(b, sign * d, mu, lag) for sign in (-1.0, 1.0) for lag in LAGS)
        assert worst > 1.0 + 1e-6
    assert delayed_margin(0.004, 0.5) == 0.004  # below (1-mu)^2/(1+mu): b itself
    assert delayed_margin(0.7, 0.0) == 0.7
    assert delayed_margin(1.5, 0.0) == 0.5  # past b = 1 at mu = 0 the flip is nearest: 2 - b


@pytest.mark.parametrize("mu", [1e-4, 0.01, 0.3, 0.7, 0.9, 0.999])
def test_the_margin_is_the_minimum_on_the_circle_at_fifty_digits(mu: float) -> None:
    b = 2.0 * (1.0 + mu) * np.concatenate([np.geomspace(1e-9, 1.0, 60, endpoint=False), np.linspace(0.01, 0.99, 99)])
    starts, ends = (1.0 - mu) ** 2 / (1.0 + mu), ((1.0 - mu) ** 2 + 8.0 * mu) / (1.0 + mu)  # of the middle case
    b = np.concatenate([b, np.linspace(starts, ends, 30), starts * np.array([0.99, 1.01])])
    found = delayed_margin(b, mu)
    with mpmath.workdps(50):
        m = mpmath.mpf(mu)
        for value, margin in zip(b.tolist(), found.tolist(), strict=True):
            exact_b = mpmath.mpf(value)
            lean = exact_b * (1 + m) - (1 - m) ** 2
            v = min(max(lean / (4 * m), mpmath.mpf(0)), mpmath.mpf(2))
            least = mpmath.sqrt(exact_b**2 - 2 * v * lean + 4 * m * v**2)
            # in the middle (b - b_-)(b_+ - b) errs by 5 u b_+ min(b, 4 sqrt(mu)), and the margin is at least
            # (1-mu)^2/(1+mu): it errs by 5 u b_+ min(b, 4 sqrt(mu)) (1+mu)/(8 mu), under 300 u b at these mu
            assert abs(margin - least) <= 1e-13 * value, (mu, value)
    assert found.shape == b.shape
    assert isinstance(delayed_margin(1e-3, mu), float)


def test_momentum_can_let_a_lag_destabilise_equation_two() -> None:
    """2 of 8, beta = 1, eta = 0.3: every lag is stable at mu = 0, some long lag is not at mu = 0.9."""
    now, old = (0.3 * float(part) for part in stiffness_of_two_of_eight())
    assert 0.0 < old < now == delayed_margin(now, 0.0)
    assert old > delayed_margin(now, 0.9)
    assert max(radius(now, old, 0.9, lag) for lag in LAGS) > 1.0005
    assert max(radius(now, old, 0.0, lag) for lag in LAGS) < 1.0


def stiffness_of_two_of_eight() -> tuple[Any, Any]:
    star = fixed_points(2 / 8, 1.0)[0]
    return drift.stiffness_parts(star.p, 1.0, drift.class_rate(2, 8))


def test_margin_rejects_bad_input() -> None:
    for b, mu, name in ((0.0, 0.5, "instantaneous"), (3.0, 0.5, "instantaneous"), (0.1, 1.0, "mu")):
        with pytest.raises(ValueError, match=name):
            delayed_margin(b, mu)


@pytest.mark.parametrize(("start", "beta"), [(0.5, 1.6), (0.5, 1.0), (0.3, 0.05), (0.9, 3.0)])
def test_the_flow_keeps_ten_digits_between_the_steps_too(start: float, beta: float) -> None:
    t = np.linspace(0.0, 60.0, 1501)
    found, other = flow(t, start, start, beta), mean_field.solve(t, start, 1.0, beta)[0]
    # flow promises 1e-10 relative, the other route (in sinh(L/2), with variational equations) 1e-11 of 1
    assert float(np.max(np.abs(found / other - 1))) < 1e-10 + 1e-11 / start


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize(("start", "p_ref", "beta"), [(0.1, 0.3, 0.5), (0.6, 0.2, 0.8)])
def test_the_flow_of_finite_groups_takes_the_time_of_its_drift(
    start: float, p_ref: float, beta: float, ddof: int
) -> None:
    t = np.array([0.0, 0.5, 1.0, 2.0])
    found = flow(t, start, p_ref, beta, 1.3, 4, ddof)
    assert found[0] == pytest.approx(start, rel=1e-15)
    for time, p in zip(t[1:], found[1:], strict=True):
        spent, _ = quad(
            lambda x: 1.0 / float(drift.drift(x, p_ref, beta, 1.3, 4, ddof)), start, float(p), epsabs=0, epsrel=1e-12
        )
        # p is good to 1e-10 of itself, and at the speed |g| an error of p is one of p/|g| in time
        speed = abs(float(drift.drift(float(p), p_ref, beta, 1.3, 4, ddof)))
        assert abs(spent - time) < 1e-10 * float(p) / speed + 1e-11 * time


def test_a_flow_of_no_time_is_its_start_and_still_checks_its_arguments() -> None:
    assert flow([0.0], 0.3, 0.2, 1.0).tolist() == [0.3]
    with pytest.raises(ValueError, match=r"\bsize\b"):
        flow([0.0], 0.3, 0.2, 1.0, size=1)
    with pytest.raises(ValueError, match=r"\bddof\b"):
        flow([0.0], 0.3, 0.2, 1.0, size=4, ddof=3)


def test_the_defaults_of_the_flows() -> None:
    t = np.array([0.0, 1.0, 5.0])
    assert np.array_equal(free_flow(t, 0.3), free_flow(t, 0.3, 1.0))
    assert np.array_equal(flow(t, 0.3, 0.2, 1.0, size=4), flow(t, 0.3, 0.2, 1.0, 1.0, 4, 0))


@pytest.mark.parametrize("p_ref", [1e-6, 0.5, 0.9])
@pytest.mark.parametrize("beta", [1e2, 1e7, 1e30, 1e300])
def test_the_upper_point_repels_also_where_p_rounds_to_one(p_ref: float, beta: float) -> None:
    lower, upper = fixed_points(p_ref, beta)
    assert (lower.stability, upper.stability) == ("stable", "unstable")
    with mpmath.workdps(400):
        for point in (lower, upper):
            x = mpmath.mpf(point.logit)
            s = 1 / (2 * mpmath.cosh(x / 2)) ** 2
            exact = s * (mpmath.mpf(beta) - mpmath.sinh(x / 2))
            # sinh moves by half of one double of x, relative; s by all of it
            assert point.stiffness == pytest.approx(float(exact), rel=1e-14 * (1.0 + abs(point.logit)), abs=0)


@pytest.mark.parametrize(("size", "ddof"), [(2, 0), (4, 0), (16, 1)])
@pytest.mark.parametrize("beta", [0.02, 0.12])
def test_stiffness_of_a_plateau_next_to_one(size: int, ddof: int, beta: float) -> None:
    point = finite_fixed_points(0.125, beta, size, ddof)[-1]
    assert point.stability == "stable"
    with mpmath.workdps(120):
        x = mpmath.mpf(point.logit)
        p, q = 1 / (1 + mpmath.exp(-x)), 1 / (1 + mpmath.exp(x))
        scale = mpmath.sqrt(size * (size - ddof))
        push = [scale / mpmath.sqrt(k * (size - k)) for k in range(1, size)]  # the Bernstein coefficients of F
        slope = mpmath.mpf(0)
        for j in range(size - 2):
            weight = mpmath.binomial(size - 3, j) * p**j * q ** (size - 3 - j)
            slope += (size - 2) * (push[j + 1] - push[j]) * weight * mpmath.mpf(size - 1) / size
        exact = p * q * (mpmath.mpf(beta) - p * q * slope)
    assert point.stiffness == pytest.approx(float(exact), rel=1e-13 * (1.0 + point.logit), abs=0)


def test_the_largest_betas() -> None:
    # 2 asinh(beta) - 2 sqrt(1 + 1/beta^2)
    assert float(critical_logit(1e200)) == pytest.approx(
        2.0 * (math.log(2.0) + 200.0 * math.log(10.0)) - 2.0, rel=1e-15
    )
    with pytest.raises(ValueError, match=r"^beta = 1e\+301; expected in \[0, 1e\+300\]$"):
        fixed_points(0.5, 1e301)
    with pytest.raises(ValueError, match=r"^beta = 1e-310; expected .* double"):
        critical_logit([1.0, 1e-310])
    with pytest.raises(ValueError, match=r"^beta = 1e-309; expected at least"):
        finite_fixed_points(0.5, 1e-309, 400)


def test_the_drift_next_to_zero_keeps_its_digits() -> None:
    # p^(3/2): p**2 alone is below every double
    assert float(drift.drift(1e-200, 0.5, 0.0)) == pytest.approx(1e-300, rel=1e-14, abs=0)


@pytest.mark.parametrize(
    ("law", "rest"), [(free_flow, (1e10,)), (mean_field.solve, (1e10, 1.0)), (flow, (0.5, 1.0, 1e10))]
)
def test_a_time_beyond_the_doubles_is_named(law: Any, rest: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"^kappa = 10000000000\.0, t = 1e\+300; expected a product below 1\.8e308$"):
        law([1.0, 1e300], 0.5, *rest)
