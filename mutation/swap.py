"""Put a mutant in the place of a living function or constant, in this process alone: no file is written."""

from __future__ import annotations

import ast
import functools
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Protocol

ANNOTATIONS_FLAG = 0x1000000  # compile as the files are: from __future__ import annotations


class Source(Protocol):
    """What `swap` needs to know of a mutant; see `mutation.edits.Edit`."""

    @property
    def owner(self) -> str:
        """The function's qualified name, or the constant's."""

    @property
    def top_level(self) -> bool:
        """Whether it is a constant."""

    @property
    def source(self) -> str:
        """The mutated definition."""


class Unreachable(LookupError):
    """The function cannot be replaced in a living process."""


def swap(module: ModuleType, mutant: Source) -> None:
    """Replace a function's code, so that whoever imported it already calls the mutant; or a constant's value.

    The constants below that are made with it are made again. A dictionary, or an object with attributes,
    stays the object that it was, with new contents, so that whoever holds it sees the mutant too.

    Args:
        module: the imported module that the mutant is of.
        mutant: its owner and source.

    Raises:
        Unreachable: the owner is no plain function, or closes over other variables than before.
        Exception: whatever the mutant's own definition raises, such as a default value that cannot be computed.
    """
    if mutant.top_level:
        _put(module, mutant.owner, _run(module, mutant.source)[mutant.owner])
    else:
        _replace(module, mutant)
    for name, source in made_with(module, mutant.owner):
        _put(module, name, _run(module, source)[name])


def _replace(module: ModuleType, mutant: Source) -> None:
    new = _run(module, mutant.source)[mutant.owner.split(".")[-1]]
    old = _function(module, mutant.owner)
    if old.__code__.co_freevars != new.__code__.co_freevars:
        raise Unreachable(mutant.owner)
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


def _run(module: ModuleType, source: str) -> dict[str, Any]:
    """The module's names after a definition, which leaves the module as it is."""
    names = dict(vars(module))
    exec(compile(source, str(module.__file__), "exec", ANNOTATIONS_FLAG, True), names)
    return names


def made_with(module: ModuleType, owner: str) -> list[tuple[str, str]]:
    """Name and source of every top-level assignment that needs a constant or function, or another such constant.

    Args:
        module: where it is defined.
        owner: its qualified name; of a method, what needs its class counts.
    """
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    owner = owner.split(".")[0]
    changed, out, below = {owner}, [], False
    for node in ast.parse(text).body:
        below = below or (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == owner)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if below and changed & {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}:
            changed |= set(names)
            out += [(name, ast.get_source_segment(text, node) or "") for name in names]
        below = below or owner in names
    return out


def _put(module: ModuleType, name: str, value: object) -> None:
    """Give a constant its new value, in the object that it was where that can be."""
    was = getattr(module, name)
    if isinstance(was, dict) and isinstance(value, dict):
        contents = dict(value)
        was.clear()
        was.update(contents)
    elif type(was) is type(value) and hasattr(was, "__dict__") and not isinstance(was, type | FunctionType):
        contents = dict(vars(value))
        vars(was).clear()
        vars(was).update(contents)
    else:
        _set(module, name, value)


def _set(module: ModuleType, name: str, value: object) -> None:
    """Set a constant here and wherever in the package it was imported under its name."""
    was, package = getattr(module, name), module.__name__.split(".")[0]
    for other in [m for n, m in sys.modules.items() if n.split(".")[0] == package and m is not None]:
        if getattr(other, name, None) is was:
            setattr(other, name, value)


def _function(module: ModuleType, owner: str) -> FunctionType:
    """The function under its decorators."""
    found: Any = vars(module)[owner.split(".")[0]]
    if "." in owner:
        found = vars(found)[owner.split(".")[1]]
    while not isinstance(found, FunctionType):
        if isinstance(found, property):
            found = found.fget
        elif isinstance(found, functools.cached_property):
            found = found.func
        elif hasattr(found, "__func__"):
            found = found.__func__
        elif hasattr(found, "__wrapped__"):
            found = found.__wrapped__
        else:
            raise Unreachable(owner)
    return found
