"""Dynamics: is an oscillation noise, underdamping or instability, and which knob moves it?"""

import math

import numpy as np

from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.run import FEWEST, LEVEL, Run
from reference import lag
from reference.dynamics import classify

NAME = "dynamics"
QUESTION = "Is the wiggle noise, underdamping or instability, and which knob moves it?"
NEEDS = ("reward",)


def diagnose(run: Run) -> Diagnosis:
    """Compare an oscillator of any damping with monotone laws; read gain and margins off the relaxation rate."""
    if run.flat or not run.fits:
        what = "constant" if run.flat else f"{run.smooth.size} points, of which {FEWEST} are needed"
        return Diagnosis(
            NAME, QUESTION, NEEDS, Verdict.UNDECIDED, "not identifiable", f"The reward curve is too poor: {what}."
        )
    found = classify(run.smooth.t, run.smooth.y, level=LEVEL)
    ends = {name: found.intervals.get(name, (math.nan, math.nan)) for name in ("damping_ratio", "frequency", "growth")}
    measures = [
        Measure("damping ratio zeta", found.damping_ratio, *ends["damping_ratio"], LEVEL),
        Measure("frequency", found.frequency, *ends["frequency"], LEVEL, "rad/step"),
        Measure("growth of the envelope (minus the stability margin)", found.growth, *ends["growth"], LEVEL, "1/step"),
        Measure("AICc by which swinging beats the best monotone curve", found.evidence),
    ]
    arithmetic = [found.reason]
    margins, told = _margins(run)
    measures += margins
    arithmetic += told
    best = run.best
    assert best is not None
    residual = np.asarray(best.residuals)
    grid = np.linspace(0, float(run.smooth.t[-1]), 300)
    curves = [Series("reward", run.smooth.t, run.smooth.y, "points"), Series(best.law, grid, best.predict(grid))]
    if found.law is not None:
        curves.append(Series("second order", grid, found.law.predict(grid), "dashed"))
    axes = ("steps since the first row", "mean reward")
    panel = Panel("dynamics", "Reward, the best monotone law and the oscillator", *axes, tuple(curves))
    left = Panel(
        "residual",
        "Reward minus the best monotone law",
        "steps since the first row",
        "difference",
        (Series("residual", run.smooth.t, residual, "points"),),
    )
    zeta, (low, high) = found.damping_ratio, ends["damping_ratio"]
    says = {
        "noise": "No oscillation beyond noise: the reward follows a monotone curve.",
        "underdamped": f"The reward rings and settles: damping ratio {zeta:.2f} ({low:.2f} to {high:.2f}).",
        "unstable": f"The oscillation grows: damping ratio {zeta:.2f} ({low:.2f} to {high:.2f}). This run is unstable.",
        "not identifiable": f"The data do not decide: {found.reason}.",
    }[found.call]
    verdict = {"noise": Verdict.CLEAR, "not identifiable": Verdict.UNDECIDED}.get(found.call, Verdict.FOUND)
    advice = {
        "underdamped": "Lower the learning rate or refresh the samples more often; ringing alone does no harm.",
        "unstable": (
            "Lower the learning rate first, then the refresh interval, "
            "then momentum; go back to a checkpoint before the growth."
        ),
    }.get(found.call, "")
    return Diagnosis(
        NAME, QUESTION, NEEDS, verdict, found.call, says, tuple(measures), tuple(arithmetic), advice, (panel, left)
    )


def _margins(run: Run) -> tuple[list[Measure], list[str]]:
    """How far learning rate and interval are from the exact frontiers, where the relaxation rate is identified."""
    exponential = run.fits["single_exponential"]
    interval, how = run.refresh_interval
    mu = run.momentum
    if not exponential.identified:
        return [], [f"refresh interval {interval} ({how}); no margin: {exponential.reason}"]
    rate = exponential.parameters["rate"]
    gain = rate * (1 - mu)
    critical = float(np.asarray(lag.critical_gain(mu, interval, "periodic")))
    onset = float(np.asarray(lag.onset_gain(mu, interval, "periodic")))
    safe = interval
    while safe < 4096 and float(np.asarray(lag.critical_gain(mu, 2 * safe, "periodic"))) > gain:
        safe *= 2
    told = [
        "under AdamW the gain also scales with the gradient's running size: read the factors as orders of magnitude",
        f"refresh interval {interval} ({how}), momentum {mu:g}, relaxation rate {rate:.3g} per step",
        (
            f"gain eta K = rate (1 - mu) = {gain:.3g}; this is read off "
            "the reward curve, so it bounds only the reward's own mode"
        ),
        f"exact frontiers of the map with periodic refresh: rings from {onset:.3g}, unstable from {critical:.3g}",
        (
            "what raising a knob does: the learning rate may grow by the "
            "factors below; momentum mu scales the gain needed as 1 - mu"
        ),
    ]
    return [
        Measure("learning rate may grow before ringing, factor", onset / gain if gain > 0 else math.inf),
        Measure("learning rate may grow before instability, factor", critical / gain if gain > 0 else math.inf),
        Measure("refresh interval that is still stable, at least", float(safe), unit="step"),
    ], told
