"""What the pages say beyond the fields of claims.json, derived from it: sections, ancestors, kinds of evidence."""

from __future__ import annotations

import re
from typing import Any

SECTIONS = {
    "abstract": "Abstract",
    "3.1": "GRPO as momentum dynamics",
    "3.2": "The order parameter",
    "3.3": "From the update to an oscillator",
    "3.4": "Regimes, threshold, fluctuations",
    "3.5": "Saturation laws",
    "3.6": "What the theory predicts",
    "4.2": "Settings",
    "4.3": "Benchmarks",
    "4.4": "How fits are judged",
    "5.1": "Training curves",
    "5.2": "Reward hacking",
    "5.3": "Group size and spread",
    "5.4": "Entropy and KL",
    "5.5": "Stability of the runs",
    "5.6": "The exact bandit",
    "5.7": "Transfer",
    "A": "Appendix: the expansion",
    "B": "Appendix: the configuration",
}
"""Section -> what it is about, in our words."""

KINDS = {
    "symbolic": "algebra, to exact zero",
    "exact": "a finite decision in exact arithmetic",
    "numeric": "the same identity at 50 digits",
    "property": "property tests against an independent implementation",
    "statistical": "a statistical test of simulated runs",
    "training": "frozen training runs of a small transformer",
    "none": "nothing: it needs what the paper does not publish",
}
"""Kind of evidence -> what it is. No test of this ledger trains a model: "training" reads runs that were kept."""


READERS = ("verification/test_small.py::", "verification/test_network.py::")
"""The tests that read frozen training runs."""

LATER: dict[str, Any] = {"short": "", "tested_by": None, "training": []}
"""Fields that a claim made by hand may lack."""


def section(claim: dict[str, Any], claims: dict[str, dict[str, Any]]) -> str:
    """The section that a claim belongs to: of its first citation, or of the first claim that it corrects."""
    for cite in claim["cites"]:
        return str(cite).rsplit("Section ", 1)[-1]
    return next((section(claims[i], claims) for i in claim["corrects"] if i in claims), "other")


def order(name: str) -> tuple[int, list[int], str]:
    """Sorts sections as the paper does: the abstract, numbers, appendices."""
    numbers = [int(n) for n in re.findall(r"\d+", name)]
    return (0 if name == "abstract" else 1 if numbers else 2, numbers, name)


def kinds(claim: dict[str, Any]) -> list[str]:
    """The kinds of evidence that the run had for or against a claim, in the order of KINDS."""
    found = {route for step in claim["steps"] for e in step["evidence"] for route in e["routes"]}
    found |= {"training"} if claim.get("training") or trained(claim) else set()
    return [k for k in KINDS if k in found] or ["none"]


def trained(claim: dict[str, Any]) -> bool:
    """Whether tests that read frozen training runs decide a step of the claim; beside the verdict they decide none."""
    return any(e["test"].startswith(READERS) for step in claim["steps"] for e in step["evidence"])


def closure(start: str, claims: dict[str, dict[str, Any]], key: str) -> list[str]:
    """All claims reached from one by following `uses` or `used_by`, in the order of the book, without itself."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for id_ in claims[todo.pop()][key]:
            if id_ in claims and id_ not in seen:
                seen.add(id_)
                todo.append(id_)
    return [id_ for id_ in claims if id_ in seen]


def title(claim: dict[str, Any]) -> str:
    """What a claim is called: its number in the paper, else what was found in short, else its id."""
    if claim["cites"] and not claim["id"].startswith("new-"):
        named, _, place = str(claim["cites"][0]).partition(", ")
        short = claim.get("short") or ""
        return named if place or not short else f"{named}: {short}"
    short = str(claim.get("short") or claim["id"])
    return short[0].upper() + short[1:]


def sentences(text: str) -> list[str]:
    """The sentences of a text; a full stop ends one where a capital follows."""
    return re.split(r"(?<=\.) (?=[A-Z])", text.strip())


def counterexample(claim: dict[str, Any]) -> dict[str, Any] | None:
    """The one to show first: that of the printed formula, else the one with the shortest values."""
    found = [s for s in claim["steps"] if s["type"] == "Counterexample"]
    return min(found, key=lambda s: (s["name"] != claim.get("tested_by"), len(s["at"]), len(s["python"])), default=None)


def arranged(book: dict[str, Any]) -> list[dict[str, Any]]:
    """Sections in reading order, each with `name`, `about` and its `claims`, which carry what is derived.

    The derived keys of a claim: `section`, `title`, `kinds`, `rests` and `carries` (all, not only direct), `weakest`
    (those that its status with all ancestors is due to), `corrected_by`, `beside` (claims about the same numbered
    statement of the paper), `example` and `unders` (the assumptions under which it holds).
    """
    claims = {c["id"]: c for c in book["claims"]}
    views: dict[str, list[dict[str, Any]]] = {}
    for id_, claim in claims.items():
        rests = closure(id_, claims, "uses")
        own = {c.split(",")[0] for c in claim["cites"] if "," in c}
        numbers = {n for n in own if n.lower().startswith(("prop", "lem", "the", "rem", "cor", "ass", "eq", "fig"))}
        view = (
            LATER
            | claim
            | {
                "section": section(claim, claims),
                "title": title(claim),
                "kinds": kinds(claim),
                "rests": rests,
                "carries": closure(id_, claims, "used_by"),
                "weakest": [i for i in rests if claims[i]["status"] == claim["with_ancestors"] != claim["status"]],
                "corrected_by": [i for i, c in claims.items() if id_ in c["corrects"]],
                "beside": [
                    i for i, c in claims.items() if i != id_ and numbers & {x.split(",")[0] for x in c["cites"]}
                ],
                "example": counterexample(claim),
                "unders": list(dict.fromkeys(s["under"] for s in claim["steps"] if "under" in s)),
            }
        )
        views.setdefault(view["section"], []).append(view)
    return [{"name": n, "about": SECTIONS.get(n, ""), "claims": views[n]} for n in sorted(views, key=order)]
