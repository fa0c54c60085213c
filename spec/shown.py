"""Ties the formula that a claim prints to the object that its steps test."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from spec.claim import Claim, Property


def decider(claim: Claim) -> str | None:
    """The step that tests what the claim prints; None if no algebraic step contains it.

    The printed formula, its names replaced by what `where` says they stand for, must occur in a step's statement:
    whole, or one side of it that is no mere name, or what that side takes a limit or derivative of. Failing that,
    a name's own meaning must.
    """
    if claim.formula is None:
        return claim.steps[0].name
    printed = claim.formula.xreplace(dict(claim.where))
    named = (meaning for meaning in claim.where.values() if not meaning.is_Atom)
    for core in (*_cores(printed), *named):
        for step in claim.steps:
            if not isinstance(step, Property) and step.statement.has(core):
                return step.name
    return None


def _cores(statement: sp.Basic) -> Iterator[sp.Basic]:
    """The statement and its telling parts, the largest first."""
    yield statement
    if isinstance(statement, Relational | BooleanFunction | sp.Limit | sp.Derivative | sp.Subs):
        for part in statement.args:
            if isinstance(part, sp.Basic) and not part.is_Atom:
                yield from _cores(part)
