"""The checker: does it tell true from false, and never pass what it does not know?"""

from dataclasses import replace
from random import Random

import mpmath as mp
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from spec.check import decide, decide_mutant, hypotheses, needed
from spec.claim import (
    Cite,
    Claim,
    ClaimError,
    Counterexample,
    Identity,
    Inequality,
    Mutant,
    Property,
    Status,
    Step,
)
from spec.domain import Assumption, above, between, draw, integer, nonnegative, positive, real, where
from spec.evaluate import Undefined, evaluate, truth
from spec.shown import decider, verbatim

pytestmark = pytest.mark.infrastructure

x, y, n = sp.symbols("x y n")


def claim(*steps: Step, assumes: tuple[Assumption, ...] = (), **changes: object) -> Claim:
    """A claim with these steps."""
    made = Claim(
        id="test-claim",
        cites=(Cite("", "1"),),
        says="a test",
        verdict=Status.PROVED,
        because="it says so",
        formula=sp.Eq(x, x, evaluate=False),
        assumes=assumes,
        steps=steps,
        mutants=(Mutant("m", steps[0].name, {} if isinstance(steps[0], Property) else {"says": "changed"}),),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


TRUE = [
    (sp.sin(x) ** 2 + sp.cos(x) ** 2, sp.Integer(1), (real(x),)),
    (sp.Derivative(x**3 * sp.exp(x), x), (3 * x**2 + x**3) * sp.exp(x), (real(x),)),
    (sp.Integral(y**2, (y, 0, x)), x**3 / 3, (real(x),)),
    (sp.Limit(sp.sin(y * x) / y, y, 0), x, (real(x),)),
    (sp.sqrt(x**2), x, (nonnegative(x),)),
    (sp.Sum(y, (y, 1, n)), n * (n + 1) / 2, (integer(n, 1, 9),)),
]


@pytest.mark.parametrize(("lhs", "rhs", "assumes"), TRUE)
def test_true_identities_pass_on_both_routes(lhs: sp.Expr, rhs: sp.Expr, assumes: tuple[Assumption, ...]) -> None:
    outcome = decide(claim(step := Identity("i", lhs, rhs), assumes=assumes), step)
    assert outcome.value is True
    assert outcome.points >= 25


@pytest.mark.parametrize(("lhs", "rhs", "assumes"), TRUE)
@pytest.mark.parametrize("wrong", [lambda e: -e, lambda e: 2 * e, lambda e: e + sp.Rational(1, 10**30)])
def test_false_identities_fail(lhs: sp.Expr, rhs: sp.Expr, assumes: tuple[Assumption, ...], wrong: object) -> None:
    outcome = decide(claim(step := Identity("i", lhs, wrong(rhs)), assumes=assumes), step)  # type: ignore[operator]
    assert outcome.value is False


def test_an_identity_that_only_numbers_confirm_is_unknown() -> None:
    # |difference| = 1e-60 relative: beyond 50 digits, and no algebra makes it zero
    step = Identity("i", x * (1 + sp.Rational(1, 10**60)), x)
    assert decide(claim(step, assumes=(positive(x),)), step).value is None


def test_an_identity_that_holds_only_inside_its_assumptions() -> None:
    step = Identity("i", sp.sqrt(x**2), x)
    assert decide(claim(step, assumes=(positive(x),)), step).value is True
    assert decide(claim(step, assumes=(real(x),)), step).value is False


def test_a_dropped_assumption_is_missed_or_flagged() -> None:
    needs = claim(step := Identity("i", sp.sqrt(x**2), x), assumes=(nonnegative(x), between(y, 0, 1)))
    (sign,) = hypotheses(needs, step)
    point = needed(needs, step, sign)
    assert point is not None
    assert point[x] < 0
    idle = claim(step := Identity("i", x + y - y, x + 0 * y), assumes=(between(x, 0, 1),))
    assert needed(idle, step, hypotheses(idle, step)[0]) is None


def test_joint_conditions_are_drawn_and_dropped() -> None:
    order = where(x < y)
    one = claim(step := Identity("i", sp.Abs(y - x), y - x), assumes=(real(x), real(y), order))
    assert order in hypotheses(one, step)
    point = needed(one, step, order)
    assert point is not None
    assert point[x] >= point[y]


def test_inequalities_need_their_certificate() -> None:
    amgm = Inequality("i", 2 * x * y, x**2 + y**2, (x - y) ** 2)
    assert decide(claim(amgm, assumes=(real(x), real(y))), amgm).value is True
    for wrong in (
        replace(amgm, certificate=(x + y) ** 2),
        replace(amgm, small=x**2 + y**2, large=2 * x * y),
        replace(amgm, strict=True, large=2 * x * y, certificate=sp.Integer(0)),
    ):
        assert decide(claim(wrong, assumes=(real(x), real(y))), wrong).value is False
    vague = replace(amgm, certificate=x**2 - 2 * x * y + y**2)
    assert decide(claim(vague, assumes=(real(x), real(y))), vague).value is None


def test_counterexamples_are_exact_and_within_the_assumptions() -> None:
    third = sp.Rational(1, 3)
    good = Counterexample("c", sp.Ge(x**2, x), {x: third}, x - x**2, sp.Rational(2, 9))
    assert decide(claim(good, assumes=(positive(x),)), good).value is True
    for wrong in (
        replace(good, at={x: sp.Integer(2)}),
        replace(good, amount=sp.Rational(1, 9)),
        replace(good, statement=sp.Ge(x, x**2)),
    ):
        assert decide(claim(wrong, assumes=(positive(x),)), wrong).value is False
    assert decide(claim(good, assumes=(above(x, 1),)), good).value is False
    assert decide(claim(replace(good, at={x: sp.Float(0.3)})), replace(good, at={x: sp.Float(0.3)})).value is None


def test_a_property_is_not_decided_here() -> None:
    step = Property("p", "tested elsewhere")
    with pytest.raises(TypeError, match="verification"):
        decide(claim(step), step)


def test_mutants_that_change_nothing_survive() -> None:
    one = claim(Identity("i", *TRUE[0][:2]), assumes=(real(x),))
    assert decide_mutant(one, one.mutants[0]).value is True


@pytest.mark.parametrize("wrong", [1 / (sp.Abs(x) - x), sp.log(sp.Abs(x) - x)])
def test_a_mutant_without_a_value_is_not_killed(wrong: sp.Expr) -> None:
    mutant = Mutant("m", "i", {"rhs": wrong})
    one = claim(Identity("i", sp.sqrt(x**2), x), assumes=(positive(x),), mutants=(mutant,))
    assert decide_mutant(one, mutant).value is None


def test_a_mutant_outside_the_assumptions_is_not_killed() -> None:
    step = Counterexample("c", sp.Ge(x**2, x), {x: sp.Rational(1, 3)}, x - x**2, sp.Rational(2, 9))
    outside, wrong = (
        Mutant("outside", "c", {"at": {x: sp.Integer(-1)}}),
        Mutant("wrong", "c", {"at": {x: sp.Integer(3)}}),
    )
    one = claim(step, assumes=(positive(x),), mutants=(outside, wrong))
    assert decide_mutant(one, outside).value is None
    assert decide_mutant(one, wrong).value is False


def test_two_sides_that_are_one_object_test_nothing() -> None:
    step = Identity("i", x + y - y, x)
    assert decide(claim(step, assumes=(real(x),)), step).value is None


def test_the_printed_formula_is_found_in_a_step() -> None:
    square = Identity("square", (x + y) ** 2, x**2 + 2 * x * y + y**2)
    name = sp.Symbol("A")
    one = claim(square, formula=sp.Eq(name, (x + y) ** 2, evaluate=False))
    assert decider(one) == "square"
    assert decider(replace(one, formula=sp.Eq(name, (x - y) ** 2, evaluate=False))) is None
    wrong = sp.Eq(x**2 + 2 * x * y + y**2, (x + y) ** 2 + 1, evaluate=False)
    assert decider(replace(one, formula=wrong)) is None
    named = sp.Eq(name, sp.Symbol("B"), evaluate=False)
    half = sp.Eq(name, x**3, evaluate=False)
    assert verbatim(replace(one, formula=half, where={name: (x + y) ** 2})) is None
    assert decider(replace(one, formula=named)) is None
    assert decider(replace(one, formula=named, where={name: (x + y) ** 2})) == "square"
    assert decider(replace(one, formula=None)) == "square"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "Prop 9"}, "an id is lower-case"),
        ({"because": ""}, "must not be empty"),
        ({"verdict": Status.SUSPECT}, "computed, never declared"),
        ({"mutants": ()}, "no mutant attacks"),
        ({"mutants": (Mutant("m", "nowhere", {"rhs": x}),)}, "unknown step"),
        ({"mutants": (Mutant("m", "i", {"rsh": x}),)}, "has no field"),
        ({"mutants": (Mutant("m", "i"),)}, "every other must"),
        ({"steps": (Identity("i", x, x), Identity("i", x, x))}, "repeat"),
        ({"verdict": Status.UNTESTABLE}, "needs"),
        ({"needs": "data"}, "UNTESTABLE alone"),
        ({"cites": ()}, "must cite"),
        ({"where": {y: x**2}}, "does not name"),
        ({"steps": (Identity("i", x, x), Property("p", "p"))}, "no mutant attacks"),
        ({"steps": (Identity("i", x, x, assumes=(between(x, 0, 1),)),), "assumes": (real(x),)}, "without saying"),
        ({"steps": (Identity("i", x, x, assumes=(positive(x),)),), "assumes": (nonnegative(x),)}, "without saying"),
        (
            {
                "steps": (Property("i", "p", kind="statistical", refutes=True),),
                "mutants": (Mutant("m", "i"),),
            },
            "refutes nothing",
        ),
    ],
)
def test_malformed_claims_name_themselves(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ClaimError, match=message) as caught:
        claim(Identity("i", x, x), **changes)  # type: ignore[arg-type]
    assert "claim '" in str(caught.value)


@given(seed=st.integers(0, 10**6))
def test_draws_satisfy_their_assumptions(seed: int) -> None:
    assumptions = (between(x, 0, 1, "["), integer(n, 2, 5), above(y, 3), where(x + y < 9))
    point = draw(assumptions, frozenset({x, y, n}), Random(seed))
    assert all(a.holds(point) for a in assumptions)
    assert all(isinstance(v, sp.Rational) for v in point.values())


def test_contradictory_assumptions_are_reported() -> None:
    with pytest.raises(ValueError, match="no point satisfies"):
        draw((between(x, 0, 1), where(x > 2)), frozenset({x}), Random(0))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (sp.Derivative(sp.exp(x**2), (x, 3)), lambda v: (12 * v + 8 * v**3) * mp.exp(v**2)),
        (sp.Integral(sp.exp(-(y**2)), (y, -sp.oo, sp.oo)) * x, lambda v: v * mp.sqrt(mp.pi)),
        (sp.Limit((1 + x / y) ** y, y, sp.oo), mp.exp),
        (sp.Limit(x * y / (y + sp.sqrt(y**2 + 1)), y, sp.oo), lambda v: v / 2),
        (sp.Limit(x * y / (y - sp.sqrt(y**2 + 1)), y, -sp.oo), lambda v: v / 2),
        (sp.Limit((sp.exp(x * y) - 1) / y, y, 0, "-"), lambda v: v),
        (sp.Piecewise((x, x < 0), (sp.sqrt(x), True)), mp.sqrt),
        (sp.Subs(x * y, y, 3), lambda v: 3 * v),
        (sp.LambertW(x), mp.lambertw),
        (sp.acosh(1 + x), lambda v: mp.acosh(1 + v)),
        (sp.Max(x, 2) + sp.Abs(-x) + sp.sign(x), lambda v: 3 + v),
    ],
)
def test_the_evaluator_has_fifty_digits(expression: sp.Expr, value: object) -> None:
    with mp.workdps(60):
        point = mp.mpf(3) / 7
        found = evaluate(expression, {x: sp.Rational(3, 7)})
        assert abs(found - value(point)) < mp.mpf(10) ** -45  # type: ignore[operator]


@pytest.mark.parametrize("expression", [1 / x, sp.log(x), sp.zoo, x**-2])
def test_undefined_values_are_not_numbers(expression: sp.Expr) -> None:
    with pytest.raises(Undefined):
        evaluate(expression, {x: sp.Integer(0)})


def test_truth_of_conditions() -> None:
    at = {x: sp.Rational(1, 3), y: sp.Rational(1, 3)}
    assert truth(sp.Eq(x, y), at)
    assert truth(sp.Ge(x, y), at)
    assert not truth(sp.Gt(x, y), at)
    assert not truth(sp.Ne(x, y), at)
    assert truth(sp.Equivalent(x > y, y > x), at)
    assert truth(sp.Implies(x > y, sp.false), at)
    assert not truth(sp.And(x <= y, x < y), at)
    with pytest.raises(TypeError):
        truth(x, at)
    with pytest.raises(Undefined, match="complex"):
        truth(sp.sqrt(-x) < 1, at)
