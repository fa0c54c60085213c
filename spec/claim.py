"""A claim of the paper, the steps that decide it, and the deliberately wrong variants that must fail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import sympy as sp

from spec.domain import Assumption

PAPER = "arXiv:2606.30789"
"""Ghosh, Nimmaturi, Singhal, Bhargava, Wong, George, Dutta: Predictable GRPO (2026)."""

VERSION = "the text whose abstract grants a residual G-dependence of the within-group spread"

_ID = re.compile(r"[a-z]+(-[a-z0-9.]+)*")


class ClaimError(ValueError):
    """A claim that is not well formed; the message names the claim and what to change."""


class Status(Enum):
    """A verdict, from the strongest support to a refutation.

    The order of the members is the order in which "weakest wins" is read along a chain of claims.
    """

    PROVED = "proved"
    HELD = "held"
    SUPPORTED = "supported"
    NARROWED = "narrowed"
    UNTESTABLE = "untestable"
    UNTESTED = "untested"
    SUSPECT = "suspect"
    REFUTED = "refuted"

    @property
    def rank(self) -> int:
        """0 for the strongest support."""
        return list(Status).index(self)


DECLARABLE = (
    Status.PROVED,
    Status.HELD,
    Status.SUPPORTED,
    Status.NARROWED,
    Status.REFUTED,
    Status.UNTESTABLE,
)


@dataclass(frozen=True)
class Cite:
    """Where the paper says it. `number` is "Equation 10", "Proposition 9", "Figure 3", ... or "" for a sentence."""

    number: str
    section: str
    version: str = VERSION

    def __str__(self) -> str:
        return f"{self.number}, Section {self.section}" if self.number else f"Section {self.section}"


@dataclass(frozen=True)
class Identity:
    """lhs = rhs under the assumptions: proved to exact zero, and checked at 50 digits.

    Attributes:
        name: short, unique within the claim; `pytest spec -k name` selects it.
        lhs, rhs: sympy expressions. Unevaluated Derivative, Integral, Limit and Sum are welcome: the
            numeric route computes them by itself.
        assumes: hypotheses of this step beyond the claim's own.
        under: for a NARROWED claim, the stronger assumption under which this step saves it.
        says: one line on what the step shows.
    """

    name: str
    lhs: sp.Expr
    rhs: sp.Expr
    says: str = ""
    assumes: tuple[Assumption, ...] = ()
    under: str = ""

    @property
    def statement(self) -> sp.Basic:
        """The equation, unevaluated."""
        return sp.Eq(self.lhs, self.rhs, evaluate=False)


@dataclass(frozen=True)
class Inequality:
    """small <= large (or < where `strict`), by a certificate.

    The certificate is an expression equal to large - small (an identity, checked on both routes) whose sign
    sympy's assumption system derives from the signs of its symbols alone.
    """

    name: str
    small: sp.Expr
    large: sp.Expr
    certificate: sp.Expr
    strict: bool = False
    says: str = ""
    assumes: tuple[Assumption, ...] = ()
    under: str = ""

    @property
    def statement(self) -> sp.Basic:
        """The inequality, unevaluated."""
        relation = sp.StrictLessThan if self.strict else sp.LessThan
        return relation(self.small, self.large, evaluate=False)


@dataclass(frozen=True)
class Counterexample:
    """Exact values, allowed by the claim's assumptions, at which `statement` fails.

    Attributes:
        statement: the printed statement as a sympy condition.
        at: exact rationals for its symbols.
        gap: by how much it fails, an expression; its exact value at the point is `amount`.
        minimal: why nothing simpler would do.
    """

    name: str
    statement: sp.Basic
    at: Mapping[sp.Symbol, sp.Rational]
    gap: sp.Expr
    amount: sp.Expr
    says: str = ""
    minimal: str = ""
    assumes: tuple[Assumption, ...] = ()
    under: str = field(default="", init=False)


@dataclass(frozen=True)
class Property:
    """A statement that `verification/` tests against a reference implementation or the published cells.

    Attributes:
        refutes: the tests show that the printed statement fails.
        kind: what the evidence can be worth: "property", "statistical", or "exact" where a finite computation in
            exact arithmetic decides the whole statement (not where it only samples it).
        covers: for a second route to a step that is proved already, that step's name.
    """

    name: str
    says: str
    kind: str = "property"
    refutes: bool = False
    under: str = ""
    covers: str = ""


Step = Identity | Inequality | Counterexample | Property


@dataclass(frozen=True)
class Mutant:
    """A deliberately wrong variant of one step. The run kills it, or fails.

    `changes` maps fields of the step to wrong values. For a `Property` it stays empty: the test that decides
    the step kills the mutant by name through the `kill` fixture.
    """

    name: str
    step: str
    changes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """One statement of the paper (or, with `corrects`, the true one found in its place).

    Attributes:
        id: permanent; survives a renumbering of the paper.
        cites: where the paper says it.
        says: our own paraphrase.
        formula: the statement as a sympy object; by default that of the first step. It must occur in a step
            (`spec.shown.decider`), unless only tests of `verification/` decide the claim.
        where: what names in the formula stand for, so that it prints short and is still the object tested.
        assumes: hypotheses, executable.
        uses: ids of the claims it rests on.
        verdict: what the authors of this suite expect; the run must bear it out.
        because: the finding in one sentence.
        steps: what decides it.
        mutants: wrong variants; at least one, unless the claim is UNTESTABLE.
        reply: the best answer that the paper's authors have, where there is one.
        needs: for UNTESTABLE, the data that would decide it.
        corrects: ids that this claim replaces.
    """

    id: str
    cites: tuple[Cite, ...]
    says: str
    verdict: Status
    because: str
    formula: sp.Basic | None = None
    where: Mapping[sp.Basic, sp.Basic] = field(default_factory=dict)
    assumes: tuple[Assumption, ...] = ()
    uses: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    reply: str = ""
    needs: str = ""
    corrects: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._require(bool(_ID.fullmatch(self.id)), "an id is lower-case words, digits and dots joined by '-'")
        self._require(bool(self.says and self.because), "'says' and 'because' must not be empty")
        self._require(bool(self.cites) or bool(self.corrects), "it must cite the paper, or correct a claim")
        self._require(self.verdict in DECLARABLE, f"{self.verdict.name} is computed, never declared")
        self._require(
            self.formula is not None or (bool(self.steps) and not isinstance(self.steps[0], Property)),
            "it needs a formula, or a first step that has one",
        )
        unused = [n for n in self.where if self.formula is None or not self.formula.has(n)]
        self._require(not unused, f"'where' explains {unused}, which the formula does not name")
        names = [step.name for step in self.steps]
        self._require(len(set(names)) == len(names), f"step names repeat: {names}")
        for mutant in self.mutants:
            self._require(mutant.step in names, f"mutant {mutant.name!r} names an unknown step {mutant.step!r}")
            step = self.step(mutant.step)
            self._require(
                isinstance(step, Property) != bool(mutant.changes),
                f"mutant {mutant.name!r}: a Property's mutant changes nothing here, every other must",
            )
            wrong = [f for f in mutant.changes if not hasattr(step, f)]
            self._require(not wrong, f"mutant {mutant.name!r}: {type(step).__name__} has no field {wrong}")
        for step in self.steps:
            if isinstance(step, Property):
                kinds = ("property", "statistical", "exact")
                self._require(step.kind in kinds, f"step {step.name!r}: kind must be one of {kinds}")
            if isinstance(step, Property) and step.covers:
                covered = [s for s in self.steps if s.name == step.covers and not isinstance(s, Property)]
                self._require(bool(covered), f"step {step.name!r} must cover an algebraic step, not {step.covers!r}")
            if isinstance(step, Counterexample):
                constant = step.statement in (sp.true, sp.false)
                self._require(not constant, f"step {step.name!r}: the statement is a constant")
                self._require(step.amount != 0, f"step {step.name!r}: it fails by nothing")
        mutants = [m.name for m in self.mutants]
        self._require(len(set(mutants)) == len(mutants), f"mutant names repeat: {mutants}")
        bare = [
            s.name
            for s in self.steps
            if not (isinstance(s, Property) and s.covers) and not any(m.step == s.name for m in self.mutants)
        ]
        self._require(not bare, f"no mutant attacks {bare}")
        for step in self.steps:
            for own in step.assumes if isinstance(step, Identity | Inequality) and not step.under else ():
                wider = [a for a in self.assumes if own.symbol is not None and a.symbol == own.symbol]
                self._require(
                    all(own.domain.covers(a.domain) for a in wider),
                    f"step {step.name!r} asks for {own.says!r}, less than the claim's range, without saying 'under'",
                )
        ranged = [a.symbol for a in self.assumes if a.symbol is not None]
        self._require(len(set(ranged)) == len(ranged), "two assumptions give a range to the same symbol")
        against = any(isinstance(s, Counterexample) or (isinstance(s, Property) and s.refutes) for s in self.steps)
        saved = [s.name for s in self.steps if s.under]
        self._require(against or not saved, f"{saved} hold 'under' a stronger assumption, but nothing fails without")
        refuting = [s for s in self.steps if isinstance(s, Property) and s.refutes]
        exact = any(isinstance(s, Counterexample) for s in self.steps)
        self._require(
            exact or not refuting or any(s.kind != "statistical" for s in refuting),
            "a statistical test alone refutes nothing: give a counterexample",
        )
        if self.verdict is Status.UNTESTABLE:
            self._require(bool(self.needs), "UNTESTABLE must say which data would decide it ('needs')")
            self._require(not self.steps, "UNTESTABLE has no steps; a step would be a test")
        else:
            self._require(bool(self.steps), "it has no step: nothing decides it")
            self._require(bool(self.mutants), "it ships no mutant")
            self._require(not self.needs, "'needs' is for UNTESTABLE alone")

    def _require(self, condition: bool, message: str) -> None:
        if not condition:
            raise ClaimError(f"claim {self.id!r}: {message}")

    def step(self, name: str) -> Step:
        """The step called `name`; KeyError if there is none."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)

    @property
    def shown(self) -> sp.Basic:
        """The formula to print: the declared one, or that of the first step."""
        if self.formula is not None:
            return self.formula
        first = self.steps[0]
        assert not isinstance(first, Property)
        return first.statement
