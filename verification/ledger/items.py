"""The claims of `spec/` as pytest items: one per step, mutant and stamp, named by claim id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spec.check import Outcome, decide, decide_mutant, hypotheses, needed
from spec.claim import Claim, Counterexample, Identity, Inequality, Property
from spec.domain import Domain
from spec.stamp import content
from spec.verdict import Evidence
from verification.ledger.collect import Ledger, attach


def keywords(claim_id: str) -> set[str]:
    """The words by which `-k` finds a claim: its id, and the id as a Python name."""
    return {claim_id, claim_id.replace("-", "_").replace(".", "_")}


class SpecFile(pytest.File):
    """One noun of `spec/`."""

    def collect(self) -> Iterator[pytest.Collector]:
        """A collector for each claim of the noun."""
        from spec import CLAIMS, NOUNS

        for id_, claim in CLAIMS.items():
            if NOUNS[id_] == self.path.stem:
                yield ClaimCollector.from_parent(self, name=id_, claim=claim)


class ClaimCollector(pytest.Collector):
    """One claim; its steps, mutants and stamp are the items."""

    def __init__(self, *, claim: Claim, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim

    def collect(self) -> Iterator[pytest.Item]:
        """The items of the claim."""
        for step in self.claim.steps:
            if not isinstance(step, Property):
                yield StepItem.from_parent(self, name=step.name, claim=self.claim)
        for mutant in self.claim.mutants:
            if mutant.changes:
                yield MutantItem.from_parent(self, name=f"mutant:{mutant.name}", claim=self.claim)
        yield StampItem.from_parent(self, name="stamp", claim=self.claim)


class SpecFailure(Exception):
    """A step, mutant or stamp that did not come out as it must; shown without a traceback."""


class _Item(pytest.Item):
    def __init__(self, *, claim: Claim, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim
        self.extra_keyword_matches.update(keywords(claim.id))

    def fail(self, message: str) -> None:
        raise SpecFailure(f"{self.nodeid}: {message}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The message alone for our own failures."""
        if isinstance(excinfo.value, SpecFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int, str]:
        """Where pytest says that the item is."""
        return self.path, 0, self.nodeid


class StepItem(_Item):
    """Decides one step; reports the assumptions that it turned out not to need."""

    def runtest(self) -> None:
        """Fail unless the outcome is true; unknown fails too."""
        step = self.claim.step(self.name)
        outcome = decide(self.claim, step)
        over: list[str] = []
        if outcome.value and isinstance(step, Identity | Inequality):
            over = [
                a.says
                for a in hypotheses(self.claim, step)
                if a.domain != Domain() or a.symbol is None
                if needed(self.claim, step, a) is None
            ]
        attach(self, self._evidence(outcome, tuple(over)))
        if outcome.value is not True:
            word = "false" if outcome.value is False else "unknown, and unknown does not pass"
            self.fail(f"{word}: {outcome.why}")

    def _evidence(self, outcome: Outcome, over: tuple[str, ...]) -> Evidence:
        step = self.claim.step(self.name)
        exact = isinstance(step, Counterexample)
        return Evidence(
            claim=self.claim.id,
            step=self.name,
            routes=("exact", "numeric") if exact else ("symbolic", "numeric"),
            passed=outcome.value is True,
            test=self.nodeid,
            examples=outcome.points,
            margin=outcome.margin,
            detail=outcome.why,
            over_assumed=over,
        )


class MutantItem(_Item):
    """Runs one wrong variant of a step."""

    def runtest(self) -> None:
        """Fail unless the wrong variant is found false; unknown is a survivor."""
        name = self.name.removeprefix("mutant:")
        mutant = next(m for m in self.claim.mutants if m.name == name)
        outcome = decide_mutant(self.claim, mutant)
        dead = outcome.value is False
        attach(
            self,
            Evidence(
                claim=self.claim.id,
                step=mutant.step,
                routes=(),
                passed=dead,
                test=self.nodeid,
                detail=outcome.why,
                killed=(name,) if dead else (),
                survived=() if dead else (name,),
            ),
        )
        if not dead:
            self.fail(f"survived ({'true' if outcome.value else 'unknown'}): {outcome.why}")


class StampItem(_Item):
    """Compares the content of the claim with its stamp."""

    def runtest(self) -> None:
        """Fail when the claim was edited after its stamp was renewed."""
        stamp = self.config.stash[Ledger.KEY].stamps.get(self.claim.id)
        if stamp is None or stamp["content"] != content(self.claim):
            found = "has no stamp" if stamp is None else "was edited after its stamp was renewed"
            self.fail(f"{found}; look at it, then `tox -e stamp -- {self.claim.id}`")
