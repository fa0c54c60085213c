"""Fitters: laws of the mean reward fitted to a curve, globally, with honest uncertainty."""

from reference.fitters.estimate import fit
from reference.fitters.family import FAMILIES
from reference.fitters.result import Fit

LAWS: tuple[str, ...] = tuple(FAMILIES)

__all__ = ["LAWS", "Fit", "fit"]
