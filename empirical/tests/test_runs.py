"""The frozen runs: whole, of known origin, and small enough to be carried."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from empirical.training.record import log_schema

pytestmark = pytest.mark.infrastructure

RUNS = Path(__file__).parents[1] / "runs"
LOGS = sorted(RUNS.glob("*/*/log.jsonl"))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_they_are_there_and_small() -> None:
    assert {path.parent.name for path in LOGS} >= {"G4-seed42", "G4-seed3407"}
    assert sum(path.stat().st_size for path in RUNS.rglob("*") if path.is_file()) <= 5 * 2**20


@pytest.mark.parametrize("log", LOGS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_a_frozen_run_is_whole_and_says_where_it_comes_from(log: Path) -> None:
    frame = pd.DataFrame(rows(log))
    log_schema().validate(frame)
    about = json.loads((log.parent / "run.json").read_text(encoding="utf-8"))
    settings = about["settings"]
    assert len(frame) == about["steps"]
    assert log.parent.name == f"G{settings['group_size']}-seed{settings['seed']}"
    assert about["command"].startswith("python -m empirical train")
    assert about["versions"]["torch"] != "none"
    assert list(frame["lag"]) == [k % about["interval"] for k in range(len(frame))]
    per_generation = settings["batch_size"] * settings["gradient_accumulation"] * settings["processes"]
    right = frame["reward"].dropna() * per_generation
    assert (right - right.round()).abs().max() < 1e-6  # rewards are shares of whole completions
    evaluated = rows(log.parent / "eval.jsonl")
    assert [row["step"] for row in evaluated] == list(
        range(settings["eval_steps"], about["steps"] + 1, settings["eval_steps"])
    )
