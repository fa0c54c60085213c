"""Training and held-out problems of a task."""

from empirical.errors import InputError
from empirical.tasks import Problem, load_task
from empirical.tasks.standin import STAND_INS

TRAIN_SEED, HELD_OUT_SEED = 1, 2


def split(
    task: str, size: int | None, held_out: int, revision: str | None = None
) -> tuple[list[Problem], list[Problem], str | None]:
    """Problems to train on and to evaluate on while training.

    A stand-in generates both, from two seeds (a small task repeats itself: its held-out problems are new draws,
    not new problems); GSM8K has a test split; of a file the last ones are held out.

    Args:
        task: see `load_task`.
        size: training problems, None for all.
        held_out: problems to hold out; 0 for none.
        revision: of a set on the hub.

    Returns:
        Training problems, held-out problems, and the commit of the data where there is one.

    Raises:
        InputError: see `load_task`; or a file too small to hold any out.
    """
    if task in STAND_INS:
        later = load_task(task, held_out, HELD_OUT_SEED)[0] if held_out else []
        return load_task(task, size, TRAIN_SEED)[0], later, None
    if task == "gsm8k":
        found, commit = load_task(task, size, revision=revision)
        later = load_task("gsm8k-test", held_out, revision=revision)[0] if held_out else []
        return found, later, commit
    found, commit = load_task(task, revision=revision)
    if held_out and len(found) <= held_out:
        raise InputError(
            task,
            found=f"{len(found)} problems",
            expected=f"more than the {held_out} that are held out",
            todo="lower --eval-problems (0 holds none out)",
        )
    kept = found[: len(found) - held_out]
    return kept[:size], found[len(kept) :], commit
