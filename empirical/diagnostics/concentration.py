"""Concentration: does the policy lose its breadth before the reward has saturated?"""

import numpy as np

from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.plateau import reached
from empirical.diagnostics.run import Run
from empirical.diagnostics.trend import mean_error, shift

NAME = "concentration"
QUESTION = "Does the policy lose its breadth before the reward has saturated?"
NEEDS = ("entropy",)
FEWEST = 20
HALF = 0.5  # of the starting entropy
EXPLODED = 2.0
TAIL = 0.002


def diagnose(run: Run) -> Diagnosis:
    """Find when the entropy falls below half of its start, and compare with the time to 95% of the reward's rise."""
    entropy = run.curve("entropy")
    if entropy is None:
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.SKIPPED,
            "SKIPPED",
            "The log has no entropy.",
            advice="Log the token entropy (TRL from 0.20 does; verl: actor/entropy).",
        )
    if entropy.size < FEWEST:
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.UNDECIDED,
            "too short",
            f"{entropy.size} values of the entropy; {FEWEST} are needed.",
        )
    thin = entropy.thinned(80)
    first = entropy.y[: max(5, entropy.size // 20)]
    start = float(first.mean())
    end, _ = mean_error(entropy.part(0.9, 1))
    below = shift(HALF * first, entropy.part(0.9, 1), moving=True).below(0, TAIL)
    above = shift(EXPLODED * first, entropy.part(0.9, 1), moving=True).above(0, TAIL)
    low = np.flatnonzero(thin.y < HALF * start)
    when = float(thin.t[low[0]]) if low.size and below else float("nan")
    best = run.best if below else None  # the fits cost seconds
    known = best is not None and best.identified
    saturated = reached(best) if known and best is not None else float("nan")
    kl = run.curve("kl")
    measures = [
        Measure("entropy, first twentieth", start, unit="nat"),
        Measure("entropy, last tenth", end, unit="nat"),
        Measure("step at which the entropy falls below half of its start", when, unit="step"),
        Measure("step at which 95% of the reward's rise is made", saturated, unit="step"),
    ]
    arithmetic = [
        (
            f"last tenth over first twentieth: {end / start if start else float('nan'):.3g}; below {HALF:g}: "
            f"{'yes' if below else 'no'}, above {EXPLODED:g}: {'yes' if above else 'no'} (one-sided {TAIL:g})"
        )
    ]
    marks = tuple(
        (t, w) for t, w in ((when, "entropy halved"), (saturated, "reward 95%")) if np.isfinite(t) and t <= thin.t[-1]
    )
    panels = [
        Panel(
            "concentration",
            "Token entropy",
            "steps since the first row",
            "nat",
            (Series("entropy", thin.t, thin.y),),
            lines=marks,
        )
    ]
    if kl is not None:
        few = kl.thinned(100)
        rise = shift(kl.part(0, 0.2), kl.part(0.8, 1))
        measures.append(Measure("KL, last minus first fifth", rise.value, unit="nat"))
        panels.append(
            Panel(
                "kl", "Divergence from the reference", "steps since the first row", "nat", (Series("kl", few.t, few.y),)
            )
        )
    done = tuple(panels)
    if above:
        says = (
            f"The entropy has grown from {start:.3g} to {end:.3g} nat: "
            "the policy is falling apart rather than concentrating."
        )
        advice = (
            "Go back to a checkpoint before the growth; lower the learning "
            "rate; look for truncated completions and for a bad KL term."
        )
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.FOUND,
            "entropy explodes",
            says,
            tuple(measures),
            tuple(arithmetic),
            advice,
            done,
        )
    if not below:
        grown = ": it has grown, but not more than its swings" if end > EXPLODED * start else ""
        says = f"The entropy has not halved (from {start:.3g} to {end:.3g} nat){grown}."
        return Diagnosis(
            NAME, QUESTION, NEEDS, Verdict.CLEAR, "breadth kept", says, tuple(measures), tuple(arithmetic), "", done
        )
    if not known:
        why = "no law of the reward is identified" if best is None else best.reason
        says = f"The entropy halves at step {when:.0f}; whether the reward was saturated by then cannot be told: {why}."
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.UNDECIDED,
            "entropy halved",
            says,
            tuple(measures),
            tuple(arithmetic),
            "",
            done,
        )
    arithmetic.append(f"entropy halved at step {when:.0f}, 95% of the reward's rise at step {saturated:.0f}")
    if when < saturated:
        says = (
            f"The entropy halves at step {when:.0f}, before the reward "
            f"saturates (95% at step {saturated:.0f}): early concentration."
        )
        advice = "Raise the temperature or the clip's upper bound, add an entropy bonus or KL, lower the learning rate."
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.FOUND,
            "before saturation",
            says,
            tuple(measures),
            tuple(arithmetic),
            advice,
            done,
        )
    says = (
        f"The entropy halves at step {when:.0f}, after the reward "
        f"saturated (step {saturated:.0f}): comparatively harmless."
    )
    return Diagnosis(
        NAME, QUESTION, NEEDS, Verdict.CLEAR, "after saturation", says, tuple(measures), tuple(arithmetic), "", done
    )
