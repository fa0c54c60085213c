"""The live callback: what it writes, when it warns, and that no error of it reaches the trainer."""

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from empirical.live import Watch, callback

pytestmark = pytest.mark.infrastructure


def logged(watch: Any, step: int, main: bool = True, **logs: Any) -> None:
    watch.on_log(None, SimpleNamespace(global_step=step, is_world_process_zero=main), None, logs=logs, model=None)


def test_rows_are_on_the_disk_and_nan_is_null(tmp_path: Path) -> None:
    watch = Watch(tmp_path / "run" / "log.jsonl")
    logged(watch, 1, reward=0.5, kl=float("nan"), other=[1, 2])
    logged(watch, 2, main=False, reward=0.7)
    rows = [json.loads(line) for line in watch.path.read_text(encoding="utf-8").splitlines()]
    assert rows == [{"reward": 0.5, "kl": None, "other": None, "step": 1}]


def test_a_line_that_a_kill_cut_off_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"reward": 0.5, "step": 1}\n{"rewa', encoding="utf-8")
    logged(Watch(path), 2, reward=0.25)
    assert path.read_text(encoding="utf-8").splitlines()[1:] == ['{"rewa', '{"reward": 0.25, "step": 2}']


def test_it_warns_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ticks = iter(range(10**6))
    watch = Watch(tmp_path / "log.jsonl", every=30, clock=lambda: float(next(ticks)))
    with caplog.at_level(logging.WARNING, logger="empirical.live"):
        for step in range(1, 101):
            logged(watch, step, reward=0.5, frac_reward_zero_std=1.0)
    assert [record.message for record in caplog.records if "degeneracy" in record.message]
    assert len(caplog.records) == len(watch.said)


def test_no_error_reaches_the_trainer_and_it_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    watch = Watch(tmp_path / "file" / "log.jsonl", every=1)
    for step in (1, 2, 3):
        logged(watch, step, reward=0.5)
    assert [("cannot be written" in record.message) for record in caplog.records] == [True]
    unread = Watch(tmp_path / "log.jsonl", every=1, clock=lambda: 0.0)
    logged(unread, 1, loss=1.0)  # no reward: the reader refuses it
    assert "cannot be diagnosed" in caplog.records[-1].message


def test_looks_stop_where_they_would_take_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, looks = [0.0], []

    def slow() -> None:
        now[0] += 10.0
        looks.append(now[0])

    watch = Watch(tmp_path / "log.jsonl", every=1, clock=lambda: now[0])
    monkeypatch.setattr(watch, "_look", slow)
    for step in range(1, 200):
        now[0] += 1.0
        logged(watch, step, reward=0.5)
    assert len(looks) == 2  # the second one waits until the first is a twentieth of the time


def test_bad_interval_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="every = 0"):
        Watch(tmp_path / "log.jsonl", every=0)


def test_transformers_takes_it(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    watch = callback(tmp_path / "log.jsonl", every=10)
    assert isinstance(watch, transformers.TrainerCallback)
    logged(watch, 1, reward=0.5)
    assert watch.rows == 1
