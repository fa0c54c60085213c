"""Reader: one file format."""

from collections.abc import Callable
from dataclasses import dataclass

from empirical.logs.raw import Raw
from empirical.logs.source import Source


@dataclass(frozen=True)
class Reader:
    """One file format.

    Attributes:
        name: in words.
        matches: whether a file looks like it; cheap, never raises.
        read: all rows of the file; raises InputError where there are none.
        sure: whether a file that matches can be of no other format, so that a refusal is final.
    """

    name: str
    matches: Callable[[Source], bool]
    read: Callable[[Source], Raw]
    sure: bool = False
