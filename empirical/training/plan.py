"""The resolved plan of a run: every number that is used, what follows from them, and where they leave the paper."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from empirical.models import Preset
from empirical.rewards import Arm
from empirical.training.published import Published, published
from empirical.training.refresh import Refresh

GROUP_SIZES = (4, 16)
SEEDS = (42, 3407)


@dataclass(frozen=True)
class Settings:
    """What a run is asked for. Those of Table 2 have no default here: `plan` reads them from the table.

    Attributes:
        model: name of the preset, hub id or folder.
        task: name or file of the training problems.
        group_size: G, completions a prompt.
        seed: of everything.
        arm: what is rewarded.
        refresh: K_ref in optimizer steps.
        iterations: uses of each completion.
        optimizer: `adamw` or `sgd` (with momentum: Eq. 3 of the paper).
        momentum: mu of SGD, beta_1 of AdamW.
        schedule: of the learning rate, `constant` or `linear` (to 0).
        max_grad_norm: gradients are scaled down to it; 0 leaves them alone.
        scale_rewards: `group`, `batch` or `none`: what an advantage is divided by.
        loss_type: TRL's name of the loss.
        problems: size of the training set; None for all of it.
        steps: optimizer steps; None for the epochs of Table 2.
        checkpoint_every: optimizer steps, rounded up to whole refresh cycles.
        eval_problems: held-out problems that are evaluated every `eval_steps`; 0 for none.
        processes: data-parallel processes.
        vllm: whether vLLM samples.
        lora: whether adapters are trained (Table 2) or every weight.
    """

    model: str
    task: str
    group_size: int
    seed: int
    learning_rate: float
    epochs: int
    batch_size: int
    gradient_accumulation: int
    temperature: float
    max_prompt: int
    max_completion: int
    eval_steps: int
    beta: float
    epsilon: float
    lora: bool
    rank: int
    alpha: int
    dropout: float
    arm: Arm = Arm.VERIFIABLE
    refresh: int = 1
    iterations: int = 1
    optimizer: str = "adamw"
    momentum: float = 0.9
    schedule: str = "constant"
    max_grad_norm: float = 1.0
    scale_rewards: str = "group"
    loss_type: str = "dapo"
    problems: int | None = None
    steps: int | None = None
    checkpoint_every: int = 25
    eval_problems: int = 32
    processes: int = 1
    vllm: bool = False


def settings(preset: Preset, group_size: int, seed: int, given: Mapping[str, Any] | None = None) -> Settings:
    """Table 2, then what the preset needs instead, then what was asked for.

    Args:
        preset: the model.
        group_size: G.
        seed: of everything.
        given: settings by name; None values are ignored.

    Raises:
        ValueError: a setting outside its domain.
    """
    table = published()
    values: dict[str, Any] = {
        name: getattr(table, name) for name in (field.name for field in fields(Settings)) if hasattr(table, name)
    }
    values |= {"model": preset.name, "task": preset.task, "group_size": group_size, "seed": seed}
    values["lora"] = table.use_lora
    for name, own in (
        ("learning_rate", preset.learning_rate),
        ("max_completion", preset.completion),
        ("steps", preset.steps),
        ("batch_size", preset.batch),
        ("eval_steps", preset.eval_steps),
    ):
        if own is not None:
            values[name] = own
    values |= {name: value for name, value in (given or {}).items() if value is not None}
    values["arm"] = Arm(values.get("arm", Arm.VERIFIABLE))
    found = Settings(**values)
    _check(found)
    return found


def _check(found: Settings) -> None:
    for name, low in (("group_size", 2), ("batch_size", 1), ("gradient_accumulation", 1), ("max_completion", 1)):
        if getattr(found, name) < low:
            raise ValueError(f"{name} = {getattr(found, name)}; expected an integer of at least {low}")
    for name, good in (
        ("optimizer", ("adamw", "sgd")),
        ("schedule", ("constant", "linear")),
        ("scale_rewards", ("group", "batch", "none")),
    ):
        if getattr(found, name) not in good:
            raise ValueError(f"{name} = {getattr(found, name)!r}; expected one of {', '.join(good)}")
    if not 0 <= found.momentum < 1:
        raise ValueError(f"momentum = {found.momentum}; expected a number in [0, 1)")
    if found.learning_rate <= 0 or found.temperature <= 0:
        raise ValueError("learning_rate and temperature; expected positive numbers")
    if found.steps is not None and found.steps < 1:
        raise ValueError(f"steps = {found.steps}; expected an integer of at least 1")


@dataclass(frozen=True)
class Plan:
    """What a run will do.

    Attributes:
        settings: what was asked for.
        refresh: the schedule of the sampling policy.
        problems: training problems.
        steps: optimizer steps.
        sequences: completions that one optimizer step learns from, over all processes.
        prompts_per_generation: prompts of one generation.
        generations: how often the policy is sampled.
        checkpoint_every: optimizer steps, whole refresh cycles.
        memory: estimate in GiB for one device; None where the model's shape is not known.
        departures: where the run leaves the paper's protocol, one sentence each.
    """

    settings: Settings
    refresh: Refresh
    problems: int
    steps: int
    sequences: int
    prompts_per_generation: int
    generations: int
    checkpoint_every: int
    memory: float | None
    departures: tuple[str, ...]

    @property
    def completions(self) -> int:
        """Completions sampled in the whole run."""
        return self.generations * self.prompts_per_generation * self.settings.group_size

    @property
    def key(self) -> str:
        """Names the plan: a log of another plan is not continued."""
        return hashlib.blake2b(json.dumps(asdict(self.settings), sort_keys=True).encode(), digest_size=8).hexdigest()


def plan(preset: Preset, found: Settings, problems: int) -> Plan:
    """Resolve what follows from the settings.

    Args:
        preset: the model.
        found: the settings.
        problems: training problems that there are.

    Raises:
        ValueError: the completions of a generation are no whole number of groups; or too few problems.
    """
    refresh = Refresh(found.refresh, found.iterations, found.gradient_accumulation)
    sequences = found.batch_size * found.gradient_accumulation * found.processes
    per_generation = sequences * refresh.fresh_steps
    if per_generation % found.group_size:
        raise ValueError(
            f"group_size = {found.group_size}; expected a divisor of the {per_generation} completions of a generation "
            "(batch size x accumulation x processes x refresh / iterations): change one of these"
        )
    prompts = per_generation // found.group_size
    if problems < prompts:
        raise ValueError(f"problems = {problems}; expected at least the {prompts} prompts of one generation")
    steps = found.steps or found.epochs * (problems // prompts) * refresh.interval
    memory = None
    if preset.shape is not None:
        length = min(found.max_prompt + found.max_completion, 10**6)
        memory = preset.shape.memory(
            preset.dtype,
            found.rank if found.lora else None,
            per_generation // found.processes,
            found.batch_size,
            length,
        )
    return Plan(
        settings=found,
        refresh=refresh,
        problems=problems,
        steps=steps,
        sequences=sequences,
        prompts_per_generation=prompts,
        generations=-(-steps // refresh.interval),
        checkpoint_every=refresh.checkpoint(found.checkpoint_every),
        memory=memory,
        departures=tuple(departures(preset, found, published())),
    )


def departures(preset: Preset, found: Settings, table: Published) -> list[str]:
    """Where a run leaves the paper's protocol, and what the paper leaves open."""
    out = []
    if preset.name not in ("deepseek7b", "nemotron4b", "qwen1.5b"):
        out.append(f"model {preset.name}: the paper trains DeepSeek-7B, Nemotron-4B and DeepSeek-R1-Qwen-1.5B")
    if found.task != "gsm8k":
        out.append(f"task {found.task}: the paper trains on GSM8K")
    if found.arm is not Arm.VERIFIABLE:
        out.append(f"reward {found.arm}: the paper rewards the right final answer")
    for field in fields(Published):
        name, printed = field.name, getattr(table, field.name)
        used = getattr(found, {"use_lora": "lora"}.get(name, name), printed)
        if used != printed:
            out.append(f"{name} {used}: Table 2 has {printed}")
    if found.steps is not None:
        out.append(f"{found.steps} optimizer steps: Table 2 has {table.epochs} epochs")
    missing = [module for module in table.targets if module not in preset.targets]
    if found.lora and missing:
        out.append(f"no adapters on {', '.join(missing)}: this architecture has none, though Table 2 names them")
    if found.group_size not in GROUP_SIZES:
        out.append(f"group size {found.group_size}: the paper has {' and '.join(map(str, GROUP_SIZES))}")
    if found.seed not in SEEDS:
        out.append(f"seed {found.seed}: the paper has {' and '.join(map(str, SEEDS))}")
    if found.processes != 1:
        out.append(f"{found.processes} processes: the paper gives no number; a step holds so many times more sequences")
    out.append(
        f"not in the paper, chosen here: {found.optimizer}, momentum {found.momentum:g}, {found.schedule} learning "
        f"rate, gradients scaled down to norm {found.max_grad_norm:g} (0: not at all), loss {found.loss_type}, "
        f"advantages divided by the std of the {found.scale_rewards}, refresh interval {found.refresh}"
    )
    return out
