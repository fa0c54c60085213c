"""The examples in the documents run, and print what they say."""

import contextlib
import io
import re
from pathlib import Path

import pytest
import sympy as sp

import spec.claim
import spec.domain
import spec.symbols
from spec.check import decide, decide_mutant

pytestmark = pytest.mark.infrastructure

ROOT = Path(__file__).parents[2]


def blocks(document: str) -> list[str]:
    """The Python blocks of a document."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_the_ten_lines_of_the_readme() -> None:
    (code,) = blocks("README.md")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {})
    stable, monotone, zeta, left = out.getvalue().splitlines()
    # Eq. 11 allows gains up to 0.1/8 = 0.0125 alone; with periodic refresh the limit is 0.0339, 2.7 times that
    assert (stable, monotone) == ("stable: True", "monotone: False")
    # Eq. 10 by hand: 0.2 / sqrt(0.072 * 1.8) = 0.5556
    assert zeta == "damping ratio 0.556"
    assert left.startswith("after 60 steps ")


def test_the_claim_of_the_contributing_guide() -> None:
    (code,) = blocks("CONTRIBUTING.md")
    names = {**vars(sp), **vars(spec.symbols), **vars(spec.domain), **vars(spec.claim), "x": sp.Symbol("x")}
    claim = eval(code, names)
    assert decide(claim, claim.steps[0]).value is True
    assert decide_mutant(claim, claim.mutants[0]).value is False
