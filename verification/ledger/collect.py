"""What the tests of a run reported, gathered across processes."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, ClassVar

import pytest

from spec.claim import Claim, Property
from spec.stamp import Stamp
from spec.verdict import Evidence

if TYPE_CHECKING:
    from verification.evidence import Record

PROPERTY = "evidence"
KINDS = ("exact", "property", "statistical")
"""What a test may call itself; symbolic and numeric are the routes of spec/."""

TRAINING = "training"
"""What frozen training runs show beside a verdict. It bears on a whole claim, has no step, and decides nothing."""


@dataclass
class Ledger:
    """The evidence of one run, by arrival; `complete` when all of spec/ and verification/ was asked for."""

    KEY: ClassVar[pytest.StashKey[Ledger]] = pytest.StashKey()

    claims: dict[str, Claim]
    stamps: dict[str, Stamp]
    complete: bool = False
    evidence: list[Evidence] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def take(self, report: pytest.TestReport) -> None:
        """Keep the evidence that a report carries, with the report's outcome."""
        for name, value in report.user_properties:
            if name == PROPERTY and not report.skipped:
                record = json.loads(str(value))
                for key in ("routes", "killed", "survived", "over_assumed"):
                    record[key] = tuple(record[key])
                record["passed"] = record["passed"] and report.passed
                self.evidence.append(Evidence(**record))

    def note(self, report: pytest.TestReport) -> None:
        """Remember a test that did not pass in any phase: a failed set-up, a dead worker, a skipped parameter.

        Such a report carries no evidence; what it bears on is known from the stamps, or from the id of a spec item.
        """
        if report.passed:
            return
        test = function_id(report.nodeid)
        (self.failed if report.failed else self.skipped).add(test)

    def bearing(self, test: str) -> set[str]:
        """The claims that a test bears on, by their stamps."""
        parts = test.split("::")
        named = {parts[1]} & set(self.claims) if len(parts) > 2 and test.startswith("spec/") else set()
        return named | {id_ for id_, stamp in self.stamps.items() if test in stamp["tests"]}


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
    steps_named = [(str(m.args[:1]), m.kwargs.get("step")) for m in found]
    if len(set(steps_named)) < len(steps_named):
        return "bears twice on one step: one test is one route"
    for mark in found:
        id_ = str(mark.args[0]) if mark.args else ""
        if id_ not in claims:
            return f"names the claim {id_!r}, which spec/ does not have"
        name, kind = mark.kwargs.get("step"), mark.kwargs.get("kind")
        if kind == TRAINING:
            if name is not None or "alpha" not in mark.kwargs:
                return f"says kind={TRAINING!r}: it names no step, and must state alpha="
            continue
        steps = {s.name: s for s in claims[id_].steps}
        if not isinstance(steps.get(str(name)), Property):
            own = [s.name for s in claims[id_].steps if isinstance(s, Property)]
            return f"names the step {name!r} of {id_!r}; the steps that tests decide are {own}"
        if kind not in KINDS:
            return f"says kind={kind!r}; expected one of {sorted(KINDS)}"
        if kind == "statistical" and not {"alpha", "power"} <= mark.kwargs.keys():
            return "is statistical and must state alpha= and power="
    return None


def function_id(nodeid: str) -> str:
    """A node id without its parameters."""
    return nodeid.split("[", 1)[0]


def report_marks(item: pytest.Item, record: Record) -> None:
    """Attach what a marked test found. A test that only kills mutants, or checks nothing, is no route."""
    examples = record.examples or int(_checks(item))
    for mark in marks(item):
        own = {m.name for m in item.config.stash[Ledger.KEY].claims[mark.args[0]].mutants}
        attach(
            item,
            Evidence(
                claim=mark.args[0],
                step=mark.kwargs.get("step", ""),
                routes=(mark.kwargs["kind"],) if examples else (),
                passed=True,
                test=function_id(item.nodeid),
                examples=examples,
                margin=record.margin,
                alpha=mark.kwargs.get("alpha"),
                power=record.power if mark.kwargs["kind"] == TRAINING else mark.kwargs.get("power"),
                detail=record.detail if mark.kwargs["kind"] == TRAINING else "",
                killed=tuple(m for m in record.killed if m in own),
                survived=tuple(m for m in record.survived if m in own),
            ),
        )


def _checks(item: pytest.Item) -> bool:
    """Whether a test asserts or calls anything itself, outside `kill(...)` and the helpers that it defines."""
    function = getattr(item, "function", None)
    if function is None:
        return False
    function = getattr(getattr(function, "hypothesis", None), "inner_test", function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    (test,) = (n for n in tree.body if isinstance(n, ast.FunctionDef))
    return any(_acts(statement) for statement in test.body)


def _acts(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "kill":
        return False
    if isinstance(node, ast.Assert | ast.Call):
        return True
    return any(_acts(child) for child in ast.iter_child_nodes(node))
