"""Nothing numbered in the paper is left out, and the README says what the claims say."""

import re

import pytest

from spec import CLAIMS, NOUNS
from spec.claim import Counterexample, Identity, Inequality, Property, Status
from spec.shown import decider, verbatim
from spec.stamp import load
from verification.ledger import readme

pytestmark = pytest.mark.infrastructure

KINDS = {
    1: "Assumption",
    2: "Lemma",
    3: "Lemma",
    4: "Lemma",
    5: "Lemma",
    6: "Lemma",
    7: "Theorem",
    8: "Proposition",
    9: "Proposition",
    10: "Proposition",
    11: "Remark",
    12: "Remark",
    13: "Corollary",
    14: "Proposition",
}
NUMBERED = (
    {f"Equation {n}" for n in range(1, 18)}
    | {f"{kind} {n}" for n, kind in KINDS.items()}
    | {f"Figure {n}" for n in range(1, 8)}
    | {f"Table {n}" for n in (1, 2)}
)


def test_every_numbered_statement_has_a_claim() -> None:
    cited = {cite.number for claim in CLAIMS.values() for cite in claim.cites if cite.number}
    assert cited - {"Appendix A"} == NUMBERED


def test_a_numbered_statement_keeps_its_plain_id() -> None:
    for number in NUMBERED:
        kind, digits = number.split()
        word = {"Equation": "eq", "Figure": "fig", "Proposition": "prop"}.get(kind, kind.lower())
        assert number in {c.number for c in CLAIMS[f"{word}-{digits}"].cites}


def test_sizes() -> None:
    assert len(CLAIMS) >= 60
    decided = [s for c in CLAIMS.values() for s in c.steps if isinstance(s, Identity | Inequality | Counterexample)]
    assert len(decided) >= 120


def test_no_id_of_a_new_claim_hides_another() -> None:
    news = [i for i in CLAIMS if i.startswith("new-")]
    assert not [(i, j) for i in news for j in CLAIMS if j != i and re.search(rf"\b{re.escape(j)}\b", i)]


def test_what_fails_as_printed_says_what_the_authors_would_say() -> None:
    failing = [c.id for c in CLAIMS.values() if c.verdict in (Status.REFUTED, Status.NARROWED) and not c.reply]
    assert not failing


SENTENCES = {
    "eq-2",  # J is a label; the step averages the ratio times the advantage
    "eq-8",  # the equation of motion; the steps test its coefficients
    "prop-9",  # a sign implies a sign; the steps test both quantities
    "corollary-13",  # a limit of named quantities
    "sec-4.4",  # a fit and what it is said to show
    "new-finite-group-plateau",  # the expectation that the reference computes
    "new-saturation-error",  # two responses, named
}
"""Claims whose formula says something about named objects; each object stands in a step, the sentence does not."""


def test_the_printed_formula_is_the_object_tested() -> None:
    algebraic = [c for c in CLAIMS.values() if not all(isinstance(s, Property) for s in c.steps)]
    assert len(algebraic) > 90
    # a finding about the spectrum of the lagged map: its tests refute it, and the one identity explains why
    assert {c.id for c in algebraic if decider(c) is None} == {"sec-5.6-threshold-confirmed"}
    assert all(s.refutes for s in CLAIMS["sec-5.6-threshold-confirmed"].steps if isinstance(s, Property))
    assert {c.id for c in algebraic if verbatim(c) is None} == SENTENCES | {"sec-5.6-threshold-confirmed"}


def test_every_claim_lives_in_its_noun_and_is_stamped() -> None:
    assert set(load()) == set(CLAIMS) == set(NOUNS)


def test_the_readme_is_up_to_date() -> None:
    text = readme.README.read_text(encoding="utf-8")
    assert readme.filled(text, CLAIMS) == text, "stale: run `tox -e readme`"
    on_disk = {p.name: p.read_text(encoding="utf-8") for p in readme.BADGES.glob("*.svg")}
    assert on_disk == readme.badges(CLAIMS), "stale: run `tox -e readme`"


def test_a_stale_readme_is_noticed() -> None:
    text = readme.README.read_text(encoding="utf-8")
    fewer = dict(list(CLAIMS.items())[:-1])
    assert readme.filled(text, fewer) != text
    with pytest.raises(ValueError, match="markers"):
        readme.filled("no markers", CLAIMS)
