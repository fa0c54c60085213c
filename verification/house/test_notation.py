"""Formulas as they are printed: what a reader sees, read back as mathematics, is the object that is tested."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
import sympy as sp
from sympy.core.relational import Relational

from spec import CLAIMS
from spec.claim import Property
from verification.ledger.notation import mathml

pytestmark = pytest.mark.infrastructure

OPERATORS = {
    "−": "-",
    "\u2062": "*",
    "·": "*",
    "+": "+",
    "(": "(",
    ")": ")",
    "=": "@",
    "<": "@",
    ">": "@",
    "≤": "@",
    "≥": "@",
}
FUNCTIONS = {"sin", "cos", "tan", "cot", "log", "sinh", "cosh", "coth", "min", "arcsinh", "arctan"}
UNREAD = (sp.Derivative, sp.Subs, sp.Limit, sp.Sum, sp.Integral, sp.floor, sp.binomial, sp.Abs, sp.Min)


def printed() -> Iterator[tuple[str, sp.Basic]]:
    """Every formula of every claim, with where it stands."""
    for id_, claim in CLAIMS.items():
        yield id_, claim.shown
        yield from ((f"{id_}, where", meaning) for meaning in claim.where.values())
        yield from ((f"{id_}, {s.name}", s.statement) for s in claim.steps if not isinstance(s, Property))


def read(node: ElementTree.Element, names: dict[str, str]) -> str:
    """Python of what is seen; an element adds brackets only where the page shows extent (fractions, roots, powers).

    `names` maps what a symbol looks like to a placeholder.
    """
    tag = node.tag.split("}")[-1]
    seen = ElementTree.tostring(node, encoding="unicode").split(">", 1)[1].rsplit("<", 1)[0]
    if (key := f"{tag}:{seen}") in names:
        return names[key]
    parts = [read(child, names) for child in node]
    if tag == "mfrac":
        return f"(({parts[0]})/({parts[1]}))"
    if tag == "msup":
        return f"{parts[0]}**({parts[1]})"
    if tag == "msqrt":
        return f"sqrt({''.join(parts)})"
    if tag == "mroot":
        return f"(({parts[0]})**(1/({parts[1]})))"
    if tag in ("math", "mrow"):
        return "".join(parts)
    text = node.text or ""
    if tag == "mn":
        return text.replace("−", "-")
    if tag == "mo":
        return OPERATORS[text]
    return {"e": "E", "π": "pi", "i": "I", "arcsinh": "asinh", "arctan": "atan"}.get(text, text)


def seen(symbol: sp.Symbol) -> str:
    """What a symbol looks like, as a key of `names`."""
    root = ElementTree.fromstring(mathml(symbol))[0]
    inner = ElementTree.tostring(root, encoding="unicode").split(">", 1)[1].rsplit("<", 1)[0]
    return f"{root.tag.split('}')[-1]}:{inner}"


def test_what_is_printed_is_what_is_tested() -> None:
    compared = 0
    for where, expression in printed():
        if expression.has(*UNREAD) or not isinstance(expression, Relational | sp.Expr) or expression.is_Atom:
            continue
        symbols = sorted(expression.free_symbols, key=str)
        if any(str(s) in ("e", "i", "pi") for s in symbols):
            continue  # upright and slanted letters are told apart by eye only
        names = {seen(s): f"_{i}_" for i, s in enumerate(symbols)}
        assert len(names) == len(symbols), f"{where}: two symbols look alike"
        text = read(ElementTree.fromstring(mathml(expression)), names)
        local = {f"_{i}_": sp.Symbol(f"x{i}", positive=True) for i in range(len(symbols))}
        at = {local[f"_{i}_"]: sp.Rational(2 * i + 3, 7 * i + 11) for i in range(len(symbols))}
        sides = [sp.sympify(re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"Integer(\1)", t), local) for t in text.split("@")]
        own = dict(zip(symbols, at.values(), strict=True))
        trues = expression.args if isinstance(expression, Relational) else (expression,)
        for side, true in zip(sides, trues, strict=True):
            difference = sp.N(side.subs(at), 30) - sp.N(true.subs(own), 30)
            assert abs(difference) <= 1e-20 * (1 + abs(sp.N(true.subs(own)))), f"{where}: {text}"
            compared += 1
    assert compared > 350


def test_no_formula_shows_raw_python_or_two_signs_in_a_row() -> None:
    for where, expression in printed():
        root = ElementTree.fromstring(mathml(expression))
        named = {str(name) for symbol in expression.atoms(sp.Symbol) for name in re.findall(r"[A-Za-z]+", symbol.name)}
        words = [n.text or "" for n in root.iter() if n.tag.endswith("}mi") and len(n.text or "") > 1]
        odd = [w for w in words if w.isascii() and w.isidentifier() and w not in FUNCTIONS | named]
        assert not odd, f"{where}: {odd}"
        tokens = "".join(n.text or "" for n in root.iter() if n.tag.endswith("}mo"))
        assert not re.search(r"[−+][−+]", "".join(_row(root))), f"{where}: {tokens}"


def _row(node: ElementTree.Element) -> Iterator[str]:
    """The tokens in the order in which they are read, with a mark where something is set above or below."""
    if len(node) == 0:
        yield node.text or ""
    for child in node:
        yield from _row(child)
        if not node.tag.endswith(("}mrow", "}math")):
            yield ";"


x, tau = sp.symbols("x tau")


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (sp.Derivative(sp.exp(-x * tau), (tau, 3)), "∂;3;;∂τ;3;;(e;−τ⁢x;)"),
        (sp.Derivative(x - x**2, x), "d;dx;(x−x;2;)"),
        (sp.Subs(x**2 + tau, x, 0), "[τ+x;2;];x=0;"),
        (sp.Limit(1 + x, x, 0), "lim;x→0;+;;(x+1)"),
        (-(1 + tau) * (-tau - x), "(τ+1)⁢(τ+x)"),
        (tau - x, "τ−x"),
    ],
)
def test_operators_show_what_they_apply_to(expression: sp.Basic, shown: str) -> None:
    assert "".join(_row(ElementTree.fromstring(mathml(expression)))) == shown
