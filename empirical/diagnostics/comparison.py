"""Comparison: several runs as a function of the knob in which they differ."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from empirical.diagnostics import dynamics
from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series
from empirical.diagnostics.knobs import NAMES, Knob
from empirical.diagnostics.run import LEVEL, Run

SHOWN = (dynamics.ZETA, dynamics.FREQUENCY, dynamics.GROWTH, dynamics.RATE, dynamics.UNSTABLE)
LINEAR = ("momentum",)  # the other knobs are compared by their logarithm
FACTORS = (dynamics.RATE, dynamics.UNSTABLE)  # so are these quantities: their slope is one of the logarithm
_UNITS = {"learning_rate": "learning rate", "refresh": "refresh interval", "group_size": "group size"}
_PLAIN = {
    dynamics.GROWTH: "growth of the swing per step",
    dynamics.UNSTABLE: "factor by which the learning rate may grow before instability",
}


@dataclass(frozen=True)
class Effect:
    """The change of one quantity with the knob.

    Attributes:
        quantity: its name among the measures of dynamics.
        slope: per doubling of the knob (per unit of momentum), by weighted least squares; of the natural logarithm
            for quantities among `FACTORS`.
        low, high: its interval at `level`.
        runs: that have the quantity with a finite interval.
        level: of the interval.
    """

    quantity: str
    slope: float
    low: float
    high: float
    runs: int
    level: float = LEVEL

    @property
    def sure(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Comparison:
    """Runs side by side.

    Attributes:
        knob: in which they differ, "" where none or several do.
        says: one sentence.
        names: of the runs, in the order of the knob.
        values: of the knobs, by name and run; nan where unknown.
        measures: by quantity and run.
        effects: of the knob.
        panels: each quantity over the knob.
    """

    knob: str
    says: str
    names: tuple[str, ...]
    values: dict[str, tuple[float, ...]]
    measures: dict[str, tuple[Measure, ...]]
    effects: tuple[Effect, ...] = ()
    panels: tuple[Panel, ...] = field(default=(), repr=False)


def effect(quantity: str, x: Sequence[float], measures: Sequence[Measure]) -> Effect | None:
    """Weighted least squares of a quantity on x, the standard errors taken from the intervals' widths.

    Scatter beyond the intervals (seeds differ too) widens the error by Birge's ratio. None with fewer than two runs
    that have a finite interval, or with one value of x.

    Source: Birge 1932.
    """
    from scipy.special import ndtri, stdtrit

    rows = np.array([(at, m.value, m.low, m.high) for at, m in zip(x, measures, strict=True)], dtype=np.float64)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if quantity in FACTORS:
        rows = rows[(rows[:, 1:] > 0).all(axis=1)]
        rows[:, 1:] = np.log(rows[:, 1:])
    places, values, low, high = rows[rows[:, 3] > rows[:, 2]].T
    if places.size < 2 or not np.ptp(places) > 0:
        return None
    errors = (high - low) / (2 * float(ndtri((1 + LEVEL) / 2)))
    weights = 1 / np.square(errors)
    middle = float(weights @ places) / float(weights.sum())
    spread = float(weights @ np.square(places - middle))
    slope = float(weights @ ((places - middle) * values)) / spread
    rest = values - float(weights @ values) / float(weights.sum()) - slope * (places - middle)
    freedom = places.size - 2
    birge = math.sqrt(max(1.0, float(weights @ np.square(rest)) / freedom)) if freedom else 1.0
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) if birge > 1 else float(ndtri((1 + LEVEL) / 2))
    half = reach * birge / math.sqrt(spread)
    return Effect(quantity, slope, slope - half, slope + half, places.size)


def compare(runs: Sequence[tuple[Run, Sequence[Diagnosis]]]) -> Comparison | None:
    """Side by side, and over the knob if they differ in exactly one; None for a single run."""
    if len(runs) < 2:
        return None
    found = {name: [run.knobs[name] for run, _ in runs] for name in NAMES}
    differing = [name for name, values in found.items() if _differ(values)]
    open_ = [name for name, values in found.items() if not all(k.known for k in values) and name not in differing]
    knob = differing[0] if len(differing) == 1 else ""
    key = differing[0] if differing else NAMES[0]
    order = sorted(range(len(runs)), key=lambda i: (math.isnan(found[key][i].value), found[key][i].value))
    names = tuple(runs[i][0].name for i in order)
    values = {name: tuple(found[name][i].value for i in order) for name in NAMES}
    told = [{m.name: m for d in runs[i][1] if d.name == dynamics.NAME for m in d.measures} for i in order]
    nothing = Measure("", math.nan)
    measures = {q: tuple(t.get(q, nothing) for t in told) for q in SHOWN}
    measures = {q: m for q, m in measures.items() if q == dynamics.ZETA or any(math.isfinite(x.value) for x in m)}
    if not knob:
        why = (
            f"they differ in {', '.join(map(_words, differing))}: what each of them does cannot be told apart"
            if differing
            else "no knob is known to differ between them; give --knob NAME=VALUE,VALUE,..."
        )
        return Comparison("", f"{len(runs)} runs: {why}.", names, values, measures)
    x = [v if knob in LINEAR else math.log2(v) for v in values[knob]]
    effects = tuple(e for q, m in measures.items() if (e := effect(q, x, m)) is not None)
    shown = {q: m for q, m in measures.items() if any(math.isfinite(x.value) for x in m)}
    panels = tuple(_panel(knob, values[knob], q, m) for q, m in shown.items())
    return Comparison(knob, _says(knob, values[knob], effects, open_), names, values, measures, effects, panels)


def lines(runs: Sequence[tuple[Run, Sequence[Diagnosis]]]) -> list[str]:
    """The comparison for a terminal: a sentence, then a line a run; empty for a single run."""
    made = compare(runs)
    if made is None:
        return []
    out = [made.says]
    for i, name in enumerate(made.names):
        parts = [f"{_words(made.knob)} {made.values[made.knob][i]:g}"] if made.knob else []
        parts += ["no swing"] if not math.isfinite(made.measures[dynamics.ZETA][i].value) else []
        parts += [f"{_PLAIN.get(q, q)} {_text(m[i])}" for q, m in made.measures.items() if math.isfinite(m[i].value)]
        out.append(f"{name}: {'; '.join(parts) or 'nothing to compare'}")
    return out


def _differ(values: Sequence[Knob]) -> bool:
    """Whether runs differ in a knob as far as is known: all values known, and not all the same."""
    numbers = {k.value for k in values}
    return all(math.isfinite(v) for v in numbers) and len(numbers) > 1


def _words(knob: str) -> str:
    return _UNITS.get(knob, knob)


def _text(m: Measure) -> str:
    ends = f" ({m.low:.3g} to {m.high:.3g})" if math.isfinite(m.low) or math.isfinite(m.high) else ""
    return f"{m.value:.3g}{ends}"


def _says(knob: str, values: Sequence[float], effects: Sequence[Effect], unknown: Sequence[str]) -> str:
    per = "per 0.1 of momentum" if knob in LINEAR else f"per doubling of the {_words(knob)}"
    factor = 0.1 if knob in LINEAR else 1.0
    parts = []
    for e in effects:
        ends = [factor * v for v in (e.slope, e.low, e.high)]
        if e.quantity in FACTORS:
            change = "by a factor of {:.3g} ({:.3g} to {:.3g})".format(*map(math.exp, ends))
        else:
            change = "{:+.3g} ({:+.3g} to {:+.3g})".format(*ends)
        word = ("rises" if e.slope > 0 else "falls") if e.sure else "does not change beyond noise"
        parts.append(f"{_PLAIN.get(e.quantity, e.quantity)} {word}, {change} {per}")
    head = f"{len(values)} runs, {_words(knob)} {min(values):g} to {max(values):g}"
    body = "; ".join(parts) or "no quantity has an interval in two of them"
    tail = f" Not known to be equal: {', '.join(map(_words, unknown))}." if unknown else ""
    return f"{head}: {body}.{tail}"


def _panel(knob: str, values: Sequence[float], quantity: str, measures: Sequence[Measure]) -> Panel:
    good = [(v, m) for v, m in zip(values, measures, strict=True) if math.isfinite(m.value)]
    closed = [(v, m) for v, m in good if math.isfinite(m.low) and math.isfinite(m.high)]
    x, y = (np.array(column, dtype=np.float64) for column in zip(*[(v, m.value) for v, m in good], strict=True))
    bars = np.array([(v, end) for v, m in closed for end in (m.low, m.high)], dtype=np.float64).reshape(-1, 2)
    name = f"{knob}-{SHOWN.index(quantity)}".replace("_", "-")
    series = (Series(f"{LEVEL:.0%} interval", bars[:, 0], bars[:, 1], "interval"), Series("runs", x, y, "points"))
    title = _PLAIN.get(quantity, quantity)
    return Panel(name, title[0].upper() + title[1:], _words(knob), quantity.split(",")[0][:40], series)
