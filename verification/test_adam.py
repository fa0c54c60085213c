"""Is Adam's beta_1 the momentum of Eq. 3? Exact simulation of AdamW on a quadratic."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference import adam, momentum
from reference.domain import Floats
from spec import adam as said
from spec.symbols import K, eta
from verification.evidence import kill, within

EPS = float(np.finfo(float).eps)
BETA_1, BETA_2 = 0.9, 0.99  # a shorter memory than 0.999 shortens the wait for the jitter, about 2000 steps here


def largest_step(beta_1: float, beta_2: float) -> float:
    """Cauchy-Schwarz: |m|/sqrt(v) <= (1-b1)/sqrt((1-b2)(1-b1^2/b2)), both moments started long ago."""
    return (1 - beta_1) / math.sqrt((1 - beta_2) * (1 - beta_1**2 / beta_2))


@pytest.mark.claim("sec-3.1-adam-momentum", step="jitter", kind="property")
@pytest.mark.parametrize("stiffness", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("rate", [1e-3, 1e-2])
def test_a_constant_rate_ends_in_jitter_and_a_linear_decay_follows_the_rate(stiffness: float, rate: float) -> None:
    # Were |e| below the cycle's x for good, sqrt(v) would fall below K x and the gain rise beyond 2(1 + beta_1), where
    # the map is unstable: so x is reached again and again. From above: a sign change is at most one step away.
    steps, low, high = 8000, float(adam.cycle(rate, BETA_1)), rate * largest_step(BETA_1, BETA_2)

    def jitters(path: Floats) -> None:
        for window in np.split(np.abs(path[4001:]).ravel(), 2):
            assert float(np.max(window)) >= low
            within(float(np.max(window)), high, "jitter")

    jitters(adam.trajectory(stiffness, 100 * rate, rate, steps, beta2=BETA_2))
    ball = momentum.trajectory(BETA_1, 0.5, 100 * rate, 100 * rate, steps)
    kill("heavy-ball-converges", lambda: jitters(ball))
    decayed = adam.trajectory(stiffness, 100 * rate, rate, steps, beta2=BETA_2, schedule="linear")[:, 0]
    for part in (0.5, 0.1, 0.01):  # of the steps still to go; the rate there is that part of eta
        within(float(np.max(np.abs(decayed[-round(part * steps) :]))), part * high, f"error at {part} eta")


@pytest.mark.claim("sec-3.1-adam-momentum", step="clipped", kind="property")
def test_far_away_a_clipped_run_moves_as_under_a_constant_force() -> None:
    def same(clip: float) -> None:
        near, far = (adam.trajectory(1.0, start, 0.1, 200, clip=clip, epsilon=0.0)[:, 0] for start in (50.0, 5000.0))
        # the path shifts by 4950; each of 200 steps rounds a value below 5000 once in each run
        within(float(np.max(np.abs((far - near) - 4950.0))), 200 * 5000 * EPS, "shift")
        # a constant force has both corrected moments at 1: e falls by eta a step, each step 0.1 to 200 * 10 roundings
        within(float(np.max(np.abs(near - 50.0 + 0.1 * np.arange(201)))), 200 * (50 + 0.1 * 2000) * EPS, "line")

    same(1.0)
    kill("unclipped", lambda: same(math.inf))


@pytest.mark.claim("sec-3.1-adam-momentum", step="reference-scale", kind="property")
@settings(max_examples=25)
@given(stiffness=st.floats(0.01, 100), rate=st.floats(1e-4, 1.0), beta_2=st.floats(0.5, 0.9999))
def test_four_times_the_loss_is_the_same_path(stiffness: float, rate: float, beta_2: float) -> None:
    one = adam.trajectory(stiffness, 1.0, rate, 60, epsilon=0.0, beta2=beta_2)
    four = adam.trajectory(4 * stiffness, 1.0, rate, 60, epsilon=0.0, beta2=beta_2)
    assert np.array_equal(one, four)  # a power of two commutes with every rounding
    assert momentum.trajectory(0.9, rate, 1.0, 1.0, 2)[2] != momentum.trajectory(0.9, 4 * rate, 1.0, 1.0, 2)[2]


_next = sp.lambdify((said.e_0, said.e_1, said.beta_1, eta, K, said.r), said.frozen_next)
_cycle = sp.lambdify((eta, said.beta_1), said.cycle)


@pytest.mark.claim("sec-3.1-adam-momentum", step="reference-frozen", kind="property")
@settings(max_examples=50)
@given(beta_1=st.floats(0, 0.99), rate=st.floats(1e-3, 1.0), stiffness=st.floats(0.01, 10), root=st.floats(0.1, 100))
def test_with_a_frozen_second_moment_the_path_is_the_heavy_balls(
    beta_1: float, rate: float, stiffness: float, root: float
) -> None:
    path = adam.trajectory(stiffness, 1.0, rate, 20, beta1=beta_1, beta2=1.0, epsilon=0.0, second_moment=root**2)[:, 0]
    gain = rate * (1 - beta_1) * stiffness / root
    for e_0, e_1, e_2 in zip(path, path[1:], path[2:], strict=False):
        # e_1 - e_0 carries the roundings of both, times beta_1 <= 1, and m's own 20 steps of at most 4 roundings
        size = (3 + gain) * max(abs(e_0), abs(e_1), abs(e_2))
        past = max(1.0, gain * 20) * float(np.max(np.abs(path)))
        within(float(_next(e_0, e_1, beta_1, rate, stiffness, root) - e_2), 100 * EPS * (size + past), "next value")


@pytest.mark.claim("sec-3.1-adam-momentum", step="reference-cycle", kind="property")
@given(rate=st.floats(1e-4, 10), beta_1=st.floats(0, 0.99))
def test_the_amplitude_is_that_of_the_cycle(rate: float, beta_1: float) -> None:
    # five roundings on either side, 1 - beta_1 being exact or shared
    within(float(adam.cycle(rate, beta_1)) / float(_cycle(rate, beta_1)) - 1, 10 * EPS, "amplitude")


RUNS, STEPS, RATE, SPREAD, START = 20_000, 300, 0.2, 20.0, 2.0
CHECKPOINTS = (10, 25, 50, 100, 200, 300)
Z = 5.2  # two-sided 2e-7 each, 1.2e-6 for the six checkpoints together


@cache
def ensemble() -> NDArray[np.float64]:
    """e at the checkpoints, one row each, started from rest with the second moment at s^2."""
    runs = adam.trajectory(1.0, np.full((RUNS, 1), START), RATE, STEPS, noise=SPREAD, second_moment=SPREAD**2, seed=31)
    return runs[list(CHECKPOINTS), :, 0]


# What freezing leaves out, as a share of the gain: v exceeds s^2 by K^2 e_0^2 = 1% at first and by eta K/(2s) = 0.5%
# at last, half of which the root takes: 0.75%; a gradient is weighed against its own square, 1.5 (1 - beta_2) = 0.15%,
# and the spread of v adds (3/8) (1 - beta_2) = 0.04%. A share q of the gain moves e by at most q e_0 max x exp(-x)
# (1/e, the map being overdamped to 10%, so 1.2/e).
BIAS = (0.0075 + 0.0015 + 0.0004) * START * 1.2 / math.e


@pytest.mark.claim("new-adamw-effective-gain", step="ensemble", kind="statistical", alpha=1.2e-6, power=0.999)
def test_under_noise_the_mean_follows_the_map_with_1_minus_beta_in_its_gain() -> None:
    found = ensemble()
    errors = Z * found.std(axis=1, ddof=1) / math.sqrt(RUNS) + BIAS
    gain = float(adam.effective_gain(RATE, 1.0, SPREAD, BETA_1))

    def follows(mu: float, a: float) -> None:
        path = momentum.trajectory(mu, a, START, START * (1 - a), STEPS)
        for mean, k, bound in zip(found.mean(axis=1), CHECKPOINTS, errors, strict=True):
            within(float(mean - path[k]), float(bound), f"mean at step {k}")

    follows(BETA_1, gain)
    # power: 7 standard errors beyond the bound or more: the naive gain is off by 54 bounds at step 25, the same gain
    # without momentum by 6 at step 10
    kill("naive-gain", lambda: follows(BETA_1, gain / (1 - BETA_1)))
    kill("no-momentum", lambda: follows(0.0, gain / (1 - BETA_1)))
