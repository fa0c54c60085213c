"""Diagnostics: one module a failure mode, each with what it needs, its arithmetic and its error rates."""

from collections.abc import Callable
from types import ModuleType

from empirical.diagnostics import concentration, coupling, degeneracy, dynamics, plateau, stability
from empirical.diagnostics.diagnosis import Diagnosis, Measure, Panel, Series, Verdict
from empirical.diagnostics.run import Run

MODULES: tuple[ModuleType, ...] = (plateau, dynamics, coupling, degeneracy, concentration, stability)
NAMES: tuple[str, ...] = tuple(module.NAME for module in MODULES)

__all__ = ["MODULES", "NAMES", "Diagnosis", "Measure", "Panel", "Run", "Series", "Verdict", "diagnose"]


def diagnose(run: Run) -> tuple[Diagnosis, ...]:
    """Answer all questions about a run; one that cannot be answered is SKIPPED or UNDECIDED, with the reason."""
    questions: list[Callable[[Run], Diagnosis]] = [module.diagnose for module in MODULES]
    return tuple(question(run) for question in questions)
