"""Bandit: the exact reduction said to confirm the oscillator (Section 5.6, Figures 6 and 7)."""

from sympy import (
    And,
    Derivative,
    Equivalent,
    Expr,
    Ge,
    I,
    Implies,
    Integer,
    Limit,
    Lt,
    Rational,
    Subs,
    Symbol,
    cos,
    exp,
    log,
    oo,
    sqrt,
)

from spec import instance
from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, integer, nonnegative, positive
from spec.relation import equal
from spec.symbols import K, K_ref, beta, eta, mu, p, tau

p_star = Symbol("p_star")
p_ref = Symbol("p_ref")

K_MEASURED = Rational(3, 25)
ETA, MU = Rational(3, 10), Rational(4, 5)
SETTING = {eta: ETA, mu: MU, K: K_MEASURED}

share = Symbol("s")  # an interval over the one on the line of Prop. 9
zeta_10 = (1 - mu - K * eta * tau) / sqrt(2 * K * eta * (1 + mu + K * eta * tau**2))

PLATEAU = Claim(
    id="sec-5.6-plateau",
    cites=(Cite("", "5.6"), Cite("Assumption 1", "3.2")),
    says="The bandit, which carries verifiable rewards and satisfies Assumption 1 exactly, has the fixed "
    "point p* = 1.35, and Assumption 1 places p* between p_ref and 1.",
    formula=Lt(p_star, 1),
    verdict=Status.REFUTED,
    because="p* = 1.35 exceeds 1 by 7/20: no policy over rewards in [0, 1] has that mean, so the rewards are "
    "not those of the setup that Assumption 1 describes.",
    steps=(
        Counterexample(
            "below-one",
            Lt(p_star, 1),
            {p_star: Rational(27, 20)},
            p_star - 1,
            Rational(7, 20),
            "the plateau as printed",
            minimal="a mean of rewards <= 1 is <= 1, so any value above 1 does",
        ),
    ),
    mutants=(Mutant("binary-plateau", "below-one", {"at": {p_star: Rational(17, 20)}}),),
    reply="Normalised advantages do not see the unit of the reward; with rewards up to 2, say, 1.35 is an "
    "ordinary fixed point.",
)

c, d = Symbol("c"), Symbol("d")
pi_1, pi_2 = Symbol("pi_1"), Symbol("pi_2")
r_1, r_2, r_3 = Symbol("r_1"), Symbol("r_2"), Symbol("r_3")
r_mean, r_var = Symbol("r_mean"), Symbol("r_var")


def _mean(x: Symbol, y: Symbol, z: Symbol) -> Symbol:
    return pi_1 * x + pi_2 * y + (1 - pi_1 - pi_2) * z


def _variance(x: Symbol, y: Symbol, z: Symbol) -> Symbol:
    return _mean(x**2, y**2, z**2) - _mean(x, y, z) ** 2


_SCALED = (c * r_1 + d, c * r_2 + d, c * r_3 + d)

REWARD_UNITS = Claim(
    id="new-reward-units",
    cites=(),
    corrects=("sec-5.6-plateau",),
    says="Replacing r by c r + d with c > 0 leaves every advantage, hence the whole run of the policy, and "
    "the rate read off -log(p* - p) unchanged, and turns p* into c p* + d.",
    verdict=Status.PROVED,
    because="p* = 1.35 therefore says nothing about the eight rewards beyond their unit, and K = 0.12 "
    "nothing about that unit: the instance cannot be recovered from the two numbers.",
    steps=(
        Identity("mean", _mean(*_SCALED), c * _mean(r_1, r_2, r_3) + d),
        Identity("variance", _variance(*_SCALED), c**2 * _variance(r_1, r_2, r_3)),
        Identity(
            "advantage",
            (c * r_1 + d - (c * r_mean + d)) / sqrt(c**2 * r_var),
            (r_1 - r_mean) / sqrt(r_var),
            "Eq. 1 with the mean and the variance of the two steps before",
            assumes=(positive(c), positive(r_var)),
        ),
        Identity(
            "rate",
            Derivative(-log((c * p_star + d) - (c * p + d)), p),
            1 / (p_star - p),
            "the read-out of K, per unit of p's own velocity",
        ),
        Property(
            "whole-run",
            "the policy of the reference bandit runs the same course, and p follows c p + d",
            covers="advantage",
        ),
    ),
    mutants=(
        Mutant("offset-lost", "mean", {"rhs": c * _mean(r_1, r_2, r_3)}),
        Mutant("unit-in-the-rate", "rate", {"rhs": c / (p_star - p)}),
        Mutant("mean-of-squares", "variance", {"rhs": c * _variance(r_1, r_2, r_3)}),
        Mutant("offset-kept", "advantage", {"lhs": (c * r_1 + d - c * r_mean) / sqrt(c**2 * r_var)}),
        Mutant("not-normalised", "whole-run"),
    ),
)

STIFFNESS = Claim(
    id="sec-5.6-measured-stiffness",
    uses=("remark-12",),
    cites=(Cite("", "5.6"),),
    says="Reading the early relaxation rate of a stable baseline gives p* = 1.35 and K = 0.12.",
    formula=And(equal(p_star, Rational(27, 20)), equal(K, K_MEASURED)),
    verdict=Status.UNTESTABLE,
    because="Eight rewards, the baseline's learning rate and the window of the read-out are not given; "
    "with one completion of eight correct (beta = 1) the local rate climbs from 0.106 at once to 0.278 at "
    "p*, so that 0.12 depends on the window.",
    needs="the eight rewards, the baseline's learning rate and the window in which -log(p* - p) was regressed",
)

discriminant = (1 + mu - eta * K) ** 2 - 4 * mu

MONOTONE_START = Claim(
    id="sec-5.6-monotone-small-interval",
    cites=(Cite("", "5.6"),),
    says="At eta = 0.30, mu = 0.80, K = 0.12 and small K_ref the response is a monotone, overshoot-free "
    "approach, so the roots of the linear map are real.",
    assumes=(between(mu, 0, 1, "["), positive(eta), positive(K)),
    formula=Ge(discriminant, 0),
    verdict=Status.REFUTED,
    because="Without any lag the roots are already complex (the discriminant is -0.0883): monotone needs "
    "eta K <= (1 - sqrt(mu))^2 = 0.0111, and 0.036 is three times that; the 1-of-8 bandit crosses p* at "
    "least five times at K_ref = 0 and 1.",
    steps=(
        Identity(
            "discriminant",
            discriminant,
            (eta * K - (1 - sqrt(mu)) ** 2) * (eta * K - (1 + sqrt(mu)) ** 2),
            "the roots of z^2 - (1 + mu - eta K) z + mu are real iff eta K lies outside these two values",
        ),
        Counterexample(
            "complex-roots",
            Ge(discriminant, 0),
            SETTING,
            -discriminant,
            Rational(5519, 62500),
            "the stated setting, no lag at all",
            minimal="the smallest interval there is",
        ),
        Property(
            "bandit-rings",
            "with 1 of 8 completions correct the exact run crosses p* repeatedly at K_ref = 0 and 1, whatever is stale",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("one-root", "discriminant", {"rhs": (eta * K - (1 - sqrt(mu)) ** 2) ** 2}),
        Mutant("small-rate", "complex-roots", {"at": SETTING | {eta: Rational(1, 100)}}),
        Mutant("no-momentum", "bandit-rings"),
    ),
    reply="With the undisclosed rewards the first overshoot may stay below what the classification counts.",
)

lag_share = Symbol("x")  # K eta tau, the damping that the lag takes
rest = Symbol("u")  # the damping left, so that 1 - mu = x + u
inertia = Symbol("b")  # 2 K eta (1 + mu)

FIG_6 = Claim(
    id="fig-6",
    uses=("eq-10",),
    cites=(Cite("Figure 6", "5.6"), Cite("Equation 10", "3.4")),
    says="At (eta, mu, beta) = (0.30, 0.80, 1.00), with K = 0.12, the damping ratio of Theorem 7 falls "
    "through 1 as K_ref grows: monotone first, oscillatory later.",
    assumes=(positive(K), positive(eta), between(mu, 0, 1, "["), nonnegative(tau)),
    formula=Ge(zeta_10, 1),
    verdict=Status.REFUTED,
    reply="Longer intervals do ring longer, which is the figure's trend; with the undisclosed rewards the first "
    "overshoot at a small interval may be too low to be seen.",
    because="zeta is exactly 5/9 at K_ref = 0 and only decreases with the interval, so Theorem 7 "
    "prescribes an underdamped response throughout; the figure's cascade cannot be its transition at zeta "
    "= 1.",
    steps=(
        Counterexample(
            "underdamped-without-lag",
            Ge(zeta_10, 1),
            SETTING | {tau: Integer(0)},
            1 - zeta_10,
            Rational(4, 9),
            "the largest damping ratio that the setting allows",
            minimal="no interval is smaller than 0",
        ),
        Inequality(
            "lag-lowers-it",
            rest**2 * inertia,
            (lag_share + rest) ** 2 * (inertia + 2 * lag_share**2),
            2 * lag_share**2 * (lag_share + rest) ** 2 + inertia * lag_share * (lag_share + 2 * rest),
            says="zeta(tau)^2 <= zeta(0)^2, multiplied by both denominators",
            assumes=(nonnegative(lag_share), nonnegative(rest), positive(inertia)),
        ),
    ),
    mutants=(
        Mutant(
            "smaller-stiffness",
            "underdamped-without-lag",
            {"at": SETTING | {K: Rational(1, 100), tau: Integer(0)}},
        ),
        Mutant("lag-raises-it", "lag-lowers-it", {"large": rest**2 * inertia - lag_share}),
    ),
)

w_1, w_2, w_3 = Symbol("w_1"), Symbol("w_2"), Symbol("w_3")
r_max = Symbol("r_max")
g_1, g_2 = (
    Symbol("g_1"),
    Symbol("g_2"),
)  # how far two rewards lie below the best; the second lowest by g_2 more
_p_of_weights = (w_1 * (r_max - g_1) + w_2 * (r_max - g_1 - g_2) + w_3 * r_max) / (w_1 + w_2 + w_3)
_WEIGHTS = (positive(w_1), positive(w_2), positive(w_3), nonnegative(g_1), nonnegative(g_2))

BOUNDED = Claim(
    id="sec-5.6-bounded",
    cites=(Cite("", "5.6"),),
    says="The exact order parameter never leaves the interval between the smallest and the largest reward, "
    "so it cannot diverge.",
    assumes=_WEIGHTS,
    verdict=Status.PROVED,
    because="p is a weighted mean with positive weights (three ordered rewards stand for any number); "
    "random runs of the reference bandit, stable or not, stay inside.",
    steps=(
        Inequality("above", _p_of_weights, r_max, (w_1 * g_1 + w_2 * (g_1 + g_2)) / (w_1 + w_2 + w_3)),
        Inequality(
            "below",
            r_max - g_1 - g_2,
            _p_of_weights,
            (w_1 * g_2 + w_3 * (g_1 + g_2)) / (w_1 + w_2 + w_3),
        ),
        Property("runs", "reference trajectories stay inside at any rate, momentum and interval", covers="above"),
    ),
    mutants=(
        Mutant("second-best", "above", {"large": r_max - g_1}),
        Mutant("second-worst", "below", {"small": r_max - g_1}),
        Mutant("unscaled", "runs"),
    ),
)

force_over_weight = 1 / sqrt(p * (1 - p)) - beta * (log(p / (1 - p)) - log(p_ref / (1 - p_ref)))
_AT = {p: Rational(99, 100), p_ref: Rational(1, 8), beta: Integer(1)}

RINGING = Claim(
    id="sec-5.6-persistent-ringing",
    cites=(Cite("", "5.6"),),
    says="Beyond the threshold the exact dynamics rings about p* for good, within bounds, the nonlinearity "
    "holding the amplitude.",
    assumes=(between(p, 0, 1), between(p_ref, 0, 1), positive(beta)),
    verdict=Status.NARROWED,
    because="1 of 8 correct, beta = 1, eta = 0.3, mu = 0.8: with stale gradients the run rings for good at K_ref = "
    "3 to 5, just past 2.4 where the late slope puts the threshold, but from 6 on it jumps the upper fixed point "
    "0.961 and is absorbed at p = 1; under Eq. 2 every ringing dies out.",
    steps=(
        Counterexample(
            "restoring-everywhere",
            Lt(force_over_weight, 0),
            _AT,
            force_over_weight,
            100 / (3 * sqrt(11)) - log(693),
            "what bounds an oscillation is a force towards p* from both sides; near p = 1 it points away",
            minimal="any p above the upper fixed point 0.961 does",
        ),
        Property(
            "rings",
            "at K_ref = 3 to 5 the run still crosses p* within bounds after 3000 steps",
            under="stale gradients, in a window just past the threshold",
        ),
        Property("absorbed", "stale gradients beyond the ringing window end at p = 1", refutes=True),
        Property("dies-out", "under Eq. 2 each run of the sweep settles at p*", refutes=True),
    ),
    mutants=(
        Mutant("between-fixed-points", "restoring-everywhere", {"at": _AT | {p: Rational(3, 4)}}),
        Mutant("inside-the-window", "absorbed"),
        Mutant("printed-objective", "rings"),
        Mutant("stale-gradient", "dies-out"),
    ),
    reply="With the undisclosed rewards the upper fixed point may be absent or out of reach over 300 steps.",
)

extra_lag = Symbol("x")  # K_ref - 6

PAST_ZERO = Claim(
    id="sec-5.6-past-zero-damping",
    uses=("eq-10",),
    cites=(Cite("Figure 6", "5.6"),),
    says="In the regime of Figure 6 the truncated coefficients place the system past zeta = 0, hence their larger "
    "amplitude.",
    formula=Lt(zeta_10, 0),
    verdict=Status.NARROWED,
    because="At (0.30, 0.80) and K = 0.12 the damping ratio is 5/9 without lag, still sqrt(6)/54 = 0.045 at K_ref = 5, "
    "and negative from 6 on: the dashed curves of the intervals up to 5 decay.",
    steps=(
        Counterexample(
            "five-steps",
            Lt(zeta_10, 0),
            SETTING | {tau: Integer(5)},
            zeta_10,
            sqrt(6) / 54,
            "the response of the truncated model still decays",
            minimal="the longest interval at which it does; every shorter one does too",
        ),
        Inequality(
            "from-six-on",
            1 - MU,
            K_MEASURED * ETA * (6 + extra_lag),
            K_MEASURED * ETA * extra_lag + Rational(2, 125),
            strict=True,
            says="K eta K_ref exceeds 1 - mu",
            assumes=(nonnegative(extra_lag),),
            under="K_ref is 6 or more",
        ),
    ),
    mutants=(
        Mutant("six-steps", "five-steps", {"at": SETTING | {tau: Integer(6)}}),
        Mutant("from-five-on", "from-six-on", {"large": K_MEASURED * ETA * (5 + extra_lag)}),
    ),
    reply="The caption speaks of the panels whose dashed curve is the larger one, and those are the long intervals.",
)

completions = Symbol("n")
force, steps_taken = Symbol("F"), Symbol("j")


def buffer(count: Expr) -> Expr:
    """The momentum buffer after `count` steps of the constant force, in units of its change a step."""
    return eta * force * (1 - mu**count) / (1 - mu)


_right, _wrong = (1 - p_ref) / completions, p_ref / completions
start_speed = completions * (p_ref * _right**2 + (1 - p_ref) * _wrong**2) / sqrt(p_ref * (1 - p_ref))

FROM_REST = Claim(
    id="sec-5.6-starts-from-rest",
    uses=("eq-4", "assumption-1"),
    cites=(Cite("", "5.6"), Cite("Equation 16", "3.5")),
    says="Starting at the uniform policy the trajectory starts from rest, p'(0) = 0.",
    formula=equal(start_speed, 0),
    assumes=(
        between(p_ref, 0, 1),
        positive(completions),
        between(mu, 0, 1, "["),
        positive(eta),
        positive(force),
    ),
    verdict=Status.NARROWED,
    because="In the flow of Assumption 1 the uniform policy moves at once, at sqrt(p_ref (1 - p_ref))/n for n "
    "completions, 0.041 for 1 of 8 correct; only the momentum buffer is at rest, and it is at a share 1 - mu^j of its "
    "full speed after j steps: 0.67 after five at mu = 0.8, all of it after one without momentum.",
    steps=(
        Identity(
            "uniform-start",
            start_speed,
            sqrt(p_ref * (1 - p_ref)) / completions,
            "p' = sum of pi_j (r_j - p) times Eq. 4's force pi_j (r_j - p)/std, two rewards, per unit of flow; the KL "
            "term is 0 at the reference",
        ),
        Counterexample(
            "one-of-eight",
            equal(start_speed, 0),
            {p_ref: Rational(1, 8), completions: Integer(8)},
            start_speed,
            sqrt(7) / 64,
            "eight completions, one of them right",
            minimal="any prompt with two rewards; at rest are only prompts without a spread",
        ),
        Identity(
            "empty-buffer",
            mu * buffer(steps_taken) + eta * force,
            buffer(steps_taken + 1),
            "the velocity after j steps of a constant force F, by induction from 0 at j = 0",
            assumes=(integer(steps_taken, 0),),
            under="the velocity is the momentum buffer, empty at the start",
        ),
    ),
    mutants=(
        Mutant("variance", "uniform-start", {"rhs": p_ref * (1 - p_ref) / completions}),
        Mutant("half-the-speed", "one-of-eight", {"amount": sqrt(7) / 128}),
        Mutant("full-buffer", "empty-buffer", {"lhs": buffer(steps_taken) + eta * force}),
    ),
    reply="Eq. 8 is of second order, and its state starts with no velocity: the buffer of Eq. 3 is empty.",
)

FRONTIER = Claim(
    id="sec-5.6-frontier-is-threshold",
    uses=(
        "prop-8",
        "prop-9",
    ),
    cites=(Cite("", "5.6"), Cite("Proposition 9", "3.4")),
    says="The monotone-oscillatory frontier is where Proposition 9 predicts it, on K eta K_ref = 1 - mu.",
    formula=Equivalent(Lt(zeta_10, 1), K * eta * tau > 1 - mu),
    assumes=(positive(K), positive(eta), between(mu, 0, 1, "["), nonnegative(tau)),
    verdict=Status.REFUTED,
    because="In the oscillator the line is zeta = 0, and oscillation begins at zeta = 1: at eta = 1/100, "
    "K_ref = 100 the response rings (zeta = 0.44) with 40% of the damping left, so a frontier on the line "
    "disagrees with Theorem 7.",
    steps=(
        Identity(
            "no-damping-on-the-line",
            Subs(zeta_10, tau, share * (1 - mu) / (K * eta)),
            (1 - share) * (1 - mu) / sqrt(2 * (K * eta * (1 + mu) + (share * (1 - mu)) ** 2)),
            "at a share s of the line's interval the damping ratio has the factor 1 - s: on the line it is 0, not 1",
        ),
        Counterexample(
            "rings-below-the-line",
            Equivalent(Lt(zeta_10, 1), K * eta * tau > 1 - mu),
            {K: K_MEASURED, eta: Rational(1, 100), mu: MU, tau: Integer(100)},
            1 - mu - K * eta * tau,
            Rational(2, 25),
            "oscillatory although the threshold is not reached",
            minimal="in the corner of small eta and large K_ref where the paper sees the coincidence",
        ),
    ),
    mutants=(
        Mutant(
            "half-the-line", "no-damping-on-the-line", {"lhs": Subs(zeta_10, tau, share * (1 - mu) / (2 * K * eta))}
        ),
        Mutant(
            "beyond-both",
            "rings-below-the-line",
            {"at": {K: K_MEASURED, eta: Rational(1, 100), mu: MU, tau: Integer(200)}},
        ),
    ),
    reply="The line is the loss of stability, drawn for comparison, and the paper says that its zeta = 1 "
    "curve lies below.",
)

_angle, _trace = Symbol("omega"), Symbol("T")  # on the unit circle; 1 + mu - b


CONFIRMED = Claim(
    id="sec-5.6-threshold-confirmed",
    uses=(
        "prop-9",
        "assumption-1",
    ),
    cites=(Cite("", "5.6"), Cite("Proposition 9", "3.4")),
    says="The loss of stability at K eta K_ref = 1 - mu is a property of the exact dynamics of Eq. 2 and 3.",
    formula=equal(K * eta * K_ref, 1 - mu),
    assumes=(between(mu, 0, 1, "["),),
    verdict=Status.REFUTED,
    because="1 of 8 correct, beta = 1: the delayed part of the linearised force is 36 times smaller than the "
    "instantaneous one, |d| = 0.0023 against a least modulus of 0.057 on the unit circle, so p* is stable at "
    "every lag; runs at up to 30 times the threshold settle there.",
    steps=(
        Identity(
            "modulus-on-the-circle",
            (exp(2 * I * _angle) - _trace * exp(I * _angle) + mu)
            * (exp(-2 * I * _angle) - _trace * exp(-I * _angle) + mu),
            1 + _trace**2 + mu**2 - 2 * _trace * (1 + mu) * cos(_angle) + 2 * mu * (2 * cos(_angle) ** 2 - 1),
            "|P|^2 of P(z) = z^2 - (1 + mu - b) z + mu at z = exp(i w): where it exceeds d^2, no lag puts a root of "
            "P(z) = d z^-lag on the circle",
        ),
        Property(
            "stable-at-every-lag",
            "no root reaches the unit circle at any lag, and runs far beyond the line settle at p*",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("stale-gradients", "stable-at-every-lag"),
        Mutant(
            "single-angle",
            "modulus-on-the-circle",
            {"rhs": 1 + _trace**2 + mu**2 - 2 * _trace * (1 + mu) * cos(_angle) + 2 * mu * cos(_angle)},
        ),
    ),
    reply="Lemma 5 delays the whole restoring force; for gradients computed at the old policy the threshold is real.",
)

offset_ref, offset_star = Symbol("d_ref"), Symbol("d_star")
_w = Symbol("w")

FROZEN = Claim(
    id="new-frozen-scale-frontier",
    uses=("assumption-1",),
    cites=(),
    corrects=("sec-5.6-threshold-confirmed",),
    says="Under Eq. 2 overshoot begins along a hyperbola eta K_ref/(1 - mu) = const, with momentum as eta falls, "
    "without any loss of stability: the standard deviation frozen at the start drives p past p* in a fixed time of "
    "flow.",
    verdict=Status.HELD,
    because="The start has the smaller spread, so the frozen drive is still positive at p*; for 1 of 8 "
    "correct without momentum the first overshoot sits at eta K_ref = 3.2 from eta = 0.2 to 0.0125, with "
    "p* stable at every lag; at mu = 0.8 at 2.9, 3.05 and 3.125 for eta = 0.01, 0.005 and 0.0025.",
    assumes=(positive(offset_star), positive(_w)),
    steps=(
        Inequality(
            "frozen-drive-at-the-fixed-point",
            Rational(1, 4) - (offset_star + _w) ** 2,
            Rational(1, 4) - offset_star**2,
            _w * (2 * offset_star + _w),
            strict=True,
            says="p(1-p) at a start farther from 1/2 than p* is smaller, so 1/sigma_0 exceeds 1/sigma* = "
            "beta (L* - L_ref)",
        ),
        Property(
            "hyperbola",
            "without momentum the first interval that overshoots times eta is constant, to one step, over a factor of "
            "16",
        ),
        Property(
            "with-momentum", "at mu = 0.8 what eta K_ref/(1 - mu) falls short of that constant is halved with eta"
        ),
        Property(
            "closer-start",
            "2 of 8 start closer to 1/2 than p* lies: no interval overshoots, far past 1/K of Proposition 9 either",
        ),
        Property("no-instability", "at the onset and far beyond it the run settles at p*"),
    ),
    mutants=(
        Mutant(
            "closer-start",
            "frozen-drive-at-the-fixed-point",
            {"small": Rational(1, 4) - (offset_star - _w) ** 2},
        ),
        Mutant("fixed-interval", "hyperbola"),
        Mutant("other-time", "with-momentum"),
        Mutant("one-of-eight", "closer-start"),
        Mutant("stale-gradient", "no-instability"),
    ),
)

h = Symbol("h")  # 2 K eta (1 + mu)/(1 - mu)^2 = 1/zeta^2 without lag
onset = -1 + sqrt(2 - h)  # K eta K_ref/(1 - mu) at which zeta = 1

_lag = Symbol("L")  # a constant lag, in steps
_gain = Symbol("a")  # eta K
# without momentum: Eq. 10 at lag 2, and the discriminant of the map's z^3 - z^2 + a
_zeta_squared_at_two = (1 - 2 * _gain) ** 2 / (2 * _gain * (1 + 4 * _gain))
_cubic = _gain * (4 - 27 * _gain)

GAP = Claim(
    id="sec-5.6-gap-narrows",
    uses=("eq-10", "new-constant-onset"),
    cites=(Cite("", "5.6"), Cite("Figure 7", "5.6")),
    says="The zeta = 1 curve lies below the onset of ringing of the exact dynamics, so that it calls for ringing "
    "too soon, and the gap (read: relative to the onset) narrows towards large K_ref.",
    formula=Implies(Ge(_zeta_squared_at_two, 1), Ge(_cubic, 0)),
    assumes=(positive(_gain), positive(_lag)),
    verdict=Status.REFUTED,
    because="With a constant lag and no momentum the map rings from a = 4/27 at lag 2, where zeta = 1 still promises "
    "monotony, and in the corner of long lags the curve sits at sqrt(2) - 1 = 0.414 of the threshold against an exact "
    "1/e = 0.368: too late by 13%, and the gap does not close. At the figure's mu = 0.8 the curve over the onset is "
    "0.9975, 1.001 and 1.107 at lags 1, 3 and 100.",
    steps=(
        Counterexample(
            "late-at-lag-two",
            Implies(Ge(_zeta_squared_at_two, 1), Ge(_cubic, 0)),
            {_gain: Rational(149, 1000)},
            -_cubic,
            Rational(3427, 1000000),
            "two multipliers are complex and dominate, at zeta > 1",
            minimal="at lag 1 the curve is early (0.236 against 1/4)",
        ),
        Identity(
            "exact-corner",
            Limit((_lag / (_lag + 1)) ** (_lag + 1), _lag, oo),
            exp(-1),
            "a L at the exact onset L^L/(L+1)^(L+1) without momentum, for long lags",
        ),
        Property(
            "periodic-gap-widens",
            "at mu = 0.8 under periodic refresh the curve is early at every interval, and its share of the exact onset "
            "falls from 0.895 at K_ref = 1 to 0.560 at 100",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("constant-lag", "periodic-gap-widens"),
        Mutant("below-4-27", "late-at-lag-two", {"at": {_gain: Rational(7, 50)}}),
        Mutant("whole-threshold", "exact-corner", {"rhs": Integer(1)}),
    ),
    reply="The instance and its classification are not disclosed; under the periodic refresh of trainers the curve is "
    "early everywhere, as printed, though its gap to the onset widens; in absolute eta both fall as 1/K_ref, and "
    "the gap with them.",
)

ONSET_SHARE = Claim(
    id="new-onset-to-threshold",
    uses=("eq-10", "prop-9"),
    cites=(),
    corrects=("sec-5.6-gap-narrows",),
    says="In the truncated oscillator zeta = 1 lies below the threshold line for every gain, and the share "
    "K eta K_ref/(1 - mu) at which it lies falls as h = 2 K eta (1 + mu)/(1 - mu)^2 grows.",
    assumes=(between(h, 0, 1),),
    verdict=Status.PROVED,
    because="The ratio of threshold to onset falls from infinity (h = 1) to 1 + sqrt(2) = 2.41 as eta K "
    "goes to 0 and never closes; at eta = 0.30, mu = 0.80, K = 0.12, h = 3.24 and there is no onset at all.",
    steps=(
        Identity("zeta-is-one", (1 - onset) ** 2, h + 2 * onset**2, "C^2 = 4 K M, divided by (1 - mu)^2/eta^2"),
        Identity("corner", Limit(onset, h, 0), sqrt(2) - 1, "share of the threshold at small eta"),
        Identity("slope", Derivative(onset, h), -1 / (2 * sqrt(2 - h)), "negative: the onset falls as eta grows"),
    ),
    mutants=(
        Mutant("no-inertia-of-lag", "zeta-is-one", {"rhs": h}),
        Mutant("closes", "corner", {"rhs": Integer(1)}),
        Mutant("rises", "slope", {"rhs": 1 / (2 * sqrt(2 - h))}),
    ),
)

FIG_7 = Claim(
    id="fig-7",
    uses=("prop-9",),
    cites=(Cite("Figure 7", "5.6"),),
    says="On a grid of (eta, K_ref) at mu = 0.80, beta = 1.00 the empirical frontier follows K eta K_ref = "
    "const and, at small eta, coincides with 1 - mu for the measured K.",
    formula=equal(K * eta * K_ref, 1 - mu),
    verdict=Status.UNTESTABLE,
    because="The rewards, the grid, the run length and the rule that sorts runs into three regimes are not "
    "given; at small eta overshoot begins for 1 of 8 correct at eta K_ref/(1 - mu) near 3.2, against 1/K = 9.4 from "
    "the early slope and 3.6 from the local one, for 2 of 8 nowhere up to 60, against 47 from the local one.",
    needs="the eight rewards, the classification rule with its tolerance, the grid and the length of the runs",
)

CLAIMS = (
    PLATEAU,
    REWARD_UNITS,
    STIFFNESS,
    MONOTONE_START,
    FIG_6,
    BOUNDED,
    RINGING,
    PAST_ZERO,
    FROM_REST,
    FRONTIER,
    CONFIRMED,
    FROZEN,
    GAP,
    ONSET_SHARE,
    FIG_7,
    *instance.CLAIMS,
)
