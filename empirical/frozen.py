"""The frozen runs under `empirical/runs/`, read back: logs, evaluations, transfer counts. No torch."""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empirical.training.record import log_schema
from empirical.transfer import Counts

if TYPE_CHECKING:
    import pandas as pd

RUNS = Path(__file__).with_name("runs")
GROUP_SIZES, SEEDS = (4, 16), (42, 3407)


def run_names(model: str = "tiny") -> list[str]:
    """The runs of the paper's protocol: both group sizes, both seeds."""
    return [f"{model}/G{size}-seed{seed}" for size in GROUP_SIZES for seed in SEEDS]


@cache
def log(name: str) -> "pd.DataFrame":
    """The log of a run such as `tiny/G4-seed42`: a row a step, columns as in `empirical.training.record`.

    Raises:
        SchemaError: the file is no whole log. Do not change what is returned: it is shared.
    """
    import pandas as pd

    frame: pd.DataFrame = log_schema().validate(pd.DataFrame(_lines(RUNS / name / "log.jsonl")))
    return frame


@cache
def evaluations(name: str) -> "pd.DataFrame":
    """The evaluations of a run: step, held-out reward, its entropy and KL."""
    import pandas as pd

    return pd.DataFrame(_lines(RUNS / name / "eval.jsonl"))


def about(name: str) -> dict[str, Any]:
    """What a run was: command, settings, versions, machine."""
    found: dict[str, Any] = json.loads((RUNS / name / "run.json").read_text(encoding="utf-8"))
    return found


@cache
def transfer(model: str = "tiny") -> dict[str, dict[str, list[Counts]]]:
    """Exact counts of the transfer tasks: by task, by arm (`base`, `G=4`, `G=16`), one a seed."""
    text = (RUNS / model / "transfer.json").read_text(encoding="utf-8")
    return {
        task: {arm: [_counts(run) for run in runs] for arm, runs in arms.items()}
        for task, arms in json.loads(text)["counts"].items()
    }


def _counts(run: dict[str, Any]) -> Counts:
    return Counts(
        tuple(run["problems"]), tuple(run["samples"]), tuple(run["correct"]), run["unparseable"], run["undecided"]
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
