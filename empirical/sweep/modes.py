"""Modes: the stiffness of the stiffest beside the one that the reward curve shows, and where a lag makes it grow."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from empirical.sweep.cell import is_control
from empirical.sweep.effects import Difference, difference
from empirical.sweep.protocol import fitted_rate
from empirical.sweep.store import Result

ON_THE_RISE = (1, 40, 80)  # steps at which the force was linearised while the reward rose


@dataclass(frozen=True)
class Modes:
    """The stiffness of the stiffest mode beside the one fitted to the reward curve, a number a warm-up.

    Attributes:
        warm_ups: seeds of the networks.
        fitted: from the lag-0 twin's curve.
        rise: at each step of `ON_THE_RISE` the top eigenvalues, shape (3, warm-ups).
        plateau: top eigenvalues at the interior plateau of beta > 0.
    """

    warm_ups: tuple[int, ...]
    fitted: tuple[float, ...]
    rise: tuple[tuple[float, ...], ...]
    plateau: tuple[float, ...]

    @property
    def least(self) -> float:
        """The smallest top eigenvalue on the rise."""
        return min(min(row) for row in self.rise)

    def factor(self, step: int) -> tuple[float, float, float]:
        """Stiffest over fitted at a step of `ON_THE_RISE`: geometric mean over warm-ups and its interval."""
        top = np.array(self.rise[ON_THE_RISE.index(step)])
        found = difference(np.log(top / np.array(self.fitted)), np.zeros(top.size))
        return float(np.exp(found.mean)), float(np.exp(found.low)), float(np.exp(found.high))


def modes(results: Sequence[Result]) -> Modes | None:
    """The stiffness of every warm-up that has its twin and all steps of the rise; None with fewer than two of them."""
    fitted = {
        r.cell.warm_up: fitted_rate(r.p) * (1.0 - r.cell.momentum) / r.cell.learning_rate
        for r in results
        if r.cell.kind == "twin" and r.cell.arm == "refresh" and is_control(r.cell) and r.cell.steps == 300
    }
    top = {
        (r.cell.warm_up, r.cell.steps): float(r.values["spectrum"]["top"][0])
        for r in results
        if r.cell.kind == "stiffness" and not r.cell.beta
    }
    plateau = [float(r.values["spectrum"]["top"][0]) for r in results if r.cell.kind == "stiffness" and r.cell.beta]
    whole = tuple(w for w in sorted(fitted) if all((w, k) in top for k in ON_THE_RISE))
    if len(whole) < 2:
        return None
    rise = tuple(tuple(top[w, k] for w in whole) for k in ON_THE_RISE)
    return Modes(whole, tuple(fitted[w] for w in whole), rise, tuple(plateau))


@dataclass(frozen=True)
class Threshold:
    """Growth a step of the stiffest mode at the plateau, in the network's noise-free update.

    Attributes:
        how: "delay", "refresh" or "no ratio".
        lag: steps.
        factor: learning rate over the predicted critical one (of the exact map for a delay, of Eq. 11 otherwise).
        growth: over warm-ups, with its interval.
        signs: how many warm-ups have growth > 0.
        exact: that of the exact lagged map at the same gain, read in the same way; nan where it is not a delay.
    """

    how: str
    lag: int
    factor: float
    growth: Difference
    signs: int
    exact: float


def thresholds(results: Sequence[Result]) -> list[Threshold]:
    """Every point near a threshold that two warm-ups or more have."""
    from empirical.sweep.threshold import growth
    from reference.lag import critical_gain, trajectory

    found: dict[tuple[str, int, float], list[float]] = {}
    for r in results:
        for row in r.values.get("threshold", []):
            found.setdefault((row["how"], row["lag"], row["factor"]), []).append(float(row["growth"]))
    rows = []
    for (how, lag, factor), values in found.items():
        if len(values) < 2:
            continue
        exact = float("nan")
        if how == "delay":
            gain = factor * float(critical_gain(0.9, lag, "constant"))
            exact = growth(np.asarray(trajectory(0.9, gain, lag, "constant", 12 * lag + 60)))
        mean = difference(np.array(values), np.zeros(len(values)))
        rows.append(Threshold(how, lag, factor, mean, sum(v > 0.0 for v in values), exact))
    return rows


@dataclass(frozen=True)
class Crossing:
    """Where a true delay begins to make the stiffest mode grow, in units of the exact map's limit.

    Attributes:
        lag: steps.
        factor: learning rate at which the growth, interpolated between the measured ones, is 0; over warm-ups.
        printed: Eq. 11's threshold in the same units.
    """

    lag: int
    factor: Difference
    printed: float


def crossings(results: Sequence[Result]) -> list[Crossing]:
    """The limit of every lag at which two warm-ups or more decay at the smallest rate and grow at the largest."""
    from reference.lag import critical_gain

    found: dict[int, list[float]] = {}
    for r in results:
        rows = [row for row in r.values.get("threshold", []) if row["how"] == "delay"]
        for lag in sorted({row["lag"] for row in rows}):
            points = sorted((row["factor"], float(row["growth"])) for row in rows if row["lag"] == lag)
            for (x, below), (y, above) in pairwise(points):
                if below < 0.0 <= above:
                    found.setdefault(lag, []).append(x + (y - x) * below / (below - above))
                    break
    return [
        Crossing(
            lag,
            difference(np.array(values), np.zeros(len(values))),
            0.1 / lag / float(critical_gain(0.9, lag, "constant")),
        )
        for lag, values in sorted(found.items())
        if len(values) > 1
    ]
