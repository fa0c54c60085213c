"""`reference.fitters`: what it refuses, and what it says where the record pins nothing."""

import math

import numpy as np
import pytest

from reference.fitters import LAWS, block_bootstrap, fit, held_out_tail

pytestmark = pytest.mark.infrastructure

T = np.arange(50.0)
R = 1 - np.exp(-T / 10)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"reward": np.where(T == 3, np.nan, R)}, "reward = nan"),
        ({"t": np.where(T == 3, np.inf, T)}, "t = inf"),
        ({"t": T[:3], "reward": R[:3]}, "at least 4"),
        ({"t": T[::-1]}, "increasing times"),
        ({"t": np.where(T == 3, 2.0, T)}, "t = 2, 2 at 2, 3; expected increasing"),
        ({"t": T - 1}, "t = -1"),
        ({"reward": R[:-1]}, "reward has shape"),
        ({"sigma": 0.0}, "sigma = 0"),
        ({"sigma": -np.ones(50)}, "sigma = -1"),
        ({"sigma": np.ones(49)}, "sigma has shape"),
        ({"law": "critical_damped"}, "did you mean 'critically_damped'"),
        ({"law": "qqq"}, "expected one of 'saturation'"),
        ({"noise": "pink"}, "noise = 'pink'"),
        ({"fixed": {"R_9": 0.0}}, "fixed names 'R_9'"),
        ({"fixed": {"rate": -1.0}}, "rate = -1"),
        ({"bounds": {"rate": (0.0, 1.0)}}, "one of the levels R_0, R_inf"),
        ({"bounds": {"R_inf": (1.0, 0.0)}}, "a lower and a higher"),
    ],
)
def test_bad_input_is_named(change: dict[str, object], match: str) -> None:
    arguments = {"t": T, "reward": R, "law": "single_exponential"} | change
    with pytest.raises(ValueError, match=match):
        fit(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("reward", [np.full(50, 0.4), np.zeros(50)], ids=["constant", "zero"])
def test_a_constant_reward_pins_nothing(law: str, reward: np.ndarray) -> None:
    found = fit(T, reward, law)
    assert not found.identified
    assert found.reason
    assert math.isnan(found.r2)


@pytest.mark.parametrize("law", LAWS)
def test_four_points_are_fitted_and_not_believed(law: str) -> None:
    found = fit(T[:4], R[:4], law)
    assert np.all(np.isfinite(found.residuals))
    if found.degrees_of_freedom < 1:
        assert not found.identified
        assert "too few points" in found.reason


def test_a_straight_line_has_no_plateau() -> None:
    rng = np.random.default_rng(0)
    found = fit(T, 0.01 * T + 0.02 * rng.standard_normal(50), "single_exponential")
    assert not found.identified
    assert "not reached" in found.reason or "timescale" in found.reason
    assert found.interval(0.95)["R_inf"][1] == math.inf


def test_weights_count() -> None:
    reward = R.copy()
    reward[40] = 100.0
    sigma = np.where(T == 40, 1e6, 1.0)
    found = fit(T, reward, "single_exponential", sigma, noise="white")
    assert abs(found.parameters["rate"] - 0.1) < 1e-6  # the outlier weighs 1e-12
    assert abs(fit(T, reward, "single_exponential", noise="white").parameters["rate"] - 0.1) > 0.01


def test_bounds_hold_a_level() -> None:
    found = fit(T, R, "single_exponential", bounds={"R_inf": (-np.inf, 0.9)}, noise="white")
    assert found.parameters["R_inf"] <= 0.9 + 1e-12


def test_scores_name_their_arguments() -> None:
    with pytest.raises(ValueError, match="share = 1"):
        held_out_tail(T, R, "single_exponential", share=1.0)
    with pytest.raises(ValueError, match="leaves 2 of 50"):
        held_out_tail(T, R, "single_exponential", share=0.96)
    with pytest.raises(ValueError, match="block"):
        block_bootstrap(fit(T, R, "single_exponential"), 10, block=0)
    with pytest.raises(ValueError, match="level = 2"):
        fit(T, R, "single_exponential").interval(2.0)
