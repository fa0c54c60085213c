"""Cells: many independent softmax bandits side by side; policies, gradient of Eq. 2, its estimator.

Arrays are (n, c): completions first, cells second; what is shared by all cells may be (n, 1). A policy is
pi = prior exp(phi) / Z, so that phi = theta - log(prior) and a run starts at phi = 0.

What Eq. 2's gradient needs from theta_old is called its memory. By the reading of "stale":

- "gradient": the whole gradient at theta_old, KL term included (Lemma 5 read literally);
- "sampling": sampling measure and advantage at theta_old, no importance ratio. The scores' mean drops out
  because advantages add up to zero, and what is left is pi_old(j) A_old(j);
- "advantage": Eq. 2 read literally. The ratio turns the measure into pi_theta, so the gradient is
  pi(j) (A_old(j) - E_pi A_old), to which constants in A_old, hence the old mean, do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reference.advantage import Advantage, in_units
from reference.counts import Floats
from reference.levels import Levels

Stale = Literal["gradient", "sampling", "advantage"]


@dataclass(frozen=True)
class Cells:
    """The bandits of a batch.

    Attributes:
        rewards: (n, 1) or (n, c).
        log_prior: log of the reference policy, (n, 1) or (n, c).
        beta: weight of the KL term, (c,) or (1,).
        advantage: the reading of Eq. 1.
        stale: what is evaluated at theta_old.
        clip: None, or the half-width of the clipping interval about ratio 1 (only with "advantage").
    """

    rewards: Floats
    log_prior: Floats
    beta: Floats
    advantage: Advantage
    stale: Stale
    clip: float | None

    @cached_property
    def _scalar(self) -> bool:
        """Whether the mean advantage is the rewards times one number a cell (up to a constant)."""
        if self.clip is not None:
            return False
        values = (self.rewards == self.rewards.max(axis=0)) | (self.rewards == self.rewards.min(axis=0))
        return self.advantage.size is None or not self.advantage.normalised or bool(values.all())

    def part(self, chosen: slice) -> Cells:
        """Return some of the cells."""

        def cut(a: Floats) -> Floats:
            return a if a.shape[-1] == 1 else a[..., chosen]

        return Cells(cut(self.rewards), cut(self.log_prior), cut(self.beta), self.advantage, self.stale, self.clip)

    @cached_property
    def _levels(self) -> Levels | None:
        """The distinct rewards, where all cells share them."""
        return Levels.of(self.rewards[:, 0]) if self.rewards.shape[1] == 1 else None

    @cached_property
    def _above(self) -> Floats:
        """How far each reward lies above the lowest of its cell: the offset is a constant that no force sees."""
        above, gap = in_units(self.rewards)
        return above * gap

    @cached_property
    def _even(self) -> bool:
        """Whether the prior is uniform, so that it drops out of the softmax."""
        return bool(np.all(self.log_prior == self.log_prior[0]))

    def policy(self, phi: Floats, out: Floats | None = None) -> Floats:
        """Return the softmax policy, (n, c), in `out` where it is given."""
        pi: Floats = phi if self._even else np.add(phi, self.log_prior, out=out)
        pi = np.subtract(pi, np.maximum.reduce(pi, axis=0), out=out)
        np.exp(pi, out=pi)
        pi *= 1.0 / np.add.reduce(pi, axis=0)
        return pi

    def mass(self, pi: Floats) -> Floats | None:
        """Return the probability of each distinct reward, (k, c), where all cells share the rewards."""
        return None if self._levels is None else self._levels.mass(pi)

    def reward(self, pi: Floats, mass: Floats | None) -> Floats:
        """Return the expected reward, (c,), from a policy and its `mass`."""
        if self._levels is not None and mass is not None:
            return self._levels.mean(mass)
        out: Floats = np.einsum("nc,nc->c", pi, self.rewards)
        return out

    def memory(self, phi: Floats, pi: Floats, mass: Floats | None) -> Floats:
        """Return what the mean gradient will need once this point is theta_old, (d, c)."""
        if self.stale == "gradient":
            return self._force(phi, pi, self._signal(pi, mass))
        if self.stale == "sampling":
            return self._centred(pi, self._raised(np.zeros_like(pi), self._signal(pi, mass)))
        if self.clip is None:
            return self._signal(pi, mass)
        positive, negative = self.advantage.mean(pi, self.rewards)
        return np.concatenate([positive, negative, _log(pi)])

    def gradient(self, phi: Floats, pi: Floats, memory: Floats, out: Floats | None = None) -> Floats:
        """Return the mean of Eq. 2's gradient in theta, (n, c): exact, for infinite and for finite groups.

        Args:
            phi, pi: the present point.
            memory: `memory` of theta_old.
            out: where to put it, (n, c).
        """
        if self.stale == "gradient":
            return memory
        if self.stale == "sampling":
            pull = self._pull(phi, pi, out)
            return np.subtract(memory, pull, out=pull)
        if self.clip is not None:
            n = len(pi)
            positive, negative, log_old = memory[:n], memory[n : 2 * n], memory[2 * n :]
            memory = self._clipped(positive, negative, np.exp(_log(pi) - log_old))
        return self._force(phi, pi, memory, out)

    def estimate(self, counts: Floats, phi: Floats, pi: Floats, phi_old: Floats, pi_old: Floats) -> Floats:
        """Return Eq. 2's gradient as a group gives it, (n, c).

        Args:
            counts: how often each completion occurs in the group, (n, c).
            phi, pi: the present point.
            phi_old, pi_old: theta_old, from which the group was drawn.
        """
        assert self.advantage.size is not None
        advantage = self.advantage.of_group(counts, self.rewards)
        share = counts / self.advantage.size
        if self.stale == "sampling":
            return share * advantage - self._pull(phi, pi)
        if self.stale == "gradient":
            return share * advantage - self._pull(phi_old, pi_old)
        ratio = np.divide(pi, pi_old, out=np.zeros(pi.shape), where=pi_old > 0.0)
        if self.clip is not None:
            advantage = self._clipped(np.maximum(advantage, 0.0), np.minimum(advantage, 0.0), ratio)
        weight = share * ratio * advantage
        total: Floats = weight.sum(axis=0)
        return weight - pi * total - self._pull(phi, pi)

    def _signal(self, pi: Floats, mass: Floats | None) -> Floats:
        """Return the mean advantage of each completion up to a constant a cell; where `_scalar`, (1, c), per reward."""
        if not self._scalar:
            positive, negative = self.advantage.mean(pi, self.rewards)
            return positive + negative
        if self.advantage.size is not None:
            high = self.rewards == self.rewards.max(axis=0)
            return self.advantage.scale(pi, self.rewards, np.clip((pi * high).sum(axis=0), 0.0, 1.0))
        if self._levels is not None and mass is not None and self.advantage.normalised:
            return self.advantage.scale_of(self._levels.std(mass))
        return self.advantage.scale(pi, self.rewards)

    def _force(self, phi: Floats, pi: Floats, signal: Floats, out: Floats | None = None) -> Floats:
        """Return pi (u - E_pi u) for u = signal - beta phi: advantage and KL term in one pass."""
        u = np.multiply(phi, -self.beta, out=out)
        return self._centred(pi, self._raised(u, signal))

    def _pull(self, phi: Floats, pi: Floats, out: Floats | None = None) -> Floats:
        """Return the gradient of beta KL(pi || prior)."""
        return self._centred(pi, np.multiply(phi, self.beta, out=out))

    def _raised(self, u: Floats, signal: Floats) -> Floats:
        """Add to u the mean advantage of each completion, up to a constant a cell."""
        if not self._scalar:
            u += signal
        elif self._levels is None:
            u += self._above * signal
        else:
            for level, run in self._levels.runs:
                if level > 0:
                    u[run] += signal * (self._levels.values[level] - self._levels.values[0])
        return u

    @staticmethod
    def _centred(pi: Floats, u: Floats) -> Floats:
        """Turn u into pi (u - E_pi u)."""
        u -= np.einsum("nc,nc->c", pi, u)
        u *= pi
        return u

    def _clipped(self, positive: Floats, negative: Floats, ratio: Floats) -> Floats:
        """Drop the advantages whose ratio has left the trust interval in the direction that they push."""
        assert self.clip is not None
        up: NDArray[np.bool_] = ratio <= 1.0 + self.clip
        down: NDArray[np.bool_] = ratio >= 1.0 - self.clip
        return positive * up + negative * down


def _log(pi: Floats) -> Floats:
    """Return log(pi), and a large negative number where pi has underflown to 0."""
    out: Floats = np.log(np.maximum(pi, np.finfo(float).tiny))
    return out
