"""A task by its name: a stand-in, a set of the paper, or a file."""

from difflib import get_close_matches
from pathlib import Path

from empirical.errors import InputError, quote
from empirical.tasks.hub import HUB_TASKS, fetch
from empirical.tasks.localfile import SUFFIXES, read_problems
from empirical.tasks.problem import Problem
from empirical.tasks.standin import STAND_INS, generate

SIZE = 500  # problems of a stand-in, where no size is asked for


def describe(name: str) -> str:
    """Where a task's problems come from, in a few words.

    Raises:
        InputError: no such task; names the closest ones.
    """
    if name in STAND_INS:
        return f"{STAND_INS[name].generator} by reasoning-gym, generated here"
    if name in HUB_TASKS:
        task = HUB_TASKS[name]
        return f"{task.hub}, split {task.split}, revision {task.revision or 'recorded at the first load'}"
    if Path(name).suffix in SUFFIXES:
        return f"the file {name}"
    known = [*STAND_INS, *HUB_TASKS]
    close = get_close_matches(name, known, n=3, cutoff=0.4)
    raise InputError(
        "--task",
        found=quote(name),
        expected=f"one of {', '.join(known)}, or a file ending in {' or '.join(SUFFIXES)}",
        todo=f"did you mean {' or '.join(close)}? Choose one of these" if close else "choose one of these",
    )


def load_task(
    name: str, size: int | None = None, seed: int = 0, revision: str | None = None
) -> tuple[list[Problem], str | None]:
    """The problems of a task.

    Args:
        name: a stand-in, a set of the paper, or the path of a file.
        size: at most so many problems, the first ones; a stand-in generates so many (500 by default).
        seed: of a stand-in's generator, or of the sample from a set larger than the paper's.
        revision: commit of a set on the hub, in place of the table's.

    Returns:
        The problems, and the commit they came from where there is one.

    Raises:
        InputError: unknown, not to be had, or broken; says what would do.
    """
    describe(name)
    if name in STAND_INS:
        return generate(name, size or SIZE, seed), None
    found, commit = fetch(name, revision, seed) if name in HUB_TASKS else (read_problems(Path(name)), None)
    return found[:size], commit
