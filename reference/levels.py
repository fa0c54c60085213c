"""Levels: the distinct rewards that all cells of a batch share, and what a policy puts on each of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reference.counts import Floats


@dataclass(frozen=True)
class Levels:
    """The distinct values among n rewards, and where each lies.

    Attributes:
        values: the k distinct rewards, rising, (k,).
        runs: which level, and the neighbouring completions that have it; every completion lies in one run.
    """

    values: Floats
    runs: tuple[tuple[int, slice], ...]

    @classmethod
    def of(cls, rewards: Floats) -> Levels:
        """Find the levels of rewards, (n,)."""
        values, which = np.unique(rewards, return_inverse=True)
        edges = [0, *(np.flatnonzero(np.diff(which)) + 1).tolist(), len(which)]
        runs = tuple((int(which[a]), slice(a, b)) for a, b in pairwise(edges))
        return cls(values, runs)

    def mass(self, policy: Floats) -> Floats:
        """Return the probability of each level, (k, c), from a policy, (n, c)."""
        out = np.zeros((len(self.values), policy.shape[1]))
        seen: set[int] = set()
        for level, run in self.runs:
            if level in seen:
                out[level] += np.add.reduce(policy[run], axis=0)
            else:
                np.add.reduce(policy[run], axis=0, out=out[level])
                seen.add(level)
        return out

    def mean(self, mass: Floats) -> Floats:
        """Return the mean reward, (c,)."""
        out: Floats = mass[0] * self.values[0]
        for value, row in zip(self.values[1:], mass[1:], strict=True):
            out += value * row
        return out

    def std(self, mass: Floats) -> Floats:
        """Return the std of the reward, (c,).

        In units of the range, above the lowest level: an offset of the rewards costs no digit, their unit no range.
        Near a vertex too every term is good to a few roundings.
        """
        gap = self.values[-1] - self.values[0]
        if gap == 0.0:
            return np.zeros(mass.shape[1])
        above = (self.values - self.values[0]) / gap
        deviation = above[:, None] - np.einsum("k,kc->c", above, mass)
        deviation *= deviation
        deviation *= mass
        out: Floats = np.sqrt(np.add.reduce(deviation, axis=0))
        out *= gap
        return out
