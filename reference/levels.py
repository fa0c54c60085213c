"""Levels: the distinct rewards that all cells of a batch share, and what a policy puts on each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
    def _above(self) -> Floats:
        """The levels above the lowest, in units of their range, (k,)."""
        out: Floats = (self.values - self.values[0]) / (self._range or 1.0)
        return out

    @cached_property
    def _range(self) -> float:
        return float(self.values[-1] - self.values[0])

    def mass(self, policy: Floats) -> Floats:
        """Return the probability of each level, (k, c), from a policy, (n, c)."""
        out = np.empty((len(self.values), policy.shape[1]))
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
        out: Floats = np.einsum("k,kc->c", self.values, mass)
        return out

    def std(self, mass: Floats) -> Floats:
        """Return the std of the reward, (c,).

        In units of the range, above the lowest level: an offset of the rewards costs no digit, their unit no range.
        Near a vertex too every term is good to a few roundings.
        """
        deviation = self._above[:, None] - np.einsum("k,kc->c", self._above, mass)
        deviation *= deviation
        deviation *= mass
        out: Floats = np.sqrt(np.add.reduce(deviation, axis=0))
        out *= self._range
        return out
