"""Groups: speed, within-group spread, collapsed groups and noise of a step, beside the exact finite-group values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from empirical.logs.numbers import Floats
from empirical.sweep.cell import is_control
from empirical.sweep.comparison import control_of, reading
from empirical.sweep.effects import Difference, difference
from empirical.sweep.store import Result

BINS = 501  # points of a quadrature over p


@dataclass(frozen=True)
class Speed:
    """How much longer another group size takes to p = 0.8 than G = 8, in the noise-free twin.

    Attributes:
        size: G.
        ratio: of the steps to 0.8, those of the heavy ball's start left out, over warm-ups.
        low, high: the least and the largest F_8/F_G on the way: between them the exact drift puts the ratio, whatever
            the network is.
        bandit: the ratio that the softmax bandit has.
    """

    size: int
    ratio: Difference
    low: float
    high: float
    bandit: float


def speeds(results: Sequence[Result]) -> list[Speed]:
    """The speed of every group size but 8.

    The heavy ball needs mu/(1 - mu) steps to come up to its speed, at every G: they are taken off both counts.
    """
    from reference.group import drift_factor

    twins = {
        (r.cell.size, r.cell.warm_up): reading(r).t80 - r.cell.momentum / (1.0 - r.cell.momentum)
        for r in results
        if r.cell.kind == "twin" and r.cell.arm in ("refresh", "size") and is_control(r.cell) and r.cell.steps == 300
    }
    p = np.linspace(0.3, 0.8, BINS)
    out = []
    for size in sorted({g for g, _ in twins if g != 8}):
        ratios = [t / twins[8, w] for (g, w), t in sorted(twins.items()) if g == size and (8, w) in twins]
        if len(ratios) < 2:
            continue
        quotient = drift_factor(p, 8, 1, 1e-4) / drift_factor(p, size, 1, 1e-4)
        weight = 1.0 / (drift_factor(p, 8, 1, 1e-4) * (p * (1.0 - p)) ** 2)
        bandit = float(np.average(quotient, weights=weight))
        mean = difference(np.array(ratios), np.zeros(len(ratios)))
        out.append(Speed(size, mean, float(quotient.min()), float(quotient.max()), bandit))
    return out


@dataclass(frozen=True)
class Spread:
    """Within-group spread and collapsed groups that TRL logged, less what binomial groups of that p have.

    Attributes:
        size: G.
        runs: how many, without lag.
        std: mean over a run's steps of the logged standard deviation less E[std_G](p), over runs.
        large: the same against sqrt(p (1 - p)), the value of an infinite group.
        collapsed: of the logged share of groups without spread less p^G + (1 - p)^G.
    """

    size: int
    runs: int
    std: Difference
    large: Difference
    collapsed: Difference


def spreads(results: Sequence[Result]) -> list[Spread]:
    """The spread of every group size that has two sampled runs without lag or more."""
    from reference.group import collapsed_fraction, expected_std

    rows: dict[int, list[tuple[float, float, float]]] = {}
    for r in results:
        c = r.cell
        if c.kind != "sampled" or c.arm not in ("refresh", "size") or not is_control(c):
            continue
        p = r.p[: c.steps]
        std = np.array(r.values["log"]["reward_std/within_ddof1"], dtype=np.float64)
        none = np.array(r.values["log"]["frac_reward_zero_std"], dtype=np.float64)
        exact = expected_std(p, c.size, 1)
        rows.setdefault(c.size, []).append((
            float(np.mean(std - exact)),
            float(np.mean(std - np.sqrt(p * (1.0 - p)))),
            float(np.mean(none - collapsed_fraction(p, c.size))),
        ))  # fmt: skip
    out = []
    for size, values in sorted(rows.items()):
        if len(values) > 1:
            columns = [difference(np.array(v), np.zeros(len(values))) for v in zip(*values, strict=True)]
            out.append(Spread(size, len(values), *columns))
    return out


def step_noise(p: Floats, momentum: float) -> float:
    """Variance of what is new in a step: of p_k - (1 + mu) p_(k-1) + mu p_(k-2), from successive differences.

    Half the mean square of successive differences of that innovation: the slow drift drops out.

    Args:
        p: a curve of five values or more.
        momentum: of the heavy ball.
    """
    moves = np.diff(np.asarray(p, dtype=np.float64))
    new = moves[1:] - momentum * moves[:-1]
    return float(np.mean(np.diff(new) ** 2) / 2.0)


def noise_factors(results: Sequence[Result]) -> dict[int, tuple[float, float, float]]:
    """The noise of a step at an interval over that without lag: geometric mean over pairs, and its interval."""
    groups: dict[int, list[float]] = {}
    for r in results:
        other = control_of(r, results) if r.cell.kind == "sampled" and r.cell.arm == "refresh" else None
        if other is not None and r.cell.interval > 1 and r.cell.steps == 300:
            ratio = step_noise(r.p, r.cell.momentum) / step_noise(other.p, r.cell.momentum)
            groups.setdefault(r.cell.interval, []).append(float(np.log(ratio)))
    found = {k: difference(np.array(v), np.zeros(len(v))) for k, v in sorted(groups.items()) if len(v) > 1}
    return {k: (float(np.exp(d.mean)), float(np.exp(d.low)), float(np.exp(d.high))) for k, d in found.items()}
