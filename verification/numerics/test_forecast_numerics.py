"""`reference.forecast`: coverage of its intervals over simulated runs of every law, and what it says when it cannot."""

import math
import os

import numpy as np
import pytest
from scipy.stats import binom

from reference.fitters.family import FAMILIES
from reference.forecast import CANDIDATES, Tails, forecast
from reference.rise_time import RISE_TIME, SHARE, mean_field_plateau
from verification.evidence import within
from verification.numerics.simulated import run

pytestmark = pytest.mark.infrastructure

RUNS = 50 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 3  # of each of eight laws
ALPHA = 0.01  # on either side
T = np.linspace(0, 100, 120)
TRUTH: dict[str, tuple[float, ...]] = {
    "single_exponential": (0.2, 0.7, 0.03),
    "critically_damped": (0.2, 0.7, 0.06),
    "second_order": (0.2, 0.7, 0.08, 0.5),
    "logistic": (0.2, 0.7, 0.08, 50.0),
    "scalerl_sigmoid": (0.2, 0.7, 30.0, 2.5),
    "power_law": (0.2, 0.7, 30.0, 3.0),
    "mean_field_free": (0.1, 0.25),
    "mean_field": (0.1, 0.3, 0.8),
}


def plateau(law: str) -> float:
    theta = TRUTH[law]
    return mean_field_plateau(dict(zip(FAMILIES[law].names, theta, strict=True))) if "mean" in law else theta[1]


def delay(law: str) -> float:
    return RISE_TIME[law](dict(zip(FAMILIES[law].names, TRUTH[law], strict=True)))


@pytest.mark.parametrize("law", CANDIDATES)
def test_the_rise_time_is_where_the_curve_says(law: str) -> None:
    curve, when = FAMILIES[law].law, delay(law)
    start, there = (float(curve(x, *TRUTH[law])) for x in (0.0, when))
    within((there - start) / (plateau(law) - start) - SHARE, 1e-9)  # the mean-field integrator's 1e-11, with room
    before = curve(np.linspace(0, 0.999 * when, 300), *TRUTH[law])
    assert np.all((before - start) / (plateau(law) - start) < SHARE)


def test_ninety_per_cent_intervals_cover() -> None:
    """Coverage of 85 to 95 %, pooled over the laws, noise of 6 % of the rise, AR(1) with 0.3.

    Fails by chance in 2 % of the cases. In 400 runs a coverage of 80 % fails it with 0.7 and one of 98 % with 0.5;
    in 24 runs one of 55 % with 0.98, and none is too high.
    """
    level_hits = delay_hits = level_runs = runs = 0
    for k, law in enumerate(CANDIDATES):
        rng = np.random.default_rng([7, k])
        for _ in range(RUNS):
            found = forecast(T, run(law, T, TRUTH[law], rng, 0.03, 0.3))
            (low, high), (soon, late) = found.plateau_interval, found.t_95_interval
            runs += 1
            delay_hits += soon <= delay(law) <= late
            if law != "mean_field_free":  # its plateau is 1, whatever the data
                level_runs += 1
                level_hits += low <= plateau(law) <= high
    for hits, n in ((level_hits, level_runs), (delay_hits, runs)):
        assert binom.ppf(ALPHA, n, 0.85) <= hits <= binom.ppf(1 - ALPHA, n, 0.95), (hits, n)


@pytest.mark.parametrize(
    "reward",
    [
        0.3 + 0.003 * T + 0.02 * np.random.default_rng(0).standard_normal(T.size),
        0.3 + 0.02 * np.random.default_rng(1).standard_normal(T.size),
        np.full(T.size, 0.3),
    ],
    ids=["line", "noise", "constant"],
)
def test_what_is_not_identified_is_said(reward: np.ndarray) -> None:
    found = forecast(T, reward)
    assert not found.identified
    assert found.reason
    assert math.isinf(found.t_95_interval[1]) or math.isinf(found.plateau_interval[0])


def test_a_straight_line_has_an_open_plateau() -> None:
    reward = 0.3 + 0.003 * T + 0.02 * np.random.default_rng(0).standard_normal(T.size)
    assert forecast(T, reward).plateau_interval[1] == math.inf


def test_the_tails_of_one_law_are_student_s() -> None:
    tails = Tails(1.0, 0.5, 2.0, 1e9)
    for x, share in ((1 - 0.5 * 1.6448536269514722, 0.05), (1.0, 0.5), (1 + 2 * 1.6448536269514722, 0.95)):
        within(tails.cdf(x) - share, 1e-8)  # the normal limit at 1e9 degrees of freedom


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="level = 0"):
        forecast(T, T, level=0.0)
    with pytest.raises(ValueError, match="laws = 'cubic'"):
        forecast(T, T, laws=("cubic",))
    with pytest.raises(ValueError, match="increasing"):
        forecast(T[::-1], T)
