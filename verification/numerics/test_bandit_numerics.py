"""The bandit of reference.bandit against differentiated enumerations, plain loops, sampling, and limits."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import drift, regime
from reference.bandit import SoftmaxBandit, _pieces
from reference.cells import Stale
from reference.history import History, Schedule
from reference.workspace import aligned

pytestmark = pytest.mark.infrastructure

UNIT = 2.0**-53
STALES: tuple[Stale, ...] = ("gradient", "sampling", "advantage")
SCHEDULES: tuple[Schedule, ...] = ("constant", "periodic")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"ddof": 1, "epsilon": 1e-4},
    {"normalised": False},
    {"clip": 0.2},
    {"ddof": 1, "epsilon": 0.1, "clip": 0.05},
)
REWARDS = ([1.0, 0.0, 0.0], [1.0, 0.3, 0.0], [2.0, 2.0, -1.0])
PRIOR = [0.5, 0.2, 0.3]


def softmax(theta: list[Any]) -> list[Any]:
    weights = [mpmath.exp(x) for x in theta]
    return [w / mpmath.fsum(weights) for w in weights]


def advantages(bandit: SoftmaxBandit, rewards: list[Any]) -> list[Any]:
    """Eq. 1 as it stands, at 50 digits; 0 without spread."""
    size = len(rewards)
    mean = mpmath.fsum(rewards) / size
    if len(set(rewards)) == 1:
        return [mpmath.mpf(0)] * size
    reading = bandit.advantage
    std = mpmath.sqrt(mpmath.fsum((r - mean) ** 2 for r in rewards) / (size - reading.ddof))
    below = std + mpmath.mpf(reading.epsilon) if reading.normalised else 1
    return [(r - mean) / below for r in rewards]


def objective(bandit: SoftmaxBandit, theta: list[Any], theta_old: list[Any]) -> Any:
    """Eq. 2 for one prompt as a plain sum over all ordered groups drawn from theta_old, at 50 digits."""
    pi, old = softmax(theta), softmax(theta_old)
    rewards = [mpmath.mpf(float(r)) for r in bandit.rewards]
    size, clip = bandit.advantage.size, bandit.clip
    assert size is not None
    total = mpmath.mpf(0)
    for group in itertools.product(range(len(pi)), repeat=size):
        chance = mpmath.fprod(old[o] for o in group)
        for o, advantage in zip(group, advantages(bandit, [rewards[o] for o in group]), strict=True):
            ratio = pi[o] / old[o]
            kept = ratio if clip is None else min(max(ratio, 1 - mpmath.mpf(clip)), 1 + mpmath.mpf(clip))
            total += chance * min(ratio * advantage, kept * advantage) / size
    return total - penalty(bandit, pi)


def penalty(bandit: SoftmaxBandit, pi: list[Any]) -> Any:
    prior = [mpmath.mpf(float(x)) for x in bandit.prior]
    divergence = mpmath.fsum(p * mpmath.log(p / q) for p, q in zip(pi, prior, strict=True))
    return mpmath.mpf(float(bandit.beta)) * divergence


def limit_objective(bandit: SoftmaxBandit, theta: list[Any], theta_old: list[Any]) -> Any:
    """Eq. 2 for infinite groups: the population mean and std of theta_old in Eq. 1."""
    pi, old = softmax(theta), softmax(theta_old)
    rewards = [mpmath.mpf(float(r)) for r in bandit.rewards]
    mean = mpmath.fsum(q * r for q, r in zip(old, rewards, strict=True))
    std = mpmath.sqrt(mpmath.fsum(q * (r - mean) ** 2 for q, r in zip(old, rewards, strict=True)))
    below = std + mpmath.mpf(bandit.advantage.epsilon) if bandit.advantage.normalised else 1
    clip = mpmath.inf if bandit.clip is None else mpmath.mpf(bandit.clip)
    gain = mpmath.mpf(0)
    for p, q, r in zip(pi, old, rewards, strict=True):
        advantage, ratio = (r - mean) / below, p / q
        gain += q * min(ratio * advantage, min(max(ratio, 1 - clip), 1 + clip) * advantage)
    return gain - penalty(bandit, pi)


def differentiate(function: Any, theta: list[Any]) -> list[float]:
    """Central differences with step 1e-15 at 50 digits: truncation about 1e-30, rounding about 1e-35."""
    step = mpmath.mpf(10) ** -15
    out = []
    for i in range(len(theta)):
        up, down = list(theta), list(theta)
        up[i] += step
        down[i] -= step
        out.append(float((function(up) - function(down)) / (2 * step)))
    return out


def points(seed: int, n: int) -> tuple[Any, Any, list[Any], list[Any]]:
    mpmath.mp.dps = 50
    theta, old = np.random.default_rng(seed).normal(size=(2, n))
    return theta, old, [mpmath.mpf(float(x)) for x in theta], [mpmath.mpf(float(x)) for x in old]


@pytest.mark.parametrize("rewards", REWARDS)
@pytest.mark.parametrize("options", OPTIONS)
def test_gradient_is_the_derivative_of_equation_two(rewards: list[float], options: dict[str, Any]) -> None:
    bandit = SoftmaxBandit(rewards, 0.3, PRIOR, size=3, **options)
    theta, old, exact, exact_old = points(1, 3)
    expected = differentiate(lambda x: objective(bandit, x, exact_old), exact)
    np.testing.assert_allclose(bandit.gradient(theta, old), expected, rtol=0, atol=1e-14)  # ~100 u
    np.testing.assert_allclose(bandit.moments(theta, old)[0], expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("rewards", REWARDS)
@pytest.mark.parametrize("seed", range(3))
def test_clipping_drops_what_has_left_the_interval(rewards: list[float], seed: int) -> None:
    """Points near each other, so that ratios lie on both sides of 1 and of either end of the interval."""
    theta, old, exact, exact_old = points(seed, 3)
    theta, exact = old + 0.2 * theta, [y + mpmath.mpf(0.2) * x for x, y in zip(exact, exact_old, strict=True)]
    for size in (3, None):
        bandit = SoftmaxBandit(rewards, 0.3, PRIOR, size=size, clip=0.1)
        of = limit_objective if size is None else objective
        expected = differentiate(lambda x, b=bandit, of=of: of(b, x, exact_old), exact)
        np.testing.assert_allclose(bandit.gradient(theta, old), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("rewards", REWARDS)
@pytest.mark.parametrize("options", [{}, {"epsilon": 0.2}, {"normalised": False}])
def test_infinite_groups_too(rewards: list[float], options: dict[str, Any]) -> None:
    bandit = SoftmaxBandit(rewards, 0.3, PRIOR, **options)
    theta, old, exact, exact_old = points(2, 3)
    expected = differentiate(lambda x: limit_objective(bandit, x, exact_old), exact)
    np.testing.assert_allclose(bandit.gradient(theta, old), expected, rtol=0, atol=1e-14)
    # Lemma 2: on policy every reading of "stale" is the derivative at theta_old itself
    expected = differentiate(lambda x: limit_objective(bandit, x, exact), exact)
    for stale in STALES:
        np.testing.assert_allclose(bandit.gradient(theta, None, stale), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("rewards", REWARDS)
def test_the_other_two_readings_are_sums_over_groups(rewards: list[float]) -> None:
    """E over groups of (1/G) sum A_i (e_{o_i} - pi), with pi new ("sampling") or old ("gradient")."""
    bandit = SoftmaxBandit(rewards, 0.3, PRIOR, size=3, ddof=1)
    theta, old, exact, exact_old = points(3, 3)
    pi, pi_old = softmax(exact), softmax(exact_old)
    values = [mpmath.mpf(float(r)) for r in bandit.rewards]
    readings: tuple[tuple[Stale, Any, Any], ...] = (("sampling", exact, pi), ("gradient", exact_old, pi_old))
    for stale, at, score in readings:
        total = [mpmath.mpf(0)] * 3
        for group in itertools.product(range(3), repeat=3):
            chance = mpmath.fprod(pi_old[o] for o in group)
            for o, advantage in zip(group, advantages(bandit, [values[o] for o in group]), strict=True):
                for j in range(3):
                    total[j] += chance * advantage * ((1 if o == j else 0) - score[j]) / 3
        pull = differentiate(lambda x: penalty(bandit, softmax(x)), at)
        expected = [float(t) - d for t, d in zip(total, pull, strict=True)]
        np.testing.assert_allclose(bandit.gradient(theta, old, stale), expected, rtol=0, atol=1e-14)
        np.testing.assert_allclose(bandit.moments(theta, old, stale)[0], expected, rtol=0, atol=1e-14)


@given(st.integers(0, 2**32), st.sampled_from(STALES), st.integers(2, 6))
@settings(max_examples=60)
def test_closed_form_and_enumeration_agree(seed: int, stale: Stale, size: int) -> None:
    """Two reward values go through the binomial closed form, the moments through every multinomial count."""
    generator = np.random.default_rng(seed)
    rewards = np.where(generator.permutation(4) < generator.integers(1, 4), 3.0, -0.5)
    prior = generator.dirichlet(np.ones(4)) * 0.99 + 0.0025
    theta, old = generator.normal(size=(2, 4))
    options: dict[str, Any] = {
        "ddof": int(generator.integers(2)),
        "epsilon": float(generator.choice([0.0, 1e-4, 0.5])),
    }
    bandit = SoftmaxBandit(rewards, 0.7, prior / prior.sum(), size=size, **options)
    gradient = bandit.gradient(theta, old, stale)
    np.testing.assert_allclose(gradient, bandit.moments(theta, old, stale)[0], rtol=0, atol=1e-12)
    assert abs(gradient.sum()) < 1e-13


@given(st.integers(0, 2**32), st.sampled_from(STALES), st.floats(0.01, 100.0), st.floats(-5.0, 5.0))
@settings(max_examples=40)
def test_rewards_matter_only_up_to_scale_and_shift(seed: int, stale: Stale, scale: float, shift: float) -> None:
    generator = np.random.default_rng(seed)
    rewards, theta, old = generator.normal(size=(3, 5))
    for size in (None, 3):
        plain = SoftmaxBandit(rewards, 0.2, size=size).gradient(theta, old, stale)
        moved = SoftmaxBandit(scale * rewards + shift, 0.2, size=size).gradient(theta, old, stale)
        # shifting by up to 5 and dividing by a std of at least 0.01 * spread amplifies rounding by ~1e4
        np.testing.assert_allclose(plain, moved, rtol=0, atol=1e-10)


def plain_run(
    bandit: SoftmaxBandit, eta: float, mu: float, interval: int, stale: Stale, schedule: str, steps: int
) -> list[float]:
    """Eq. 3 as a loop over the list of all past points, through the public gradient only."""
    thetas = [np.log(bandit.prior)]
    previous = thetas[0]
    for k in range(steps):
        back = max(k - interval, 0) if schedule == "constant" else k - k % interval
        force = bandit.gradient(thetas[k], thetas[back], stale)
        following = thetas[k] + eta * force + mu * (thetas[k] - previous)
        previous = thetas[k]
        thetas.append(following)
    return [float(bandit.policy(theta) @ bandit.rewards) for theta in thetas]


@pytest.mark.parametrize("stale", STALES)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("options", [{}, {"size": 3}, {"size": 4, "clip": 0.05}])
def test_batched_runs_are_the_plain_loop(stale: Stale, schedule: Schedule, options: dict[str, Any]) -> None:
    if "clip" in options and stale != "advantage":
        options = {"size": 4}
    bandit = SoftmaxBandit([1.0, 0.2, 0.0, 0.2], 0.5, [0.1, 0.2, 0.3, 0.4], **options)
    eta, mu = np.array([0.1, 0.6])[:, None, None], np.array([0.0, 0.7])[:, None]
    intervals = np.array([1, 2, 7])
    runs = bandit.trajectory(eta, mu, intervals, stale, schedule, 25)
    assert runs.shape == (26, 2, 2, 3)
    for i, j, k in itertools.product(range(2), range(2), range(3)):
        expected = plain_run(bandit, eta[i, 0, 0], mu[j, 0], int(intervals[k]), stale, schedule, 25)
        # rounding of 25 steps, each amplifying by at most about 1 + eta + mu
        np.testing.assert_allclose(runs[:, i, j, k], expected, rtol=0, atol=1e-11)


def test_lag_conventions() -> None:
    bandit = SoftmaxBandit.binary(1, 8, 1.0)
    fresh = bandit.trajectory(0.3, 0.5, 0, "gradient", "constant", 40)
    for stale in STALES:
        for interval, schedule in ((0, "constant"), (1, "periodic")):
            again = bandit.trajectory(0.3, 0.5, interval, stale, schedule, 40)  # type: ignore[arg-type]
            np.testing.assert_allclose(again, fresh, rtol=0, atol=1e-13)
        late = bandit.trajectory(0.3, 0.5, 1, stale, "constant", 40)
        assert np.abs(late - fresh).max() > 1e-3
    # with stale gradients, a lag of 5 repeats the very first force six times
    stuck = plain_run(bandit, 0.01, 0.0, 5, "gradient", "constant", 6)
    np.testing.assert_allclose(bandit.trajectory(0.01, 0.0, 5, "gradient", "constant", 6), stuck, rtol=0, atol=1e-14)


def test_history_by_hand() -> None:
    intervals = np.array([0, 1, 3])
    lagged = History(intervals, "constant")
    rows = [lagged.old(k, np.full((2, 3), float(k))).copy()[1].tolist() for k in range(6)]
    assert rows == [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 2, 0], [4, 3, 1], [5, 4, 2]]
    held = History(np.array([1, 2, 4]), "periodic")
    rows = [held.old(k, np.full((2, 3), float(k))).copy()[1].tolist() for k in range(6)]
    assert rows == [[0, 0, 0], [1, 0, 0], [2, 2, 0], [3, 2, 0], [4, 4, 4], [5, 4, 4]]


def test_history_without_a_lag_hands_back_what_it_gets() -> None:
    now = np.zeros((2, 3))
    assert History(np.zeros(3, dtype=np.int64), "constant").old(0, now) is now
    assert History(np.ones(3, dtype=np.int64), "periodic").old(0, now) is now
    assert History(np.array([0, 0, 1]), "constant").old(0, now) is not now
    assert History(np.array([1, 1, 2]), "periodic").old(0, now) is not now


def test_batches_of_prompts_and_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of priors, rewards and betas, larger than one chunk, equals its members one at a time."""
    monkeypatch.setattr("reference.bandit.CHUNK", 5 * 1024)
    generator = np.random.default_rng(5)
    p_ref = generator.uniform(0.05, 0.6, 1500)
    bandit = SoftmaxBandit.binary(2, 5, 0.8, p_ref, size=4, ddof=1)
    runs = bandit.trajectory(0.4, 0.3, 2, "advantage", "periodic", 12)
    assert runs.shape == (13, 1500)
    for i in (0, 1023, 1024, 1499):
        alone = SoftmaxBandit.binary(2, 5, 0.8, float(p_ref[i]), size=4, ddof=1)
        expected = alone.trajectory(0.4, 0.3, 2, "advantage", "periodic", 12)
        np.testing.assert_allclose(runs[:, i], expected, rtol=0, atol=1e-14)
    rewards = np.array([[1.0, 0.0, 0.5], [0.0, 2.0, 0.0]])
    betas = np.array([[0.1], [0.9]])
    both = SoftmaxBandit(rewards, betas)
    runs = both.trajectory(0.3, 0.0, [[[1]], [[3]]], "sampling", "constant", 9)
    assert runs.shape == (10, 2, 2, 2)
    for k, i, j in itertools.product(range(2), range(2), range(2)):
        expected = SoftmaxBandit(rewards[j], betas[i, 0]).trajectory(0.3, 0.0, [1, 3][k], "sampling", "constant", 9)
        np.testing.assert_allclose(runs[:, k, i, j], expected, rtol=0, atol=1e-14)
    gaps = SoftmaxBandit([[1.0, 0.0, 0.0], [5.0, 0.0, 0.0]], 0.5, size=4, epsilon=0.1)
    one = SoftmaxBandit([5.0, 0.0, 0.0], 0.5, size=4, epsilon=0.1)
    theta = [0.3, -0.2, 0.1]
    np.testing.assert_allclose(gaps.gradient(theta)[1], one.gradient(theta), rtol=0, atol=1e-15)


@pytest.mark.parametrize("stale", STALES)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("rewards", [[0.0, 1.0, 0.0, 1.0], [3.0, 3.0, 1.0, 2.0]])
def test_chunks_do_not_change_a_bit(
    rewards: list[float], stale: Stale, schedule: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cells never touch one another: any cut of the grid gives the same doubles, remainders of registers included.

    (Pieces of two cells or more: along a single one numpy adds in another order.)
    """
    bandit = SoftmaxBandit(rewards, 0.5, [0.1, 0.2, 0.3, 0.4])
    eta, interval = np.linspace(0.02, 1.6, 6)[:, None], np.arange(1, 8)
    whole = bandit.trajectory(eta, 0.8, interval, stale, schedule, 25)
    for chunk in (4 * 20, 4 * 7, 4 * 2):
        monkeypatch.setattr("reference.bandit.CHUNK", chunk)
        assert np.array_equal(whole, bandit.trajectory(eta, 0.8, interval, stale, schedule, 25))
    assert bandit.trajectory(eta[:0], 0.8, interval, stale, schedule, 25).shape == (26, 0, 7)


@pytest.mark.parametrize("shape", [(1,), (3, 5), (8, 6400), (2, 0)])
def test_working_arrays_are_zeros_that_begin_on_a_cache_line(shape: tuple[int, ...]) -> None:
    kept = [aligned(*shape) for _ in range(5)]
    for array in kept:
        assert array.shape == shape
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.ctypes.data % 64 == 0 or array.size == 0
        assert not np.any(array)


def test_rewards_shared_by_all_cells_or_given_to_each_are_the_same_bandit() -> None:
    """Shared rewards are summed by level, repeated ones completion by completion; both to 4 (n + 2) roundings."""
    theta, old, _, _ = points(8, 5)
    for rewards in ([0.0, 1.0, 0.0, 1.0, 1.0], [4.0, 3.0, 3.0, 4.0, 3.5]):
        shared = SoftmaxBandit(rewards, 0.5)
        apart = SoftmaxBandit([rewards, rewards], 0.5)
        for stale in STALES:
            here, there = shared.gradient(theta, old, stale), apart.gradient(theta, old, stale)
            # the mean of rewards up to 4 enters; |gradient| <= |A| max pi < 3
            np.testing.assert_allclose(there, np.stack([here, here]), rtol=0, atol=4 * 7 * UNIT * 4 * 3)


def test_a_batch_of_logits_is_its_members_one_at_a_time() -> None:
    """Logits of every shape that broadcasts, far apart in size, so that no member may see another's largest."""
    theta = np.array([[[0.3, -0.2, 0.1]], [[-700.0, -701.0, -702.0]]])  # (2, 1, 3)
    old = np.array([[0.0, 0.5, -0.5], [400.0, 401.0, 399.0], [1.0, 1.0, 1.0]])  # (3, 3)
    for bandit, count in (
        (SoftmaxBandit([1.0, 0.3, 0.0], 0.4, PRIOR), 1),
        (SoftmaxBandit([[1.0, 0.3, 0.0], [0.0, 0.0, 2.0], [1.0, 1.0, 0.0]], [0.4, 0.0, 2.0], [PRIOR] * 3), 3),
    ):
        assert np.array_equal(
            bandit.policy(theta),
            np.exp(theta - theta.max(-1, keepdims=True))
            / np.sum(np.exp(theta - theta.max(-1, keepdims=True)), axis=-1, keepdims=True),
        )
        assert bandit.policy(theta).shape == theta.shape
        for stale in STALES:
            found = bandit.gradient(theta, old, stale)
            assert found.shape == (2, 3, 3)
            for i, j in itertools.product(range(2), range(3)):
                k = j if count == 3 else 0
                alone = SoftmaxBandit(bandit.rewards.reshape(count, 3)[k], bandit.beta.reshape(count)[k], PRIOR)
                expected = alone.gradient(theta[i, 0], old[j], stale)
                # the KL term subtracts means of logits up to 702: 4 (n + 2) roundings of them, times beta <= 2
                np.testing.assert_allclose(found[i, j], expected, rtol=0, atol=20 * 702 * 2 * UNIT)
    # the logits of one side alone, or of the bandit alone, may be the batch
    one = SoftmaxBandit([1.0, 0.3, 0.0], 0.4, PRIOR)
    assert one.gradient(theta).shape == (2, 1, 3)
    assert one.gradient(theta[0, 0], old).shape == (3, 3)
    assert one.gradient(old, theta[0, 0]).shape == (3, 3)
    assert SoftmaxBandit([1.0, 0.3, 0.0], np.ones((4, 1)), PRIOR).gradient(theta[0, 0]).shape == (4, 1, 3)


def test_binary_passes_every_option_on() -> None:
    """The short way builds the same bandit as the long one, option by option."""
    theta, old = np.random.default_rng(4).normal(size=(2, 4))
    plain = SoftmaxBandit.binary(1, 4, 0.3, 0.4, size=3)
    choices: tuple[dict[str, Any], ...] = (
        {"size": None},
        {"size": 3, "ddof": 1},
        {"size": 3, "epsilon": 0.1},
        {"size": 3, "clip": 0.05},
        {"size": 3, "normalised": False},
    )
    for options in choices:
        short = SoftmaxBandit.binary(1, 4, 0.3, 0.4, **options)
        long = SoftmaxBandit([1.0, 0.0, 0.0, 0.0], 0.3, [0.4, *[(1.0 - 0.4) / 3] * 3], **options)
        assert np.array_equal(short.gradient(theta, old), long.gradient(theta, old))
        assert np.abs(short.gradient(theta, old) - plain.gradient(theta, old)).max() > 1e-3
    assert plain.rewards.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert plain.rewards.dtype == np.float64
    assert SoftmaxBandit.binary(1, 4, 0.3).prior.tolist() == [0.25] * 4


def test_the_worst_prior_of_a_batch_is_shown() -> None:
    with pytest.raises(
        ValueError,
        match=r"^prior = \[0\.5, 0\.3\] adds up to 0\.8; .* add up to 1 within 1e-9 \(divide it by its sum\)$",
    ):
        SoftmaxBandit([1.0, 0.0], 0.1, [[[0.5, 0.5]], [[0.5, 0.3]], [[0.5, 0.6]]])
    assert SoftmaxBandit([1.0, 0.0], 0.1, [0.5, 0.5 + 0.9e-9]).prior[1] > 0.5  # a rounded table is taken as it is


def test_one_prompt_at_a_time_is_enumerated() -> None:
    one = SoftmaxBandit([1.0, 0.0], 0.1, size=3)
    for theta, old, bandit in (
        (np.zeros((2, 2)), np.zeros(2), one),
        (np.zeros(2), np.zeros((2, 2)), one),
        (np.zeros(2), np.zeros(2), SoftmaxBandit([1.0, 0.0], [0.1, 0.2], size=3)),
    ):
        with pytest.raises(
            ValueError, match=r"^theta has shape .* expected \(n,\), \(n,\) and \(\): enumerate one pro"
        ):
            bandit.moments(theta, old)


def test_a_run_of_no_steps_is_its_start() -> None:
    bandit = SoftmaxBandit.binary(1, 4, 0.3, [0.2, 0.4], size=4)
    for run in (
        bandit.trajectory(0.1, 0.5, 1, "advantage", "constant", 0),
        bandit.sample(0.1, 0.5, 1, "advantage", "constant", 0, seed=3),
    ):
        assert run.shape == (1, 2)
        np.testing.assert_allclose(run[0], [0.2, 0.4], rtol=4 * UNIT)  # divided by their sum


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 60])
@pytest.mark.parametrize("most", [1, 3, 7, 100])
def test_pieces_cover_every_cell_once_in_the_fewest_pieces(count: int, most: int) -> None:
    pieces = _pieces(count, most)
    assert [i for piece in pieces for i in range(count)[piece]] == list(range(count))
    sizes = [len(range(count)[piece]) for piece in pieces]
    assert max(sizes) <= most
    assert max(sizes) - min(sizes) <= 1
    assert len(pieces) == max(math.ceil(count / most), 1)


# Of 100 two-sided comparisons at z each: 100 * 2 * (1 - Phi(5.8)) = 6.6e-7, so the family's false alarm is below 1e-6.
Z = 5.8
# A wrong law that shifts a comparison by Z + 5 of its standard errors escapes with probability 1 - Phi(5) = 3e-7.
SEEN = Z + 5.0


def agree(sample: Any, mean: float, variance: float) -> None:
    """Compare sampled values with an exact mean and variance, at alpha = 1e-6 for all calls of a test together.

    That a mean wrong by 10% and a variance wrong by a factor of 4 either way would be found with power above
    1 - 1e-6, in this very comparison, is asserted too. Errors: of the mean sd/sqrt(n); of the variance from the
    fourth moment. The share 1e-6 covers that the moves of p are linear in eta = 1e-6 up to eta.
    """
    n, near = len(sample), 1e-5
    error = math.sqrt(variance / n) + near
    fourth = float(((sample - sample.mean()) ** 4).mean())
    spread = math.sqrt((fourth - float(sample.var()) ** 2) / n) + near * variance
    assert abs(sample.mean() - mean) < Z * error
    assert abs(sample.var() - variance) < Z * spread
    assert 0.1 * abs(mean) > SEEN * error
    for factor in (4.0, 0.25):
        assert abs(factor - 1.0) * variance > SEEN * spread * math.sqrt(max(factor, 1.0))
    assert not abs(sample.mean() - 1.1 * mean) < Z * error
    assert not abs(sample.var() - 4.0 * variance) < Z * spread
    assert not abs(sample.var() - variance / 4.0) < Z * spread


def test_sampling_agrees_with_enumeration_at_alpha_one_in_a_million() -> None:
    """Mean and variance of one sampled step on policy, for every reading, two- and three-valued rewards: 12 of 100."""
    draws, eta, start = 250_000, 1e-6, np.array(PRIOR)
    for seed, (rewards, stale) in enumerate(itertools.product(([1.0, 0.0, 0.0], [1.0, 0.3, 0.0]), STALES)):
        bandit = SoftmaxBandit(rewards, 0.4, PRIOR, size=4, ddof=1, epsilon=1e-4)
        mean, covariance = bandit.moments(np.log(PRIOR), None, stale)
        # one step of eta from the prior moves p by eta * grad p . estimate, up to eta^2
        slope = start * (np.array(rewards) - start @ np.array(rewards))
        runs = bandit.sample(np.full(draws, eta), 0.0, 1, stale, "constant", 1, seed=seed)
        agree((runs[1] - runs[0]) / eta, float(slope @ mean), float(slope @ covariance @ slope))


@pytest.mark.parametrize("clip", [None, 0.3])
def test_sampling_agrees_with_enumeration_off_policy(clip: float | None) -> None:
    """The second step, whose theta_old is the prior: at most 5 places times 2, for 3 readings and one clipped, of 100.

    With two completions p tells theta, and a step moves the logit by eta times the difference of the estimate's two
    components. The first step leaves the prior for one of 5 places, one a number of successes in a group of 4; there
    mean and variance are enumerated at theta != theta_old.
    """
    eta, draws = 0.6, 300_000
    bandit = SoftmaxBandit([1.0, 0.0], 0.2, [0.35, 0.65], size=4, ddof=1, clip=clip)
    readings: tuple[Stale, ...] = ("advantage",) if clip else STALES
    for seed, stale in enumerate(readings):
        runs = bandit.sample(np.full(draws, eta), 0.0, 1, stale, "constant", 2, seed=40 + seed)
        logits = np.log(runs) - np.log1p(-runs)
        places, which = np.unique(np.round(logits[1], 9), return_inverse=True)
        seen = 0
        for number, place in enumerate(places):
            moves = (logits[2] - logits[1])[which == number] / eta
            theta = [float(logits[1][which == number][0]), 0.0]
            mean, covariance = bandit.moments(theta, np.log([0.35, 0.65]), stale)
            expected, variance = mean[0] - mean[1], covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1]
            if abs(place - logits[0, 0]) > 0.1 and 0.1 * abs(expected) > 1.05 * SEEN * math.sqrt(variance / len(moves)):
                agree(moves, float(expected), float(variance))
                seen += 1
        assert seen >= 2


def test_sampled_mean_run_and_seeds() -> None:
    bandit = SoftmaxBandit.binary(1, 4, 0.5, size=4)
    cells = np.full(4000, 0.02)
    runs = bandit.sample(cells, 0.5, 3, "advantage", "periodic", 30, seed=11)
    assert np.array_equal(runs, bandit.sample(cells, 0.5, 3, "advantage", "periodic", 30, seed=11))
    assert not np.array_equal(runs, bandit.sample(cells, 0.5, 3, "advantage", "periodic", 30, seed=12))
    mean = bandit.trajectory(0.02, 0.5, 3, "advantage", "periodic", 30)
    error = runs[-1].std() / math.sqrt(4000)
    # the mean run and the run of the mean differ at second order in the fluctuation: curvature <= 1/2 times
    # variance
    assert abs(runs[-1].mean() - mean[-1]) < 4.892 * error + 0.5 * runs[-1].var()
    averaged = bandit.sample(cells, 0.5, 3, "advantage", "periodic", 30, seed=13, groups=9)
    # variances of 4000 cells: their ratio's sd is about sqrt(4/4000) = 3%, times 4.892, and p's curvature
    assert runs[-1].var() / averaged[-1].var() == pytest.approx(9.0, rel=0.2)


def test_covariance_is_the_scalar_noise_when_classes_are_alike() -> None:
    """G Var along grad p is kappa^2 sigma^4 times the logit noise of reference.group."""
    from reference.group import noise_variance

    for correct, size, ddof in ((1, 5, 0), (2, 4, 1)):
        bandit = SoftmaxBandit.binary(correct, 4, 0.0, size=size, ddof=ddof)
        covariance = bandit.moments(np.zeros(4))[1]
        p = correct / 4
        slope = np.where(bandit.rewards == 1.0, 0.25 * (1.0 - p), -0.25 * p)
        expected = (drift.class_rate(correct, 4) * p * (1.0 - p)) ** 2 * float(noise_variance(p, size, ddof))
        assert size * float(slope @ covariance @ slope) == pytest.approx(expected, rel=1e-12)


def test_within_class_spread_adds_noise() -> None:
    """With unequal completions inside a class the noise is larger against the drift, at equal p."""
    even = SoftmaxBandit.binary(2, 4, 0.0, size=4)
    theta = np.log([0.4, 0.1, 0.25, 0.25])
    variance = []
    for logits in (np.zeros(4), theta):
        pi = even.policy(logits)
        slope = pi * (even.rewards - 0.5)
        mean, covariance = even.moments(logits)
        variance.append(float(slope @ covariance @ slope) / float(slope @ mean) ** 2)
    assert variance[1] > 1.05 * variance[0]


@pytest.mark.parametrize(("correct", "completions"), [(1, 8), (3, 8), (1, 2), (5, 6)])
@pytest.mark.parametrize("size", [None, 2, 5])
def test_drift_closes_on_p_for_two_values(correct: int, completions: int, size: int | None) -> None:
    for ddof, p in itertools.product((0, 1), (0.05, 0.5, 0.93)):
        bandit = SoftmaxBandit.binary(correct, completions, 0.6, 0.2, size=size, ddof=ddof)
        inside = SoftmaxBandit.binary(correct, completions, 0.6, p)
        pi = inside.prior
        slope = pi * (bandit.rewards - p)
        expected = float(slope @ bandit.gradient(np.log(pi)))
        kappa = drift.class_rate(correct, completions)
        assert drift.drift(p, 0.2, 0.6, kappa, size, ddof) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_three_values_do_not_close() -> None:
    """Rewards 1, 1/2, 0, policies (a, 1-2a, a): always p = 1/2, but dp/dt = a^2/(2 sigma), sigma^2 = a/2."""
    bandit = SoftmaxBandit([1.0, 0.5, 0.0], 0.0)
    rates = []
    for pi in ([1 / 8, 3 / 4, 1 / 8], [2 / 9, 5 / 9, 2 / 9]):
        slope = np.array(pi) * (bandit.rewards - 0.5)
        rates.append(float(slope @ bandit.gradient(np.log(pi))))
    assert rates[0] == pytest.approx(1 / 32, rel=1e-13)
    assert rates[1] == pytest.approx(2 / 27, rel=1e-13)


def test_staleness_at_sizes_two_and_three() -> None:
    """No influence on the mean with two reward values; an influence with three values, or from size 4 on."""
    theta, old, _, _ = points(4, 3)
    for size in (2, 3):
        two = SoftmaxBandit([1.0, 0.0, 0.0], 0.3, size=size)
        np.testing.assert_allclose(two.gradient(theta, old), two.gradient(theta), rtol=0, atol=1e-15)
        three = SoftmaxBandit([1.0, 0.3, 0.0], 0.3, size=size)
        assert np.abs(three.gradient(theta, old) - three.gradient(theta)).max() > 0.01
    four = SoftmaxBandit([1.0, 0.0, 0.0], 0.3, size=4)
    assert np.abs(four.gradient(theta, old) - four.gradient(theta)).max() > 1e-3


def test_large_groups_tend_to_the_limit() -> None:
    theta, old, _, _ = points(6, 3)
    limit = SoftmaxBandit([1.0, 0.0, 0.0], 0.3).gradient(theta, old)
    gaps = [
        np.abs(SoftmaxBandit([1.0, 0.0, 0.0], 0.3, size=size).gradient(theta, old) - limit).max() for size in (200, 400)
    ]
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.05)  # the correction is c/G (1 + O(1/(s G)))


def test_small_steps_follow_the_flow() -> None:
    from reference.flow import flow, free_flow

    for size, beta in ((None, 0.0), (None, 1.0), (4, 1.0)):
        bandit = SoftmaxBandit.binary(1, 8, beta, size=size)
        kappa = drift.class_rate(1, 8)
        errors = []
        for eta, steps in ((0.02, 1000), (0.01, 2000)):
            run = bandit.trajectory(eta, 0.0, 0, "advantage", "constant", steps)
            t = eta * np.arange(steps + 1)
            exact = flow(t, 0.125, 0.125, beta, kappa, size)
            errors.append(np.abs(run - exact).max())
            if beta == 0.0:
                np.testing.assert_allclose(exact, free_flow(t, 0.125, kappa), rtol=0, atol=1e-9)
        assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)  # Euler: first order in eta
        assert errors[1] < 1e-3


def test_invariant_fields_at_the_vertices() -> None:
    """A run that has reached p = 1 within rounding stays finite; nothing is divided by a zero std."""
    bandit = SoftmaxBandit([1.0, 0.0], 0.0)
    run = bandit.trajectory(50.0, 0.9, 40, "gradient", "constant", 400)
    assert np.all(np.isfinite(run))
    assert run[-1] == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.isfinite(bandit.gradient([800.0, 0.0])))


def test_zero_spread_is_an_error_or_the_documented_limit() -> None:
    """Eq. 1's 0/0: refused where it is all there is; with epsilon, or undivided, an advantage of 0."""
    says = (
        r"rewards = \[1\.0, 1\.0, 1\.0\] .* 0/0 in every group; expected two .* or normalised=False: .* prompt alone\)$"
    )
    with pytest.raises(ValueError, match=says):
        SoftmaxBandit([1.0, 1.0, 1.0], 0.5)
    with pytest.raises(ValueError, match=r"rewards = \[2\.0, 2\.0\]"):
        SoftmaxBandit([[1.0, 0.0], [2.0, 2.0]], 0.5)
    choices: tuple[dict[str, Any], ...] = ({"epsilon": 1e-4}, {"normalised": False})
    theta, old, exact, _ = points(12, 3)
    for options, size in itertools.product(choices, (None, 2, 4)):
        bandit = SoftmaxBandit([1.0, 1.0, 1.0], 0.5, PRIOR, size=size, **options)
        pull = differentiate(lambda x, b=bandit: -penalty(b, softmax(x)), exact)
        # only the KL term is left, wherever the old policy stands, and at the prior nothing
        np.testing.assert_allclose(bandit.gradient(theta, old), pull, rtol=0, atol=1e-14)
        assert np.abs(bandit.gradient(np.log(PRIOR))).max() < 4 * UNIT
        np.testing.assert_allclose(bandit.trajectory(0.3, 0.5, 1, "advantage", "constant", 20), 1.0, atol=8 * UNIT)
    # beside a prompt with spread, which learns as if alone
    mixed = SoftmaxBandit([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]], 0.5, PRIOR, epsilon=1e-4)
    runs = mixed.trajectory(0.3, 0.5, 2, "advantage", "periodic", 20)
    alone = SoftmaxBandit([1.0, 0.0, 0.0], 0.5, PRIOR, epsilon=1e-4)
    np.testing.assert_allclose(runs[:, 0], 1.0, atol=8 * UNIT)
    np.testing.assert_allclose(runs[:, 1], alone.trajectory(0.3, 0.5, 2, "advantage", "periodic", 20), atol=1e-13)


def test_a_group_without_spread_counts_as_no_signal() -> None:
    """The collapsed groups of a size are among those that the enumeration sums, with advantage 0 and no warning."""
    bandit = SoftmaxBandit([1.0, 0.0], 0.0, [0.5, 0.5], size=2)
    mean, covariance = bandit.moments([0.0, 0.0])
    # with probability 1/2 the group is mixed and the estimate is (1/2, -1/2), else 0
    np.testing.assert_allclose(mean, [0.25, -0.25], rtol=0, atol=4 * UNIT)
    np.testing.assert_allclose(covariance, [[1 / 16, -1 / 16], [-1 / 16, 1 / 16]], rtol=0, atol=4 * UNIT)


@pytest.mark.parametrize("stale", STALES)
def test_offset_and_unit_of_the_rewards_cost_no_digits(stale: Stale) -> None:
    """Eq. 1 does not see r -> c r + d: here with c and d exact in binary, to the last bit where rewards are shared."""
    plain = np.array([1.0, 0.25, 0.0, 1.0])
    theta, old = np.random.default_rng(3).normal(size=(2, 4))
    expected = SoftmaxBandit(plain, 0.5).gradient(theta, old, stale)
    for scale, offset in ((2.0**-900, 0.0), (2.0**900, 0.0), (1.0, 2.0**40), (2.0**-10, 1.0)):
        found = SoftmaxBandit(scale * plain + offset, 0.5).gradient(theta, old, stale)
        # scale * (1/(scale * std)) costs two roundings
        np.testing.assert_allclose(found, expected, rtol=0, atol=32 * UNIT)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: SoftmaxBandit([1.0], 0.1), r"rewards has shape \(1,\); expected at least 2 completions"),
        (lambda: SoftmaxBandit([1.0, 0.0], 0.1, [0.5, 0.6]), r"prior = \[0\.5, 0\.6\] adds up to 1\.1; .* its sum"),
        (lambda: SoftmaxBandit([1.0, 0.0], 0.1, [0.2, 0.3, 0.5]), r"prior has shape \(3,\); .* each of the 2"),
        (lambda: SoftmaxBandit([1.0, 0.0], 0.1, [1.0, 0.0]), r"prior = 0\.0; expected in \(0, inf\)"),
        (lambda: SoftmaxBandit([1.0, math.nan], 0.1), r"rewards = nan; expected a finite number"),
        (lambda: SoftmaxBandit([1.0, 0.0], 0.1, size=1), r"size = 1; expected .*2"),
        (lambda: SoftmaxBandit([1.0, 0.0], 0.1).gradient([0.0, math.nan]), r"theta = nan; expected a finite number"),
    ],
)
def test_bad_input_says_what_was_wrong_and_what_was_expected(build: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        build()


def test_regimes_by_hand() -> None:
    t = np.arange(400)
    still = 1.0 - np.exp(-t / 30.0)
    once = 1.0 - (1.0 - t / 50.0) * np.exp(-t / 50.0)
    ringing = 1.0 - np.exp(-t / 60.0) * np.cos(t / 8.0)
    runs = np.stack([still, once, ringing], axis=1)
    assert regime.classify(runs, 1.0).tolist() == [0, 1, 2]
    assert regime.crossings(runs, 1.0)[1] == 1
    assert regime.settled(runs, 1.0, 0.05).tolist() == [True, True, True]
    assert regime.settled(runs * 0.5, 1.0).tolist() == [False, False, False]


def test_crossings_by_hand_for_each_regime() -> None:
    # start at distance 1 and a band of a quarter: on its edge a run keeps its side, beyond it changes it
    edge = np.array([[0.0, 0.0, 0.0, 2.0], [1.25, 1.5, 0.75, 0.5], [0.5, 0.5, 1.5, 1.5], [1.5, 1.0, 0.0, 2.0]])
    assert regime.crossings(edge, 1.0, 0.25).tolist() == [1, 2, 2, 2]
    assert regime.classify(edge, 1.0, 0.25).tolist() == [1, 2, 2, 2]
    many = np.array([0.0, 3.0, 0.0, 3.0])
    assert (regime.crossings(many, 1.0).tolist(), regime.classify(many, 1.0).tolist()) == (3, 2)
    assert regime.crossings(many, 1.0).dtype == np.int64
    # the band is a thousandth of the start's distance where none is given
    thin = np.array([[0.0, 0.0], [1.0 + 2.0**-10, 1.0 + 2.0**-9]])
    for judge in (regime.crossings, regime.classify):
        assert judge(thin, 1.0, 2.0**-10).tolist() == [0, 1]
        assert judge(np.array([0.0, 1.00099]), 1.0) == 0
        assert judge(np.array([0.0, 1.00101]), 1.0) == 1
        assert judge(np.array([0.0, 1.00101]), 1.0, 0.5) == 0


def test_the_band_of_a_regime_is_a_share_of_the_starting_distance() -> None:
    run = np.array([3.0, 0.625, 1.375, 0.375, 1.625])  # from 3 to 1, a distance of 2: bands of 0.5 and of 0.25
    assert regime.crossings(run, 1.0, 0.25) == 2
    assert regime.crossings(run, 1.0, 0.125) == 4
    assert regime.settled([3.0, 1.375], 1.0, 0.25)
    assert not regime.settled([3.0, 1.375], 1.0, 0.125)
    assert regime.crossings([1.0, 2.0, 0.0, 2.0], 1.0) == 2  # the side that a start on the target lacks is no crossing


def test_a_settled_regime_is_that_of_the_last_tenth() -> None:
    for length, tail in ((100, 10), (39, 3), (20, 2), (9, 1), (2, 1)):
        inside, outside = np.ones(length), np.ones(length)
        inside[0] = outside[0] = 0.0
        inside[-tail - 1] = outside[-tail] = 0.0
        assert regime.settled(inside, 1.0)
        assert not regime.settled(outside, 1.0)
    assert regime.settled([0.0, 0.75], 1.0, 0.25)  # the edge belongs to the band
    assert not regime.settled([0.0, 0.75], 1.0, 0.2)
    assert regime.settled([0.0, 1.00099], 1.0)
    assert not regime.settled([0.0, 1.00101], 1.0)
    assert regime.settled(np.array([[0.0, 0.0], [1.0, 0.5]]), 1.0).tolist() == [True, False]


@pytest.mark.parametrize("judge", [regime.crossings, regime.classify, regime.settled])
def test_what_has_no_regime_is_named(judge: Callable[..., Any]) -> None:
    empties: tuple[Any, ...] = (1.0, [])
    for empty in empties:
        says = r"^trajectory = .*; expected an array with its steps, at least one, along the first axis$"
        with pytest.raises(ValueError, match=says):
            judge(empty, 1.0)
    for share in (0.0, 1.0):
        with pytest.raises(ValueError, match=r"^tolerance = "):
            judge([0.0, 1.0], 1.0, share)
    with pytest.raises(ValueError, match=r"^target = "):
        judge([0.0, 1.0], math.inf)
    with pytest.raises(ValueError, match=r"^trajectory"):
        judge([0.0, math.nan], 1.0)


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("rewards", lambda: SoftmaxBandit([1.0], 0.1)),
        ("rewards", lambda: SoftmaxBandit(1.0, 0.1)),
        ("rewards", lambda: SoftmaxBandit([1.0, math.nan], 0.1)),
        ("beta", lambda: SoftmaxBandit([1.0, 0.0], -0.1)),
        ("beta", lambda: SoftmaxBandit([1.0, 0.0], math.nan)),
        ("prior", lambda: SoftmaxBandit([1.0, 0.0], 0.1, [0.5, 0.6])),
        ("prior", lambda: SoftmaxBandit([1.0, 0.0], 0.1, [1.0, 0.0])),
        ("prior", lambda: SoftmaxBandit([1.0, 0.0], 0.1, [1.5, -0.5])),
        ("prior", lambda: SoftmaxBandit([1.0, 0.0], 0.1, [0.2, 0.3, 0.5])),
        ("prior", lambda: SoftmaxBandit([1.0, 0.0], 0.1, [math.nan, 0.5])),
        ("size", lambda: SoftmaxBandit([1.0, 0.0], 0.1, size=1)),
        ("size", lambda: SoftmaxBandit([1.0, 0.0], 0.1, size=2.5)),  # type: ignore[arg-type]
        ("ddof", lambda: SoftmaxBandit([1.0, 0.0], 0.1, size=4, ddof=2)),
        ("epsilon", lambda: SoftmaxBandit([1.0, 0.0], 0.1, epsilon=-1.0)),
        ("clip", lambda: SoftmaxBandit([1.0, 0.0], 0.1, clip=0.0)),
        ("correct", lambda: SoftmaxBandit.binary(0, 8, 0.1)),
        ("correct", lambda: SoftmaxBandit.binary(8, 8, 0.1)),
        ("completions", lambda: SoftmaxBandit.binary(1, 1, 0.1)),
        ("p_ref", lambda: SoftmaxBandit.binary(1, 8, 0.1, 1.0)),
        ("completions", lambda: drift.class_rate(1, 1)),
        ("p_ref", lambda: drift.drift(0.5, 0.0, 0.1)),
        ("beta", lambda: drift.stiffness(0.5, -1.0)),
    ],
)
def test_bad_models_are_named(name: str, build: Any) -> None:
    with pytest.raises(ValueError, match=name):
        build()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("eta", (-0.1, 0.5, 1, "advantage", "constant", 5)),
        ("eta", (math.nan, 0.5, 1, "advantage", "constant", 5)),
        ("mu", (0.1, 1.0, 1, "advantage", "constant", 5)),
        ("mu", (0.1, -0.1, 1, "advantage", "constant", 5)),
        ("interval", (0.1, 0.5, -1, "advantage", "constant", 5)),
        ("interval", (0.1, 0.5, 1.5, "advantage", "constant", 5)),
        ("interval", (0.1, 0.5, 0, "advantage", "periodic", 5)),
        ("stale", (0.1, 0.5, 1, "advantages", "constant", 5)),
        ("schedule", (0.1, 0.5, 1, "advantage", "sometimes", 5)),
        ("steps", (0.1, 0.5, 1, "advantage", "constant", -1)),
        ("steps", (0.1, 0.5, 1, "advantage", "constant", 1.5)),
    ],
)
def test_bad_runs_are_named(name: str, arguments: tuple[Any, ...]) -> None:
    bandit = SoftmaxBandit.binary(1, 8, 1.0, size=4)
    with pytest.raises(ValueError, match=name):
        bandit.trajectory(*arguments)
    sample: Callable[..., Any] = bandit.sample
    with pytest.raises(ValueError, match=name):
        sample(*arguments, seed=1)


def test_other_bad_input_is_named() -> None:
    limit = SoftmaxBandit.binary(1, 8, 1.0)
    with pytest.raises(ValueError, match=r"^size = None; expected .* infinite groups have no sample to draw$"):
        limit.sample(0.1, 0.0, 1, "advantage", "constant", 5, seed=1)
    with pytest.raises(ValueError, match="size"):
        limit.moments(np.zeros(8))
    with pytest.raises(ValueError, match="seed"):
        SoftmaxBandit.binary(1, 8, 1.0, size=4).sample(0.1, 0.0, 1, "advantage", "constant", 5, seed=-1)
    with pytest.raises(ValueError, match="groups"):
        SoftmaxBandit.binary(1, 8, 1.0, size=4).sample(0.1, 0.0, 1, "advantage", "constant", 5, seed=1, groups=0)
    with pytest.raises(ValueError, match=r"^clip = 0\.2 .*: the other readings have no importance ratio$"):
        SoftmaxBandit([1.0, 0.0], 0.1, clip=0.2).trajectory(0.1, 0.0, 1, "sampling", "constant", 5)
    with pytest.raises(ValueError, match="theta"):
        limit.gradient(np.zeros(7))
    with pytest.raises(ValueError, match="theta_old"):
        limit.gradient(np.zeros(8), np.full(8, math.nan))
    with pytest.raises(ValueError, match="size"):
        SoftmaxBandit(np.arange(8.0), 1.0, size=40).gradient(np.zeros(8))
    with pytest.raises(ValueError, match="rewards"):
        SoftmaxBandit([[1.0, 0.5, 0.0], [1.0, 0.2, 0.0]], 1.0, size=4).gradient(np.zeros(3))
    with pytest.raises(ValueError, match="theta"):
        SoftmaxBandit([[1.0, 0.0], [0.0, 1.0]], 1.0, size=4).moments(np.zeros(2))
    with pytest.raises(ValueError, match="tolerance"):
        regime.crossings([0.0, 1.0], 1.0, 0.0)


@pytest.mark.parametrize("number", [4.0, np.array(4), np.int8(4), Fraction(4)])
def test_the_reading_of_equation_one_takes_numbers_of_any_type(number: Any) -> None:
    theta = [0.3, -0.2, 0.5]
    expected = SoftmaxBandit([1.0, 0.5, 0.0], 0.5, size=4, ddof=1, epsilon=0.25)
    found = SoftmaxBandit([1.0, 0.5, 0.0], 0.5, size=number, ddof=Fraction(1), epsilon=Fraction(1, 4))  # type: ignore[arg-type]
    for _ in range(2):
        assert np.array_equal(found.gradient(theta), expected.gradient(theta))
        assert np.array_equal(found.moments(theta)[1], expected.moments(theta)[1])
    assert number == 4, "the caller's own number is left alone"


@pytest.mark.parametrize("size", [None, 4])
@pytest.mark.parametrize("unit", [2.0**-900, 2.0**900])
@pytest.mark.parametrize("clip", [None, 0.1])
def test_the_unit_of_the_rewards_is_free_on_every_route(size: int | None, unit: float, clip: float | None) -> None:
    """Rewards of three values that are enumerated, sampled or differ between prompts: 1e-271 and 1e271 as 1."""
    shared = np.array([1.0, 0.25, 0.0, 1.0])
    theta, old = np.random.default_rng(5).normal(size=(2, 4))
    batch = np.array([shared, shared[::-1]])
    for rewards in (shared, batch) if size is None else (shared,):
        plain, scaled = (SoftmaxBandit(c * rewards, 0.5, size=size, clip=clip) for c in (1.0, unit))
        np.testing.assert_allclose(scaled.gradient(theta, old), plain.gradient(theta, old), rtol=0, atol=32 * UNIT)
    if size is not None:
        runs = [
            SoftmaxBandit(c * shared, 0.5, size=size).sample(0.2, 0.5, 2, "advantage", "periodic", 10, 3) / c
            for c in (1.0, unit)
        ]
        np.testing.assert_allclose(runs[1], runs[0], rtol=0, atol=1e-12)


def test_an_offset_that_differs_between_prompts_costs_no_digits() -> None:
    plain = np.array([[1.0, 0.25, 0.0], [0.0, 0.5, 1.0]])
    theta, old = np.random.default_rng(6).normal(size=(2, 3))
    for clip in (None, 0.1):
        expected = SoftmaxBandit(plain, 0.5, clip=clip).gradient(theta, old)
        found = SoftmaxBandit(plain + np.array([[2.0**40], [-(2.0**40)]]), 0.5, clip=clip).gradient(theta, old)
        np.testing.assert_allclose(found, expected, rtol=0, atol=32 * UNIT)


def test_groups_whose_counts_are_beyond_the_doubles_are_enumerated() -> None:
    # C(1200, 600) is 1e359; the closed form of two values is the other route; 2400 roundings of logarithms of 830
    bandit = SoftmaxBandit([1.0, 0.0], 0.5, [0.3, 0.7], size=1200)
    mean, _ = bandit.moments([0.2, 0.0])
    np.testing.assert_allclose(mean, bandit.gradient([0.2, 0.0]), rtol=1e-11, atol=0)


@pytest.mark.parametrize("stale", STALES)
def test_an_interval_longer_than_the_run_is_one_that_never_ends(stale: Stale) -> None:
    bandit = SoftmaxBandit.binary(1, 8, 1.0)
    for schedule in SCHEDULES:
        runs = bandit.trajectory(0.3, 0.5, [9, 10, 11, 10**15, 2**62], stale, schedule, 9)
        assert np.array_equal(runs, np.repeat(runs[:, :1], 5, axis=1))
        # the first nine steps of a longer run, which the next copy would change if it came early
        longer = bandit.trajectory(0.3, 0.5, [9] * 5, stale, schedule, 20)
        assert np.array_equal(runs, longer[:10])


def test_the_first_step_at_which_a_run_is_lost_is_told() -> None:
    bandit = SoftmaxBandit.binary(1, 8, 1.0)
    rates = [0.1, 1e308]
    with pytest.raises(ValueError, match=r"^eta = 1e\+308, .* at step \d+ they do not") as caught:
        bandit.trajectory(rates, 0.9, 3, "gradient", "constant", 50)
    told = re.search(r"at step (\d+)", str(caught.value))
    assert told is not None
    assert np.isfinite(bandit.trajectory(rates, 0.9, 3, "gradient", "constant", int(told[1]) - 1)).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda b: b.trajectory([0.1, 0.2], [0.5] * 3, 1, "advantage", "constant", 2), r"eta \(2,\), mu \(3,\)"),
        (lambda b: b.gradient(np.zeros((2, 8)), np.zeros((3, 8))), r"theta \(2,\), theta_old \(3,\)"),
        (lambda b: b.trajectory(1e308, 0.9, 3, "gradient", "constant", 50), r"^eta = 1e\+308, .* at step \d+ they do"),
        (lambda b: b.gradient([-1e308] * 7 + [1e308]), r"^theta, .* beyond 1\.8e308"),
        (
            lambda b: SoftmaxBandit([-1.7e308, 1.7e308], 1.0),
            r"^rewards = .* double \(their unit does not matter: divide them\)$",
        ),
        (lambda b: SoftmaxBandit(np.eye(3), [1.0, 2.0]), r"rewards \(3,\), prior \(\), beta \(2,\)"),
        (
            lambda b: SoftmaxBandit(np.eye(3), 1.0, size=4, clip=0.1).gradient(np.zeros(3)),
            r"^rewards differ .* or clip",
        ),
        (lambda b: SoftmaxBandit([1.0, 0.0], cast(Any, 10**400)), r"^beta = 10{400}; expected numbers in"),
        (lambda b: SoftmaxBandit(cast(Any, None), 1.0), r"^rewards = None; expected finite numbers$"),
        (lambda b: b.trajectory(0.1, 0.5, [[1], [1, 2]], "advantage", "constant", 2), r"^interval = .* whole numbers"),
    ],
)
def test_extreme_and_misfitting_input_is_named(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call(SoftmaxBandit.binary(1, 8, 1.0))
