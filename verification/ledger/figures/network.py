"""Network: what a small transformer did under TRL, from the frozen runs of the refresh sweep."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from verification.ledger.figures.ledger_figure import LedgerFigure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SETTING = (
    "Transformer of 3e4 weights, sums with a one-token answer, TRL; p: exact mean success probability over all 100 "
    "prompts after each step. "
)
_TWIN = "Thin: a sampled run each. Dashed: the exact expected update of the same network."


@cache
def _results() -> tuple[Any, ...]:
    from empirical.sweep.guide import FROZEN
    from empirical.sweep.store import unpack

    return tuple(unpack(FROZEN))


def _drawn(name: str) -> Callable[[], Figure]:
    def draw() -> Figure:
        from empirical.sweep.plots import PLOTS

        figure: Figure = PLOTS[name](_results())
        return figure

    return draw


NETWORK: tuple[LedgerFigure, ...] = (
    LedgerFigure(
        name="network-refresh",
        title="In a network a refresh interval leaves the rise where it is; some long ones fall by noise",
        caption=_SETTING + "SGD with momentum 0.9 at 5e-4, G = 8, no clip. " + _TWIN,
        alt="Four panels, on-policy and refresh every 4, 16 and 64 steps: in each the curves rise alike from 0.3 to "
        "0.95 and lie on the dashed twin; at 16 and 64 single runs fall for a while and come back.",
        claims=("sec-3.6", "theorem-7"),
        draw=_drawn("refresh"),
    ),
    LedgerFigure(
        name="network-stale",
        title="At a large learning rate a long refresh interval ends in collapse, and the expected update does not",
        caption=_SETTING + "SGD with momentum 0.9 at 2e-3 and AdamW at 1e-3, G = 8, no clip. " + _TWIN,
        alt="Four panels, SGD and AdamW, on-policy and refresh every 64 steps. On-policy all runs rise and stay. With "
        "the long interval every run rises, then falls: those of SGD to 0 or 0.1 for good, those of AdamW to between "
        "0.1 and 0.35 with some recovery. The dashed twins rise and stay in all four.",
        claims=("new-refresh-noise", "sec-3.6"),
        draw=_drawn("stale"),
    ),
    LedgerFigure(
        name="network-delay",
        title="Gradients far too late make every run swing, and its twin; a refresh interval makes no twin swing",
        caption=_SETTING + "SGD with momentum 0.9 at 5e-4, G = 8, no clip. " + _TWIN,
        alt="Three panels. Gradients 2 steps late: the curves rise on the twin. 16 steps late: all curves and twins "
        "swing between 0.1 and 0.65 and never settle. Refresh every 64 steps: the curves rise, single runs fall for a "
        "while.",
        claims=("lemma-5", "prop-9"),
        draw=_drawn("delay"),
    ),
    LedgerFigure(
        name="network-stiffness",
        title="The stiffest mode of a network is more than ten times as stiff as its reward curve says",
        caption=_SETTING + "Top eigenvalue of the linearised expected update, by Hessian-vector products, and (1 - mu) "
        "/ eta times the rate of an exponential fitted to the same network's curve; a line a warm-up, log axis.",
        alt="The fitted stiffness lies near 4 for six warm-ups, a flat line each; the top eigenvalue lies near 60 at "
        "the first step of the rise and above 100 from its middle on.",
        claims=("new-stiffest-mode", "prop-9"),
        draw=_drawn("stiffness"),
    ),
    LedgerFigure(
        name="network-group-size",
        title="In a network small groups learn slower, by what the exact finite-group drift says",
        caption=_SETTING + "SGD with momentum 0.9 at 5e-4, 128 completions a step. Left: curves of one warm-up. Right: "
        "steps to p = 0.8 over those of G = 8, 95% intervals over six warm-ups; grey: the drift's range whatever the "
        "network.",
        alt="Left: G = 2 rises slowest, then 4, 8 and 16. Right: the ratios are about 2.5, 1.26 and 0.92 for G = 2, 4 "
        "and 16, each inside its grey range.",
        claims=("prop-10", "remark-11", "lemma-6"),
        draw=_drawn("group-size"),
    ),
)
