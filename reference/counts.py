"""Counts: how many of the completions in a group succeed, and exact expectations over that number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Up to this many trials C(n, k) and 2**n stay far inside double precision, and Horner's rule applies.
POLYNOMIAL_LIMIT = 512


def _odds(p: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the odds of the rarer outcome (at most 1), and where that outcome is the success."""
    rare = p <= 0.5
    return np.where(rare, p, 1.0 - p) / np.where(rare, 1.0 - p, p), rare


def expectation(value: Callable[[Integers], Floats], p: Floats, trials: int) -> Floats:
    """Compute E[value(X)] for X ~ Binomial(trials, p), elementwise in p.

    Args:
        value: vectorised, non-negative function of the counts 0..trials (it sees integer arrays).
        p: success probabilities in [0, 1], any shape.
        trials: number of trials, at least 0.

    Returns:
        Array of the shape of p. All terms are non-negative and the weights are self-normalised, so the
        relative error is at most about 4 (trials + 2) u for trials <= 512 (Horner's rule in the odds) and
        4 w u above, with w the length of the summed window and u = 1.1e-16.
    """
    odds, rare = _odds(p)
    if trials <= POLYNOMIAL_LIMIT:
        counts = np.arange(trials + 1)
        binomials = np.array([float(math.comb(trials, k)) for k in range(trials + 1)])
        coefficients = binomials * value(counts)
        low, high = np.zeros_like(odds), np.zeros_like(odds)
        for k in range(trials, -1, -1):
            low = low * odds + coefficients[k]
            high = high * odds + coefficients[trials - k]
        return np.where(rare, low, high) / (1.0 + odds) ** trials
    out = np.empty(p.shape)
    for index in np.ndindex(p.shape):
        counts, weights = binomial_weights(float(p[index]), trials)
        out[index] = float(weights @ value(counts))
    return out


def binomial_weights(p: float, trials: int) -> tuple[Integers, Floats]:
    """Return the counts that carry the mass of Binomial(trials, p), and their probabilities.

    The weights come from the exact ratio of neighbours, multiplied outwards from the mode and normalised by
    their sum. The window reaches 40 standard deviations plus 200 counts to each side, or the end of the
    range; by Bernstein's inequality the mass outside is below exp(-290).
    """
    if p in (0.0, 1.0):
        return np.array([round(p) * trials], dtype=np.int64), np.ones(1)
    mode = min(int((trials + 1) * p), trials)
    half = math.ceil(40.0 * math.sqrt(trials * p * (1.0 - p))) + 200
    k = np.arange(max(mode - half, 0), min(mode + half, trials), dtype=np.int64)
    ratios = (trials - k) / (k + 1.0) * (p / (1.0 - p))
    return _outwards(k, ratios, mode)


def beta_binomial_weights(alpha: float, beta: float, trials: int) -> tuple[Integers, Floats]:
    """Return the counts 0..trials and their probabilities when p itself is Beta(alpha, beta) distributed.

    The ratio of neighbours is (trials-k)(k+alpha) / ((k+1)(trials-k-1+beta)); its products run outwards from
    the mean count. The tails are heavy, so every count is kept.
    """
    k = np.arange(trials, dtype=np.int64)
    ratios = (trials - k) * (k + alpha) / ((k + 1.0) * (trials - k - 1.0 + beta))
    return _outwards(k, ratios, round(trials * alpha / (alpha + beta)))


def _outwards(k: Integers, ratios: Floats, start: int) -> tuple[Integers, Floats]:
    """Turn the ratios w(k+1)/w(k) into normalised weights, multiplying outwards from the count `start`."""
    split = int(np.searchsorted(k, start))
    up = np.cumprod(ratios[split:])
    with np.errstate(divide="ignore", under="ignore"):
        down = np.cumprod(1.0 / ratios[:split][::-1])[::-1]
    weights = np.concatenate([down, [1.0], up])
    counts = np.append(k, k[-1] + 1) if len(k) else np.array([start], dtype=np.int64)
    return counts, weights / weights.sum()


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write `total` as an ordered sum of `parts` non-negative integers."""
    for bars in combinations_with_replacement(range(total + 1), parts - 1):
        edges = (0, *bars, total)
        yield tuple(edges[i + 1] - edges[i] for i in range(parts))
