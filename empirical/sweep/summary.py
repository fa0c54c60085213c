"""The summary: a table row a condition, from results alone."""

from collections.abc import Sequence

import numpy as np

from empirical.sweep.comparison import compare, largest_drop
from empirical.sweep.design import WARM_UPS
from empirical.sweep.effects import difference, later, predicted_drop, shown
from empirical.sweep.groups import speeds
from empirical.sweep.modes import ON_THE_RISE, crossings, modes
from empirical.sweep.protocol import read
from empirical.sweep.store import Result

LEFT_OUT = ("refresh", "reuse", "two tokens")  # of the twins' table


def _drop(result: Result) -> float:
    """The larger of the two drops of a run, which settles at no interior plateau."""
    return largest_drop(read(result.p))


def refresh_rows(results: Sequence[Result]) -> list[str]:
    """The refresh arm against lag 0: t80 and the largest drop, with intervals over pairs, and the power."""
    sampled = {
        (r.cell.interval, r.cell.warm_up, r.cell.seed): r
        for r in results
        if r.cell.kind == "sampled" and r.cell.arm == "refresh" and r.cell.steps == 300
    }
    twins = [r for r in results if r.cell.kind == "twin" and r.cell.arm == "refresh" and r.cell.steps == 300]
    found = modes(results)
    if found is None:
        return []
    rows = []
    for interval in sorted({k[0] for k in sampled if k[0] > 1}):
        pairs = [(r, sampled[1, w, s]) for (i, w, s), r in sorted(sampled.items()) if i == interval]
        t = difference(np.array([read(a.p).t80 for a, _ in pairs]), np.array([read(b.p).t80 for _, b in pairs]))
        d = difference(np.array([_drop(a) for a, _ in pairs]), np.array([_drop(b) for _, b in pairs]))
        twin = max(_drop(r) for r in twins if r.cell.interval == interval)
        cell = pairs[0][0].cell
        fast = predicted_drop(cell.learning_rate, cell.momentum, found.least, interval, 0.3, 0.95, cell.steps)
        slow = predicted_drop(cell.learning_rate, cell.momentum, min(found.fitted), interval, 0.3, 0.95, cell.steps)
        rows.append(
            f"| {interval} | {shown(t, 1)} | {shown(d)} "
            f"| {sum(_drop(a) > 0.01 for a, _ in pairs)} of {t.pairs} | {twin:.3f} "
            f"| {slow:.3f} ({d.power(slow):.2f}) | {fast:.3f} ({d.power(fast):.2f}) |"
        )
    return rows


def twin_rows(results: Sequence[Result]) -> list[str]:
    """Every other arm, by the exact expected update: t80 and the largest drop, a number a warm-up."""
    groups: dict[tuple[str, int, int, int], list[Result]] = {}
    for r in results:
        c = r.cell
        if c.kind == "twin" and c.warm_up in WARM_UPS and not c.beta and c.arm not in LEFT_OUT:
            groups.setdefault((c.arm, c.interval, c.delay, c.size), []).append(r)
    rows = []
    for (arm, interval, delay, size), found in sorted(groups.items()):
        readings = [read(r.p).t80 for r in sorted(found, key=lambda r: r.cell.warm_up)]
        t80 = ", ".join("never" if np.isnan(t) else f"{t:.0f}" for t in readings)
        falls = ", ".join(f"{_drop(r):.3f}" for r in sorted(found, key=lambda r: r.cell.warm_up))
        rows.append(f"| {arm} | {interval} | {delay} | {size} | {t80} | {falls} |")
    return rows


def advice(results: Sequence[Result]) -> list[str]:
    """The sentences with numbers that the guide gives to a practitioner; those whose runs are there."""
    from reference.lag import critical_gain

    found = {(c.cell.arm, c.cell.interval, c.cell.delay, c.cell.size): c for c in compare(results)}
    stiff, out = modes(results), []
    long, late = found.get(("refresh", 64, 0, 8)), found.get(("delay", 1, 16, 8))
    if long is not None and long.t80 is not None:
        out.append(
            f"At K_ref = 64 p = 0.8 came {later(long.t80)} than on-policy, and {long.fell} of "
            f"{long.drop.pairs} runs fell by more than 0.01."
        )
    quick, adam = found.get(("fast", 64, 0, 8)), found.get(("adamw", 64, 0, 8))
    if quick is not None and adam is not None:
        out.append(
            f"At a larger learning rate it is fatal: at K_ref = 64 {quick.fell} of {quick.drop.pairs} runs of SGD at "
            f"{quick.cell.learning_rate:g} fell, by {shown(quick.drop, 2)} more than on-policy, and "
            f"{adam.fell} of {adam.drop.pairs} of AdamW at {adam.cell.learning_rate:g}, by {shown(adam.drop, 2)}; "
            f"their noise-free twins did not fall ({max(quick.twin, adam.twin):.3f})."
        )
    if late is not None:
        out.append(
            f"With gradients 16 steps late {late.fell} of {late.drop.pairs} runs fell, by {shown(late.drop, 2)} more "
            f"than without."
        )
    if stiff is not None:
        top = max(max(row) for row in stiff.rise)
        rate = float(critical_gain(0.9, 16, "constant")) / top
        step, rise = stiff.factor(ON_THE_RISE[0]), stiff.factor(ON_THE_RISE[1])
        out.append(
            f"The stiffest mode had a K of up to {top:.0f} on the rise: at a delay of 16 its limit is a learning "
            f"rate of {rate:.1e}."
        )
        out.append(
            f"It was {step[0]:.0f} [{step[1]:.0f}, {step[2]:.0f}] times as stiff as the reward curve says at the "
            f"start, {rise[0]:.0f} [{rise[1]:.0f}, {rise[2]:.0f}] times in the middle of the rise."
        )
    out += [
        f"At a delay of {c.lag} that mode begins to grow at {c.factor.mean:.2f} [{c.factor.low:.2f}, "
        f"{c.factor.high:.2f}] times the exact limit ({c.factor.pairs} networks); Eq. 11 says at {c.printed:.2f}."
        for c in crossings(results)
    ]
    for arm, name in (
        ("no ratio", "Without the importance ratio"),
        ("clip", "With a clip of 0.2"),
        ("two-sided clip", "With a clip of 0.2 and `delta` 2 (two-sided)"),
    ):
        c = found.get((arm, 64, 0, 8))
        if c is not None and c.drop.pairs > 2:
            when = f"p = 0.8 came {later(c.t80)}" if c.t80 is not None else "some runs never reached 0.8"
            out.append(
                f"{name}, at K_ref = 64: {when}, {c.fell} of {c.drop.pairs} runs fell by more than 0.01, "
                f"{shown(c.drop)} more than on-policy."
            )
    out += [
        f"G = {s.size} takes {s.ratio.mean:.2f} [{s.ratio.low:.2f}, {s.ratio.high:.2f}] times the steps of G = 8 "
        f"({s.ratio.pairs} networks); the exact drift allows {s.low:.2f} to {s.high:.2f}."
        for s in speeds(results)
    ]
    return out
