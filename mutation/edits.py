"""The mutants of a file: every single edit that mutmut's operators, and one of our own, make in it.

The operators are mutmut's (numbers, strings, comparisons, arithmetic, arguments, assignments, branches); ours deletes
a statement that is a bare call, as a check of an argument is. Left alone: docstrings, annotations, decorators,
calls of `len` and `isinstance`, and the bodies of classes outside their methods.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

KINDS = {
    "number": "number",
    "string": "text",
    "dict_arguments": "argument",
    "arg_removal": "argument",
    "assignment": "assignment",
    "augmented_assignment": "assignment",
    "swap_op": "operator",
    "remove_unary_ops": "operator",
    "if_exp": "branch",
    "keywords": "branch",
    "name": "branch",
    "lambda": "argument",
}


@dataclass(frozen=True)
class Edit:
    """One mutant: a function, or a top-level assignment, with one node replaced.

    Attributes:
        owner: qualified name of the function ("Class.method"), or of the assigned name.
        top_level: whether `source` is a top-level assignment and not a function.
        kind: number, operator, branch, argument, assignment, text or statement.
        first, last: the lines of the statement that holds the edit; a test that runs one of them covers it.
        line: the line where the edit begins.
        before, after: the lines that differ, stripped and joined by " / ".
        source: the mutated function without its decorators, or the assignment.
    """

    owner: str
    top_level: bool
    kind: str
    first: int
    last: int
    line: int
    before: str
    after: str
    source: str


def edits(path: Path) -> list[Edit]:
    """All mutants of a file, in the order of its lines.

    Raises:
        SyntaxError: the file is no Python.
    """
    text = path.read_text(encoding="utf-8")
    ast.parse(text, filename=str(path))
    wrapper = MetadataWrapper(cst.parse_module(text))
    places = wrapper.resolve(PositionProvider)
    found = [edit for owner in _owners(wrapper.module) for edit in _of(*owner, places)]
    return sorted(found, key=lambda e: e.line)


def _owners(module: cst.Module) -> Iterator[tuple[str, cst.CSTNode, bool]]:
    """Functions, methods and top-level assignments of a plain name."""
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef):
            yield statement.name.value, statement, False
        elif isinstance(statement, cst.ClassDef):
            for part in statement.body.body:
                if isinstance(part, cst.FunctionDef):
                    yield f"{statement.name.value}.{part.name.value}", part, False
        elif isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
            name, value = _assigned(statement.body[0])
            if name and not name.startswith("__") and not isinstance(value, cst.Subscript):  # a Subscript is a type
                yield name, statement, True


def _assigned(statement: cst.BaseSmallStatement) -> tuple[str, cst.BaseExpression | None]:
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0].target, statement.value
    elif isinstance(statement, cst.AnnAssign):
        target, value = statement.target, statement.value
    else:
        return "", None
    return (target.value, value) if isinstance(target, cst.Name) and value is not None else ("", None)


def _of(owner: str, node: cst.CSTNode, top_level: bool, places: dict[cst.CSTNode, CodeRange]) -> Iterator[Edit]:
    bare: dict[str, list[cst.CSTNode]] = {"leading_lines": []} if top_level else {"leading_lines": [], "decorators": []}
    original = _code(node.with_changes(**bare))
    tree = ast.dump(ast.parse(original))
    seen = set()
    for old, new, kind, statement in _mutations(node, node):
        if top_level and isinstance(new, cst.Assign | cst.AnnAssign):
            continue  # a constant that is None tells nothing
        changed = cst.ensure_type(node.deep_replace(old, new), cst.CSTNode).with_changes(**bare)
        source = _code(changed)
        try:
            if ast.dump(ast.parse(source)) == tree or source in seen:
                continue
            compile(source, owner, "exec")
        except SyntaxError:
            continue
        seen.add(source)
        before, after = _difference(original, source)
        place = places[statement]
        last = place.end.line if isinstance(statement, cst.SimpleStatementLine) else place.start.line
        if statement is node and not top_level:  # a default or the like: whoever calls the function covers it
            last = place.end.line
        line = places[old].start.line if old in places else place.start.line
        yield Edit(owner, top_level, kind, place.start.line, last, line, before, after, source)


def _code(node: cst.CSTNode) -> str:
    return str(cst.Module([node]).code)


def _difference(old: str, new: str) -> tuple[str, str]:
    lines = list(difflib.ndiff(old.splitlines(), new.splitlines()))
    sides = ([s[2:].strip() for s in lines if s.startswith(sign)] for sign in "-+")
    before, after = (" / ".join(side) for side in sides)
    return before, after


def _mutations(
    node: cst.CSTNode, statement: cst.CSTNode
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode, str, cst.CSTNode]]:
    """(old node, new node, kind, innermost statement around it), below and at `node`."""
    if isinstance(node, cst.Annotation | cst.Decorator) or _is_docstring(node) or _is_untouched_call(node):
        return
    if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
        statement = node
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        yield node, cst.Pass(), "statement", statement
    for kind_of_node, operator in mutation_operators:
        if isinstance(node, kind_of_node):
            kind = KINDS.get(operator.__name__.removeprefix("operator_"), "text")
            for new in operator(node):
                yield node, new, kind, statement
    if isinstance(node, cst.Param) and node.default and not isinstance(node.default, cst.Name | cst.BaseNumber):
        return
    for child in node.children:
        yield from _mutations(child, statement)


def _is_docstring(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString)


def _is_untouched_call(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in {"len", "isinstance"}
