"""What the tests of a run reported, gathered across processes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, ClassVar

import pytest

from spec.claim import Claim, Property
from spec.stamp import Stamp
from spec.verdict import STRENGTH, Evidence

if TYPE_CHECKING:
    from verification.evidence import Record

PROPERTY = "evidence"


@dataclass
class Ledger:
    """The evidence of one run, by arrival; `complete` when all of spec/ and verification/ was asked for."""

    KEY: ClassVar[pytest.StashKey[Ledger]] = pytest.StashKey()

    claims: dict[str, Claim]
    stamps: dict[str, Stamp]
    complete: bool = False
    evidence: list[Evidence] = field(default_factory=list)

    def take(self, report: pytest.TestReport) -> None:
        """Keep the evidence that a report carries, with the report's outcome."""
        for name, value in report.user_properties:
            if name == PROPERTY and not report.skipped:
                record = json.loads(str(value))
                for key in ("routes", "killed", "survived", "over_assumed"):
                    record[key] = tuple(record[key])
                record["passed"] = record["passed"] and report.passed
                self.evidence.append(Evidence(**record))


def attach(item: pytest.Item, evidence: Evidence) -> None:
    """Send evidence along with the item's report; JSON, so that it crosses xdist's process border."""
    item.user_properties.append((PROPERTY, json.dumps(asdict(evidence))))


def marks(item: pytest.Item) -> list[pytest.Mark]:
    """The claim marks of a test."""
    return list(item.iter_markers("claim"))


def complaint(item: pytest.Item, claims: dict[str, Claim]) -> str | None:
    """What is wrong with a test's marks, or None."""
    found = marks(item)
    if not found:
        if item.get_closest_marker("infrastructure"):
            return None
        return "names no claim: mark it @pytest.mark.claim(id, step=..., kind=...) or @pytest.mark.infrastructure"
    for mark in found:
        id_ = str(mark.args[0]) if mark.args else ""
        if id_ not in claims:
            return f"names the claim {id_!r}, which spec/ does not have"
        name, kind = mark.kwargs.get("step"), mark.kwargs.get("kind")
        steps = {s.name: s for s in claims[id_].steps}
        if not isinstance(steps.get(str(name)), Property):
            own = [s.name for s in claims[id_].steps if isinstance(s, Property)]
            return f"names the step {name!r} of {id_!r}; the steps that tests decide are {own}"
        if kind not in STRENGTH:
            return f"says kind={kind!r}; expected one of {sorted(STRENGTH)}"
        if kind == "statistical" and not {"alpha", "power"} <= mark.kwargs.keys():
            return "is statistical and must state alpha= and power="
    return None


def function_id(nodeid: str) -> str:
    """A node id without its parameters."""
    return nodeid.split("[", 1)[0]


def report_marks(item: pytest.Item, record: Record) -> None:
    """Attach what a marked test found."""
    for mark in marks(item):
        own = {m.name for m in item.config.stash[Ledger.KEY].claims[mark.args[0]].mutants}
        attach(
            item,
            Evidence(
                claim=mark.args[0],
                step=mark.kwargs["step"],
                routes=(mark.kwargs["kind"],),
                passed=True,
                test=function_id(item.nodeid),
                examples=max(record.examples, 1),
                margin=record.margin,
                alpha=mark.kwargs.get("alpha"),
                power=mark.kwargs.get("power"),
                killed=tuple(m for m in record.killed if m in own),
                survived=tuple(m for m in record.survived if m in own),
            ),
        )
