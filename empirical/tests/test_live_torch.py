"""The live callback inside a real run of TRL's own trainer on the smallest model: its log, and a warning underway."""

import importlib.util
import json
import logging
import math
from typing import Any

import pytest

needed = ("torch", "trl", "peft", "datasets", "reasoning_gym")
pytestmark = [
    pytest.mark.infrastructure,
    pytest.mark.train,
    pytest.mark.skipif(not all(map(importlib.util.find_spec, needed)), reason="needs the extra `train`"),
]

STEPS = 24


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run whose reward is the same for every completion, so that no group has spread; warnings with their step."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from empirical.live import callback
    from empirical.loading import load
    from empirical.models import PRESETS
    from empirical.tasks import load_task
    from empirical.training import run
    from empirical.training.config import grpo_arguments
    from empirical.training.plan import plan, settings

    folder = tmp_path_factory.mktemp("live")
    preset, problems = PRESETS["tiny"], load_task("sums", 40, 1)[0]
    given = {"steps": STEPS, "eval_problems": 0, "checkpoint_every": 10**6, "batch_size": 4}
    found = plan(preset, settings(preset, 4, 42, given), len(problems))
    loaded = load(preset, cuda=False)

    def same(completions: list[str], **other: Any) -> list[float]:
        return [0.5] * len(completions)

    trainer = GRPOTrainer(
        model=loaded.model,
        reward_funcs=same,
        args=GRPOConfig(**grpo_arguments(found, folder / "trainer", cuda=False)),
        train_dataset=Dataset.from_list(run.rows(problems, preset, loaded.tokenizer, 256)),
        processing_class=loaded.tokenizer,
    )
    watch = callback(folder / "log.jsonl", every=10, group_size=4, clock=Clock())
    trainer.add_callback(watch)
    warned: list[tuple[int, str]] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warned.append((int(trainer.state.global_step), record.getMessage()))

    logger, handler = logging.getLogger("empirical.live"), Handler()
    logger.addHandler(handler)
    try:
        trainer.train()
    finally:
        logger.removeHandler(handler)
    return {"watch": watch, "warned": warned, "history": trainer.state.log_history, "steps": trainer.state.global_step}


class Clock:
    """A clock by which no look takes long: each reading is an hour later."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 3600.0
        return self.now


def test_it_writes_what_the_trainer_logs(trained: dict[str, Any]) -> None:
    rows = [json.loads(line) for line in trained["watch"].path.read_text(encoding="utf-8").splitlines()]
    assert trained["steps"] == STEPS
    assert len(rows) == len(trained["history"]) == trained["watch"].rows
    for row, logged in zip(rows, trained["history"], strict=True):
        assert row["step"] == logged["step"]
        for key, value in logged.items():
            # the trainer adds total_flos to its summary after the callbacks have seen it
            if key != "total_flos" and isinstance(value, (int, float)) and math.isfinite(value):
                assert row[key] == value


def test_the_log_passes_the_checks_of_the_reader(trained: dict[str, Any]) -> None:
    from empirical.logs import read

    log = read(trained["watch"].path)
    log.schema.validate(log.table)
    assert (log.trainer, log.rows) == ("trl", STEPS)
    assert set(log.table["reward"].dropna()) == {0.5}
    assert set(log.table["frac_reward_zero_std"].dropna()) == {1.0}


def test_it_warns_while_the_run_is_on_and_once(trained: dict[str, Any]) -> None:
    about = [(step, text) for step, text in trained["warned"] if "degeneracy" in text]
    assert len(about) == 1
    assert about[0][0] < STEPS
    assert "no spread at all" in about[0][1]
    assert not [text for _, text in trained["warned"] if "cannot be" in text]
