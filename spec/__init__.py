"""What the paper says: one module a noun, each a list `CLAIMS`; no numerics, no reference implementation.

`CLAIMS` here maps every id to its claim, in reading order of the nouns; `NOUNS` maps an id to its module. Both are
gathered when first asked for, so that importing the package, or one noun of it, builds no other noun's formulas.
"""

from __future__ import annotations

from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from typing import Any

from spec.claim import Claim, ClaimError

NOUN_NAMES = (
    "advantage",
    "objective",
    "mean_field",
    "momentum",
    "lag",
    "temperature",
    "oscillator",
    "threshold",
    "fluctuation",
    "saturation",
    "bandit",
    "published",
)

CLAIMS: dict[str, Claim]
NOUNS: dict[str, str]


@cache
def _gather() -> tuple[dict[str, Claim], dict[str, str]]:
    claims: dict[str, Claim] = {}
    nouns: dict[str, str] = {}
    for noun in NOUN_NAMES:
        for claim in import_module(f"spec.{noun}").CLAIMS:
            if claim.id in claims:
                raise ClaimError(f"spec/{noun}.py: claim {claim.id!r} is also in spec/{nouns[claim.id]}.py")
            claims[claim.id], nouns[claim.id] = claim, noun
    for claim in claims.values():
        unknown = [i for i in (*claim.uses, *claim.corrects) if i not in claims]
        if unknown:
            raise ClaimError(f"spec/{nouns[claim.id]}.py: claim {claim.id!r} names unknown claims {unknown}")
    try:
        TopologicalSorter({c.id: c.uses for c in claims.values()}).prepare()
    except CycleError as error:
        raise ClaimError(f"claims rest on one another in a circle: {' -> '.join(error.args[1])}") from None
    return claims, nouns


def __getattr__(name: str) -> dict[str, Any]:
    if name not in ("CLAIMS", "NOUNS"):
        raise AttributeError(f"module 'spec' has no attribute {name!r}")
    return _gather()[name == "NOUNS"]
