"""The record of a run over one file, in build/mutation/, kept up to date so that a run can be interrupted."""

from __future__ import annotations

import hashlib
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


def mutant(edit: Any) -> str:
    """Sixteen hex digits for what a mutant makes of its function as a whole: the same in two versions of a file where
    they differ elsewhere alone."""
    return hashlib.sha256(f"{edit.owner}\n{edit.source}".encode()).hexdigest()[:16]


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
            survivors: keep what was killed earlier, of other tests or another version of the file, so that the
                survivors and the mutants of changed functions alone are judged again; `align` has to follow.
        """
        fresh = cls(name, digest(ROOT / name), digest(*tests))
        if not cls.path(name).exists():
            return fresh
        old = cls(**json.loads(cls.path(name).read_text(encoding="utf-8")))
        if survivors:
            old.verdicts = {n: v for n, v in old.verdicts.items() if v["verdict"] not in SURVIVED}
            old.digest, old.tests, old.complete = fresh.digest, fresh.tests, False
            return old
        if old.digest != fresh.digest:
            return fresh
        return fresh if old.complete or old.tests != fresh.tests else old

    def align(self, everything: Sequence[Any]) -> None:
        """Give each verdict the number of its mutant in this version of the file; drop those whose function changed."""
        known = {verdict.get("mutant"): verdict for verdict in self.verdicts.values()}
        self.verdicts = {
            str(n): {**known[mutant(edit)], "number": edit.line}
            for n, edit in enumerate(everything)
            if mutant(edit) in known
        }

    def knows(self, number: int) -> bool:
        """Whether the mutant was judged."""
        return str(number) in self.verdicts

    def note(self, number: int, edit: Any, verdict: str, killer: str, seconds: float) -> None:
        """Add a verdict."""
        self.verdicts[str(number)] = {
            "mutant": mutant(edit),
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
