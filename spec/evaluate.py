"""The numeric route: a sympy expression at an exact point, to 50 digits, without sympy's algebra.

The evaluator walks the tree and calls mpmath. Derivatives, integrals, limits and sums that the claim
leaves unevaluated are computed by mpmath's own quadrature, finite differences and extrapolation, so that
the symbolic route's `doit` and this route share nothing but the expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath as mp
import sympy as sp
from sympy.core.function import AppliedUndef

DIGITS = 50
GUARD = 25

_NAMES = {
    "Abs": "fabs",
    "ceiling": "ceil",
    "LambertW": "lambertw",
    "conjugate": "conj",
    "acosh": "acosh",
    "loggamma": "loggamma",
}


class Undefined(ArithmeticError):
    """The expression has no finite value at the point."""


def evaluate(expression: sp.Basic, point: Mapping[sp.Symbol, Any]) -> Any:
    """The value of `expression` at `point`, an mpf or mpc good to `DIGITS` digits.

    Raises:
        Undefined: a division by zero, a logarithm of zero, an infinite or indeterminate value.
        TypeError: a node that the evaluator does not know, or a symbol without a value.
    """
    with mp.workdps(DIGITS + GUARD):
        try:
            value = _walk(sp.sympify(expression), dict(point))
        except (ZeroDivisionError, OverflowError) as error:
            raise Undefined(str(error)) from error
        if not mp.isfinite(value):
            raise Undefined(f"{expression} is not finite")
        return value


def truth(condition: sp.Basic, point: Mapping[sp.Symbol, Any]) -> bool:
    """Whether a relation, or a Boolean combination of relations, holds at `point` at 50 digits."""
    if condition in (sp.true, sp.false):
        return bool(condition)
    if isinstance(condition, sp.Not):
        return not truth(condition.args[0], point)
    if isinstance(condition, sp.And):
        return all(truth(a, point) for a in condition.args)
    if isinstance(condition, sp.Or):
        return any(truth(a, point) for a in condition.args)
    if isinstance(condition, sp.Equivalent):
        return len({truth(a, point) for a in condition.args}) == 1
    if isinstance(condition, sp.Implies):
        return not truth(condition.args[0], point) or truth(condition.args[1], point)
    if isinstance(condition, sp.core.relational.Relational):
        gap = evaluate(condition.lhs, point) - evaluate(condition.rhs, point)
        scale = max(size(condition.lhs, point), size(condition.rhs, point))
        equal = abs(gap) <= mp.mpf(10) ** -40 * scale
        if isinstance(condition, sp.Eq):
            return bool(equal)
        if isinstance(condition, sp.Ne):
            return not equal
        if isinstance(condition, sp.Ge | sp.Le) and equal:
            return True
        if equal:
            return False
        return bool(gap > 0) == isinstance(condition, sp.Gt | sp.Ge)
    raise TypeError(f"not a condition: {condition!r}")


def size(expression: sp.Basic, point: Mapping[sp.Symbol, Any]) -> Any:
    """The scale of an expression: the largest of its value and its top-level addends, in absolute value."""
    terms = (expression, *(expression.args if isinstance(expression, sp.Add) else ()))
    return max(abs(evaluate(term, point)) for term in terms)


def _number(value: Any) -> Any:
    if isinstance(value, sp.Rational):
        return mp.mpf(int(value.p)) / int(value.q)
    if isinstance(value, int):
        return mp.mpf(value)
    if isinstance(value, mp.mpf | mp.mpc):
        return value
    raise TypeError(f"not an exact value: {value!r}")


def _walk(node: sp.Basic, point: dict[sp.Symbol, Any]) -> Any:
    if isinstance(node, sp.Symbol):
        if node not in point:
            raise TypeError(f"no value for the symbol {node}")
        return _number(point[node])
    if isinstance(node, sp.Rational):
        return _number(node)
    if node in (sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise Undefined(str(node))
    if node is sp.I:
        return mp.mpc(0, 1)
    if isinstance(node, sp.NumberSymbol | sp.Float):
        return mp.mpf(str(sp.N(node, DIGITS + 2 * GUARD)))
    if isinstance(node, sp.Add):
        return mp.fsum(_walk(a, point) for a in node.args)
    if isinstance(node, sp.Mul):
        return mp.fprod(_walk(a, point) for a in node.args)
    if isinstance(node, sp.Pow):
        return _power(node, point)
    special = _SPECIAL.get(type(node))
    if special is not None:
        return special(node, point)
    if isinstance(node, sp.Function) and not isinstance(node, AppliedUndef):
        name = type(node).__name__
        return getattr(mp, _NAMES.get(name, name))(*(_walk(a, point) for a in node.args))
    raise TypeError(f"the numeric route does not know {type(node).__name__}: {node}")


def _power(node: sp.Pow, point: dict[sp.Symbol, Any]) -> Any:
    if isinstance(node.exp, sp.Integer):
        return _walk(node.base, point) ** int(node.exp)
    base, exponent = _walk(node.base, point), _walk(node.exp, point)
    if exponent == mp.mpf(1) / 2:
        return mp.sqrt(base)
    return mp.power(base, exponent)


def _derivative(node: sp.Derivative, point: dict[sp.Symbol, Any]) -> Any:
    variables = [(v, int(n)) for v, n in node.variable_count]
    at = tuple(_walk(v, point) for v, _ in variables)

    def function(*values: Any) -> Any:
        return _walk(node.expr, point | {v: x for (v, _), x in zip(variables, values, strict=True)})

    return mp.diff(function, at, tuple(n for _, n in variables))


def _integral(node: sp.Integral, point: dict[sp.Symbol, Any]) -> Any:
    (variable, low, high), *rest = node.limits
    if rest:
        raise TypeError("the numeric route integrates over one variable at a time")
    ends = [mp.inf if e is sp.oo else -mp.inf if e is -sp.oo else _walk(e, point) for e in (low, high)]
    return mp.quad(lambda x: _walk(node.function, point | {variable: x}), ends)


def _limit(node: sp.Limit, point: dict[sp.Symbol, Any]) -> Any:
    """Neville's extrapolation to h = 0 of values at h = 2**-k; exact enough for functions analytic in h."""
    expression, variable, target, side = node.args
    levels, first = 40, 6
    with mp.workdps(12 * DIGITS):
        steps = [mp.ldexp(mp.mpf(1), -(first + k)) for k in range(levels)]

        def at(h: Any) -> Any:
            if target is sp.oo:
                return _walk(expression, point | {variable: 1 / h})
            if target is -sp.oo:
                return _walk(expression, point | {variable: -1 / h})
            return _walk(expression, point | {variable: _walk(target, point) + (-h if str(side) == "-" else h)})

        row = [at(h) for h in steps]
        for order in range(1, levels):
            row = [row[i + 1] + (row[i + 1] - row[i]) / (steps[i] / steps[i + order] - 1) for i in range(len(row) - 1)]
    return +row[0]


def _sum(node: sp.Sum, point: dict[sp.Symbol, Any]) -> Any:
    (variable, low, high), *rest = node.limits
    if rest:
        raise TypeError("the numeric route sums over one variable at a time")
    if high is sp.oo:
        return mp.nsum(lambda n: _walk(node.function, point | {variable: n}), [int(_walk(low, point)), mp.inf])
    numbers = range(int(_walk(low, point)), int(_walk(high, point)) + 1)
    return mp.fsum(_walk(node.function, point | {variable: n}) for n in numbers)


def _piecewise(node: sp.Piecewise, point: dict[sp.Symbol, Any]) -> Any:
    for value, condition in node.args:
        if truth(condition, point):
            return _walk(value, point)
    raise Undefined(f"no branch of {node} applies")


def _subs(node: sp.Subs, point: dict[sp.Symbol, Any]) -> Any:
    inner = dict(zip(node.variables, (_walk(v, point) for v in node.point), strict=True))
    return _walk(node.expr, point | inner)


_SPECIAL = {
    sp.Derivative: _derivative,
    sp.Integral: _integral,
    sp.Limit: _limit,
    sp.Sum: _sum,
    sp.Piecewise: _piecewise,
    sp.Subs: _subs,
    sp.Max: lambda node, point: max(_walk(a, point) for a in node.args),
    sp.Min: lambda node, point: min(_walk(a, point) for a in node.args),
}
