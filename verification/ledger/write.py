"""Renders a ledger into a directory: claims.json, the pages, findings.md, figures and one badge per claim.

Everything is written into a directory beside the target and swapped in at the end: an interrupted run leaves
what was there.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import jinja2

from verification.ledger import badges, figures, graph, views
from verification.ledger.badges import COLOURS
from verification.ledger.phrases import HIGHLIGHTS

TEMPLATES = Path(__file__).with_name("templates")
ORDER = ("refuted", "narrowed", "supported", "held", "proved", "untestable", "untested", "suspect")


def write(book: dict[str, Any], target: Path, drawn: Path | None = None) -> Path:
    """Render `book` into `target`, replacing what was there only once everything is written.

    Args:
        book: the content of a claims.json.
        target: a directory; made if it is not there.
        drawn: a directory with the figures of this book; they are drawn if there is none.

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
        _render(book, fresh, drawn)
        old = fresh.with_name(fresh.name + "-old")
        if target.exists():
            target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return target / "index.html"


def _render(book: dict[str, Any], folder: Path, drawn: Path | None) -> None:
    (folder / "claims.json").write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=jinja2.select_autoescape(["html.jinja"]),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.tests["beginning"] = str.startswith
    environment.filters["sentences"] = views.sentences
    environment.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    sections = views.arranged(book)
    claims = {claim["id"]: claim for section in sections for claim in section["claims"]}
    counts = Counter(kind for claim in claims.values() for kind in claim["kinds"])
    printed = [id_ for id_ in claims if not id_.startswith("new-")]
    failing = {i for i, c in claims.items() if c["status"] in ("refuted", "narrowed")}
    environment.globals |= {
        "book": book,
        "order": ORDER,
        "colours": COLOURS,
        "figures": _figures(folder / "figures", set(claims), drawn),
        "sections": sections,
        "claims": claims,
        "code_made": sum(file["mutants"] for file in book["code"]),
        "code_killed": sum(file["killed"] for file in book["code"]),
        "trained": [id_ for id_, claim in claims.items() if views.trained(claim)],
        "code_scored": sum(file["mutants"] > 0 for file in book["code"]),
        "printed": printed,
        "printed_counts": Counter(claims[id_]["status"] for id_ in printed),
        "corrections": len(claims) - len(printed),
        "kinds": views.KINDS,
        "kind_counts": counts,
        "highlights": [h for h in HIGHLIGHTS if h["claim"] in failing],
    }
    pages = {"page.html.jinja": "index.html", "code.html.jinja": "code.html", "findings.md.jinja": "findings.md"}
    for template, name in pages.items():
        (folder / name).write_text(environment.get_template(template).render(), encoding="utf-8")
    page = environment.get_template("graph.html.jinja").render(svg=graph.svg(book))
    (folder / "graph.html").write_text(page, encoding="utf-8")
    (folder / "claims").mkdir()
    one = environment.get_template("claim.html.jinja")
    for id_, claim in claims.items():
        (folder / "claims" / f"{id_}.html").write_text(one.render(claim=claim), encoding="utf-8")
    for name in ("style.css", "page.js"):
        shutil.copyfile(TEMPLATES / name, folder / name)
    badges.write(book, folder / "badges")


def _figures(folder: Path, ids: set[str], drawn: Path | None) -> list[dict[str, Any]]:
    if drawn is None:
        return figures.render(folder, ids)
    entries = []
    for figure in figures.FIGURES:
        shown = [i for i in figure.claims if i in ids]
        file = f"{figure.name}.svg"
        if shown:
            folder.mkdir(exist_ok=True)
            shutil.copyfile(drawn / file, folder / file)
            words = {key: getattr(figure, key) for key in ("name", "title", "caption", "alt")}
            entries.append({**words, "claims": shown, "file": file})
    return entries
