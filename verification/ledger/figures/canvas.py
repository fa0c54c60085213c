"""Canvas: an empty figure in the ledger's style, without pyplot and its global state."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008): told apart under every common colour blindness.
BLUE, VERMILION, GREEN, ORANGE, SKY, BLACK, GREY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#6E7781",
)


def canvas(
    title: str, width: float, height: float, rows: int = 1, columns: int = 1, same_heights: bool = True
) -> tuple[Figure, list[Axes]]:
    """Make a white figure with a bold title and a grid of panels that share their axes' ranges.

    Args:
        title: what a reader should see, in at most two lines.
        width, height: inches.
        rows, columns: panels.
        same_heights: whether the panels share the vertical range too.

    Returns:
        The figure and its panels, row by row.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    panels: list[Axes] = list(figure.subplots(rows, columns, sharex=True, sharey=same_heights, squeeze=False).flat)
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#E4E7EB", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=9)
    return figure, panels


def label(panel: Axes, text: str, colour: str, at: float, end: float) -> None:
    """Name a curve outside the right edge of its panel, with a thin leader from where the curve ends.

    Args:
        panel: the panel.
        text: the name.
        colour: of text and leader.
        at: height of the text, in data.
        end: height at which the curve meets the edge, in data.
    """
    panel.annotate(
        text,
        xy=(1.0, end),
        xytext=(1.06, at),
        xycoords=panel.get_yaxis_transform(),
        color=colour,
        fontsize=9.5,
        va="center",
        annotation_clip=False,
        arrowprops={
            "arrowstyle": "-",
            "color": colour,
            "linewidth": 0.7,
            "shrinkA": 1,
            "shrinkB": 0,
            "relpos": (0, 0.5),
        },
    )
