"""A mutated constant reaches those who hold it, and what is made of it; a mutated function those who imported it."""

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from mutation.swap import Unreachable, swap

pytestmark = pytest.mark.infrastructure

SOURCE = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Bound:
    low: float
    name: str

HALF = 0.5
TWICE = 2 * HALF
OTHER = 7.0
LOW = Bound(HALF, "low")
TABLE: dict[str, Bound] = {b.name: b for b in (LOW,)}

def shift(x: float, by: float = 1.0) -> float:
    return x + by + HALF

def made(x: float) -> dict[str, float]:
    return {"x": x}

MADE = made(HALF)

def outer():
    held = 1.0
    def inner():
        return held
    return inner

inner = outer()
"""


@dataclass(frozen=True)
class Mutant:
    owner: str
    source: str
    top_level: bool = True


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    path = tmp_path / "constants.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("constants", path)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules["constants"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    yield made
    del sys.modules["constants"]


def test_a_number_reaches_all_that_is_made_of_it(module: ModuleType) -> None:
    low, table = module.LOW, module.TABLE
    swap(module, Mutant("HALF", "HALF = 1.5"))
    assert (module.HALF, module.TWICE, module.OTHER) == (1.5, 3.0, 7.0)
    assert low is module.LOW
    assert low.low == 1.5
    assert table is module.TABLE
    assert table["low"] is low
    assert module.shift(1.0) == 3.5


def test_an_object_keeps_its_identity_and_a_dictionary_too(module: ModuleType) -> None:
    low, table = module.LOW, module.TABLE
    swap(module, Mutant("LOW", 'LOW = Bound(HALF, "LOW")'))
    assert (low.name, low.low) == ("LOW", 0.5)
    assert list(table) == ["LOW"]
    assert table["LOW"] is low


def test_a_constant_whose_dependents_break_breaks_the_definition(module: ModuleType) -> None:
    with pytest.raises(TypeError):
        swap(module, Mutant("HALF", "HALF = None"))


def test_a_function_is_replaced_where_it_was_imported(module: ModuleType) -> None:
    imported = module.shift
    swap(module, Mutant("shift", "def shift(x: float, by: float = 2.0) -> float:\n    return x - by", top_level=False))
    assert imported(1.0) == -1.0


def test_a_function_makes_its_constants_again(module: ModuleType) -> None:
    table = module.MADE
    swap(module, Mutant("made", "def made(x: float) -> dict[str, float]:\n    return {'x': x + 1}", top_level=False))
    assert table == {"x": 1.5}


def test_a_closure_cannot_be_replaced(module: ModuleType) -> None:
    with pytest.raises(Unreachable):
        swap(module, Mutant("inner", "def inner():\n    return 2.0", top_level=False))
