"""The numeric route: a sympy expression at an exact point, to 50 digits, without sympy's algebra.

The evaluator turns the tree into closures over mpmath. Derivatives, integrals, limits and sums that the claim
leaves unevaluated are computed by mpmath's own quadrature, finite differences and extrapolation, so that
the symbolic route's `doit` and this route share nothing but the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from operator import mul
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
            value = _compile(sp.sympify(expression))(dict(point))
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
        (left, left_size), (right, right_size) = parts(condition.lhs, point), parts(condition.rhs, point)
        gap, scale = left - right, max(left_size, right_size)
        equal = abs(gap) <= mp.mpf(10) ** -40 * scale
        if isinstance(gap, mp.mpc) and not isinstance(condition, sp.Eq | sp.Ne) and not equal:
            if gap.imag != 0:
                raise Undefined(f"{condition} compares complex numbers")
            gap = gap.real
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


def parts(expression: sp.Basic, point: Mapping[sp.Symbol, Any]) -> tuple[Any, Any]:
    """The value of an expression and its scale: the largest of its value and its top-level addends.

    Raises as `evaluate` does.
    """
    terms = expression.args if isinstance(expression, sp.Add) else (expression,)
    values = [evaluate(term, point) for term in terms]
    with mp.workdps(DIGITS + GUARD):
        total = mp.fsum(values)
        return total, max(abs(total), *(abs(v) for v in values))


Values = dict[sp.Symbol, Any]
Compiled = Callable[[Values], Any]


@lru_cache(maxsize=100_000)
def _compile(node: sp.Basic) -> Compiled:
    """The expression as nested closures; numbers are converted at the precision in force when they run."""
    if isinstance(node, sp.Symbol):
        return lambda point: _lookup(node, point)
    if isinstance(node, sp.Rational):
        return _constant(lambda: mp.mpf(int(node.p)) / int(node.q))
    if node in (sp.oo, -sp.oo, sp.zoo, sp.nan):
        return lambda point: _undefined(str(node))
    if node is sp.I:
        return lambda point: mp.mpc(0, 1)
    if isinstance(node, sp.NumberSymbol | sp.Float):
        return _constant(lambda: mp.mpf(str(sp.N(node, mp.mp.dps + 10))))
    if isinstance(node, sp.Pow):
        return _power(node)
    special = _SPECIAL.get(type(node))
    if special is not None:
        return special(node)
    arguments = [_compile(a) for a in node.args]
    if isinstance(node, sp.Add):
        return lambda point: sum((f(point) for f in arguments[1:]), arguments[0](point))
    if isinstance(node, sp.Mul):
        return lambda point: reduce(mul, (f(point) for f in arguments))
    if isinstance(node, sp.Max | sp.Min):
        choose = max if isinstance(node, sp.Max) else min
        return lambda point: choose(f(point) for f in arguments)
    if isinstance(node, sp.Function) and not isinstance(node, AppliedUndef):
        name = type(node).__name__
        function = getattr(mp, _NAMES.get(name, name), None)
        if function is not None:
            return lambda point: function(*(f(point) for f in arguments))
    raise TypeError(f"the numeric route does not know {type(node).__name__}: {node}")


def _lookup(symbol: sp.Symbol, point: Values) -> Any:
    value = point.get(symbol)
    if isinstance(value, mp.mpf | mp.mpc):
        return value
    if isinstance(value, sp.Rational):
        return mp.mpf(int(value.p)) / int(value.q)
    if isinstance(value, int):
        return mp.mpf(value)
    raise TypeError(f"no exact value for the symbol {symbol}: {value!r}")


def _undefined(what: str) -> Any:
    raise Undefined(what)


def _constant(make: Callable[[], Any]) -> Compiled:
    """A number, computed once for each precision."""
    known: dict[int, Any] = {}

    def constant(point: Values) -> Any:
        precision = mp.mp.prec
        if precision not in known:
            known[precision] = make()
        return known[precision]

    return constant


def _power(node: sp.Pow) -> Compiled:
    base = _compile(node.base)
    if isinstance(node.exp, sp.Integer):
        whole = int(node.exp)
        return lambda point: base(point) ** whole
    if node.exp == sp.Rational(1, 2):
        return lambda point: mp.sqrt(base(point))
    exponent = _compile(node.exp)
    return lambda point: mp.power(base(point), exponent(point))


def _derivative(node: sp.Derivative) -> Compiled:
    inner = _compile(node.expr)
    variables = [v for v, _ in node.variable_count]
    orders = tuple(int(n) for _, n in node.variable_count)

    def derivative(point: Values) -> Any:
        at = tuple(_lookup(v, point) for v in variables)
        return mp.diff(lambda *values: inner(point | dict(zip(variables, values, strict=True))), at, orders)

    return derivative


def _integral(node: sp.Integral) -> Compiled:
    if len(node.limits) != 1:
        raise TypeError("the numeric route integrates over one variable at a time")
    variable, *ends = node.limits[0]
    inner = _compile(node.function)
    infinite = {sp.oo: mp.inf, -sp.oo: -mp.inf}
    limits = [_compile(e) if e not in infinite else None for e in ends]

    def integral(point: Values) -> Any:
        at = [infinite[e] if f is None else f(point) for e, f in zip(ends, limits, strict=True)]
        return mp.quad(lambda x: inner(point | {variable: x}), at)

    return integral


def _limit(node: sp.Limit) -> Compiled:
    """Neville's extrapolation to h = 0 of values at h = 2**-k; exact enough for functions analytic in h."""
    expression, variable, target, side = node.args
    inner = _compile(expression)
    infinite = target in (sp.oo, -sp.oo)
    centre = None if infinite else _compile(target)
    # at infinity sympy's own idea of the side ("-" at oo) says nothing: 1/h comes from within
    sign = (1 if target is sp.oo else -1) if infinite else (-1 if str(side) == "-" else 1)
    levels, first = 40, 6

    def limit(point: Values) -> Any:
        with mp.workdps(12 * DIGITS):
            steps = [mp.ldexp(mp.mpf(1), -(first + k)) for k in range(levels)]
            at = [sign / h if centre is None else centre(point) + sign * h for h in steps]
            row = [inner(point | {variable: x}) for x in at]
            for order in range(1, levels):
                row = [
                    row[i + 1] + (row[i + 1] - row[i]) / (steps[i] / steps[i + order] - 1) for i in range(len(row) - 1)
                ]
        return +row[0]

    return limit


def _sum(node: sp.Sum) -> Compiled:
    if len(node.limits) != 1:
        raise TypeError("the numeric route sums over one variable at a time")
    variable, low, high = node.limits[0]
    inner, first = _compile(node.function), _compile(low)
    last = None if high is sp.oo else _compile(high)

    def total(point: Values) -> Any:
        start = int(first(point))
        if last is None:
            return mp.nsum(lambda n: inner(point | {variable: n}), [start, mp.inf])
        return mp.fsum(inner(point | {variable: mp.mpf(n)}) for n in range(start, int(last(point)) + 1))

    return total


def _piecewise(node: sp.Piecewise) -> Compiled:
    branches = [(_compile(value), condition) for value, condition in node.args]

    def piecewise(point: Values) -> Any:
        for value, condition in branches:
            if truth(condition, point):
                return value(point)
        raise Undefined(f"no branch of {node} applies")

    return piecewise


def _subs(node: sp.Subs) -> Compiled:
    inner, values = _compile(node.expr), [_compile(v) for v in node.point]
    return lambda point: inner(point | dict(zip(node.variables, (f(point) for f in values), strict=True)))


_SPECIAL: dict[type, Callable[[Any], Compiled]] = {
    sp.Derivative: _derivative,
    sp.Integral: _integral,
    sp.Limit: _limit,
    sp.Sum: _sum,
    sp.Piecewise: _piecewise,
    sp.Subs: _subs,
}
