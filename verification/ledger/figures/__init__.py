"""Figures of the ledger: drawn from reference/ and the frozen runs, written as SVG, each tied to its claims."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from verification.ledger.figures.bandit_regimes import BANDIT_REGIMES
from verification.ledger.figures.bandit_runs import BANDIT_RUNS
from verification.ledger.figures.finite_groups import FINITE_GROUPS
from verification.ledger.figures.ledger_figure import LedgerFigure
from verification.ledger.figures.network import NETWORK
from verification.ledger.figures.regimes import REGIMES
from verification.ledger.figures.threshold import THRESHOLD
from verification.ledger.figures.tracking import TRACKING

__all__ = ["FIGURES", "LedgerFigure", "render"]

FIGURES: tuple[LedgerFigure, ...] = (
    THRESHOLD,
    TRACKING,
    REGIMES,
    BANDIT_RUNS,
    BANDIT_REGIMES,
    FINITE_GROUPS,
    *NETWORK,
)


def render(folder: Path, ids: Collection[str]) -> list[dict[str, Any]]:
    """Write the figures of the claims in a book as SVG; two calls write the same bytes.

    Args:
        folder: where to; made if a figure is written.
        ids: the claims in the book; a figure that illustrates none of them is left out.

    Returns:
        One dictionary a figure: name, title, caption, alt, file (its name in `folder`) and claims, those in the book.

    Raises:
        OSError: the folder cannot be written.
    """
    written: list[dict[str, Any]] = []
    for figure in FIGURES:
        claims = [i for i in figure.claims if i in ids]
        if not claims:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        file = f"{figure.name}.svg"
        _save(figure, folder / file)
        written.append(
            {
                "name": figure.name,
                "title": figure.title,
                "caption": figure.caption,
                "alt": figure.alt,
                "claims": claims,
                "file": file,
            }
        )
    return written


def _save(figure: LedgerFigure, path: Path) -> None:
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()  # whatever matplotlibrc the user has
        mpl.rc("font", family="DejaVu Sans")
        mpl.rc("svg", fonttype="path", hashsalt="predictable-grpo")
        figure.draw().savefig(path, format="svg", metadata={"Date": None})
