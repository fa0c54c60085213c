"""The task: "a+b=" to its last digit, or to two digits; 100 prompts, each with exactly one right answer."""

from dataclasses import dataclass
from typing import Literal

Variant = Literal["one", "two"]
DIGITS = range(10)


@dataclass(frozen=True)
class Sum:
    """One prompt.

    Attributes:
        prompt: what the network reads.
        answer: the only completion that is rewarded, with 1; every other earns 0.
    """

    prompt: str
    answer: str


def sums(variant: Variant) -> list[Sum]:
    """All 100 prompts, in a fixed order.

    Args:
        variant: "one": the answer is (a+b) mod 10, one token; "two": a+b in two digits, two tokens.
    """
    if variant == "one":
        return [Sum(f"{a}+{b}=", str((a + b) % 10)) for a in DIGITS for b in DIGITS]
    return [Sum(f"{a}+{b}=", f"{a + b:02d}") for a in DIGITS for b in DIGITS]


def tokens(variant: Variant) -> int:
    """How many tokens an answer has."""
    return 1 if variant == "one" else 2
