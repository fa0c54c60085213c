"""Put a mutant in the place of a living function, in this process alone: no file is written."""

from __future__ import annotations

import functools
import sys
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

    Args:
        module: the imported module that the mutant is of.
        mutant: its owner and source.

    Raises:
        Unreachable: the owner is no plain function, or closes over other variables than before.
        Exception: whatever the mutant's own definition raises, such as a default value that cannot be computed.
    """
    names = dict(vars(module))
    code = compile(mutant.source, str(module.__file__), "exec", ANNOTATIONS_FLAG, True)
    exec(code, names)
    if mutant.top_level:
        _set(module, mutant.owner, names[mutant.owner])
        return
    new = names[mutant.owner.split(".")[-1]]
    old = _function(module, mutant.owner)
    if old.__code__.co_freevars != new.__code__.co_freevars:
        raise Unreachable(mutant.owner)
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


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
