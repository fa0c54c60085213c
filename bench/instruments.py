"""What the log costs a training step: our trainer with all its instruments beside TRL's own, step by step in turn.

Needs the extra `train`. Both train the preset `tiny` with the same settings, seed and reward, each in a thread of its
own that hands over to the other when a step ends: whatever slows the machine slows both, and one alone runs at a time.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.row import Row

STEPS, WARM = 150, 5  # the first ones, which warm up, do not count
ALLOWED = 0.03
GROUP_SIZE, PROBLEMS, SEED = 4, 200, 42
NEEDED = ("torch", "trl", "peft", "datasets", "reasoning_gym")


class Turns:
    """Two threads that take turns; what counts is the processor time of the process during a turn.

    Attributes:
        seconds: processor time of every turn of each.
    """

    def __init__(self) -> None:
        self._gates = (threading.Semaphore(1), threading.Semaphore(0))
        self._begin = [0.0, 0.0]
        self.seconds: tuple[list[float], list[float]] = ([], [])

    def take(self, who: int) -> None:
        """Wait for one's turn."""
        self._gates[who].acquire()
        self._begin[who] = time.process_time()

    def give(self, who: int) -> None:
        """End one's turn."""
        self.seconds[who].append(time.process_time() - self._begin[who])
        self._gates[1 - who].release()

    def leave(self, who: int) -> None:
        """Never wait for this one again."""
        self._gates[1 - who].release()


def rows() -> list[Row]:
    """The rows of the table."""
    what = "a step of `tiny` with all instruments"
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        return [Row(what, "not measured", f"needs the extra `train`: no package {missing[0]}")]
    bare, measured, disk, checks = steps()
    ratios = np.array(measured) / np.array(bare)
    picks = np.random.default_rng(0).integers(0, len(ratios), (2000, len(ratios)))
    low, high = np.quantile(np.median(ratios[picks], axis=1), [0.025, 0.975])
    share = median(disk) / median(bare)
    overhead = float(np.median(ratios)) - 1 + share
    return [
        Row(
            what,
            f"{1e3 * median(measured):.0f} ms",
            f"TRL's trainer, {1e3 * median(bare):.0f} ms, {len(ratios)} pairs",
            1 / float(np.median(ratios)),
        ),
        Row(
            "its row against the schema",
            f"{1e3 * median(checks):.2g} ms",
            f"{100 * median(checks) / median(bare):.2g}% of a step",
        ),
        Row("its row on the disk (fsync), wall time", f"{1e3 * median(disk):.2g} ms", f"{100 * share:.2g}% of a step"),
        Row(
            "overhead of the instruments, the disk included",
            f"{100 * overhead:.2g}%",
            f"95% interval {100 * (low - 1 + share):.2g}% to {100 * (high - 1 + share):.2g}%",
            None,
            f"<= {100 * ALLOWED:.0f}%",
            overhead <= ALLOWED,
        ),
    ]


def steps() -> tuple[list[float], list[float], list[float], list[float]]:
    """Processor seconds of bare and of instrumented steps, in pairs; wall seconds of writing and of checking a row."""
    from empirical.loading import quiet, set_threads
    from empirical.models import PRESETS
    from empirical.tasks import load_task
    from empirical.tiny import tiny_folder
    from empirical.training.plan import plan, settings

    preset, problems = PRESETS["tiny"], load_task("sums", PROBLEMS, 1)[0]
    given = {"steps": STEPS + WARM, "eval_problems": 0, "checkpoint_every": 10**6}
    found = plan(preset, settings(preset, GROUP_SIZE, SEED, given), PROBLEMS)
    quiet()
    set_threads(preset)
    tiny_folder()
    turns, faults = Turns(), list[BaseException]()
    with tempfile.TemporaryDirectory() as place:

        def carry_out(who: int, work: Callable[[], None]) -> None:
            turns.take(who)
            try:
                work()
            except BaseException as fault:
                faults.append(fault)
            finally:
                turns.leave(who)

        works = (
            lambda: _bare(found, preset, problems, Path(place) / "bare", turns),
            lambda: _measured(found, preset, problems, Path(place) / "measured", turns),
        )
        threads = [threading.Thread(target=carry_out, args=pair) for pair in enumerate(works)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if faults:
            raise faults[0]
        disk, checks = _again(Path(place))
    bare, measured = (seconds[WARM:STEPS] for seconds in turns.seconds)
    return bare, measured, disk, checks


def _handing_over(turns: Turns, who: int) -> Any:
    """A callback that hands over to the other trainer when a step, its log included, has ended."""
    from transformers import TrainerCallback

    class HandOver(TrainerCallback):  # type: ignore[misc]
        """Hands over at the beginning of a step: the end of a step comes before its log."""

        def on_step_begin(self, *arguments: Any, **named: Any) -> None:
            """A step begins."""
            turns.give(who)
            turns.take(who)

    return HandOver()


def _bare(found: Any, preset: Any, problems: Any, folder: Path, turns: Turns) -> None:
    """Train with TRL's trainer, rewards as ours."""
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import PrinterCallback
    from trl import GRPOConfig, GRPOTrainer

    from empirical.loading import load
    from empirical.rewards import Reward
    from empirical.training import run
    from empirical.training.config import grpo_arguments, lora_arguments
    from empirical.training.data import Rows, order

    loaded, reward = load(preset, cuda=False), Reward()
    prompts = run.rows(problems, preset, loaded.tokenizer, found.settings.max_prompt)

    def verify(completions: list[str], answer: list[str], **other: Any) -> list[float]:
        return reward.score(completions, answer)

    trainer = GRPOTrainer(
        model=loaded.model,
        reward_funcs=verify,
        args=GRPOConfig(**grpo_arguments(found, folder, cuda=False)),
        train_dataset=Dataset.from_list(prompts[:1]),
        processing_class=loaded.tokenizer,
        peft_config=LoraConfig(**lora_arguments(found, preset)),
        callbacks=[_handing_over(turns, 0)],
    )
    places = order(len(prompts), found.prompts_per_generation, found.generations, SEED)
    trainer.train_dataset = Rows(prompts, places)
    trainer.remove_callback(PrinterCallback)
    trainer.train()


def _measured(found: Any, preset: Any, problems: Any, folder: Path, turns: Turns) -> None:
    """Train as `train` does: checked rows, on the disk."""
    from empirical.loading import load
    from empirical.rewards import Reward
    from empirical.training import run
    from empirical.training.journal import Journal
    from empirical.training.progress import Progress
    from empirical.training.record import CLOCKS

    folder.mkdir()
    loaded = load(preset, cuda=False)
    trainer = run._trainer(found, preset, loaded, problems, [], folder, Reward(), cuda=False)
    trainer.add_callback(_handing_over(turns, 1))
    with Journal(folder / run.LOG, CLOCKS) as journal, Progress("bench", found.steps, shown=False) as bar:
        run._connect(trainer, journal, folder / run.EVAL, bar, True)
        trainer.train()


def _again(place: Path) -> tuple[list[float], list[float]]:
    """Wall seconds of writing, and of checking, each row once more, alone: in training, others take the processor."""
    from empirical.training.journal import Journal
    from empirical.training.record import checked

    writing, checking = [], []
    with Journal(place / "measured" / "log.jsonl") as old, Journal(place / "again.jsonl") as new:
        for row in old.rows():
            begin = time.perf_counter()
            row = checked(row)
            between = time.perf_counter()
            new.append(row)
            writing.append(time.perf_counter() - between)
            checking.append(between - begin)
    return writing, checking
