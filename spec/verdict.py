"""From evidence to a status. Pure functions; the weakest step decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spec.claim import Claim, Counterexample, Identity, Inequality, Property, Status

STRENGTH = {
    "symbolic": Status.PROVED,
    "numeric": Status.HELD,
    "exact": Status.PROVED,
    "property": Status.HELD,
    "statistical": Status.SUPPORTED,
}
"""What one route of evidence is worth. `exact` is a finite decision in exact arithmetic."""

ROUTES = tuple(STRENGTH)


@dataclass(frozen=True)
class Evidence:
    """One test's word on one step of one claim.

    Attributes:
        claim, step: what it bears on.
        routes: how it was obtained.
        passed: whether the test passed.
        test: the node id of the test.
        examples: how many examples or points it looked at.
        margin: the smallest relative slack to the tolerance (property) or digits beyond it (numeric).
        alpha, power: of a statistical test.
        detail: one line for people.
        killed, survived: mutants that it ran.
        over_assumed: assumptions that the step turned out not to need.
    """

    claim: str
    step: str
    routes: tuple[str, ...]
    passed: bool
    test: str
    examples: int = 0
    margin: float | None = None
    alpha: float | None = None
    power: float | None = None
    detail: str = ""
    killed: tuple[str, ...] = ()
    survived: tuple[str, ...] = ()
    over_assumed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """A status with the reasons that are not evident from the claim."""

    status: Status
    problems: tuple[str, ...] = ()


def judge(claim: Claim, evidence: Sequence[Evidence], stamped: bool, missing_tests: Iterable[str] = ()) -> Verdict:
    """The status that the evidence gives to a claim.

    Args:
        claim: the claim.
        evidence: what bears on it in this run.
        stamped: whether its content is that of its stamp.
        missing_tests: tests that its stamp lists and the run did not have.
    """
    if claim.verdict is Status.UNTESTABLE:
        return Verdict(Status.UNTESTABLE if stamped else Status.SUSPECT, () if stamped else (_edited(claim),))
    problems: list[str] = []
    if not stamped:
        problems.append(_edited(claim))
    failed = [e for e in evidence if not e.passed]
    problems += [f"{e.test} failed" + (f": {e.detail}" if e.detail else "") for e in failed]
    survivors = [m.name for m in claim.mutants if any(m.name in e.survived for e in evidence)]
    problems += [f"mutant {name!r} survived" for name in survivors]
    if problems:
        return Verdict(Status.SUSPECT, tuple(problems))

    problems += [f"its test {test} is gone or was skipped" for test in missing_tests]
    silent = [s.name for s in claim.steps if not any(e.step == s.name and e.routes for e in evidence)]
    problems += [f"no evidence on its step {name!r}" for name in silent]
    killed = {(e.step, name) for e in evidence for name in e.killed}
    unrun = [m for m in claim.mutants if (m.step, m.name) not in killed]
    problems += [f"mutant {m.name!r} was not run by what decides its step {m.step!r}" for m in unrun]
    routes = {route for e in evidence for route in e.routes}
    if not silent and len(routes) < 2:
        problems.append(f"evidence by one route only ({', '.join(sorted(routes)) or 'none'})")
    if problems:
        return Verdict(Status.UNTESTED, tuple(problems))
    return Verdict(_weigh(claim, evidence))


def _weigh(claim: Claim, evidence: Sequence[Evidence]) -> Status:
    against = any(isinstance(s, Counterexample) or (isinstance(s, Property) and s.refutes) for s in claim.steps)
    saved = any(s.under for s in claim.steps)
    if against:
        return Status.NARROWED if saved else Status.REFUTED
    weakest = Status.PROVED
    for step in claim.steps:
        if isinstance(step, Property) and step.covers:
            continue  # a second route to a step that counts itself
        own = [STRENGTH[r] for e in evidence if e.step == step.name for r in e.routes]
        best = min(own, key=lambda s: s.rank)
        if isinstance(step, Identity | Inequality):
            best = Status.PROVED  # both routes were required for it to pass
        if isinstance(step, Property):
            # a general statement checked exactly at some points is not proved by that
            best = max(best, STRENGTH[step.kind], key=lambda s: s.rank)
        weakest = max(weakest, best, key=lambda s: s.rank)
    return weakest


def with_ancestors(claims: Mapping[str, Claim], own: Mapping[str, Status]) -> dict[str, Status]:
    """For each claim the weakest status among itself and all that it rests on."""
    done: dict[str, Status] = {}

    def visit(id_: str) -> Status:
        if id_ not in done:
            statuses = [own[id_], *(visit(parent) for parent in claims[id_].uses)]
            done[id_] = max(statuses, key=lambda s: s.rank)
        return done[id_]

    for id_ in claims:
        visit(id_)
    return done


def _edited(claim: Claim) -> str:
    return f"has no stamp, or was edited after it; look at it, then `tox -e stamp -- {claim.id}`"
