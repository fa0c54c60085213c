"""Rewards: the binary verifiable reward, the placebo that ignores the completion, and the positive control."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from empirical.verifier import Verdict, Verifier


class Arm(StrEnum):
    """What is rewarded.

    `VERIFIABLE`: the right final answer. `PLACEBO`: a coin, fair and independent of the completion: whatever
    improves under it is not learned from the reward. `CONTROL`: a 7 anywhere in the completion, which any
    policy that sometimes writes one can learn: where this does not rise, the set-up does not train.
    """

    VERIFIABLE = "verifiable"
    PLACEBO = "placebo"
    CONTROL = "control"


CONTROL_MARK = "7"


def coin(seed: int, *key: object) -> float:
    """0.0 or 1.0 with probability 1/2 each, a function of the seed and the key alone (a hash, not a stream)."""
    digest = hashlib.blake2b(repr((seed, *key)).encode(), digest_size=8).digest()
    return float(digest[0] & 1)


@dataclass
class Reward:
    """Scores completions; rewards are 0.0 or 1.0.

    Attributes:
        arm: what is rewarded.
        seed: of the placebo's coins.
        verifier: decides what is right.
        last: the verdicts of the last call, in order. They are taken in every arm, so that accuracy can be told
            from reward.
    """

    arm: Arm = Arm.VERIFIABLE
    seed: int = 0
    verifier: Verifier = field(default_factory=Verifier)
    last: list[Verdict] = field(default_factory=list)

    def score(self, completions: Sequence[str], golds: Sequence[str], call: int = 0) -> list[float]:
        """One reward a completion.

        Args:
            completions: texts.
            golds: the reference answers, in the same order.
            call: number of the batch; with the position it names a placebo's coin.

        Raises:
            ValueError: unequal lengths.
        """
        if len(completions) != len(golds):
            raise ValueError(f"golds has {len(golds)} answers; expected one a completion, {len(completions)}")
        self.last = [self.verifier.judge(text, gold) for text, gold in zip(completions, golds, strict=True)]
        if self.arm is Arm.PLACEBO:
            return [coin(self.seed, call, place) for place in range(len(completions))]
        if self.arm is Arm.CONTROL:
            return [float(CONTROL_MARK in text) for text in completions]
        return [float(verdict is Verdict.CORRECT) for verdict in self.last]
