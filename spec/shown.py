"""Ties the formula that a claim prints to the objects that its steps test."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from spec.claim import Claim, Counterexample, Identity, Inequality, Property


def decider(claim: Claim) -> str | None:
    """The step that tests what the claim prints; None if no step does.

    Either the formula stands in a step (`verbatim`), or it is a sentence about the objects that `where` names, and the
    meaning of each name stands in a step. Which claims are of the second kind is listed in a test, for people to read:
    what such a sentence says of its objects is not compared.
    """
    step = verbatim(claim)
    if step is not None:
        return step
    meanings = [meaning for meaning in claim.where.values() if not meaning.is_Atom]
    homes = [next((s.name for s in _algebraic(claim) if s.statement.has(m)), None) for m in meanings]
    return homes[0] if homes and None not in homes else None


def verbatim(claim: Claim) -> str | None:
    """The step in which the printed formula stands, its names replaced by what `where` says they stand for.

    It must occur whole, or both of its sides in the same step (a mere name or number asks for nothing). The arguments
    of a minimum or maximum may stand in steps of their own, as may the meanings of names that are a whole side.
    """
    if claim.formula is None:
        return claim.steps[0].name
    steps = _algebraic(claim)
    everywhere = [s.statement for s in steps]
    printed = claim.formula.xreplace(dict(claim.where))
    for step in steps:
        if _contains([step.statement], printed, everywhere):
            return step.name
    if isinstance(claim.formula, Relational) and all(side in claim.where for side in claim.formula.args):
        return next((s.name for s in steps if _contains(everywhere, printed, everywhere)), None)
    return None


def _algebraic(claim: Claim) -> list[Identity | Inequality | Counterexample]:
    return [s for s in claim.steps if not isinstance(s, Property)]


def _contains(here: Sequence[sp.Basic], part: sp.Basic, anywhere: Sequence[sp.Basic]) -> bool:
    if any(statement.has(part) for statement in here):
        return True
    if isinstance(part, sp.Min | sp.Max):
        return all(_contains(anywhere, a, anywhere) for a in part.args if not a.is_Atom)
    if isinstance(part, Relational | BooleanFunction):
        parts = [a for a in part.args if not a.is_Atom and a.free_symbols]
    elif isinstance(part, sp.Limit | sp.Derivative | sp.Subs) and not part.args[0].is_Atom:
        parts = [part.args[0]]
    else:
        return False
    return bool(parts) and all(_contains(here, a, anywhere) for a in parts)
