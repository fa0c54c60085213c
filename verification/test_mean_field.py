"""Assumption 1 and Lemma 3 against reference.bandit, reference.drift, reference.fixed_point and reference.flow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from reference import drift as reference
from reference.bandit import SoftmaxBandit, critical_beta, fixed_points
from reference.fixed_point import critical_logit, finite_fixed_points
from reference.flow import flow, free_flow
from reference.group import drift_factor
from spec import mean_field as spec
from spec import objective, symbols
from verification.evidence import kill, within

EPS = float(np.finfo(float).eps)

closed = sp.lambdify((spec.o, spec.o_ref, symbols.beta), spec.closed(spec.o, spec.o_ref))
balance = sp.lambdify(symbols.beta, spec.critical_logit)
amplification = sp.lambdify((symbols.p, symbols.beta), spec.amplification(symbols.p, symbols.beta))
solution = sp.lambdify((symbols.t, sp.Symbol("u_0"), objective.kappa), spec.free_flow)

odds = st.floats(-4, 4).map(math.exp)
betas = st.floats(0.01, 4)
# one over p, or 1 - p, for these odds
WORST = 1 + math.exp(4)


def order_velocity(
    rewards: tuple[float, ...], policy: tuple[float, ...], beta: float, prior: tuple[float, ...]
) -> float:
    """dp/dt of reference.bandit: the gradient of p along its gradient."""
    slope = SoftmaxBandit(rewards, beta, prior).gradient(np.log(policy))
    p = sum(x * w for x, w in zip(rewards, policy, strict=True))
    return sum(w * (x - p) * float(g) for x, w, g in zip(rewards, policy, slope, strict=True))


THREE, UNIFORM = (0.0, 0.5, 1.0), (1 / 3, 1 / 3, 1 / 3)


@pytest.mark.claim("assumption-1", step="reference-drifts", kind="property")
@pytest.mark.parametrize("beta", [0.0, 0.005, 1.0])
def test_equal_p_unequal_drift(beta: float) -> None:
    # 50 roundings of terms of at most 1 + 2 beta; log and exp of the policy included
    bound = 50 * EPS * (1 + 2 * beta)
    rates = [order_velocity(THREE, (q, 1 - 2 * q, q), beta, UNIFORM) for q in (2 / 9, 1 / 8)]
    within(rates[0] - 2 / 27, bound, "drift at (2/9, 5/9, 2/9)")
    within(rates[1] - 1 / 32, bound, "drift at (1/8, 3/4, 1/8)")
    kill("three-rewards-close", lambda: within(rates[0] - rates[1], bound, "difference of the drifts"))
    for policy, expected in (((1 / 8, 3 / 8, 1 / 2), 13 / 64), ((1 / 4, 1 / 4, 1 / 2), 3 / 16)):
        within(order_velocity((1.0, 1.0, 0.0), policy, beta, policy) - expected, bound, "drift at the start")


@pytest.mark.claim("new-closed-drift", step="reference-drift", kind="property")
@given(here=odds, there=odds, beta=betas)
def test_the_reference_drift_is_the_closed_one(here: float, there: float, beta: float) -> None:
    p, p_ref = here / (1 + here), there / (1 + there)
    # the logits lose WORST units of p; the terms are at most sigma^3 and beta sigma^4 |L - L_ref| <= beta/2
    bound = 20 * WORST * EPS * (1 / 8 + beta / 2)
    within(float(reference.drift(p, p_ref, beta)) - closed(here, there, beta), bound, "drift")


@pytest.mark.claim("new-closed-drift", step="reference-bandit", kind="property")
@given(here=odds, there=odds, beta=betas, correct=st.integers(1, 6), wrong=st.integers(1, 6))
def test_the_bandit_moves_by_it(here: float, there: float, beta: float, correct: int, wrong: int) -> None:
    def spread(value: float) -> tuple[float, ...]:
        p = value / (1 + value)
        return (p / correct,) * correct + ((1 - p) / wrong,) * wrong

    rewards = (1.0,) * correct + (0.0,) * wrong
    found = order_velocity(rewards, spread(here), beta, spread(there))
    kappa = (correct + wrong) / (correct * wrong)
    # as above; sums over up to 12 completions on both sides, and kappa <= 2
    bound = 2 * 30 * WORST * EPS * (1 / 8 + beta / 2)
    within(found - kappa * closed(here, there, beta), bound, "drift of the bandit")


@pytest.mark.claim("new-closed-drift", step="reference-flow", kind="property")
@given(start=st.floats(0.01, 0.9), t=st.floats(0, 50), kappa=st.floats(0.1, 4))
def test_the_free_flow(start: float, t: float, kappa: float) -> None:
    u_0 = (start - 0.5) / math.sqrt(start * (1 - start))
    # dp/du = (1+u^2)^(-3/2)/2 and u itself (|u_0| <= 5, kappa t/4 <= 50) carries a few units: at most 1 where |u| is
    # small, which needs kappa t/4 <= 6
    within(float(free_flow(t, start, kappa)) - solution(t, u_0, kappa), 40 * EPS, "p(t)")


@pytest.mark.claim("new-critical-beta", step="reference-count", kind="property")
@given(logit=st.floats(-12, 6))
def test_the_number_of_fixed_points(logit: float) -> None:
    p_ref = float(reference.sigmoid(logit))
    least = float(critical_beta(p_ref))
    assert fixed_points(p_ref, 0.999 * least) == ()
    lower, upper = fixed_points(p_ref, 1.001 * least)
    assert (lower.stability, upper.stability) == ("stable", "unstable")
    assert lower.logit < 2 * math.asinh(1.001 * least) < upper.logit
    # the slope of the critical logit is 2 sqrt(1+b^2)/b^2 and L_ref lies within 1/(1-p_ref) <= e^6 + 1 units
    slope = 2 * math.sqrt(1 + least**2) / least**2
    bound = 20 * EPS * (slope * least + abs(logit) + math.exp(6))
    within(balance(least) - logit, bound, "logit at which it touches")
    within(float(critical_logit(least)) - balance(least), 20 * EPS * (slope * least + abs(logit)), "closed form")


@pytest.mark.claim("new-critical-beta", step="reference-flow", kind="property")
def test_two_attractors() -> None:
    beta = 1 / (4 * math.log(2))
    lower, upper = fixed_points(1 / 257, beta)
    # the points are simple roots; the logit of p_ref carries 257 units at most, and the slopes exceed 1/4
    within(lower.p - 1 / 2, 4 * 257 * EPS, "lower point")
    within(upper.p - 4 / 5, 4 * 257 * EPS, "upper point")
    times = np.array([0.0, 200.0, 400.0])
    # below it relaxes at beta/4: exp(-36) is left after t = 400; the integrator is good to 1e-9
    within(float(flow(times, 0.79, 1 / 257, beta)[-1]) - 0.5, 1e-8, "distance from p*")
    assert np.all(np.diff(flow(times, 0.81, 1 / 257, beta)) > 0)
    assert flow(times, 0.9, 1 / 257, beta)[-1] > 0.99


@pytest.mark.claim("new-finite-group-plateau", step="reference-points", kind="property")
@given(size=st.integers(2, 16), ddof=st.sampled_from([0, 1]), beta=st.floats(0.005, 3), logit=st.floats(-6, 3))
def test_a_stable_point_at_every_beta(size: int, ddof: int, beta: float, logit: float) -> None:
    p_ref = float(reference.sigmoid(logit))
    highest = finite_fixed_points(p_ref, beta, size, ddof)[-1]
    assert highest.stability == "stable"
    rise = beta * (highest.logit - logit)
    # bisection ends at neighbouring doubles; p_ref carries e^3 + 1 units; the push is a sum of `size` terms
    slack = 8 * EPS * (abs(highest.logit) + math.exp(3)) * beta + (4 * size + 20) * EPS * math.sqrt(size)
    top = math.sqrt((size - 1) * (size - ddof) / size)
    within(max(rise - top, 0.0), slack, "excess over sqrt(G-1)/beta")
    if size in (2, 3):
        within(rise - top, slack, "push of a pair or triple")
    if size == 4 and ddof == 0:
        within(max(math.sqrt(3) / 2 + 0.75 - rise, 0.0), slack, "shortfall from 1.616/beta")


@pytest.mark.claim("new-finite-group-plateau", step="reference-points", kind="property")
def test_large_groups_have_no_such_point() -> None:
    def check(highest: Sequence[object]) -> None:
        assert highest, "no interior fixed point"

    check(finite_fixed_points(1 / 8, 0.005, 16, 1))
    kill("large-groups-too", lambda: check(fixed_points(1 / 8, 0.005)))


@pytest.mark.claim("new-finite-group-plateau", step="reference-factor", kind="property")
@given(p=st.floats(0.001, 0.999), size=st.integers(2, 6))
def test_the_push(p: float, size: int) -> None:
    expected = float(spec.count_sum(size).subs(symbols.p, sp.Float(p, 40)))
    within(float(drift_factor(p, size)) / expected - 1, (4 * size + 20) * EPS, "push")


@pytest.mark.claim("lemma-3", step="measured-rate", kind="property")
def test_runs_relax_at_the_slope() -> None:
    eta, beta, p_ref = 0.05, 1.0, 1 / 8
    kappa = reference.class_rate(1, 8)
    star = fixed_points(p_ref, beta)[0]
    run = SoftmaxBandit.binary(1, 8, beta).trajectory(eta, 0.0, 0, "advantage", "constant", 1500)
    error = np.asarray(reference.logit(run)) - star.logit
    near = [k for k in range(1499) if 1e-6 < abs(error[k]) < 0.05]
    assert len(near) > 300

    def check(rate: float) -> None:
        for k in near:
            # x -> x + eta kappa f(x) with f = sigma - beta sigma^2 (L - L_ref) is the run itself; in the logit
            # |sigma''| <= 1/8, |(sigma^2)''| <= 1/8, |(sigma^2)'| <= 1/10, and here |L - L_ref| < 3
            curvature = eta * kappa * (1 / 8 + beta * (3 / 8 + 2 / 10)) / 2
            rounding = 200 * EPS / abs(error[k])
            within(error[k + 1] / error[k] - (1 - eta * rate), curvature * abs(error[k]) + rounding, "ratio")

    check(kappa * star.stiffness)
    kill("early-slope", lambda: check(reference.early_slope(p_ref, star.p, kappa)))


@pytest.mark.claim("eq-5", step="reference-sweep", kind="property")
def test_the_ratio_moves_along_a_sweep() -> None:
    def point(beta: float) -> tuple[float, float, float]:
        star = fixed_points(1 / 17, beta)[0]
        assert star.stability == "stable"
        return star.p, 1 / beta, star.stiffness / (beta * (1 - float(reference.amplification_slope(star.p, beta))))

    def check(second: float) -> None:
        one, other = point(1 / (2 * math.log(2))), point(second)
        # simple roots; p_ref carries 17 units; each ratio a dozen roundings
        bound = 200 * 17 * EPS
        within(one[0] - 1 / 2, bound, "p* of the first beta")
        within(one[1] / other[1] - 5 / 2, bound, "ratio with the printed contraction")
        within(one[2] / other[2] - 25 / 16, bound, "ratio with Mroueh's map")
        within(other[0] - 1 / 5, bound, "p* of the second beta")

    check(5 / (4 * math.log(2)))
    kill("one-beta", lambda: check(1 / (2 * math.log(2))))


@pytest.mark.claim("new-amplification-stiffness", step="reference", kind="property")
@given(here=odds, beta=betas, kappa=st.floats(0.1, 4))
def test_stiffness_is_one_minus_the_slope(here: float, beta: float, kappa: float) -> None:
    p = here / (1 + here)
    slope = float(reference.amplification_slope(p, beta))
    # p - 1/2 is exact where it cancels; 1 - p loses WORST units; h' is at most sqrt(WORST)/(2 beta)
    scale = math.sqrt(WORST) / beta
    within(slope - amplification(p, beta), 10 * WORST * EPS * scale, "slope of the map")
    found = float(reference.stiffness(p, beta, kappa))
    bound = 20 * WORST * EPS * kappa * (beta + 1)
    within(found - kappa * beta * p * (1 - p) * (1 - amplification(p, beta)), bound, "stiffness")
