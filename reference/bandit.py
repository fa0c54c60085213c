"""Bandit: the exact GRPO map (Eq. 1-4) of a tabular softmax policy on a finite set of completions.

`SoftmaxBandit` runs the heavy-ball map of Eq. 3 on the exact mean of Eq. 2's gradient, for infinite or finite
groups, or on sampled groups. Whole grids of learning rates, momenta, intervals, rewards, priors and betas
run at once. The fixed points of the binary bandit come from `reference.fixed_point`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.advantage import Advantage, multinomial
from reference.cells import Cells, Stale
from reference.counts import Floats, Integers
from reference.fixed_point import FixedPoint, critical_beta, critical_logit, finite_fixed_points, fixed_points
from reference.history import History, Schedule
from reference.workspace import aligned

__all__ = [
    "FixedPoint",
    "SoftmaxBandit",
    "critical_beta",
    "critical_logit",
    "finite_fixed_points",
    "fixed_points",
]

STALE: tuple[Stale, ...] = ("gradient", "sampling", "advantage")
SCHEDULES: tuple[Schedule, ...] = ("constant", "periodic")

# Most numbers in a working array, completions times cells. The five that a step touches then fit into a core's cache,
# and are long enough for numpy's call to cost less than its work. (Threads do not help: an operation is over before a
# second thread that waits for the interpreter wakes up.)
CHUNK = 65_536


class SoftmaxBandit:
    """A prompt, or a batch of independent prompts, with finitely many completions and a softmax policy.

    Args:
        rewards: reward of each completion, shape (n,) or (..., n) for a batch; n >= 2.
        beta: weight of the KL term, at least 0; broadcasts with the batch.
        prior: the reference policy, where every run starts, positive and adding up to 1, shape (n,) or (...,
            n); uniform if None.
        size: completions in a group, None for the limit of infinite groups.
        ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers); without effect for infinite groups.
        epsilon: non-negative number added to the std (trainers: 1e-4), in units of the reward.
        clip: half-width of the clipping interval of the importance ratio, positive; None leaves it out (Eq.
            2).
        normalised: False leaves out the division by the std.

    Raises:
        ValueError: an argument lies outside its domain; in particular a prompt whose rewards are all equal,
        where
            Eq. 1 is 0/0 (with epsilon > 0 or without normalisation that prompt is allowed: its advantages
            are 0 and the policy stays at the prior).

    Finite groups of two reward values use the closed form of `reference.group`; more values are enumerated.

    Source: Section 5.6 and Eq. 1-4 of the paper.
    """

    def __init__(
        self,
        rewards: ArrayLike,
        beta: ArrayLike,
        prior: ArrayLike | None = None,
        *,
        size: int | None = None,
        ddof: int = 0,
        epsilon: float = 0.0,
        clip: float | None = None,
        normalised: bool = True,
    ) -> None:
        self.rewards = domain.array("rewards", rewards)
        if self.rewards.ndim == 0 or self.rewards.shape[-1] < 2:
            raise ValueError(
                f"rewards has shape {self.rewards.shape}; expected at least 2 completions along the last axis"
            )
        self.beta = domain.array("beta", beta, 0.0)
        self.advantage = Advantage(size, ddof, epsilon, normalised)
        self.clip = clip if clip is None else domain.number("clip", clip, 0.0, closed=False)
        n = self.rewards.shape[-1]
        with np.errstate(over="ignore"):
            gap = np.ptp(self.rewards, axis=-1)
        if np.isinf(gap).any():
            raise ValueError(
                f"rewards = {self.rewards[np.isinf(gap)][0].tolist()}; expected a range that is a double (their unit "
                "does not matter: divide them)"
            )
        flat = gap == 0.0
        if np.any(flat) and normalised and epsilon == 0.0:
            raise ValueError(
                f"rewards = {self.rewards[flat][0].tolist()} of a prompt are all equal, and Eq. 1 is 0/0 in every "
                "group; expected two values at least (or epsilon > 0 or normalised=False: both leave that prompt alone)"
            )
        self.prior = np.full(n, 1.0 / n) if prior is None else domain.array("prior", prior, 0.0, closed=False)
        if self.prior.ndim == 0 or self.prior.shape[-1] != n:
            raise ValueError(
                f"prior has shape {self.prior.shape}; expected one probability for each of the {n} completions"
            )
        off = np.abs(self.prior.sum(axis=-1) - 1.0)
        if np.any(off > 1e-9):
            worst = self.prior.reshape(-1, n)[np.argmax(off)]
            raise ValueError(
                f"prior = {worst.tolist()} adds up to {worst.sum():.12g}; expected a distribution, positive numbers "
                "that add up to 1 within 1e-9 (divide it by its sum)"
            )
        self.shape = domain.shape(rewards=self.rewards.shape[:-1], prior=self.prior.shape[:-1], beta=self.beta.shape)

    @classmethod
    def binary(
        cls,
        correct: int,
        completions: int,
        beta: ArrayLike,
        p_ref: ArrayLike | None = None,
        *,
        size: int | None = None,
        ddof: int = 0,
        epsilon: float = 0.0,
        clip: float | None = None,
        normalised: bool = True,
    ) -> SoftmaxBandit:
        """Make a bandit in which the first `correct` of `completions` earn 1 and the others 0.

        Args:
            correct: number of correct completions, from 1 to completions - 1.
            completions: number of completions, at least 2.
            beta, size, ddof, epsilon, clip, normalised: as for the class.
            p_ref: success probability of the prior, strictly inside (0, 1), any shape (a batch of prompts);
                equal within each class. None takes the uniform prior.

        Raises:
            ValueError: an argument lies outside its domain.
        """
        completions = domain.integer("completions", completions, 2)
        correct = domain.integer("correct", correct, 1, completions - 1)
        rewards = (np.arange(completions) < correct).astype(np.float64)
        p = domain.open_probability("p_ref", correct / completions if p_ref is None else p_ref)[..., None]
        prior = np.where(rewards == 1.0, p / correct, (1.0 - p) / (completions - correct))
        return cls(rewards, beta, prior, size=size, ddof=ddof, epsilon=epsilon, clip=clip, normalised=normalised)

    def policy(self, theta: ArrayLike) -> Floats:
        """Return softmax(theta), shape of theta; theta holds the n logits along its last axis."""
        x = self._logits("theta", theta)
        weights: Floats = np.exp(x - x.max(axis=-1, keepdims=True))
        out: Floats = weights / weights.sum(axis=-1, keepdims=True)
        return out

    def gradient(self, theta: ArrayLike, theta_old: ArrayLike | None = None, stale: Stale = "advantage") -> Floats:
        """Compute the exact mean of Eq. 2's gradient in theta.

        Args:
            theta: logits, shape (..., n).
            theta_old: logits of the sampling policy, shape (..., n); theta itself if None.
            stale: what is evaluated at theta_old: "gradient", "sampling" or "advantage" (Eq. 2 literally).

        Returns:
            Array (..., n), the mean over all groups of `size`; it adds up to 0 along the last axis.

        Raises:
            ValueError: an argument lies outside its domain, or an enumeration would be too large.

        Source: Eq. 2, Lemma 2 and Eq. 4 of the paper.
        """
        now = self._logits("theta", theta)
        old = now if theta_old is None else self._logits("theta_old", theta_old)
        shape = domain.shape(bandit=self.shape, theta=now.shape[:-1], theta_old=old.shape[:-1])
        cells = self._cells(shape, stale)
        phi, phi_old = self._phi(now, shape), self._phi(old, shape)
        with np.errstate(over="ignore", invalid="ignore"):
            pi, pi_old = cells.policy(phi), cells.policy(phi_old)
            out = cells.gradient(phi, pi, cells.memory(phi_old, pi_old, cells.mass(pi_old)))
        if not np.isfinite(out).all():
            raise ValueError("theta, theta_old, beta or rewards are too large: the gradient is beyond 1.8e308")
        return np.moveaxis(out.reshape(-1, *shape), 0, -1)

    def moments(
        self, theta: ArrayLike, theta_old: ArrayLike | None = None, stale: Stale = "advantage"
    ) -> tuple[Floats, Floats]:
        """Compute mean and covariance of one group's gradient by enumerating every group.

        Args:
            theta: logits, shape (n,); the bandit must not be a batch.
            theta_old: logits of the sampling policy, shape (n,); theta itself if None.
            stale: as for `gradient`.

        Returns:
            The mean, (n,), and the covariance, (n, n). The mean repeats `gradient` by another route.

        Raises:
            ValueError: an argument lies outside its domain, there is no group size, or there are too many
            groups.

        Source: Eq. 2 and Lemma 6 of the paper.
        """
        size = self._size()
        now = self._logits("theta", theta)
        old = now if theta_old is None else self._logits("theta_old", theta_old)
        if self.shape or now.ndim != 1 or old.ndim != 1:
            raise ValueError(
                f"theta has shape {now.shape}, theta_old {old.shape}, the batch of prompts {self.shape}; expected "
                "(n,), (n,) and (): enumerate one prompt at a time"
            )
        cells = self._cells((), stale)
        phi, phi_old = self._phi(now, ()), self._phi(old, ())
        pi, pi_old = cells.policy(phi), cells.policy(phi_old)
        counts, chance = multinomial(size, pi_old)
        each = cells.estimate(counts.T, phi, pi, phi_old, pi_old)
        mean = each @ chance[:, 0]
        deviation = each - mean[:, None]
        return mean, (deviation * chance[:, 0]) @ deviation.T

    def trajectory(
        self,
        eta: ArrayLike,
        mu: ArrayLike,
        interval: ArrayLike,
        stale: Stale,
        schedule: Schedule,
        steps: int,
    ) -> Floats:
        """Run the heavy-ball map of Eq. 3 on the exact mean gradient, from rest at the prior.

        Args:
            eta: learning rate, positive.
            mu: momentum, in [0, 1).
            interval: refresh interval in steps, an integer of at least 0 ("constant": theta_old is the point
                `interval` steps ago, or the start) or 1 ("periodic": copied every `interval` steps).
            stale: what is evaluated at theta_old: "gradient", "sampling" or "advantage".
            schedule: "constant" or "periodic".
            steps: number of steps, at least 0.

        Returns:
            The expected reward p, shape (steps + 1, ...), where ... is the broadcast shape of the bandit's
            batch with eta, mu and interval. For finite groups it is the run of the mean gradient, not the
            mean run.

        Raises:
            ValueError: an argument lies outside its domain, or clip is set for another stale than
            "advantage".

        Source: Eq. 3 and Section 5.6 of the paper.
        """
        return self._run(eta, mu, interval, stale, schedule, steps, None, 1)

    def sample(
        self,
        eta: ArrayLike,
        mu: ArrayLike,
        interval: ArrayLike,
        stale: Stale,
        schedule: Schedule,
        steps: int,
        seed: int,
        groups: int = 1,
    ) -> Floats:
        """Run the map on sampled groups instead, fresh ones at every step; cells are independent.

        Args:
            eta, mu, interval, stale, schedule, steps: as for `trajectory`.
            seed: seed of numpy's PCG64 generator, an integer of at least 0.
            groups: groups drawn a step and averaged, at least 1.

        Returns:
            The expected reward of the policy at each step, as for `trajectory`.

        Raises:
            ValueError: an argument lies outside its domain, or the bandit has no group size.

        Source: Eq. 1-3 of the paper.
        """
        self._size()
        generator = np.random.default_rng(domain.integer("seed", seed, 0))
        groups = domain.integer("groups", groups, 1)
        return self._run(eta, mu, interval, stale, schedule, steps, generator, groups)

    def _run(
        self,
        eta: ArrayLike,
        mu: ArrayLike,
        interval: ArrayLike,
        stale: Stale,
        schedule: Schedule,
        steps: int,
        generator: np.random.Generator | None,
        groups: int,
    ) -> Floats:
        eta_ = domain.learning_rate("eta", eta)
        mu_ = domain.momentum("mu", mu)
        domain.choice("schedule", schedule, SCHEDULES)
        interval_ = domain.integers("interval", interval, 0 if schedule == "constant" else 1)
        steps = domain.integer("steps", steps, 0)
        shape = domain.shape(bandit=self.shape, eta=eta_.shape, mu=mu_.shape, interval=interval_.shape)
        cells = self._cells(shape, stale)
        count = int(np.prod(shape))
        rate, momentum = np.broadcast_to(eta_, shape).ravel(), np.broadcast_to(mu_, shape).ravel()
        # an interval longer than the run is one: theta_old stays the start
        gaps: Integers = np.minimum(np.broadcast_to(interval_, shape).ravel(), steps + 1)
        out = np.empty((steps + 1, count))
        for chosen in _pieces(count, max(CHUNK // self.rewards.shape[-1], 1)):
            part = cells.part(chosen)
            history = History(gaps[chosen], schedule)
            slope = _exact(part, history) if generator is None else _sampled(part, history, generator, groups)
            with np.errstate(over="ignore", invalid="ignore"):
                _climb(part, slope, rate[chosen], momentum[chosen], out[:, chosen])
        lost = ~np.isfinite(out)
        if lost.any():
            step, cell = (int(k) for k in np.argwhere(lost)[0])
            raise ValueError(
                f"eta = {rate[cell]}, mu = {momentum[cell]} with this beta and these rewards; expected logits that "
                f"stay below 1.8e308, but at step {step} they do not (a smaller eta or beta)"
            )
        return out.reshape(steps + 1, *shape)

    def _cells(self, shape: tuple[int, ...], stale: Stale) -> Cells:
        """Flatten the batch to the columns of a Cells, keeping what all cells share as one column."""
        domain.choice("stale", stale, STALE)
        if self.clip is not None and stale != "advantage":
            raise ValueError(
                f"clip = {self.clip} with stale = {stale!r}; expected stale = 'advantage' or clip = None: the other "
                "readings have no importance ratio"
            )

        def columns(a: Floats) -> Floats:
            if a.ndim == 1:
                return a[:, None]
            return np.broadcast_to(a, (*shape, a.shape[-1])).reshape(-1, a.shape[-1]).T.copy()

        beta = self.beta.ravel() if self.beta.size == 1 else np.broadcast_to(self.beta, shape).ravel()
        return Cells(columns(self.rewards), columns(np.log(self.prior)), beta, self.advantage, stale, self.clip)

    def _phi(self, theta: Floats, shape: tuple[int, ...]) -> Floats:
        """Return theta - log(prior) as columns."""
        n = theta.shape[-1]
        return np.broadcast_to(theta - np.log(self.prior), (*shape, n)).reshape(-1, n).T.copy()

    def _logits(self, name: str, theta: ArrayLike) -> Floats:
        x = domain.array(name, theta)
        if x.ndim == 0 or x.shape[-1] != self.rewards.shape[-1]:
            raise ValueError(
                f"{name} has shape {x.shape}; expected {self.rewards.shape[-1]} logits along the last axis"
            )
        return x

    def _size(self) -> int:
        if self.advantage.size is None:
            raise ValueError("size = None; expected a group size of at least 2: infinite groups have no sample to draw")
        return self.advantage.size


def _pieces(count: int, most: int) -> list[slice]:
    """Cut `count` cells into the fewest pieces of at most `most`, of equal size within one."""
    number = max(-(-count // most), 1)
    edges = [count * i // number for i in range(number + 1)]
    return [slice(a, b) for a, b in pairwise(edges)]


Slope = Callable[[int, Floats, Floats, Floats | None, Floats], Floats]


def _exact(cells: Cells, history: History) -> Slope:
    """Return the mean gradient as a function of step, phi, policy, its mass and an array to put it in."""

    def slope(step: int, phi: Floats, pi: Floats, mass: Floats | None, out: Floats) -> Floats:
        return cells.gradient(phi, pi, history.old(step, cells.memory(phi, pi, mass)), out)

    return slope


def _sampled(cells: Cells, history: History, generator: np.random.Generator, groups: int) -> Slope:
    """Return the gradient of freshly drawn groups, as `_exact` does the mean."""
    assert cells.advantage.size is not None
    size = cells.advantage.size

    def slope(step: int, phi: Floats, pi: Floats, mass: Floats | None, out: Floats) -> Floats:
        old = history.old(step, np.concatenate([phi, pi]))
        phi_old, pi_old = old[: len(phi)], old[len(phi) :]
        out[...] = 0.0
        for _ in range(groups):
            counts = generator.multinomial(size, pi_old.T).T.astype(np.float64)
            out += cells.estimate(counts, phi, pi, phi_old, pi_old)
        out /= groups
        return out

    return slope


def _climb(cells: Cells, slope: Slope, rate: Floats, momentum: Floats, out: Floats) -> None:
    """Run the heavy-ball map and write the expected reward of every step to `out`, (steps + 1, c)."""
    phi, velocity, pi, push = (aligned(cells.rewards.shape[0], len(rate)) for _ in range(4))
    for step in range(len(out)):
        cells.policy(phi, pi)
        mass = cells.mass(pi)
        out[step] = cells.reward(pi, mass)
        if step < len(out) - 1:
            velocity *= momentum
            np.multiply(slope(step, phi, pi, mass, push), rate, out=push)
            velocity += push
            phi += velocity
