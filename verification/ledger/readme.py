"""The generated parts of the README: the table of claims, and the badges that it shows.

`python -m verification.ledger.readme` (or `tox -e readme`) writes them; a test fails when they are stale. The
verdicts shown are the declared ones, which `tox -e claims` holds against the evidence of its run.
"""

from __future__ import annotations

from pathlib import Path

from spec import CLAIMS
from spec.claim import Claim, Status
from verification.ledger.badges import badge

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BADGES = ROOT / "docs" / "badges"
START, END = "<!-- claims: written by `tox -e readme` -->", "<!-- end of claims -->"


def table(claims: dict[str, Claim]) -> str:
    """The table of claims in markdown, one row a claim, with a summary line above."""
    counts = {s: sum(c.verdict is s for c in claims.values()) for s in Status}
    summary = ", ".join(f"{n} {s.value}" for s, n in counts.items() if n)
    rows = [f"{len(claims)} claims: {summary}.", "", "| verdict | where | finding |", "| --- | --- | --- |"]
    for claim in claims.values():
        where = "; ".join(str(c) for c in claim.cites) or "corrects " + ", ".join(claim.corrects)
        because = claim.because.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
        rows.append(f"| ![{claim.id}: {claim.verdict.value}](docs/badges/{claim.id}.svg) | {where} | {because} |")
    return "\n".join(rows)


def filled(text: str, claims: dict[str, Claim]) -> str:
    """The README with its generated part replaced.

    Raises:
        ValueError: a marker of the generated part is missing.
    """
    if START not in text or END not in text:
        raise ValueError(f"{README}: expected the markers {START!r} and {END!r}")
    head, rest = text.split(START, 1)
    return f"{head}{START}\n{table(claims)}\n{END}{rest.split(END, 1)[1]}"


def badges(claims: dict[str, Claim]) -> dict[str, str]:
    """File name -> SVG of every claim's badge."""
    return {f"{id_}.svg": badge(id_, claim.verdict.value) for id_, claim in claims.items()}


def main() -> None:
    """Write the generated part of the README and docs/badges/."""
    README.write_text(filled(README.read_text(encoding="utf-8"), CLAIMS), encoding="utf-8")
    BADGES.mkdir(parents=True, exist_ok=True)
    fresh = badges(CLAIMS)
    for old in BADGES.glob("*.svg"):
        if old.name not in fresh:
            old.unlink()
    for name, svg in fresh.items():
        (BADGES / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
