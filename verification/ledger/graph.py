"""The graph of what rests on what, laid out in layers and drawn as one inline SVG.

Layers are those of the longest chain below a claim; within them the order is improved by barycentre sweeps (Sugiyama,
Tagawa and Toda, 1981), with empty places where an edge crosses a layer. The same book gives the same bytes.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import Any

import networkx as nx

from verification.ledger.badges import COLOURS

WIDTH, HEIGHT, GAP_X, GAP_Y = 168, 30, 56, 10
SWEEPS = 24


def graph(book: dict[str, Any]) -> nx.DiGraph:
    """Edges run from a claim to the claims that rest on it; claims without any are left out."""
    made: nx.DiGraph = nx.DiGraph()
    for claim in book["claims"]:
        made.add_edges_from((used, claim["id"]) for used in claim["uses"])
    return made


def layers(made: nx.DiGraph) -> list[list[str]]:
    """Node names by layer, from what rests on nothing; names that begin with '|' are places where an edge passes."""
    level: dict[str, int] = {}
    for node in nx.topological_sort(made):
        level[node] = 1 + max((level[p] for p in made.predecessors(node)), default=-1)
    rows: list[list[str]] = [[] for _ in range(1 + max(level.values(), default=-1))]
    for node, row in level.items():
        rows[row].append(node)
    links: dict[str, list[str]] = {node: [] for node in made}
    for a, b in made.edges:
        for here, there in pairwise(_chain(a, b, level)):
            for node in (here, there):
                if node not in links:
                    links[node] = []
                    rows[int(node.split("|")[1])].append(node)
            links[here].append(there)
            links[there].append(here)
    place = {node: float(i) for row in rows for i, node in enumerate(row)}
    index = {node: i for i, row in enumerate(rows) for node in row}
    for sweep in range(SWEEPS):
        downward = sweep % 2 == 0
        for i in range(len(rows)) if downward else reversed(range(len(rows))):
            beside = i - 1 if downward else i + 1
            middle = {}
            for node in rows[i]:
                near = [place[n] for n in links[node] if index[n] == beside]
                middle[node] = sum(near) / len(near) if near else place[node]
            rows[i].sort(key=lambda node: (middle[node], node))
            place |= {node: float(j) for j, node in enumerate(rows[i])}
    return rows


def svg(book: dict[str, Any], link: str = "index.html#{}") -> str:
    """The graph as an SVG element: every node a link, filled by status, framed by the status with all ancestors."""
    made = graph(book)
    claims = {claim["id"]: claim for claim in book["claims"]}
    rows = layers(made)
    tallest = max((sum(_high(n) for n in row) for row in rows), default=0)
    at: dict[str, tuple[float, float]] = {}
    for i, row in enumerate(rows):
        y = (tallest - sum(_high(n) for n in row)) / 2 + 8
        for node in row:
            at[node] = (8 + i * (WIDTH + GAP_X), y + _high(node) / 2)
            y += _high(node)
    level = {node: i for i, row in enumerate(rows) for node in row if "|" not in node}
    wide, high = 16 + len(rows) * (WIDTH + GAP_X) - GAP_X, tallest + 16
    parts = [
        f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high:g}" width="{wide}" '
        f'height="{high:g}" role="group" aria-labelledby="graph-title">',
        f'<title id="graph-title">What rests on what: {made.number_of_nodes()} claims</title>',
        '<g class="edges" aria-hidden="true">',
    ]
    for a, b in sorted(made.edges):
        chain = _chain(a, b, level)
        d = ""
        for here, there in pairwise(chain):
            x1, y1 = at[here][0] + WIDTH, at[here][1]
            x2, y2 = at[there]
            bend = GAP_X / 2
            d += f"{'M' if not d else 'L'}{x1:g} {y1:.1f}C{x1 + bend:g} {y1:.1f} {x2 - bend:g} {y2:.1f} {x2:g} {y2:.1f}"
        parts.append(f'<path data-from="{a}" data-to="{b}" d="{d}"/>')
    parts.append("</g>")
    for node in (n for row in rows for n in row if "|" not in n):
        claim, (x, y) = claims[node], at[node]
        words = f"{node}: {claim['status']}; with all that it rests on: {claim['with_ancestors']}"
        frame = COLOURS[claim["with_ancestors"]]
        size = f' textLength="{WIDTH - 16}" lengthAdjust="spacingAndGlyphs"' if len(node) > 18 else ""
        parts.append(
            f'<a href="{escape(link.format(node))}" aria-label="{escape(words)}" data-claim="{node}">'
            f"<title>{escape(words)}</title>"
            f'<rect x="{x:g}" y="{y - HEIGHT / 2:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="6" '
            f'fill="{COLOURS[claim["status"]]}"/>'
            f'<rect class="frame" x="{x:g}" y="{y - HEIGHT / 2:.1f}" width="7" height="{HEIGHT}" fill="{frame}"/>'
            f'<text x="{x + 12:g}" y="{y + 4:.1f}"{size}>{node}</text></a>'
        )
    return "\n".join([*parts, "</svg>"])


def _high(node: str) -> float:
    return 8.0 if "|" in node else HEIGHT + GAP_Y


def _chain(a: str, b: str, level: dict[str, int]) -> list[str]:
    return [a, *(f"{a}|{i}|{b}" for i in range(level[a] + 1, level[b])), b]
