"""Temperature: the noise of a group's gradient estimate and what it depends on (Lemma 6)."""

from functools import cache

from sympy import Derivative, Expr, Integer, Rational, S, Subs, Symbol, binomial, sqrt

from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, integer, positive
from spec.relation import equal
from spec.symbols import G, p

k, f = Symbol("k"), Symbol("f")  # successes and failures in a group
w, w_1, w_2 = Symbol("w"), Symbol("w_1"), Symbol("w_2")  # reward of a success, that of a failure being 0
p_1, p_2 = Symbol("p_1"), Symbol("p_2")
x = Symbol("x")  # share of successes in a group
c = Symbol("c")  # sqrt(1 - (2x-1)^2)
n_right, n_wrong = Symbol("n_right"), Symbol("n_wrong")  # completions of either kind


def estimate(successes: Expr, failures: Expr, unit: Expr) -> Expr:
    """(1/G) sum_i A_i score_i of a group, in the logit, from Eq. 1: the rewards are `unit` and 0."""
    size = successes + failures
    mean = unit * successes / size
    std = sqrt((successes * (unit - mean) ** 2 + failures * mean**2) / size)
    return (successes * (unit - mean) / std * (1 - p) + failures * (-mean) / std * (-p)) / size


@cache
def moment(size: int, power: int, unit: Expr = S.One) -> Expr:
    """E of a power of the estimate over all groups; a group without spread contributes 0."""
    return sum(
        (
            binomial(size, j) * p**j * (1 - p) ** (size - j) * estimate(Integer(j), Integer(size - j), unit) ** power
            for j in range(1, size)
        ),
        S.Zero,
    )


@cache
def noise(size: int, unit: Expr = S.One) -> Expr:
    """G times the variance of the estimate: Lemma 6's D_0 at this group size."""
    return size * (moment(size, 2, unit) - moment(size, 1, unit) ** 2)


variance = p * (1 - p)
root = sqrt(x * (1 - x))
known = ((1 - p) / sqrt(variance) * (1 - p), -p / sqrt(variance) * (-p))
"""A times score of a success and of a failure, with the mean and std of the policy in place of the group's."""


def leading(at: Expr) -> Expr:
    """The limit of G times the variance of the estimate."""
    return (1 - 2 * at) ** 2 / 4


def per_variance(at: Expr) -> Expr:
    """That limit over the variance of the rewards."""
    return leading(at) / (at * (1 - at))


# E of the std of sixteen fair coins: 16 choose j times sqrt(j (16-j)) over 16 * 2^16
_sixteen = (
    2
    * (
        16 * sqrt(15)
        + 120 * sqrt(28)
        + 560 * sqrt(39)
        + 1820 * sqrt(48)
        + 4368 * sqrt(55)
        + 8008 * sqrt(60)
        + 11440 * sqrt(63)
    )
    + 12870 * 8
) / (16 * Integer(2) ** 16)
_four = (2 * sqrt(3) + 3) / 16

LEMMA_6 = Claim(
    id="lemma-6",
    cites=(Cite("Lemma 6", "3.3"),),
    says="The G-sample estimator is grad J plus G^(-1/2) times a Gaussian whose covariance is that of the single "
    "completion's score; along p its variance is D_0/G with D_0 proportional to sigma_adv^2.",
    formula=equal(Symbol("D_0(w_2)") / Symbol("D_0(w_1)"), (w_2 / w_1) ** 2),
    where={Symbol("D_0(w_2)"): noise(2, w_2), Symbol("D_0(w_1)"): noise(2, w_1)},
    assumes=(between(p, 0, 1),),
    uses=("lemma-2",),
    verdict=Status.REFUTED,
    because="Advantages do not change when rewards are doubled, sigma_adv^2 grows fourfold. As p moves D_0 is 1/4 - "
    "sigma^2: it falls where sigma_adv rises, is a quarter of the single completion's, and is 0 at p = 1/2, where the "
    "variance goes as 1/G^2 (a factor 42 from G = 4 to 16, not 4).",
    reply="Later results use only that D_0 does not depend on G; away from p = 1/2 that is right to leading order, and "
    "without the division by the std D_0 does scale with the square of the reward's unit.",
    steps=(
        Counterexample(
            "unit-of-the-reward",
            equal(noise(2, w_2) / noise(2, w_1), (w_2 / w_1) ** 2),
            {w_1: Integer(1), w_2: Integer(2), p: Rational(1, 5)},
            (w_2 / w_1) ** 2 - noise(2, w_2) / noise(2, w_1),
            Integer(3),
            "rewards {0, 1} and {0, 2}: sigma_adv^2 differs by 4, D_0 does not",
            minimal="two completions, two rewards; every p and G do",
        ),
        Counterexample(
            "success-probability",
            equal(per_variance(p_1), per_variance(p_2)),
            {p_1: Rational(1, 5), p_2: Rational(1, 2)},
            per_variance(p_1) - per_variance(p_2),
            Rational(9, 16),
            "D_0/sigma^2 is 9/16 at p = 1/5 and 0 at p = 1/2, large groups",
            minimal="any two p not mirror images",
        ),
        Identity(
            "single-completion",
            p * known[0] ** 2 + (1 - p) * known[1] ** 2 - (p * known[0] + (1 - p) * known[1]) ** 2,
            (1 - 2 * p) ** 2,
            "the covariance that the lemma names: one completion, scored with known mean and std",
        ),
        Counterexample(
            "estimated-scale",
            equal(leading(p), (1 - 2 * p) ** 2),
            {p: Rational(1, 5)},
            (1 - 2 * p) ** 2 / leading(p),
            Integer(4),
            "the advantages share the group's std, so they are not independent: a quarter is left",
            minimal="any p other than 1/2",
        ),
        Counterexample(
            "one-over-g",
            equal((noise(4) / 4) / (noise(16) / 16), 4),
            {p: Rational(1, 2)},
            (noise(4) / 4) / (noise(16) / 16),
            (Rational(3, 16) - _four**2) / (Rational(15, 64) - _sixteen**2),
            "from G = 4 to 16, the paper's sizes, the variance falls by 42 at p = 1/2",
            minimal="p = 1/2, where the order 1/G vanishes",
        ),
        Property(
            "groups-in-two-units",
            "enumerated in exact fractions, the estimate has one distribution for rewards {0, 1} and {0, 2}",
            kind="exact",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("same-unit", "unit-of-the-reward", {"at": {w_1: Integer(2), w_2: Integer(2), p: Rational(1, 5)}}),
        Mutant("mirror-image", "success-probability", {"at": {p_1: Rational(1, 5), p_2: Rational(4, 5)}}),
        Mutant("not-centred", "single-completion", {"rhs": 1 - 3 * p * (1 - p)}),
        Mutant("both-vanish", "estimated-scale", {"at": {p: Rational(1, 2)}}),
        Mutant(
            "from-two-to-three",
            "one-over-g",
            {"statement": equal((noise(2) / 2) / (noise(3) / 3), Rational(3, 2))},
        ),
        Mutant("not-divided", "groups-in-two-units"),
    ),
)

NOISE = Claim(
    id="new-estimated-spread-noise",
    cites=(),
    corrects=("lemma-6",),
    says="Binary rewards: a group's estimate is its own std, sqrt(x(1-x)) in the logit, times sqrt(kappa) along p; G "
    "times "
    "its variance is (G-1) sigma^2 - G E[std]^2, which tends to (1-2p)^2/4 = 1/4 - sigma^2.",
    assumes=(positive(w),),
    verdict=Status.HELD,
    because="Dividing by the group's own std makes the noise the variance of that std: largest near p = 0 and 1, where "
    "sigma is small, and of higher order at 1/2; without the division it is sigma^2 (1-2p)^2 and the single "
    "completion's covariance is right.",
    steps=(
        Identity(
            "one-group",
            estimate(k, f, w),
            sqrt(k * f) / (k + f),
            "k successes and f failures; neither the unit nor p is left",
            assumes=(integer(k, 1), integer(f, 1)),
        ),
        Identity("second-moment-4", moment(4, 2), Rational(3, 4) * variance, "(G-1)/G sigma^2"),
        Identity("second-moment-16", moment(16, 2), Rational(15, 16) * variance),
        Identity("pairs", noise(2), variance * (1 - 2 * variance), "G times the variance, exactly"),
        Identity("triples", noise(3), 2 * variance * (1 - 3 * variance)),
        Identity(
            "leading-order",
            Subs(Derivative(root, x) ** 2 * x * (1 - x), x, p),
            Rational(1, 4) - variance,
            "the square of the slope of sqrt(x(1-x)) times the variance of sqrt(G) x",
            assumes=(between(p, 0, 1),),
        ),
        Identity(
            "along-p",
            (n_right * (1 / n_right) / n_right + n_wrong * (1 / n_wrong) / n_wrong)
            / sqrt(n_right / n_right**2 + n_wrong / n_wrong**2),
            sqrt((n_right + n_wrong) / (n_right * n_wrong)),
            "the lemma's unit direction, 1/n on the right and -1/n on the wrong completions, applied to an estimate "
            "that "
            "sums to +-1 on them: sqrt(kappa)",
            assumes=(positive(n_right), positive(n_wrong)),
        ),
        Identity(
            "not-divided",
            Subs(Derivative(x * (1 - x), x) ** 2 * x * (1 - x), x, p),
            p * (1 - p) ** 4 + (1 - p) * p**4 - variance**2,
            "without the std: leading order and single completion agree, sigma^2 (1-2p)^2",
        ),
        Property("reference-noise", "reference.group.noise_variance is this variance", covers="pairs"),
        Property(
            "reference-projection",
            "enumerated by reference.bandit, the variance along p is kappa times it, for any m of n",
            covers="along-p",
        ),
        Property("limit", "its distance from the limit falls tenfold for ten times the group size"),
    ),
    mutants=(
        Mutant("failures-forgotten", "one-group", {"rhs": sqrt(k / (k + f))}),
        Mutant("unbiased", "second-moment-4", {"rhs": variance}),
        Mutant("seventeen", "second-moment-16", {"rhs": Rational(16, 17) * variance}),
        Mutant("binomial", "pairs", {"rhs": variance}),
        Mutant("pairs-formula", "triples", {"rhs": 2 * variance * (1 - 2 * variance)}),
        Mutant("single-completion", "leading-order", {"rhs": (1 - 2 * p) ** 2}),
        Mutant("inverse", "along-p", {"rhs": sqrt(n_right * n_wrong / (n_right + n_wrong))}),
        Mutant("divided", "not-divided", {"lhs": Subs(Derivative(root, x) ** 2 * x * (1 - x), x, p)}),
        Mutant("single-completion-limit", "limit"),
    ),
)

# x - 1/2 of fair coins: second and fourth moment of the sum of G independent halves
_second = Rational(1, 4) * G / G**2
_fourth = (G * Rational(1, 16) + 3 * G * (G - 1) * Rational(1, 4) ** 2) / G**4


def fair(expression: Expr) -> Expr:
    """At p = 1/2."""
    return Subs(expression, p, S.Half)


HALF = Claim(
    id="new-quadratic-noise",
    cites=(),
    corrects=("lemma-6",),
    says="At p = 1/2 the estimate is 1/2 - (x - 1/2)^2 up to 4 (x - 1/2)^4, so its variance is 1/(8 G^2) to leading "
    "order and its law a scaled chi-square, not a Gaussian of variance 1/G.",
    assumes=(positive(G),),
    uses=("new-estimated-spread-noise",),
    verdict=Status.HELD,
    because="G^2 times the variance is 1/4, 3/8 and 0.388 at G = 2, 3 and 4, and then falls to 1/8 (0.147 at 16, "
    "0.126 at "
    "256); G times the standard deviation is within 2.57/G of sqrt((G-1)/(8G)).",
    steps=(
        Inequality(
            "from-above",
            c,
            1 - (1 - c**2) / 2,
            (1 - c) ** 2 / 2,
            says="sqrt(1-t) <= 1 - t/2 at t = 1 - c^2 = (2x-1)^2; the estimate is c/2",
        ),
        Inequality(
            "from-below",
            1 - (1 - c**2) / 2 - (1 - c**2) ** 2 / 2,
            c,
            (1 - c) ** 2 * c * (c + 2) / 2,
            says="sqrt(1-t) >= 1 - t/2 - t^2/2",
            assumes=(between(c, 0, 1, "[]"),),
        ),
        Identity(
            "quadratic-part",
            _fourth - _second**2,
            (G - 1) / (8 * G**3),
            "the variance of (x - 1/2)^2, from independent coins",
        ),
        Identity("pairs", 4 * fair(noise(2) / 2), Rational(1, 4), "G^2 times the variance at p = 1/2"),
        Identity("triples", 9 * fair(noise(3) / 3), Rational(3, 8)),
        Identity("groups-of-four", 16 * fair(noise(4) / 4), (27 - 12 * sqrt(3)) / 16),
        Property("all-sizes", "the bound holds for reference.group.noise_variance up to G = 5000"),
        Property(
            "coins",
            "enumerated in exact fractions, (x - 1/2)^2 of G fair coins has the variance (G-1)/(8 G^3)",
            kind="exact",
            covers="quadratic-part",
        ),
    ),
    mutants=(
        Mutant("slope-one", "from-above", {"large": 1 - (1 - c**2)}),
        Mutant("no-remainder", "from-below", {"small": 1 - (1 - c**2) / 2}),
        Mutant("gaussian", "quadratic-part", {"rhs": 1 / (8 * G**2)}),
        Mutant("half", "pairs", {"rhs": Rational(1, 8)}),
        Mutant("third", "triples", {"rhs": Rational(1, 8)}),
        Mutant("rational", "groups-of-four", {"rhs": Rational(3, 8)}),
        Mutant("one-over-g", "all-sizes"),
    ),
)

CLAIMS = (LEMMA_6, NOISE, HALF)
