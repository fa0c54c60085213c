"""The plan of a run, its log and its data, without torch."""

import errno
import json
import os
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirical.errors import InputError
from empirical.models import PRESETS, require, resolve
from empirical.published import table_2
from empirical.tasks import Problem
from empirical.training.config import grpo_arguments, lora_arguments
from empirical.training.data import Rows, order
from empirical.training.groups import group_statistics
from empirical.training.journal import Journal
from empirical.training.plan import plan, settings
from empirical.training.published import Published, published
from empirical.training.record import CLOCKS, COLUMNS, checked, log_schema
from empirical.training.refresh import Refresh
from empirical.training.run import rows

pytestmark = pytest.mark.infrastructure

DEEPSEEK = PRESETS["deepseek7b"]


def test_every_row_of_table_2_is_in_the_trainers_arguments() -> None:
    found = plan(DEEPSEEK, settings(DEEPSEEK, 4, 42), 7473)
    arguments = grpo_arguments(found, Path("out"), cuda=True)
    lora = lora_arguments(found, DEEPSEEK)
    printed = dict(zip(table_2()["name"], table_2()["value"], strict=True))
    used = {
        "Learning Rate": f"{arguments['learning_rate'] * 1e5:g}×10^-5",
        "Epochs": str(found.settings.epochs),
        "Batch Size": str(arguments["per_device_train_batch_size"]),
        "Gradient Accumulation": str(arguments["gradient_accumulation_steps"]),
        "Temperature": str(arguments["temperature"]),
        "Max Prompt Length": str(found.settings.max_prompt),  # TRL 1.16 has no such argument: longer ones are left out
        "Max Completion Length": str(arguments["max_completion_length"]),
        "Logging Steps": str(arguments["logging_steps"]),
        "Eval Steps": str(arguments["eval_steps"]),
        "KL Coefficient (β)": str(arguments["beta"]),
        "Clipping Coefficient (ε)": str(arguments["epsilon"]),
        "Use LoRA": str(found.settings.lora),
        "Rank (r)": str(lora["r"]),
        "Alpha": str(lora["lora_alpha"]),
        "Dropout": str(lora["lora_dropout"]),
        "Target Modules": ", ".join(name.removesuffix("_proj") for name in lora["target_modules"]) + " projections",
        "Merge Adapters": str(published().merge),
    }
    assert used == printed
    assert len(fields(Published)) == len(printed) == 17


@pytest.mark.train
@pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*is deprecated:FutureWarning")  # TRL itself sets it
def test_the_trainers_own_configuration_holds_every_row_of_table_2(tmp_path: Path) -> None:
    """As above, read back from TRL's and peft's objects once they have filled in what they fill in."""
    trl, peft = pytest.importorskip("trl"), pytest.importorskip("peft")
    found = plan(DEEPSEEK, settings(DEEPSEEK, 16, 42), 7473)
    config = trl.GRPOConfig(**grpo_arguments(found, tmp_path, cuda=False))
    lora = peft.LoraConfig(**lora_arguments(found, DEEPSEEK))
    table = published()
    assert {
        "learning_rate": config.learning_rate,
        "epochs": config.max_steps // 7473,  # one prompt a step at G = 16
        "batch_size": config.per_device_train_batch_size,
        "gradient_accumulation": config.gradient_accumulation_steps,
        "temperature": config.temperature,
        "max_prompt": table.max_prompt,  # no argument of TRL's: see the test of `rows`
        "max_completion": config.max_completion_length,
        "logging_steps": config.logging_steps,
        "eval_steps": config.eval_steps,
        "beta": config.beta,
        "epsilon": config.epsilon,
        "use_lora": found.settings.lora,
        "rank": lora.r,
        "alpha": lora.lora_alpha,
        "dropout": lora.lora_dropout,
        "targets": tuple(name for name in table.targets if name in lora.target_modules),
        "merge": table.merge,  # `run` merges where this says so: test_training_run looks at the weights
    } == asdict(table)
    assert set(lora.target_modules) == set(table.targets)
    assert config.max_steps % 7473 == 0
    assert (config.num_generations, config.steps_per_generation, config.num_iterations) == (16, 4, 1)


def test_prompts_longer_than_the_table_allows_are_left_out() -> None:
    def reader(text: str) -> dict[str, list[int]]:
        return {"input_ids": [0] * len(text)}

    longest = published().max_prompt
    problems = [Problem(f"p{n}", "?", "1", "x" * n) for n in (longest - 1, longest, longest + 1)]
    kept = rows(problems, PRESETS["tiny"], reader, longest)
    assert [len(one["prompt"]) for one in kept] == [longest - 1, longest]


@pytest.mark.parametrize(("size", "steps", "prompts"), [(4, 3736, 4), (16, 14946, 1)])
def test_the_published_protocol_has_unequal_steps(size: int, steps: int, prompts: int) -> None:
    """GSM8K's 7473 problems, two epochs, 16 sequences a step: 7473 // prompts * 2 optimizer steps."""
    found = plan(DEEPSEEK, settings(DEEPSEEK, size, 42), 7473)
    assert (found.steps, found.sequences, found.prompts_per_generation) == (steps, 16, prompts)
    assert found.steps == 2 * (7473 // prompts)
    assert found.refresh.interval == 1
    assert found.completions == steps * 16
    assert len(found.departures) == 1  # what the paper leaves open


def test_departures_name_what_differs() -> None:
    nemotron, tiny = PRESETS["nemotron4b"], PRESETS["tiny"]
    assert any("gate_proj" in text for text in plan(nemotron, settings(nemotron, 4, 42), 7473).departures)
    given = {"beta": 0.04, "steps": 5, "optimizer": "sgd"}
    told = "\n".join(plan(tiny, settings(tiny, 8, 1, given), 500).departures)
    for words in ("beta 0.04: Table 2 has 0.005", "5 optimizer steps", "group size 8", "seed 1", "task sums", "sgd"):
        assert words in told


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(1, 60))
def test_the_refresh_interval_is_what_trl_is_told(fresh: int, iterations: int, accumulation: int, step: int) -> None:
    refresh = Refresh(fresh * iterations, iterations, accumulation)
    micro_steps = refresh.steps_per_generation * refresh.num_iterations
    assert micro_steps == refresh.interval * accumulation  # a generation serves so many micro-steps
    lags = [refresh.lag(k) for k in range(1, 3 * refresh.interval + 1)]
    assert lags == list(range(refresh.interval)) * 3
    assert refresh.generation(step) == (step - 1 - refresh.lag(step)) // refresh.interval + 1
    assert refresh.checkpoint(step) % refresh.interval == 0
    assert 0 <= refresh.checkpoint(step) - step < refresh.interval


@pytest.mark.parametrize(("arguments", "message"), [((4, 3, 1), "divisor"), ((0, 1, 1), "interval = 0")])
def test_an_impossible_refresh_is_refused(arguments: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Refresh(*arguments)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"group_size": 5}, "divisor of the 128"),
        ({"steps": 0}, "steps = 0"),
        ({"optimizer": "adam"}, "one of adamw, sgd"),
        ({"momentum": 1.0}, "momentum = 1.0"),
        ({"learning_rate": 0.0}, "positive"),
        ({"problems_there": 3}, "at least the 32 prompts"),
    ],
)
def test_settings_outside_their_domain_are_refused(given: dict[str, float], message: str) -> None:
    tiny = PRESETS["tiny"]
    there = int(given.pop("problems_there", 500))
    with pytest.raises(ValueError, match=message):
        plan(tiny, settings(tiny, int(given.pop("group_size", 4)), 42, given), there)


def test_names_of_models() -> None:
    assert resolve("owner/model").source == "owner/model"
    with pytest.raises(InputError, match=r"did you mean deepseek7b\?"):
        resolve("deepseek")
    with pytest.raises(InputError, match="no GPU"):
        require(DEEPSEEK, 26.0, cuda=False, here=24.0)
    with pytest.raises(InputError, match="about 26 GiB"):
        require(DEEPSEEK, 26.0, cuda=True, here=16.0)
    require(DEEPSEEK, 26.0, cuda=True, here=80.0)
    require(PRESETS["tiny"], 0.1, cuda=False, here=1.0)


def test_the_presets_know_their_adapters() -> None:
    """LoRA at r = 16 on all seven projections of DeepSeek-7B: 4 x 131072 + 3 x 241664 a layer, 30 layers."""
    assert DEEPSEEK.shape is not None
    assert DEEPSEEK.shape.adapters(16) == 30 * (4 * 16 * 8192 + 3 * 16 * (4096 + 11008))


@given(st.integers(2, 8), st.integers(1, 6), st.data())
def test_group_statistics(size: int, groups: int, data: st.DataObject) -> None:
    rewards = np.array(data.draw(st.lists(st.booleans(), min_size=size * groups, max_size=size * groups)), dtype=float)
    found = group_statistics(rewards, size)
    parts = [rewards[i * size : (i + 1) * size] for i in range(groups)]
    assert found["reward"] == pytest.approx(rewards.mean(), abs=1e-12)
    within = sum(np.std(part) for part in parts) / groups
    assert found["reward_std/within_ddof0"] == pytest.approx(within, abs=1e-12)
    bessel = (size / (size - 1)) ** 0.5
    assert found["reward_std/within_ddof1"] == pytest.approx(within * bessel, abs=1e-12)
    assert found["group/all_correct"] == pytest.approx(sum(part.min() == 1 for part in parts) / groups)
    collapsed = found["group/all_correct"] + found["group/all_wrong"]
    assert found["frac_reward_zero_std"] == pytest.approx(collapsed)
    n, r = rewards.size, found["reward"]  # TRL's batch std of binary rewards holds nothing but their mean
    assert found["reward_std"] ** 2 == pytest.approx(n / (n - 1) * r * (1 - r), abs=1e-12)


def test_group_statistics_want_whole_groups() -> None:
    with pytest.raises(ValueError, match="whole groups of 4"):
        group_statistics([1.0, 0.0, 1.0], 4)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 12), st.integers(0, 3))
def test_prompts_come_in_whole_passes(problems: int, prompts: int, generations: int, seed: int) -> None:
    prompts = min(prompts, problems)
    places = order(problems, prompts, generations, seed)
    assert len(places) == generations * prompts
    once = problems // prompts * prompts
    for start in range(0, len(places), once):
        block = places[start : start + once]
        assert len(set(block)) == len(block)
    assert places == order(problems, prompts, generations, seed)
    longer = order(problems, prompts, generations + 1, seed)
    assert longer[: len(places)] == places
    rows = Rows([{"n": i} for i in range(problems)], places)
    assert [row["n"] for row in rows] == places
    assert [row["n"] for row in rows[:2]] == places[:2]


def row(step: int, **other: float | None) -> dict[str, float | None]:
    """A row that the schema accepts."""
    values: dict[str, float | None] = dict.fromkeys(COLUMNS, 0.25)
    values |= {"step": step, "generation": step, "lag": 0, "tokens": 40} | other
    return checked(values)


def fresh_free(step: int, lag: int) -> dict[str, float | None]:
    """A row of a step that reuses completions."""
    return row(step, lag=lag, **{name: None for name, column in COLUMNS.items() if column.sampled})


def test_rows_are_checked_and_name_their_fault() -> None:
    assert list(row(1)) == list(COLUMNS)
    assert row(1)["nonfinite"] == 0
    assert row(1, loss=float("nan"), grad_norm=float("inf")) | {"loss": None} == row(1, grad_norm=None) | {
        "loss": None,
        "nonfinite": 2,
    }
    for name, value in (("reward", 1.5), ("kl", -1.0), ("reward", None), ("step", 0), ("frac_reward_zero_std", 2.0)):
        with pytest.raises(ValueError, match=name):
            row(1, **{name: value}) if name != "step" else row(0)
    with pytest.raises(ValueError, match="lag 1"):
        row(1, lag=1)


def test_a_log_is_checked_as_a_whole() -> None:
    good = pd.DataFrame([row(1), fresh_free(2, 1), row(3)])
    log_schema().validate(good)
    from pandera.errors import SchemaError

    for bad in (good.iloc[[0, 2]], good.iloc[[0, 0, 1]], good.assign(lag=0)):
        with pytest.raises(SchemaError):
            log_schema().validate(bad)


def test_a_journal_keeps_what_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with Journal(path, CLOCKS) as journal:
        journal.append(row(1))
        journal.append(row(2))
        with pytest.raises(ValueError, match="step = 4; expected 3"):
            journal.append(row(4))
    with path.open("ab") as file:
        file.write(b'{"step": 3, "los')  # a kill in the middle of a row
    with Journal(path, CLOCKS) as journal:
        assert journal.last == 2
        journal.append(row(2, **{"time/step": 9.0}))  # done again after a restart: the clock may differ
        assert (journal.replayed, journal.differing) == (1, 0)
        journal.append(row(2, loss=7.0))
        assert (journal.replayed, journal.differing) == (2, 1)
        journal.append(row(3))
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [1, 2, 3]


def test_every_prefix_of_a_journal_opens(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with Journal(path) as journal:
        for step in (1, 2, 3):
            journal.append({"step": step, "loss": 0.5})
    data = path.read_bytes()
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        with Journal(path) as journal:
            assert journal.last == data[:length].count(b"\n")
            for step in range(journal.last + 1, 4):
                journal.append({"step": step, "loss": 0.5})
        assert path.read_bytes() == data


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.jsonl"
    real = os.write
    with Journal(path) as journal:
        journal.append({"step": 1})
        before = path.read_bytes()
        monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:5]))
        with pytest.raises(InputError, match="the 1 rows before it are safe"):
            journal.append({"step": 2})
        assert path.read_bytes() == before

        def full(file: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(InputError, match="No space left"):
            journal.append({"step": 2})
        monkeypatch.undo()
        journal.append({"step": 2})
    assert [json.loads(line)["step"] for line in path.read_text().splitlines()] == [1, 2]


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1}\nnoise\n{"step": 3}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"log\.jsonl, line 2"):
        Journal(path)
