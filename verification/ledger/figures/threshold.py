"""Threshold: the exact critical and onset gains of the lagged map against Eq. 11 and zeta = 1, over the interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from verification.ledger.figures.canvas import BLACK, BLUE, GREY, VERMILION, canvas, label
from verification.ledger.figures.ledger_figure import LedgerFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

MOMENTA = (0.0, 0.5, 0.9, 0.99)
TOP = 4.0


def zeta_one_gain(mu: float, interval: ArrayLike) -> NDArray[np.float64]:
    """Gain eta K at which the damping ratio of Eq. 10 is 1.

    Args:
        mu: momentum in [0, 1).
        interval: K_ref >= 0, in steps; any shape.

    Returns:
        The positive root of T^2 a^2 + 2 (1 + mu + T (1-mu)) a = (1-mu)^2, without cancellation.
    """
    keep, lag = 1.0 - mu, np.asarray(interval, dtype=np.float64)
    half = 1.0 + mu + lag * keep
    return np.asarray(keep**2 / (half + np.hypot(half, lag * keep)), dtype=np.float64)


def draw() -> Figure:
    """Draw one panel a momentum: gain times interval over 1 - mu, so that Eq. 11 is the line at 1."""
    from reference.lag import critical_gain, onset_gain

    intervals = np.unique(np.round(np.logspace(0, 4, 240)).astype(np.int64))
    figure, panels = canvas(_TITLE.replace("; ", ";\n"), 10.0, 7.4, 2, 2)
    for panel, mu in zip(panels, MOMENTA, strict=True):
        scale = intervals / (1.0 - mu)
        panel.semilogx(intervals, critical_gain(mu, intervals, "periodic") * scale, color=VERMILION, lw=2.2)
        panel.semilogx(intervals, critical_gain(mu, intervals, "constant") * scale, color=BLUE, lw=2.2)
        panel.axhline(1.0, color=BLACK, lw=1.3, ls=(0, (6, 3)))
        panel.semilogx(intervals, onset_gain(mu, intervals, "periodic") * scale, color=VERMILION, lw=1.6, ls=":")
        panel.semilogx(intervals, onset_gain(mu, intervals, "constant") * scale, color=BLUE, lw=1.6, ls=":")
        panel.semilogx(intervals, zeta_one_gain(mu, intervals) * scale, color=GREY, lw=1.5, ls=(0, (3, 1.5, 1, 1.5)))
        panel.plot(1, 1, "o", color=BLUE, ms=6, clip_on=False, zorder=5)
        panel.set_title(f"momentum μ = {mu:g}", loc="left", fontsize=10.5)
        panel.set(xlim=(1, 1e4), ylim=(0, TOP))
    ends = {s: float(onset_gain(MOMENTA[1], 10_000, s)) * 1e4 / (1 - MOMENTA[1]) for s in ("constant", "periodic")}
    for panel in panels[1::2]:
        label(panel, "unstable beyond:\nperiodic refresh (≥ 2)", VERMILION, 2.55, 2.0)
        label(panel, "unstable beyond:\nconstant lag (≤ π/2)", BLUE, 1.88, np.pi / 2)
        label(panel, "Prop. 9, Eq. 11 (= 1)", BLACK, 1.35, 1.0)
        label(panel, "rings beyond:\nperiodic refresh (→ 1)", VERMILION, 0.89, ends["periodic"])
        label(panel, "truncated ODE: ζ = 1", GREY, 0.44, np.sqrt(2) - 1)
        label(panel, "rings beyond:\nconstant lag (→ 1/e)", BLUE, 0.04, ends["constant"])
    panels[0].annotate(
        "Eq. 11 exact: constant lag 1",
        xy=(1, 1),
        xytext=(1.7, 0.66),
        fontsize=9.5,
        color=BLUE,
        arrowprops={"arrowstyle": "-", "color": BLUE, "linewidth": 0.7, "shrinkB": 4},
    )
    for panel in panels:
        panel.minorticks_off()  # last: each semilogx brings them back
    figure.supxlabel("refresh interval $K_{\\mathrm{ref}}$ (steps)", fontsize=10.5)
    figure.supylabel("normalised gain  $\\eta K\\, K_{\\mathrm{ref}}\\,/\\,(1-\\mu)$", fontsize=10.5)
    return figure


_TITLE = (
    "Eq. 11 is exact only at constant lag 1; "
    "with the periodic refresh that trainers use the true limit is at least twice it"
)

THRESHOLD = LedgerFigure(
    name="threshold",
    title=_TITLE,
    caption=(
        "Gain eta K times the refresh interval, over 1 - mu, so that Prop. 9 is the line at 1. Solid: where the linear "
        "map loses stability, exactly (orange-red: a copy every K_ref steps; blue: a constant lag of K_ref steps). "
        "Dotted: where it begins to ring, exactly. Dash-dotted grey: where Eq. 10 gives zeta = 1. At K_ref = 1 the "
        "periodic map has no lag and its limit, 2 (1 + mu)/(1 - mu), leaves the frame for mu >= 0.5; so does the peak "
        "for mu >= 0.9, where the Neimark-Sacker bifurcation of short intervals gives way to a flip."
    ),
    alt=(
        "Four panels, for momentum 0, 0.5, 0.9 and 0.99, over refresh intervals from 1 to 10000. The exact limit at "
        "constant lag starts at 1 for interval 1 and rises to pi/2; the one under periodic refresh comes down to 2 and "
        "never falls below it. The onset of ringing rises to 1/e at constant lag, crossing below the zeta = 1 curve, "
        "which ends at 0.414, and slowly towards 1 under periodic refresh, always above zeta = 1."
    ),
    claims=(
        "prop-9",
        "eq-11",
        "sec-3.6",
        "new-one-step-lag",
        "new-constant-frontier",
        "new-constant-onset",
        "new-periodic-frontier",
        "new-periodic-onset",
    ),
    draw=draw,
)
