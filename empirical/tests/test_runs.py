"""The frozen runs: whole, of known origin, and small enough to be carried."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from empirical import frozen
from empirical.completions import read_answers
from empirical.evaluation import arms, score
from empirical.training.record import log_schema
from empirical.transfer import KS, table
from empirical.verifier import Verifier

pytestmark = pytest.mark.infrastructure

RUNS = Path(__file__).parents[1] / "runs"
LOGS = sorted(RUNS.glob("*/*/log.jsonl"))
ARMS = {f"tiny-{arm}/G4-seed42" for arm in ("refresh8", "placebo", "control")}
FROZEN = RUNS / "tiny" / "completions"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_they_are_there_and_small() -> None:
    assert {str(path.parent.relative_to(RUNS)) for path in LOGS} >= {*frozen.run_names(), *ARMS}
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
    per_step = settings["batch_size"] * settings["gradient_accumulation"] * settings["processes"]
    per_generation = per_step * settings["refresh"] // settings["iterations"]
    right = frame["reward"].dropna() * per_generation
    assert (right - right.round()).abs().max() < 1e-6  # rewards are shares of whole completions
    evaluated = rows(log.parent / "eval.jsonl")
    assert [row["step"] for row in evaluated] == list(
        range(settings["eval_steps"], about["steps"] + 1, settings["eval_steps"])
    )


def test_frozen_completions_are_scored_again_without_a_model() -> None:
    """Counts and table of transfer.json, from the texts; what is no plain number goes to math-verify."""
    pytest.importorskip("math_verify")
    written = json.loads((RUNS / "tiny" / "transfer.json").read_text(encoding="utf-8"))["table"]
    with Verifier() as verifier:
        for task, counted in frozen.transfer().items():
            again = {
                arm: [score(read_answers(path / f"{task}.jsonl"), verifier) for path in paths]
                for arm, paths in arms(FROZEN).items()
            }
            assert again == counted
            assert [row for k in KS for row in table(again, "base", k)] == written[task]
