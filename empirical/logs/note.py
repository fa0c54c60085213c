"""Note: one sentence about what a reader did with a log."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["read", "renamed", "derived", "merged", "repaired", "dropped", "refused", "inferred"]


@dataclass(frozen=True)
class Note:
    """What was done to a log, and why.

    Attributes:
        kind: "read" (what the file is), "renamed", "derived" (computed from other columns), "merged" (rows),
            "repaired", "dropped", "refused" (a value or column that cannot be what its name says), "inferred".
        text: one sentence, with the line where one is at fault.
    """

    kind: Kind
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"
