"""From evidence to a status."""

from dataclasses import replace

import pytest
import sympy as sp

from spec.claim import Cite, Claim, Counterexample, Identity, Mutant, Property, Status
from spec.stamp import content, load, renew
from spec.verdict import Evidence, judge, with_ancestors

pytestmark = pytest.mark.infrastructure

x = sp.Symbol("x")
IDENTITY = Identity("i", x, x)
AGAINST = Counterexample("c", sp.Gt(x, 0), {x: sp.Integer(-1)}, -x, sp.Integer(1))


def claim(*steps: object, verdict: Status = Status.PROVED) -> Claim:
    alone = [s for s in steps if not (isinstance(s, Property) and s.covers)]
    mutants = tuple(
        Mutant(f"m-{s.name}", s.name, {} if isinstance(s, Property) else {"says": "other"})  # type: ignore[attr-defined]
        for s in alone
    )
    return Claim(
        id="one",
        cites=(Cite("", "1"),),
        says="says",
        verdict=verdict,
        because="because",
        formula=sp.Gt(x, 0),
        steps=steps,  # type: ignore[arg-type]
        mutants=mutants,
    )


def evidence(step: str, *routes: str, passed: bool = True) -> Evidence:
    return Evidence("one", step, routes, passed, f"verification/test_{step}.py::test", killed=(f"m-{step}",))


BOTH = evidence("i", "symbolic", "numeric")
P = Property("p", "tested")


@pytest.mark.parametrize(
    ("steps", "found", "status"),
    [
        ((IDENTITY,), [BOTH], Status.PROVED),
        ((IDENTITY, P), [BOTH, evidence("p", "property")], Status.HELD),
        ((IDENTITY, P), [BOTH, evidence("p", "statistical")], Status.SUPPORTED),
        ((IDENTITY, P), [BOTH, evidence("p", "statistical"), evidence("p", "exact")], Status.HELD),
        ((IDENTITY, replace(P, kind="exact")), [BOTH, evidence("p", "exact")], Status.PROVED),
        ((IDENTITY, replace(P, kind="exact")), [BOTH, evidence("p", "property")], Status.HELD),
        ((IDENTITY, replace(P, covers="i")), [BOTH, evidence("p", "property")], Status.PROVED),
        ((IDENTITY, replace(P, refutes=True)), [BOTH, evidence("p", "property")], Status.REFUTED),
        ((AGAINST,), [evidence("c", "exact", "numeric")], Status.REFUTED),
        (
            (AGAINST, replace(IDENTITY, under="x > 1")),
            [evidence("c", "exact", "numeric"), BOTH],
            Status.NARROWED,
        ),
        ((P,), [evidence("p", "property")], Status.UNTESTED),
        ((P,), [evidence("p", "property"), evidence("p", "exact")], Status.HELD),
        ((replace(P, kind="exact"),), [evidence("p", "property"), evidence("p", "exact")], Status.PROVED),
        ((IDENTITY,), [], Status.UNTESTED),
        ((IDENTITY, P), [BOTH], Status.UNTESTED),
        ((IDENTITY,), [replace(BOTH, killed=())], Status.UNTESTED),
        ((IDENTITY,), [replace(BOTH, passed=False)], Status.SUSPECT),
        ((IDENTITY,), [replace(BOTH, killed=(), survived=("m-i",))], Status.SUSPECT),
    ],
)
def test_the_weakest_step_decides(steps: tuple[object, ...], found: list[Evidence], status: Status) -> None:
    verdict = judge(claim(*steps), found, stamped=True)
    assert verdict.status is status
    assert bool(verdict.problems) == (status in (Status.UNTESTED, Status.SUSPECT))


def test_an_edited_claim_is_suspect_whatever_its_evidence() -> None:
    verdict = judge(claim(IDENTITY), [BOTH], stamped=False)
    assert verdict.status is Status.SUSPECT
    assert "tox -e stamp -- one" in verdict.problems[0]


def test_a_deleted_test_leaves_its_claim_untested() -> None:
    verdict = judge(claim(IDENTITY), [BOTH], True, ["verification/test_gone.py::test_gone"])
    assert verdict.status is Status.UNTESTED
    assert "test_gone" in verdict.problems[0]


def test_a_chain_is_as_strong_as_its_weakest_link() -> None:
    claims = {i: replace(claim(IDENTITY), id=i, uses=u) for i, u in (("a", ()), ("b", ("a",)), ("c", ("b",)))}
    own = {"a": Status.REFUTED, "b": Status.PROVED, "c": Status.HELD}
    assert set(with_ancestors(claims, own).values()) == {Status.REFUTED}
    own["a"] = Status.PROVED
    assert with_ancestors(claims, own) == {"a": Status.PROVED, "b": Status.PROVED, "c": Status.HELD}


def test_every_part_of_a_claim_is_stamped() -> None:
    base = claim(IDENTITY)
    edits = [
        replace(base, says="says!"),
        replace(base, because="other"),
        replace(base, verdict=Status.HELD),
        replace(base, steps=(Identity("i", x, 2 * x),)),
        replace(base, mutants=(Mutant("m", "i", {"says": "third"}),)),
        replace(base, uses=("other",)),
        replace(base, formula=sp.Ge(x, 0)),
    ]
    hashes = [content(base), *(content(e) for e in edits)]
    assert len(set(hashes)) == len(hashes)
    assert content(claim(IDENTITY)) == content(base)


def test_stamps_round_trip_and_forget_claims_that_are_gone(tmp_path: object) -> None:
    path = tmp_path / "stamps.json"  # type: ignore[operator]
    base = claim(IDENTITY)
    assert renew({"one": base}, ["one"], {"one": ["t2", "t1", "t1"]}, path) == ["one"]
    assert load(path) == {"one": {"content": content(base), "tests": ["t1", "t2"]}}
    assert renew({}, [], {}, path) == ["one"]
    assert load(path) == {}


@pytest.mark.parametrize("text", ["{", '{"one": 3}', '{"one": {"content": "x"}}', "[1]"])
def test_a_broken_stamp_file_names_itself(tmp_path: object, text: str) -> None:
    path = tmp_path / "stamps.json"  # type: ignore[operator]
    path.write_text(text)
    with pytest.raises(ValueError, match=r"stamps\.json"):
        load(path)
