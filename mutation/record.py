"""The record of a run over one file, in build/mutation/, kept up to date so that a run can be interrupted."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutation.score import digest

ROOT = Path(__file__).parents[1]
SURVIVED = ("survived", "uncovered")
LEFT_OUT = ("unreachable", "stillborn")  # no mutant at all: its definition does not run, or cannot be put in place


@dataclass
class Record:
    """Verdicts by the number of the mutant, for one content of the file and of its tests."""

    name: str
    digest: str
    tests: str
    verdicts: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0
    complete: bool = False

    @staticmethod
    def path(name: str) -> Path:
        """Where the record of a file is kept."""
        return ROOT / "build" / "mutation" / f"{name}.json"

    @classmethod
    def read(cls, name: str, tests: Sequence[Path], survivors: bool = False) -> Record:
        """The record to go on with: of an interrupted run over the same file and tests, else an empty one.

        Args:
            name: the file, from the root.
            tests: the test files that judge it.
            survivors: keep what was killed by earlier tests too, so that the survivors alone are judged again.
        """
        fresh = cls(name, digest(ROOT / name), digest(*tests))
        if not cls.path(name).exists():
            return fresh
        old = cls(**json.loads(cls.path(name).read_text(encoding="utf-8")))
        if old.digest != fresh.digest:
            return fresh
        if survivors:
            old.verdicts = {n: v for n, v in old.verdicts.items() if v["verdict"] not in SURVIVED}
            old.tests, old.complete = fresh.tests, False
            return old
        return fresh if old.complete or old.tests != fresh.tests else old

    def knows(self, number: int) -> bool:
        """Whether the mutant was judged."""
        return str(number) in self.verdicts

    def note(self, number: int, edit: Any, verdict: str, killer: str, seconds: float) -> None:
        """Add a verdict."""
        self.verdicts[str(number)] = {
            "function": edit.owner,
            "kind": edit.kind,
            "number": edit.line,
            "line": edit.before,
            "edit": edit.after,
            "verdict": verdict,
            "killer": killer,
            "seconds": round(seconds, 2),
        }

    def survived(self) -> int:
        """How many mutants no test noticed."""
        return sum(v["verdict"] in SURVIVED for v in self.verdicts.values())

    def finish(self, count: int) -> None:
        """Mark the record complete and write it."""
        self.complete = all(self.knows(n) for n in range(count))
        self.seconds = round(sum(v["seconds"] for v in self.verdicts.values()), 1)
        self.write()

    def write(self) -> None:
        """Write the record, whole or not at all."""
        path = self.path(self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        spare = path.with_suffix(".new")
        spare.write_text(json.dumps(vars(self), indent=1), encoding="utf-8")
        os.replace(spare, path)
