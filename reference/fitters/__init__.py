"""Fitters: laws of the mean reward fitted to a curve, globally, with honest uncertainty."""

from reference.fitters.bootstrap import Bootstrap, block_bootstrap
from reference.fitters.estimate import fit
from reference.fitters.family import FAMILIES
from reference.fitters.nested import Nested, inertia
from reference.fitters.result import Fit
from reference.fitters.tail import Tail, held_out_tail

LAWS: tuple[str, ...] = tuple(FAMILIES)

__all__ = ["LAWS", "Bootstrap", "Fit", "Nested", "Tail", "block_bootstrap", "fit", "held_out_tail", "inertia"]
