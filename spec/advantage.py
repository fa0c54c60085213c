"""Advantage: what the group-relative normalisation of Eq. 1 does, and where it has no value."""

from collections.abc import Sequence

from sympy import Expr, Integer, Rational, S, Subs, Symbol, sqrt

from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import integer, nonnegative, positive
from spec.relation import equal
from spec.symbols import G, p

x_1, x_2, x_3 = Symbol("x_1"), Symbol("x_2"), Symbol("x_3")
w = Symbol("w")  # unit of the rewards; 0 is a group without spread
c, d = Symbol("c"), Symbol("d")
k, f = Symbol("k"), Symbol("f")  # successes and failures in a group
j = Symbol("j")  # k - 1
g = Symbol("g")  # sqrt(G)
epsilon = Symbol("epsilon")

SPREAD = "the rewards of the group are not all equal"


def mean(rewards: Sequence[Expr]) -> Expr:
    """The group mean of Eq. 1."""
    return sum(rewards, Integer(0)) / len(rewards)


def std(rewards: Sequence[Expr], ddof: int = 0) -> Expr:
    """The group standard deviation; with ddof 0 it divides by G, as the mean of Eq. 1 does."""
    return sqrt(sum(((r - mean(rewards)) ** 2 for r in rewards), Integer(0)) / (len(rewards) - ddof))


def advantages(rewards: Sequence[Expr], ddof: int = 0, guard: Expr = S.Zero) -> tuple[Expr, ...]:
    """Eq. 1; trainers add a guard to the denominator."""
    return tuple((r - mean(rewards)) / (std(rewards, ddof) + guard) for r in rewards)


def _scaled(rewards: Sequence[Expr], scale: Expr, offset: Expr = S.Zero) -> tuple[Expr, ...]:
    return tuple(scale * r + offset for r in rewards)


def _mean_square(values: Sequence[Expr]) -> Expr:
    return mean([v**2 for v in values])


group = (w * x_1, w * x_2, w * x_3)
two = (x_1, x_1 + w)
success = (1 - k / (k + f)) / sqrt(k * f / (k + f) ** 2)
failure = -(k / (k + f)) / sqrt(k * f / (k + f) ** 2)
collapsed = p**G + (1 - p) ** G

EQ_1 = Claim(
    id="eq-1",
    cites=(Cite("Equation 1", "3.1"),),
    says="The advantage A_i = (r_i - mean)/std standardises the rewards of a group.",
    formula=equal(Symbol("A_1"), (Symbol("r_1") - Symbol("rbar")) / Symbol("std(r)")),
    where={Symbol("r_1"): group[0], Symbol("rbar"): mean(group), Symbol("std(r)"): std(group)},
    assumes=(positive(w), positive(c), integer(k, 1), integer(f, 1)),
    verdict=Status.NARROWED,
    because="Mean 0, mean square 1 and invariance under r -> c r + d (c > 0) hold exactly where the group has "
    "spread; where it has none Eq. 1 is 0/0, which four completions at p = 1/2 meet with probability 1/8.",
    reply="The paper names advantage degeneracy as what breaks Eq. 1 and logs its share (Sections 4.2, 5.3); "
    "trainers add 1e-4 to the denominator, which makes such a group silent.",
    steps=(
        Counterexample(
            "no-spread",
            equal(collapsed, 0),
            {p: Rational(1, 2), G: Integer(4)},
            collapsed,
            Rational(1, 8),
            "if Eq. 1 always had a value, groups without spread would have probability 0",
            minimal="any p in (0, 1) and any G do; the policy needs no concentration",
        ),
        Property(
            "collapsed-groups",
            "enumerated in exact fractions, the groups without spread carry p^G + (1-p)^G, and Eq. 1 is 0/0 in them",
            kind="exact",
            refutes=True,
        ),
        Identity("mean-zero", mean(advantages(group)), Integer(0), "advantages cancel in a group", under=SPREAD),
        Identity(
            "mean-square-one",
            _mean_square(advantages(group)),
            Integer(1),
            "with the population std (ddof 0)",
            under=SPREAD,
        ),
        Identity(
            "mean-square-ddof-1",
            _mean_square(advantages(group, ddof=1)),
            Rational(2, 3),
            "with the sample std that trainers use it is (G-1)/G: a factor sqrt((G-1)/G) on the learning rate",
            under=SPREAD,
        ),
        Identity(
            "affine-invariance",
            advantages(_scaled(group, c, d))[0],
            advantages(group)[0],
            "the unit and the origin of the reward do not matter; c > 0 is needed",
            under=SPREAD,
        ),
        Identity(
            "reflection",
            advantages(_scaled(group, -c, d))[0],
            -advantages(group)[0],
            "for a negative factor every advantage changes its sign",
            under=SPREAD,
        ),
        Identity(
            "success",
            success,
            sqrt(f / k),
            "with k successes and f failures each success has this advantage: what is rare weighs more",
            under=SPREAD,
        ),
        Identity("failure", failure, -sqrt(k / f), "and each failure this one", under=SPREAD),
        Identity(
            "pairs-keep-the-order-only",
            advantages(two)[1],
            Integer(1),
            "at G = 2 the better completion has advantage 1 whatever the two rewards",
            under=SPREAD,
        ),
        Inequality(
            "bounded",
            f / (j + 1),
            j + f,
            j * (j + f + 1) / (j + 1),
            says="no advantage of a binary group exceeds sqrt(G-1); here squared, with k = j + 1",
            assumes=(nonnegative(j), nonnegative(f)),
            under=SPREAD,
        ),
        Property("reference-group", "reference.advantage gives these advantages", covers="affine-invariance"),
        Property("reference-binary", "and these in binary groups, within sqrt(G-1)", covers="success"),
    ),
    mutants=(
        Mutant("one-sided", "no-spread", {"statement": equal(collapsed, Rational(1, 8))}),
        Mutant("sum-of-squares", "mean-square-one", {"rhs": Integer(3)}),
        Mutant("not-centred", "mean-zero", {"lhs": mean(group) / std(group)}),
        Mutant("ddof-0", "mean-square-ddof-1", {"rhs": Integer(1)}),
        Mutant("not-divided", "affine-invariance", {"lhs": c * advantages(group)[0]}),
        Mutant("even", "reflection", {"rhs": advantages(group)[0]}),
        Mutant("odds-reversed", "success", {"rhs": sqrt(k / f)}),
        Mutant("sign", "failure", {"rhs": sqrt(k / f)}),
        Mutant("half", "pairs-keep-the-order-only", {"rhs": Rational(1, 2)}),
        Mutant("bounded-by-one", "bounded", {"large": Integer(1)}),
        Mutant("one-end-only", "collapsed-groups"),
    ),
)

rare = 1 / g  # the sample std of a group with one success: the smallest that is not 0

GUARD = Claim(
    id="new-guarded-advantage",
    cites=(),
    corrects=("eq-1",),
    says="With a guard epsilon > 0 added to the std the advantage of a group of three exists whatever the rewards, is "
    "0 without spread, keeps mean 0, has mean square (std/(std+epsilon))^2, and depends on the unit of the reward "
    "through epsilon alone.",
    assumes=(positive(c), positive(g)),
    verdict=Status.PROVED,
    because="The guard is a choice of unit: scaling r by c is scaling epsilon by 1/c; for binary rewards the largest "
    "loss is below epsilon sqrt(G), 4e-4 at trainers' 1e-4 and G = 16.",
    steps=(
        Identity("mean-zero", mean(advantages(group, guard=epsilon)), Integer(0)),
        Identity(
            "mean-square",
            _mean_square(advantages(group, guard=epsilon)),
            (std(group) / (std(group) + epsilon)) ** 2,
        ),
        Identity(
            "silent-without-spread",
            Subs(advantages(group, guard=epsilon)[0], w, 0),
            Integer(0),
            "the 0/0 of Eq. 1 becomes 0",
            assumes=(positive(epsilon),),
        ),
        Identity(
            "unit",
            advantages(_scaled(group, c), guard=epsilon)[0],
            advantages(group, guard=epsilon / c)[0],
            "rewards c times as large under epsilon behave as before under epsilon/c",
        ),
        Inequality(
            "binary-loss",
            1 - rare / (rare + epsilon),
            epsilon * g,
            epsilon**2 * g**2 / (1 + epsilon * g),
            strict=True,
            says="the loss at the smallest spread of a binary group, g = sqrt(G), ddof 1",
            assumes=(positive(epsilon),),
        ),
        Property("reference", "reference.advantage with epsilon does the same, also without spread", covers="unit"),
    ),
    mutants=(
        Mutant("not-centred", "mean-zero", {"lhs": mean(group) / (std(group) + epsilon)}),
        Mutant("unguarded", "mean-square", {"rhs": Integer(1)}),
        Mutant("guard-gone", "silent-without-spread", {"lhs": Subs(advantages(group)[0], w, 1)}),
        Mutant("guard-times-c", "unit", {"rhs": advantages(group, guard=epsilon * c)[0]}),
        Mutant("loss-without-size", "binary-loss", {"large": epsilon}),
    ),
)

CLAIMS = (EQ_1, GUARD)
