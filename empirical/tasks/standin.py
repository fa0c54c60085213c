"""Offline stand-ins by reasoning-gym, ordered by distance from the task that is trained on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from empirical.errors import InputError
from empirical.tasks.problem import Problem


def _expression(item: Mapping[str, Any]) -> str:
    return str(item["metadata"]["expression"]).replace(" ", "") + "="


def _equation(item: Mapping[str, Any]) -> str:
    return str(item["metadata"]["equation"]).replace(" ", "") + f";{item['metadata']['variable']}="


def _words(item: Mapping[str, Any]) -> str:
    return str(item["question"]).split(" Give the result")[0]


@dataclass(frozen=True)
class StandIn:
    """A generator of reasoning-gym and its settings.

    Attributes:
        generator: its name there.
        settings: passed on.
        terse: how an item is written as a bare expression.
        distance: rank of the distance from `sums`, the task that is trained on; 0 is that task itself.
    """

    generator: str
    settings: Mapping[str, Any]
    terse: Callable[[Mapping[str, Any]], str]
    distance: int


STAND_INS: Mapping[str, StandIn] = MappingProxyType(
    {
        "sums": StandIn(
            "chain_sum", {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}, _expression, 0
        ),
        "long-sums": StandIn(
            "chain_sum", {"min_terms": 3, "max_terms": 3, "min_digits": 1, "max_digits": 1}, _expression, 1
        ),
        "wide-sums": StandIn(
            "chain_sum", {"min_terms": 2, "max_terms": 2, "min_digits": 2, "max_digits": 2}, _expression, 2
        ),
        "products": StandIn(
            "products", {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}, _expression, 3
        ),
        "equations": StandIn(
            "simple_equations", {"min_terms": 2, "max_terms": 2, "min_value": 1, "max_value": 9}, _equation, 4
        ),
        "gsm-symbolic": StandIn("gsm_symbolic", {}, _words, 5),
    }
)


def generate(name: str, size: int, seed: int) -> list[Problem]:
    """`size` problems of a stand-in, a function of its name, the size and the seed.

    Raises:
        InputError: reasoning-gym is not installed.
    """
    try:
        import reasoning_gym
    except ImportError:
        raise InputError(
            name,
            found="no package reasoning-gym",
            expected="it, to generate this task offline",
            todo="install the extra: pip install -c constraints.txt -e '.[train]', or run tox -e empirical",
        ) from None
    stand_in = STAND_INS[name]
    items = reasoning_gym.create_dataset(stand_in.generator, size=size, seed=seed, **stand_in.settings)
    return [
        Problem(f"{name}-{seed}-{place}", str(item["question"]), str(item["answer"]), stand_in.terse(item))
        for place, item in enumerate(items)
    ]
