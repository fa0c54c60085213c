"""Plateau: where the reward will end, and when."""

import math

import numpy as np

from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.run import FEWEST, LEVEL, Run
from empirical.diagnostics.trend import shift
from empirical.diagnostics.words import estimate
from empirical.logs.numbers import Floats
from reference.fitters import Fit
from reference.forecast import forecast

NAME = "plateau"
QUESTION = "Where will the reward plateau, and when?"
NEEDS = ("reward",)
TAIL = 0.002  # of the test for a fall
SHARE = 0.95  # of the rise, at which the plateau counts as reached
CLOSE = 4.0  # difference of AICc up to which a law still has a say in the forecast


def reached(fit: Fit, share: float = SHARE) -> float:
    """Steps until a share of the way from the start to the plateau is made; infinite beyond 50 times the record."""
    end, start = fit.parameters["R_inf"], float(fit.predict(np.array([0.0]))[0])
    t = np.concatenate([[0.0], np.geomspace(fit.t[-1] / 1e3, 50 * fit.t[-1], 4000)])
    done = (fit.predict(t) - start) / (end - start) if end != start else np.ones_like(t)
    first = np.flatnonzero(done >= share)
    return float(t[first[0]]) if first.size else math.inf


def diagnose(run: Run) -> Diagnosis:
    """Fit the laws and read plateau and time off those that the data do not tell apart."""
    points = Series("reward", run.smooth.t, run.smooth.y, "points")
    axes = ("steps since the first row", "mean reward")

    def answer(
        verdict: Verdict,
        word: str,
        says: str,
        measures: tuple[Measure, ...] = (),
        arithmetic: tuple[str, ...] = (),
        advice: str = "",
        more: tuple[Series, ...] = (),
        lines: tuple[tuple[float, str], ...] = (),
    ) -> Diagnosis:
        panel = Panel("reward", "Reward and the laws", *axes, (points, *more), lines=lines)
        return Diagnosis(NAME, QUESTION, NEEDS, verdict, word, says, measures, arithmetic, advice, (panel,))

    if run.flat:
        return answer(
            Verdict.UNDECIDED,
            "constant",
            f"Every reward is {run.reward.y[0]:g}: there is no curve to fit.",
            advice="Check the reward function on a few completions by hand; a constant reward gives no gradient.",
        )
    if not run.fits or run.best is None:
        return answer(
            Verdict.UNDECIDED,
            "too short",
            f"{run.smooth.size} points are too few to fit a law; {FEWEST} are needed.",
            advice="Log more often, or wait.",
        )
    best = run.best
    close = [f for f in run.fits.values() if f.aicc - best.aicc < CLOSE]
    yard = best.yardsticks
    ahead = forecast(run.smooth.t, run.smooth.y, level=LEVEL)
    end, (low, high) = ahead.plateau, ahead.plateau_interval
    last = float(best.t[-1])
    made = float(best.predict(np.array([last]))[0])
    t95 = ahead.t_95
    measures = (
        Measure("plateau R_inf", end, low, high, LEVEL, "reward"),
        Measure("steps to 95% of the rise", t95, *ahead.t_95_interval, LEVEL, "step"),
        Measure("fitted reward at the end", made, unit="reward"),
        Measure("R^2 of the law", best.r2),
        Measure("R^2 of a straight line", yard["line"]),
        Measure("R^2 of a spline", yard["spline"]),
        Measure("order of the noise's autoregression", float(best.noise.order)),
    )
    arithmetic = (
        *(
            f"{law}: AICc {f.aicc:.1f}, R_inf {f.parameters['R_inf']:.4g}, R^2 {f.r2:.3f}"
            for law, f in run.fits.items()
        ),
        f"smallest AICc: {best.law}; within {CLOSE:g} of it: {', '.join(f.law for f in close)}",
        f"forecast over all laws, weighted by AICc: R_inf {low:.4g} to {high:.4g} at {LEVEL:.0%}; "
        + (ahead.reason or "identified"),
        f"R^2 proves little on a smooth curve: a straight line has {yard['line']:.3f}, a spline {yard['spline']:.3f}",
    )
    grid: Floats = np.linspace(0, 1.25 * last, 200)
    more = tuple(Series(law, grid, f.predict(grid), "line" if f is best else "dashed") for law, f in run.fits.items())
    why = best.reason if best.reason.startswith("no rise") else ahead.reason
    open_end = not (math.isfinite(low) and math.isfinite(high)) or high - low > 2 * float(np.ptp(run.smooth.y))
    if why.startswith("no rise"):
        return answer(
            Verdict.UNDECIDED,
            "no change",
            "The reward does not change beyond its noise; no plateau can be forecast.",
            measures[3:],
            arithmetic,
            "Nothing is learned yet: see advantage degeneracy, and the learning rate.",
            more,
        )
    if open_end:
        return answer(
            Verdict.UNDECIDED,
            "not identifiable",
            f"The plateau cannot be told from this prefix: {why or 'the interval is too wide'}.",
            measures,
            arithmetic,
            "Train on; the plateau shows once the curve bends.",
            more,
        )
    told = estimate(end, low, high, LEVEL)
    begin = f"from {float(best.predict(np.array([0.0]))[0]):.2g} at the start"
    first, final = run.steps
    length = f"step {final}" + (f" ({run.reward.size} rows)" if run.reward.size != final - first + 1 else "")
    fall = shift(run.smooth.part(0, 0.1), run.smooth.part(0.8, 1))
    if end < float(best.predict(np.array([0.0]))[0]) and fall.below(0, TAIL):
        word, says = "falls", f"The reward falls, towards {told}."
        advice = "Go back to the best checkpoint; see stability and concentration for the reason."
        return answer(Verdict.FOUND, word, says, measures, arithmetic, advice, more)
    if t95 <= last:
        word = "reached"
        says = (
            f"The plateau is {told}, {begin}; 95% of it was made by step {first + t95:.0f}, the log ends at {length}."
        )
    else:
        word, says = (
            "ahead",
            f"The reward is heading for {told}; 95% of it at about step {first + t95:.0f}, the log ends at {length}.",
        )
    marks = ((t95, "95%"),) if t95 <= 1.25 * last else ()
    advice = (
        "More steps at these settings bring little." if word == "reached" else "Worth training on if that is enough."
    )
    return answer(Verdict.CLEAR, word, says, measures, arithmetic, advice, more, marks)
