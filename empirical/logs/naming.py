"""Naming: from the name in a file to the canonical one."""

import re
from dataclasses import dataclass
from typing import Literal

from empirical.logs.quantity import ALIASES, STEPS

Phase = Literal["train", "eval"]
UNKNOWN = 10_000  # rank of a name that is no alias

_EVAL = re.compile(r"^(?:eval|val|valid|validation|test|val-core|val-aux)(?:[/_ ]+)(?=.)")
_TRAIN = re.compile(r"^(?:train|training|metrics)[/ ]+(?!global_step|rollout)")
_VERL_EVAL = re.compile(r"(?:^|/)(reward|acc|score)/(?:mean|avg)@\d+$")
_SCORE = re.compile(r"^(?:test_score|score|reward)(?:/|$)")
_FUNCTION = re.compile(r"^(?:rewards|reward_funcs?)/(?P<name>[^/]+(?:/[^/]+)*?)(?:/(?P<what>mean|std))?$")
BOOKKEEPING = frozenset(
    {
        "runtime",
        "samples_per_second",
        "steps_per_second",
        "train_runtime",
        "train_samples_per_second",
        "total_flos",
        "train_steps_per_second",
        "_runtime",
        "_timestamp",
        "wall time",
        "wall_time",
        "time elapsed",
        "time",
        "timestamp",
        "column 1",
        "unnamed: 0",
        "model_preparation_time",
        "num_input_tokens_seen_per_second",
        "",
        "relative time (process)",
        "tokens_per_sec",
        "tokens_per_second",
        "no log",
    }
)
SETTINGS = {
    "total_steps": "max_steps",
    "max_steps": "max_steps",
    "num_generations": "group_size",
    "group_size": "group_size",
    "rollout.n": "group_size",
    "actor_rollout_ref.rollout.n": "group_size",
    "beta": "beta",
    "adam_beta1": "momentum",
    "adam_beta_1": "momentum",
    "beta_1": "momentum",
    "beta1": "momentum",
    "momentum": "momentum",
    "num_iterations": "iterations",
    "iterations": "iterations",
    "ppo_epochs": "iterations",
    "actor_rollout_ref.actor.ppo_epochs": "iterations",
    "steps_per_generation": "steps_per_generation",
    "gradient_accumulation_steps": "gradient_accumulation_steps",
    "gradient_accumulation": "gradient_accumulation_steps",
    "k_ref": "refresh",
    "refresh": "refresh",
    "refresh_interval": "refresh",
}
_CONFIG = re.compile(r"^(?:config|args|settings|hparams|training_args)[/.]")
_ONLY_CONFIG = {"learning_rate": "learning_rate", "lr": "learning_rate"}  # a column of that name is a quantity


@dataclass(frozen=True)
class Name:
    """What a source name is taken for.

    Attributes:
        canonical: the column's name; the cleaned source name where it is unknown.
        rank: 0 for the best alias of a quantity, UNKNOWN for no alias.
        kind: "step", "quantity", "function" (a reward function), "bookkeeping", "setting" or "unknown".
    """

    canonical: str
    rank: int
    kind: Literal["step", "quantity", "function", "bookkeeping", "setting", "unknown"]


def clean(source: str) -> str:
    """The name in lower case, without blanks round slashes and doubled blanks."""
    return re.sub(r"\s+", " ", re.sub(r"\s*/\s*", "/", source.strip())).lower()[:200]


def setting(source: str) -> str | None:
    """The canonical name of a setting in a config; None for what is no setting that is used here."""
    name = _CONFIG.sub("", clean(source))
    return SETTINGS.get(name) or _ONLY_CONFIG.get(name)


def understand(source: str) -> Name:
    """What a source name is taken for."""
    name = clean(source)
    if _CONFIG.match(name) and (told := setting(name)) is not None:
        return Name(told, 0, "setting")
    bare = _TRAIN.sub("", name)
    for candidate in (name, bare, bare.replace(" ", "_")):
        if candidate in STEPS:
            return Name("step", STEPS.index(candidate), "step")
    if bare in SETTINGS:
        return Name(SETTINGS[bare], 0, "setting")
    if (
        name in BOOKKEEPING
        or bare in BOOKKEEPING
        or bare.startswith(("timing_s/", "timing_per_token_ms/", "perf/", "system/"))
    ):
        found = ALIASES.get(bare)
        return Name(found[0], found[1], "quantity") if found else Name(bare, UNKNOWN, "bookkeeping")
    if bare == "validation loss":
        return Name("eval_loss", 0, "quantity")
    match = _EVAL.match(bare)
    if match and bare not in ("val/ratio",):
        inner = _inside(bare[match.end() :])
        return Name(f"eval_{inner.canonical}", inner.rank, inner.kind)
    return _inside(bare)


def _inside(bare: str) -> Name:
    """A name without its phase."""
    for rank, candidate in enumerate((bare, bare.replace(" ", "_"))):
        if candidate in ALIASES:
            name, place = ALIASES[candidate]
            return Name(name, place + rank, "quantity")
    if bare in BOOKKEEPING:
        return Name(bare, UNKNOWN, "bookkeeping")
    if match := _VERL_EVAL.search(bare):
        return Name("accuracy" if match[1] == "acc" else "reward", 50, "quantity")
    if match := _SCORE.match(bare):
        return Name("reward", 60, "quantity")
    if match := _FUNCTION.match(bare):
        return Name(f"rewards/{match['name']}/{match['what'] or 'mean'}", 0, "function")
    return Name(bare, UNKNOWN, "unknown")
