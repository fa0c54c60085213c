"""Quantities: what a canonical column is, in which unit, and under which names trainers log it.

The TRL readings were read in the trainer's source, versions 0.14 to 1.16.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """What a column means in a range of versions of one trainer.

    Attributes:
        trainer: its name.
        since, until: first and last version (major, minor), both included; None where open.
        says: the meaning.
    """

    trainer: str
    since: tuple[int, int] | None
    until: tuple[int, int] | None
    says: str

    @property
    def label(self) -> str:
        """The trainer and the range of its versions."""
        first = "" if self.since is None else f" from {_text(self.since)}"
        return f"{self.trainer}{first}{'' if self.until is None else f' to {_text(self.until)}'}"

    def overlaps(self, low: tuple[int, int] | None, high: tuple[int, int] | None) -> bool:
        """Whether a version in [low, high] (None: open) can be meant."""
        before = high is not None and self.since is not None and high < self.since
        after = low is not None and self.until is not None and low > self.until
        return not (before or after)


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


@dataclass(frozen=True)
class Quantity:
    """One canonical column.

    Attributes:
        name: of the column; evaluation rows have the same with `eval_` before it.
        unit: of its values, "" for pure numbers.
        says: what it is, where that does not depend on the trainer.
        aliases: names that trainers use, in lower case, without `train/` and the like; best first.
        low, high: values outside are no such quantity and are refused.
        readings: what it means by trainer and version, where that changed.
    """

    name: str
    unit: str
    says: str
    aliases: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    readings: tuple[Reading, ...] = ()


_HUGE = 1e100  # its square, and the sum of a million of them, is still a double
_STD_WITHIN = "mean over groups of the within-group standard deviation (ddof 1)"
_STD_BATCH = "standard deviation over the whole generation batch: it contains the spread between prompts"
_CAP = "exp(trainer's minus inference engine's log-probability) at equal weights: engine mismatch, not policy lag"

_TABLE = (
    Quantity("epoch", "epoch", "passes over the data", ("epoch", "training/epoch"), low=0.0),
    Quantity(
        "loss",
        "",
        "training loss; near 0 is normal for GRPO",
        ("loss", "training loss", "train_loss", "actor/loss", "actor/pg_loss", "policy_loss", "actor/policy_loss"),
    ),
    Quantity(
        "reward",
        "reward",
        "mean reward of the completions of the step (TRL 0.27: without the reward functions' weights)",
        (
            "reward",
            "reward_avg",
            "mean_reward",
            "reward_mean",
            "avg_reward",
            "average_reward",
            "rewards/mean",
            "reward/mean",
            "critic/score/mean",
            "rewards_mean",
            "objective/rewards",
            "episode_reward",
            "score",
            "env/all/reward/total",
        ),
        low=-_HUGE,
        high=_HUGE,
    ),
    Quantity(
        "reward_std",
        "reward",
        "spread of the rewards",
        (
            "reward_std",
            "std_reward",
            "reward/std",
            "rewards/std",
            "group_reward_std",
            "reward_group_std",
            "critic/score/std",
        ),
        low=0.0,
        readings=(
            Reading("trl", None, (0, 26), f"{_STD_WITHIN}; the batch's with scale_rewards='batch'"),
            Reading("trl", (0, 27), None, _STD_BATCH),
        ),
    ),
    Quantity(
        "frac_reward_zero_std",
        "fraction",
        "share of groups whose completions all have the same reward",
        ("frac_reward_zero_std", "frac_zero_std", "zero_std_frac", "zero_std_ratio"),
        0.0,
        1.0,
    ),
    Quantity(
        "advantage_mean",
        "",
        "mean advantage",
        ("advantage_mean", "adv_avg", "advantages/mean", "critic/advantages/mean"),
    ),
    Quantity(
        "advantage_std",
        "",
        "standard deviation of the advantages of one group; 0 where the rewards are all equal",
        ("advantage_std", "adv_std", "advantages/std"),
        low=0.0,
    ),
    Quantity(
        "kl",
        "nat",
        "divergence from the reference policy, a sample estimate (k3 is never below 0, k1 can be)",
        (
            "kl",
            "kl_loss",
            "actor/kl_loss",
            "actor/kl",
            "kl_div",
            "objective/kl",
            "mean_kl",
            "kl_mean",
            "kl_avg",
            "actor/reward_kl_penalty",
        ),
    ),
    Quantity(
        "entropy",
        "nat",
        "mean entropy of the next-token distribution",
        (
            "entropy",
            "actor/entropy",
            "entropy_avg",
            "policy_entropy",
            "mean_entropy",
            "actor/entropy_loss",
            "policy/entropy_avg",
            "objective/entropy",
            "entropy_mean",
        ),
        low=0.0,
    ),
    Quantity(
        "grad_norm",
        "",
        "norm of the gradient before clipping; 0 where no group has spread",
        ("grad_norm", "actor/grad_norm", "gradient_norm", "policy_grad_norm", "actor_grad_norm"),
        low=0.0,
    ),
    Quantity(
        "learning_rate", "", "of the optimizer", ("learning_rate", "lr", "actor/lr", "actor_lr", "act_lr"), low=0.0
    ),
    Quantity(
        "completion_length",
        "token",
        "mean length of the completions",
        (
            "completion_length",
            "completions/mean_length",
            "avg_response_len",
            "response_length/mean",
            "response_length",
            "mean_response_length",
            "completions/length",
        ),
        low=0.0,
    ),
    Quantity(
        "completion_length_min",
        "token",
        "shortest completion",
        ("completions/min_length", "response_length/min"),
        low=0.0,
    ),
    Quantity(
        "completion_length_max",
        "token",
        "longest completion",
        ("completions/max_length", "response_length/max"),
        low=0.0,
    ),
    Quantity(
        "terminated_length",
        "token",
        "mean length of the completions that ended by themselves",
        ("completions/mean_terminated_length",),
        low=0.0,
    ),
    Quantity(
        "terminated_length_min",
        "token",
        "shortest completion that ended by itself",
        ("completions/min_terminated_length",),
        low=0.0,
    ),
    Quantity(
        "terminated_length_max",
        "token",
        "longest completion that ended by itself",
        ("completions/max_terminated_length",),
        low=0.0,
    ),
    Quantity(
        "clipped_fraction",
        "fraction",
        "share of completions cut at the length limit",
        ("completions/clipped_ratio", "response_length/clip_ratio"),
        0.0,
        1.0,
    ),
    Quantity(
        "clip_ratio",
        "fraction",
        "share of tokens whose importance ratio is outside the clipping interval",
        (
            "clip_ratio/region_mean",
            "clip_ratio",
            "actor/pg_clipfrac",
            "policy_clip_ratio",
            "ppo_clip_ratio",
            "clipfrac",
            "clip_frac",
        ),
        0.0,
        1.0,
    ),
    Quantity(
        "clip_ratio_low",
        "fraction",
        "share clipped at the lower bound",
        ("clip_ratio/low_mean", "actor/pg_clipfrac_lower"),
        0.0,
        1.0,
    ),
    Quantity("clip_ratio_high", "fraction", "share clipped at the upper bound", ("clip_ratio/high_mean",), 0.0, 1.0),
    Quantity(
        "clip_ratio_low_min",
        "fraction",
        "share clipped at the lower bound, least of the processes",
        ("clip_ratio/low_min",),
        0.0,
        1.0,
    ),
    Quantity(
        "clip_ratio_high_max",
        "fraction",
        "share clipped at the upper bound, most of the processes",
        ("clip_ratio/high_max",),
        0.0,
        1.0,
    ),
    Quantity(
        "ratio_mean",
        "",
        "mean importance ratio pi_theta/pi_old",
        ("policy_ratio", "ratio_mean", "ratio", "importance_ratio", "val/ratio"),
        low=0.0,
    ),
    Quantity(
        "ratio_max",
        "",
        "largest importance ratio pi_theta/pi_old",
        ("ratio_max", "policy_ratio_max", "max_ratio", "importance_ratio/max"),
        low=0.0,
    ),
    Quantity(
        "policy_kl",
        "nat",
        "divergence of the policy from the sampling policy: what the lag of the samples amounts to",
        ("actor/ppo_kl", "ppo_kl", "approx_kl", "policy/approxkl_avg"),
    ),
    Quantity(
        "mismatch_ratio_max",
        "",
        "largest ratio between trainer and inference engine at the same weights",
        ("sampling/importance_sampling_ratio/max",),
        low=0.0,
        readings=(
            Reading("trl", (0, 23), (0, 25), f"{_CAP}; clamped at 2.0"),
            Reading("trl", (0, 26), None, f"{_CAP}; values above the cap (3.0) are masked"),
        ),
    ),
    Quantity(
        "mismatch_ratio_mean",
        "",
        "mean ratio between trainer and inference engine at the same weights",
        ("sampling/importance_sampling_ratio/mean",),
        low=0.0,
    ),
    Quantity(
        "mismatch_ratio_min",
        "",
        "smallest ratio between trainer and inference engine at the same weights",
        ("sampling/importance_sampling_ratio/min",),
        low=0.0,
    ),
    Quantity(
        "mismatch_logp_max",
        "nat",
        "largest difference of log-probability between trainer and inference engine",
        ("sampling/sampling_logp_difference/max",),
        low=0.0,
    ),
    Quantity(
        "mismatch_logp_mean",
        "nat",
        "mean difference of log-probability between trainer and inference engine",
        ("sampling/sampling_logp_difference/mean",),
        low=0.0,
    ),
    Quantity(
        "mismatch_prob_max",
        "",
        "largest difference of probability between trainer and inference engine",
        ("training/rollout_probs_diff_max",),
        0.0,
        1.0,
    ),
    Quantity("format_reward", "reward", "mean reward of the format", ("format_reward_avg", "format_reward")),
    Quantity(
        "accuracy",
        "fraction or percent",
        "share of correct answers",
        ("accuracy", "acc", "eval_acc", "test_acc", "acc/mean"),
    ),
    Quantity("num_tokens", "token", "tokens seen so far", ("num_tokens", "num_input_tokens_seen"), low=0.0),
    Quantity(
        "step_time", "second", "duration of a step", ("step_time", "timing_s/step", "perf/time_per_step"), low=0.0
    ),
)
QUANTITIES: dict[str, Quantity] = {quantity.name: quantity for quantity in _TABLE}
ALIASES: dict[str, tuple[str, int]] = {
    alias: (quantity.name, rank)
    for quantity in _TABLE
    for rank, alias in enumerate(dict.fromkeys((*quantity.aliases, quantity.name)))
}
STEPS = (
    "global_step",
    "training/global_step",
    "trainer/global_step",
    "step",
    "global step",
    "iteration",
    "iter",
    "train_step",
    "update",
    "steps",
    "_step",
)
