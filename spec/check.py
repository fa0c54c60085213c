"""Decides a step: two routes for an identity, exact arithmetic for a counterexample.

Outcomes are true, false or unknown. Unknown never passes.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import mpmath as mp
import sympy as sp

from spec.claim import Claim, Counterexample, Identity, Inequality, Mutant, Property, Step
from spec.domain import Assumption, Point, draw, draw_without, ends
from spec.evaluate import Undefined, evaluate, parts, truth
from spec.prove import is_nonnegative, is_zero, with_assumptions

POINTS = 25
"""How many points the numeric route draws for an identity."""

TOLERANCE = mp.mpf(10) ** -40
"""Relative residual. Working precision is 75 digits and no step loses more than 30 (derivatives, limits)."""


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes:
        value: True, False, or None for unknown.
        why: one line for people.
        points: how many points the numeric route used.
        margin: decimal digits of agreement beyond the tolerance at the worst point.
        by_value: a False that a point shows by its values, not by having none or by lying outside the assumptions.
    """

    value: bool | None
    why: str
    points: int = 0
    margin: float | None = None
    by_value: bool = False


def hypotheses(claim: Claim, step: Step) -> tuple[Assumption, ...]:
    """The assumptions of a step: its own, and those of the claim about symbols it uses.

    A step's own assumption about a symbol replaces the claim's.
    """
    own = step.assumes if not isinstance(step, Property) else ()
    replaced = {a.symbol for a in own if a.symbol is not None}
    symbols = _symbols(step)
    inherited = tuple(
        a for a in claim.assumes if a.symbols() & symbols and (a.symbol is None or a.symbol not in replaced)
    )
    joint = frozenset().union(*(a.symbols() for a in (*inherited, *own)))
    more = tuple(
        a
        for a in claim.assumes
        if a not in inherited and a.symbol is not None and a.symbol in joint and a.symbol not in replaced
    )
    return (*inherited, *more, *own)


def decide(claim: Claim, step: Step) -> Outcome:
    """The outcome of an Identity, Inequality or Counterexample.

    Raises:
        TypeError: for a Property, which only `verification/` can decide.
    """
    match step:
        case Identity():
            return _identity(claim, step)
        case Inequality():
            return _inequality(claim, step)
        case Counterexample():
            return _counterexample(claim, step)
    raise TypeError(f"{claim.id}: the step {step.name!r} is decided by verification/")


def decide_mutant(claim: Claim, mutant: Mutant) -> Outcome:
    """The outcome of the mutated step; a killed mutant is one whose outcome is False.

    It must die by its values: a variant that has none at a point, or whose point the assumptions exclude, is unknown.
    """
    step = replace(claim.step(mutant.step), **dict(mutant.changes))  # type: ignore[arg-type]
    outcome = decide(claim, step)
    if outcome.value is False and not outcome.by_value:
        return replace(outcome, value=None, why="no value shows it wrong; " + outcome.why)
    return outcome


def needed(claim: Claim, step: Identity | Inequality, dropped: Assumption) -> Point | None:
    """A point outside `dropped` at which the step fails or has no value; None: the claim is over-assumed there."""
    kept = tuple(a for a in hypotheses(claim, step) if a != dropped)
    symbols = _symbols(step)
    for point in draw_without(dropped, kept, symbols, _rng(claim, step)):
        try:
            if not _holds_at(step, point)[0]:
                return point
        except Undefined:
            return point
    return None


def _identity(claim: Claim, step: Identity) -> Outcome:
    if step.lhs == step.rhs:
        return Outcome(None, "both sides are one object already when written: nothing is tested")
    assumptions = hypotheses(claim, step)
    numeric = _numeric(claim, step, assumptions)
    if numeric.value is False:
        return numeric
    difference = with_assumptions(step.lhs, assumptions) - with_assumptions(step.rhs, assumptions)
    if is_zero(difference):
        return numeric
    return replace(numeric, value=None, why="the symbolic route does not reach zero; " + numeric.why)


def _inequality(claim: Claim, step: Inequality) -> Outcome:
    assumptions = hypotheses(claim, step)
    numeric = _numeric(claim, step, assumptions)
    if numeric.value is False:
        return numeric
    certificate = with_assumptions(step.certificate, assumptions)
    gap = with_assumptions(step.large - step.small, assumptions)
    if not is_zero(gap - certificate):
        return replace(numeric, value=None, why="the certificate is not the gap; " + numeric.why)
    if not is_nonnegative(certificate, step.strict):
        return replace(numeric, value=None, why="the certificate's sign is not evident; " + numeric.why)
    return numeric


def _numeric(claim: Claim, step: Identity | Inequality, assumptions: tuple[Assumption, ...]) -> Outcome:
    rng = _rng(claim, step)
    margin = float("inf")
    inside = [draw(assumptions, _symbols(step), rng) for _ in range(POINTS)]
    points = [*inside, *ends(assumptions, inside)]
    for number, point in enumerate(points):
        try:
            good, digits = _holds_at(step, point)
        except Undefined as error:
            return Outcome(False, f"no value at {show(point)}: {error}", number)
        if not good:
            return Outcome(False, f"fails at {show(point)}", number + 1, digits, by_value=True)
        margin = min(margin, digits)
    return Outcome(True, f"{len(points)} points at 50 digits", len(points), margin)


def _holds_at(step: Identity | Inequality, point: Mapping[sp.Symbol, Any]) -> tuple[bool, float]:
    """Whether the step holds at a point, and by how many decimal digits it beats the tolerance."""
    if isinstance(step, Inequality):
        if not truth(step.statement, point):
            return False, float("-inf")
        left, right = step.large - step.small, step.certificate
    else:
        left, right = step.lhs, step.rhs
    (left_value, left_size), (right_value, right_size) = parts(left, point), parts(right, point)
    residual, scale = abs(left_value - right_value), max(left_size, right_size)
    if residual == 0:
        return True, 35.0
    digits = -float(mp.log10(residual / scale)) - 40 if scale else float("-inf")
    return digits > 0, min(digits, 35.0)


def _counterexample(claim: Claim, step: Counterexample) -> Outcome:
    point = dict(step.at)
    inexact = [s for s, value in point.items() if not isinstance(value, sp.Rational)]
    if inexact:
        return Outcome(None, f"not exact: {inexact}")
    lacking = (step.statement.free_symbols | step.gap.free_symbols) - set(point)
    # every assumption of the claim counts, also where the step has its own on the same symbol
    for assumption in (*claim.assumes, *step.assumes):
        if assumption.symbols() & set(point):
            lacking |= assumption.symbols() - set(point)
            if not lacking and not assumption.holds(point):
                return Outcome(False, f"violates the assumption {assumption.says}")
    if lacking:
        return Outcome(None, f"no value for {sorted(map(str, lacking))}")
    exact = step.statement.subs(point)
    exact = exact.doit() if hasattr(exact, "doit") else exact
    if exact not in (sp.true, sp.false):
        exact = sp.simplify(exact)
    if exact not in (sp.true, sp.false):
        return Outcome(None, f"exact arithmetic does not decide {exact}")
    if truth(step.statement, point) != (exact == sp.true):
        return Outcome(None, "exact arithmetic and 50 digits disagree")
    if exact == sp.true:
        return Outcome(False, "the statement holds there", by_value=True)
    if is_zero(step.gap.subs(point) - step.amount) is not True:
        gap = sp.nsimplify(step.gap.subs(point).doit())
        return Outcome(False, f"the gap is {gap}, not {step.amount}", by_value=True)
    gap, size = parts(step.gap, point)
    if abs(gap - evaluate(step.amount, {})) > TOLERANCE * size:
        return Outcome(None, "exact arithmetic and 50 digits disagree on the gap")
    return Outcome(True, f"fails at {show(point)} by {step.amount}", 1)


def _symbols(step: Step) -> frozenset[sp.Symbol]:
    match step:
        case Identity():
            return frozenset(step.lhs.free_symbols | step.rhs.free_symbols)
        case Inequality():
            return frozenset(step.small.free_symbols | step.large.free_symbols | step.certificate.free_symbols)
        case Counterexample():
            return frozenset(step.at)
    return frozenset()


def _rng(claim: Claim, step: Step) -> Random:
    return Random(zlib.crc32(f"{claim.id}/{step.name}".encode()))


def show(point: Mapping[sp.Symbol, Any]) -> str:
    """A point as text one can paste: "mu = 1/2, eta = 3"."""
    return ", ".join(f"{s} = {v}" for s, v in sorted(point.items(), key=lambda item: str(item[0])))
