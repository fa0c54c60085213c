"""A whole grid of exact softmax bandits at once, beside one Python loop a cell and beside the machine's arithmetic."""

from __future__ import annotations

import math
import os
import tracemalloc
from collections.abc import Callable
from statistics import median

import numpy as np
from numpy.typing import NDArray

from bench.clock import once, seconds
from bench.row import Row, against, took, worst
from reference.bandit import SoftmaxBandit
from reference.workspace import aligned

Floats = NDArray[np.float64]

SIDE, STEPS, COMPLETIONS, CORRECT = 80, 3000, 8, 2
MU, BETA = 0.8, 1.0
SAMPLED = ((0, 0), (20, 60), (40, 40), (60, 20), (79, 79))  # the cells that the loops run
# A completion and step: 1 exponential; max, - max, sum, times 1/sum; the mass of each reward; beta phi, + advantage;
# the mean of both twice, -, *; mu v, eta g, +; phi +.
PASSES = 15
EXP_FLOPS = 20  # a polynomial of degree 10 in multiply-adds


def axes() -> tuple[Floats, NDArray[np.int64]]:
    """Learning rates and refresh intervals."""
    return np.linspace(0.02, 1.6, SIDE), np.arange(1, SIDE + 1)


def batched() -> Floats:
    """The whole grid by `SoftmaxBandit`, shape (3001, 80, 80): Eq. 2 literally, periodic refresh."""
    eta, interval = axes()
    bandit = SoftmaxBandit.binary(CORRECT, COMPLETIONS, BETA)
    return bandit.trajectory(eta[:, None], MU, interval, "advantage", "periodic", STEPS)


def plain_loop(eta: float, interval: int) -> list[float]:
    """One cell in plain Python: lists and the math module."""
    phi, velocity, path, inverse = [0.0] * COMPLETIONS, [0.0] * COMPLETIONS, [], 0.0
    for step in range(STEPS + 1):
        top = max(phi)
        weights = [math.exp(x - top) for x in phi]
        total = sum(weights)
        pi = [w / total for w in weights]
        p = sum(pi[:CORRECT])
        path.append(p)
        if step % interval == 0:
            inverse = 1.0 / math.sqrt(p * (1.0 - p))
        signal = [(inverse if j < CORRECT else 0.0) - BETA * x for j, x in enumerate(phi)]
        mean = sum(w * u for w, u in zip(pi, signal, strict=True))
        velocity = [MU * v + eta * w * (u - mean) for v, w, u in zip(velocity, pi, signal, strict=True)]
        phi = [x + v for x, v in zip(phi, velocity, strict=True)]
    return path


def array_loop(eta: float, interval: int) -> list[float]:
    """One cell in Python with numpy arrays of 8."""
    rewards = (np.arange(COMPLETIONS) < CORRECT).astype(np.float64)
    phi, velocity = np.zeros(COMPLETIONS), np.zeros(COMPLETIONS)
    path, inverse = [], 0.0
    for step in range(STEPS + 1):
        pi = np.exp(phi - phi.max())
        pi /= pi.sum()
        p = float(pi @ rewards)
        path.append(p)
        if step % interval == 0:
            inverse = 1.0 / math.sqrt(p * (1.0 - p))
        signal = inverse * rewards - BETA * phi
        velocity = MU * velocity + eta * pi * (signal - pi @ signal)
        phi = phi + velocity
    return path


def loops(loop: Callable[[float, int], list[float]]) -> list[list[float]]:
    """A loop over the sampled cells."""
    eta, interval = axes()
    return [loop(float(eta[i]), int(interval[j])) for i, j in SAMPLED]


def difference(grid: Floats, paths: list[list[float]]) -> float:
    """Worst difference over the first 100 steps; later chaotic cells may part by their rounding errors."""
    return max(
        float(np.max(np.abs(grid[:100, i, j] - path[:100]))) for (i, j), path in zip(SAMPLED, paths, strict=True)
    )


def ceilings() -> tuple[float, float]:
    """The least seconds for the grid's arithmetic: one core, a pass each in cache; and all cores as dgemm runs."""
    elements = SIDE * SIDE * STEPS * COMPLETIONS
    block, out = aligned(COMPLETIONS, 2048), aligned(COMPLETIONS, 2048)  # 128 KiB each
    block -= 0.5
    calls = 100
    multiply = seconds(lambda: [np.multiply(block, block, out=out) for _ in range(calls)], 15) / calls / block.size
    exponential = seconds(lambda: [np.exp(block, out=out) for _ in range(calls)], 15) / calls / block.size
    square = np.ones((1024, 1024))
    flop = seconds(lambda: square @ square, 9) / (2 * 1024**3)
    return elements * (PASSES * multiply + exponential), elements * (PASSES + EXP_FLOPS) * flop / (os.cpu_count() or 1)


def rows() -> list[Row]:
    """The rows of the table."""
    tracemalloc.start()
    grid = batched()
    peak_memory = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    gap = difference(grid, loops(plain_loop))
    del grid
    times: list[float] = []
    ratios: dict[str, list[float]] = {"a plain Python loop a cell": [], "a loop of numpy arrays a cell": []}
    for _ in range(3):
        times.append(once(batched))
        for name, loop in zip(ratios, (plain_loop, array_loop), strict=True):
            whole = once(lambda x=loop: loops(x)) * SIDE * SIDE / len(SAMPLED)  # type: ignore[misc]
            ratios[name].append(whole / times[-1])
    what = f"bandit grid {SIDE} x {SIDE} x {STEPS} steps x {COMPLETIONS} completions"
    out = [
        took(what, median(times), 20.0),
        Row(f"{what}: peak memory", f"{peak_memory:.0f} MiB", target="<= 1 GiB", met=peak_memory <= 1024),
    ]
    out += [
        against(what, median(times), f"{name}, from {len(SAMPLED)} cells", median(ratio), 50)
        for name, ratio in ratios.items()
    ]
    out.append(worst("the same grid against the plain loop, first 100 steps", gap, 1e-12))
    cached, peak = ceilings()
    out.append(against(what, median(times), f"{PASSES} passes and exp in cache, one core", cached / median(times)))
    out.append(against(what, median(times), "its operations at the speed of dgemm, all cores", peak / median(times)))
    return out
