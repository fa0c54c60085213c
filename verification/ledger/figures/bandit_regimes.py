"""BanditRegimes: Figure 7 for every reading of staleness and both schedules, under the exact frontiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verification.ledger.figures.canvas import BLACK, VERMILION, canvas
from verification.ledger.figures.ledger_figure import LedgerFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from reference.cells import Stale
    from reference.history import Schedule

MU, BETA, COMPLETIONS = 0.8, 1.0, 8  # Figure 7 of the paper
CORRECT = (1, 2)
RATES = np.geomspace(0.004, 1.0, 22)
INTERVALS = np.unique(np.round(np.geomspace(1, 128, 18)).astype(np.int64))
STEPS = 1500
RINGING, ABSORBED = 3, 4  # beyond the three classes of `reference.regime`
COLOURS = ("#DCE9F3", "#7FB2D6", "#F6DC8C", "#E08A3C", "#6B6B6B")
NAMES = ("monotone", "one overshoot", "ringing that dies out", "ringing for good", "absorbed at p = 1")
READINGS: tuple[tuple[Stale, str], ...] = (
    ("gradient", "the whole gradient is stale (Lemma 5)"),
    ("sampling", "sampling and advantage are stale"),
    ("advantage", "Eq. 2: the ratio cancels the measure"),
)
SCHEDULES: tuple[tuple[Schedule, str], ...] = (("constant", "constant lag"), ("periodic", "periodic refresh"))


def stiffness(correct: int) -> float:
    """-g'(p*) of the bandit with `correct` of 8 completions, per unit of learning rate times steps."""
    from reference.bandit import fixed_points
    from reference.drift import class_rate

    return fixed_points(correct / COMPLETIONS, BETA)[0].stiffness * class_rate(correct, COMPLETIONS)


def early(correct: int) -> float:
    """What the slope of -log(p* - p) reads at the very start, in the same unit."""
    from reference.bandit import fixed_points
    from reference.drift import class_rate, early_slope

    p_ref = correct / COMPLETIONS
    return early_slope(p_ref, fixed_points(p_ref, BETA)[0].p, class_rate(correct, COMPLETIONS))


def regimes(correct: int, stale: Stale, schedule: Schedule) -> NDArray[np.int64]:
    """Class of the exact run in each cell, (rates, intervals): an index of `NAMES`.

    Completions of a class stay alike, so `correct` of 8 runs like 1 of 2 from the same p_ref, at a rate scaled by
    the ratio of their class rates: a quarter of the work. A run whose last tenth still moves by 0.02 rings for
    good; one that ends within 0.01 of p = 1, past the upper fixed point, is absorbed.
    """
    from reference.bandit import SoftmaxBandit, fixed_points
    from reference.drift import class_rate
    from reference.regime import classify

    p_ref = correct / COMPLETIONS
    rates = RATES * class_rate(correct, COMPLETIONS) / class_rate(1, 2)
    bandit = SoftmaxBandit.binary(1, 2, BETA, p_ref)
    runs = bandit.trajectory(rates[:, None], MU, INTERVALS, stale, schedule, STEPS)
    tail = runs[-STEPS // 10 :]
    out = np.where(np.ptp(tail, axis=0) > 0.02, RINGING, classify(runs, fixed_points(p_ref, BETA)[0].p))
    return np.where(runs[-1] > 0.99, ABSORBED, out)


def _panel(panel: Axes, correct: int, stale: Stale, schedule: Schedule) -> None:
    from matplotlib.colors import ListedColormap

    from reference.lag import critical_gain, onset_gain

    x, y = (_edges(v) for v in (INTERVALS.astype(np.float64), RATES))
    cells = regimes(correct, stale, schedule)
    panel.pcolormesh(x, y, cells, cmap=ListedColormap(COLOURS), vmin=-0.5, vmax=4.5, rasterized=True)
    lags, late = np.unique(np.round(np.geomspace(1, x[-1], 60)).astype(np.int64)), stiffness(correct)
    panel.loglog(lags, critical_gain(MU, lags, schedule) / late, color=BLACK, lw=1.8)
    panel.loglog(lags, onset_gain(MU, lags, schedule) / late, color=BLACK, lw=1.6, ls=":")
    panel.loglog(x, (1 - MU) / (late * x), color=VERMILION, lw=1.8, ls=(0, (6, 2)))
    panel.loglog(x, (1 - MU) / (early(correct) * x), color=VERMILION, lw=1.1, ls=(0, (2, 2)))
    panel.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    panel.grid(visible=False)


def _edges(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cell borders half-way between centres on a log scale."""
    logs = np.log(centres)
    middles = (logs[1:] + logs[:-1]) / 2
    return np.asarray(np.exp(np.r_[2 * logs[0] - middles[0], middles, 2 * logs[-1] - middles[-1]]))


def draw() -> Figure:
    """Draw one panel for each reading (columns), schedule and bandit (rows)."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure, panels = canvas(_TITLE.replace("; under", ";\nunder"), 10.5, 12.5, 4, 3)
    at = iter(panels)
    for correct in CORRECT:
        for schedule, refresh in SCHEDULES:
            for stale, _ in READINGS:
                panel = next(at)
                _panel(panel, correct, stale, schedule)
                if stale == "gradient":
                    panel.set_ylabel(f"{correct} of 8 correct, {refresh}\n\nlearning rate $\\eta$", fontsize=10)
    for panel, (_, name) in zip(panels, READINGS, strict=False):
        panel.set_title(name, loc="left", fontsize=10)
    for panel in panels:
        panel.minorticks_off()
        panel.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
        panel.set_yticks([0.01, 0.03, 0.1, 0.3, 1.0], ["0.01", "0.03", "0.1", "0.3", "1"])
    for panel in panels[-3:]:
        panel.set_xlabel("refresh interval $K_{\\mathrm{ref}}$ (steps)", fontsize=10)
    lines = [
        Line2D([], [], color=VERMILION, lw=1.8, ls=(0, (6, 2)), label="Prop. 9 with $K = -g'(p^*)$"),
        Line2D([], [], color=VERMILION, lw=1.1, ls=(0, (2, 2)), label="Prop. 9 with the early slope"),
        Line2D([], [], color=BLACK, lw=1.8, label="linear map unstable above (stale gradient, exact)"),
        Line2D([], [], color=BLACK, lw=1.6, ls=":", label="linear map rings above (stale gradient, exact)"),
    ]
    patches = [Patch(facecolor=c, edgecolor="#9AA0A6", lw=0.5, label=n) for c, n in zip(COLOURS, NAMES, strict=True)]
    figure.legend(handles=[*patches, *lines], loc="outside lower center", ncols=3, fontsize=9.5, frameon=False)
    return figure


_TITLE = (
    "What lies near ηK·K_ref = 1−μ: the loss of stability only for stale gradients at constant lag; "
    "under Eq. 2 an overshoot without instability; and for 2 of 8 correct neither"
)

BANDIT_REGIMES = LedgerFigure(
    name="bandit-regimes",
    title=_TITLE,
    caption=(
        "Figure 7 at mu = 0.8, beta = 1 for two instances, three readings of staleness and both schedules: each cell "
        f"is an exact run of {STEPS} steps. Red dashes: Prop. 9's line, with the stiffness at p* (long) and with the "
        "early slope (short). Black: where the linear map with stale gradients loses stability (solid) and begins to "
        "ring (dotted), exactly, for the row's schedule. For 1 of 8 correct and stale gradients ringing for good "
        "begins on the solid curve: within a factor of pi/2 of the line at constant lag, above twice the line at "
        "periodic refresh. Under Eq. 2 the overshoot that begins near the line comes from the spread frozen at the "
        "start and settles; with stale sampling nothing happens at the line, and ringing is that of momentum. For 2 of "
        "8 correct p* = 0.81 lies close to the upper fixed point 0.89: runs are absorbed at p = 1 well below the line, "
        "and under Eq. 2 they are monotone on both sides of it at long intervals and small rates."
    ),
    alt=(
        "Twelve maps over the refresh interval, 1 to 128, and the learning rate, 0.004 to 1, both on log scales. 1 of "
        "8 correct, whole gradient stale: bands of monotone, overshooting, ringing, for ever ringing and absorbed runs "
        "parallel to the line of Prop. 9, the last two bands above the exact stability curve. 1 of 8, sampling stale: "
        "monotone below a learning rate of 0.05 to 0.1 and ringing above at every interval, with no change at the "
        "line. 1 of 8 under Eq. 2: the same, but one overshoot in a wedge whose lower edge follows the line at long "
        "intervals. 2 of 8: stale gradients and stale sampling are absorbed above a border five to ten times below "
        "the line; under Eq. 2 no border follows the line."
    ),
    claims=(
        "fig-7",
        "sec-5.6-frontier-is-threshold",
        "sec-5.6-threshold-confirmed",
        "new-frozen-scale-frontier",
        "sec-5.6-persistent-ringing",
    ),
    draw=draw,
)
