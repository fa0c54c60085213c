"""Run: a log with what the user knows about it, and the curves that the diagnostics share."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from empirical.diagnostics.knobs import NAMES, Knob, knobs
from empirical.logs import Log
from empirical.logs.numbers import Floats
from reference.fitters import Fit, fit

MOST = 240  # points of a curve that is fitted: block means of a longer one
FEWEST = 20  # points that a fit of four parameters and its noise needs
MONOTONE = ("single_exponential", "critically_damped", "logistic")
LEVEL = 0.9


@dataclass(frozen=True)
class Curve:
    """A column over time.

    Attributes:
        t: steps since the first row of the log, increasing.
        y: finite values.
    """

    t: Floats = field(repr=False)
    y: Floats = field(repr=False)

    @property
    def size(self) -> int:
        """Number of points."""
        return int(self.t.size)

    def thinned(self, most: int = MOST) -> "Curve":
        """Means of blocks of equally many points, at most `most` of them; a last, shorter block is joined."""
        per = -(-self.size // most)
        if per <= 1:
            return self
        count = self.size // per
        bounds = np.append(np.arange(count) * per, self.size)
        size = np.diff(bounds)
        return Curve(np.add.reduceat(self.t, bounds[:-1]) / size, np.add.reduceat(self.y, bounds[:-1]) / size)

    def part(self, start: float, end: float) -> Floats:
        """Values in a share of the points, such as the last fifth: part(0.8, 1)."""
        return self.y[round(start * self.size) : round(end * self.size)]


@dataclass(frozen=True)
class Run:
    """A log and what is known besides.

    Attributes:
        log: the log.
        name: for the report.
        group_size: completions a prompt.
        momentum: of the optimizer (AdamW's beta_1).
        refresh: optimizer steps for which one batch of completions is used.
        learning_rate: of the optimizer. Each of the four is None where the user does not say: see `knobs`.
    """

    log: Log
    name: str
    group_size: int | None = None
    momentum: float | None = None
    refresh: int | None = None
    learning_rate: float | None = None

    def curve(self, column: str) -> Curve | None:
        """A column's finite values over the steps since the first row; None where there is none."""
        if not self.log.has(column):
            return None
        steps = self.log.table["step"].to_numpy(dtype=np.float64)
        values = self.log.table[column].to_numpy(dtype=np.float64)
        good = np.isfinite(values)
        return Curve(steps[good] - steps[0], values[good])

    @cached_property
    def reward(self) -> Curve:
        """The rewards; a log always has some."""
        found = self.curve("reward")
        assert found is not None
        return found

    @cached_property
    def smooth(self) -> Curve:
        """Block means of the rewards."""
        return self.reward.thinned()

    @cached_property
    def flat(self) -> bool:
        """Whether all rewards are the same number."""
        return float(np.ptp(self.reward.y)) == 0.0

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """The monotone laws fitted to the block means; empty where there are too few points or no variation."""
        if self.smooth.size < FEWEST or self.flat:
            return {}
        return {law: fit(self.smooth.t, self.smooth.y, law) for law in MONOTONE}

    @cached_property
    def best(self) -> Fit | None:
        """The monotone law with the smallest AICc; None without fits."""
        return min(self.fits.values(), key=lambda f: f.aicc) if self.fits else None

    @cached_property
    def knobs(self) -> dict[str, Knob]:
        """Learning rate, momentum, refresh interval and group size, with how each is known."""
        given = {name: getattr(self, name) for name in NAMES}
        return knobs(self.log, given)

    @property
    def refresh_interval(self) -> tuple[int, str]:
        """Optimizer steps between generations, and how it is known."""
        return int(self.knobs["refresh"].value), self.knobs["refresh"].how

    @property
    def known_group_size(self) -> int | None:
        """The group size, None where it is neither given nor identified."""
        size = self.knobs["group_size"].value
        return int(size) if np.isfinite(size) else None

    @cached_property
    def steps(self) -> tuple[int, int]:
        """The first and the last step of the log."""
        return int(self.log.table["step"].iloc[0]), int(self.log.table["step"].iloc[-1])
