"""Eq. 2 to 4 against reference.bandit: its gradient on and off policy, its schedules, its linearisation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from reference.bandit import SoftmaxBandit
from reference.cells import Stale
from reference.drift import class_rate, sigmoid, stiffness_parts
from reference.momentum import trajectory
from spec import objective as spec
from spec import symbols
from verification.evidence import kill, within

EPS = float(np.finfo(float).eps)
POLICY = (*spec.theta, *spec.rho, symbols.beta)

# pi >= exp(-4)/3 = 0.006 for these logits, and the rewards 0, 1 keep the std above sqrt(0.006 * 0.5) > 0.05
logits = st.tuples(*(st.floats(-2, 2) for _ in range(3)))
third_rewards = st.floats(0, 1)
betas = st.floats(0, 3)
PRIOR = (0.5, 0.3, 0.2)

derivatives = [
    sp.lambdify(
        (*POLICY, *spec.phi, *spec.r), sp.diff(spec.of_infinite_groups - symbols.beta * spec.divergence(spec.theta), x)
    )
    for x in spec.theta
]
score = sp.lambdify(spec.theta, [sp.diff(y, spec.theta[0]) for y in spec.log_softmax(spec.theta)])
probabilities = sp.lambdify(spec.theta, spec.softmax(spec.theta))
pull = sp.lambdify((*spec.theta, *spec.rho), spec.pull(spec.theta))


@pytest.mark.claim("eq-2", step="reference-gradient", kind="property")
@given(now=logits, old=logits, third=third_rewards, beta=betas)
def test_the_gradient_is_the_derivative_of_the_objective(
    now: tuple[float, ...], old: tuple[float, ...], third: float, beta: float
) -> None:
    rewards = (0.0, 1.0, third)
    found = SoftmaxBandit(rewards, beta, PRIOR).gradient(now, old, "advantage")
    # about 40 roundings a route, on terms of at most 1/std <= 20 and beta |log(pi/rho)| <= 6 beta
    bound = 2 * 40 * EPS * (20 + 6 * beta)
    for j in range(3):
        within(found[j] - derivatives[j](*now, *PRIOR, beta, *old, *rewards), bound, "component of the gradient")


@pytest.mark.claim("eq-3", step="never-equal", kind="exact")
def test_no_step_samples_from_where_eq_3_says() -> None:
    def check(printed: Callable[[int, int], int]) -> None:
        for interval in range(1, 40):
            copy = 0
            for step in range(200):
                if step % interval == 0:
                    copy = step
                assert 0 <= step - copy < interval
                assert printed(step, interval) != copy

    check(lambda step, interval: step - interval)
    kill("age-of-the-copy", lambda: check(lambda step, interval: step - step % interval))


@pytest.mark.claim("eq-3", step="reference-schedules", kind="property")
@pytest.mark.parametrize("stale", ["gradient", "sampling", "advantage"])
def test_refreshing_every_step_is_no_lag(stale: Stale) -> None:
    bandit = SoftmaxBandit.binary(1, 8, 1.0)
    fresh = bandit.trajectory(0.2, 0.5, 0, stale, "constant", 60)

    def check(interval: int, schedule: str) -> None:
        run = bandit.trajectory(0.2, 0.5, interval, stale, schedule, 60)  # type: ignore[arg-type]
        assert np.array_equal(run, fresh)

    check(1, "periodic")
    kill("any-schedule", lambda: check(1, "constant"))


@pytest.mark.claim("new-adam-first-moment", step="reference-run", kind="property")
@given(mu=st.floats(0, 0.98), rate=st.floats(1e-3, 1), steps=st.integers(2, 100))
def test_an_averaged_moment_is_a_smaller_rate(mu: float, rate: float, steps: int) -> None:
    values, moment = [1.0], 0.0
    for _ in range(steps):
        moment = mu * moment - (1 - mu) * values[-1]
        values.append(values[-1] + rate * moment)
    gain = (1 - mu) * rate
    run = np.asarray(trajectory(mu, gain, 1.0, 1.0 - gain, steps)).ravel()
    # gain <= 1: the map is stable and its response to a unit kick after n steps at most n; six roundings a step
    bound = 6 * EPS * steps**2 * float(np.max(np.abs(run)))
    for k in range(steps + 1):
        within(values[k] - run[k], bound, "gap between the runs")


@pytest.mark.claim("lemma-2", step="reference-mean", kind="property")
@given(at=logits, third=st.floats(0.1, 0.9), beta=betas)
def test_the_mean_over_all_pairs(at: tuple[float, ...], third: float, beta: float) -> None:
    rewards = (0.0, 1.0, third)
    pi, scores = probabilities(*at), score(*at)
    # at G = 2 the advantages are the order of the two rewards: 1, -1, or 0 without spread
    expected = -beta * pull(*at, *PRIOR)
    for i, j in itertools.product(range(3), repeat=2):
        advantage = float(np.sign(rewards[i] - rewards[j]))
        expected += pi[i] * pi[j] * advantage * (scores[i] - scores[j]) / 2
    bandit = SoftmaxBandit(rewards, beta, PRIOR, size=2)
    # 60 roundings a route on terms of at most 1 and 6 beta
    bound = 2 * 60 * EPS * (1 + 6 * beta)
    within(bandit.gradient(at)[0] - expected, bound, "closed mean")
    within(bandit.moments(at)[0][0] - expected, bound, "enumerated mean")


@pytest.mark.claim("eq-4", step="reference-readings", kind="property")
def test_readings_of_staleness() -> None:
    bandit = SoftmaxBandit.binary(1, 2, 0.0)
    now, old = np.zeros(2), np.array([math.log(0.25), 0.0])

    def check(stale: Stale, at: np.ndarray, copy: np.ndarray, expected: float) -> None:
        # fewer than 20 roundings of numbers below 3
        within(float(bandit.gradient(at, copy, stale)[0]) - expected, 60 * EPS, "force on the logit")

    check("advantage", now, old, 5 / 8)
    check("sampling", now, old, 2 / 5)
    check("gradient", now, old, 2 / 5)
    readings: tuple[Stale, ...] = ("advantage", "sampling", "gradient")
    for stale in readings:
        check(stale, now, now, 1 / 2)
        check(stale, old, old, 2 / 5)
    kill("one-reading", lambda: check("sampling", now, old, 5 / 8))


at_once = sp.lambdify((spec.L_star, symbols.beta, spec.kappa), -spec.STALE_SCALE.step("at-once").rhs)  # type: ignore[union-attr]
late = sp.lambdify((spec.L_star, spec.kappa), spec.STALE_SCALE.step("late").rhs)  # type: ignore[union-attr]
finite_slope = {size: sp.lambdify(symbols.p, sp.diff(spec.finite_scale(size), symbols.p)) for size in range(2, 8)}


@pytest.mark.claim("new-stale-scale", step="reference-parts", kind="property")
@given(logit=st.floats(-5, 5), beta=st.floats(0, 3), kappa=st.floats(0.1, 4), size=st.integers(2, 7))
def test_the_two_parts(logit: float, beta: float, kappa: float, size: int) -> None:
    p = float(sigmoid(logit))
    now, old = stiffness_parts(p, beta, kappa)
    # 1 - p loses at most the factor 1/(1-p) <= 150; about 10 roundings each
    slack = 10 * 150 * EPS * kappa
    within(float(now) - at_once(logit, beta, kappa), slack * max(beta, 1.0), "part at once")
    within(float(old) - late(logit, kappa), slack, "late part")
    # G-2 powers and signed terms of at most sqrt(G-1) (G-2) in all
    finite = stiffness_parts(p, beta, kappa, size)[1]
    bound = (4 * size + 20) * size * math.sqrt(size) * EPS * kappa
    within(float(finite) - kappa * (p * (1 - p)) ** 2 * finite_slope[size](p), bound, "late part, finite groups")


@pytest.mark.claim("new-stale-scale", step="reference-jacobian", kind="property")
@given(logit=st.floats(-2, 2), beta=st.floats(0.5, 3), correct=st.integers(1, 4))
def test_the_jacobian(logit: float, beta: float, correct: int) -> None:
    completions, h = 5, 1e-4
    push = 2 * math.cosh(logit / 2)
    bandit = SoftmaxBandit.binary(correct, completions, beta, float(sigmoid(logit - push / beta)))
    kappa = class_rate(correct, completions)

    def velocity(now: float, old: float) -> float:
        shift = math.log(correct / (completions - correct))
        points = [np.where(np.arange(completions) < correct, x - shift, 0.0) for x in (now, old)]
        slope = bandit.gradient(points[0], points[1], "advantage")
        return float(slope[0] - slope[-1])

    # the fixed point balances push and pull; derivatives of p(1-p) in the logit are at most 1/4, so the third
    # derivatives of the force are at most kappa (push + 3 beta); rounding enters over h
    bound = h**2 / 6 * kappa * (push + 3 * beta) + 100 * EPS * kappa * push / h
    slope_now = (velocity(logit + h, logit) - velocity(logit - h, logit)) / (2 * h)
    slope_old = (velocity(logit, logit + h) - velocity(logit, logit - h)) / (2 * h)
    within(slope_now + at_once(logit, beta, kappa), bound, "slope in theta")
    within(slope_old - late(logit, kappa), bound, "slope in theta_old")
