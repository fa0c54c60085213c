"""The bandit's exact gradient and its map against torch: Eq. 2 written down as a sum, differentiated by autograd."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from reference.bandit import SCHEDULES, STALE, SoftmaxBandit
from reference.cells import Stale
from reference.history import Schedule

torch = pytest.importorskip("torch", reason="torch is in the extra 'train': tox -e train-test")
pytestmark = pytest.mark.infrastructure

UNIT = 2.0**-53
PRIOR = [0.4, 0.25, 0.2, 0.15]
REWARDS = ([1.0, 0.0, 0.0, 1.0], [1.0, 0.3, 0.0, 2.0])
BETA = 0.7
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"size": 4},
    {"size": 4, "ddof": 1, "epsilon": 1e-4},
    {"size": 3, "ddof": 1, "clip": 0.2},
    {"size": 4, "epsilon": 1e-4, "clip": 0.05},
    {"clip": 0.2},
    {"size": 4, "normalised": False},
    {"normalised": False},
    {"size": 2},
)


def readings(options: dict[str, Any]) -> tuple[Stale, ...]:
    """The readings of "stale" that an option allows: without the importance ratio there is nothing to clip."""
    return ("advantage",) if "clip" in options else STALE


def scores(bandit: SoftmaxBandit, rewards: Any, chance: Any) -> Any:
    """Eq. 1 in each group, (m, G); for infinite groups the one "group" of all completions, weighted by `chance`."""
    reading = bandit.advantage
    if reading.size is None:
        mean = (chance * rewards).sum()
        std = ((chance * (rewards - mean) ** 2).sum()).sqrt()
        return (rewards - mean) / (std + reading.epsilon if reading.normalised else 1.0)
    centred = rewards - rewards.mean(dim=1, keepdim=True)
    spread = (rewards.amax(dim=1) > rewards.amin(dim=1))[:, None]
    if not reading.normalised:
        return torch.where(spread, centred, 0.0)
    std = rewards.std(dim=1, correction=reading.ddof, keepdim=True)
    return torch.where(spread, centred / torch.where(spread, std + reading.epsilon, 1.0), 0.0)


def loss(bandit: SoftmaxBandit, theta: Any, theta_old: Any, stale: Stale) -> Any:
    """Minus Eq. 2, summed over every ordered group with its probability under theta_old.

    "gradient" is this at theta = theta_old. "sampling" has log pi in place of the importance ratio.
    """
    rewards = torch.tensor(bandit.rewards)
    log_pi, log_old = theta.log_softmax(0), theta_old.detach().log_softmax(0)
    if bandit.advantage.size is None:
        groups = torch.arange(len(PRIOR))
        weight = log_old.exp()
        advantage = scores(bandit, rewards, weight)
    else:
        groups = torch.tensor(list(itertools.product(range(len(PRIOR)), repeat=bandit.advantage.size)))
        weight = log_old[groups].sum(dim=1, keepdim=True).exp() / bandit.advantage.size
        advantage = scores(bandit, rewards[groups], weight)
    if stale == "sampling":
        gain = log_pi[groups] * advantage
    else:
        ratio = (log_pi[groups] - log_old[groups]).exp()
        gain = ratio * advantage
        if bandit.clip is not None:
            gain = torch.minimum(gain, ratio.clamp(1 - bandit.clip, 1 + bandit.clip) * advantage)
    divergence = (log_pi.exp() * (log_pi - torch.tensor(PRIOR, dtype=torch.float64).log())).sum()
    return BETA * divergence - (weight * gain).sum()


def by_autograd(bandit: SoftmaxBandit, theta: Any, old: Any, stale: Stale) -> Any:
    """The ascent direction at theta, or at theta_old where the whole gradient is stale."""
    point = torch.tensor(old if stale == "gradient" else theta, dtype=torch.float64, requires_grad=True)
    value = loss(bandit, point, torch.tensor(old, dtype=torch.float64), stale)
    (slope,) = torch.autograd.grad(-value, point)
    return slope.numpy()


def rounding(bandit: SoftmaxBandit, theta: Any, old: Any) -> float:
    """A bound on the difference of two correct gradients in double precision.

    Either is a sum of at most m G + n terms, each a product of a probability under theta_old (m of them add up to 1),
    a ratio and an advantage, plus the KL part; a sum of N terms is off by at most (N + ops) units of the sum of their
    sizes (Higham 2002, section 4.2). Terms have relative errors of G + 30 units from exponentials, products and the
    std, times r_max/std for the cancellation in r - mean; the std of a group with spread is at least
    gap sqrt(G-1)/G, gap the smallest difference of two rewards, and |A| <= sqrt(G). Both sides err: a factor of 2.
    """
    n, size = len(PRIOR), bandit.advantage.size
    pi, pi_old = bandit.policy(theta), bandit.policy(old)
    values = np.unique(bandit.rewards)
    members = size if size is not None else n
    terms = n**members * members if size is not None else n
    mean = pi_old @ bandit.rewards
    std = float(np.sqrt(pi_old @ (bandit.rewards - mean) ** 2))
    least = std if size is None else float(np.diff(values).min()) * math.sqrt(members - 1) / members
    largest = float(np.ptp(values)) / std if size is None else math.sqrt(members)
    largest = largest if bandit.advantage.normalised else float(np.ptp(values))
    scale = largest * float((pi / pi_old).max()) + BETA * float(np.abs(np.log(pi / PRIOR)).max())
    steps = terms + n + (members + 30) * float(np.abs(values).max()) / least
    return 2 * steps * UNIT * scale


@pytest.mark.parametrize("rewards", REWARDS, ids=["two-values", "four-values"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_reading_of_the_gradient(rewards: list[float], options: dict[str, Any]) -> None:
    """At points so far apart that most ratios leave the clipping interval, and so near that some stay in it."""
    bandit = SoftmaxBandit(rewards, BETA, PRIOR, **options)
    for seed, distance in itertools.product(range(3), (0.05, 0.8)):
        generator = np.random.default_rng(seed)
        old = generator.normal(size=4)
        theta = old + distance * generator.normal(size=4)
        for stale in readings(options):
            expected = by_autograd(bandit, theta, old, stale)
            found = bandit.gradient(theta, old, stale)
            assert np.abs(found - expected).max() <= rounding(bandit, theta, old)


@pytest.mark.parametrize("stale", STALE)
def test_no_other_reading_passes(stale: Stale) -> None:
    """The bound tells the readings apart, and clip, ddof, epsilon and the division by the std from their absence."""
    generator = np.random.default_rng(5)
    old = generator.normal(size=4)
    theta = old + 0.5 * generator.normal(size=4)
    bandit = SoftmaxBandit(REWARDS[1], BETA, PRIOR, size=4, ddof=1, epsilon=1e-4)
    found, bound = bandit.gradient(theta, old, stale), rounding(bandit, theta, old)
    for other in STALE:
        gap = np.abs(by_autograd(bandit, theta, old, other) - found).max()
        assert (gap <= bound) == (other == stale)
    wrong: list[dict[str, Any]] = [
        {"ddof": 0, "epsilon": 1e-4},
        {"ddof": 1},
        {"ddof": 1, "epsilon": 1e-4, "normalised": False},
        {"ddof": 1, "epsilon": 1e-4, "clip": 0.05},
    ]
    for options in wrong:
        if stale in readings(options):
            variant = SoftmaxBandit(REWARDS[1], BETA, PRIOR, size=4, **options)
            assert np.abs(by_autograd(variant, theta, old, stale) - found).max() > 1e4 * bound


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("options", [{}, {"size": 3, "ddof": 1, "epsilon": 1e-4}, {"size": 3, "clip": 0.1}], ids=str)
def test_steps_of_the_map_are_steps_of_torch_sgd(options: dict[str, Any], schedule: Schedule) -> None:
    """Eq. 3 is SGD with momentum: torch's optimiser, fed with autograd's gradients, follows the same run.

    One step turns an error e of theta into at most (1 + eta L) e plus eta times a gradient's rounding, L < 4 the
    largest curvature, and momentum sums at most 1/(1 - mu) of them: 8 steps give the factor below.
    """
    eta, mu, interval, steps = 0.3, 0.6, 3, 8
    bandit = SoftmaxBandit(REWARDS[1], BETA, PRIOR, **options)
    for stale in readings(options):
        expected = bandit.trajectory(eta, mu, interval, stale, schedule, steps)
        theta = torch.nn.Parameter(torch.tensor(PRIOR, dtype=torch.float64).log())
        optimiser = torch.optim.SGD([theta], lr=eta, momentum=mu)
        past, run, bound = [], [], 0.0
        for step in range(steps + 1):
            past.append(theta.detach().clone())
            run.append(float(theta.detach().softmax(0) @ torch.tensor(bandit.rewards)))
            old = past[max(step - interval, 0) if schedule == "constant" else step - step % interval]
            slope = by_autograd(bandit, past[-1].numpy(), old.numpy(), stale)
            bound = max(bound, rounding(bandit, past[-1].numpy(), old.numpy()))
            theta.grad = torch.tensor(-slope)
            optimiser.step()
        growth = sum((1 + 4 * eta / (1 - mu)) ** k for k in range(steps)) * eta / (1 - mu)
        assert np.abs(np.array(run) - expected).max() <= growth * bound


def test_batches_of_prompts() -> None:
    """Two prompts with different success probabilities at once get the gradient of each."""
    priors = np.array([PRIOR, [0.1, 0.1, 0.2, 0.6]])
    both = SoftmaxBandit(REWARDS[0], BETA, priors, size=4, ddof=1)
    generator = np.random.default_rng(9)
    theta, old = generator.normal(size=(2, 2, 4))
    found = both.gradient(theta, old)
    for i, prior in enumerate(priors):
        alone = SoftmaxBandit(REWARDS[0], BETA, prior, size=4, ddof=1)
        point = torch.tensor(theta[i], requires_grad=True)
        shift = BETA * (point.softmax(0) * torch.tensor(np.log(prior / PRIOR))).sum()  # the prior enters the KL alone
        value = loss(alone, point, torch.tensor(old[i]), "advantage") - shift
        (slope,) = torch.autograd.grad(-value, point)
        assert np.abs(found[i] - slope.numpy()).max() <= rounding(alone, theta[i], old[i])
