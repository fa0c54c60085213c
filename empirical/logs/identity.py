"""Identity: which trainer wrote a log, and in which version, as read in the file or inferred from its keys."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from empirical.logs.naming import clean
from empirical.logs.numbers import Floats

Pair = tuple[int, int]


@dataclass(frozen=True)
class Version:
    """A version or a range of versions.

    Attributes:
        how: "read" in the file, "inferred" from the keys, or "unknown".
        low, high: first and last version (major, minor) that is possible; None where open.
        evidence: the keys that say so.
    """

    how: Literal["read", "inferred", "unknown"]
    low: Pair | None = None
    high: Pair | None = None
    evidence: tuple[str, ...] = ()

    def __str__(self) -> str:
        low, high = ("" if p is None else f"{p[0]}.{p[1]}" for p in (self.low, self.high))
        if self.how == "unknown" or not (low or high):
            return "unknown"
        if low == high:
            return low
        return f"{low} to {high}" if low and high else f"{low} or later" if low else f"{high} or earlier"


_SINCE: tuple[tuple[Pair, str], ...] = (  # a key that exists from this version on
    ((0, 16), "clip_ratio"),
    ((0, 16), "num_tokens"),
    ((0, 17), "completions/mean_length"),
    ((0, 17), "completions/clipped_ratio"),
    ((0, 17), "clip_ratio/region_mean"),
    ((0, 18), "frac_reward_zero_std"),
    ((0, 20), "entropy"),
    ((0, 23), "sampling/importance_sampling_ratio/max"),
    ((0, 23), "sampling/sampling_logp_difference/max"),
    ((0, 26), "step_time"),
    ((0, 26), "tools/call_frequency"),
    ((0, 26), "cispo_clip_ratio"),
    ((1, 0), "vespo/phi_seq_mean"),
)
_OLD_NAMES = "completion_length"  # until 0.16
_RENAMED = (0, 16)
BATCH_STD = (0, 27)


def trainer(names: Iterable[str]) -> str:
    """The trainer by its keys: "trl", "verl", "openrlhf", "reasoning-from-scratch" or "unknown"."""
    keys = {clean(name).removeprefix("train/").removeprefix("eval/").removeprefix("eval_") for name in names}
    if any(key.startswith(("critic/score", "actor/", "critic/rewards")) for key in keys):
        return "verl"
    if {"reward_avg", "avg_response_len"} <= keys:
        return "reasoning-from-scratch"
    marks = {key for _, key in _SINCE if key not in ("entropy", "clip_ratio", "step_time", "num_tokens")}
    if keys & (marks | {_OLD_NAMES}) or ("reward" in keys and any(k.startswith("rewards/") for k in keys)):
        return "trl"
    if {"policy_loss", "response_length"} <= keys or {"act_lr", "reward"} <= keys or {"actor_lr", "reward"} <= keys:
        return "openrlhf"
    return "unknown"


def version(name: str, columns: Mapping[str, Floats], told: Mapping[str, str]) -> Version:
    """The version of a trainer.

    Args:
        name: the trainer.
        columns: source name -> values.
        told: trainer -> version that the file itself names.
    """
    if name in told and (pair := parse(told[name])) is not None:
        return Version("read", pair, pair, (f"{name}-{told[name]}",))
    if name != "trl":
        return Version("unknown")
    keys = {clean(k).removeprefix("train/"): v for k, v in columns.items()}
    low = max(((p, key) for p, key in _SINCE if key in keys), default=None)
    high: tuple[Pair, str] | None = None
    if _OLD_NAMES in keys:
        high = (_RENAMED, _OLD_NAMES)
    capped = keys.get("sampling/importance_sampling_ratio/max")
    if capped is not None and capped.size and np.nanmax(np.append(capped, -math.inf)) > 2.0 + 1e-4:
        low = max(filter(None, (low, ((0, 26), "sampling/importance_sampling_ratio/max above 2"))))
    if batch_std(columns):
        low = max(filter(None, (low, (BATCH_STD, "reward_std equal to the only reward function's std"))))
    if high and low and low[0] > high[0]:
        return Version("unknown", evidence=(low[1], high[1]))
    if not low and not high:
        return Version("unknown")
    return Version(
        "inferred",
        low[0] if low else None,
        high[0] if high else None,
        tuple(e[1] for e in (low, high) if e is not None),
    )


def batch_std(columns: Mapping[str, Floats]) -> bool:
    """Whether reward_std is the batch's: equal, in every row, to the std of the only reward function.

    Rows in which the batch has no spread say nothing; at least five others are needed.
    """
    keys = {clean(k).removeprefix("train/"): v for k, v in columns.items()}
    single = [k for k in keys if k.startswith("rewards/") and k.endswith("/std")]
    if len(single) != 1 or "reward_std" not in keys:
        return False
    a, b = keys["reward_std"], keys[single[0]]
    both = np.isfinite(a) & np.isfinite(b) & ((a > 0) | (b > 0))
    return bool(both.sum() >= 5 and np.all(np.abs(a[both] - b[both]) <= 1e-5 * np.maximum(a[both], b[both])))


def parse(text: str) -> Pair | None:
    """Major and minor number of a version."""
    parts = text.split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and parts[0].isdigit() and parts[1].isdigit() else None
