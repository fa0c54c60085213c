"""Degeneracy: do the groups still have a spread of rewards, and if not, are the prompts too easy or too hard?"""

import numpy as np

from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.run import Curve, Run
from empirical.diagnostics.trend import mean_error
from empirical.diagnostics.words import percent
from empirical.logs.numbers import Floats
from reference import group

NAME = "degeneracy"
QUESTION = "Do the groups still carry a signal, and if not, are the prompts too easy or too hard?"
NEEDS = ("frac_reward_zero_std or advantage_std or reward_std",)
DEAD = 0.5  # share of groups without spread at which half of the sampling is wasted
TAIL = 0.002
FEW = 9  # rows of the last third, below which a share under a half says little
ROWS = "rows"  # where the log counts no groups
EASY, HARD = 0.75, 0.25  # of the way from the lowest to the highest reward


def _share(run: Run) -> tuple[Curve, str] | None:
    """The share of groups without spread, and what it was taken from."""
    found = run.curve("frac_reward_zero_std")
    if found is not None:
        return found, "frac_reward_zero_std"
    for column in ("advantage_std", "reward_std"):
        found = run.curve(column)
        if found is not None:
            return Curve(found.t, (found.y == 0).astype(np.float64)), f"{ROWS} with {column} = 0"
    return None


def _bounds(run: Run) -> tuple[float, float]:
    """Lowest and highest reward: 0 and 1 where all rewards lie between, otherwise as seen."""
    low, high = float(run.reward.y.min()), float(run.reward.y.max())
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def diagnose(run: Run) -> Diagnosis:
    """Test whether more than half of the groups of the last third have no spread, and look at their rewards."""
    found = _share(run)
    if found is None:
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.SKIPPED,
            "SKIPPED",
            "The log has none of frac_reward_zero_std, advantage_std, reward_std.",
            advice="Log frac_reward_zero_std (TRL from 0.18) or the within-group reward_std.",
        )
    share, source = found
    late = share.part(2 / 3, 1) if share.size >= 9 else share.y
    mean, error = mean_error(late)
    from scipy.special import stdtrit

    half = float(stdtrit(max(min(10, late.size) - 1, 1), 1 - TAIL)) * (error if np.isfinite(error) else 0.0)
    low, high = _bounds(run)
    level = float(run.reward.part(2 / 3, 1).mean()) if run.reward.size >= 9 else float(run.reward.y.mean())
    p = (level - low) / (high - low) if high > low else float("nan")
    size = run.known_group_size
    measures = [
        Measure("share of groups without spread, last third", mean, mean - half, mean + half, 1 - 2 * TAIL),
        Measure("mean reward, last third, from lowest (0) to highest (1)", p),
    ]
    arithmetic = [
        (
            f"from {source}: {mean:.3g}, one-sided bound at {TAIL:g}: "
            f"{mean - half:.3g} {'>' if mean - half > DEAD else 'not >'} {DEAD:g}"
        )
    ]
    series = [Series(source, *_smooth(share), "line")]
    binary = run.reward.y.min() >= 0 and run.reward.y.max() <= 1
    if size is not None and binary:
        expected = float(group.collapsed_fraction(p, size))
        measures.append(Measure(f"share expected if all prompts had p = {p:.2g}, G = {size}", expected))
        arithmetic.append(
            f"p^G + (1-p)^G = {expected:.3g}: what is above it are prompts that are easier or harder than the mean"
        )
        t, y = _smooth(run.reward)
        series.append(
            Series("expected at equal prompts", t, group.collapsed_fraction(np.clip(y, 0, 1), size), "dashed")
        )
    elif size is None:
        arithmetic.append("no expectation beside it: the group size is not known (give --group-size)")
    panels = [Panel("degeneracy", "Groups without spread", "steps since the first row", "share", tuple(series))]
    spread = _spread(run, size if binary else None, arithmetic)
    if spread is not None:
        panels.append(spread)
    what = "steps" if source.startswith(ROWS) else "groups"
    amount = f"{percent(mean)} of the {what} have no spread of rewards in the last third"
    if not mean - half > DEAD:
        over = mean > DEAD or (late.size < FEW and mean + half > DEAD)
        if over:
            ends = f"{percent(max(mean - half, 0))} to {percent(min(mean + half, 1))}"
            verdict, word = Verdict.UNDECIDED, "about half"
            says = f"{amount}; whether that is more than half cannot be told beyond noise ({ends})."
            advice = "Watch it: where most groups are dead, most of the sampling is wasted."
        else:
            verdict, word, says, advice = Verdict.CLEAR, "signal", f"{amount}: enough signal is left.", ""
        return Diagnosis(
            NAME, QUESTION, NEEDS, verdict, word, says, tuple(measures), tuple(arithmetic), advice, tuple(panels)
        )
    if run.flat or not np.isfinite(p):
        word, advice = "no spread at all", "Every reward is the same: check the reward function on completions by hand."
    elif p > EASY:
        word, advice = (
            "too easy",
            "Drop prompts that are always solved, or take harder ones; a larger group finds rarer failures.",
        )
    elif p < HARD:
        word, advice = (
            "too hard",
            (
                "Take easier prompts, give partial credit, a longer "
                "completion limit, or a warm start by supervised training."
            ),
        )
    elif _between(run, low, high):
        word, advice = (
            "same score",
            "All completions get the same middling score: read some; is it one part of the reward that all earn "
            "(format), and one that none does?",
        )
    else:
        word, advice = (
            "solved or hopeless",
            "Prompts are either always solved or never: filter both kinds (dynamic sampling).",
        )
    says = f"{amount} and give no gradient: {word}."
    return Diagnosis(
        NAME, QUESTION, NEEDS, Verdict.FOUND, word, says, tuple(measures), tuple(arithmetic), advice, tuple(panels)
    )


def _between(run: Run, low: float, high: float) -> bool:
    """Whether the rewards of rows without spread mostly lie between the easy and the hard end."""
    spread = run.log.table["reward_std"] if run.log.has("reward_std") else None
    if spread is None:
        return False
    values = run.log.table["reward"][spread == 0].to_numpy(dtype=np.float64)
    place = (values[np.isfinite(values)] - low) / (high - low)
    return bool(place.size) and float(((place > HARD) & (place < EASY)).mean()) > 0.5


def _smooth(curve: Curve) -> tuple[Floats, Floats]:
    thin = curve.thinned(100)
    return thin.t, thin.y


def _spread(run: Run, size: int | None, arithmetic: list[str]) -> Panel | None:
    """The within-group spread with its exact expectation, where the column is known to be within groups."""
    found = run.curve("reward_std")
    if found is None:
        return None
    readings = run.log.readings("reward_std")
    batch = len(readings) == 1 and "whole generation batch" in readings[0].says
    if batch:
        arithmetic.append(
            "reward_std is the batch's in this version: for binary rewards it repeats the mean, so it is not compared"
        )
    elif len(readings) > 1:
        arithmetic.append(
            "reward_std is within groups or of the whole batch: the "
            "version does not say; the comparison assumes within groups"
        )
    series = [Series("reward_std", *_smooth(found), "line")]
    if size is not None and not batch:
        t, y = _smooth(run.reward)
        series.append(
            Series(
                f"exact, Bernoulli, G = {size}, equal prompts",
                t,
                group.expected_std(np.clip(y, 0, 1), size, ddof=1),
                "dashed",
            )
        )
    return Panel("spread", "Spread of the rewards", "steps since the first row", "standard deviation", tuple(series))
