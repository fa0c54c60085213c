"""Critical and onset gains of the lagged map, beside the eigenvalues of its companion matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from bench.clock import beside, seconds
from bench.row import Row, against, took, worst
from reference import lag
from reference.history import Schedule

INTERVAL = 300
MANY = 100_000
FAR = 10**6
MOMENTA = (0.0, 0.5, 0.9, 0.999, 1.0 - 1e-6, 1.0 - 1e-12)


def companion(mu: float, gain: float, interval: int) -> NDArray[np.float64]:
    """The matrix of e_{k+1} = (1 + mu) e_k - mu e_{k-1} - a e_{k-interval}, for an interval of at least 2."""
    matrix = np.eye(interval + 1, k=-1)
    matrix[0, :2] = 1.0 + mu, -mu
    matrix[0, interval] -= gain
    return matrix


def companion_gain(mu: float, interval: int) -> float:
    """The critical gain without a closed form: Brent's method on the spectral radius, to 1e-12."""
    from scipy.optimize import brentq

    def excess(gain: float) -> float:
        return float(np.abs(np.linalg.eigvals(companion(mu, gain, interval))).max()) - 1.0

    # with K_ref the interval, stable at (1 - mu)/(3 K_ref) and unstable at 3 (1 - mu)/K_ref
    scale = (1.0 - mu) / interval
    return float(brentq(excess, scale / 3.0, 3.0 * scale, xtol=1e-12 * scale, rtol=1e-12))


def far_constant(mu: float) -> Any:
    """The critical gain at constant lag 10^6 to 50 digits, by bisecting the phase condition on the unit circle."""
    m = mpmath.mpf(mu)
    low, high = mpmath.mpf(0), mpmath.pi / (2 * FAR)
    for _ in range(170):
        w = (low + high) / 2
        angle = mpmath.atan2(m * mpmath.sin(w), 1 - m * mpmath.cos(w))
        low, high = (low, w) if (FAR + mpmath.mpf(1) / 2) * w + angle > mpmath.pi / 2 else (w, high)
    return abs(mpmath.expj(low) - 1) * abs(mpmath.expj(low) - m)


def far_periodic(mu: float) -> Any:
    """The critical gain at refresh interval 10^6 to 50 digits: where the 2 x 2 cycle leaves Schur's triangle."""
    m = mpmath.mpf(mu)
    q = m**FAR
    s = (1 - q) / (1 - m)
    ramp = (FAR - m * s) / (1 - m)
    turn = m * s * s - ramp * q  # the determinant is q + gain * turn, the trace 1 + q - gain * ramp
    flip = 2 * (1 + q) / (ramp - turn) if ramp > turn else mpmath.inf
    return min(flip, (1 - q) / turn) if turn > 0 else flip


def far_error(schedule: Schedule) -> float:
    """Worst relative error of the critical gain at interval 10^6 against 50 digits."""
    exact = far_constant if schedule == "constant" else far_periodic
    with mpmath.workdps(90):  # up to 36 digits cancel in `far_periodic` at 1 - mu = 1e-12
        return max(float(abs(float(lag.critical_gain(mu, FAR, schedule)) / exact(mu) - 1)) for mu in MOMENTA)


def rows() -> list[Row]:
    """The rows of the table."""
    gain = float(lag.critical_gain(0.9, INTERVAL, "constant"))
    one = f"critical_gain, one value, interval {INTERVAL}"
    ours, _, search = beside(
        lambda: lag.critical_gain(0.9, INTERVAL, "constant"), lambda: companion_gain(0.9, INTERVAL), 3, calls=101
    )
    apart = abs(companion_gain(0.9, INTERVAL) / gain - 1.0)
    peer = f"search with companion eigenvalues, {apart:.0e} off"
    out = [against(one, ours, peer, search, 1000)]
    matrix = companion(0.9, gain, INTERVAL)
    ours, _, ratio = beside(
        lambda: lag.critical_gain(0.9, INTERVAL, "constant"), lambda: np.linalg.eigvals(matrix), 7, calls=101
    )
    out.append(against(one, ours, "companion eigenvalues, once", ratio))
    batch = np.full(1000, 0.9)
    each, _, ratio = beside(
        lambda: lag.critical_gain(batch, INTERVAL, "constant"), lambda: np.linalg.eigvals(matrix), 7, calls=15
    )
    peer = "companion eigenvalues, once"
    out.append(against("the same, one of a batch of 1000", each / len(batch), peer, ratio * len(batch)))
    rng = np.random.default_rng(0)
    mu, interval = 1.0 - 10 ** rng.uniform(-12, 0, MANY), np.floor(10 ** rng.uniform(0, 6, MANY))
    schedules: tuple[Schedule, ...] = ("constant", "periodic")
    for schedule in schedules:
        for name, function in (("critical_gain", lag.critical_gain), ("onset_gain", lag.onset_gain)):
            time = seconds(partial(function, mu, interval, schedule), 5)
            out.append(took(f"{name}, 10^5 mixed values, {schedule}", time, 2.0))
    for schedule in schedules:
        error = far_error(schedule)
        out.append(worst(f"critical_gain at interval 10^6, {schedule}: relative error", error, 1e-12, "50 digits"))
    return out
