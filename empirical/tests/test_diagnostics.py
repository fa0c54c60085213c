"""Diagnostics: their verdicts on simulated runs of known kinds, and what they say without their columns."""

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaincinv

from empirical.diagnostics import MODULES, NAMES, Run, Verdict, calibration, degeneracy, diagnose, plateau
from empirical.diagnostics.confusion import bounds, counted, markdown, measure, rates, table, work
from empirical.diagnostics.coupling import at_evaluations, local_rate
from empirical.diagnostics.measure import done, resume
from empirical.diagnostics.plateau import reached
from empirical.diagnostics.run import Curve
from empirical.diagnostics.trend import mean_error, moving_error, shift, slope
from empirical.diagnostics.words import estimate, percent
from empirical.logs import Log
from empirical.simulated import CAUSES, HEALTHY, KINDS
from reference.fitters import fit
from reference.forecast import CANDIDATES
from reference.rise_time import RISE_TIME

pytestmark = pytest.mark.infrastructure

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
COLUMNS = {
    "coupling": (("eval_reward",), "eval_reward"),
    "degeneracy": (("frac_reward_zero_std", "reward_std"), "frac_reward_zero_std"),
    "concentration": (("entropy",), "entropy"),
    "stability": (("grad_norm",), "grad_norm"),
}


def simulated(kind: str, number: int = 0) -> Log:
    return KINDS[kind](np.random.default_rng([7, number]))


@pytest.mark.parametrize("name", COLUMNS)
def test_without_its_column_it_says_skipped_and_names_the_key(name: str) -> None:
    columns, key = COLUMNS[name]
    log = simulated("healthy saturation")
    log = replace(log, table=log.table.drop(columns=list(columns)))
    found = next(d for d in diagnose(Run(log, "run")) if d.name == name)
    assert found.verdict is Verdict.SKIPPED
    assert key in found.says
    assert any(key in need for need in found.needs)
    assert found.advice


@pytest.mark.parametrize("kind", CAUSES)
def test_a_clear_case_is_found_with_its_arithmetic(kind: str) -> None:
    """One run of each kind; the rates over many runs are in the measured table and in the thorough test."""
    name, word = CAUSES[kind]
    found = next(d for d in diagnose(Run(simulated(kind, 1), kind)) if d.name == name)
    assert found.verdict is Verdict.FOUND
    assert word in found.word
    assert found.measures
    assert found.arithmetic
    assert found.advice
    assert found.panels


def test_a_healthy_run_raises_no_alarm() -> None:
    for diagnosis in diagnose(Run(simulated("healthy saturation", 3), "run")):
        assert diagnosis.verdict in (Verdict.CLEAR, Verdict.UNDECIDED)


def test_the_measured_table_is_complete_and_its_rates_are_said() -> None:
    kinds = {row[0] for row in table()}
    assert kinds == set(KINDS)
    for name in NAMES:
        assert {row[0] for row in table() if row[1] == name} == kinds
        assert name == "plateau" or "false alarm" in rates(name)


def test_the_measured_rates_bear_out_the_promise() -> None:
    """Fails where the table shows, at 95% confidence, more than 1% false alarms or less than 95% power."""
    for name in set(NAMES) - {"plateau"}:  # which answers a question rather than raise an alarm
        rows = [row for row in table() if row[1] == name and row[0] in HEALTHY]
        alarms, runs = sum(row[3] for row in rows), sum({row[0]: row[4] for row in rows}.values())
        assert bounds(alarms, runs)[0] <= 0.01
    for kind, (name, word) in CAUSES.items():
        mine = [row for row in table() if row[0] == kind and row[1] == name]
        hits = sum(row[3] for row in mine if word in row[2])
        assert bounds(hits, mine[0][4])[1] >= 0.95


@pytest.mark.skipif(not THOROUGH, reason="200 runs of each kind take an hour: HYPOTHESIS_PROFILE=thorough")
@pytest.mark.parametrize("kind", KINDS)
def test_the_table_comes_back(kind: str) -> None:
    """200 new runs against the table: at most 1% false alarms, at least 95% power, each at 99.9% confidence."""
    rows = measure(kind, 200, 1)
    if kind in HEALTHY:
        for name in set(NAMES) - {"plateau"}:
            assert bounds(sum(r[3] for r in rows if r[1] == name), 200, 0.998)[0] <= 0.01
    if kind in CAUSES:
        name, word = CAUSES[kind]
        hits = sum(r[3] for r in rows if r[1] == name and word in r[2])
        assert bounds(hits, 200, 0.998)[1] >= 0.95


def test_the_forecast_s_intervals_cover_as_promised() -> None:
    """Fails where the table, of runs that nothing was tuned on, excludes 85% to 95% at 99% confidence."""
    rows, number = calibration.table()
    assert {row[0] for row in rows} == set(CANDIDATES)
    assert number > 0
    for quantity in calibration.QUANTITIES:
        covered, closed, runs = calibration.pooled(quantity)
        low, high = bounds(covered, runs, 0.99)
        assert low <= calibration.ALLOWED[1]
        assert high >= calibration.ALLOWED[0]
        assert closed > runs / 2


@pytest.mark.parametrize("law", CANDIDATES)
def test_a_simulated_prefix_has_the_rise_time_that_it_is_said_to_have(law: str) -> None:
    """The rise times are in closed form or by quadrature to 1e-9, and scale with time."""
    found = calibration.parameters(law, 80.0, np.random.default_rng(3))
    assert RISE_TIME[law](found) == pytest.approx(80.0, rel=1e-9)


def test_a_measurement_that_was_killed_goes_on(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    jobs = [(0, "healthy saturation", k, "quick") for k in range(3)]
    first = list(resume(jobs[:2], work, journal, 1))
    text = journal.read_text(encoding="utf-8")
    journal.write_text(text + '{"job": [0, "hea', encoding="utf-8")
    again = list(resume(jobs, work, journal, 1))
    assert again[:2] == first
    assert set(done(journal)) == set(jobs)
    assert journal.read_text(encoding="utf-8").startswith(text)
    assert {row[1] for row in counted(again)} == set(NAMES) - {"dynamics", "plateau"}


def test_the_page_of_the_table_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / "docs" / "diagnostics.md"
    assert page.read_text(encoding="utf-8") == markdown(), "write it again: empirical.diagnostics.confusion.markdown()"


def test_words_have_the_digits_that_the_interval_bears() -> None:
    assert estimate(7.6412, 7.2699, 8.0487, 0.9) == "7.64 (90% interval 7.27 to 8.05)"
    assert estimate(2.33e-12, -0.0675, 0.0443, 0.9) == "0.00 (90% interval -0.07 to 0.04)"
    assert estimate(0.5, -np.inf, np.inf, 0.9) == "0.5"
    assert [percent(x) for x in (0.0, 0.001, 0.26, 0.9999, 1.0)] == [
        "0%", "less than 1%", "26%", "more than 99%", "100%",
    ]  # fmt: skip


def few_rows(spread: list[float], reward: list[float]) -> Run:
    table = pd.DataFrame({"step": np.arange(1, len(spread) + 1), "reward": reward, "reward_std": spread})
    log = replace(simulated("noise"), table=table, settings={})
    return Run(log, "run")


def test_shares_about_a_half_are_not_called_enough() -> None:
    """12 of 20 late rows without spread: more than half, but not beyond noise; and 2 of 4 say nothing."""
    late = [0.0, 0.0, 0.0, 0.3, 0.3] * 4
    found = degeneracy.diagnose(few_rows([0.3] * 40 + late, list(np.linspace(0.2, 0.6, 60))))
    assert (found.verdict, found.word) == (Verdict.UNDECIDED, "about half")
    assert found.says.startswith("60% of the steps")
    short = degeneracy.diagnose(few_rows([0.3] * 8 + [0.0, 0.3] * 2, list(np.linspace(0.2, 0.6, 12))))
    assert short.verdict is Verdict.UNDECIDED


def test_one_middling_score_is_told_from_solved_or_hopeless() -> None:
    score = [0.0, 10.0] * 5 + [5.0] * 50
    found = degeneracy.diagnose(few_rows([1.0] * 10 + [0.0] * 50, score))
    assert (found.verdict, found.word) == (Verdict.FOUND, "same score")
    either = [0.0, 10.0] * 30
    assert degeneracy.diagnose(few_rows([1.0] * 10 + [0.0] * 50, either)).word == "solved or hopeless"


def test_the_plateau_is_told_in_the_log_s_own_steps() -> None:
    log = simulated("healthy saturation", 3)
    log.table["step"] = 100 + 2 * log.table["step"]
    says = plateau.diagnose(Run(log, "run")).says
    assert says.endswith("the log ends at step 900 (400 rows).")
    when = re.search(r"by step (\d+),", says)
    assert when is not None
    assert 102 < int(when[1]) < 900


def test_every_module_states_what_it_needs() -> None:
    for module in MODULES:
        assert module.NEEDS
        assert module.QUESTION.endswith("?")


def test_bounds_are_clopper_and_pearson_s() -> None:
    """Of 0 in n the upper end solves (1-p)^n = 0.025."""
    assert bounds(0, 50)[1] == pytest.approx(1 - 0.025 ** (1 / 50), rel=1e-9)
    assert bounds(50, 50)[0] == pytest.approx(0.025 ** (1 / 50), rel=1e-9)
    assert bounds(3, 20)[0] == pytest.approx(float(betaincinv(3, 18, 0.025)), rel=1e-12)


def test_local_rate_is_the_rate_of_an_exponential() -> None:
    """On R_inf - a exp(-l t) the slope of -log(R_inf - R) is l up to rounding; above R_inf there is no estimate."""
    t = np.arange(200.0)
    reward = 0.8 - 0.5 * np.exp(-0.02 * t)
    found = local_rate(t, reward, 0.8, 40.0, np.array([50.0, 100.0]))
    # R_inf - R >= 0.5 exp(-2.4) = 0.045, of which rounding of R (1e-16) is a share of 2e-15; the slope of 41 points
    # over 40 steps of data off by that is off by less than 1e-15
    np.testing.assert_allclose(found, 0.02, rtol=1e-12)
    assert np.isnan(local_rate(t, reward, 0.5, 40.0, np.array([150.0]))[0])


def test_time_to_a_share_of_the_rise() -> None:
    """95% of an exponential's rise takes ln(20)/rate; the grid of `reached` has a spacing of 0.28%."""
    t = np.arange(400.0)
    law = fit(t, 0.8 - 0.6 * np.exp(-t / 50), "single_exponential")
    assert reached(law) == pytest.approx(50 * np.log(20), rel=0.003)


def test_training_reward_at_evaluations_is_a_mean_between_midpoints() -> None:
    train = Curve(np.arange(10.0), np.arange(10.0))
    held = Curve(np.array([2.0, 5.0, 8.0]), np.zeros(3))
    assert at_evaluations(train, held).tolist() == [1.5, 5.0, 8.0]


def test_thinning_keeps_the_mean() -> None:
    rng = np.random.default_rng(0)
    curve = Curve(np.arange(1001.0), rng.normal(size=1001))
    thin = curve.thinned(100)
    assert thin.size <= 100
    assert thin.t[0] == 5.0  # the mean of 0, 1, ..., 10
    assert curve.thinned(2000) is curve


def test_errors_of_trends() -> None:
    """White noise: both standard errors estimate s/sqrt(n), the first from 10 blocks (relative sd 0.24), the second
    from 399 differences (0.061); a straight trend leaves the second alone. alpha = 1e-6 at 4.9 standard deviations."""
    rng = np.random.default_rng(1)
    noise = rng.normal(size=400)
    assert mean_error(noise)[1] == pytest.approx(0.05, rel=4.9 * 0.24)
    assert moving_error(noise)[1] == pytest.approx(0.05, rel=4.9 * 0.061)
    assert moving_error(noise + np.linspace(0, 5, 400))[1] == pytest.approx(moving_error(noise)[1], rel=0.01)
    change = shift(noise[:200], noise[200:] + 1)
    assert change.above(0.5, 1e-3)
    assert not change.below(0.5, 1e-3)
    line = slope(np.arange(50.0), 3 + 0.1 * np.arange(50.0))
    assert line.value == pytest.approx(4.9, rel=1e-12)  # rounding of 50 terms


def test_refresh_interval_is_read_off_the_rows_with_a_reward() -> None:
    log = simulated("healthy saturation")
    log.table.loc[log.table["step"] % 4 != 1, "reward"] = np.nan
    assert Run(log, "run").refresh_interval == (4, "read off the rows that hold a reward")
    assert Run(log, "run", refresh=2).refresh_interval == (2, "as given")
