"""Tracking: how far Lemma 4's ODE strays from the map, against the time step, in three scalings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verification.ledger.figures.canvas import BLUE, GREEN, GREY, VERMILION, canvas
from verification.ledger.figures.ledger_figure import LedgerFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from reference.momentum import Launch, Scaling

MU, GAIN, HORIZON = 0.5, 0.05, 20  # at delta = 1; overdamped there and in every scaling, so that a slow mode exists
HALVINGS = 10


def largest_error(scaling: Scaling, launch: Launch, delta: float) -> float:
    """Largest |map - ODE| at whole steps up to the time HORIZON, from the map's own start (1, 1 - a).

    Args:
        scaling: how mu and the gain move with delta; see `reference.momentum.scaled`.
        launch: where the ODE starts; see `reference.momentum.ode_error`.
        delta: time step in (0, 1].
    """
    from reference.momentum import ode_error, scaled

    mu, gain = scaled(scaling, MU, GAIN, delta)
    steps = np.arange(round(HORIZON / delta) + 1)
    return float(np.max(np.abs(ode_error(mu, gain, steps, launch, 1.0, 1.0 - gain))))


def draw() -> Figure:
    """Draw one panel a scaling, one line a start, with a guide line of the slope that the panel ends in."""
    deltas = 2.0 ** -np.arange(HALVINGS)
    figure, panels = canvas(_TITLE.replace(": ", ":\n", 1), 10.0, 4.6, 1, 3)
    scalings: tuple[tuple[Scaling, str], ...] = (
        ("fixed", "η fixed: μ and ηK stay put"),
        ("gain", "μ fixed, ηK ∝ δ"),
        ("inertial", "inertial: 1−μ ∝ δ, ηK ∝ δ²"),
    )
    starts: tuple[tuple[Launch, str, str, str], ...] = (
        ("rest", VERMILION, "s", "from zero velocity"),
        ("matched", BLUE, "o", "through (e₀, e₁)"),
        ("slow", GREEN, "^", "on the slow mode"),
    )
    for panel, (scaling, name) in zip(panels, scalings, strict=True):
        for launch, colour, marker, text in starts:
            errors = [largest_error(scaling, launch, float(d)) for d in deltas]
            panel.loglog(deltas, errors, color=colour, marker=marker, ms=4, lw=1.8, label=text)
        panel.set_title(name, loc="left", fontsize=10.5)
        panel.set(xlim=(deltas[-1] / 1.3, 1.3), ylim=(2e-10, 0.6), xlabel="time step δ")
    corner = np.array([0.004, 0.032])
    for panel, orders in zip(panels, ((0,), (1, 2), (1, 2)), strict=True):
        for order in orders:
            guide = _GUIDES[order] * (corner / corner[-1]) ** order
            panel.loglog(corner, guide, color=GREY, lw=1.0, ls="--")
            panel.annotate(
                f"slope {order}",
                (corner[-1], guide[-1]),
                xytext=(5, 0),
                textcoords="offset points",
                fontsize=9.5,
                color=GREY,
                va="center",
            )
    panels[0].set_ylabel(f"largest |map − ODE|, 0 ≤ t ≤ {HORIZON}", fontsize=10.5)
    panels[0].legend(
        title="the ODE starts", loc="lower left", fontsize=9.5, title_fontsize=9.5, alignment="left", frameon=False
    )
    for panel in panels:
        panel.minorticks_off()  # last: each loglog brings them back
    return figure


_GUIDES = {0: 0.1, 1: 3e-2, 2: 3e-8}

_TITLE = (
    "Lemma 4's order depends on what is held fixed: "
    "0 with η fixed, 1 with μ fixed (slow mode: 2), 2 in the inertial scaling if matched"
)

TRACKING = LedgerFigure(
    name="tracking",
    title=_TITLE,
    caption=(
        "Largest distance between the heavy-ball map, from its own start (1, 1 - eta K), and the ODE of Lemma 4 up to "
        f"the time {HORIZON}. All three scalings agree at delta = 1, with mu = {MU:g} and eta K = {GAIN:g}. For the "
        "slow mode the map and the ODE start on their own slow modes, from the same e_0."
    ),
    alt=(
        "Three log-log panels of the largest error against the time step. With the learning rate fixed all curves are "
        "level. With mu fixed and eta K proportional to delta the errors from zero velocity and through the first two "
        "values fall with slope 1, and on the slow mode with slope 2. In the inertial scaling the error through the "
        "first two values and on the slow mode falls with slope 2, from zero velocity with slope 1."
    ),
    claims=("lemma-4", "new-memory-is-pade", "new-slow-mode-tracking", "new-inertial-tracking"),
    draw=draw,
)
