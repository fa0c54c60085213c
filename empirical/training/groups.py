"""What the rewards of a generation say about its groups."""

from typing import Any


def group_statistics(rewards: Any, size: int) -> dict[str, float]:
    """Spread within groups, and groups without any.

    Args:
        rewards: array of 0s and 1s, group by group, whole groups; anything numpy takes.
        size: completions of a group, at least 2.

    Returns:
        The columns of the log that the rewards decide, by name.

    Raises:
        ValueError: the rewards are no whole number of groups.
    """
    import numpy as np

    flat = np.asarray(rewards, dtype=np.float64).ravel()
    if flat.size == 0 or flat.size % size:
        raise ValueError(f"rewards has {flat.size} values; expected whole groups of {size}")
    groups = flat.reshape(-1, size)
    std = groups.std(axis=1)
    return {
        "reward": float(flat.mean()),
        "reward_std": float(flat.std(ddof=1)),
        "reward_std/within_ddof0": float(std.mean()),
        "reward_std/within_ddof1": float(groups.std(axis=1, ddof=1).mean()),
        "frac_reward_zero_std": float((groups == groups[:, :1]).all(axis=1).mean()),
        "group/all_correct": float((groups == 1.0).all(axis=1).mean()),
        "group/all_wrong": float((groups == 0.0).all(axis=1).mean()),
    }
