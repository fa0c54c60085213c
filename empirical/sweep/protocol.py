"""What is read off a curve, and what may be concluded from it: fixed before any run of the sweep was looked at.

Every curve is the exact mean success probability of all 100 prompts after every optimizer step, so what moves in it is
the policy and not the measurement.

1. `t80`: the first step, interpolated, with p = 0.8 where beta = 0, and with 80% of the way from the start to the
   finite-group fixed point behind it where beta > 0.
2. The *rise* ends where p first reaches 0.85 (beta = 0) or the fixed point (beta > 0); what comes after is *late*.
   `rise_drop` and `late_drop`: the largest fall below the highest value so far, within each.
3. `plateau`: the mean of the last quarter of the run. `late_sd`: the standard deviation about a straight line there.
4. Two conditions are compared by the differences of runs with the same warm-up and seed; the interval is Student's,
   over those pairs. One pair gives no interval and no conclusion.
5. A late drop is called an oscillation only if it exceeds that of the lag-0 runs at the same learning rate (the
   interval of the difference lies above 0) *and* the noise-free twin of the condition drops too, by more than `TWIN`.
   A drop of the sampled runs that the twin does not have is called noise.
6. The power stated with a comparison is the probability that its interval lies above 0 if the true difference were the
   drop that Theorem 7 predicts for the condition, given the spread of the differences that was seen.
7. The fitted stiffness is (1 - momentum)/(learning rate) times the rate of a single exponential fitted to the lag-0
   curve of the same warm-up; the stiffness of the stiffest mode comes from Hessian-vector products and sees no curve.

One change was made after a look: rule 7 did not say how the exponential is fitted. `reference.fitters` takes residuals
as correlated noise, and on these noise-free S-shaped curves calls the rate not identified (0.87, 1.43 and, at a third
warm-up, 3e-5); least squares is used instead.
"""

from dataclasses import dataclass

import numpy as np

from empirical.logs.numbers import Floats

LEVEL = 0.8  # of t80 where beta = 0, and the share of the way where beta > 0
RISE = 0.85  # the rise ends here where beta = 0
QUARTER = 0.25  # of the run: its late quarter
TWIN = 0.01  # a twin that falls by less than this has no oscillation: a hundredth of the range of p


@dataclass(frozen=True)
class Reading:
    """What is read off one curve.

    Attributes:
        t80: in steps; nan where the level is not reached.
        rise_drop, late_drop: largest falls; late_drop is nan where the rise does not end.
        plateau, late_sd: of the last quarter.
        final: the last value.
    """

    t80: float
    rise_drop: float
    late_drop: float
    plateau: float
    late_sd: float
    final: float


def crossing(p: Floats, level: float) -> float:
    """The first step, interpolated, at which a curve reaches a level; nan where it does not."""
    above = np.flatnonzero(p >= level)
    if not above.size:
        return float("nan")
    k = int(above[0])
    if k == 0:
        return 0.0
    return k - 1 + float((level - p[k - 1]) / (p[k] - p[k - 1]))


def drop(p: Floats) -> float:
    """The largest fall below the highest value so far; 0 for a curve that never falls, or is empty."""
    return float(np.max(np.maximum.accumulate(p) - p)) if p.size else 0.0


def read(p: Floats, target: float | None = None) -> Reading:
    """Read a curve by the protocol.

    Args:
        p: the curve, from step 0 on, shape (steps + 1,).
        target: the finite-group fixed point where beta > 0, None where beta = 0.

    Raises:
        ValueError: the curve is shorter than eight steps, or not finite.
    """
    p = np.asarray(p, dtype=np.float64)
    if p.size < 8 or not np.isfinite(p).all():
        raise ValueError(f"p has {p.size} values, {int(np.isfinite(p).sum())} of them finite; expected 8 at least, all")
    level = LEVEL if target is None else float(p[0] + LEVEL * (target - p[0]))
    end = np.flatnonzero(p >= (RISE if target is None else target))
    cut = int(end[0]) if end.size else p.size
    last = p[-max(int(QUARTER * p.size), 4) :]
    t = np.arange(last.size)
    line = np.polyval(np.polyfit(t, last, 1), t)
    return Reading(
        crossing(p, level),
        drop(p[: cut + 1]),
        drop(p[cut:]) if end.size else float("nan"),
        float(last.mean()),
        float(np.std(last - line, ddof=2)),
        float(p[-1]),
    )


def fitted_rate(p: Floats) -> float:
    """The rate a step of the single exponential that fits a curve best by least squares, from step 0 on.

    The two levels are linear, so they are solved for at every rate (variable projection; Golub and Pereyra 1973).

    Args:
        p: the curve, shape (steps + 1,).

    Raises:
        ValueError: the curve is shorter than eight steps, or not finite.
    """
    from scipy.optimize import minimize_scalar

    p = np.asarray(p, dtype=np.float64)
    if p.size < 8 or not np.isfinite(p).all():
        raise ValueError(f"p has {p.size} values, {int(np.isfinite(p).sum())} of them finite; expected 8 at least, all")
    t = np.arange(p.size, dtype=np.float64)

    def left(log_rate: float) -> float:
        basis = np.column_stack([np.ones(p.size), np.exp(-np.exp(log_rate) * t)])
        return float(np.sum((p - basis @ np.linalg.lstsq(basis, p, rcond=None)[0]) ** 2))

    grid = np.linspace(np.log(0.01 / p.size), 0.0, 120)  # from a straight line to a jump in one step
    best = int(np.argmin([left(x) for x in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    return float(np.exp(minimize_scalar(left, bounds=(low, high), method="bounded", options={"xatol": 1e-10}).x))
