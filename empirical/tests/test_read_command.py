"""The command read: what it prints, what it writes, and how it refuses."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from empirical.cli import app
from empirical.tests.runs import trl_rows, write

pytestmark = pytest.mark.infrastructure


def invoke(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["read", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def test_it_prints_columns_versions_and_notes(tmp_path: Path) -> None:
    code, out, err = invoke(write(tmp_path, "trainer_state.json", trl_rows()))
    assert (code, err) == (0, "")
    assert "trainer state" in out
    assert "trainer: trl, version 0.23 or later (inferred)" in out
    assert "40 rows, steps 1 to 40" in out
    assert "mismatch_ratio_max" in out
    assert "merged: 5 rows into another row of the same step" in out
    assert "setting max_steps = 40" in out


def test_json_and_csv_hold_what_was_understood(tmp_path: Path) -> None:
    path = write(tmp_path, "wide.csv", trl_rows())
    code, out, _ = invoke(path, "--json", "-")
    assert code == 0
    told = json.loads(out)
    reward = next(c for c in told["columns"] if c["name"] == "reward")
    assert reward["unit"] == "reward"
    assert reward["values"] == 40
    assert {note["kind"] for note in told["notes"]} >= {"read", "merged", "renamed", "dropped"}
    assert invoke(path, "--json", tmp_path / "a.json", "--csv", tmp_path / "a.csv")[0] == 0
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == told
    table = pd.read_csv(tmp_path / "a.csv")
    assert table["step"].tolist() == list(range(1, 41))
    assert "eval_reward" in table


def test_markup_in_a_log_is_printed_as_it_stands(tmp_path: Path) -> None:
    rows = [{**row, "[bold red]x[/]": 1.0} for row in trl_rows()]
    code, out, _ = invoke(write(tmp_path, "log.jsonl", rows))
    assert code == 0
    assert "[bold red]x[/]" in out


def test_a_refusal_exits_2_with_place_and_advice(tmp_path: Path) -> None:
    path = tmp_path / "sft.csv"
    path.write_text("step,loss,grad_norm\n1,0.5,1\n2,0.4,1\n", encoding="utf-8")
    code, out, err = invoke(path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path}")
    assert "a supervised run" in err
    assert "What to do" in err
    assert "Traceback" not in err
