"""BanditRuns: Figure 6 for every reading of staleness and both schedules, with Theorem 7's prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verification.ledger.figures.bandit_regimes import BETA, MU, READINGS, SCHEDULES, stiffness
from verification.ledger.figures.canvas import BLACK, BLUE, GREEN, GREY, VERMILION, canvas
from verification.ledger.figures.ledger_figure import LedgerFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

ETA, STEPS = 0.3, 300  # Figure 6 of the paper
INTERVALS = ((1, BLUE, "-"), (4, GREEN, "--"), (10, VERMILION, "-."), (40, BLACK, ":"))


def predicted(interval: int) -> NDArray[np.float64]:
    """Theorem 7's curve p* + e(t), from rest at the prior, with K = -g'(p*), shape (STEPS + 1,)."""
    from reference.bandit import fixed_points
    from reference.oscillator import coefficients, response

    lower = fixed_points(1 / 8, BETA)[0].p
    mass, damping, force = (float(x) for x in coefficients(ETA, MU, stiffness(1), interval))
    with np.errstate(over="ignore"):
        return lower + response(np.arange(STEPS + 1.0), mass, damping, force, 1 / 8 - lower)


def draw() -> Figure:
    """Draw one panel for each reading (columns) and schedule (rows), one curve an interval."""
    from matplotlib.lines import Line2D

    from reference.bandit import SoftmaxBandit, fixed_points

    lower, upper = (point.p for point in fixed_points(1 / 8, BETA))
    bandit = SoftmaxBandit.binary(1, 8, BETA)
    intervals = [interval for interval, _, _ in INTERVALS]
    figure, panels = canvas(_TITLE.replace("; ", ";\n"), 10.5, 6.6, 2, 3)
    at = iter(panels)
    for schedule, refresh in SCHEDULES:
        for stale, name in READINGS:
            panel = next(at)
            runs = bandit.trajectory(ETA, MU, intervals, stale, schedule, STEPS)
            panel.axhline(lower, color=GREY, lw=0.9)
            panel.axhline(upper, color=GREY, lw=0.9, ls=(0, (1, 2)))
            for (interval, colour, style), run in zip(INTERVALS, runs.T, strict=True):
                panel.plot(run, color=colour, ls=style, lw=1.5, zorder=4 - 0.01 * interval)
            if schedule == "constant":
                panel.plot(predicted(1), color="#9FC9E6", lw=3.2, zorder=1)
                panel.set_title(name, loc="left", fontsize=10)
            else:
                panel.set_xlabel("step", fontsize=10)
            if stale == "gradient":
                panel.set_ylabel(f"{refresh}\n\nexpected reward $p$", fontsize=10)
    panels[0].set(xlim=(0, STEPS), ylim=(0, 1.03))
    for panel in panels[2::3]:
        transform = panel.get_yaxis_transform()
        panel.text(1.02, lower, "$p^*$", transform=transform, va="center", fontsize=10, color="#4A5159")
        panel.text(1.02, upper, "upper fixed\npoint", transform=transform, va="center", fontsize=9, color="#4A5159")
    handles = [
        Line2D([], [], color=c, ls=s, lw=1.5, label=f"$K_{{\\mathrm{{ref}}}}$ = {interval}")
        for interval, c, s in INTERVALS
    ]
    handles.append(
        Line2D([], [], color="#9FC9E6", lw=3.2, label="Theorem 7 at $K_{\\mathrm{ref}}$ = 1 with $-g'(p^*)$")
    )
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=9.5, frameon=False)
    return figure


_TITLE = (
    "At the setting of Figure 6 no interval gives a monotone approach, under no reading and no schedule; "
    "only stale gradients ring for good or leave for p = 1"
)

BANDIT_RUNS = LedgerFigure(
    name="bandit-runs",
    title=_TITLE,
    caption=(
        "Exact runs of 1 of 8 correct at eta = 0.30, mu = 0.80, beta = 1, the first 300 steps. Level lines: p* = 0.51 "
        "(solid) and the unstable fixed point 0.96 (dots). Broad blue: Theorem 7's oscillator at K_ref = 1 with the "
        "stiffness at p*; at intervals of 3 and more its damping is negative and it leaves every frame. At periodic "
        "refresh an interval of 1 has no lag, so blue is the same run in all three columns there."
    ),
    alt=(
        "Six panels of the expected reward over 300 steps, starting at 0.125. Whole gradient stale, constant lag: "
        "interval 1 rings and settles at p*, interval 4 rings for good, 10 and 40 jump past the upper fixed point and "
        "stay at p = 1; at periodic refresh interval 4 settles. Sampling stale, and Eq. 2: every interval overshoots, "
        "rings a few times and settles at p*, the longest intervals most slowly. No curve is monotone."
    ),
    claims=(
        "fig-6",
        "sec-5.6-monotone-small-interval",
        "sec-5.6-persistent-ringing",
        "sec-5.6-bounded",
        "new-instance-search",
    ),
    draw=draw,
)
