"""Readers: the same run in every format, and what becomes of odd values, steps and names."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from empirical.errors import InputError
from empirical.logs import Log, read
from empirical.tests.runs import FORMATS, Row, tfevents, trl_rows, write

pytestmark = pytest.mark.infrastructure


def put(folder: Path, text: str, name: str = "log.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def said(log: Log, kind: str) -> str:
    return " | ".join(note.text for note in log.notes if note.kind == kind)


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read(path)
    return caught.value


def jsonl(*rows: Mapping[str, object]) -> str:
    return "\n".join(map(json.dumps, rows)) + "\n"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_rewards(name: str, tmp_path: Path) -> None:
    rows = trl_rows()
    log = read(write(tmp_path, name, rows))
    expected = np.array([row["reward"] for row in rows if "reward" in row], dtype=np.float64)
    assert log.rows == 40
    assert log.table["step"].tolist() == list(range(1, 41))
    if name == "stdout.log":  # transformers prints no step
        assert "numbered" in said(log, "repaired")
    single = 2.0**-24  # TensorBoard keeps single precision; k/16 is exact in it
    np.testing.assert_allclose(log.table["reward"], expected, rtol=single, atol=0)
    log.schema.validate(log.table)


MERGED = ["trainer_state.json", "log.jsonl", "wide.csv", "frame.parquet", "events.out.tfevents.1.host", "stdout.log"]


@pytest.mark.parametrize("name", MERGED)
def test_rows_of_evaluation_are_merged_into_the_step_s_row(name: str, tmp_path: Path) -> None:
    log = read(write(tmp_path, name, trl_rows()))
    there = log.table["eval_reward"].notna()
    assert log.table["step"][there].tolist() == [10, 20, 30, 40]
    assert log.table["reward"].notna().all()
    assert "train_runtime" not in log.table


def test_meaning_follows_the_version(tmp_path: Path) -> None:
    old, middle, new = (read(put(tmp_path, jsonl(*trl_rows(version=v)), f"{v}.jsonl")) for v in ("0.15", "0.24", "1.0"))
    assert (old.trainer, str(old.version), old.version.how) == ("trl", "0.16 or earlier", "inferred")
    assert str(middle.version) == "0.23 or later"
    assert str(new.version) == "0.27 or later"
    assert "within-group" in old.meaning("reward_std")
    assert "whole generation batch" not in old.meaning("reward_std")
    assert "whole generation batch" in new.meaning("reward_std")
    assert "within-group" not in new.meaning("reward_std")
    assert len(middle.readings("reward_std")) == 2
    assert "within-group" in middle.meaning("reward_std")
    assert "whole generation batch" in middle.meaning("reward_std")
    assert "clamped at 2.0" in middle.meaning("mismatch_ratio_max")
    assert "clamped" not in new.meaning("mismatch_ratio_max")
    assert middle.unit("reward") == "reward"
    assert middle.unit("kl") == "nat"


def test_a_version_in_the_output_is_read(tmp_path: Path) -> None:
    log = read(write(tmp_path, "run.ipynb", trl_rows()))
    assert (str(log.version), log.version.how) == ("0.24", "read")
    assert len(log.readings("reward_std")) == 1


def test_values_of_any_type(tmp_path: Path) -> None:
    odd: list[object] = [
        "0.25",
        None,
        math.nan,
        "nan",
        "",
        "No Log",
        [0.5],
        True,
        "np.float64(0.75)",
        "1,024.5",
        math.inf,
    ]
    rows = [{"step": i, "reward": 0.1 * i, "kl": value} for i, value in enumerate(odd)]
    log = read(put(tmp_path, jsonl(*rows)))
    expected = [0.25, *[math.nan] * 5, 0.5, 1.0, 0.75, 1024.5, math.inf]
    np.testing.assert_array_equal(log.table["kl"], expected)
    assert "4 numbers that were written as text" in said(log, "repaired")
    assert "2 values of 'kl' were logged as nan" in said(log, "read")


def test_text_and_lists_are_refused_with_their_line(tmp_path: Path) -> None:
    rows: list[Row] = [{"step": i, "reward": 0.5} for i in range(6)]
    rows[3]["kl"] = "broken"
    rows[4]["kl"] = 0.5
    rows[5]["grad_norm"] = [1, 2]
    log = read(put(tmp_path, jsonl(*rows)))
    assert "1 values of 'kl' that are text, such as 'broken', the first at line 4" in said(log, "refused")
    assert "1 values of 'grad_norm' that are lists, such as [1, 2], the first at line 6" in said(log, "dropped")


def test_values_out_of_range_are_refused(tmp_path: Path) -> None:
    rows = [{"step": i, "reward": 0.5, "frac_reward_zero_std": 0.5 if i else 7.0} for i in range(5)]
    log = read(put(tmp_path, jsonl(*rows)))
    assert "1 values of frac_reward_zero_std outside [0, 1], the first 7" in said(log, "refused")
    assert log.table["frac_reward_zero_std"].isna().tolist() == [True] + [False] * 4


def test_a_restart_supersedes_what_it_repeats(tmp_path: Path) -> None:
    """Logged every 10 steps to 50, then resumed from a checkpoint at 25: steps 30 to 50 of the first part are void."""
    first = [{"step": k, "reward": 0.1, "eval_reward": 1.0} for k in (10, 20, 30, 40, 50)]
    second = [{"step": k, "reward": 0.9} for k in (26, 36, 46)]
    log = read(put(tmp_path, jsonl(*first, *second)))
    assert log.table["step"].tolist() == [10, 20, 26, 36, 46]
    assert log.table["reward"].tolist() == [0.1, 0.1, 0.9, 0.9, 0.9]
    assert log.table["eval_reward"].notna().sum() == 2
    assert "3 rows: at line 6 the step goes back from 50 to 26" in said(log, "dropped")


def test_shuffled_rows_are_sorted_and_repeats_keep_the_last(tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(40)
    log = read(put(tmp_path, jsonl(*({"step": int(k), "reward": k / 40} for k in order))))
    assert log.table["step"].tolist() == list(range(40))
    assert "sorted" in said(log, "repaired")
    log = read(put(tmp_path, jsonl(*({"step": k // 2, "reward": k / 8} for k in range(8)))))
    assert log.table["reward"].tolist() == [1 / 8, 3 / 8, 5 / 8, 7 / 8]
    assert "4 rows into another row of the same step" in said(log, "merged")
    assert "the later one was kept: reward (4)" in said(log, "repaired")


def test_steps_missing_or_constant(tmp_path: Path) -> None:
    log = read(put(tmp_path, jsonl(*({"reward": k / 8, "step": 3} for k in range(8)))))
    assert log.table["step"].tolist() == list(range(1, 9))
    log = read(put(tmp_path, jsonl(*({"reward": k / 8, "global_step": 10 * k, "_step": k} for k in (0, 1, 2, 4)))))
    assert log.table["step"].tolist() == [0, 10, 20, 40]
    assert "1 steps at the usual distance of 10 are missing" in said(log, "read")


@pytest.mark.parametrize(
    ("source", "canonical"),
    [
        ("train/reward", "reward"), ("rewards / f / mean", "rewards/f/mean"), ("reward_avg", "reward"),
        ("mean_reward", "reward"), ("critic/score/mean", "reward"), ("actor/kl_loss", "kl"), ("entropy_avg", "entropy"),
        ("Training Loss", "loss"), ("Validation Loss", "eval_loss"), ("eval/reward", "eval_reward"),
        ("eval_rewards/f", "eval_rewards/f/mean"), ("completion_length", "completion_length"),
        ("val-core/openai/gsm8k/reward/mean@1", "eval_reward"), ("completions / mean_length", "completion_length"),
        ("sampling/importance_sampling_ratio/max", "mismatch_ratio_max"), ("eval_acc", "eval_accuracy"),
    ],
)  # fmt: skip
def test_names(source: str, canonical: str, tmp_path: Path) -> None:
    log = read(put(tmp_path, jsonl(*({"step": k, "reward": 0.5, source: 0.25} for k in range(4)))))
    assert log.columns.get(source) == canonical or canonical == "reward"
    assert canonical in log.table


def test_two_sources_of_one_quantity(tmp_path: Path) -> None:
    log = read(put(tmp_path, jsonl(*({"step": k, "reward": 0.5, "reward_avg": 0.25} for k in range(4)))))
    assert log.columns["reward"] == "reward"
    assert log.columns["reward_avg"] == "reward_avg"
    assert "second source of reward" in said(log, "read")


def test_rewards_from_the_reward_functions(tmp_path: Path) -> None:
    log = read(put(tmp_path, jsonl(*({"step": k, "rewards/a/mean": 0.5, "rewards/b/mean": 0.25} for k in range(4)))))
    assert log.table["reward"].tolist() == [0.75] * 4
    assert "weights taken as 1" in said(log, "derived")


def test_folders(tmp_path: Path) -> None:
    rows = trl_rows()
    for k in (10, 20, 40):
        upto = [row for row in rows if isinstance(row["step"], int) and row["step"] <= k]
        put(tmp_path, json.dumps({"log_history": upto, "max_steps": 40}), f"run/checkpoint-{k}/trainer_state.json")
    put(tmp_path, "{}", "run/config.json")
    log = read(tmp_path / "run")
    assert log.table["step"].tolist() == list(range(1, 41))
    assert log.table["reward"].tolist() == [row["reward"] for row in rows if "reward" in row]
    assert read(tmp_path / "run" / "checkpoint-20").rows == 20
    assert log.settings["max_steps"] == 40
    assert "3 files" in said(log, "merged")


def test_event_files_of_a_resumed_run(tmp_path: Path) -> None:
    rows = trl_rows()
    (tmp_path / "runs" / "now").mkdir(parents=True)
    first = [row for row in rows if isinstance(row["step"], int) and row["step"] <= 20]
    second = [
        {**row, "reward": 0.5} for row in rows if "reward" in row and isinstance(row["step"], int) and row["step"] > 15
    ]
    (tmp_path / "runs" / "now" / "events.out.tfevents.1.a").write_bytes(tfevents(first))
    (tmp_path / "runs" / "now" / "events.out.tfevents.2.a").write_bytes(tfevents(second))
    log = read(tmp_path)
    assert log.table["step"].tolist() == list(range(1, 41))
    assert log.table["reward"].iloc[15:].tolist() == [0.5] * 25
    assert log.settings["num_generations"] == 4


def test_a_folder_says_what_it_did_not_use(tmp_path: Path) -> None:
    write(tmp_path, "log.jsonl", trl_rows())
    put(tmp_path, "about this run", "SOURCE.txt")
    write(tmp_path, "wide.csv", trl_rows())
    log = read(tmp_path)
    assert log.container == "JSONL"
    assert "wide.csv" in said(log, "read")


def test_a_damaged_line_is_dropped_and_named(tmp_path: Path) -> None:
    text = jsonl(*({"step": k, "reward": 0.5} for k in range(20)))
    log = read(put(tmp_path, text + '{"step": 20, "rew'))
    assert log.rows == 20
    assert "1 damaged lines, the first at line 21 (the file breaks off there)" in said(log, "dropped")


def test_the_fast_path_agrees_with_the_standard_parser(tmp_path: Path) -> None:
    """More than a thousand lines go through pyarrow; a list in one of them sends the piece through json."""
    rng = np.random.default_rng(5)
    rows: list[Row] = [
        {"step": k, "reward": float(rng.random()), "kl": math.nan if k % 7 == 0 else k} for k in range(1500)
    ]
    fast = read(put(tmp_path, jsonl(*rows), "fast.jsonl"))
    slow = read(put(tmp_path, jsonl(*rows, {"step": 1500, "reward": 0.5, "tags": [1, 2]}), "slow.jsonl"))
    np.testing.assert_array_equal(fast.table["reward"], slow.table["reward"][:1500])
    np.testing.assert_array_equal(fast.table["kl"], slow.table["kl"][:1500])
    assert "215 values were logged as nan" in said(fast, "read")
    assert "215 values of 'kl' were logged as nan" in said(slow, "read")


SUPERVISED = {
    "distillation": "epoch,total_steps,train_loss,val_loss\n1,50,0.7,0.6\n1,100,0.6,0.6\n",
    "sft": "step,loss,grad_norm,mean_token_accuracy\n1,0.7,1,0.5\n2,0.6,1,0.6\n",
}


@pytest.mark.parametrize("case", SUPERVISED)
def test_a_supervised_run_is_refused_with_the_reason(case: str, tmp_path: Path) -> None:
    error = refusal(put(tmp_path, SUPERVISED[case], "log.csv"))
    assert "a supervised run" in error.found
    assert "reward" in error.expected


def test_other_refusals_say_what_to_do(tmp_path: Path) -> None:
    assert (
        "preference"
        in refusal(
            put(
                tmp_path,
                jsonl({"step": 1, "loss": 1, "rewards/chosen": 1}, {"step": 2, "loss": 1, "rewards/chosen": 1}),
            )
        ).found
    )
    assert "no column of rewards" in refusal(put(tmp_path, "step,foo\n1,2\n2,3\n", "a.csv")).found
    error = refusal(put(tmp_path, jsonl(*({"step": k, "reward": math.nan, "loss": math.nan} for k in range(9)))))
    assert "no finite reward" in error.found
    assert error.column == "reward"
    assert "no such file" in refusal(tmp_path / "missing").found
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refusal(empty).found == "an empty folder"
    assert refusal(put(tmp_path, " \n", "blank.csv")).found == "an empty file"
    binary = tmp_path / "model.bin"
    binary.write_bytes(bytes(range(256)) * 40)
    assert refusal(binary).found == "a binary file"
    for magic, what in ((b"\x89PNG\r\n", "PNG"), (b"PK\x03\x04xx", "ZIP"), (b"\x80\x04\x95abc", "pickle")):
        binary.write_bytes(magic)
        assert what in refusal(binary).found


def test_an_export_of_two_runs_is_refused(tmp_path: Path) -> None:
    error = refusal(put(tmp_path, '"Step","a - train/reward","b - train/reward"\n1,0.5,0.6\n2,0.5,0.6\n', "export.csv"))
    assert "2 runs: 'a', 'b'" in error.found
