"""Ratios for the lagged map and the delay equation: `python bench/lag.py`. Medians of one run on one machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import mpmath
import numpy as np

from reference import lag

INTERVAL = 300
MANY = 100_000
FAR = 10**6


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Median wall time of a call in seconds."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def companion_critical_gain(mu: float, interval: int, relative: float = 1e-12) -> float:
    """Bisect the spectral radius of the companion matrix, as one would without a closed form."""
    matrix = np.eye(interval + 1, k=-1)
    matrix[0, :2] = 1.0 + mu, -mu
    base = matrix[0, interval]
    low, high = 0.0, 2.0 * (1.0 + mu)
    while high - low > relative * high:
        matrix[0, interval] = base - 0.5 * (low + high)
        if np.abs(np.linalg.eigvals(matrix)).max() < 1.0:
            low = 0.5 * (low + high)
        else:
            high = 0.5 * (low + high)
    return 0.5 * (low + high)


def far_error(mu: float) -> float:
    """Relative error of the critical gain at interval 10^6 against 50 digits, from the raw phase condition."""
    with mpmath.workdps(50):
        m = mpmath.mpf(mu)
        low, high = mpmath.mpf(0), mpmath.pi / (2 * FAR)
        for _ in range(170):
            w = (low + high) / 2
            angle = mpmath.atan2(m * mpmath.sin(w), 1 - m * mpmath.cos(w))
            low, high = (low, w) if (FAR + mpmath.mpf(1) / 2) * w + angle > mpmath.pi / 2 else (w, high)
        exact = abs(mpmath.expj(low) - 1) * abs(mpmath.expj(low) - m)
        return float(abs(float(lag.critical_gain(mu, FAR, "constant")) / exact - 1))


def main() -> None:
    """Print the table."""
    one = seconds(lambda: lag.critical_gain(0.9, INTERVAL, "constant"), 51)
    batch = np.full(1000, 0.9)
    each = seconds(lambda: lag.critical_gain(batch, INTERVAL, "constant"), 11) / len(batch)
    matrix = np.eye(INTERVAL + 1, k=-1)
    matrix[0, :2] = 1.9, -0.9
    matrix[0, INTERVAL] -= 1e-4
    spectrum = seconds(lambda: np.linalg.eigvals(matrix), 3)
    start = time.perf_counter()
    brute = companion_critical_gain(0.9, INTERVAL)
    search = time.perf_counter() - start
    agreement = abs(brute / float(lag.critical_gain(0.9, INTERVAL, "constant")) - 1.0)
    print(f"interval {INTERVAL}: one critical_gain call {one * 1e6:.0f} us; one of a batch {each * 1e6:.2f} us")
    print(f"  one set of companion eigenvalues {spectrum * 1e3:.0f} ms: {spectrum / one:.0f} x a call")
    print(f"  {spectrum / each:.0f} x one of a batch")
    print(f"  bisection of the spectral radius {search:.2f} s: {search / one:.0f} x a call")
    print(f"  relative disagreement of the two gains {agreement:.1e}")

    rng = np.random.default_rng(0)
    mu, interval = 1.0 - 10 ** rng.uniform(-12, 0, MANY), np.floor(10 ** rng.uniform(0, 6, MANY))
    for schedule in ("constant", "periodic"):
        gains = seconds(lambda s=schedule: lag.critical_gain(mu, interval, s), 3)  # type: ignore[misc]
        onsets = seconds(lambda s=schedule: lag.onset_gain(mu, interval, s), 3)  # type: ignore[misc]
        print(f"{MANY} mixed values, {schedule}: critical {gains:.3f} s, onset {onsets:.3f} s (allowed: 2 s)")
    worst = max(far_error(x) for x in (0.0, 0.5, 0.9, 0.999, 1.0 - 1e-6, 1.0 - 1e-12))
    print(f"interval 10^6: worst relative error against 50 digits {worst:.1e} (allowed: 1e-12)")

    t = np.linspace(0.0, 50.0, 5001)
    fast = seconds(lambda: lag.delay_trajectory(1.0, 1.0, 1.1, 1.0, t), 21)
    chosen = t[:: len(t) // 10]
    start = time.perf_counter()
    exact = np.array([float(lag.delay_exact(1.0, 1.0, 1.1, 1.0, float(x), digits=25)) for x in chosen])
    slow = (time.perf_counter() - start) / len(chosen)
    error = np.max(np.abs(lag.delay_trajectory(1.0, 1.0, 1.1, 1.0, chosen) - exact))
    print(f"delay equation, 50 delays, 5001 times: {fast * 1e3:.2f} ms; exact fractions {slow * 1e3:.0f} ms a time")
    print(f"  worst error against exact fractions {error:.1e} (allowed: 1e-10)")


if __name__ == "__main__":
    main()
