"""Badges: an SVG and a shields.io endpoint a claim, in words that a reader understands, and one for the whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anybadge

COLOURS = {
    "proved": "#1a7f37",
    "held": "#357a38",
    "supported": "#4f7f1f",
    "narrowed": "#9a6700",
    "untestable": "#57606a",
    "untested": "#57606a",
    "suspect": "#cf222e",
    "refuted": "#8250df",
}
"""White text on each passes WCAG AA. Red is kept for what went wrong in this run; a refutation is a result."""


def badge(label: str, status: str, short: str = "") -> str:
    """An SVG badge, the same whatever was made before it."""
    made = anybadge.Badge(label=label, value=_message(status, short), default_color=COLOURS[status])
    made.mask_str = f"mask-{label}"  # by default a running number
    return str(made.badge_svg_text)


def endpoint(label: str, status: str, short: str = "") -> dict[str, object]:
    """The same badge as a shields.io endpoint."""
    message = _message(status, short)
    return {"schemaVersion": 1, "label": label, "message": message, "color": COLOURS[status].lstrip("#")}


def whole(book: dict[str, Any]) -> tuple[str, str]:
    """Message and status (for its colour) of the badge of the whole ledger: red when the run has problems."""
    if book["problems"]:
        return f"{len(book['problems'])} problems", "suspect"
    if not book["complete"]:
        return f"partial run, {len(book['claims'])} claims", "untested"
    totals = ((book["totals"].get(s, 0), s) for s in ("refuted", "narrowed", "proved"))
    rest = ", ".join(f"{n} {s}" for n, s in totals if n)
    return f"{len(book['claims'])} claims judged: {rest}", "proved"


def write(book: dict[str, Any], folder: Path) -> None:
    """Write `ID.svg` and `ID.json` for every claim, and `ledger.svg` and `ledger.json`, into a new folder."""
    folder.mkdir()
    for claim in book["claims"]:
        about = (claim["id"], claim["status"], claim.get("short", ""))
        (folder / f"{claim['id']}.svg").write_text(badge(*about), encoding="utf-8")
        (folder / f"{claim['id']}.json").write_text(json.dumps(endpoint(*about)) + "\n", encoding="utf-8")
    message, status = whole(book)
    picture = anybadge.Badge(label="ledger", value=message, default_color=COLOURS[status])
    picture.mask_str = "mask-ledger"
    (folder / "ledger.svg").write_text(picture.badge_svg_text, encoding="utf-8")
    summary = endpoint("ledger", status) | {"message": message}
    (folder / "ledger.json").write_text(json.dumps(summary) + "\n", encoding="utf-8")


def _message(status: str, short: str) -> str:
    return f"{status}, {short}" if short else status
