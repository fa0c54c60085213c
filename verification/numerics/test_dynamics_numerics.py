"""`reference.dynamics`: false alarms on noise and on healthy runs, power on clear cases, at stated error rates."""

import os

import numpy as np
import pytest
from scipy.stats import binom

from reference.dynamics import CALLS, classify
from verification.evidence import within
from verification.numerics.simulated import autoregressive, run

pytestmark = pytest.mark.infrastructure

RUNS = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 10
ALPHA = 0.02  # of each test: how often it fails although the rates are as promised
T = np.arange(120.0)
ALARMS = {"underdamped", "unstable"}


def allowed(rate: float) -> int:
    """The largest number of failures in RUNS that a promised rate explains at level ALPHA."""
    return int(binom.ppf(1 - ALPHA, RUNS, rate))


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.95])
def test_pure_noise_is_called_noise(rho: float) -> None:
    """At most 1 % alarms. Power: a true rate of 5 % fails it with 0.94 in 200 runs, 40 % with 0.95 in 10."""
    rng = np.random.default_rng([1, int(100 * rho)])
    calls = [classify(T, 0.4 + 0.05 * autoregressive(rng, T.size, rho)).call for _ in range(RUNS)]
    assert sum(call in ALARMS for call in calls) <= allowed(0.01)


@pytest.mark.parametrize(
    ("law", "theta"),
    [
        ("single_exponential", (0.2, 0.7, 0.05)),
        ("critically_damped", (0.2, 0.7, 0.09)),
        ("logistic", (0.2, 0.7, 0.1, 50.0)),
        ("mean_field_free", (0.1, 0.3)),
    ],
)
def test_a_healthy_run_raises_no_alarm(law: str, theta: tuple[float, ...]) -> None:
    rng = np.random.default_rng(2)
    calls = [classify(T, run(law, T, theta, rng, 0.05, 0.4)).call for _ in range(RUNS)]
    assert sum(call in ALARMS for call in calls) <= allowed(0.01)


@pytest.mark.parametrize("rho", [0.0, 0.5])
@pytest.mark.parametrize(("zeta", "call"), [(0.1, "underdamped"), (0.15, "underdamped"), (-0.06, "unstable")])
def test_clear_cases_are_called(zeta: float, call: str, rho: float) -> None:
    """Power >= 95 %: noise of a tenth of the rise, a settling mode never called anything else, nor a growing one."""
    rng = np.random.default_rng([3, int(100 * (zeta + 1)), int(100 * rho)])
    found = [classify(T, run("second_order", T, (0.2, 0.7, 0.25, zeta), rng, 0.05, rho)) for _ in range(RUNS)]
    assert sum(f.call != call for f in found) <= allowed(0.05)
    assert not any(f.call in ALARMS - {call} for f in found)
    inside = sum(
        f.intervals["damping_ratio"][0] <= zeta <= f.intervals["damping_ratio"][1] for f in found if f.intervals
    )
    assert RUNS - inside <= allowed(0.15)  # 90 % intervals; the noise's own coefficients are estimated too


def test_numbers_of_an_exact_curve() -> None:
    curve = run("second_order", T, (0.2, 0.7, 0.25, 0.2), np.random.default_rng(0), 0.0, 0.0)
    found = classify(T, curve)
    assert found.call == "underdamped"
    within(found.damping_ratio - 0.2, 1e-7)  # the curve's rounding, 1e-16, over its sensitivity, with room
    within(found.growth + 0.05, 1e-7)
    within(found.frequency - 0.25 * 0.96**0.5, 1e-7)


@pytest.mark.parametrize(
    "curve", [np.full(60, 0.3), np.zeros(60), 0.1 + 0.002 * np.arange(60.0), np.linspace(0, 1, 8) ** 2]
)
def test_curves_without_a_swing_raise_no_alarm(curve: np.ndarray) -> None:
    found = classify(np.arange(float(curve.size)), curve)
    assert found.call in CALLS
    assert found.call not in ALARMS
    assert found.reason


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="reward = nan"):
        classify(T, np.where(T == 5, np.nan, 0.5))
    with pytest.raises(ValueError, match="level = 1"):
        classify(T, T, level=1.0)
