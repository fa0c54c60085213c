"""Figures 1-5 and Table 1 on the frozen runs of the small model: logs in, numbers out, in seconds and without torch."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import least_squares

from empirical import frozen
from empirical.transfer import KS, Difference, cell, paired
from spec.small import CLAIMS as SMALL
from verification.evidence import kill, observe, within

Floats = NDArray[np.float64]
CLAIMS = {claim.id: claim for claim in SMALL}
RUNS = frozen.run_names()
LAGGED, INTERVAL = "tiny-refresh8/G4-seed42", 8
STEPS, FLOOR = 200, 0.91


def column(run: str, name: str) -> Floats:
    """A column of a run's log; nan where it is empty."""
    found: Floats = frozen.log(run)[name].to_numpy(dtype=np.float64, copy=True)
    return found


def averaged(values: Floats, steps: int) -> Floats:
    """Means of so many consecutive steps."""
    found: Floats = values[: len(values) // steps * steps].reshape(-1, steps).mean(axis=1)
    return found


def seed_mean(size: int, name: str) -> Floats:
    """A column, averaged over the seeds of a group size."""
    found: Floats = np.mean([column(f"tiny/G{size}-seed{seed}", name) for seed in frozen.SEEDS], axis=0)
    return found


def critical(q: Floats, t: Floats) -> Floats:
    """Eq. 16; q holds start, plateau and log of the frequency."""
    x = np.exp(q[2]) * t
    out: Floats = q[1] - (q[1] - q[0]) * (1.0 + x) * np.exp(-x)
    return out


def exponential(q: Floats, t: Floats) -> Floats:
    """Eq. 13; q holds start, plateau and log of the rate."""
    out: Floats = q[1] - (q[1] - q[0]) * np.exp(-np.exp(q[2]) * t)
    return out


def best_r2(law: Callable[[Floats, Floats], Floats], y: Floats) -> float:
    """R^2 of the best of several least-squares fits; a lower bound of the optimum's."""
    t = np.linspace(0.0, 1.0, len(y))
    starts = [np.array([y[0], y[-1], np.log(w)]) for w in (1.0, 2.0, 4.0, 9.0, 25.0)]

    def residual(q: Floats) -> Floats:
        out: Floats = law(q, t) - y
        return out

    costs = [least_squares(residual, q, max_nfev=2000).cost for q in starts]
    return float(1.0 - 2.0 * min(costs) / np.sum((y - y.mean()) ** 2))


def line(q: Floats, t: Floats) -> Floats:
    """A straight line from start to end."""
    out: Floats = q[0] + (q[1] - q[0]) * t
    return out


@cache
def r2(law: Callable[[Floats, Floats], Floats], size: int, steps: int) -> float:
    """R^2 of a law on the seed-averaged reward of a group size, in means of so many steps."""
    return best_r2(law, averaged(seed_mean(size, "reward"), steps))


@pytest.mark.claim("new-small-fit", step="laws", kind="property")
def test_a_law_without_slow_start_fits_as_well() -> None:
    def alike(law: Callable[[Floats, Floats], Floats]) -> None:
        for size in frozen.GROUP_SIZES:
            for steps in (1, 10):
                # no error bound is needed: 0.03 is the statement
                within(r2(critical, size, steps) - r2(law, size, steps), 0.03, "difference of R^2")

    alike(exponential)
    kill("straight-line", lambda: alike(line))


@pytest.mark.claim("new-small-fit", step="floor", kind="property")
def test_averaging_and_group_size_decide_the_floor() -> None:
    def reached(steps: int) -> None:
        within(1.0 - r2(critical, 4, steps), 1.0 - FLOOR, "1 - R^2")

    reached(10)
    assert all(r2(critical, size, steps) < FLOOR for size, steps in ((4, 1), (16, 1), (16, 10)))
    kill("single-steps", lambda: reached(1))


def slope(t: Floats, y: Floats) -> tuple[float, float]:
    """Least-squares slope over a whole run, and its standard error."""
    found = stats.linregress(t / STEPS, y)
    return float(found.slope), float(found.stderr)


@cache
def slopes() -> tuple[Floats, Floats, Floats, Floats]:
    """Held-out slopes and their errors, training slopes and theirs, of the four runs."""
    rows = []
    for run in RUNS:
        held_out = frozen.evaluations(run)
        rows.append(
            (
                *slope(held_out["step"].to_numpy(dtype=np.float64), held_out["eval_reward"].to_numpy(dtype=np.float64)),
                *slope(column(run, "step"), column(run, "reward")),
            )
        )
    one, error, other, its_error = np.array(rows).T
    return one, error, other, its_error


@cache
def coupling() -> tuple[float, float]:
    """Mean held-out slope over mean training slope of the four runs, and its standard error (delta method)."""
    held_out, error, trained, its_error = slopes()
    ratio = float(held_out.mean() / trained.mean())
    return ratio, sqrt(float(np.sum(error**2)) + ratio**2 * float(np.sum(its_error**2))) / float(trained.sum())


Z_COUPLING = 3.3  # one-sided alpha = 5e-4 each


@pytest.mark.claim("new-small-coupling", step="runs", kind="statistical", alpha=1e-3, power=0.95)
def test_the_held_out_reward_rises_with_the_training_reward() -> None:
    ratio, error = coupling()
    # power: a ratio of 1 lies 1/error standard errors above 0
    assert stats.norm.sf(Z_COUPLING - 1.0 / error) > 0.95

    def couples(value: float) -> None:
        assert value > Z_COUPLING * error

    couples(ratio)
    within(ratio - 1.0, Z_COUPLING * error, "coupling ratio - 1")
    rng = np.random.default_rng(4)
    shuffled = [
        slope(held["step"].to_numpy(dtype=np.float64), rng.permutation(held["eval_reward"].to_numpy(dtype=np.float64)))
        for held in map(frozen.evaluations, RUNS)
    ]
    kill("shuffled", lambda: couples(float(np.mean([s for s, _ in shuffled]) / slopes()[2].mean())))


PLACEBO, CONTROL = "tiny-placebo/G4-seed42", "tiny-control/G4-seed42"


@pytest.mark.claim("new-small-coupling", step="placebo", kind="statistical", alpha=5e-4, power=0.99)
def test_a_coin_teaches_nothing() -> None:
    def idle(run: str) -> None:
        rise, error = slope(column(run, "step"), column(run, "accuracy"))
        # power: the least slope of the four verifiable runs lies this far beyond the bound
        assert stats.norm.sf(Z_COUPLING - float(slopes()[2].min()) / error) > 0.99
        assert rise < Z_COUPLING * error, f"slope {rise:.3f}, error {error:.3f}"

    idle(PLACEBO)
    kill("verifiable", lambda: idle("tiny/G4-seed42"))


@pytest.mark.claim("new-small-coupling", step="control", kind="statistical", alpha=5e-4, power=0.99)
def test_what_is_rewarded_rises() -> None:
    def learned(rewards: Floats) -> None:
        first, last = rewards[:10], rewards[-10:]
        # 1280 completions each: a difference of shares has an error of at most sqrt(1/2/1280) = 0.02; ten errors more
        # than the bound are seen with certainty
        assert float(last.mean() - first.mean()) > Z_COUPLING * sqrt(0.5 / 1280)

    learned(column(CONTROL, "reward"))
    kill("coin", lambda: learned(column(PLACEBO, "reward")))
    coins = column(PLACEBO, "reward")
    within(float(coins.mean()) - 0.5, Z_COUPLING * sqrt(0.25 / (128 * STEPS)), "mean coin - 1/2")


def fifths(size: int, name: str) -> Floats:
    """Means over each fifth of the run, and over the seeds."""
    return averaged(seed_mean(size, name), STEPS // 5)


@pytest.mark.claim("new-small-spread", step="runs", kind="property")
def test_the_plotted_curves_stand_about_three_to_one() -> None:
    four, sixteen = (fifths(size, "reward_std/within_ddof1") for size in frozen.GROUP_SIZES)

    def apart(ratios: Floats) -> None:
        for ratio in ratios:
            within(float(ratio) - 3.25, 0.75, "ratio - 3.25")  # the interval is the statement

    apart((four**2 / 4) / (sixteen**2 / 16))
    kill("undivided", lambda: apart(four**2 / sixteen**2))


@pytest.mark.claim("new-small-spread", step="collapsed", kind="property")
def test_small_groups_collapse_more_often() -> None:
    four, sixteen = (fifths(size, "frac_reward_zero_std") for size in frozen.GROUP_SIZES)

    def more(some: Floats, others: Floats) -> None:
        assert np.all(some > others)

    more(four, sixteen)
    kill("swapped", lambda: more(sixteen, four))


def rank_p(y: Floats, sign: int) -> float:
    """One-sided p of Kendall's tau with time, exact for values without ties."""
    return float(stats.kendalltau(np.arange(len(y)), sign * y, alternative="greater").pvalue)


TRENDS = {"entropy": -1, "kl": 1, "reward": 1}
ALPHA_TREND = 1e-3


@pytest.mark.claim("new-small-concentration", step="runs", kind="statistical", alpha=1e-3, power=0.99)
@pytest.mark.parametrize("run", RUNS[:2])
@pytest.mark.parametrize("name", TRENDS)
def test_entropy_falls_while_kl_and_reward_rise(run: str, name: str) -> None:
    values = column(run, name)
    if name == "kl":
        values[0] = values[1]  # at the first step the policy is its reference
    means = averaged(values, 10)

    def trend(y: Floats) -> None:
        assert rank_p(y, TRENDS[name]) < ALPHA_TREND

    trend(means)
    rng = np.random.default_rng(6)
    # power against a straight line whose ends differ by 6 standard deviations of a mean of ten steps
    found = [rank_p(np.linspace(0, 6.0, 20) + rng.standard_normal(20), 1) < ALPHA_TREND for _ in range(2000)]
    assert np.mean(found) > 0.99
    kill("shuffled", lambda: trend(rng.permutation(means)))


@pytest.mark.claim("new-small-lag", step="on-policy", kind="exact")
def test_at_the_published_settings_the_ratio_is_one() -> None:
    def on_policy(runs: list[str]) -> None:
        for run in runs:
            for name in ("lag", "log_ratio/max", "log_ratio/abs_mean", "clip_ratio/region_mean"):
                assert not np.any(column(run, name)), f"{name} in {run}"

    on_policy(RUNS)
    kill("refresh-8", lambda: on_policy([LAGGED]))


def by_lag(lags: Floats, values: Floats) -> Floats:
    """Mean of the values at each lag 0 ... 7."""
    return np.array([values[lags == lag].mean() for lag in range(INTERVAL)])


@pytest.mark.claim("new-small-lag", step="by-lag", kind="property")
def test_the_ratio_leaves_one_with_the_lag() -> None:
    lags, distance = column(LAGGED, "lag"), column(LAGGED, "log_ratio/abs_mean")
    assert float(lags.mean()) == (INTERVAL - 1) / 2

    def grows(some: Floats) -> None:
        means = by_lag(some, distance)
        assert means[0] > 0.0
        assert np.all(np.diff(means) > 0)

    grows(lags)
    kill("by-phase", lambda: grows((lags + 4) % INTERVAL))


@pytest.mark.claim("new-small-lag", step="norm", kind="property")
@pytest.mark.parametrize("run", RUNS)
def test_the_gradient_norm_stays_bounded(run: str) -> None:
    def bounded(name: str) -> None:
        norms = column(name, "grad_norm")
        # no error bound is needed: the factor is the statement
        within(float(np.max(norms)), 4.0 * float(np.mean(norms[:50])), "gradient norm")

    bounded(run)
    kill("refresh-8-norm", lambda: bounded(LAGGED))


TASKS = ("sums", "long-sums", "wide-sums", "products", "equations", "gsm-symbolic")  # by distance
ARMS = ("G=4", "G=16")
ALPHA_GAIN = 1e-3  # for each of the arms


def gain(task: str, arm: str, against: str = "base", k: int = 1) -> Difference:
    """An arm's gain in pass@k over another arm, problem by problem."""
    arms = frozen.transfer()[task]
    return paired(arms[arm], arms[against], k)


@pytest.mark.claim("new-small-transfer", step="near", kind="statistical", alpha=1e-3, power=0.95)
@pytest.mark.parametrize("arm", ARMS)
def test_the_gain_is_where_the_training_was(arm: str) -> None:
    own = gain("sums", arm)
    error = (own.high - own.low) / 2 / float(stats.norm.isf(0.025))
    # power: a gain of 16 points would be seen
    assert stats.norm.sf(float(stats.norm.isf(ALPHA_GAIN / 2)) - 16.0 / error) > 0.95

    def gained(found: Difference) -> None:
        assert found.p < ALPHA_GAIN
        assert found.low > 0.0

    gained(own)
    kill("base", lambda: gained(gain("sums", "base")))


@pytest.mark.claim("new-small-transfer", step="far", kind="statistical", alpha=0.025, power=0.95)
@pytest.mark.parametrize("arm", ARMS)
def test_no_gain_of_four_points_elsewhere(arm: str) -> None:
    def small(task: str) -> None:
        found = gain(task, arm)
        # power: the chance that an interval of this width about a gain of 8 points would end above 4 and be noticed
        error = (found.high - found.low) / 2 / float(stats.norm.isf(0.025))
        assert stats.norm.sf((4.0 - 8.0) / error - float(stats.norm.isf(0.025))) > 0.95
        assert found.high < 4.0

    for task in TASKS[1:]:
        small(task)
    kill("own-task", lambda: small(TASKS[0]))


SETTING = (
    "Transformer of 1e5 parameters, sums of two digits, the paper's protocol (TRL, LoRA, K_ref = 1, beta = 0.005, "
    "seeds 42 and 3407), 200 steps of 128 completions. "
)
WAY = " For the paper's models: tox -e empirical -- --model deepseek7b (nemotron4b, qwen1.5b), on a GPU."
ALPHA = 0.05


@pytest.mark.claim("fig-1", kind="training", alpha=ALPHA)
def test_figure_1_on_the_small_model() -> None:
    rows = "; ".join(
        f"G = {size}: critically damped {r2(critical, size, 10):.3f}, single exponential "
        f"{r2(exponential, size, 10):.3f} in means of ten steps, "
        f"{r2(critical, size, 1):.3f} and {r2(exponential, size, 1):.3f} step by step"
        for size in frozen.GROUP_SIZES
    )
    assert all(r2(critical, size, 10) > r2(critical, size, 1) for size in frozen.GROUP_SIZES)
    observe(f"R^2 rises by averaging alone. {SETTING}R^2 on the seed-averaged training reward: {rows}.{WAY}")


@pytest.mark.claim("fig-2", kind="training", alpha=ALPHA)
def test_figure_2_on_the_small_model() -> None:
    ratio, error = coupling()
    half = float(stats.norm.isf(ALPHA / 2)) * error
    assert ratio - half > 0.0
    placebo, control = column(PLACEBO, "accuracy"), column(CONTROL, "reward")
    observe(
        f"The held-out reward moves with the training reward. {SETTING}Slope of the held-out reward over that of the "
        f"training reward, four runs: {ratio:.2f} "
        f"[{ratio - half:.2f}, {ratio + half:.2f}]. With a coin for a reward the share of right answers goes from "
        f"{placebo[:10].mean():.2f} to {placebo[-10:].mean():.2f} (first and last ten steps); a reward for any 7 goes "
        f"from {control[:10].mean():.2f} to {control[-10:].mean():.2f} in {len(control)} steps.{WAY}",
        float(stats.norm.sf(float(stats.norm.isf(ALPHA / 2)) - 1.0 / error)),
    )


@pytest.mark.claim("fig-3", kind="training", alpha=ALPHA)
def test_figure_3_on_the_small_model() -> None:
    four, sixteen = (fifths(size, "reward_std/within_ddof1") for size in frozen.GROUP_SIZES)
    few, many = (fifths(size, "frac_reward_zero_std") for size in frozen.GROUP_SIZES)
    ratios = (four**2 / 4) / (sixteen**2 / 16)
    assert ratios.min() > 1.0
    observe(
        f"The noise intensity of small groups is above that of large ones. {SETTING}The logged sigma_adv^2/G at G = 4 "
        "over that at G = 16, by fifths of the run: "
        f"{', '.join(f'{x:.2f}' for x in ratios)}; collapsed prompts at G = 4 {', '.join(f'{x:.2f}' for x in few)}, at "
        f"G = 16 {', '.join(f'{x:.2f}' for x in many)}.{WAY}"
    )


@pytest.mark.claim("fig-4", kind="training", alpha=ALPHA)
def test_figure_4_on_the_small_model() -> None:
    ends = {name: [(column(run, name)[1:51].mean(), column(run, name)[-50:].mean()) for run in RUNS] for name in TRENDS}
    assert all(last < first for first, last in ends["entropy"])
    rows = "; ".join(
        f"{name} {', '.join(f'{first:.2f} to {last:.2f}' for first, last in pairs)}" for name, pairs in ends.items()
    )
    observe(
        f"Entropy falls in every run. {SETTING}First and last fifty steps of the four runs (G = 4, 4, 16, 16): "
        f"{rows}.{WAY}"
    )


@pytest.mark.claim("fig-5", kind="training", alpha=ALPHA)
def test_figure_5_on_the_small_model() -> None:
    means = by_lag(column(LAGGED, "lag"), column(LAGGED, "log_ratio/abs_mean"))
    largest = [float(column(run, "log_ratio/max").max()) for run in (*RUNS, LAGGED)]
    assert max(largest[:-1]) == 0.0
    norms = [float(column(run, "grad_norm").max()) for run in (*RUNS, LAGGED)]
    observe(
        "With a sampler refreshed every step the importance ratio is 1 throughout; only an older one moves it. "
        f"{SETTING}Sampled every 8 steps (one run, G = 4) "
        f"the mean |log ratio| at lags 0 to 7 is {', '.join(f'{x:.3f}' for x in means)}, the largest of a token "
        f"{largest[-1]:.1f}; the largest gradient norm is {norms[-1]:.1f}, against {min(norms[:-1]):.1f} to "
        f"{max(norms[:-1]):.1f} in the four runs.{WAY}"
    )


@pytest.mark.claim("table-1", kind="training", alpha=ALPHA)
def test_table_1_on_the_small_model() -> None:
    rows = []
    for task in TASKS:
        arms = frozen.transfer()[task]
        cells = {(arm, k): cell(runs, k) for arm, runs in arms.items() for k in KS}
        assert all(cells[arm, 5].seeds >= cells[arm, 1].seeds for arm in arms)
        shown = ", ".join(
            f"{arm} {cells[arm, 1].printed_mean}"
            + (f" +- {cells[arm, 1].printed_std}" if cells[arm, 1].printed_std else "")
            + f" and {cells[arm, 5].printed_mean}"
            for arm in arms
        )
        rows.append(f"{task}: {shown}")
    observe(
        f"The table's protocol, on generated tasks. {SETTING}Then five samples a problem on six generated tasks of "
        "100 problems, by distance from the one "
        f"trained on, each seed rounded first, ddof 1, pass@1 and pass@5 in percent. {'; '.join(rows)}.{WAY}"
    )


@pytest.mark.infrastructure
def test_numbers_quoted_in_the_findings() -> None:
    placebo, sums = column(PLACEBO, "accuracy"), frozen.transfer()["sums"]
    spread = fifths(4, "reward_std/within_ddof1"), fifths(16, "reward_std/within_ddof1")
    means = by_lag(column(LAGGED, "lag"), column(LAGGED, "log_ratio/abs_mean"))
    quoted = {
        "new-small-fit": [
            f"{r2(law, size, steps):.3f}" for law in (critical, exponential) for size in (4, 16) for steps in (1, 10)
        ],
        "new-small-coupling": [
            *(f"{value:.2f}" for value in coupling()),
            f"{placebo[:10].mean():.2f} to {placebo[-10:].mean():.2f}",
        ],
        "new-small-spread": [", ".join(f"{x:.2f}" for x in 4 * (spread[0] / spread[1]) ** 2)],
        "new-small-lag": [f"{means[k]:.3f}" for k in (0, 1, 2, 7)],
        "new-small-transfer": [
            f"{float(sums['base'][0].mean(1)) * 100:.1f}%",
            *(f"{cell(sums[arm], 1).printed_mean[:-1]}%" for arm in ARMS),
            *(f"{gain('sums', arm).low:.1f} to {gain('sums', arm).high:.1f}" for arm in ARMS[:1]),
            *(f"{gain('sums', arm).p:.4f}" for arm in ARMS),
        ],
    }
    missing = {id_: [n for n in numbers if n not in CLAIMS[id_].because] for id_, numbers in quoted.items()}
    assert not any(missing.values()), missing
