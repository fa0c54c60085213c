"""Regimes: monotone, ringing or unstable over gain and lag at the paper's own momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verification.ledger.figures.canvas import BLACK, GREY, VERMILION, canvas
from verification.ledger.figures.ledger_figure import LedgerFigure
from verification.ledger.figures.threshold import zeta_one_gain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MU, ETA, STIFFNESS = 0.8, 0.3, 0.12  # Section 5.6 of the paper
LAST, BOTTOM, TOP = 30, 1e-3, 6.0


def draw() -> Figure:
    """Draw the three exact regimes of the constant-lag map, one column a lag, under the paper's two curves."""
    from reference.lag import critical_gain, onset_gain

    lags = np.arange(LAST + 1)
    edges = np.arange(LAST + 2) - 0.5
    onset, critical = (f(MU, lags, "constant") for f in (onset_gain, critical_gain))
    figure, (panel,) = canvas(_TITLE.replace("; ", ";\n"), 9.0, 5.6)
    panel.grid(visible=False)
    for low, high, colour in (
        (np.full(LAST + 1, BOTTOM), onset, "#CFE3F1"),
        (onset, critical, "#FBE3B5"),
        (critical, np.full(LAST + 1, TOP), "#E9C4B2"),
    ):
        panel.stairs(high, edges, baseline=low, fill=True, color=colour)
    for bound in (onset, critical):
        panel.stairs(bound, edges, baseline=None, color=GREY, lw=1.0)
    lag = np.linspace(0.02, LAST + 0.5, 800)
    panel.plot(lag, (1 - MU) / lag, color=BLACK, lw=2.0, ls=(0, (6, 3)))
    panel.plot(np.r_[0.0, lag], zeta_one_gain(MU, np.r_[0.0, lag]), color=BLACK, lw=1.6, ls=(0, (3, 1.5, 1, 1.5)))
    gain = ETA * STIFFNESS
    panel.axhline(gain, color=VERMILION, lw=1.6)
    predicted, last = (1 - MU) / gain, int(np.max(np.flatnonzero(critical > gain)))
    panel.plot(predicted, gain, "o", color=VERMILION, mec="white", ms=8, zorder=5)
    panel.plot(last, gain, "D", color=VERMILION, mec="white", ms=8, zorder=5)
    panel.set(yscale="log", xlim=(-0.5, LAST + 0.5), ylim=(BOTTOM, TOP))
    panel.set_xlabel("constant lag $K_{\\mathrm{ref}}$ (steps)", fontsize=10.5)
    panel.set_ylabel("gain  $\\eta K$  (per step)", fontsize=10.5)
    panel.text(18, 0.45, "unstable", fontsize=13)
    panel.text(14.2, 0.0068, "ringing", fontsize=13)
    panel.text(3.2, 0.0019, "monotone", fontsize=13)
    panel.annotate(
        "Prop. 9:  $\\eta K\\,K_{\\mathrm{ref}} = 1-\\mu$",
        xy=(0.35, 0.2 / 0.35),
        xytext=(2.2, 1.4),
        fontsize=10,
        arrowprops={"arrowstyle": "-", "linewidth": 0.7},
    )
    panel.annotate(
        "ζ = 1 (Eq. 10)",
        xy=(21, float(zeta_one_gain(MU, 21))),
        xytext=(18.5, 0.00155),
        fontsize=10,
        arrowprops={"arrowstyle": "-", "linewidth": 0.7},
    )
    panel.text(
        LAST + 0.2,
        gain * 1.12,
        f"the paper's $\\eta K$ = {gain:g}:  ● Eq. 11 stops at {predicted:.1f};  ◆ last stable lag: {last}",
        fontsize=10,
        color="#9C3F00",
        ha="right",
    )
    return figure


_TITLE = (
    "At the paper's own μ = 0.8 and ηK = 0.036 no lag, not even 0, gives a monotone response; "
    "Eq. 11 promises too much without lag, is exact at lag 1 and too cautious beyond"
)

REGIMES = LedgerFigure(
    name="regimes",
    title=_TITLE,
    caption=(
        "The linear map with stale gradients at mu = 0.8, one column for each whole lag. Shaded: its exact regimes "
        "(monotone: the dominant multiplier is real and positive; ringing: complex, but stable). Dashed: Prop. 9's "
        "hyperbola. Dash-dotted: zeta = 1 of the truncated oscillator. Red: eta K = 0.3 x 0.12 of Section 5.6."
    ),
    alt=(
        "A map over the lag, from 0 to 30 steps, and the gain eta K on a log scale, with a monotone region at the "
        "bottom, a ringing band and an unstable region on top. The hyperbola of Prop. 9 meets the exact limit at lag 1 "
        "and runs below it from lag 2 on; at lag 0 it has no limit, the map has 3.6. The paper's gain, 0.036, lies "
        "above the monotone region at every lag."
    ),
    claims=("sec-3.6", "prop-9", "new-constant-frontier", "new-constant-onset", "new-monotone-frontier"),
    draw=draw,
)
