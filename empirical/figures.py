"""Figures: each panel of a diagnosis as SVG for the page, as PNG and SVG files, and its numbers as CSV."""

import io
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirical.diagnostics.diagnosis import Panel, Series
from empirical.logs.numbers import Floats

# drawn in these colours, which the page replaces by its own for light, dark and print
INK, GRID, PAPER = "#010101", "#020202", "#fefefe"
COLOURS = ("#0b6fb8", "#d9480f", "#2b8a3e", "#862e9c")
MOST = 2000  # points of a curve that are drawn
WIDTH, HEIGHT = 4.8, 2.7  # inches


@dataclass(frozen=True)
class Drawing:
    """A panel drawn.

    Attributes:
        name: of its files.
        inline: SVG for a page: colours as CSS variables, ids prefixed by the name.
        svg, png: files.
        csv: the numbers, one row a point.
    """

    name: str
    inline: str
    svg: str
    png: bytes
    csv: str


def draw(panel: Panel, name: str) -> Drawing:
    """Draw a panel."""
    svg, png = _render(panel, name)
    return Drawing(
        name, _inline(svg, name, panel), svg.replace(INK, "#222222").replace(GRID, "#cccccc"), png, numbers(panel)
    )


def numbers(panel: Panel) -> str:
    """The numbers of a panel as CSV: series, x, y."""
    rows = ["series,x,y"]
    for series in panel.series:
        label = '"' + series.label.replace('"', '""') + '"'
        rows += [f"{label},{x!r},{y!r}" for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True)]
    return "\n".join(rows) + "\n"


def _thin(series: Series) -> tuple[Floats, Floats]:
    keep = np.isfinite(series.x) & np.isfinite(series.y)
    x, y = series.x[keep], series.y[keep]
    every = -(-x.size // MOST) if x.size else 1
    return x[::every], y[::every]


def _safe(text: str) -> str:
    """Text without characters that XML forbids; the style switches mathematics off."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", "?", text)[:120]


def _render(panel: Panel, name: str) -> tuple[str, bytes]:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    style: Any = {
        "svg.fonttype": "none", "svg.hashsalt": name, "font.size": 9, "text.color": INK, "axes.labelcolor": INK,
        "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": INK, "axes.titlesize": 10, "text.parse_math": False,
    }  # fmt: skip
    with rc_context(style):
        figure = Figure(figsize=(WIDTH, HEIGHT))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.15, 0.18, 0.83, 0.71))  # fixed: measuring texts would double the time
        for spine in ("top", "right"):
            axes.spines[spine].set_visible(False)
        colours = iter(COLOURS * 10)
        empty = True
        for series in panel.series:
            x, y = _thin(series)
            empty = empty and not x.size
            label = _safe(series.label.replace("_", " "))
            if series.style == "reference":
                axes.plot(x, y, ":", color=INK, lw=1, label=label)
            elif series.style == "interval":
                axes.vlines(x[::2], y[::2], y[1::2], color=INK, lw=1.2, label=label)
            elif series.style == "points":
                axes.plot(x, y, "o", color=next(colours), ms=2.5 if x.size > 60 else 4, alpha=0.6, mew=0, label=label)
            else:
                axes.plot(x, y, "--" if series.style == "dashed" else "-", color=next(colours), lw=1.6, label=label)
        _limits(axes, panel)
        for at, label in panel.lines:
            axes.axvline(at, color=INK, lw=0.8, ls=":")
            axes.text(at, 1.0, f" {_safe(label)}", transform=axes.get_xaxis_transform(), va="top", fontsize=8)
        axes.grid(True, color=GRID, lw=0.4, alpha=0.35)
        axes.set_axisbelow(True)
        if empty:
            axes.text(0.5, 0.5, "no finite value", transform=axes.transAxes, ha="center")
        axes.set_title(_safe(panel.title), loc="left")
        axes.set_xlabel(_safe(panel.xlabel))
        axes.set_ylabel(_safe(panel.ylabel))
        if len(panel.series) > 1:
            axes.legend(frameon=False, fontsize=8, loc="best")
        vector, pixels = io.StringIO(), io.BytesIO()
        figure.savefig(vector, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        figure.savefig(pixels, format="png", dpi=150, facecolor="white", metadata={"Software": None})
    return vector.getvalue(), pixels.getvalue()


def _limits(axes: object, panel: Panel) -> None:
    """Scales, and limits of the y axis that a single far point or a diverging law cannot ruin."""
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    values = [_thin(s)[1] for s in panel.series if s.style != "dashed"]
    values = [v for v in values if v.size]
    if panel.yscale == "log" and all((v > 0).all() for v in values):
        axes.set_yscale("log")
        _plain(axes)
        every = np.concatenate(values) if values else np.ones(1)
        if every.max() < 30 * every.min():  # the powers of ten alone would leave an axis with one number
            from matplotlib.ticker import LogLocator

            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        return
    if panel.yscale == "symlog":
        axes.set_yscale("symlog", linthresh=1.0)
        _plain(axes)
        return
    if values:
        joined = np.concatenate(values)
        low, high = float(joined.min()), float(joined.max())
        extent = high - low
        for curve in (_thin(s)[1] for s in panel.series if s.style == "dashed"):
            if curve.size:  # a dashed curve may widen the axis, by its extent at most
                low = min(low, max(float(curve.min()), float(joined.min()) - extent))
                high = max(high, min(float(curve.max()), float(joined.max()) + extent))
        margin = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
        if np.isfinite(high - low + margin):
            axes.set_ylim(low - margin, high + margin)


def _plain(axes: Any) -> None:
    """Ticks as 0.01, 1, 100 instead of powers in mathematical type."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _inline(svg: str, name: str, panel: Panel) -> str:
    """The drawing as an element of the page."""
    from markupsafe import escape

    body = svg[svg.index("<svg") :]
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", body)
    body = re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{name}-\1"', body)
    body = body.replace(INK, "var(--ink)").replace(GRID, "var(--line)")
    for number, colour in enumerate(COLOURS, 1):
        body = body.replace(colour, f"var(--curve-{number})")
    label = f'role="img" aria-label="{escape(panel.title)}"'
    return re.sub(
        r'<svg [^>]*?viewBox="([^"]+)"[^>]*>',
        rf'<svg viewBox="\1" {label} xmlns:xlink="http://www.w3.org/1999/xlink">',
        body,
        count=1,
    )
