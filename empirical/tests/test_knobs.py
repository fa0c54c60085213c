"""Knobs: where each is known from, group sizes counted from rewards, and what the command line takes."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from empirical.diagnostics import Run
from empirical.diagnostics.groupsize import denominator, infer
from empirical.diagnostics.knobs import knobs
from empirical.diagnostics.settings import settings
from empirical.errors import InputError
from empirical.logs import Log, read

pytestmark = pytest.mark.infrastructure


def counted(
    folder: Path, group: int, prompts: int, binary: bool = True, steps: int = 60, seed: int = 0, share: bool = True
) -> Log:
    """A log whose rewards are counts of `prompts` groups of `group` completions a step, with easy and hard prompts."""
    rng = np.random.default_rng([seed, group, prompts])
    rows = []
    for step in range(1, steps + 1):
        chance = rng.beta(0.6, 0.6, size=(prompts, 1))
        scores = (rng.random((prompts, group)) < chance).astype(float)
        if not binary:
            scores = np.round(3 * (scores + rng.random(scores.shape))) / 6
        row: dict[str, float] = {"step": step, "reward": float(np.float32(scores.mean()))}
        if share:
            row["frac_reward_zero_std"] = float(np.float32((np.ptp(scores, axis=1) == 0).mean()))
        rows.append(row)
    path = folder / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return read(path)


@pytest.mark.parametrize(("group", "prompts"), [(4, 4), (8, 6), (16, 1), (5, 32)])
def test_a_group_size_is_counted(tmp_path: Path, group: int, prompts: int) -> None:
    size, how = infer(counted(tmp_path, group, prompts))
    assert size == group
    assert how.startswith("inferred: rewards are multiples of")
    assert f"{group * prompts}/{prompts} = {group}" in how


def test_where_it_cannot_be_counted_it_says_why(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    size, how = infer(counted(tmp_path / "a", 8, 4, share=False))
    assert (size, "not identifiable" in how, "frac_reward_zero_std" in how) == (None, True, True)
    size, how = infer(counted(tmp_path / "b", 8, 4, steps=8))  # fewer rows than tell a denominator from a multiple
    assert (size, "not identifiable" in how) == (None, True)
    rows = [{"step": k, "reward": float(r)} for k, r in enumerate(np.random.default_rng(0).random(60), 1)]
    path = tmp_path / "c" / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    assert infer(read(path)) == (
        None,
        "not identifiable: the rewards are multiples of no 1/N beyond chance; give --group-size",
    )


def test_denominators() -> None:
    """Numerators drawn at random: that 40 of them share a factor of N has probability 2^-40; random reals fit none."""
    rng = np.random.default_rng(3)
    for n in (7, 16, 64, 384):
        exact = rng.integers(1, n, size=40) / n
        assert denominator(exact) == n
        assert denominator(np.round(exact, 6)) == n
        assert denominator(exact.astype(np.float32).astype(float)) == n
    assert denominator(rng.random(200)) is None
    assert denominator(np.round(rng.random(200), 2)) in (None, 100)
    assert denominator(np.ones(50)) is None


def test_a_config_beside_the_log_is_read_and_said(tmp_path: Path) -> None:
    log = counted(tmp_path, 4, 4)
    told = {"settings": {"momentum": 0.8, "group_size": 4, "learning_rate": 1e-4, "optimizer": "sgd"}, "interval": 6}
    (tmp_path / "run.json").write_text(json.dumps(told), encoding="utf-8")
    found = Run(read(log.path), "run").knobs
    assert {name: knob.value for name, knob in found.items()} == {
        "learning_rate": 1e-4,
        "momentum": 0.8,
        "refresh": 6,
        "group_size": 4,
    }
    assert all(knob.how == "from the run's config" and knob.known for knob in found.values())
    assert any("run.json beside the log" in str(note) for note in read(log.path).notes)
    assert Run(log, "run", momentum=0.5).knobs["momentum"].value == 0.5
    (tmp_path / "run.json").write_text('{"settings": ', encoding="utf-8")
    broken = read(log.path)
    assert any("run.json beside the log cannot be read" in str(note) for note in broken.notes)
    assert not Run(broken, "run").knobs["momentum"].known


def test_config_columns_of_an_export_are_settings(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    names = "Step,run - reward,run - config/adam_beta1,run - config/num_iterations,run - num_generations"
    names += ",run - config/steps_per_generation,run - config/gradient_accumulation_steps,run - config/learning_rate"
    rows = [f"{k},0.{k % 7},0.95,2,8,8,4,1e-6" for k in range(1, 30)]
    path.write_text("\n".join([names, *rows]) + "\n", encoding="utf-8")
    found = Run(read(path), "run").knobs
    assert {n: k.value for n, k in found.items()} == {
        "learning_rate": 1e-6, "momentum": 0.95, "refresh": 4.0, "group_size": 8.0,
    }  # fmt: skip
    assert "iterations x steps_per_generation" in found["refresh"].how


def test_keys_of_a_trainer_state_are_settings(tmp_path: Path) -> None:
    history = [{"step": k, "reward": 0.5, "learning_rate": 1e-6 * (31 - k)} for k in range(1, 31)]
    state = {"log_history": history, "max_steps": 30, "num_generations": 16, "args": {"adam_beta1": 0.85}}
    (tmp_path / "trainer_state.json").write_text(json.dumps(state), encoding="utf-8")
    found = Run(read(tmp_path), "run").knobs
    assert (found["group_size"].value, found["momentum"].value) == (16, 0.85)
    assert found["learning_rate"].value == pytest.approx(1.55e-5, rel=1e-12)
    assert "from 1e-06 to 3e-05" in found["learning_rate"].how


def test_our_own_log_tells_its_refresh_interval(tmp_path: Path) -> None:
    rows = [{"step": k + 1, "lag": k % 3, "generation": k // 3 + 1, "reward": 0.5} for k in range(30)]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    assert knobs(read(path), {})["refresh"].value == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("temperature=1", "NAME one of learning_rate, momentum, refresh, group_size"),
        ("refresh", "NAME=VALUE"),
        ("refresh=1.5", "a whole number from 1 to 4096"),
        ("momentum=1", "in [0, 0.999999]"),
        ("learning_rate=0", "in (0, 1000]"),
        ("group_size=nan", "a whole number from 2"),
        ("refresh=1,2,4", "3 values in 'refresh=1,2,4' for 2 runs"),
        ("momentum=0.5", "momentum given twice"),
    ],
)
def test_a_knob_that_cannot_be_is_named(text: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        settings([text], 2, {"momentum": 0.9} if "twice" in words else {})


def test_knobs_for_all_runs_and_for_each() -> None:
    found = settings(["refresh=1,2", "learning-rate=1e-5"], 2, {"momentum": None, "group_size": 8})
    assert found == [
        {"group_size": 8, "refresh": 1, "learning_rate": 1e-5},
        {"group_size": 8, "refresh": 2, "learning_rate": 1e-5},
    ]
