"""The symbolic route: an expression is zero if algebra reduces it to exactly zero, else unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sympy as sp

from spec.domain import Assumption


def with_assumptions(expression: sp.Basic, assumptions: Iterable[Assumption]) -> sp.Basic:
    """The expression with each symbol replaced by one that carries its assumption's sign and integrality."""
    facts: dict[sp.Symbol, dict[str, bool]] = {}
    for assumption in assumptions:
        if assumption.symbol is not None:
            facts.setdefault(assumption.symbol, {}).update(assumption.domain.sympy_assumptions())
    symbols = {s: sp.Symbol(s.name, **facts.get(s, {"real": True})) for s in expression.free_symbols}
    # bound variables of integrals, sums and limits keep their own names and facts
    return expression.xreplace(symbols)


def _polynomial(expression: sp.Expr) -> sp.Expr:
    return sp.expand(sp.fraction(sp.together(expression))[0])


_LADDER: tuple[Callable[[sp.Expr], sp.Expr], ...] = (
    sp.expand,
    _polynomial,
    lambda e: _polynomial(sp.radsimp(e)),
    lambda e: _polynomial(e.rewrite(sp.exp)),
    lambda e: sp.powsimp(sp.expand(_polynomial(e.rewrite(sp.exp)), power_exp=False)),
    sp.simplify,
    lambda e: sp.simplify(e.rewrite(sp.exp)),
    lambda e: sp.simplify(sp.expand_log(e, force=False)),
    lambda e: sp.simplify(e.rewrite(sp.gamma)),
)


def is_zero(expression: sp.Expr) -> bool | None:
    """True when some rung of the ladder gives exactly 0; None (unknown) otherwise. Never a guess by numbers."""
    evaluated = expression.doit()
    for rung in _LADDER:
        if rung(evaluated) == 0:
            return True
    return None


def is_nonnegative(expression: sp.Expr, strict: bool) -> bool | None:
    """Whether sympy's assumption system derives the sign of a certificate."""
    fact = expression.is_positive if strict else expression.is_nonnegative
    return True if fact else None
