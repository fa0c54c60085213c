"""Held-out tails: how well a law, fitted to the first part of a record, says what comes after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.fitters.estimate import fit
from reference.fitters.record import checked

_FEWEST = 4


@dataclass(frozen=True)
class Tail:
    """The score of a law on points that it was not fitted to.

    Attributes:
        points: held out.
        rmse: root mean square of reward minus prediction, in the unit of the reward (of sigma, where given).
        rmse_level: the same for the yardstick "it stays where it was": the mean of as many points before the tail.
    """

    points: int
    rmse: float
    rmse_level: float

    @property
    def skill(self) -> float:
        """1 - (rmse/rmse_level)^2: 1 is perfect, below 0 the law predicts worse than no change."""
        return 1 - (self.rmse / self.rmse_level) ** 2 if self.rmse_level else float("nan")


def held_out_tail(
    t: ArrayLike, reward: ArrayLike, law: str, sigma: ArrayLike | None = None, share: float = 0.25
) -> Tail:
    """Fit a law to the first part of a record and score it on the rest.

    Args:
        t, reward, law, sigma: as in `fit`.
        share: of the points to hold out, in (0, 1); at least 4 points must be left.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    times, rewards, deviations = checked(t, reward, sigma)
    part = domain.number("share", share, 0.0, 1.0, closed=False)
    held = max(1, round(part * times.size))
    first = times.size - held
    if first < _FEWEST:
        raise ValueError(f"share = {share} leaves {first} of {times.size} points; expected at least {_FEWEST}")
    unit = np.ones_like(times) if deviations is None else deviations
    early = fit(times[:first], rewards[:first], law, None if deviations is None else deviations[:first])
    before = rewards[max(0, first - held) : first]
    miss = (rewards[first:] - early.predict(times[first:])) / unit[first:]
    level = (rewards[first:] - before.mean()) / unit[first:]
    return Tail(held, float(np.sqrt(np.mean(miss**2))), float(np.sqrt(np.mean(level**2))))
