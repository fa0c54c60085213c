"""The network, and its warm-up on soft targets: every prompt starts at the same success probability.

An ordinary supervised warm-up leaves some prompts solved and others at chance, and the mean reward then starts
slowly whatever the optimizer does. Trained on a *distribution* (`START` on the right answer, the rest spread evenly
over the other digits) every prompt starts at `START`, as the paper's bandit does.
"""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from empirical.cache import cached_folder
from empirical.sweep.task import Variant, sums, tokens
from empirical.tiny import Recipe, tokenizer, untrained

START = 0.3  # success probability of every prompt after the warm-up
TOLERANCE = 1e-3  # largest deviation from it that a warm-up may leave
MARGIN = 0.5  # the optimizer stops at this share of the tolerance
STEPS: dict[Variant, int] = {"one": 2000, "two": 3000}  # two tokens take longer to get within the tolerance


@dataclass(frozen=True)
class WarmUp:
    """How a network is made; a function of these numbers alone, on one machine.

    Attributes:
        seed: of the weights.
        variant: of the task.
        hidden, intermediate, layers, heads: the network's shape.
        gain: what the usual random matrices are multiplied by; at 1 the sums start out nearly indistinguishable,
            and the warm-up waits on a plateau.
        learning_rate: of AdamW, at its height.
        steps: full-batch steps at most; the last half lets the rate fall to 0.
    """

    seed: int
    variant: Variant = "one"
    hidden: int = 32
    intermediate: int = 80
    layers: int = 2
    heads: int = 4
    gain: float = 5.0
    learning_rate: float = 2e-3
    steps: int = 2000

    @property
    def key(self) -> str:
        """Names the network in the cache."""
        return hashlib.blake2b(repr(asdict(self)).encode(), digest_size=6).hexdigest()

    @property
    def recipe(self) -> Recipe:
        """The shape, in the words of `empirical.tiny`."""
        return Recipe(
            seed=self.seed,
            layers=self.layers,
            hidden=self.hidden,
            intermediate=self.intermediate,
            heads=self.heads,
            positions=16,
        )


def usual(seed: int, variant: Variant) -> WarmUp:
    """The warm-up of a cell."""
    return WarmUp(seed, variant, steps=STEPS[variant])


class NotReached(RuntimeError):
    """A warm-up that ended away from `START`."""


def encoded(reader: Any, variant: Variant) -> tuple[Any, Any]:
    """Prompts with their answers as token ids.

    Args:
        reader: the tokenizer.
        variant: of the task.

    Returns:
        ids, shape (100, 4 + answer), and the answers' ids, shape (100, answer): integer tensors.
    """
    import torch

    pairs = sums(variant)
    ids = torch.tensor([reader(s.prompt + s.answer)["input_ids"] for s in pairs])
    return ids, ids[:, -tokens(variant) :]


def soft_targets(reader: Any, variant: Variant) -> tuple[Any, Any]:
    """What the network reads, and the distribution that it should give at each place of the answer.

    The first token of every two-digit answer is 0 or 1; after a wrong first digit nothing is asked of the second.

    Returns:
        ids, shape (100, 4 + answer - 1), and probabilities, shape (100, answer, vocabulary).
    """
    import torch

    ids, right = encoded(reader, variant)
    digits = torch.tensor([reader(str(d))["input_ids"][0] for d in range(10)])
    each = START ** (1.0 / tokens(variant))
    targets = torch.zeros(*right.shape, len(reader))
    targets[:, :, digits] = (1.0 - each) / 9.0
    targets.scatter_(2, right.unsqueeze(2), each)
    return ids[:, :-1], targets


def warm_up(model: Any, reader: Any, how: WarmUp) -> float:
    """Train on the soft targets, all prompts at once, until every prompt is at `START` within the tolerance.

    Returns:
        The largest deviation of a prompt's success probability from `START`.

    Raises:
        NotReached: it is above the tolerance after the last step.
    """
    import torch

    ids, targets = soft_targets(reader, how.variant)
    _, right = encoded(reader, how.variant)
    optimizer = torch.optim.AdamW(model.parameters(), lr=how.learning_rate, weight_decay=0.0, betas=(0.9, 0.98))
    half = how.steps // 2
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 50, max(how.steps - step, 1) / half)
    )
    width = right.shape[1]
    known = targets.clamp_min(1e-30).log()  # the divergence keeps its digits near 0, where the cross-entropy loses them
    worst = float("inf")
    for _ in range(how.steps):
        logps = model(input_ids=ids).logits[:, -width:].log_softmax(-1)
        with torch.no_grad():
            p = logps.gather(2, right.unsqueeze(2)).squeeze(2).sum(1).exp()
            worst = float((p - START).abs().max())
        if worst < MARGIN * TOLERANCE:
            break
        loss = (targets * (known - logps)).sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    if worst > TOLERANCE:
        raise NotReached(
            f"warm-up seed {how.seed}, variant {how.variant}: a prompt ends {worst:.4f} from {START} after "
            f"{how.steps} steps; expected at most {TOLERANCE}: raise steps"
        )
    return worst


def make(how: WarmUp, folder: Path) -> None:
    """Make the network and its tokenizer, and save both in a folder.

    Raises:
        NotReached: the warm-up ended away from `START`.
    """
    import torch

    reader = tokenizer()
    model = untrained(how.recipe, len(reader))
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() == 2:
                weights.mul_(how.gain)
    model.train()
    warm_up(model, reader, how)
    model.save_pretrained(folder)
    reader.save_pretrained(folder)


def network_folder(how: WarmUp) -> Path:
    """The folder with the weights, made at the first call and cached."""
    return cached_folder(f"sweep-{how.key}", lambda folder: make(how, folder))


def load(folder: Path) -> tuple[Any, Any]:
    """The network in float32 and its tokenizer; attention in plain operations, which have second derivatives."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return (
        AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager"),
        AutoTokenizer.from_pretrained(folder),
    )
