"""Presentation MathML of a formula: sympy's printer, with what it leaves out or prints wrongly made good.

sympy (1.14) prints a value at a point as `subs(...)`, the third derivative as d^3/d^3 t, no brackets around what a
derivative or a limit is taken of, and some negative products with two signs; its entities are HTML's, not XML's.
"""

from __future__ import annotations

import html
import re
from typing import Any

import sympy as sp
from sympy.core.function import _coeff_isneg
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.precedence import PRECEDENCE

GREEK = ("alpha", "beta", "delta", "epsilon", "eta", "kappa", "lambda", "mu", "omega", "phi", "pi", "rho", "sigma")
LETTERS = {"inf": "∞", "star": "∗", "rbar": "r̄"} | {
    name: html.unescape(f"&{name};") for name in (*GREEK, "tau", "theta", "xi", "zeta")
}
SQUARES = {"R2": "R", "s2": "s", "sigma_adv2": "sigma_adv"}
"""Names that end in 2 because they are squares."""

SIMPLE = re.compile(r"[A-Za-z]+(_[A-Za-z0-9]+)*'*")
TOKEN = re.compile(r"sqrt\(\w+\)|[A-Za-z]+(?:_[A-Za-z0-9]+)*'*|\d+|\|\||[\^_]\d+|.")
SIGNS = {"*": "·", "-": "−", "||": "∥", "<": "⟨", ">": "⟩"}


def mathml(expression: sp.Basic) -> str:
    """A formula as a `<math>` element, well-formed XML."""
    body = _markup(Notation()._print(expression))
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{body}</math>'


class Notation(MathMLPresentationPrinter):  # type: ignore[misc]
    """sympy's printer with the notation of this ledger."""

    def _node(self, tag: str, *parts: Any, **attributes: str) -> Any:
        """An element; a part that is a string becomes its text."""
        made = self.dom.createElement(tag)
        for name, value in attributes.items():
            made.setAttribute(name, value)
        for part in parts:
            made.appendChild(self.dom.createTextNode(part) if isinstance(part, str) else part)
        return made

    def _bracketed(self, inner: Any, left: str = "(", right: str = ")") -> Any:
        return self._node("mrow", self._node("mo", left), inner, self._node("mo", right))

    def _equation(self, left: Any, right: Any) -> list[Any]:
        return [self._print(left), self._node("mo", "="), self._print(right)]

    def _upright(self, text: str) -> Any:
        return self._node("mi", text, mathvariant="normal")

    def _operand(self, expression: sp.Basic) -> Any:
        """What an operator written before it is applied to: in brackets, unless it is one name, number or function."""
        printed = self._print(expression)
        bare = expression.is_Atom or isinstance(expression, sp.Function | sp.Subs)
        return printed if bare and not isinstance(expression, sp.exp) else self._bracketed(printed)

    def parenthesize(self, item: Any, level: int, strict: bool = False) -> Any:
        """As sympy's, with brackets also around a name that is written as a quotient or a phrase, and around an exp."""
        if _is_written(item) or (isinstance(item, sp.exp) and level >= PRECEDENCE["Pow"]):
            return self._bracketed(self._print(item))
        return super().parenthesize(item, level, strict)

    def _print_Add(self, expr: Any, order: Any = None) -> Any:
        """A sum that begins with a term without a minus where it has one."""
        terms = self._as_ordered_terms(expr, order=order)
        first = next((i for i, term in enumerate(terms) if not _unsigned(term)[0]), 0)
        terms.insert(0, terms.pop(first))
        parts: list[Any] = []
        for term in terms:
            minus, size = _unsigned(term)
            if minus or parts:
                parts.append(self._node("mo", "−" if minus else "+"))
            loose = size.is_Add or _is_written(size)
            parts.append(self._bracketed(self._print(size)) if loose else self._print(size))
        return self._node("mrow", *parts)

    def _print_Mul(self, expr: Any) -> Any:
        minus, size = _unsigned(expr)
        numerator, denominator = sp.fraction(size, exact=True)
        if denominator == 1:
            body = self._product(size)
        else:
            body = self._node("mfrac", self._print(numerator), self._print(denominator))
        return self._node("mrow", self._node("mo", "−"), body) if minus else body

    def _product(self, expr: Any) -> Any:
        factors = expr.as_ordered_factors() if expr.is_Mul else [expr]
        if len(factors) == 1:
            return self._print(factors[0])
        parts: list[Any] = []
        for factor in factors:
            if parts and (factor.is_Number or (factor.is_Pow and factor.base.is_Number and factor.exp != sp.S.Half)):
                parts.append(self._node("mo", "·"))
            elif parts:
                wide = isinstance(factor, sp.Function) and not isinstance(factor, sp.exp)
                space = {"lspace": "0.15em", "rspace": "0"} if wide else {}
                parts.append(self._node("mo", "\u2062", **space))
            alone = factor.is_Number and factor.is_nonnegative
            parts.append(self._print(factor) if alone else self.parenthesize(factor, PRECEDENCE["Mul"]))
        return self._node("mrow", *parts)

    def _print_Derivative(self, expr: Any) -> Any:
        d = "∂" if len(expr.expr.free_symbols | set(expr.variables)) > 1 else "d"

        def power(base: Any, times: Any) -> Any:
            return base if times == 1 else self._node("msup", base, self._print(times))

        below: list[Any] = []
        for variable, times in reversed(expr.variable_count):
            below += [self._upright(d), power(self._print(variable), times)]
        top = power(self._upright(d), sum(times for _, times in expr.variable_count))
        return self._node("mrow", self._node("mfrac", top, self._node("mrow", *below)), self._operand(expr.expr))

    def _print_Subs(self, expr: Any) -> Any:
        """[f] with the point below its right bracket."""
        at: list[Any] = []
        for variable, value in zip(expr.variables, expr.point, strict=True):
            at += [self._node("mo", ","), *self._equation(variable, value)]
        return self._node("msub", self._bracketed(self._print(expr.expr), "[", "]"), self._node("mrow", *at[1:]))

    def _print_Limit(self, expr: Any) -> Any:
        function, variable, point, side = expr.args
        target = self._print(point)
        if point.is_finite is not False and str(side) in ("+", "-"):
            target = self._node("msup", target, self._node("mo", str(side)))
        below = self._node("mrow", self._print(variable), self._node("mo", "→"), target)
        return self._node("mrow", self._node("munder", self._node("mo", "lim"), below), self._operand(function))

    def _print_Sum(self, expr: Any) -> Any:
        parts = []
        for variable, low, high in expr.limits:
            below = self._node("mrow", *self._equation(variable, low))
            parts.append(self._node("munderover", self._node("mo", "∑"), below, self._print(high)))
        inner = self._print(expr.function)
        return self._node("mrow", *parts, self._bracketed(inner) if expr.function.is_Add else inner)

    def _print_exp(self, expr: Any) -> Any:
        return self._node("msup", self._upright("e"), self._print(expr.args[0]))

    def _print_Exp1(self, expr: Any) -> Any:
        return self._upright("e")

    def _print_Symbol(self, sym: Any, style: str = "plain") -> Any:
        if sym.name in SQUARES:
            return self._node("msup", self._name(SQUARES[sym.name]), self._node("mn", "2"))
        if SIMPLE.fullmatch(sym.name) and "_minus_" not in sym.name:
            return self._name(sym.name)
        if " " in sym.name or "|" in sym.name.replace("||", ""):  # not <mtext>, around which relations lose their space
            words = sym.name.replace("|", ", ").replace("R_inf", "R∞").replace("R2", "R²").replace("<=", "≤")
            return self._node("mi", words)
        return self._written(sym.name.replace("_minus_", "-"))

    def _name(self, name: str) -> Any:
        """A letter or word with its indices and primes: K_ref, e''."""
        stem = name.rstrip("'")
        base, *indices = stem.split("_")
        made = self._node("mi", LETTERS.get(base, base))
        if len(name) > len(stem):
            primes = self._node("mo", "′" * (len(name) - len(stem)), lspace="0", rspace="0")
            made = self._node("mrow", made, primes)
        if not indices:
            return made
        below = [self._node("mn" if i.isdigit() else "mi", LETTERS.get(i, i)) for i in indices]
        return self._node("msub", made, below[0] if len(below) == 1 else self._node("mrow", *below))

    def _written(self, name: str) -> Any:
        """A name that is an expression itself, as it is written: a/(1-mu), E_old[A]."""
        parts: list[Any] = []
        for token in TOKEN.findall(name):
            if token[0] in "^_":
                tag = "msup" if token[0] == "^" else "msub"
                parts.append(self._node(tag, parts.pop(), self._node("mn", token[1:])))
            elif token.startswith("sqrt("):
                parts.append(self._node("msqrt", self._name(token[5:-1])))
            elif token[0].isalpha():
                parts.append(self._name(token))
            else:
                parts.append(self._node("mn" if token.isdigit() else "mo", SIGNS.get(token, token)))
        return self._node("mrow", *parts)


def _is_written(item: Any) -> bool:
    """Whether it is a symbol whose name is a phrase, or an expression that needs brackets beside others."""
    if not isinstance(item, sp.Symbol) or item.name in SQUARES:
        return False
    return re.search(r"[-+/ |]|_minus_", re.sub(r"\(.*\)|\[.*\]", "", item.name)) is not None


def _unsigned(expr: Any) -> tuple[bool, Any]:
    """Whether a term is printed with a minus, and what follows it: no sum in it has minuses only."""
    if not expr.is_Mul:
        return (True, -expr) if _coeff_isneg(expr) else (False, expr)
    factors = list(expr.args)
    minus = False
    for i, factor in enumerate(factors):
        negative = factor.is_Number and factor.is_negative
        if negative or (factor.is_Add and all(_coeff_isneg(term) for term in factor.args)):
            minus = not minus
            factors[i] = -factor
    kept = [f for f in factors if f != 1]
    return minus, sp.Mul(*kept, evaluate=False) if len(kept) > 1 else (kept[0] if kept else sp.S.One)


def _markup(node: Any) -> str:
    """An element as XML; sympy's own texts may hold bare < and entities of HTML."""
    if not hasattr(node, "tagName"):
        return _plain(node.data)
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in node.attributes.items())
    return f"<{node.tagName}{attributes}>{''.join(map(_markup, node.childNodes))}</{node.tagName}>"


def _plain(text: str) -> str:
    """The text of one token: the sign that an entity of HTML stands for, < and > escaped, a minus for a hyphen."""
    plain = html.unescape(text).translate({0x2147: "e", 0x2148: "i", 0x2146: "d"})
    return html.escape(re.sub(r"^-(?=\d*$)", "−", plain), quote=False)
