"""Refusal of logs that are no GRPO run."""

from collections.abc import Collection

_PREFERENCE = ("rewards/chosen", "rewards/rejected", "rewards/margins", "rewards/accuracies", "logps/chosen")
_SUPERVISED = (
    "loss",
    "train_loss",
    "val_loss",
    "eval_loss",
    "validation loss",
    "training loss",
    "mean_token_accuracy",
    "perplexity",
    "ppl",
    "eval_mean_token_accuracy",
)
_VALUE = ("value_loss", "critic/vf_loss", "loss/value_avg", "vf_loss", "objective/scores")


def other_kind(names: Collection[str], rewarded: bool) -> str | None:
    """What else the run is, in words; None where it may be GRPO.

    Args:
        names: cleaned source names, without `train/`.
        rewarded: whether a column of rewards was found.
    """
    if any(name.removeprefix("eval_") in _PREFERENCE for name in names):
        return "a preference run (DPO and the like: rewards/chosen, rewards/rejected)"
    if rewarded:
        return None
    found = [name for name in names if name in _SUPERVISED]
    if found:
        return f"a supervised run: {', '.join(sorted(found)[:4])} and no column of rewards"
    return None
