"""What changed between two ledgers: `python -m verification.ledger.diff OLD.json NEW.json` (claims diff).

One line a change: verdicts first, then claims that came or went, margins, stamps and words. Exit code 0 where no
verdict changed, 1 where one did (or a claim went), 2 where a file cannot be used.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verification.ledger.book import BookError, read

NOTABLE = 0.1
"""Relative change of a margin from which on it is listed.

The examples are the same in every run (derandomised), so an unchanged claim keeps its margins up to the rounding of
another machine's libm; a tenth of a margin is far above that and far below what a looser bound would show.
"""


@dataclass(frozen=True)
class Change:
    """One difference. `kind` is verdict, gone, new, margin, stamp or words; the first two make the exit code 1."""

    kind: str
    claim: str
    says: str

    @property
    def grave(self) -> bool:
        """Whether a verdict is concerned that stood before."""
        return self.kind in ("verdict", "gone")


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """All differences between two books, by gravity and then in the order of the newer one."""
    before = {c["id"]: c for c in old["claims"]}
    after = {c["id"]: c for c in new["claims"]}
    found = [Change("gone", i, f"it was {c['status']}") for i, c in before.items() if i not in after]
    found += [Change("new", i, c["status"]) for i, c in after.items() if i not in before]
    for id_ in (i for i in after if i in before):
        found += _of_claim(id_, before[id_], after[id_])
    rank = ("verdict", "gone", "new", "margin", "stamp", "words")
    return sorted(found, key=lambda change: rank.index(change.kind))


def _of_claim(id_: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    if old["status"] != new["status"]:
        yield Change("verdict", id_, f"{old['status']} -> {new['status']}")
    elif old["with_ancestors"] != new["with_ancestors"]:
        was, is_ = old["with_ancestors"], new["with_ancestors"]
        yield Change("verdict", id_, f"with all that it rests on: {was} -> {is_}")
    if old["content"] != new["content"]:
        yield Change("stamp", id_, f"its content changed: {old['content']} -> {new['content']}")
    was, now = _margins(old), _margins(new)
    for key in sorted(was.keys() | now.keys()):
        yield from _of_margin(id_, key, was.get(key), now.get(key))
    for field in ("because", "short"):
        if old[field] != new[field]:
            yield Change("words", id_, f"{field}: {old[field]!r} -> {new[field]!r}")


def _of_margin(id_: str, key: tuple[str, str], was: float | None, now: float | None) -> Iterator[Change]:
    step, test = key
    if was is None or now is None:
        yield Change("margin", id_, f"{step}: {'no longer' if now is None else 'now'} decided by {test}")
    elif abs(was - now) > NOTABLE * max(abs(was), abs(now)):
        yield Change("margin", id_, f"{step}: {was:.3g} -> {now:.3g} in {test}")


def _margins(claim: dict[str, Any]) -> dict[tuple[str, str], float]:
    """Step and test -> smallest margin; where a test has none, its number of examples must not matter: 0."""
    return {
        (step["name"], e["test"]): e["margin"] if e["margin"] is not None else 0.0
        for step in claim["steps"]
        for e in step["evidence"]
    }


def main(arguments: list[str] | None = None) -> int:
    """Print the differences; the exit code."""
    parser = argparse.ArgumentParser(prog="claims diff", description=__doc__)
    parser.add_argument("old", type=Path, help="the claims.json to compare with")
    parser.add_argument("new", type=Path, help="the claims.json of this run")
    given = parser.parse_args(arguments)
    try:
        found = changes(read(given.old), read(given.new))
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    for change in found:
        print(f"{change.kind:8}{change.claim}: {change.says}")
    grave = sum(change.grave for change in found)
    print(f"{len(found)} changes, {grave} of a verdict")
    return 1 if grave else 0


if __name__ == "__main__":
    sys.exit(main())
