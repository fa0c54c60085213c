"""Stability: does the gradient norm grow without end, or the reward collapse?"""

import math

import numpy as np

from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.run import LEVEL, Curve, Run
from empirical.diagnostics.trend import shift

NAME = "stability"
QUESTION = "Do the dynamics run away, or does the reward collapse?"
NEEDS = ("grad_norm (or reward alone, for a collapse)",)
FEWEST = 25
TAIL = 0.001
GROWTH = 3.0  # of the gradient norm from the middle to the last fifth
FALL = 0.25  # of the reward's range, from its best tenth to the last fifth
PIECES = 10
FALSE_FALL = 0.004  # false alarms of the fall, shared by the pieces
SPIKE = 10.0  # times the median


def diagnose(run: Run) -> Diagnosis:
    """Test the growth of the gradient norm and the fall of the reward; name the ratio for what it is."""
    notes = _ratios(run)
    gradient = run.curve("grad_norm")
    measures: list[Measure] = []
    arithmetic: list[str] = []
    panels: list[Panel] = []
    grows = falls = False
    if run.reward.size >= FEWEST and not run.flat:
        pieces = [run.reward.part(k / PIECES, (k + 1) / PIECES) for k in range(PIECES)]
        last = run.reward.part(0.8, 1)
        best = int(np.argmax([p.mean() for p in pieces[: 4 * PIECES // 5]]))
        change = shift(pieces[best], last)
        wide = float(np.ptp(run.reward.thinned(40).y))
        tail = FALSE_FALL / PIECES  # the best of many pieces was chosen
        falls = change.below(-FALL * wide, tail)
        measures.append(
            Measure(
                "reward, last fifth minus best tenth",
                change.value,
                change.value - change.quantile(0.05),
                change.value + change.quantile(0.05),
                LEVEL,
                "reward",
            )
        )
        arithmetic.append(
            f"reward: {change.value:+.3g} +- {change.error:.2g} from tenth {best + 1} to the last "
            f"fifth; {'below' if falls else 'not below'} -{FALL:g} x range {wide:.3g} at {tail:g}"
        )
    if gradient is not None:
        alive = gradient.y > 0
        t, size = gradient.t[alive], gradient.y[alive]
        zero = 1 - float(alive.mean())
        if zero:
            arithmetic.append(f"{zero:.0%} of the steps have grad_norm 0: no group had spread; they are left out")
        if size.size >= FEWEST:
            log = np.log(size)
            n = log.size
            change = shift(log[int(0.4 * n) : int(0.8 * n)], log[int(0.8 * n) :])
            grows = change.above(math.log(GROWTH), TAIL)
            spikes = np.flatnonzero(size > SPIKE * np.median(size))
            measures.append(
                Measure(
                    "gradient norm, last fifth over the two before, factor",
                    math.exp(change.value),
                    math.exp(change.value - change.quantile(0.05)),
                    math.exp(change.value + change.quantile(0.05)),
                    LEVEL,
                )
            )
            measures.append(Measure(f"spikes above {SPIKE:g} medians", float(spikes.size)))
            arithmetic.append(
                f"log of the norm: {change.value:+.3g} +- {change.error:.2g}; "
                f"{'above' if grows else 'not above'} log {GROWTH:g} at {TAIL:g}"
            )
            if spikes.size and not grows:
                arithmetic.append("the spikes do not last: a lone one can recover and is no alarm")
            few = Curve(t, size).thinned(1000)
            panels.append(
                Panel(
                    "stability",
                    "Gradient norm",
                    "steps since the first row",
                    "norm",
                    (Series("grad_norm", few.t, few.y),),
                    "log",
                )
            )
    panels += _ratio_panels(run)
    arithmetic += notes
    if gradient is None and not falls:
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.SKIPPED,
            "SKIPPED",
            "The log has no grad_norm; the reward alone shows no collapse.",
            tuple(measures),
            tuple(arithmetic),
            "Log grad_norm (before clipping).",
            tuple(panels),
        )
    if not measures:
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.UNDECIDED,
            "too short",
            f"Fewer than {FEWEST} usable rows.",
            (),
            tuple(arithmetic),
            "",
            tuple(panels),
        )
    if grows or falls:
        words = ["gradient norm grows"] * grows + ["reward collapses"] * falls
        says = f"{' and '.join(words).capitalize()}: this run is running away from its best state."
        return Diagnosis(
            NAME,
            QUESTION,
            NEEDS,
            Verdict.FOUND,
            ", ".join(words),
            says,
            tuple(measures),
            tuple(arithmetic),
            (
                "Go back to the best checkpoint; lower the learning rate, "
                "then the refresh interval; clip the ratio on both sides."
            ),
            tuple(panels),
        )
    return Diagnosis(
        NAME,
        QUESTION,
        NEEDS,
        Verdict.CLEAR,
        "bounded",
        "The gradient norm stays bounded and the reward does not collapse.",
        tuple(measures),
        tuple(arithmetic),
        "",
        tuple(panels),
    )


def _ratios(run: Run) -> list[str]:
    out = []
    if run.log.has("mismatch_ratio_max"):
        top = float(run.log.table["mismatch_ratio_max"].max())
        said = (
            f"sampling/importance_sampling_ratio/max (up to {top:.3g}) is the mismatch "
            "between trainer and inference engine at equal weights, after a cap"
        )
        out.append(f"{said}: it does not show policy lag and is no evidence for or against stability")
    lagged = [c for c in ("ratio_mean", "ratio_max", "policy_kl", "clip_ratio") if run.log.has(c)]
    if lagged:
        out.append(f"lag of the samples: {', '.join(f'{c} up to {float(run.log.table[c].max()):.3g}' for c in lagged)}")
    else:
        out.append("the true ratio pi_theta/pi_old is not in the log; with one optimizer step a generation it is 1")
    return out


def _ratio_panels(run: Run) -> list[Panel]:
    out = []
    for column, title in (
        ("ratio_mean", "Importance ratio"),
        ("policy_kl", "Divergence from the sampling policy"),
        ("mismatch_ratio_max", "Engine mismatch (not policy lag)"),
    ):
        curve = run.curve(column)
        if curve is not None:
            out.append(
                Panel(
                    column,
                    title,
                    "steps since the first row",
                    column,
                    (Series(column, *(lambda c: (c.t, c.y))(curve.thinned(200))),),
                )
            )
    return out
