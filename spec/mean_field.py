"""MeanField: whether the expected reward obeys a law of its own (Assumption 1), and the backbone of Lemma 3."""

from collections.abc import Sequence

from sympy import (
    Derivative,
    Expr,
    Integer,
    Le,
    Limit,
    Rational,
    S,
    Subs,
    Sum,
    Symbol,
    asinh,
    binomial,
    cosh,
    coth,
    exp,
    log,
    sinh,
    sqrt,
)

from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, nonnegative, positive
from spec.objective import kappa, mean, r, softmax, spread, theta
from spec.relation import equal
from spec.symbols import beta, delta, p, t

p_ref = Symbol("p_ref")
o, o_ref = Symbol("o"), Symbol("o_ref")  # odds p/(1-p), of the policy and of the reference
u, v = Symbol("u"), Symbol("v")  # half the logit
y = Symbol("y")
j = Symbol("j")  # successes in a group
epsilon, sigma = Symbol("epsilon"), Symbol("sigma")
n_right, n_wrong = Symbol("n_right"), Symbol("n_wrong")  # completions of either kind

TWO_VALUES = "two reward values, a start symmetric within each class, large groups, beta >= beta_c(p_ref)"


def drift(policy: Sequence[Expr], rewards: Sequence[Expr], log_ratios: Sequence[Expr]) -> Expr:
    """dp/dt per unit of eta under the gradient flow of Eq. 2, any rewards, large groups."""
    centre = mean(policy, rewards)
    signal = [(x - centre) / spread(policy, rewards) - beta * y for x, y in zip(rewards, log_ratios, strict=True)]
    return sum(
        (w**2 * (x - centre) * (z - mean(policy, signal)) for w, x, z in zip(policy, rewards, signal, strict=True)),
        S.Zero,
    )


# three rewards 0, 1/2, 1 and the policy (q, 1-2q, q): p = 1/2 whatever q
q_1, q_2 = Symbol("q_1"), Symbol("q_2")


def extremes(q: Expr) -> Expr:
    """The drift with weight q on the best and on the worst of three completions, uniform reference."""
    policy = (q, 1 - 2 * q, q)
    return drift(policy, (S.Zero, S.Half, S.One), [log(3 * w) for w in policy])


# two rewards, three completions of which two are right; w is the share of the first among the right ones
w_1, w_2 = Symbol("w_1"), Symbol("w_2")


def uneven(w: Expr) -> Expr:
    """The drift at the start, where the policy is the reference and the KL term is silent."""
    return drift((p * w, p * (1 - w), 1 - p), (S.One, S.One, S.Zero), (S.Zero, S.Zero, S.Zero))


def closed(at: Expr, reference: Expr) -> Expr:
    """The closed drift over kappa, at given odds."""
    variance = at / (1 + at) ** 2
    return variance**2 * (1 / sqrt(variance) - beta * (log(at) - log(reference)))


_even = (o / (1 + o) / 2, o / (1 + o) / 2, 1 / (1 + o))
_even_reference = (o_ref / (1 + o_ref) / 2, o_ref / (1 + o_ref) / 2, 1 / (1 + o_ref))
_even_ratios = [log(a) - log(b) for a, b in zip(_even, _even_reference, strict=True)]

push = (p * (1 - p)) ** Rational(3, 2)  # the reward part of the closed drift over kappa
least_excess = 2 * sqrt(1 + beta**2) - 2 * beta * asinh(beta) + beta * log(p_ref / (1 - p_ref))

_rates = (Symbol("dp/dt(q_1)"), Symbol("dp/dt(q_2)"))  # at two policies with the same p

ASSUMPTION_1 = Claim(
    id="assumption-1",
    cites=(Cite("Assumption 1", "3.2"),),
    says="For softmax policies the expected reward p obeys dp/dt = g(p) exactly, with g in C^2 on [0, 1] and a unique "
    "stable fixed point between p_ref and 1.",
    formula=equal(_rates[0], _rates[1]),
    where={_rates[0]: extremes(q_1), _rates[1]: extremes(q_2)},
    uses=("eq-3", "lemma-2"),
    verdict=Status.NARROWED,
    because="It closes for two reward values and a start symmetric within each class; with three rewards two "
    "policies of "
    "p = 1/2 drift at 2/27 and 1/32. Even then g'' diverges at the ends, and p* needs beta >= beta_c(p_ref): at the "
    "paper's beta = 0.005 and large groups there is none for any p_ref above 1e-170.",
    reply="Binary verifiable rewards are the paper's case, and at finite G or with a guarded std a stable interior "
    "point "
    "exists for every beta > 0; at beta = 0.005, though, it cannot be told from 1.",
    steps=(
        Identity(
            "projection",
            Derivative(mean(softmax(theta), r), theta[0]),
            softmax(theta)[0] * (r[0] - mean(softmax(theta), r)),
            "how p moves with theta: with the flow of Eq. 4 it gives the drift used below",
        ),
        Counterexample(
            "three-rewards",
            equal(extremes(q_1), extremes(q_2)),
            {q_1: Rational(2, 9), q_2: Rational(1, 8), beta: Integer(1)},
            extremes(q_1) - extremes(q_2),
            Rational(37, 864),
            "rewards 0, 1/2, 1 and policies (2/9, 5/9, 2/9), (1/8, 3/4, 1/8): p = 1/2 in both, drifts 2/27 and 1/32",
            minimal="three rewards are needed; the KL term cancels by symmetry, for every beta",
        ),
        Counterexample(
            "uneven-class",
            equal(uneven(w_1), uneven(w_2)),
            {w_1: Rational(1, 4), w_2: Rational(1, 2), p: Rational(1, 2), beta: Integer(1)},
            uneven(w_1) - uneven(w_2),
            Rational(1, 64),
            "two rewards, but two right completions of unequal probability: drifts 13/64 and 3/16 at p = 1/2",
            minimal="three completions are needed: with two, p is the policy",
        ),
        Counterexample(
            "ends-are-not-smooth",
            equal(Limit(sqrt(p) * Derivative(push, (p, 2)), p, 0), 0),
            {kappa: Integer(1)},
            kappa * Limit(sqrt(p) * Derivative(push, (p, 2)), p, 0),
            Rational(3, 4),
            "for g in C^2 on [0, 1] it is 0; so g'' grows as p^(-1/2), which the KL part (p^2 log p) cannot cancel",
            minimal="the reward part alone",
        ),
        Counterexample(
            "no-fixed-point",
            Le(least_excess, 0),
            {beta: Rational(1, 200), p_ref: Rational(1, 10**170)},
            least_excess,
            2 * sqrt(1 + Rational(1, 40000)) - asinh(Rational(1, 200)) / 100 - log(10**170 - 1) / 200,
            "a fixed point needs the least value over p of 1/sigma - beta (L - L_ref) to be <= 0; it is 0.043",
            minimal="the paper's beta; larger p_ref only raises the value",
        ),
        Identity(
            "closes",
            drift(_even, (S.One, S.One, S.Zero), _even_ratios),
            Rational(3, 2) * closed(o, o_ref),
            "two right completions of equal probability and a wrong one: a function of p alone",
            assumes=(positive(o), positive(o_ref)),
            under=TWO_VALUES,
        ),
        Property(
            "reference-drifts",
            "reference.bandit moves p at these rates, and at one rate for one p where classes are even",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("not-centred", "projection", {"rhs": softmax(theta)[0] * r[0]}),
        Mutant("same-policy", "three-rewards", {"at": {q_1: Rational(1, 8), q_2: Rational(1, 8), beta: Integer(1)}}),
        Mutant(
            "mirror-image",
            "uneven-class",
            {"at": {w_1: Rational(1, 4), w_2: Rational(3, 4), p: Rational(1, 2), beta: Integer(1)}},
        ),
        Mutant(
            "three-quarters",
            "ends-are-not-smooth",
            {"statement": equal(Limit(sqrt(p) * Derivative(push, (p, 2)), p, 0), Rational(3, 4))},
        ),
        Mutant("large-beta", "no-fixed-point", {"at": {beta: Integer(2), p_ref: Rational(1, 8)}}),
        Mutant("kappa-one", "closes", {"rhs": closed(o, o_ref)}),
        Mutant("three-rewards-close", "reference-drifts"),
    ),
)

# --- the closed drift --------------------------------------------------------------------------------
_p, _q = o / (1 + o), 1 / (1 + o)
_sigma = sqrt(o) / (1 + o)
_right, _wrong = log(_p) - log(o_ref / (1 + o_ref)), log(_q) - log(1 / (1 + o_ref))
_kl = _p * _right + _q * _wrong
right_velocity = _p / n_right * (_q / _sigma - beta * (_right - _kl))
wrong_velocity = _q / n_wrong * (-_p / _sigma - beta * (_wrong - _kl))
_net = _sigma - beta * _sigma**2 * (log(o) - log(o_ref))
free = Symbol("u_0") + kappa * t / 4
free_flow = (1 + free / sqrt(1 + free**2)) / 2

CLOSED_DRIFT = Claim(
    id="new-closed-drift",
    cites=(),
    corrects=("assumption-1",),
    says="For n completions of which m are right, classes alike and large groups: dp/dt = kappa p^2 (1-p)^2 [1/sigma - "
    "beta (L(p) - L(p_ref))] per unit of eta, with kappa = n/(m(n-m)), exactly.",
    assumes=(positive(o), positive(o_ref), positive(n_right), positive(n_wrong)),
    verdict=Status.PROVED,
    because="The completions of a class move together, so the logit of p is all that there is; without the KL term "
    "the law "
    "integrates to p = (1 + u/sqrt(1+u^2))/2 with u = u_0 + kappa t/4: an S-shape below p = 1/2 without any inertia.",
    steps=(
        Identity(
            "right-completions",
            right_velocity,
            _net / n_right,
            "probability times (advantage minus beta times centred log-ratio), the gradient of Eq. 4",
        ),
        Identity("wrong-completions", wrong_velocity, -_net / n_wrong),
        Identity(
            "logit",
            _net / n_right + _net / n_wrong,
            (n_right + n_wrong) / (n_right * n_wrong) * _net,
            "L is the difference of the two kinds of theta up to a constant: its rate is kappa",
        ),
        Identity(
            "order-parameter",
            n_right * (_p / n_right) * _q * right_velocity + n_wrong * (_q / n_wrong) * (-_p) * wrong_velocity,
            (n_right + n_wrong) / (n_right * n_wrong) * closed(o, o_ref),
            "dp/dt, the sum over all completions of dp/dtheta times dtheta/dt",
        ),
        Identity(
            "free-flow",
            Derivative(free_flow, t),
            kappa * (free_flow * (1 - free_flow)) ** Rational(3, 2),
            "at beta = 0 it solves dp/dt = kappa (p(1-p))^(3/2)",
        ),
        Property("reference-drift", "reference.drift computes this drift", covers="order-parameter"),
        Property("reference-bandit", "and reference.bandit moves by it, for any m of n", covers="logit"),
        Property("reference-flow", "reference.flow.free_flow is the solution", covers="free-flow"),
    ),
    mutants=(
        Mutant("kl-not-centred", "right-completions", {"lhs": _p / n_right * (_q / _sigma - beta * _right)}),
        Mutant("sign", "wrong-completions", {"rhs": _net / n_wrong}),
        Mutant("kappa-sum", "logit", {"rhs": (n_right + n_wrong) * _net}),
        Mutant(
            "first-power",
            "order-parameter",
            {"rhs": (n_right + n_wrong) / (n_right * n_wrong) * closed(o, o_ref) * (1 + o) ** 2 / o},
        ),
        Mutant("logistic", "free-flow", {"rhs": kappa * free_flow * (1 - free_flow)}),
    ),
)

# --- its fixed points --------------------------------------------------------------------------------
l_ref = Symbol("l_ref")  # logit of p_ref
curve, line = 2 * cosh(u), beta * (2 * u - l_ref)  # 1/sigma and beta (L - L_ref) at L = 2u
excess = curve - line
critical_logit = 2 * asinh(beta) - 2 * sqrt(1 + beta**2) / beta
_two = {beta: 1 / (4 * log(2)), l_ref: -8 * log(2)}  # odds of the reference 1/256
logit_velocity = kappa * excess / (4 * cosh(u) ** 2)

CRITICAL_BETA = Claim(
    id="new-critical-beta",
    cites=(),
    corrects=("assumption-1",),
    says="For large groups the interior fixed points solve 1/sigma = beta (L - L_ref): none if L_ref > 2 asinh(beta) "
    "- 2 "
    "sqrt(1 + beta^2)/beta, one at equality, else two, the lower stable, the upper unstable.",
    uses=("new-closed-drift",),
    verdict=Status.PROVED,
    because="A convex curve, 2 cosh(L/2), meets a line; they touch at L = 2 asinh(beta). In parameters, beta_c = "
    "sinh(v) "
    "with L_ref = 2(v - coth v); beta = 1/(4 ln 2) with p_ref = 1/257 has the two points 1/2 and 4/5, and p = 9/10 "
    "runs to 1.",
    steps=(
        Identity(
            "tangent-value",
            Subs(curve, u, asinh(beta)),
            Subs(line, (u, l_ref), (asinh(beta), critical_logit)),
            assumes=(positive(beta),),
        ),
        Identity("tangent-slope", Subs(Derivative(curve, u), u, asinh(beta)), Derivative(line, u)),
        Inequality(
            "convex",
            S.Zero,
            Derivative(excess, (u, 2)),
            exp(u) + exp(-u),
            strict=True,
            says="so the touching point is the minimum, and a line meets the curve at most twice",
        ),
        Identity(
            "least-value",
            Subs(excess, (u, l_ref), (asinh(beta), log(p_ref / (1 - p_ref)))),
            least_excess,
            assumes=(between(p_ref, 0, 1),),
        ),
        Identity(
            "parametric",
            Subs(2 * (v - coth(v)), v, asinh(beta)),
            critical_logit,
            "v = asinh(beta_c)",
            assumes=(positive(beta),),
        ),
        Identity(
            "monotone",
            Derivative(critical_logit, beta),
            2 * sqrt(1 + beta**2) / beta**2,
            "positive: every p_ref has one beta_c, and a larger beta suffices",
            assumes=(positive(beta),),
        ),
        Identity(
            "stability",
            Subs(Derivative(logit_velocity, u), l_ref, 2 * u - 2 * cosh(u) / beta) / 2,
            kappa * (2 * sinh(u) - 2 * beta) / (8 * cosh(u) ** 2),
            "the slope at a fixed point, per unit of L = 2u: negative below the touching point, positive above it",
            assumes=(positive(beta),),
        ),
        Identity("lower-of-two", Subs(excess.subs(_two), u, 0), S.Zero, "p = 1/2"),
        Identity("upper-of-two", Subs(excess.subs(_two), u, log(2)), S.Zero, "p = 4/5"),
        Inequality(
            "beyond-the-upper",
            S.Zero,
            Subs(excess.subs(_two), u, log(3)),
            Rational(4, 3) - log(3) / (2 * log(2)),
            strict=True,
            says="at p = 9/10 the drift is away from p*: p = 1 attracts too",
        ),
        Property(
            "reference-count",
            "reference.fixed_point finds none, one or two on the two sides of reference.critical_beta",
            covers="tangent-value",
        ),
        Property("reference-flow", "reference.flow from above the upper point goes to 1", covers="beyond-the-upper"),
    ),
    mutants=(
        Mutant(
            "half",
            "tangent-value",
            {"rhs": Subs(line, (u, l_ref), (asinh(beta), 2 * asinh(beta) - sqrt(1 + beta**2) / beta))},
        ),
        Mutant("cosh", "tangent-slope", {"lhs": Subs(Derivative(curve, u), u, asinh(2 * beta))}),
        Mutant("concave", "convex", {"small": Derivative(excess, (u, 2)), "large": S.Zero}),
        Mutant("sign", "least-value", {"rhs": least_excess - 2 * beta * log(p_ref / (1 - p_ref))}),
        Mutant("tanh", "parametric", {"lhs": Subs(2 * (v - 1 / coth(v)), v, asinh(beta))}),
        Mutant("falling", "monotone", {"rhs": -2 * sqrt(1 + beta**2) / beta**2}),
        Mutant("always-stable", "stability", {"rhs": -kappa * beta / (4 * cosh(u) ** 2)}),
        Mutant("upper-at-two-thirds", "upper-of-two", {"lhs": Subs(excess.subs(_two), u, log(2) / 2)}),
        Mutant("lower-elsewhere", "lower-of-two", {"lhs": Subs(excess.subs(_two), u, -log(2))}),
        Mutant("between-the-two", "beyond-the-upper", {"large": Subs(excess.subs(_two), u, log(2) / 2)}),
    ),
)

_four = sqrt(3) - (2 * sqrt(3) - 3) * p * (1 - p)  # E[std_4]/(p (1-p))
_four_in_odds = sqrt(3) - (2 * sqrt(3) - 3) * o / (1 + o) ** 2


def count_sum(size: int) -> Expr:
    """E[std_G]/(p (1-p)) from the 2^G - 2 groups with spread, ddof 0."""
    return sum(
        (
            binomial(size, j) * p**j * (1 - p) ** (size - j) * sqrt(Rational(j * (size - j), size**2))
            for j in range(1, size)
        ),
        S.Zero,
    ) / (p * (1 - p))


FINITE_GROUPS = Claim(
    id="new-finite-group-plateau",
    cites=(),
    corrects=("assumption-1",),
    says="At finite G the reward's push stays bounded as p -> 1, so p = 1 repels and a stable interior point exists "
    "for "
    "every beta > 0, at most sqrt(G-1)/beta above L_ref; a guard epsilon in the std bounds the push, too.",
    formula=equal(beta * (Symbol("L_star") - Symbol("l_ref")), Symbol("E[std_G]/(p(1-p))")),
    where={Symbol("E[std_G]/(p(1-p))"): count_sum(4)},
    assumes=(positive(beta),),
    verdict=Status.HELD,
    because="L* = L_ref + 1/beta at G = 2 and L_ref + sqrt(2)/beta at G = 3; at G = 4 it lies between 1.616/beta and "
    "1.733/beta above L_ref, which at beta = 0.005 is more than 323: 1 - p* < 1e-138 for p_ref > 0.01. (Population "
    "std; with the sample std L* - L_ref is sqrt((G-1)/G) of that.)",
    steps=(
        Identity(
            "pairs",
            Sum(binomial(2, j) * p**j * (1 - p) ** (2 - j) * sqrt(j * (2 - j)) / 2, (j, 0, 2)),
            Subs(beta * p * (1 - p) * y, y, 1 / beta),
            "push and pull of the closed drift, E[std_G] in place of sigma (ddof 0), balance 1/beta above L_ref",
            assumes=(between(p, 0, 1),),
        ),
        Identity("triples", count_sum(3) / beta, sqrt(2) / beta, assumes=(between(p, 0, 1),)),
        Identity("groups-of-four", count_sum(4), _four, assumes=(between(p, 0, 1),)),
        Inequality(
            "four-above",
            _four_in_odds - beta * (sqrt(3) / beta + y),
            S.Zero,
            beta * y + (2 * sqrt(3) - 3) * o / (1 + o) ** 2,
            strict=True,
            says="more than sqrt(3)/beta above L_ref the drift is downwards: p = 1 repels",
            assumes=(nonnegative(y), positive(o)),
        ),
        Inequality(
            "four-below",
            S.Zero,
            _four - beta * ((sqrt(3) / 2 + Rational(3, 4)) / beta - y),
            beta * y + (2 * sqrt(3) - 3) * (p - S.Half) ** 2,
            says="less than (sqrt(3)/2 + 3/4)/beta above it, upwards: a stable point lies between",
            assumes=(nonnegative(y),),
        ),
        Inequality(
            "guard",
            1 / (sigma + epsilon),
            1 / epsilon,
            sigma / (epsilon * (sigma + epsilon)),
            says="with a guard the push of large groups is bounded as well",
            assumes=(nonnegative(sigma), positive(epsilon)),
        ),
        Property(
            "reference-points",
            "reference.fixed_point finds a stable highest point at every G and beta, within sqrt(G-1)/beta of L_ref",
        ),
        Property("reference-factor", "reference.group computes the same push", covers="groups-of-four"),
    ),
    mutants=(
        Mutant("large-groups-too", "reference-points"),
        Mutant("half", "pairs", {"rhs": Subs(beta * p * (1 - p) * y, y, 1 / (2 * beta))}),
        Mutant("ddof-1", "triples", {"rhs": 2 / (sqrt(3) * beta)}),
        Mutant("large-groups", "groups-of-four", {"rhs": 1 / sqrt(p * (1 - p))}),
        Mutant("two", "four-above", {"small": _four_in_odds - beta * (sqrt(2) / beta - y)}),
        Mutant("sqrt-3", "four-below", {"large": _four - beta * (sqrt(3) / beta - y)}),
        Mutant("unguarded", "guard", {"small": 1 / sigma}),
    ),
)

# --- Lemma 3 and Eq. 5 -------------------------------------------------------------------------------
c, rate, e_0, bend = Symbol("c"), Symbol("lambda"), Symbol("e_0"), Symbol("b_2")
p_1, p_2 = Symbol("p_1"), Symbol("p_2")
relaxation = rate * e_0 * exp(-rate * t) / (rate + bend * e_0 * (1 - exp(-rate * t)))


def stiffness(at: Expr, weight: Expr) -> Expr:
    """-g'(p*) over kappa: beta sigma^2 - sigma (2p-1)/2."""
    return weight * at * (1 - at) - sqrt(at * (1 - at)) * (2 * at - 1) / 2


def amplification(at: Expr, weight: Expr) -> Expr:
    """The slope of Mroueh's map at its fixed point."""
    return (at - S.Half) / (weight * sqrt(at * (1 - at)))


_p_of_u = 1 / (1 + exp(-2 * u))

LEMMA_3 = Claim(
    id="lemma-3",
    cites=(Cite("Lemma 3", "3.3"),),
    says="Near p* the error relaxes as c de/dt = -K e, at the rate K/c = -g'(p*).",
    assumes=(positive(rate),),
    uses=("assumption-1",),
    verdict=Status.PROVED,
    because="With the first neglected term, b_2 e^2, the law is solved: the linear one is off by at most b_2 "
    "e_0/lambda, relative, at all times; the rate, the same in p and in its logit, is kappa (beta sigma^2 - sigma "
    "(2p-1)/2) at p*.",
    steps=(
        Identity(
            "exact-relaxation",
            Derivative(relaxation, t),
            -rate * relaxation - bend * relaxation**2,
            "the linear law with its first neglected term, solved",
        ),
        Identity(
            "relative-error",
            e_0 * exp(-rate * t) / relaxation - 1,
            bend * e_0 / rate * (1 - exp(-rate * t)),
            "the linear law is off by at most b_2 e_0/lambda, relative, at all times",
        ),
        Identity(
            "two-coordinates",
            Subs(Derivative(logit_velocity, u), l_ref, 2 * u - 2 * cosh(u) / beta) / 2,
            -kappa * Subs(stiffness(p, beta), p, _p_of_u),
            "the slope in the logit at p* is that in p: the rate does not depend on the coordinate",
        ),
        Property(
            "measured-rate",
            "small-step runs of reference.bandit approach p* at -g'(p*), a line in log |p - p*|",
            covers="two-coordinates",
        ),
    ),
    mutants=(
        Mutant("twice", "exact-relaxation", {"rhs": -rate * relaxation - 2 * bend * relaxation**2}),
        Mutant("no-time", "relative-error", {"rhs": bend * e_0 / rate}),
        Mutant("sigma-squared", "two-coordinates", {"rhs": -kappa * p * (1 - p) * beta}),
        Mutant("early-slope", "measured-rate"),
    ),
)


def weight_at(at: Expr, reference_odds: Expr) -> Expr:
    """The beta that makes `at` a fixed point, large groups."""
    return 1 / (sqrt(at * (1 - at)) * (log(at / (1 - at)) - log(reference_odds)))


def factor(at: Expr) -> Expr:
    """K/(c kappa beta (1-h')) with Mroueh's h, p_ref = 1/17."""
    weight = weight_at(at, Rational(1, 16))
    return stiffness(at, weight) / (weight * (1 - amplification(at, weight)))


_sweep = {p_1: S.Half, p_2: Rational(1, 5)}

EQ_5 = Claim(
    id="eq-5",
    cites=(Cite("Equation 5", "3.3"), Cite("Lemma 3", "3.3")),
    says="The KL term gives K the multiplicative weight beta, K proportional to beta (1 - h'(p*)) with h' = 1 + "
    "delta g': along a sweep of beta their ratio stays the same.",
    formula=equal(Symbol("(K/(beta*(1-h')))_1"), Symbol("(K/(beta*(1-h')))_2")),
    where={
        Symbol("(K/(beta*(1-h')))_1"): 1 / weight_at(p_1, Rational(1, 16)),
        Symbol("(K/(beta*(1-h')))_2"): 1 / weight_at(p_2, Rational(1, 16)),
    },
    assumes=(between(p_1, 0, 1), between(p_2, 0, 1)),
    uses=("lemma-3",),
    verdict=Status.REFUTED,
    because="With a fixed reference (p_ref = 1/17) beta = 1/(2 ln 2) gives p* = 1/2 and beta = 5/(4 ln 2) gives p* = "
    "1/5: the ratio changes by 5/2 with the paper's h' = 1 + delta g', and by 25/16 with Mroueh's h'; with p* held at "
    "4/5 going from beta = 1 to 2 multiplies the rate by five, not two.",
    reply="At one operating point, with Mroueh's fixed-point map for h, -g'(p*) = kappa beta sigma*^2 (1-h') is exact; "
    "no later result uses more than K > 0.",
    steps=(
        Identity(
            "fixed-points",
            Subs(curve, u, log(o) / 2),
            Subs(line.subs(beta, weight_at(o / (1 + o), o_ref)), (u, l_ref), (log(o) / 2, log(o_ref))),
            "at this beta the push 1/sigma meets the pull beta (L - L_ref)",
            assumes=(positive(o), positive(o_ref)),
        ),
        Identity(
            "what-proportionality-asks",
            c * Derivative(-rate * e_0, e_0) / (beta * (1 - Derivative(e_0 - delta * rate * e_0, e_0))),
            -c / (beta * delta),
            "-K over beta (1-h') from g and from the step h: c would have to carry beta",
            assumes=(positive(beta), positive(delta), positive(rate)),
        ),
        Counterexample(
            "printed-contraction",
            equal(1 / weight_at(p_1, Rational(1, 16)), 1 / weight_at(p_2, Rational(1, 16))),
            _sweep,
            weight_at(p_2, Rational(1, 16)) / weight_at(p_1, Rational(1, 16)),
            Rational(5, 2),
            "K/(beta (1-h')) = c/(beta delta) moves with beta",
            minimal="two operating points of one prompt; both are stable",
        ),
        Counterexample(
            "fixed-point-map",
            equal(factor(p_1), factor(p_2)),
            _sweep,
            factor(p_1) / factor(p_2),
            Rational(25, 16),
            "K/(beta (1-h')) = c kappa sigma*^2 moves with p*",
            minimal="as above; mirror images p*, 1 - p* would agree",
        ),
        Counterexample(
            "multiplicative-weight",
            equal(stiffness(p, 2 * beta), 2 * stiffness(p, beta)),
            {p: Rational(4, 5), beta: Integer(1)},
            stiffness(p, 2 * beta) / stiffness(p, beta),
            Integer(5),
            "the reward contributes -kappa sigma (2p-1)/2 to the stiffness without beta",
            minimal="any p* other than 1/2 does; two completions",
            assumes=(between(p, 0, 1), positive(beta)),
        ),
        Property(
            "reference-sweep",
            "at the fixed points of reference.fixed_point the two ratios change by these factors",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("inverse", "fixed-points", {"lhs": Subs(1 / curve, u, log(o) / 2)}),
        Mutant("beta-gone", "what-proportionality-asks", {"rhs": -c / delta}),
        Mutant("one-half", "multiplicative-weight", {"at": {p: S.Half, beta: Integer(1)}}),
        Mutant("one-point", "printed-contraction", {"at": {p_1: Rational(1, 5), p_2: Rational(1, 5)}}),
        Mutant("mirror-image", "fixed-point-map", {"at": {p_1: Rational(4, 5), p_2: Rational(1, 5)}}),
        Mutant("one-beta", "reference-sweep"),
    ),
)

# --- the two maps called h ---------------------------------------------------------------------------
p_star, sigma_old, logit = Symbol("p_star"), Symbol("sigma_old"), Symbol("L")
_balanced = log(p_star / (1 - p_star)) - 1 / (beta * sqrt(p_star * (1 - p_star)))
mroueh = 1 / (1 + exp(-_balanced - 1 / (beta * sqrt(p * (1 - p)))))

_fifth = {p_star: Rational(1, 5), beta: S.Half, l_ref: -log(4) - 5}  # p* = 1/5 is where L = L_ref + 5

AMPLIFICATION = Claim(
    id="new-amplification-stiffness",
    cites=(),
    corrects=("eq-5",),
    says="Mroueh's map p -> sigmoid(L_ref + 1/(beta sigma(p))) is the maximiser of Eq. 2 with theta_old frozen; its "
    "slope "
    "h' = (p* - 1/2)/(beta sigma*) obeys -g'(p*) = kappa beta sigma*^2 (1 - h').",
    assumes=(positive(beta), between(p, 0, 1), between(p_star, 0, 1)),
    uses=("new-closed-drift",),
    verdict=Status.PROVED,
    because="One gradient step has the slope 1 + delta g' = 1 - delta kappa beta sigma*^2 (1 - h'), which is h' only "
    "for "
    "delta = 1/(kappa beta sigma*^2); below p* = 1/2 the flow can be stable where the map is not (p* = 1/5, beta = "
    "1/2: "
    "h' = -3/2).",
    steps=(
        Identity(
            "maximiser",
            Subs(beta * (logit - l_ref), logit, l_ref + 1 / (beta * sigma_old)),
            1 / sigma_old,
            "where the force on the logit vanishes with std_old frozen",
            assumes=(positive(sigma_old),),
        ),
        Identity("fixed-point", Subs(mroueh, p, p_star), p_star),
        Identity("slope", Subs(Derivative(mroueh, p), p, p_star), amplification(p_star, beta)),
        Identity(
            "stiffness",
            kappa * stiffness(p, beta),
            kappa * beta * p * (1 - p) * (1 - amplification(p, beta)),
            "-g'(p*)",
        ),
        Identity(
            "when-they-agree",
            Subs(1 - delta * kappa * stiffness(p, beta), delta, 1 / (kappa * beta * p * (1 - p))),
            amplification(p, beta),
            "the time step at which one gradient step is, to first order, the whole maximisation",
            assumes=(positive(kappa),),
        ),
        Identity(
            "unstable-map",
            Subs(Derivative(mroueh.subs(_fifth), p), p, Rational(1, 5)),
            Rational(-3, 2),
            "beyond -1: the map rings",
        ),
        Identity(
            "stable-flow",
            Subs(Derivative(logit_velocity.subs(_fifth), u), u, -log(2)) / 2,
            -kappa / 5,
            "while the flow relaxes, at 1/5",
        ),
        Property("reference", "reference.drift's stiffness and amplification slope obey it", covers="stiffness"),
    ),
    mutants=(
        Mutant("sigma", "maximiser", {"rhs": sigma_old}),
        Mutant("not-balanced", "fixed-point", {"rhs": 1 - p_star}),
        Mutant("one-minus-2p", "slope", {"rhs": (1 - 2 * p_star) / (2 * beta * sqrt(p_star * (1 - p_star)))}),
        Mutant("no-sigma", "stiffness", {"rhs": kappa * beta * (1 - amplification(p, beta))}),
        Mutant("plus", "when-they-agree", {"rhs": -amplification(p, beta)}),
        Mutant("at-beta-one", "unstable-map", {"rhs": amplification(Rational(1, 5), S.One)}),
        Mutant("without-reward", "stable-flow", {"rhs": -kappa * Rational(2, 25)}),
    ),
)

CLAIMS = (
    ASSUMPTION_1,
    CLOSED_DRIFT,
    CRITICAL_BETA,
    FINITE_GROUPS,
    LEMMA_3,
    EQ_5,
    AMPLIFICATION,
)
