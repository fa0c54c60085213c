"""Renders a ledger into a directory: claims.json, index.html, findings.md, figures and one badge per claim.

Everything is written into a directory beside the target and swapped in at the end: an interrupted run leaves
what was there.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import anybadge
import jinja2

from verification.ledger import figures

COLOURS = {
    "proved": "#1a7f37",
    "held": "#3d8b40",
    "supported": "#4f7f1f",
    "narrowed": "#9a6700",
    "untestable": "#57606a",
    "untested": "#57606a",
    "suspect": "#cf222e",
    "refuted": "#8250df",
}
"""White text on each passes WCAG AA. Red is kept for what went wrong in this run; a refutation is a result."""

ORDER = ("refuted", "narrowed", "supported", "held", "proved", "untestable", "untested", "suspect")


def badge(label: str, status: str) -> str:
    """An SVG badge, the same whatever was made before it."""
    made = anybadge.Badge(label=label, value=status, default_color=COLOURS[status])
    made.mask_str = f"mask-{label}"  # by default a running number
    return str(made.badge_svg_text)


def endpoint(label: str, status: str) -> dict[str, object]:
    """The same badge as a shields.io endpoint."""
    return {"schemaVersion": 1, "label": label, "message": status, "color": COLOURS[status].lstrip("#")}


def overall(book: dict[str, Any]) -> str:
    """The status of the whole: suspect when the run has problems, else proved (of the ledger, not of the paper)."""
    return "suspect" if book["problems"] else "proved"


def write(book: dict[str, Any], target: Path) -> Path:
    """Render `book` into `target`, replacing what was there only once everything is written.

    Returns:
        The path of the page.

    Raises:
        OSError: the directory cannot be written; the old one is untouched.
    """
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
    try:
        fresh.chmod(0o755)
        _render(book, fresh)
        old = fresh.with_name(fresh.name + "-old")
        if target.exists():
            target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return target / "index.html"


def _render(book: dict[str, Any], folder: Path) -> None:
    (folder / "claims.json").write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=jinja2.select_autoescape(["html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    drawn = figures.render(folder / "figures", {claim["id"] for claim in book["claims"]})
    for template, name in (("page.html.jinja", "index.html"), ("findings.md.jinja", "findings.md")):
        text = environment.get_template(template).render(book=book, order=ORDER, colours=COLOURS, figures=drawn)
        (folder / name).write_text(text, encoding="utf-8")
    badges = folder / "badges"
    badges.mkdir()
    labels = [(c["id"], c["status"]) for c in book["claims"]]
    for label, status in labels:
        (badges / f"{label}.svg").write_text(badge(label, status), encoding="utf-8")
        (badges / f"{label}.json").write_text(json.dumps(endpoint(label, status)) + "\n", encoding="utf-8")
    whole = f"{len(labels)} claims judged" if not book["problems"] else f"{len(book['problems'])} problems"
    picture = anybadge.Badge(label="ledger", value=whole, default_color=COLOURS[overall(book)])
    (badges / "ledger.svg").write_text(picture.badge_svg_text, encoding="utf-8")
    summary = endpoint("ledger", overall(book)) | {"message": whole}
    (badges / "ledger.json").write_text(json.dumps(summary) + "\n", encoding="utf-8")
