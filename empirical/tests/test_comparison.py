"""Comparison: the effect of a knob against a straight line, several runs in one report, and what is said otherwise."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from empirical.cli import app
from empirical.diagnostics import dynamics
from empirical.diagnostics.comparison import effect
from empirical.diagnostics.diagnosis import Measure
from reference import lag

pytestmark = pytest.mark.infrastructure

REACH = 1.6448536269514722  # of a two-sided 90% interval


def bars(values: list[float], error: float) -> list[Measure]:
    return [Measure("x", v, v - REACH * error, v + REACH * error, 0.9) for v in values]


def test_an_effect_is_the_weighted_straight_line() -> None:
    """On a line without scatter slope and error are those of least squares: error/sqrt(sum (x - mean)^2)."""
    found = effect("x", [0.0, 1.0, 2.0], bars([1.0, 3.0, 5.0], 0.1))
    assert found is not None
    assert found.slope == pytest.approx(2.0, rel=1e-12)
    assert (found.runs, found.sure) == (3, True)
    assert found.high - found.slope == pytest.approx(REACH * 0.1 / math.sqrt(2), rel=1e-9)
    scattered = effect("x", [0.0, 1.0, 2.0], bars([1.0, 4.0, 5.0], 0.1))
    assert scattered is not None
    assert scattered.high - scattered.slope > 5 * (found.high - found.slope)  # Birge's ratio and Student's t
    assert effect("x", [1.0, 1.0], bars([1.0, 2.0], 0.1)) is None
    assert effect("x", [0.0, 1.0], [*bars([1.0], 0.1), Measure("x", math.nan)]) is None
    factor = effect(dynamics.RATE, [0.0, 1.0], [Measure("r", 1.0, 0.5, 2.0), Measure("r", 4.0, 2.0, 8.0)])
    assert factor is not None
    assert factor.slope == pytest.approx(math.log(4.0), rel=1e-12)


def ringing(path: Path, interval: int, seed: int) -> Path:
    """A run of the exact map at momentum 0.8 and gain 0.02, counted from 64 completions a step."""
    error = np.asarray(lag.trajectory(0.8, 0.02, interval, "periodic", 299))
    reward = np.random.default_rng([5, interval, seed]).binomial(64, np.clip(0.6 - 0.3 * error, 0.01, 0.99)) / 64
    rows = [json.dumps({"step": k, "reward": float(r)}) for k, r in enumerate(reward, 1)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_runs_that_differ_in_the_refresh_interval_are_compared(tmp_path: Path) -> None:
    """At this gain the exact swing is damped less, and nearer to instability, at an interval of 20 than of 12."""
    paths = [ringing(tmp_path / f"k{interval}.jsonl", interval, 0) for interval in (20, 12)]
    knobs = ["--knob", "refresh=20,12", "--knob", "momentum=0.8"]
    result = CliRunner().invoke(app, ["diagnose", *map(str, paths), *knobs, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "compared: 2 runs, refresh interval 12 to 20: damping ratio zeta falls" in result.stdout
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["compared"]
    assert (told["knob"], told["values"]["refresh"]) == ("refresh", [12, 20])
    effects = {e["quantity"]: e for e in told["effects"]}
    assert effects[dynamics.ZETA]["high"] < 0
    assert effects[dynamics.UNSTABLE]["high"] < 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "The runs compared" in page
    assert (tmp_path / "out" / "figures" / "compared-refresh-0.csv").is_file()
    for run, interval in zip(told["measures"][dynamics.UNSTABLE], (12, 20), strict=True):
        # of one record the truth lies within twice a 90% interval with probability 99.9%
        truth = math.log(float(lag.critical_gain(0.8, interval, "periodic")) / 0.02)
        value, low, high = (math.log(run[key]) for key in ("value", "low", "high"))
        assert 2 * (low - value) < truth - value < 2 * (high - value)


def test_without_a_knob_that_differs_it_says_so(tmp_path: Path) -> None:
    paths = [ringing(tmp_path / f"{seed}.jsonl", 1, seed) for seed in (1, 2)]
    result = CliRunner().invoke(app, ["diagnose", *map(str, paths), "--out", str(tmp_path / "out")])
    assert "no knob is known to differ between them" in result.stdout
    both = ["--knob", "refresh=1,2", "--knob", "momentum=0.5,0.9"]
    result = CliRunner().invoke(app, ["diagnose", *map(str, paths), *both, "--out", str(tmp_path / "out")])
    assert "they differ in momentum, refresh interval" in result.stdout
    result = CliRunner().invoke(app, ["diagnose", str(paths[0]), "--knob", "refresh=0", "--out", str(tmp_path / "no")])
    assert (result.exit_code, "whole number from 1" in result.output) == (2, True)
    assert not (tmp_path / "no").exists()
