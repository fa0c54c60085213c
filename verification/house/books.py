"""A ledger as it is when every test passes, made from the claims in a second: what the tests of its views look at."""

from __future__ import annotations

from functools import cache
from typing import Any

from spec import CLAIMS
from spec.claim import Claim, Counterexample, Property, Status
from spec.stamp import load
from spec.verdict import Evidence
from verification.ledger.assemble import assemble
from verification.ledger.collect import TRAINING, Ledger
from verification.ledger.views import READERS


@cache
def passing() -> dict[str, Any]:
    """The book of a complete run in which every step is borne out. Do not change it: copy it."""
    ledger = Ledger(dict(CLAIMS), load(), complete=True)
    for claim in CLAIMS.values():
        tests = ledger.stamps[claim.id]["tests"]
        own = [t for t in tests if not t.startswith(READERS) or claim.id.startswith("new-")]
        found = _evidence(claim, own) if claim.verdict is not Status.UNTESTABLE else []
        idle = set(tests) - {e.test for e in found}  # they decide nothing: training runs beside the verdict
        found += [Evidence(claim.id, "", (TRAINING,), True, t, detail="it rose", alpha=0.05) for t in sorted(idle)]
        ledger.evidence += found
    return assemble(ledger)


def _evidence(claim: Claim, tests: list[str]) -> list[Evidence]:
    found = [
        Evidence(claim.id, m.step, (), True, f"spec/x.py::{claim.id}::mutant:{m.name}", killed=(m.name,))
        for m in claim.mutants
    ]
    properties = [s for s in claim.steps if isinstance(s, Property)]
    for step in claim.steps:
        if isinstance(step, Property):
            continue
        routes = ("exact", "numeric") if isinstance(step, Counterexample) else ("symbolic", "numeric")
        found.append(
            Evidence(claim.id, step.name, routes, True, f"spec/x.py::{claim.id}::{step.name}", examples=25, margin=35.0)
        )
    alone = len(properties) == len(claim.steps)  # then two kinds of test are its two routes
    for step in properties:
        kinds = {step.kind, *(("exact", "property") if alone else ())}
        alpha, power = (1e-6, 0.99) if step.kind == "statistical" else (None, None)
        for test in tests or [f"verification/test_x.py::test_{step.name}"]:
            found += [
                Evidence(claim.id, step.name, (kind,), True, test, examples=60, margin=0.5, alpha=alpha, power=power)
                for kind in sorted(kinds)
            ]
    return found
