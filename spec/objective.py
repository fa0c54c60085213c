"""Objective: what Eq. 2 depends on, its gradient at and away from theta_old, and the update of Eq. 3."""

from collections.abc import Sequence

from sympy import (
    Derivative,
    Expr,
    Ge,
    Integer,
    Rational,
    S,
    Subs,
    Sum,
    Symbol,
    binomial,
    cosh,
    exp,
    floor,
    log,
    sinh,
    sqrt,
)

from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, integer, nonnegative, positive
from spec.relation import equal
from spec.symbols import K, K_ref, beta, delta, eta, mu, p, tau

# --- three completions under a softmax policy --------------------------------------------------------
theta = (Symbol("theta_1"), Symbol("theta_2"), Symbol("theta_3"))
phi = (Symbol("phi_1"), Symbol("phi_2"), Symbol("phi_3"))  # theta_old
rho = (Symbol("rho_1"), Symbol("rho_2"), Symbol("rho_3"))  # reference policy
q = (Symbol("q_1"), Symbol("q_2"), Symbol("q_3"))  # sampling policy
pi = (Symbol("pi_1"), Symbol("pi_2"), 1 - Symbol("pi_1") - Symbol("pi_2"))  # policy
r = (Symbol("r_1"), Symbol("r_2"), Symbol("r_3"))  # rewards
A_1, A_2 = Symbol("A_1"), Symbol("A_2")  # advantages of a group of two
a_12, a_13, a_23 = Symbol("a_12"), Symbol("a_13"), Symbol("a_23")
pair = ((S.Zero, a_12, a_13), (-a_12, S.Zero, a_23), (-a_13, -a_23, S.Zero))
"""Advantage of completion i in the group (i, j); that of j is its negative."""

m_old, sigma_old = Symbol("m_old"), Symbol("sigma_old")


def log_softmax(at: Sequence[Expr]) -> tuple[Expr, ...]:
    """log pi_theta of the three completions."""
    total = log(sum((exp(x) for x in at), S.Zero))
    return tuple(x - total for x in at)


def softmax(at: Sequence[Expr]) -> tuple[Expr, ...]:
    """pi_theta of the three completions."""
    total = sum((exp(x) for x in at), S.Zero)
    return tuple(exp(x) / total for x in at)


def mean(policy: Sequence[Expr], values: Sequence[Expr]) -> Expr:
    """The expectation of `values` under a policy."""
    return sum((w * v for w, v in zip(policy, values, strict=True)), S.Zero)


def spread(policy: Sequence[Expr], values: Sequence[Expr]) -> Expr:
    """Their standard deviation."""
    centre = mean(policy, values)
    return sqrt(mean(policy, [(v - centre) ** 2 for v in values]))


def log_ratio(at: Sequence[Expr]) -> tuple[Expr, ...]:
    """log(pi_theta/pi_ref)."""
    return tuple(x - log(y) for x, y in zip(log_softmax(at), rho, strict=True))


def divergence(at: Sequence[Expr]) -> Expr:
    """KL(pi_theta || pi_ref)."""
    return mean(softmax(at), log_ratio(at))


def all_pairs(policy: Sequence[Expr]) -> Expr:
    """The reward term of Eq. 2 for G = 2: the mean over the nine groups drawn from q."""
    groups = [(i, j) for i in range(3) for j in range(3)]
    return sum(
        (q[i] * q[j] * (policy[i] / q[i] * pair[i][j] + policy[j] / q[j] * pair[j][i]) / 2 for i, j in groups),
        S.Zero,
    )


_any_policy = tuple(Symbol(f"pi_{i}") for i in (1, 2, 3))
infinite_groups = mean(pi, [(x - m_old) / sigma_old for x in r])

EQ_2 = Claim(
    id="eq-2",
    cites=(Cite("Equation 2", "3.1"),),
    says="The objective weighs each advantage with the importance ratio pi_theta/pi_old and subtracts beta KL(pi_theta "
    "|| pi_ref): the ratio turns the sampling measure into pi_theta, and only the advantages remember theta_old "
    "(three completions, in groups of two and in the limit of large groups).",
    formula=equal(
        Symbol("J"),
        Symbol("E_old[pi_theta/pi_old*A]") - beta * Symbol("KL(pi_theta||pi_ref)"),
    ),
    where={Symbol("E_old[pi_theta/pi_old*A]"): all_pairs(_any_policy)},
    uses=("eq-1",),
    verdict=Status.PROVED,
    because="In the limit of large groups the reward term is (E_theta r - E_old r)/std_old, the expected reward up to "
    "an affine map; at theta = theta_old it is 0 whatever the policy, so the value of J says nothing about the reward.",
    assumes=tuple(positive(x) for x in q),
    steps=(
        Identity(
            "measure-cancels",
            all_pairs(_any_policy),
            sum((Symbol(f"pi_{i + 1}") * q[j] * pair[i][j] for i in range(3) for j in range(3)), S.Zero),
            "all nine groups of two: one completion is reweighted to pi_theta, its companion stays at pi_old",
        ),
        Identity(
            "infinite-groups",
            infinite_groups,
            (mean(pi, r) - m_old) / sigma_old,
            "with the known mean and std of pi_old as baseline and scale",
            assumes=(positive(sigma_old),),
        ),
        Identity(
            "value-on-policy",
            all_pairs((_any_policy[0], q[1], q[2])),
            (_any_policy[0] - q[0]) * (q[1] * a_12 + q[2] * a_13),
            "advantages cancel in every group: with the weight of one completion moved, only the move is left",
        ),
        Property(
            "reference-gradient",
            "reference.bandit's gradient away from theta_old is the derivative of this objective",
            covers="infinite-groups",
        ),
    ),
    mutants=(
        Mutant("no-ratio", "measure-cancels", {"lhs": all_pairs(q)}),
        Mutant("scale-of-one", "infinite-groups", {"rhs": mean(pi, r) - m_old}),
        Mutant(
            "companion-reweighted-too",
            "measure-cancels",
            {
                "rhs": sum(
                    (Symbol(f"pi_{i + 1}") * Symbol(f"pi_{j + 1}") * pair[i][j] for i in range(3) for j in range(3)),
                    S.Zero,
                )
            },
        ),
        Mutant("off-policy-too", "value-on-policy", {"lhs": all_pairs(_any_policy)}),
    ),
)

# --- Eq. 3 -------------------------------------------------------------------------------------------
k, lag, z = Symbol("k"), Symbol("lag"), Symbol("z")
theta_k, theta_last, gradient, first_moment = Symbol("theta_k"), Symbol("theta_last"), Symbol("g"), Symbol("m")
CONSTANT_LAG = "the sampling policy is always exactly K_ref steps old, as in a pipeline of fixed depth"
printed_index = k - K_ref
refreshed_index = K_ref * floor(k / K_ref)

EQ_3 = Claim(
    id="eq-3",
    cites=(Cite("Equation 3", "3.1"),),
    says="The policy climbs by a heavy-ball step, and refreshing the sampling policy every K_ref steps means theta_old "
    "= theta_{k-K_ref}.",
    formula=equal(printed_index, refreshed_index),
    assumes=(integer(k, 0), integer(K_ref, 1)),
    verdict=Status.NARROWED,
    because="A copy taken every K_ref steps is k mod K_ref steps old (0 to K_ref - 1, on average (K_ref - 1)/2), "
    "never K_ref: at K_ref = 4 step 5 samples from theta_4, the equation says theta_1; refreshing every step is "
    "on-policy.",
    reply="For a replay or pipeline of fixed depth the constant lag is right, and Section 3.3 uses it consistently.",
    steps=(
        Counterexample(
            "periodic",
            equal(printed_index, refreshed_index),
            {k: Integer(5), K_ref: Integer(4)},
            refreshed_index - printed_index,
            Integer(3),
            "the sentence says that the copy of step 4 is in use, the equation that of step 1",
            minimal="every k and K_ref do: the age k mod K_ref is below K_ref",
        ),
        Counterexample(
            "before-the-start",
            Ge(printed_index, 0),
            {k: Integer(0), K_ref: Integer(1)},
            printed_index,
            Integer(-1),
            "in its first K_ref steps the equation asks for a policy that does not exist",
            minimal="the first step, the shortest interval",
        ),
        Property(
            "never-equal",
            "for no step and no interval do the two indices agree",
            kind="exact",
            refutes=True,
        ),
        Identity(
            "mean-age",
            Sum(lag, (lag, 0, K_ref - 1)) / K_ref,
            (K_ref - 1) / 2,
            "the mean age under refreshing; under Eq. 3 it is K_ref: more than twice that",
        ),
        Identity(
            "characteristic",
            z ** (k + 1) - z**k + eta * K * z ** (k - K_ref) - mu * (z**k - z ** (k - 1)),
            z ** (k - K_ref - 1) * (z**K_ref * (z - 1) * (z - mu) + eta * K * z),
            "the linear map of a restoring force evaluated at theta_{k-K_ref}, on a mode z^k",
            assumes=(positive(z),),
            under=CONSTANT_LAG,
        ),
        Identity(
            "velocity-form",
            theta_k + eta * (mu * (theta_k - theta_last) / eta + gradient),
            theta_k + eta * gradient + mu * (theta_k - theta_last),
            "Eq. 3 is the momentum of common optimisers, v <- mu v + g, theta <- theta + eta v",
            assumes=(positive(eta),),
        ),
        Property(
            "reference-schedules",
            "a run refreshed every step is the run without lag, and not the run with lag 1",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("lag-of-one", "periodic", {"at": {k: Integer(5), K_ref: Integer(1)}}),
        Mutant("later", "before-the-start", {"at": {k: Integer(1), K_ref: Integer(1)}}),
        Mutant("one-to-K", "mean-age", {"rhs": (K_ref + 1) / 2}),
        Mutant(
            "damping-sign",
            "characteristic",
            {"rhs": z ** (k - K_ref - 1) * (z**K_ref * (z - 1) * (z + mu) + eta * K * z)},
        ),
        Mutant("averaged", "velocity-form", {"rhs": theta_k + eta * (1 - mu) * gradient + mu * (theta_k - theta_last)}),
        Mutant("age-of-the-copy", "never-equal"),
        Mutant("any-schedule", "reference-schedules"),
    ),
)

averaged_moment = mu * (theta_k - theta_last) / eta + (1 - mu) * gradient

FIRST_MOMENT = Claim(
    id="new-adam-first-moment",
    cites=(),
    corrects=("eq-3",),
    says="Adam's first moment is an average, m <- b_1 m + (1 - b_1) g: it is the map of Eq. 3 with mu = b_1 and the "
    "learning rate (1 - b_1) eta, so b_1 drops out of the damping and of the threshold, K eta K_ref > 1.",
    verdict=Status.PROVED,
    because="'The role played by Adam's beta_1' holds up to a factor 1 - mu in eta: at b_1 = 0.9 a threshold read from "
    "Eq. 11 with Adam's eta is ten times too small (apart from the second moment, which rescales eta again).",
    steps=(
        Identity(
            "same-map",
            theta_k + eta * averaged_moment,
            theta_k + (1 - mu) * eta * gradient + mu * (theta_k - theta_last),
            "one step from the last two iterates; the average is m = (theta_k - theta_last)/eta",
            assumes=(positive(eta),),
        ),
        Identity(
            "steady-step",
            Subs(eta * (mu * first_moment + (1 - mu) * gradient), first_moment, gradient),
            eta * gradient,
            "under a constant gradient the step is eta g; that of Eq. 3 is eta g/(1-mu)",
        ),
        Identity(
            "damping",
            Subs((1 - mu) * delta / eta - K * tau, eta, (1 - mu) * eta),
            delta / eta - K * tau,
            "the effective damping of Eq. 7 with the learning rate that corresponds",
            assumes=(positive(eta), between(mu, 0, 1, "[")),
        ),
        Identity(
            "mass",
            Subs((1 + mu) * delta**2 / (2 * eta), eta, (1 - mu) * eta),
            (1 + mu) / (1 - mu) * delta**2 / (2 * eta),
            "the inertia stays, and grows without bound as b_1 -> 1",
            assumes=(positive(eta), between(mu, 0, 1, "[")),
        ),
        Property("reference-run", "the averaged map runs the course of reference.momentum", covers="same-map"),
    ),
    mutants=(
        Mutant("same-rate", "same-map", {"rhs": theta_k + eta * gradient + mu * (theta_k - theta_last)}),
        Mutant("heavy-ball-step", "steady-step", {"rhs": eta * gradient / (1 - mu)}),
        Mutant("damping-of-eq-7", "damping", {"rhs": (1 - mu) * delta / eta - K * tau}),
        Mutant("mass-of-eq-6", "mass", {"rhs": (1 + mu) * delta**2 / (2 * eta)}),
    ),
)

# --- Lemma 2 and Eq. 4 -------------------------------------------------------------------------------
ratio_1 = softmax(theta)[0] / softmax(phi)[0]
ratio_2 = softmax(theta)[1] / softmax(phi)[1]
of_a_group = (ratio_1 * A_1 + ratio_2 * A_2) / 2 - beta * divergence(theta)


def on_policy(expression: Expr) -> Expr:
    """An expression in theta at theta = theta_old."""
    return Subs(expression, theta, phi)


def pull(at: Sequence[Expr]) -> Expr:
    """The first component of the gradient of KL(pi_theta || pi_ref)."""
    return softmax(at)[0] * (log_ratio(at)[0] - divergence(at))


of_infinite_groups = (mean(softmax(theta), r) - mean(softmax(phi), r)) / spread(softmax(phi), r)

LEMMA_2 = Claim(
    id="lemma-2",
    cites=(Cite("Lemma 2", "3.3"),),
    says="At theta = theta_old the ratios are one and the gradient of Eq. 2 is that of Eq. 4: advantage times score, "
    "minus beta times the gradient of the KL term (three completions, in groups of two and in the limit of large "
    "groups).",
    assumes=tuple(positive(x) for x in rho),
    uses=("eq-2",),
    verdict=Status.PROVED,
    because="It holds group by group, not only on average, since neither the advantages nor the sampling measure of "
    "Eq. 2 depend on theta; for large groups the reward part of a component is pi_j (r_j - E r)/std.",
    steps=(
        Identity(
            "score-function",
            Derivative(ratio_1, theta[1]),
            ratio_1 * Derivative(log_softmax(theta)[0], theta[1]),
            "the derivative of a ratio is the ratio times the score",
        ),
        Identity("score", Derivative(log_softmax(theta)[0], theta[0]), 1 - softmax(theta)[0]),
        Identity("ratio-one", on_policy(ratio_1), S.One),
        Identity("kl-gradient", Derivative(divergence(theta), theta[0]), pull(theta)),
        Identity(
            "on-policy-gradient",
            on_policy(Derivative(of_a_group, theta[0])),
            (A_1 * (1 - softmax(phi)[0]) - A_2 * softmax(phi)[0]) / 2 - beta * pull(phi),
            "a group that holds completions 1 and 2, any advantages",
        ),
        Identity(
            "infinite-groups",
            on_policy(Derivative(of_infinite_groups, theta[0])),
            softmax(phi)[0] * (r[0] - mean(softmax(phi), r)) / spread(softmax(phi), r),
        ),
        Property(
            "reference-mean",
            "reference.bandit's mean over all groups of two is this gradient",
            covers="on-policy-gradient",
        ),
    ),
    mutants=(
        Mutant("score-of-old", "score-function", {"rhs": ratio_1 * Derivative(log_softmax(phi)[0], phi[1])}),
        Mutant("no-normalisation", "score", {"rhs": S.One}),
        Mutant("anywhere", "ratio-one", {"lhs": ratio_1}),
        Mutant("divergence-not-subtracted", "kl-gradient", {"rhs": softmax(theta)[0] * log_ratio(theta)[0]}),
        Mutant(
            "kl-attracts",
            "on-policy-gradient",
            {"rhs": (A_1 * (1 - softmax(phi)[0]) - A_2 * softmax(phi)[0]) / 2 + beta * pull(phi)},
        ),
        Mutant("not-centred", "infinite-groups", {"rhs": softmax(phi)[0] * r[0] / spread(softmax(phi), r)}),
    ),
)

x = Symbol("x")  # logit of the success probability
p_old = Symbol("p_old")
sigmoid = 1 / (1 + exp(-x))
spread_old = sqrt(p_old * (1 - p_old))
true_force = p * (1 - p) / spread_old
without_ratio = p_old * (1 - p_old) / spread_old * (1 - p) + (1 - p_old) * (-p_old / spread_old) * (-p)
ON_POLICY = "on-policy: theta = theta_old, which with a lag is never the case"
_stale_point = {p: Rational(1, 2), p_old: Rational(1, 5)}

EQ_4 = Claim(
    id="eq-4",
    cites=(Cite("Equation 4", "3.3"),),
    says="Lemma 2 states Eq. 4 at theta = theta_old; used along the whole trajectory of Eq. 3 it needs to be the "
    "gradient of Eq. 2 with theta_old steps behind theta, too.",
    formula=equal(true_force, sqrt(p * (1 - p))),
    assumes=(between(p_old, 0, 1),),
    uses=("lemma-2",),
    verdict=Status.NARROWED,
    because="Away from theta_old it is not the gradient of Eq. 2: with p_old = 1/5 and p = 1/2 the force on the logit "
    "is 5/8; Eq. 4 at theta gives 1/2, Eq. 4 with the old samples and advantages but without the ratio 2/5.",
    reply="The lemma states it at theta = theta_old only, and Lemma 5 is meant to supply the lag; but what it delays "
    "is this on-policy force as a whole.",
    steps=(
        Identity(
            "force",
            Derivative((sigmoid - p_old) / spread_old, x),
            Subs(true_force, p, sigmoid),
            "two rewards, large groups: the gradient of Eq. 2 in the logit",
        ),
        Counterexample(
            "everything-at-theta",
            equal(true_force, sqrt(p * (1 - p))),
            _stale_point,
            true_force - sqrt(p * (1 - p)),
            Rational(1, 8),
            "Eq. 4 with advantages, samples and score at theta",
            minimal="two rewards; any p_old at another distance from 1/2 does",
            assumes=(between(p, 0, 1),),
        ),
        Identity(
            "old-samples",
            without_ratio,
            spread_old,
            "without the ratio the mean is the spread of pi_old, whatever theta",
        ),
        Counterexample(
            "without-ratio",
            equal(true_force, without_ratio),
            _stale_point,
            true_force - without_ratio,
            Rational(9, 40),
            "Eq. 4 with advantages and samples at theta_old, the score at theta",
            minimal="two rewards",
            assumes=(between(p, 0, 1),),
        ),
        Identity(
            "on-policy",
            Subs(true_force, p, p_old),
            spread_old,
            "at theta_old all three agree",
            under=ON_POLICY,
        ),
        Property(
            "reference-readings",
            "reference.bandit's readings of staleness agree on-policy; at the point above the ratio gives 5/8, old "
            "samples without it 2/5, and no staleness 1/2",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("scale-of-theta", "force", {"rhs": Subs(sqrt(p * (1 - p)), p, sigmoid)}),
        Mutant("mirror-image", "everything-at-theta", {"at": {p: Rational(4, 5), p_old: Rational(1, 5)}}),
        Mutant("fresh", "without-ratio", {"at": {p: Rational(1, 5), p_old: Rational(1, 5)}}),
        Mutant("old-variance", "old-samples", {"rhs": p_old * (1 - p_old)}),
        Mutant("inverse-spread", "on-policy", {"rhs": 1 / spread_old}),
        Mutant("one-reading", "reference-readings"),
    ),
)

# --- what staleness does under Eq. 2 -----------------------------------------------------------------
u, v = Symbol("u"), Symbol("v")  # half the logit; 1 - cos(angle)
L, L_old, L_star = Symbol("L"), Symbol("L_old"), Symbol("L_star")
kappa, b, s = Symbol("kappa"), Symbol("b"), Symbol("s")
d = Symbol("d")
j = Symbol("j")  # successes in a group


def variance_at(logit: Expr) -> Expr:
    """p (1-p) as a function of the logit."""
    return 1 / (4 * cosh(logit / 2) ** 2)


def logit_force(at: Expr, old: Expr, reference: Expr) -> Expr:
    """The velocity of the logit per unit of eta: two rewards, classes alike, large groups."""
    return kappa * variance_at(at) * (2 * cosh(old / 2) - beta * (at - reference))


def finite_scale(size: int) -> Expr:
    """What replaces 1/sigma_old for groups of `size`: E[std_G]/(p (1-p)), summed over the counts with spread."""
    terms = (
        binomial(size, j) * p ** (j - 1) * (1 - p) ** (size - j - 1) * sqrt(Integer(j * (size - j))) / size
        for j in range(1, size)
    )
    return sum(terms, S.Zero)


_balance = L_star - 2 * cosh(L_star / 2) / beta  # the reference logit that makes L_star a fixed point

STALE_SCALE = Claim(
    id="new-stale-scale",
    cites=(),
    corrects=("eq-4", "lemma-5"),
    says="Under Eq. 2 the gradient at theta != theta_old is E_theta[A_old score] - beta grad KL: the ratio cancels the "
    "measure, the old mean drops out, and staleness enters through 1/std_old alone (three completions here; the "
    "reference's Jacobian for more).",
    assumes=(positive(beta),),
    uses=("eq-2",),
    verdict=Status.PROVED,
    because="About p* the logit feels -kappa beta sigma^2 at once and +kappa sigma(2p-1)/2 late: above p = 1/2 the "
    "late part is anti-restoring, at 1/2 it vanishes, at G = 2 and 3 it vanishes everywhere; Lemma 5 delays the whole "
    "force.",
    reply="Section 5.6 says itself that the ratio cancels; Lemma 5 then describes samplers that apply stale gradients.",
    steps=(
        Identity(
            "old-mean-drops",
            pi[0] * ((r[0] - m_old) / sigma_old - infinite_groups),
            pi[0] * (r[0] - mean(pi, r)) / sigma_old,
            "the gradient of Eq. 2 with three rewards: std_old is all that is left of theta_old",
            assumes=(positive(sigma_old),),
        ),
        Identity(
            "at-once",
            Subs(Derivative(logit_force(L, L_star, _balance), L), L, L_star),
            -kappa * beta * variance_at(L_star),
            "what acts through theta",
        ),
        Identity(
            "late",
            Subs(Derivative(logit_force(L_star, L_old, _balance), L_old), L_old, L_star),
            kappa * sinh(L_star / 2) / (4 * cosh(L_star / 2) ** 2),
            "what acts through theta_old: kappa sigma (2p-1)/2",
        ),
        Identity(
            "together",
            Subs(Derivative(logit_force(L, L, _balance), L), L, L_star),
            -kappa * beta * variance_at(L_star) + kappa * sinh(L_star / 2) / (4 * cosh(L_star / 2) ** 2),
            "their sum is the on-policy slope g'(p*)",
        ),
        Inequality(
            "anti-restoring-above-one-half",
            S.Zero,
            Subs(Derivative(cosh(u), u), u, u) * kappa / (4 * cosh(u) ** 2),
            kappa * sinh(u) / (4 * cosh(u) ** 2),
            strict=True,
            says="above p = 1/2 (u = L/2 > 0) the late part pushes away from p*: Lemma 5 has it restoring",
            assumes=(positive(kappa), positive(u)),
        ),
        Identity(
            "pairs",
            Sum(binomial(2, j) * p**j * (1 - p) ** (2 - j) * sqrt(j * (2 - j)) / 2, (j, 0, 2)),
            p * (1 - p),
            "E[std_2], whose share of p (1-p) is 1: at G = 2 nothing of theta_old is left",
        ),
        Identity("triples", finite_scale(3), sqrt(2), "nor at G = 3"),
        Identity(
            "groups-of-four",
            Derivative(finite_scale(4), p),
            (2 * sqrt(3) - 3) * (2 * p - 1),
            "from G = 4 on it is; the sign changes at 1/2 as for large groups",
        ),
        Identity(
            "unit-circle",
            (1 - v - (1 - b)) ** 2 + (1 - (1 - v) ** 2),
            b**2 + 2 * (1 - b) * v,
            "|z - (1-b)|^2 at z = exp(i angle), v = 1 - cos(angle): a root there needs |d| to equal its root",
        ),
        Inequality(
            "stable-at-every-lag",
            (1 - s) ** 2,
            (1 - s) ** 2 + 2 * s * v,
            2 * s * v,
            says="without momentum, b = 1 - s <= 1: |d| < b keeps every root inside, whatever the lag",
            assumes=(nonnegative(s), nonnegative(v)),
        ),
        Property(
            "reference-parts",
            "reference.drift.stiffness_parts returns the two parts, for large and for finite groups",
            covers="late",
        ),
        Property(
            "reference-jacobian",
            "they are the Jacobian of reference.bandit's gradient with respect to theta and to theta_old",
            covers="at-once",
        ),
    ),
    mutants=(
        Mutant("old-mean-stays", "old-mean-drops", {"rhs": pi[0] * (r[0] - m_old) / sigma_old}),
        Mutant("restoring", "late", {"rhs": -kappa * sinh(L_star / 2) / (4 * cosh(L_star / 2) ** 2)}),
        Mutant("twice", "at-once", {"rhs": -2 * kappa * beta * variance_at(L_star)}),
        Mutant("without-late-part", "together", {"rhs": -kappa * beta * variance_at(L_star)}),
        Mutant("lemma-5", "anti-restoring-above-one-half", {"large": -kappa * sinh(u) / (4 * cosh(u) ** 2)}),
        Mutant("pairs-see-p", "pairs", {"rhs": 2 * p**2 * (1 - p)}),
        Mutant("large-groups", "triples", {"rhs": 1 / sqrt(p * (1 - p))}),
        Mutant("sign", "groups-of-four", {"rhs": (2 * sqrt(3) - 3) * (1 - 2 * p)}),
        Mutant("no-cosine", "unit-circle", {"rhs": b**2}),
        Mutant("lag-gains", "stable-at-every-lag", {"small": (1 - s) ** 2 + 4 * s * v}),
    ),
)

CLAIMS = (EQ_2, EQ_3, FIRST_MOMENT, LEMMA_2, EQ_4, STALE_SCALE)
