"""From the evidence of a run to the ledger: a plain dictionary, the content of claims.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sympy as sp

from spec import NOUNS
from spec.check import show
from spec.claim import PAPER, VERSION, Claim, Counterexample, Property, Status, Step
from spec.shown import decider
from spec.stamp import content
from spec.verdict import Evidence, judge, with_ancestors
from verification.ledger.code import code
from verification.ledger.collect import TRAINING, Ledger
from verification.ledger.notation import mathml
from verification.ledger.phrases import PHRASES

SCHEMA = 2
"""Of claims.schema.json beside this file; raised when a field changes its meaning or goes."""


def assemble(ledger: Ledger) -> dict[str, Any]:
    """Judge every claim.

    Returns:
        `schema`, `paper`, `complete`, `totals` (status -> count), `mutants` (run, killed, survivors), `code` (see
        `verification.ledger.code`), `claims` (a list in reading order) and `problems` (why the run fails; empty if
        it does not).
    """
    problems: list[str] = []
    own: dict[str, Status] = {}
    entries: list[dict[str, Any]] = []
    for id_, claim in ledger.claims.items():
        evidence = [e for e in ledger.evidence if e.claim == id_]
        stamp = ledger.stamps.get(id_)
        tests = {e.test for e in evidence if e.test.startswith("verification/")}
        listed = set(stamp["tests"]) if stamp else set()
        new = sorted(tests - listed)
        stamped = stamp is not None and stamp["content"] == content(claim) and not new
        known = {e.test for e in evidence if not e.passed}
        failed = sorted(t for t in ledger.failed - known if id_ in ledger.bearing(t))
        evidence += [Evidence(id_, "", (), False, t, detail="it did not run to its end") for t in failed]
        missing = (listed - tests if ledger.complete else set()) | (listed & ledger.skipped)
        # training runs stand beside a verdict: they add no route to it, and only a failed test of them counts
        deciding = [e for e in evidence if TRAINING not in e.routes or not e.passed]
        verdict = judge(claim, deciding, stamped, sorted(missing))
        own[id_] = verdict.status
        found = list(verdict.problems)
        if not found and verdict.status is not claim.verdict:
            found.append(f"declared {claim.verdict.value}, but the evidence says {verdict.status.value}")
        if ledger.complete or verdict.status is Status.SUSPECT:
            problems += [f"{id_}: {p}" for p in found]
        entries.append(_entry(claim, verdict.status, evidence, found))
    idle = sorted(t for t in ledger.failed if not ledger.bearing(t))
    problems += [f"{test} failed; it bears on no claim" for test in idle]
    chained = with_ancestors(ledger.claims, own)
    for entry in entries:
        entry["with_ancestors"] = chained[entry["id"]].value
        entry["used_by"] = [i for i, c in ledger.claims.items() if entry["id"] in c.uses]
    killed = [f"{e.claim}/{name}" for e in ledger.evidence for name in e.killed]
    survived = [f"{e.claim}/{name}" for e in ledger.evidence for name in e.survived]
    counts = Counter(s.value for s in own.values())
    return {
        "schema": SCHEMA,
        "paper": {"id": PAPER, "version": VERSION},
        "complete": ledger.complete,
        "totals": {s.value: counts[s.value] for s in Status},
        "steps": dict(Counter(type(s).__name__ for c in ledger.claims.values() for s in c.steps)),
        "mutants": {
            "shipped": sum(len(c.mutants) for c in ledger.claims.values()),
            "killed": len(set(killed)),
            "survivors": sorted(set(survived)),
        },
        "code": code(),
        "claims": entries,
        "problems": problems,
    }


def _entry(claim: Claim, status: Status, evidence: Sequence[Evidence], problems: list[str]) -> dict[str, Any]:
    return {
        "id": claim.id,
        "noun": NOUNS[claim.id],
        "cites": [str(c) for c in claim.cites],
        "says": claim.says,
        "formula": formula(claim.shown),
        "where": [{"name": formula(name), "means": formula(meaning)} for name, meaning in claim.where.items()],
        "tested_by": decider(claim),
        "status": status.value,
        "declared": claim.verdict.value,
        "short": PHRASES.get(claim.id, "") if status is claim.verdict else "",
        "because": claim.because,
        "reply": claim.reply,
        "needs": claim.needs,
        "assumes": [a.says for a in claim.assumes],
        "uses": list(claim.uses),
        "corrects": list(claim.corrects),
        "steps": [_step(s, [e for e in evidence if e.step == s.name]) for s in claim.steps],
        "mutants": [
            {"name": m.name, "step": m.step, "killed": any(m.name in e.killed for e in evidence)} for m in claim.mutants
        ],
        "training": [
            {"test": e.test, "says": e.detail, "alpha": e.alpha, "power": e.power, "passed": e.passed}
            for e in evidence
            if TRAINING in e.routes
        ],
        "content": content(claim),
        "problems": problems,
    }


def _step(step: Step, evidence: Sequence[Evidence]) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": step.name, "type": type(step).__name__, "says": step.says}
    if isinstance(step, Property):
        entry |= {"refutes": step.refutes, "covers": step.covers}
    else:
        entry |= {"formula": formula(step.statement), "assumes": [a.says for a in step.assumes]}
    if isinstance(step, Counterexample):
        entry |= {"refutes": True, "at": show(step.at), "amount": str(step.amount), "minimal": step.minimal}
        entry["python"] = snippet(step)
    if step.under:
        entry["under"] = step.under
    entry["evidence"] = [e for t in dict.fromkeys(x.test for x in evidence) if (e := _merge(evidence, t))]
    return entry


def _merge(evidence: Sequence[Evidence], test: str) -> dict[str, Any]:
    """All that one test, over its parameters, said on one step; empty for a test that only ran mutants."""
    parts = [e for e in evidence if e.test == test and e.routes]
    if not parts:
        return {}
    margins = [e.margin for e in parts if e.margin is not None]
    return {
        "test": test,
        "routes": list(parts[0].routes),
        "passed": all(e.passed for e in parts),
        "examples": sum(e.examples for e in parts),
        "margin": min(margins) if margins else None,
        "alpha": parts[0].alpha,
        "power": parts[0].power,
        "detail": parts[0].detail,
        "over_assumed": list(parts[0].over_assumed),
    }


def formula(expression: sp.Basic) -> dict[str, str]:
    """The three faces of a formula, from the object itself: plain text, LaTeX and presentation MathML."""
    return {"text": str(expression), "latex": sp.latex(expression), "mathml": mathml(expression)}


def snippet(step: Counterexample) -> str:
    """Python that shows the statement failing, to paste into a shell that has sympy: it prints False."""
    at = ", ".join(
        f"Symbol({s.name!r}): Rational({v.p}, {v.q})" for s, v in sorted(step.at.items(), key=lambda kv: str(kv[0]))
    )
    return (
        f"from sympy import *\nstatement = {sp.srepr(step.statement)}\nprint(simplify(statement.subs({{{at}}}).doit()))"
    )
