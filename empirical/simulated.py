"""Simulated runs: logs of known kinds, by which the diagnostics' false alarms and power are measured."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.random import Generator

from empirical.logs import Log
from empirical.logs.identity import Version
from empirical.logs.numbers import Floats
from reference import laws

GROUPS, SIZE = 8, 8  # prompts a step, completions a prompt
STEPS, EVERY = 400, 10
SPREAD = 1.0  # standard deviation of the prompts' logits about the mean's
HELD_OUT = 200  # prompts of an evaluation


def _logit(p: Floats) -> Floats:
    q = np.clip(p, 1e-3, 1 - 1e-3)
    return np.log(q / (1 - q))


def _prompts(p: Floats, rng: Generator, spread: float) -> Floats:
    """Success probabilities of each step's prompts, shape (steps, groups): logits normal about the mean's."""
    out: Floats = 1 / (1 + np.exp(-(_logit(p)[:, None] + spread * rng.normal(size=(p.size, GROUPS)))))
    return out


def run(
    p: Floats,
    rng: Generator,
    *,
    prompts: Floats | None = None,
    held_out: Floats | None = None,
    entropy: Floats | None = None,
    gradient: Floats | None = None,
) -> Log:
    """A log in TRL's columns.

    Args:
        p: success probability of the mean prompt, shape (steps,).
        rng: random numbers.
        prompts: success probabilities, shape (steps, GROUPS); None for logits spread about the mean's.
        held_out: mean held-out reward, shape (steps,); None for p itself.
        entropy: shape (steps,); None for a gentle decline by a third.
        gradient: scale of the gradient norm, shape (steps,); None for constant.
    """
    import pandas as pd

    steps = p.size
    chance = _prompts(p, rng, SPREAD) if prompts is None else prompts
    successes = rng.binomial(SIZE, chance)
    mean = successes / SIZE
    spread = np.sqrt(mean * (1 - mean) * SIZE / (SIZE - 1))
    time = np.arange(1, steps + 1)
    breadth = 0.6 * (1 - time / (3 * steps)) if entropy is None else entropy
    scale = np.full(steps, 0.3) if gradient is None else gradient
    truth = chance.mean(axis=1) if held_out is None else held_out
    evaluated = np.full(steps, np.nan)
    places = np.arange(EVERY - 1, steps, EVERY)
    window = np.ones(EVERY)
    near = np.convolve(np.ones(steps), window, mode="same")  # fewer steps at both ends
    level = np.convolve(truth, window, mode="same") / near if held_out is None else truth
    evaluated[places] = rng.binomial(HELD_OUT, np.clip(level[places], 0, 1)) / HELD_OUT
    table = pd.DataFrame(
        {
            "step": time.astype(np.int64),
            "reward": mean.mean(axis=1),
            "reward_std": spread.mean(axis=1),
            "frac_reward_zero_std": (spread == 0).mean(axis=1),
            "kl": 1e-4 * time * rng.gamma(20, 1 / 20, steps),
            "entropy": breadth * rng.gamma(100, 1 / 100, steps),
            "grad_norm": scale * np.exp(0.4 * rng.normal(size=steps)),
            "eval_reward": evaluated,
        }
    )
    columns = {str(c): str(c) for c in table}
    return Log(
        Path("simulated"),
        "simulated",
        table,
        columns,
        "trl",
        Version("inferred", (0, 20), (0, 26)),
        (),
        {"group_size": SIZE, "logging_interval": 1},
    )


def _time() -> Floats:
    return np.arange(STEPS, dtype=np.float64)


def _rise(rng: Generator) -> Floats:
    """A saturating exponential from a random start to a random plateau."""
    start, end, rate = rng.uniform(0.15, 0.3), rng.uniform(0.6, 0.7), rng.uniform(0.01, 0.03)
    return np.asarray(laws.single_exponential(_time(), start, end, rate))


def healthy(rng: Generator) -> Log:
    """Saturation at 0.6 to 0.7."""
    return run(_rise(rng), rng)


def slow_start(rng: Generator) -> Log:
    """The critically damped law from rest, inflection at step 30 to 70."""
    p = laws.critically_damped(_time(), rng.uniform(0.15, 0.3), rng.uniform(0.6, 0.7), 1 / rng.uniform(30, 70))
    return run(np.asarray(p), rng)


def plateau(rng: Generator) -> Log:
    """Already at its plateau."""
    return run(np.full(STEPS, rng.uniform(0.4, 0.6)), rng)


def underdamped(rng: Generator) -> Log:
    """Rings and settles: damping ratio 0.05 to 0.15, period 60 to 120 steps."""
    p = laws.second_order(_time(), 0.25, 0.55, 2 * np.pi / rng.uniform(60, 120), rng.uniform(0.05, 0.15))
    return run(np.clip(np.asarray(p), 0.02, 0.98), rng)


def growing(rng: Generator) -> Log:
    """An oscillation that grows from 0.04 to 0.2 or more."""
    omega = 2 * np.pi / rng.uniform(60, 100)
    growth = np.log(rng.uniform(5, 8)) / STEPS
    p = 0.5 - 0.045 * np.exp(growth * _time()) * np.cos(omega * _time())
    return run(np.clip(p, 0.02, 0.98), rng)


def degenerate(rng: Generator) -> Log:
    """Prompts become too easy or stay too hard: most groups lose their spread."""
    share = np.minimum(_time() / 150, 1.0) * rng.uniform(0.8, 0.9)
    side = rng.integers(0, 2)
    chance = _prompts(np.full(STEPS, 0.5), rng, SPREAD)
    dead = rng.random(chance.shape) < share[:, None]
    chance = np.where(dead, 0.999 if side else 0.001, chance)
    return run(chance.mean(axis=1), rng, prompts=chance)


def concentrated(rng: Generator) -> Log:
    """The entropy falls to a tenth within the first fifth, long before the reward saturates."""
    p = laws.single_exponential(_time(), 0.2, 0.7, 1 / rng.uniform(120, 160))
    entropy = 0.06 + 0.54 * np.exp(-_time() / rng.uniform(15, 30))
    return run(np.asarray(p), rng, entropy=entropy)


def hacked(rng: Generator) -> Log:
    """The training reward rises throughout; the held-out one turns at 30% to 45% of the run and falls."""
    p = np.asarray(laws.single_exponential(_time(), 0.2, 0.75, 1 / 150))
    turn = int(rng.uniform(0.3, 0.45) * STEPS)
    fall = rng.uniform(0.15, 0.25) * np.maximum(_time() - turn, 0) / (STEPS - turn)
    held = p[np.minimum(np.arange(STEPS), turn)] - fall
    return run(p, rng, held_out=held)


def exploding(rng: Generator) -> Log:
    """The gradient norm grows exponentially in the second half, and the reward falls to a tenth."""
    late = np.maximum(_time() - STEPS / 2, 0) / (STEPS / 2)
    p = _rise(rng) * (1 - late) + 0.05 * late
    return run(p, rng, gradient=0.3 * np.exp(rng.uniform(4, 6) * late))


def noise(rng: Generator) -> Log:
    """No change, and a slow wander of the prompts' difficulty."""
    wander = np.zeros(STEPS)
    for k in range(1, STEPS):
        wander[k] = 0.9 * wander[k - 1] + 0.1 * rng.normal()
    return run(1 / (1 + np.exp(-(_logit(np.full(STEPS, rng.uniform(0.35, 0.6))) + wander))), rng)


KINDS: dict[str, Callable[[Generator], Log]] = {
    "healthy saturation": healthy,
    "slow start": slow_start,
    "plateau": plateau,
    "underdamped": underdamped,
    "growing oscillation": growing,
    "degeneracy": degenerate,
    "concentration": concentrated,
    "hacking": hacked,
    "runaway": exploding,
    "noise": noise,
}
CAUSES: dict[str, tuple[str, str]] = {  # the diagnosis, and the word, that must be found
    "underdamped": ("dynamics", "underdamped"),
    "growing oscillation": ("dynamics", "unstable"),
    "degeneracy": ("degeneracy", ""),
    "concentration": ("concentration", "before saturation"),
    "hacking": ("coupling", "decoupled"),
    "runaway": ("stability", ""),
}
HEALTHY = ("healthy saturation", "slow start", "plateau", "noise")
