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

from reference.advantage import Advantage
from reference.counts import Floats

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

    def policy(self, phi: Floats) -> Floats:
        """Return the softmax policy, (n, c)."""
        pi: Floats = phi + self.log_prior
        pi -= pi.max(axis=0)
        np.exp(pi, out=pi)
        pi /= pi.sum(axis=0)
        return pi

    def reward(self, pi: Floats) -> Floats:
        """Return the expected reward, (c,)."""
        out: Floats = (pi * self.rewards).sum(axis=0)
        return out

    def memory(self, phi: Floats, pi: Floats) -> Floats:
        """Return what the mean gradient will need once this point is theta_old, (d, c)."""
        if self.stale == "gradient":
            return self._ascent(phi, pi, self._signal(pi))
        if self.stale == "sampling":
            signal = self._signal(pi)
            mean: Floats = (pi * signal).sum(axis=0)
            return pi * (signal - mean)
        if self.clip is None:
            return self._weight(pi) if self._scalar else self._signal(pi)
        positive, negative = self.advantage.mean(pi, self.rewards)
        return np.concatenate([positive, negative, _log(pi)])

    def gradient(self, phi: Floats, pi: Floats, memory: Floats) -> Floats:
        """Return the mean of Eq. 2's gradient in theta, (n, c): exact, for infinite and for finite groups."""
        if self.stale == "gradient":
            return memory
        if self.stale == "sampling":
            return memory - self._pull(phi, pi)
        if self.clip is not None:
            n = len(pi)
            positive, negative, log_old = memory[:n], memory[n : 2 * n], memory[2 * n :]
            signal = self._clipped(positive, negative, np.exp(_log(pi) - log_old))
            return self._ascent(phi, pi, signal)
        return self._ascent(phi, pi, memory * self.rewards if self._scalar else memory)

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

    def _weight(self, pi: Floats) -> Floats:
        """Return what multiplies the rewards in the mean advantage, (1, c)."""
        if self.advantage.size is None:
            return self.advantage.scale(pi, self.rewards)
        high = self.rewards == self.rewards.max(axis=0)
        return self.advantage.scale(pi, self.rewards, np.clip((pi * high).sum(axis=0), 0.0, 1.0))

    def _signal(self, pi: Floats) -> Floats:
        """Return the mean advantage of each completion, up to a constant a cell."""
        if self._scalar:
            return self.rewards * self._weight(pi)
        positive, negative = self.advantage.mean(pi, self.rewards)
        return positive + negative

    def _ascent(self, phi: Floats, pi: Floats, signal: Floats) -> Floats:
        """Return pi (u - E_pi u) for u = signal - beta phi: advantage and KL term in one pass."""
        out: Floats = signal - self.beta * phi
        out -= np.einsum("nc,nc->c", pi, out)
        out *= pi
        return out

    def _pull(self, phi: Floats, pi: Floats) -> Floats:
        """Return the gradient of beta KL(pi || prior)."""
        out: Floats = self.beta * pi * (phi - (pi * phi).sum(axis=0))
        return out

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
