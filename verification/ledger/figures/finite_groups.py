"""FiniteGroups: drift, spread, collapsed groups and noise over the group size, with their large-G expansions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from verification.ledger.figures.canvas import BLACK, BLUE, GREEN, GREY, VERMILION, canvas
from verification.ledger.figures.ledger_figure import LedgerFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

SIZES = (2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128)
PAPER = (4, 16)  # the group sizes of Section 4
PROBABILITIES = ((0.5, BLUE, "o"), (0.2, GREEN, "s"), (0.05, VERMILION, "^"))


def _curve(value: Callable[..., Any], p: float, *options: int) -> NDArray[np.float64]:
    """A quantity of `reference.group` at every group size."""
    return np.array([float(value(p, size, *options)) for size in SIZES])


def draw() -> Figure:
    """Draw four panels over the group size: drift ratio, E[std], collapsed fraction, variance of the estimator."""
    from matplotlib.lines import Line2D

    from reference.expansion import drift_ratio_expansion, noise_variance_expansion
    from reference.group import collapsed_fraction, drift_ratio, expected_std, noise_variance, population_noise_variance

    sizes = np.array(SIZES)
    figure, panels = canvas(_TITLE.replace("; ", ";\n"), 10.0, 7.6, 2, 2, same_heights=False)
    drift, spread, collapsed, noise = panels
    for p, colour, marker in PROBABILITIES:
        sigma = (p * (1 - p)) ** 0.5
        good = 2 / (p * (1 - p)) <= sizes  # the expansions are series in 1/(p (1-p) G)

        def dots(panel: Axes, exact: NDArray[np.float64], face: str = colour, c: str = colour, m: str = marker) -> None:
            panel.plot(sizes, exact, color=c, marker=m, ms=5, ls="", mfc=face)

        for ddof in (0, 1):
            face = colour if ddof == 0 else "white"
            dots(drift, _curve(drift_ratio, p, ddof), face)
            dots(spread, _curve(expected_std, p, ddof) / sigma, face)
            series = _curve(drift_ratio_expansion, p, ddof)
            drift.plot(sizes[good], series[good], color=colour, lw=1.4)
            factor = sizes / (sizes - 1.0) if ddof else np.ones(len(sizes))  # from the drift's ddof to the std's
            spread.plot(sizes[good], (series * factor)[good], color=colour, lw=1.4)
        dots(collapsed, _curve(collapsed_fraction, p))
        collapsed.plot(sizes, (1 - p) ** sizes if p < 0.5 else 0.5 ** (sizes - 1), color=colour, lw=1.4)
        dots(noise, _curve(noise_variance, p) / sizes)
        series = _curve(noise_variance_expansion, p, 2) / sizes
        noise.plot(sizes[good], series[good], color=colour, lw=1.4)
        if p < 0.5:
            noise.plot(sizes, float(population_noise_variance(p)) / sizes, color=colour, lw=1.2, ls=(0, (2, 2)))
    drift.set(xscale="log", ylim=(0, 1.03))
    spread.set(ylim=(0, 1.03))
    collapsed.set(yscale="log", ylim=(1e-4, 1.3))
    noise.set(yscale="log", ylim=(5e-6, 0.6))
    titles = (
        "drift over its infinite-group limit",
        "mean within-group std over σ",
        "share of groups without spread",
        "variance of the one-group estimator (logit)",
    )
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(title, loc="left", fontsize=10.5)
        for size in PAPER:
            panel.axvline(size, color=GREY, lw=0.8, ls=(0, (1, 2)), zorder=0)
        panel.set_xticks([2, 4, 8, 16, 32, 64, 128], ["2", "4", "8", "16", "32", "64", "128"])
        panel.minorticks_off()
    for panel in (collapsed, noise):
        panel.set_xlabel("group size $G$", fontsize=10.5)
    handles = [Line2D([], [], color=c, marker=m, ls="", ms=6, label=f"p = {p:g}") for p, c, m in PROBABILITIES]
    handles += [
        Line2D([], [], color=BLACK, marker="o", ls="", ms=6, label="exact, ddof 0 (Eq. 1)"),
        Line2D([], [], color=BLACK, marker="o", mfc="white", ls="", ms=6, label="exact, ddof 1 (trainers)"),
        Line2D([], [], color=BLACK, lw=1.4, label="large-G expansion to 1/G²"),
        Line2D([], [], color=BLACK, lw=1.2, ls=(0, (2, 2)), label="Lemma 6 with the known std"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=9.5, frameon=False)
    return figure


_TITLE = (
    "The group size sets the drift itself, not the noise alone; "
    "at p = 0.05 a group of 4 drifts at less than half of the limit, and its noise is not Lemma 6's"
)

FINITE_GROUPS = LedgerFigure(
    name="finite-groups",
    title=_TITLE,
    caption=(
        "Bernoulli(p) rewards; p and 1 - p are alike. Dots: exact sums over the binomial. Lines: the expansions to "
        "second order in 1/G, from p (1-p) G = 2 on; for the collapsed share its larger term alone, (1-p)^G (2^(1-G) "
        "at p = 1/2). Upper left: what Proposition 10 takes to be 1. Lower right: Var of sqrt(phat (1-phat)), which "
        "falls as (1-2p)^2/(4G), at p = 1/2 as 1/(8G^2); short dashes: (1-2p)^2/G, the covariance of Lemma 6 with mean "
        "and std known, four times that. Dotted verticals: G = 4 and 16."
    ),
    alt=(
        "Four panels over the group size from 2 to 128 on a log scale, for success probabilities 0.5, 0.2 and 0.05. "
        "The drift ratio rises from 0.5 at G = 2 to 0.81 at G = 4 for p = 0.5, and from 0.22 to 0.37 for p = 0.05; "
        "with ddof 1 it lies lower, while the mean standard deviation with ddof 1 lies higher. The share of groups "
        "without spread falls exponentially, slowly for p = 0.05. The variance falls like 1/G, at p = 0.5 like 1/G "
        "squared, and lies a factor of 4 below the dashed lines of Lemma 6 in large groups."
    ),
    claims=("prop-10", "remark-11", "new-finite-group-drift", "lemma-6", "new-estimated-spread-noise"),
    draw=draw,
)
