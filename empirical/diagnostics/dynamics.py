"""Dynamics: is an oscillation noise, underdamping or instability, and which knob moves it?"""

import math
from collections.abc import Sequence

import numpy as np

from empirical.diagnostics import whatif
from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.run import FEWEST, LEVEL, Run
from reference.dynamics import Dynamics, classify

NAME = "dynamics"
QUESTION = "Is the wiggle noise, underdamping or instability, and which knob moves it?"
NEEDS = ("reward",)
ZETA, FREQUENCY = "damping ratio zeta", "frequency"
GROWTH = "growth of the envelope (minus the stability margin)"
RATE, GAIN = "relaxation rate", "gain eta K of the reward's mode"
RINGS, UNSTABLE = "learning rate may grow before ringing, factor", "learning rate may grow before instability, factor"
LONGEST = "longest stable refresh interval"


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
        Measure(ZETA, found.damping_ratio, *ends["damping_ratio"], LEVEL),
        Measure(FREQUENCY, found.frequency, *ends["frequency"], LEVEL, "rad/step"),
        Measure(GROWTH, found.growth, *ends["growth"], LEVEL, "1/step"),
        Measure("AICc by which swinging beats the best monotone curve", found.evidence),
    ]
    arithmetic = [found.reason]
    gain, margins, told = _margins(run, found)
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
        "noise": "No oscillation beyond noise.",
        "underdamped": f"The reward rings and settles: damping ratio {zeta:.2f} ({low:.2f} to {high:.2f}).",
        "unstable": f"The oscillation grows: damping ratio {zeta:.2f} ({low:.2f} to {high:.2f}). This run is unstable.",
        "not identifiable": f"The data do not decide: {found.reason}.",
    }[found.call] + (_headroom(gain, found.call) if _rises(run) else "")
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


def _margins(run: Run, found: Dynamics) -> tuple[whatif.Gain | None, list[Measure], list[str]]:
    """Gain, distances to the exact frontiers, and what raising a knob would do, each with the fit's interval."""
    told = [f"{k.name} {k.value:g}: {k.how}".replace(" nan:", ":") for k in run.knobs.values()]
    mu, (interval, _) = run.knobs["momentum"].value, run.refresh_interval
    measures: list[Measure] = []
    if found.call in ("underdamped", "unstable"):
        ends = found.intervals["frequency"], found.intervals["growth"]
        gain = whatif.of_swing(found.frequency, found.growth, ends, mu, interval)
        why, source = f"the swing is too fast for a refresh interval of {interval}", "period and growth of the swing"
    else:
        law = run.fits["single_exponential"]
        if not law.identified:
            return None, [], [*told, f"no gain and no margin: {law.reason}"]
        rate, (slow, fast) = law.parameters["rate"], law.interval(LEVEL)["rate"]
        measures.append(Measure(RATE, rate, slow, fast, LEVEL, "1/step"))
        gain = whatif.of_rate(rate, slow, fast, mu, interval)
        why = (
            f"the reward settles faster than a mode without a swing can at momentum {mu:g} and refresh interval "
            f"{interval}, so it is close to ringing or beyond"
        )
        source = "relaxation rate"
    if gain is None:
        return None, measures, [*told, f"no gain and no margin: {why}; is one of the two another?"]
    measures.append(Measure(GAIN, gain.value, gain.low, gain.high, LEVEL))
    onset, critical = whatif.onset(mu, interval), whatif.critical(mu, interval)
    for name, frontier in ((RINGS, whatif.onset), (UNSTABLE, whatif.critical)):
        measures.append(_measure(name, whatif.headroom(gain, frontier)))
    longest = [float(whatif.longest(g, mu)) for g in (gain.value, gain.high, gain.low)]
    measures.append(_measure(LONGEST, longest, "step"))
    optimizer = str(run.log.settings.get("optimizer", "")).lower()
    told += [
        f"gain eta K = {gain.value:.3g} ({gain.low:.3g} to {gain.high:.3g}), from the {source} by the map's equation",
        f"exact frontiers with periodic refresh: rings from {onset:.3g}, unstable from {critical:.3g}",
    ]
    for adam in {"sgd": (False,), "adamw": (True,)}.get(optimizer, (True, False)):
        top = [whatif.largest_momentum(g, mu, interval, adam) for g in (gain.value, gain.high, gain.low)]
        kind = "AdamW (gain proportional to 1 - beta_1)" if adam else "heavy ball (gain independent of momentum)"
        measures.append(_measure(f"largest stable momentum, {'AdamW' if adam else 'heavy ball'}", top))
        told += [f"what if, {kind}; {words}" for words in whatif.told(gain, adam)]
    told.append(
        "the gain is that of the mode which the reward shows; stiffer ones are nearer to the frontiers, while the "
        "importance ratio keeps most of the force fresh and moves them away: factors are orders of magnitude"
    )
    if found.call in ("underdamped", "unstable"):
        told += _agreement(found, gain)
    return gain, measures, told


def _measure(name: str, three: Sequence[float], unit: str = "") -> Measure:
    """A measure from its value and the two ends of its interval."""
    value, low, high = three
    return Measure(name, value, low, high, LEVEL, unit)


def _agreement(found: Dynamics, gain: whatif.Gain) -> list[str]:
    """Whether the envelope shrinks as momentum and refresh interval say it must at the gain that the period gives."""
    expected = whatif.growth(gain)
    low, high = found.intervals["growth"]
    text = f"at this gain the map's swing has growth {expected:.3g} a step, the reward's {low:.3g} to {high:.3g}"
    if low > expected:
        why = "it lasts longer than momentum and refresh interval explain; the samples are staler, or mu is larger"
    elif high < expected:
        why = "it dies sooner than they explain; momentum is smaller than taken, or the swing is not linear"
    else:
        why = "they agree"
    return [f"{text}: {why}"]


def _rises(run: Run) -> bool:
    """Whether the reward is on its way up: a falling one has no business with a larger learning rate."""
    law = run.fits["single_exponential"].parameters
    return law["R_inf"] > law["R_0"]


def _headroom(gain: whatif.Gain | None, call: str) -> str:
    """The margin in words, by its cautious end."""
    if gain is None or call not in ("noise", "underdamped"):
        return ""
    rings, unstable = whatif.headroom(gain, whatif.onset)[1], whatif.headroom(gain, whatif.critical)[1]
    if call == "underdamped":
        return f" The learning rate could grow {_times(unstable)} before it becomes unstable." if unstable > 1 else ""
    if rings < 1.2:
        return " A larger learning rate could make it ring."
    return f" The learning rate could grow {_times(rings)} before it rings, by the linear map."


def _times(factor: float) -> str:
    """A factor in words; beyond ten only its size is believed."""
    if factor >= 100:
        return "more than a hundredfold"
    if factor >= 10:
        return f"some {round(factor, -1):.0f} times"
    return f"{factor:.2g} times"
