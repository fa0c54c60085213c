"""How a test in `verification/` says what it found: examples, margins, and the mutants it killed.

`conftest.py` opens a record around each test; outside one the functions only assert.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Record:
    """What the running test has reported so far."""

    examples: int = 0
    margin: float | None = None
    detail: str = ""
    power: float | None = None
    killed: list[str] = field(default_factory=list)
    survived: list[str] = field(default_factory=list)


_open: list[Record] = []


def start() -> Record:
    """Open a record for the test that begins now."""
    _open[:] = [Record()]
    return _open[0]


def stop() -> None:
    """Close the record."""
    _open.clear()


def within(error: float, bound: float, what: str = "error") -> None:
    """Assert |error| <= bound, and record the relative slack (bound - |error|) / bound as the margin.

    Args:
        error: the observed difference; nan fails.
        bound: the tolerance, > 0, derived from an error analysis or a sampling distribution.
        what: the name of the difference, for the message.

    Raises:
        AssertionError: the bound is exceeded.
        ValueError: the bound is not positive.
    """
    size = abs(float(error))
    if not bound > 0:
        raise ValueError(f"bound = {bound}; expected > 0")
    if _open:
        record = _open[0]
        record.examples += 1
        slack = (float(bound) - size) / float(bound)
        record.margin = slack if record.margin is None else min(record.margin, slack)
    assert size <= bound, f"{what} {size:.3g} exceeds its bound {float(bound):.3g}"


def observe(text: str, power: float | None = None) -> None:
    """Say what the frozen training runs show beside a claim's verdict: numbers computed by the test, never typed.

    Args:
        text: one paragraph for people: effect sizes, intervals, over how many runs, under which conditions.
        power: the probability that the runs would have shown what the claim predicts for them.

    Raises:
        ValueError: the text is empty.
    """
    if not text.strip():
        raise ValueError("text is empty; expected what the runs show")
    if _open:
        _open[0].detail, _open[0].power = text, power


def kill(mutant: str, check: Callable[[], object]) -> None:
    """Run `check` on a deliberately wrong variant; the mutant is killed when the check fails.

    Args:
        mutant: the name of a mutant of the claim that the test is marked with.
        check: the very check that the test applies to the right variant, applied to the wrong one.

    Raises:
        AssertionError: the check passed, so that the mutant survived.
    """
    record = _open[0] if _open else Record()
    before = (record.examples, record.margin)
    try:
        check()
    except AssertionError:
        record.examples, record.margin = before
        record.killed.append(mutant)
        return
    record.survived.append(mutant)
    raise AssertionError(f"the mutant {mutant!r} survived")
