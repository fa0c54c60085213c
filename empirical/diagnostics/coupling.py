"""Coupling: does the held-out reward follow the training reward, or is the reward being gamed?"""

import numpy as np

from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.run import LEVEL, Curve, Run
from empirical.diagnostics.trend import Shift, slope
from empirical.logs.numbers import Floats
from reference.fitters import fit

NAME = "coupling"
QUESTION = "Does the held-out reward follow the training reward?"
NEEDS = ("eval_reward or eval_accuracy",)
FEWEST = 9  # evaluations
WHOLE, TAIL = 0.005, 0.002  # one-sided tests over the whole run, and over its last parts: together below 1%
NOT_FALLING = 0.05  # level at which the training reward would be said to fall
SLACK = 0.1  # of the training reward's range: a fall that is overlooked
WINDOW = 0.45  # of the evaluations' span, Section 5.2
LEFT_BEHIND = 0.25  # of the gain that the early coupling promised


def local_rate(t: Floats, reward: Floats, plateau: float, window: float, at: Floats) -> Floats:
    """Slope of -log(R_inf - R) in a window about each time; nan where R reaches R_inf too often for a slope.

    Source: Section 5.2. Points with R >= R_inf have no logarithm and are left out, which biases the rate near the
    plateau: where more than a third of a window is lost, there is no estimate.
    """
    out = np.full(at.size, np.nan)
    for i, centre in enumerate(at):
        inside = np.abs(t - centre) <= window / 2
        good = inside & (reward < plateau)
        if good.sum() >= 3 and good.sum() * 3 >= 2 * inside.sum():
            x, y = t[good], -np.log(plateau - reward[good])
            spread = float(((x - x.mean()) ** 2).sum())
            if spread > 0:
                out[i] = float(((x - x.mean()) * (y - y.mean())).sum()) / spread
    return out


def at_evaluations(train: Curve, evaluation: Curve) -> Floats:
    """The mean training reward between the middles of the intervals between evaluations."""
    middles = (evaluation.t[1:] + evaluation.t[:-1]) / 2
    bounds = np.searchsorted(train.t, middles)
    pieces = np.split(train.y, bounds)
    out = np.array([piece.mean() if piece.size else np.nan for piece in pieces])
    return (
        np.interp(evaluation.t, evaluation.t[np.isfinite(out)], out[np.isfinite(out)])
        if np.isfinite(out).any()
        else out
    )


def _is(change: Shift, tail: float) -> str:
    word = "rises" if change.above(0, tail) else "falls" if change.below(0, tail) else "no significant change"
    return f"{change.value:+.4g} +- {change.error:.2g} ({word}, one-sided {tail:g})"


def diagnose(run: Run, read_outs: bool = True) -> Diagnosis:
    """Compare straight-line changes of training and evaluation, over the whole run and over its last two thirds.

    Args:
        run: the run.
        read_outs: whether to add the paper's read-outs, which have no say in the verdict and take most of the time.
    """
    column = "eval_reward" if run.log.has("eval_reward") else "eval_accuracy"
    held = run.curve(column)
    if held is None:
        says = "The log has neither eval_reward nor eval_accuracy."
        advice = "Evaluate every so many steps on held-out prompts and log eval_reward."
        return Diagnosis(NAME, QUESTION, NEEDS, Verdict.SKIPPED, "SKIPPED", says, advice=advice)
    if held.size < FEWEST:
        says = f"{held.size} evaluations; {FEWEST} are needed to see a trend."
        word = "too few evaluations"
        return Diagnosis(NAME, QUESTION, NEEDS, Verdict.UNDECIDED, word, says, advice="Evaluate more often.")
    x, y = at_evaluations(run.reward, held), held.y
    n = y.size
    unit = " percentage points" if column == "eval_accuracy" and float(y.max()) > 1 else ""
    found, arithmetic, measures, falls_too = "", [], [], False
    for name, start, tail in (("whole run", 0, WHOLE), ("last two thirds", n // 3, TAIL)):
        train, kept = slope(held.t[start:], x[start:]), slope(held.t[start:], y[start:])
        arithmetic.append(f"{name}: training {_is(train, tail)}; {column} {_is(kept, tail)}")
        for label, change in (
            (f"training reward, change over the {name}", train),
            (f"{column}, change over the {name}", kept),
        ):
            half = change.quantile(0.05)
            measures.append(Measure(label, change.value, change.value - half, change.value + half, LEVEL))
        holds = not train.below(0, NOT_FALLING) and train.value > -SLACK * float(np.ptp(x))
        if kept.below(0, tail) and holds:
            found = (
                found or f"{column} falls over the {name} (by {-kept.value:.3g}{unit}) and the training reward does not"
            )
        falls_too = falls_too or (kept.below(0, tail) and not holds)
    half_way = n // 2
    early = slope(held.t[:half_way], x[:half_way]), slope(held.t[:half_way], y[:half_way])
    train, kept = slope(held.t[half_way:], x[half_way:]), slope(held.t[half_way:], y[half_way:])
    ratio = early[1].value / early[0].value if early[0].above(0, TAIL) and early[1].above(0, TAIL) else float("nan")
    promised = ratio * train.value
    measures.append(Measure("held-out gain per training gain in the first half", ratio))
    stays = train.above(0, TAIL) and promised > 0 and kept.value + kept.quantile(TAIL) < LEFT_BEHIND * promised
    arithmetic.append(
        f"second half: held-out gain at most {kept.value + kept.quantile(TAIL):.3g}; promised by the first half "
        f"{promised:.3g}, of which {LEFT_BEHIND:g} are {'missed' if stays else 'not shown to be missed'}"
    )
    if stays:
        found = found or "the held-out one stays behind what the first half of the run promised"
    panels, more, told = _read_outs(run, held, x) if read_outs else ((), [], [])
    advice = ""
    if found:
        says, word, verdict = f"Train and held-out reward part: {found}.", "decoupled", Verdict.FOUND
        advice = "Stop at the best evaluation; read completions of high reward; tighten the reward (length, format)."
    elif falls_too:
        says = "Training and held-out reward decline together: no sign of hacking; see stability and plateau."
        word, verdict = "both decline", Verdict.CLEAR
    else:
        says = "The held-out reward does not part from the training reward beyond noise."
        word, verdict = "coupled", Verdict.CLEAR
    done = (*measures, *more), (*arithmetic, *told)
    return Diagnosis(NAME, QUESTION, NEEDS, verdict, word, says, *done, advice, panels)


def _read_outs(run: Run, held: Curve, x: Floats) -> tuple[tuple[Panel, ...], list[Measure], list[str]]:
    """The paper's two read-outs, u against u and the rolling rho, and the ratio of fitted rates beside them."""
    if held.size < 12 or not run.fits or float(np.ptp(held.y)) == 0:
        plain = Panel(
            "coupling",
            "Held-out against training reward",
            "training reward",
            "held-out",
            (Series("evaluations", x, held.y, "points"),),
        )
        return (plain,), [], ["no u-u plot: a law needs 12 evaluations with variation"]
    train = fit(run.smooth.t, run.smooth.y, "critically_damped")
    other = fit(held.t, held.y, "critically_damped")
    u = [
        (v - f.parameters["R_0"]) / (f.parameters["R_inf"] - f.parameters["R_0"])
        for v, f in ((x, train), (held.y, other))
    ]
    window = WINDOW * float(np.ptp(held.t))
    over = int((held.y >= other.parameters["R_inf"]).sum()), int((run.smooth.y >= train.parameters["R_inf"]).sum())
    rates = [
        local_rate(c.t, c.y, f.parameters["R_inf"], window, held.t) for c, f in ((run.smooth, train), (held, other))
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = rates[1] / np.abs(rates[0])
    exponential = [fit(c.t, c.y, "single_exponential") for c in (run.smooth, held)]
    told = [
        (
            f"paper's rho: {over[1]} of {run.smooth.size} training and {over[0]} "
            f"of {held.size} held-out points lie above R_inf and have no logarithm"
        )
    ]
    measures = [
        Measure(
            "paper's rho, median over the run", float(np.nanmedian(rho)) if np.isfinite(rho).any() else float("nan")
        )
    ]
    if all(f.identified for f in exponential):
        first, second = (f.interval(LEVEL)["rate"] for f in exponential)
        ratio = exponential[1].parameters["rate"] / exponential[0].parameters["rate"]
        measures.append(
            Measure(
                "ratio of fitted rates, held-out over training",
                ratio,
                second[0] / first[1],
                second[1] / first[0],
                LEVEL**2,
            )
        )
        told.append(
            "ratio of the rates of two exponentials fitted to all "
            "points; the interval combines both ends, so it is wide"
        )
    else:
        told.append("no ratio of fitted rates: " + next(f.reason for f in exponential if not f.identified))
    ends = np.array([0.0, 1.0])
    keep = np.isfinite(rho)
    panels = (
        Panel(
            "coupling",
            "Progress: held-out against training",
            "u, training",
            "u, held-out",
            (Series("run", u[0], u[1], "points"), Series("y = x", ends, ends, "reference")),
        ),
        Panel(
            "rho",
            "Rolling ratio of rates (Section 5.2)",
            "steps since the first row",
            "rho",
            (
                Series("rho", held.t[keep], rho[keep]),
                Series("1", np.array([held.t[0], held.t[-1]]), np.ones(2), "reference"),
            ),
            "symlog",
        ),
    )
    return panels, measures, told
