"""The order in which prompts are trained on: whole passes, one after the other, decided beforehand."""

import random
from collections.abc import Sequence
from typing import Any


def order(problems: int, prompts: int, generations: int, seed: int) -> list[int]:
    """Positions of the problems of every generation, in a row.

    Each pass is a permutation of its own; what is left of a pass below one generation is dropped, as TRL does.

    Args:
        problems: training problems.
        prompts: of one generation, at most `problems`.
        generations: in the whole run.
        seed: of the permutations.

    Returns:
        `generations * prompts` positions.
    """
    generator = random.Random(seed)
    places: list[int] = []
    while len(places) < generations * prompts:
        once = list(range(problems))
        generator.shuffle(once)
        places += once[: problems // prompts * prompts]
    return places[: generations * prompts]


class Rows(Sequence[dict[str, Any]]):
    """Rows of a data set in a list, in a given order.

    A data set on Arrow decodes the whole generation batch again at every micro-step, which a long refresh makes
    the most expensive part of a step.
    """

    def __init__(self, rows: Sequence[dict[str, Any]], places: Sequence[int]) -> None:
        self.rows, self.places = rows, places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self.rows[i] for i in self.places[place]]
        return self.rows[self.places[place]]
