"""Plots: the sweep's figures, each from the results alone; PNG and SVG, the same bytes every time."""

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from empirical.logs.numbers import Floats
from empirical.sweep.cell import Cell, is_control
from empirical.sweep.groups import speeds
from empirical.sweep.modes import ON_THE_RISE, modes
from empirical.sweep.store import Result

# Okabe and Ito (2008): told apart under every common colour blindness.
BLUE, VERMILION, GREEN, ORANGE, BLACK, GREY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#000000", "#6E7781"
WARM_UP = 0  # whose curves are drawn, where one of them is enough


def canvas(title: str, panels: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A white figure with a title and panels side by side that share their vertical axis.

    Args:
        title: what a reader should see.
        panels: how many.
        width, height: inches.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    figure.suptitle(title, x=0.01, ha="left", fontsize=11.5, fontweight="bold")
    axes = list(figure.subplots(1, panels, sharey=True, squeeze=False).flat)
    for panel in axes:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#E4E7EB", linewidth=0.6)
        panel.tick_params(labelsize=9)
    return figure, axes


def _curves(results: Sequence[Result], wanted: Callable[[Cell], bool]) -> list[Floats]:
    return [r.p for r in results if wanted(r.cell)]


def _beside(panel: Any, results: Sequence[Result], arm: str, wanted: Callable[[Cell], bool], colour: str) -> bool:
    """The sampled runs of a condition and its twin on a panel; whether there was anything to draw."""
    seen = {r.cell.warm_up for r in results if r.cell.kind == "sampled" and r.cell.arm == arm and wanted(r.cell)}
    sampled = _curves(results, lambda c: c.kind == "sampled" and c.arm == arm and wanted(c))
    twin = _curves(results, lambda c: c.kind == "twin" and c.arm == arm and c.warm_up in seen and wanted(c))
    for p in twin:
        panel.plot(p, color=BLACK, lw=1.6, ls=(0, (4, 2)))
    for p in sampled:
        panel.plot(p, color=colour, lw=1.1, alpha=0.8)
    return bool(sampled or twin)


def _legend(figure: Any, sampled: str = "a sampled run each (TRL)") -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=BLUE, lw=1.4, label=sampled),
        Line2D([], [], color=BLACK, lw=1.6, ls=(0, (4, 2)), label="noise-free twin"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=9, frameon=False)


def _refreshed(interval: int) -> str:
    return "on-policy" if interval == 1 else f"refresh every {interval} steps"


def _by_interval(results: Sequence[Result], title: str, panels_of: dict[tuple[str, int], str]) -> Any:
    """A panel an arm and refresh interval, sampled runs against the twin; `panels_of` gives the panels' titles."""
    figure, panels = canvas(title, len(panels_of), max(2.6 * len(panels_of), 6.0), 3.3)
    for panel, ((arm, interval), name) in zip(panels, panels_of.items(), strict=True):
        _beside(panel, results, arm, lambda c, k=interval: c.interval == k, BLUE)  # type: ignore[misc]
        panel.set_title(name, loc="left", fontsize=10)
        panel.set_xlabel("optimizer step", fontsize=9)
    panels[0].set_ylabel("mean success probability p", fontsize=9)
    panels[0].set_ylim(0.0, 1.02)
    _legend(figure)
    return figure


def refresh(results: Sequence[Result]) -> Any:
    """Exact curves p(t) by refresh interval, sampled runs against the twin."""
    intervals = sorted({r.cell.interval for r in results if r.cell.arm == "refresh" and r.cell.kind == "sampled"})
    if not intervals:
        return None
    return _by_interval(
        results,
        "A refresh interval leaves the rise where it is; some long ones fall, and the noise-free twin never does",
        {("refresh", interval): _refreshed(interval) for interval in intervals},
    )


def stale(results: Sequence[Result]) -> Any:
    """Two large learning rates, on-policy and with a long refresh interval."""
    panels_of = [
        (arm, interval)
        for arm in ("fast", "adamw")
        for interval in sorted({r.cell.interval for r in results if r.cell.arm == arm and r.cell.kind == "sampled"})
    ]
    if not panels_of:
        return None
    names = {"sgd": "SGD", "adamw": "AdamW"}
    cells = {arm: next(r.cell for r in results if r.cell.arm == arm) for arm, _ in panels_of}
    return _by_interval(
        results,
        "At a large learning rate a long refresh interval ends in collapse, of which the noise-free twin shows nothing",
        {
            (arm, interval): f"{names[cells[arm].optimizer]}, rate {cells[arm].learning_rate:g}\n{_refreshed(interval)}"
            for arm, interval in panels_of
        },
    )


def delay(results: Sequence[Result]) -> Any:
    """Gradients that are truly late, against none and against a refresh interval."""
    delays = sorted({r.cell.delay for r in results if r.cell.arm == "delay" and r.cell.kind != "stiffness"})
    if not delays:
        return None
    figure, panels = canvas(
        "Gradients far too late make every run swing, and its twin;\n"
        "at the same rate a long refresh interval makes single runs fall, and no twin",
        len(delays) + 1,
        8.4,
        3.5,
    )
    for panel, late in zip(panels, delays, strict=False):
        _beside(panel, results, "delay", lambda c, k=late: c.delay == k, VERMILION)  # type: ignore[misc]
        panel.set_title(f"every gradient {late} steps late", loc="left", fontsize=10)
    longest = max((r.cell.interval for r in results if r.cell.arm == "refresh"), default=1)
    _beside(panels[-1], results, "refresh", lambda c: c.interval == longest, BLUE)
    panels[-1].set_title(_refreshed(longest), loc="left", fontsize=10)
    for panel in panels:
        panel.set_xlabel("optimizer step", fontsize=9)
    panels[0].set_ylabel("mean success probability p", fontsize=9)
    panels[0].set_ylim(0.0, 1.02)
    _legend(figure, "a sampled run each (TRL; orange: gradients late)")
    return figure


def stiffness(results: Sequence[Result]) -> Any:
    """The top eigenvalue along the rise beside the stiffness fitted to the reward, a line a warm-up."""
    found = modes(results)
    if found is None:
        return None
    each = [found.factor(k)[0] for k in ON_THE_RISE]
    figure, (panel,) = canvas(
        f"The stiffest mode is {min(each):.0f} to {max(each):.0f} times as stiff\nas the reward curve says", 1, 6.2, 3.7
    )
    for i, fitted in enumerate(found.fitted):
        panel.plot(ON_THE_RISE, [row[i] for row in found.rise], color=VERMILION, marker="o", ms=4, lw=1.0)
        panel.plot(ON_THE_RISE, [fitted] * len(ON_THE_RISE), color=BLUE, lw=1.2)
    panel.set(yscale="log", xlim=(-3, 118), ylim=(1.0, 400))
    panel.set_xlabel("optimizer step of the rise (p = 0.3 to 0.8)", fontsize=9)
    panel.set_ylabel("stiffness K", fontsize=9)
    panel.set_xticks(ON_THE_RISE)
    top = float(np.exp(np.mean(np.log(found.rise[-1]))))
    low = float(np.exp(np.mean(np.log(found.fitted))))
    panel.text(83, top, "top eigenvalue of\nthe linearised force", color=VERMILION, fontsize=9, va="center")
    panel.text(83, low, "fitted to the\nreward curve", color=BLUE, fontsize=9, va="center")
    panel.text(-1, 1.15, f"a line a warm-up, {len(found.warm_ups)} warm-ups", color=GREY, fontsize=9)
    return figure


def sizes(results: Sequence[Result]) -> Any:
    """Group sizes: curves, and the steps to p = 0.8 against the exact drift's range."""
    found = speeds(results)
    if not found:
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.5), layout="constrained", facecolor="white")
    figure.suptitle(
        "Small groups learn slower, by what the exact finite-group drift says", x=0.01, ha="left", fontsize=11.5,
        fontweight="bold",
    )  # fmt: skip
    left, right = figure.subplots(1, 2)
    colours = dict(zip((2, 4, 8, 16), (VERMILION, ORANGE, BLUE, GREEN), strict=True))
    for size, colour in colours.items():
        arm = "refresh" if size == 8 else "size"

        def wanted(c: Cell, g: int = size, name: str = arm) -> bool:
            return c.arm == name and c.size == g and c.warm_up == WARM_UP and is_control(c)

        for p in _curves(results, lambda c: c.kind == "sampled" and wanted(c)):
            left.plot(p, color=colour, lw=0.9, alpha=0.6)
        for p in _curves(results, lambda c: c.kind == "twin" and wanted(c)):
            left.plot(p, color=colour, lw=1.8, ls=(0, (4, 2)), label=f"G = {size}")
    left.set(ylim=(0.25, 1.0))
    left.set_xlabel("optimizer step", fontsize=9)
    left.set_ylabel("mean success probability p", fontsize=9)
    left.set_title("dashed: noise-free twin; thin: sampled runs", loc="left", fontsize=9.5)
    left.legend(loc="lower right", fontsize=9, frameon=False)
    for i, s in enumerate(found):
        right.plot([i, i], [s.low, s.high], color="#C9CED6", lw=12, solid_capstyle="butt")
        half = s.ratio.mean - s.ratio.low
        right.errorbar([i], [s.ratio.mean], yerr=[half], color=colours[s.size], marker="o", ms=5, capsize=4, lw=1.4)
    right.axhline(1.0, color=GREY, lw=0.8, ls=(0, (1, 2)))
    right.set_xticks(range(len(found)), [f"G = {s.size}" for s in found])
    right.set_xlim(-0.6, len(found) - 0.4)
    right.set_ylim(0.0, 3.0)
    right.set_title(
        "steps to p = 0.8 over those of G = 8\n(grey: range that the exact drift allows)", loc="left", fontsize=9.5
    )
    for panel in (left, right):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#E4E7EB", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=9)
    return figure


PLOTS: dict[str, Callable[[Sequence[Result]], Any]] = {
    "refresh": refresh,
    "stale": stale,
    "delay": delay,
    "stiffness": stiffness,
    "group-size": sizes,
}


def render(results: Sequence[Result]) -> dict[str, tuple[bytes, bytes]]:
    """Every figure that the results suffice for.

    Returns:
        Name -> PNG and SVG.
    """
    import matplotlib as mpl

    drawn = {}
    with mpl.rc_context():
        mpl.rcdefaults()  # whatever matplotlibrc the user has
        mpl.rc("font", family="DejaVu Sans")
        mpl.rc("svg", fonttype="path", hashsalt="predictable-grpo")
        for name, plot in PLOTS.items():
            figure = plot(results)
            if figure is None:
                continue
            png, svg = io.BytesIO(), io.BytesIO()
            figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
            figure.savefig(svg, format="svg", metadata={"Date": None})
            drawn[name] = (png.getvalue(), svg.getvalue())
    return drawn
