"""A figure of the ledger: what it shows, which claims it illustrates, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class LedgerFigure:
    """A figure of the ledger.

    Attributes:
        name: stem of its file, lower-case with hyphens.
        title: what a reader should see, in one sentence.
        caption: how to read it: symbols, units, which lines are exact.
        alt: the content in words, for readers who cannot see it.
        claims: ids it illustrates; the page shows it at the first of them.
        draw: draws it from `reference` or the frozen runs, which are imported only then.
    """

    name: str
    title: str
    caption: str
    alt: str
    claims: tuple[str, ...]
    draw: Callable[[], Figure]
