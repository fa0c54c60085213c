"""The summary: a table row a condition, from results alone."""

from collections.abc import Sequence

import numpy as np

from empirical.sweep.effects import difference, predicted_drop
from empirical.sweep.protocol import fitted_rate, read
from empirical.sweep.store import Result


def _drop(result: Result) -> float:
    """The larger of the two drops of a run."""
    found = read(result.p)
    return max(found.rise_drop, 0.0 if np.isnan(found.late_drop) else found.late_drop)


def fitted_stiffness(results: Sequence[Result]) -> dict[int, float]:
    """K from the lag-0 twin's curve of every warm-up (rule 7 of the protocol)."""
    return {
        r.cell.warm_up: fitted_rate(r.p) * (1.0 - r.cell.momentum) / r.cell.learning_rate
        for r in results
        if r.cell.kind == "twin" and r.cell.arm == "refresh" and r.cell.interval == 1
    }


def refresh_rows(results: Sequence[Result]) -> list[str]:
    """The refresh arm against lag 0: t80 and the largest drop, with intervals over pairs, and the power."""
    sampled = {
        (r.cell.interval, r.cell.warm_up, r.cell.seed): r
        for r in results
        if r.cell.kind == "sampled" and r.cell.arm == "refresh" and r.cell.steps == 300
    }
    twins = [r for r in results if r.cell.kind == "twin" and r.cell.arm == "refresh" and r.cell.steps == 300]
    modes = [r.values["spectrum"]["top"][0] for r in results if r.cell.kind == "stiffness" and not r.cell.beta]
    rows = []
    for interval in sorted({k[0] for k in sampled if k[0] > 1}):
        pairs = [(r, sampled[1, w, s]) for (i, w, s), r in sorted(sampled.items()) if i == interval]
        t = difference(np.array([read(a.p).t80 for a, _ in pairs]), np.array([read(b.p).t80 for _, b in pairs]))
        d = difference(np.array([_drop(a) for a, _ in pairs]), np.array([_drop(b) for _, b in pairs]))
        twin = max(_drop(r) for r in twins if r.cell.interval == interval)
        cell = pairs[0][0].cell
        fast = predicted_drop(cell.learning_rate, cell.momentum, max(modes), interval, 0.3, 0.95, cell.steps)
        slow = predicted_drop(
            cell.learning_rate, cell.momentum, max(fitted_stiffness(results).values()), interval, 0.3, 0.95, cell.steps
        )
        rows.append(
            f"| {interval} | {t.mean:+.1f} [{t.low:+.1f}, {t.high:+.1f}] | {d.mean:.3f} [{d.low:.3f}, {d.high:.3f}] "
            f"| {sum(_drop(a) > 0.01 for a, _ in pairs)} of {t.pairs} | {twin:.3f} "
            f"| {slow:.3f} ({d.power(slow):.2f}) | {fast:.3f} ({d.power(fast):.2f}) |"
        )
    return rows


def twin_rows(results: Sequence[Result]) -> list[str]:
    """Every other arm, by the exact expected update: t80 and the largest drop, a number a warm-up."""
    groups: dict[tuple[str, int, int, int], list[Result]] = {}
    for r in results:
        c = r.cell
        if c.kind == "twin" and not c.beta and c.arm not in ("refresh", "reuse", "two tokens"):
            groups.setdefault((c.arm, c.interval, c.delay, c.size), []).append(r)
    rows = []
    for (arm, interval, delay, size), found in sorted(groups.items()):
        readings = [read(r.p).t80 for r in sorted(found, key=lambda r: r.cell.warm_up)]
        t80 = ", ".join("never" if np.isnan(t) else f"{t:.0f}" for t in readings)
        falls = ", ".join(f"{_drop(r):.3f}" for r in sorted(found, key=lambda r: r.cell.warm_up))
        rows.append(f"| {arm} | {interval} | {delay} | {size} | {t80} | {falls} |")
    return rows


def summary(results: Sequence[Result]) -> list[str]:
    """All rows of the guide."""
    return [*refresh_rows(results), *twin_rows(results)]
