"""Group size inferred from a log: rewards that count successes, and shares that count groups, have denominators.

With 0-1 rewards the mean reward of a step is a multiple of 1/N, N completions a step, and the share of groups without
spread a multiple of 1/P, P prompts a step: G = N/P. Where a row is the mean of several steps both are multiplied by
their number, and the ratio is the same.
"""

import math

import numpy as np

from empirical.logs import Log
from empirical.logs.numbers import Floats

MOST = 4096  # of a denominator
ROWS = 12  # with a value that is not whole: that all share a factor of N by chance has probability 2^-12 or less
LOOSE = 0.25  # share of all numbers near a multiple, beyond which printed digits themselves look like multiples
CHANCE = 1e-6  # that numbers which count nothing fit a denominator
_FLOAT32 = 1e-6  # relative rounding of what trainers log from tensors, with room for a mean of several


def denominator(values: Floats) -> int | None:
    """The smallest N up to `MOST` of which all values in [0, 1] are multiples of 1/N, beyond chance; None without one.

    A value is a multiple where it is one within the rounding to the digits with which it was printed.
    """
    inside = np.unique(values[np.isfinite(values)])
    loose = inside[(inside > 0) & (inside < 1)]
    if loose.size < 2 or inside[0] < 0 or inside[-1] > 1:
        return None
    rows = values[np.isfinite(values) & (values > 0) & (values < 1)]
    if rows.size < ROWS:
        return None
    independent = 1 + int((np.diff(rows) != 0).sum())  # a value that stays is counted once
    digits = next((d for d in range(1, 7) if np.abs(loose * 10**d - np.round(loose * 10**d)).max() < 1e-9 * 10**d), 0)
    slack = 0.51 * 10.0**-digits if digits else _FLOAT32
    for n in range(2, MOST + 1):
        if np.abs(loose * n - np.round(loose * n)).max() <= n * slack:
            fits = 2 * n * slack
            return n if fits < LOOSE and MOST * fits**independent < CHANCE else None
    return None


def infer(log: Log) -> tuple[int | None, str]:
    """The group size and how it follows, or None and why it does not."""
    functions = [c for c in log.table if str(c).startswith("rewards/") and str(c).endswith("/mean")]
    if len(functions) > 1:
        return None, f"not identifiable: the reward is a sum of {len(functions)} functions; give --group-size"
    rewards = log.table["reward"].to_numpy(dtype=np.float64)
    finite = rewards[np.isfinite(rewards)]
    if not finite.size or finite.min() < 0 or finite.max() > 1:
        return None, "not identifiable: the rewards are not between 0 and 1; give --group-size"
    completions = denominator(finite)
    if completions is None:
        return None, "not identifiable: the rewards are multiples of no 1/N beyond chance; give --group-size"
    counted = f"rewards are multiples of 1/{completions}"
    if log.trainer == "reasoning-from-scratch" and completions >= 2:
        return completions, f"inferred: {counted}, and this trainer takes one prompt a step; holds for 0-1 rewards"
    if not log.has("frac_reward_zero_std"):
        text = f"not identifiable: {counted}, but no frac_reward_zero_std counts the prompts; give --group-size"
        return None, text
    shares = log.table["frac_reward_zero_std"].to_numpy(dtype=np.float64)
    if set(np.unique(shares[np.isfinite(shares)])) <= {0.0, 1.0} and np.isfinite(shares).sum() >= ROWS:
        prompts: int | None = 1
    else:
        prompts = denominator(shares)
    if prompts is None:
        return None, f"not identifiable: {counted}, but the shares of groups count no prompts; give --group-size"
    if completions % prompts or completions // prompts < 2:
        text = f"{counted}, shares of groups of 1/{prompts}: no whole group size; give --group-size"
        return None, f"not identifiable: {text}"
    size = completions // prompts
    sure = _binary(log, completions)
    rest = "" if sure else "; holds for 0-1 rewards"
    return size, f"inferred: {counted}, shares of groups of 1/{prompts}: {completions}/{prompts} = {size}{rest}"


def _binary(log: Log, completions: int) -> bool:
    """Whether the batch's standard deviation says that all rewards are 0 or 1: s^2 = m (1 - m) N/(N - 1)."""
    if not log.has("reward_std"):
        return False
    mean, spread = (log.table[name].to_numpy(dtype=np.float64) for name in ("reward", "reward_std"))
    both = np.isfinite(mean) & np.isfinite(spread)
    wanted = np.sqrt(mean[both] * (1 - mean[both]) * completions / (completions - 1))
    return bool(both.any()) and math.isfinite(wanted.sum()) and float(np.abs(wanted - spread[both]).max()) < 1e-4
