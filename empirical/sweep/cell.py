"""A cell of the sweep: pure data, named by its hash; the same cell is never run twice."""

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from empirical.sweep.task import Variant

Kind = Literal["sampled", "twin", "stiffness"]
KINDS: tuple[Kind, ...] = ("sampled", "twin", "stiffness")


@dataclass(frozen=True)
class Cell:
    """One run, and all that decides it.

    Attributes:
        arm: the comparison that it belongs to.
        kind: "sampled": TRL trains; "twin": the exact expected update, no sampling; "stiffness": the twin, and the
            eigenvalues of its linearised force at the end.
        warm_up: seed of the network.
        seed: of the samples and of the order of prompts; 0 where nothing is sampled.
        variant: of the task.
        size: completions of a group, G.
        sequences: completions of an optimizer step.
        steps: optimizer steps.
        optimizer: "sgd" (heavy ball) or "adamw".
        learning_rate: constant.
        momentum: of SGD, or AdamW's beta_1.
        interval: the refresh interval K_ref, in optimizer steps; 1 is on-policy.
        iterations: how often each completion is used; divides the interval.
        delay: optimizer steps by which every gradient is late (Lemma 5 read literally); 0 is none.
        ratio: whether the loss has its importance ratio.
        clip: half-width of the ratio's clipping interval, None without.
        ceiling: TRL's `delta`: above it a ratio has no gradient for negative advantages either, None without.
        scale: whether advantages are divided by the group's standard deviation ("group") or not ("none").
        beta: weight of the KL term.
    """

    arm: str
    kind: Kind = "sampled"
    warm_up: int = 0
    seed: int = 0
    variant: Variant = "one"
    size: int = 8
    sequences: int = 256
    steps: int = 300
    optimizer: Literal["sgd", "adamw"] = "sgd"
    learning_rate: float = 5e-4
    momentum: float = 0.9
    interval: int = 1
    iterations: int = 1
    delay: int = 0
    ratio: bool = True
    clip: float | None = None
    ceiling: float | None = None
    scale: Literal["group", "none"] = "group"
    beta: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind = {self.kind!r}; expected one of {KINDS}")
        for name, least in (("size", 2), ("sequences", 2), ("steps", 1), ("interval", 1), ("iterations", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} = {getattr(self, name)}; expected an integer of at least {least}")
        if self.delay < 0:
            raise ValueError(f"delay = {self.delay}; expected an integer of at least 0")
        if self.sequences % self.size:
            raise ValueError(f"sequences = {self.sequences}; expected a multiple of size, {self.size}")
        if self.sequences // self.size > 100:
            raise ValueError(f"sequences = {self.sequences}; expected at most 100 groups of {self.size}: 100 prompts")
        if self.interval % self.iterations:
            raise ValueError(f"iterations = {self.iterations}; expected a divisor of interval, {self.interval}")
        if self.delay and self.optimizer != "sgd":
            raise ValueError(f"optimizer = {self.optimizer!r} with a delay; expected 'sgd'")
        if self.kind != "sampled" and self.variant == "two" and (self.interval > 1 or self.clip or not self.ratio):
            raise ValueError("variant = 'two' has an exact twin at interval 1, with its ratio and without a clip only")

    @property
    def settings(self) -> dict[str, Any]:
        """The fields as JSON values, without those at their defaults: new fields leave old keys as they are."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    @property
    def key(self) -> str:
        """Names the cell's file."""
        text = json.dumps(self.settings, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    @property
    def condition(self) -> tuple[Any, ...]:
        """All but the seeds: runs of one condition are repeats of each other."""
        return tuple(value for name, value in sorted(asdict(self).items()) if name not in ("warm_up", "seed"))


def from_settings(settings: dict[str, Any]) -> Cell:
    """The cell of a file's settings.

    Raises:
        ValueError: a field is unknown or out of its domain.
    """
    known = {f.name for f in fields(Cell)}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise ValueError(f"unknown fields {unknown}; expected some of {sorted(known)}")
    return Cell(**settings)


def is_control(cell: Cell) -> bool:
    """Whether a cell has no lag of any kind, and nothing that acts on one."""
    return cell.interval == 1 and not cell.delay and cell.ratio and cell.clip is None
