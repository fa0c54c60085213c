"""Advantage: Eq. 1 on a finite set of completions; its limit, its exact mean, its value in one group.

Arrays hold completions along the first axis and independent cells along the second: policies are (n, c),
rewards (n, 1) or (n, c).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.counts import Floats, compositions
from reference.group import drift_factor

# The most compositions that an exact enumeration may hold.
ENUMERATION_LIMIT = 50_000

# Up to this many draws no multinomial coefficient of an enumeration that small leaves the range of doubles.
DIRECT_LIMIT = 1_000


@dataclass(frozen=True)
class Advantage:
    """The reading of Eq. 1: how a group of completions turns rewards into advantages.

    Args:
        size: completions in a group, None for the limit of infinite groups, else an integer of at least 2.
        ddof: 0 (population std, Eq. 1) or 1 (sample std, trainers).
        epsilon: non-negative number added to the std (trainers: 1e-4), in units of the reward.
        normalised: False leaves out the division by the std.

    Raises:
        ValueError: an argument lies outside its domain.

    A group without spread has the advantage 0/0 in Eq. 1; here it is 0, as in trainers.
    """

    size: int | None = None
    ddof: int = 0
    epsilon: float = 0.0
    normalised: bool = True

    def __post_init__(self) -> None:
        if self.size is not None:
            object.__setattr__(self, "size", domain.integer("size", self.size, 2))
        object.__setattr__(self, "ddof", domain.integer("ddof", self.ddof, 0, 1))
        object.__setattr__(self, "epsilon", domain.number("epsilon", self.epsilon, 0.0))

    def scale(self, policy: Floats, rewards: Floats, p: Floats | None = None) -> Floats:
        """Compute what multiplies the rewards in the mean advantage, up to a constant that Eq. 2 ignores.

        Args:
            policy: sampling policy, (n, c).
            rewards: (n, 1) or (n, c). For finite groups they must take two values.
            p: probability of the higher reward, (c,); needed for finite groups only.

        Returns:
            (1, c): 1/(sigma + epsilon) for infinite groups, and the difference of the two mean advantages
            over the difference of the two rewards for finite ones. Where sigma is 0, 0.
        """
        if self.size is not None:
            assert p is not None
            gap = rewards.max(axis=0) - rewards.min(axis=0)
            if not self.normalised:
                return np.full((1, policy.shape[1]), (self.size - 1) / self.size)
            if np.all(gap == gap[0]):
                return self._per_reward(p, float(gap[0]))[None, :]
            each = [self._per_reward(p[i], float(gap[i])) for i in range(len(p))]
            return np.array(each)[None, :]
        if not self.normalised:
            return np.ones((1, policy.shape[1]))
        above, gap = in_units(rewards)
        deviation = above - np.einsum("nc,nc->c", policy, np.broadcast_to(above, policy.shape))
        deviation *= deviation
        return self.scale_of(np.sqrt(np.einsum("nc,nc->c", policy, deviation)) * gap)

    def _per_reward(self, p: ArrayLike, gap: float) -> Floats:
        """Return the difference of the two mean advantages in finite groups over that of the rewards; 0 without any."""
        assert self.size is not None
        if gap == 0.0:
            return np.zeros(np.shape(p))
        return np.asarray(drift_factor(p, self.size, self.ddof, self.epsilon / gap) / gap)

    def scale_of(self, std: Floats) -> Floats:
        """Compute `scale` for infinite groups, (1, c), from the std of the reward, (c,)."""
        return self._over(np.ones_like(std), std)[None, :]

    def mean(self, policy: Floats, rewards: Floats) -> tuple[Floats, Floats]:
        """Compute the mean over groups of a completion's advantage, its positive and its negative part apart.

        Args:
            policy: sampling policy, (n, c).
            rewards: (n, 1); for infinite groups also (n, c).

        Returns:
            Two arrays (n, c), E[max(A, 0)] and E[min(A, 0)] given which completion it is. They add up to the
            mean advantage; a clipped objective needs them apart.

        Raises:
            ValueError: an enumeration would hold more than ENUMERATION_LIMIT compositions.
        """
        if self.size is None:
            above, gap = in_units(rewards)
            advantage = (above - (policy * above).sum(axis=0)) * gap * self.scale(policy, rewards)
            return np.maximum(advantage, 0.0), np.minimum(advantage, 0.0)
        if rewards.shape[1] != 1:
            raise ValueError(
                f"rewards differ between {rewards.shape[1]} prompts and, in groups of {self.size}, need an enumeration "
                "(more than two values, or clip); expected rewards of shape (n,), shared by all: take such a batch "
                "prompt by prompt"
            )
        values, which = np.unique(rewards[:, 0], return_inverse=True)
        mass = np.zeros((len(values), policy.shape[1]))
        np.add.at(mass, which, policy)
        others, chance = multinomial(self.size - 1, mass)
        positive, negative = np.zeros_like(mass), np.zeros_like(mass)
        for own in range(len(values)):
            group = others.copy()
            group[:, own] += 1
            advantage = self.of_group(group.T, values[:, None])[own]
            positive[own] = np.maximum(advantage, 0.0) @ chance
            negative[own] = np.minimum(advantage, 0.0) @ chance
        return positive[which], negative[which]

    def of_group(self, counts: Floats, rewards: Floats) -> Floats:
        """Compute Eq. 1 in given groups.

        Args:
            counts: how often each completion occurs in the group, (n, c), columns adding up to `size`.
            rewards: (n, 1) or (n, c).

        Returns:
            The advantage of each completion, (n, c); 0 in groups without spread. Completions that do not
            occur get the number that they would have if the group stayed as it is.
        """
        assert self.size is not None
        share = counts / self.size
        present = counts > 0
        lowest = np.where(present, rewards, np.inf).min(axis=0)
        gap = np.where(present, rewards, -np.inf).max(axis=0) - lowest
        spread = gap > 0.0
        unit = np.where(spread, gap, 1.0)  # squares of the rewards themselves would leave the range of doubles
        above = (rewards - lowest) / unit
        deviation = above - (share * above).sum(axis=0)
        if not self.normalised:
            return np.where(spread, deviation * unit, 0.0)
        variance = (share * np.where(present, deviation, 0.0) ** 2).sum(axis=0) * (self.size / (self.size - self.ddof))
        std = np.where(spread, np.sqrt(variance), 1.0)
        return np.where(spread, deviation / (std + self.epsilon / unit), 0.0)

    def _over(self, numerator: Floats, std: Floats) -> Floats:
        """Divide by std + epsilon, giving 0 where both are 0."""
        below = std + self.epsilon
        out: Floats = np.divide(numerator, below, out=np.zeros(np.shape(numerator)), where=below > 0.0)
        return out


def in_units(rewards: Floats) -> tuple[Floats, Floats]:
    """Return how far each reward, (n, 1) or (n, c), lies above the lowest, in units of the range, and the range.

    An offset of the rewards then costs no digit and their unit no range. Where all are equal: 0, and a range of 0.
    """
    lowest = rewards.min(axis=0)
    gap = rewards.max(axis=0) - lowest
    return (rewards - lowest) / np.where(gap > 0.0, gap, 1.0), gap


def multinomial(total: int, mass: Floats) -> tuple[Floats, Floats]:
    """Enumerate a multinomial distribution.

    Args:
        total: number of draws.
        mass: probabilities, (k, c).

    Returns:
        The counts, (m, k), and their probabilities, (m, c).

    Raises:
        ValueError: there are more than ENUMERATION_LIMIT compositions.
    """
    parts = mass.shape[0]
    if (number := math.comb(total + parts - 1, parts - 1)) > ENUMERATION_LIMIT:
        raise ValueError(
            f"size and the number of distinct outcomes ask for an enumeration of {number} groups; "
            f"at most {ENUMERATION_LIMIT} are allowed (use a sampled trajectory)"
        )
    counts = np.array(list(compositions(total, parts)), dtype=np.float64)
    if total > DIRECT_LIMIT:
        return counts, _through_logs(total, counts, mass)
    whole = np.array([float(_coefficient(total, row)) for row in counts.astype(int)])
    chance = np.repeat(whole[:, None], mass.shape[1], axis=1)
    for part in range(parts):
        chance *= mass[part] ** counts[:, part, None]
    return counts, chance


def _through_logs(total: int, counts: Floats, mass: Floats) -> Floats:
    """Return the probabilities where the coefficients are beyond the doubles; good to about total * 1e-16."""
    from scipy.special import xlogy

    whole = np.array([math.log(_coefficient(total, row)) for row in counts.astype(int)])
    exponent = np.repeat(whole[:, None], mass.shape[1], axis=1)
    for part in range(mass.shape[0]):
        exponent += xlogy(counts[:, part, None], mass[part])
    chance: Floats = np.exp(exponent)
    return chance


def _coefficient(total: int, row: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> int:
    """Return the multinomial coefficient total!/(row[0]! row[1]! ...)."""
    out, left = 1, total
    for k in row:
        out *= math.comb(left, int(k))
        left -= int(k)
    return out
