"""Threshold: where the lagged map loses monotony and stability (Proposition 9, Eq. 11, Section 3.6)."""

from sympy import (
    Abs,
    Derivative,
    Equivalent,
    Expr,
    Ge,
    Gt,
    Implies,
    Integer,
    Le,
    Limit,
    Lt,
    Min,
    Rational,
    S,
    Subs,
    Symbol,
    atan,
    cos,
    discriminant,
    exp,
    pi,
    sin,
    sqrt,
    tan,
)

from spec import stale, stiffest
from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, integer, nonnegative, positive, where
from spec.relation import equal
from spec.symbols import C_eff, K, K_eff, K_ref, M_eff, a, eta, mu

z = Symbol("z")  # a multiplier of the map
y = Symbol("y")  # mu/(1-mu), the momentum's memory in steps: mu = y/(1+y)
u = Symbol("u")  # an excess over a threshold
g = Symbol("g")  # a negative damping's size
e = Symbol("e")  # a state
V = Symbol("v")  # its last step
L = Symbol("L")  # constant lag, steps
N = Symbol("N")  # periodic refresh interval, steps
n = Symbol("n")  # steps since a refresh
j = Symbol("j")
k = Symbol("k")
h = Symbol("h")
q = Symbol("q")  # mu^N
W = Symbol("S")  # sum of mu^j over an interval
X = Symbol("X")  # phase turned within the lag, L omega
w = Symbol("omega")  # frequency, radians a step

RATE = between(mu, 0, 1, "[")

effective_damping = ((1 - mu) - K * eta * K_ref) / eta
zeta_squared = ((1 - mu) - a * K_ref) ** 2 / (2 * a * ((1 + mu) + a * K_ref**2))


def characteristic(multiplier: Expr, rate: Expr, gain: Expr, lag: Expr) -> Expr:
    """The map with a force `lag` steps old, on the mode z^k; 0 at its multipliers."""
    return multiplier ** (lag + 1) - (1 + rate) * multiplier**lag + rate * multiplier ** (lag - 1) + gain


EQ_11 = Claim(
    id="eq-11",
    cites=(Cite("Equation 11", "3.4"),),
    says="The effective damping is negative once K eta K_ref exceeds 1 - mu.",
    formula=Gt(K * eta * K_ref, 1 - mu),
    uses=("eq-9",),
    verdict=Status.PROVED,
    because="The damping is the stiffness times the distance to K_ref = (1-mu)/(K eta); there lambda tau "
    "is exactly 1, "
    "where Lemma 5 asks for lambda tau << 1.",
    steps=(
        Identity(
            "distance",
            effective_damping,
            K * ((1 - mu) / (K * eta) - K_ref),
            "the damping is the stiffness times the distance to the critical interval",
        ),
        Identity(
            "outside-lemma-5",
            Subs(K / ((1 - mu) / eta) * K_ref, K_ref, (1 - mu) / (K * eta)),
            S.One,
            "at the critical interval lambda tau, with lambda = K/c of Lemma 5, is 1 for all parameters",
        ),
        Property(
            "reference-damping",
            "the damping of reference.oscillator.coefficients has this zero",
            covers="distance",
        ),
    ),
    mutants=(
        Mutant("one-plus-mu", "distance", {"rhs": K * ((1 + mu) / (K * eta) - K_ref)}),
        Mutant(
            "lambda-without-momentum", "outside-lemma-5", {"lhs": Subs(K * eta * K_ref, K_ref, (1 - mu) / (K * eta))}
        ),
    ),
)

_splitting = sqrt(C_eff**2 - 4 * M_eff * K_eff)
pole_plus, pole_minus = ((-C_eff + sign * _splitting) / (2 * M_eff) for sign in (1, -1))

PROP_9 = Claim(
    id="prop-9",
    cites=(Cite("Proposition 9", "3.4"),),
    says="The oscillator of Eq. 8 is linearly unstable exactly when its effective damping is negative.",
    formula=Equivalent(C_eff < 0, Gt(Symbol("s_1") + Symbol("s_2"), 0)),
    where={Symbol("s_1"): pole_plus, Symbol("s_2"): pole_minus},
    assumes=(positive(M_eff), positive(g), positive(eta), nonnegative(y)),
    uses=("eq-8", "eq-11"),
    verdict=Status.PROVED,
    because="Exact for the truncated oscillator by Routh-Hurwitz: mass and stiffness stay positive, so "
    "the damping's sign "
    "decides alone; it is no statement about the map of Eq. 3.",
    reply="The proposition speaks of Eq. 8 and of nothing else; that it is borne out by the map is claimed later.",
    steps=(
        Identity("sum-of-poles", pole_plus + pole_minus, -C_eff / M_eff, "the poles add up to -C/M"),
        Identity("product-of-poles", pole_plus * pole_minus, K_eff / M_eff, "and multiply to K/M"),
        Inequality(
            "product-positive",
            S.Zero,
            K_eff / M_eff,
            K_eff / M_eff,
            strict=True,
            says="so real poles have one sign, complex ones a common real part: that of the sum",
            assumes=(positive(K_eff),),
        ),
        Inequality(
            "negative-damping-unstable",
            S.Zero,
            (-C_eff / M_eff).subs(C_eff, -g),
            g / M_eff,
            strict=True,
            says="with C = -g < 0 the sum is positive: unstable",
        ),
        Inequality(
            "positive-damping-stable",
            S.Zero,
            (C_eff / M_eff).subs(C_eff, g),
            g / M_eff,
            strict=True,
            says="with C = g > 0 the sum is negative: stable",
        ),
        Inequality(
            "mass-positive",
            S.Zero,
            ((1 + mu) + K_eff * eta * K_ref**2).subs(mu, y / (1 + y)) / (2 * eta),
            ((1 + 2 * y) / (1 + y) + K_eff * eta * K_ref**2) / (2 * eta),
            strict=True,
            says="no lag makes the mass of Eq. 9 negative (mu = y/(1+y))",
            assumes=(positive(K_eff),),
        ),
        Property(
            "reference-poles",
            "a pole of reference.oscillator lies in the right half-plane exactly past the threshold",
            covers="sum-of-poles",
        ),
    ),
    mutants=(
        Mutant("sum-with-half", "sum-of-poles", {"rhs": -C_eff / (2 * M_eff)}),
        Mutant("product-without-mass", "product-of-poles", {"rhs": K_eff}),
        Mutant("negative-product", "product-positive", {"large": -K_eff / M_eff, "certificate": -K_eff / M_eff}),
        Mutant("unstable-when-damped", "negative-damping-unstable", {"large": -g / M_eff, "certificate": -g / M_eff}),
        Mutant("stable-when-driven", "positive-damping-stable", {"large": -g / M_eff, "certificate": -g / M_eff}),
        Mutant(
            "lag-takes-mass", "mass-positive", {"large": ((1 + 2 * y) / (1 + y) - K_eff * eta * K_ref**2) / (2 * eta)}
        ),
    ),
)

_loss = Symbol("b")  # 1 - mu^N
_R = Symbol("R")  # (N - S)/(1 - mu)
_T = Symbol("T")  # N (1 - mu^N)/(1 - mu)

GROWTH = Claim(
    id="new-growth-oscillates",
    cites=(Cite("Figure 5", "5.5"),),
    corrects=("sec-5.5-monotone-growth",),
    says="The lagged map has no real multiplier >= 1 for any gain, momentum and lag, constant or "
    "periodic: every unstable "
    "run swings about the fixed point.",
    assumes=(positive(a), nonnegative(y), nonnegative(u), integer(L, 1)),
    verdict=Status.HELD,
    because="With a constant lag the polynomial is z^(L-1) (z-1)(z-mu) + a > 0 on z >= 1, and a refresh "
    "cycle's is a sum of "
    "positive terms: what holds of the truncated oscillator's complex roots holds of the map.",
    reply="The caption also admits abrupt spikes; the norm of an oscillating gradient does grow on average.",
    steps=(
        Inequality(
            "never-in-the-map",
            S.Zero,
            characteristic(1 + u, y / (1 + y), a, L),
            (1 + u) ** (L - 1) * u * (u + 1 / (1 + y)) + a,
            strict=True,
            says="at any real z = 1 + u >= 1 the characteristic polynomial is positive (mu = y/(1+y))",
        ),
        Inequality(
            "never-in-a-cycle",
            S.Zero,
            (1 + u) ** 2 - (2 - _loss - a * _R) * (1 + u) + (1 - _loss + a * (_T - _R)),
            u**2 + u * (_loss + a * _R) + a * _T,
            strict=True,
            says="nor has a refresh cycle one: trace 1 + q - a R, determinant q + a (T - R)",
            assumes=(positive(_loss), positive(_R), positive(_T)),
        ),
        Property(
            "reference-trajectories",
            "every unstable trajectory of reference.lag changes sign, under both schedules",
        ),
    ),
    mutants=(
        Mutant("driving-force", "never-in-the-map", {"large": characteristic(1 + u, y / (1 + y), -a, L)}),
        Mutant("driving-force-in-a-cycle", "never-in-a-cycle", {"certificate": u**2 + u * _loss - a * _T}),
        Mutant("negative-force", "reference-trajectories"),
    ),
)

_two_step = characteristic(z, mu, a, Integer(2))
_two_step_discriminant = discriminant(_two_step, z)

SEC_3_6 = Claim(
    id="sec-3.6",
    cites=(Cite("", "3.6"), Cite("", "5.6")),
    says="Sweeping K_ref at fixed eta and mu, the curve turns from monotone to oscillatory at zeta = 1, "
    "conservatively, "
    "and diverges past K eta K_ref = 1 - mu.",
    formula=Implies(Ge(zeta_squared, 1), Ge(Symbol("discriminant"), 0)),
    where={K_ref: Integer(2), Symbol("discriminant"): _two_step_discriminant},
    assumes=(RATE, positive(a), nonnegative(K_ref)),
    uses=("eq-10", "eq-11"),
    verdict=Status.REFUTED,
    because="At K_ref = 2, mu = 0 the map rings from a = 4/27, before zeta = 1 (0.1514), and diverges at 0.618, not "
    "1/2; without lag it is monotone up to a = 1, not 1/2, and diverges at 2.",
    reply="The scaling K eta K_ref = const of both critical values is right for long lags, within a "
    "factor pi/2, and the "
    "paper grants that zeta = 1 is approximate.",
    steps=(
        Counterexample(
            "monotone-though-underdamped",
            Equivalent(Ge((1 - mu) ** 2 / (2 * a * (1 + mu)), 1), Ge((1 + mu - a) ** 2, 4 * mu)),
            at={mu: Integer(0), a: Rational(3, 4)},
            gap=1 - (1 - mu) ** 2 / (2 * a * (1 + mu)),
            amount=Rational(1, 3),
            says="without lag e_k = 4^(-k) is monotone at zeta^2 = 2/3",
            minimal="no momentum and no lag; any gain in (1/2, 1] does",
        ),
        Counterexample(
            "not-conservative",
            Implies(Ge(zeta_squared.subs(K_ref, 2), 1), Ge(_two_step_discriminant, 0)),
            at={mu: Integer(0), a: Rational(3, 20)},
            gap=-_two_step_discriminant,
            amount=Rational(3, 400),
            says="at lag 2 the map rings already (4/27 < 3/20) where zeta^2 = 49/48 still promises monotony",
            minimal="at lag 1 zeta = 1 is conservative (0.236 against 1/4)",
        ),
        Counterexample(
            "flip-without-lag",
            Implies(Le(a * K_ref, 1 - mu), Lt(a, 2 * (1 + mu))),
            at={mu: Integer(0), K_ref: Integer(0), a: Integer(3)},
            gap=a - 2 * (1 + mu),
            amount=S.One,
            says="without lag Eq. 11 never fails, but the map runs 1, -2, 4, -8",
            minimal="no momentum, no lag; 2 itself is the marginal gain",
        ),
        Identity(
            "doubling",
            Integer(-2) ** (k + 1),
            Integer(-2) ** k - 3 * Integer(-2) ** k,
            "e_k = (-2)^k solves that map",
        ),
        Counterexample(
            "too-early",
            Implies(Gt(a * K_ref, 1 - mu), Ge(a**2 + (1 + mu) * a, 1 - mu)),
            at={mu: Integer(0), K_ref: Integer(2), a: Rational(3, 5)},
            gap=1 - mu - (a**2 + (1 + mu) * a),
            amount=Rational(1, 25),
            says="at constant lag 2 the map is stable at a = 3/5 (Jury), past Eq. 11's 1/2",
            minimal="lag 1 agrees with Eq. 11",
        ),
        Counterexample(
            "too-early-periodic",
            Implies(Gt(a * K_ref, 1 - mu), Ge(Abs(1 - a * K_ref), 1)),
            at={mu: Integer(0), K_ref: Integer(2), a: Rational(3, 4)},
            gap=1 - Abs(1 - a * K_ref),
            amount=S.Half,
            says="with a copy every 2 steps, without momentum, a cycle multiplies e by 1 - 2a = -1/2",
            minimal="the shortest interval with any lag",
        ),
        Property(
            "reference-frontiers",
            "reference.lag finds stable runs past Eq. 11 at every interval >= 2 under both schedules, and "
            "unstable ones "
            "short of it at interval 0",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("overdamped-point", "monotone-though-underdamped", {"at": {a: Rational(1, 4), mu: Integer(0)}}),
        Mutant("below-4-27", "not-conservative", {"at": {mu: Integer(0), a: Rational(7, 50)}}),
        Mutant("below-2", "flip-without-lag", {"at": {mu: Integer(0), K_ref: Integer(0), a: Rational(3, 2)}}),
        Mutant("wrong-growth", "doubling", {"rhs": Integer(-2) ** k - 2 * Integer(-2) ** k}),
        Mutant("past-golden", "too-early", {"at": {mu: Integer(0), K_ref: Integer(2), a: Rational(2, 3)}}),
        Mutant("past-2", "too-early-periodic", {"at": {mu: Integer(0), K_ref: Integer(2), a: Rational(5, 4)}}),
        Mutant("eq-11-as-frontier", "reference-frontiers"),
    ),
)

_one_step = characteristic(z, mu, a, Integer(1))

ONE_STEP = Claim(
    id="new-one-step-lag",
    cites=(Cite("Proposition 9", "3.4"),),
    says="For the map with a constant lag of one step the threshold of Eq. 11 is exact: a = 1 - mu.",
    uses=("eq-11",),
    verdict=Status.PROVED,
    because="Of Jury's conditions for z^2 - (1+mu) z + mu + a those at z = 1 and z = -1 always hold, and "
    "the third, that "
    "the multipliers' product mu + a be below 1, is Eq. 11 at K_ref = 1.",
    steps=(
        Identity(
            "product",
            _one_step.subs(z, 0) - Subs(Derivative(_one_step, (z, 2)), z, 0) / 2,
            a - (1 - mu),
            "the multipliers' product less 1 is the excess over Eq. 11",
        ),
        Inequality(
            "at-plus-one",
            S.Zero,
            _one_step.subs(z, 1),
            a,
            strict=True,
            says="no multiplier passes +1",
            assumes=(positive(a),),
        ),
        Inequality(
            "at-minus-one",
            S.Zero,
            _one_step.subs(z, -1),
            2 * (1 + mu) + a,
            strict=True,
            says="nor -1: the loss is a complex pair on the unit circle",
            assumes=(positive(a), nonnegative(mu)),
        ),
        Property(
            "reference-critical-gain",
            "reference.lag.critical_gain(mu, 1, 'constant') is 1 - mu",
            covers="product",
        ),
    ),
    mutants=(
        Mutant("without-momentum", "product", {"rhs": a - 1}),
        Mutant("flip-instead", "at-minus-one", {"large": _one_step.subs(z, -1) - 2 * a - 4, "certificate": 2 * mu - a}),
        Mutant("sign-at-one", "at-plus-one", {"large": -_one_step.subs(z, 1), "certificate": -a}),
    ),
)

# the frontier for all lags: tan(X) tan(omega/2) = (1-mu)/(1+mu), a = (1-mu) sin(omega)/sin(X), X = L omega
_odds = tan(X) * tan(w / 2)
_frontier_rate = (1 - _odds) / (1 + _odds)
_frontier_gain = (1 - _frontier_rate) * sin(w) / sin(X)
_lag = (pi / w - 1) / 2  # without momentum
_damping_share = Symbol("m")  # (1 - mu)/(1 + mu)
_angle_at = atan(_damping_share / tan(w / 2))  # X on the frontier

CONSTANT = Claim(
    id="new-constant-frontier",
    cites=(),
    corrects=("sec-3.6",),
    says="With a constant lag of L >= 1 steps the map first loses stability at a = (1-mu) "
    "sin(omega)/sin(L omega), where "
    "tan(L omega) tan(omega/2) = (1-mu)/(1+mu); without lag at 2(1+mu).",
    formula=equal(a, (1 - mu) * sin(w) / sin(L * w)),
    where={mu: _frontier_rate, L: X / w},
    uses=("new-one-step-lag",),
    verdict=Status.HELD,
    because="a L/(1-mu) is 1 at L = 1 and rises to pi/2: Eq. 11 is never late for L >= 1, and the true gain is up to "
    "57% above it; at L = 2, "
    "mu = 0 the threshold is the golden ratio's 0.618.",
    steps=(
        Identity(
            "frontier-real",
            cos(X + w) + _frontier_rate * cos(X - w) + _frontier_gain,
            (1 + _frontier_rate) * cos(X),
            "a mode exp(i omega k) solves the lagged map: real part",
            assumes=(between(X, 0, Rational(3, 2)),),
        ),
        Identity(
            "frontier-imaginary",
            sin(X + w) + _frontier_rate * sin(X - w),
            (1 + _frontier_rate) * sin(X),
            "and imaginary part",
        ),
        Identity(
            "no-momentum",
            cos((_lag + 1) * w) + 2 * sin(w / 2),
            cos(_lag * w),
            "without momentum omega = pi/(2L+1) and a = 2 sin(omega/2): real part",
        ),
        Identity(
            "no-momentum-imaginary",
            sin((_lag + 1) * w),
            sin(_lag * w),
            "and imaginary part",
        ),
        Identity(
            "two-steps",
            characteristic(z, (1 - a - a**2) / (1 + a), a, Integer(2)),
            (z + a) * (z**2 - (1 + a + (1 - a - a**2) / (1 + a)) * z + 1),
            "at lag 2 a pair has modulus 1 where a^2 + (1+mu) a = 1 - mu",
            assumes=(positive(a),),
        ),
        Identity(
            "golden",
            (2 * sin(pi / 10)) ** 2 + 2 * sin(pi / 10),
            S.One,
            "which without momentum is 2 sin(pi/10) = (sqrt(5)-1)/2",
        ),
        Inequality(
            "two-steps-later-than-eq-11",
            ((1 - mu) / 2) ** 2 + (1 + mu) * (1 - mu) / 2,
            1 - mu,
            (1 - mu) ** 2 / 4,
            says="at Eq. 11's gain (1-mu)/2 the map with lag 2 is still stable, for every mu",
        ),
        Identity(
            "ratio-at-least-one",
            Derivative(L * sin(w) - sin(L * w), w),
            2 * L * sin((L + 1) * w / 2) * sin((L - 1) * w / 2),
            "L sin(omega) - sin(L omega) rises from 0 for L omega < pi/2, so a L/(1-mu) >= 1 for every lag and mu",
        ),
        Identity(
            "ratio-at-most",
            Limit(2 * sin(pi * h / (2 * (2 + h))) / h, h, 0),
            pi / 2,
            "for long lags (h = 1/L) a L tends to pi/2 without momentum",
        ),
        Identity(
            "ratio-at-most-with-momentum",
            Limit(_angle_at * sin(w) / (w * sin(_angle_at)), w, 0, "+"),
            pi / 2,
            "and with it a L/(1-mu) = (X/sin X)(sin(omega)/omega), where X = L omega solves the frontier's equation: "
            "long lags are small omega, at which X rises to pi/2",
            assumes=(positive(_damping_share),),
        ),
        Identity(
            "flip-without-lag",
            Subs(z**2 - (1 + mu - a) * z + mu, z, -1),
            2 * (1 + mu) - a,
            "without lag a multiplier reaches -1 at a = 2(1+mu)",
        ),
        Property(
            "reference-critical-gain",
            "reference.lag.critical_gain has these closed forms",
            covers="frontier-real",
        ),
        Property(
            "first-crossing",
            "the spectral radius of the companion matrix is below 1 just short of this gain and above 1 just past it",
        ),
    ),
    mutants=(
        Mutant("cosine-gain", "frontier-real", {"lhs": cos(X + w) + _frontier_rate * cos(X - w) - _frontier_gain}),
        Mutant("memory-sign", "frontier-imaginary", {"rhs": (1 - _frontier_rate) * sin(X)}),
        Mutant("twice-the-angle", "no-momentum", {"lhs": cos((_lag + 1) * w) + 2 * sin(w)}),
        Mutant("off-by-one-lag", "no-momentum-imaginary", {"rhs": sin((_lag - 1) * w)}),
        Mutant("two-steps-sign", "two-steps", {"rhs": (z - a) * (z**2 - (1 + a) * z + 1)}),
        Mutant("pi-over-six", "golden", {"lhs": (2 * sin(pi / 6)) ** 2 + 2 * sin(pi / 6)}),
        Mutant("one-half", "two-steps-later-than-eq-11", {"small": (1 - mu) ** 2 + (1 + mu) * (1 - mu)}),
        Mutant("ratio-sign", "ratio-at-least-one", {"rhs": -2 * L * sin((L + 1) * w / 2) * sin((L - 1) * w / 2)}),
        Mutant("limit-one", "ratio-at-most", {"rhs": S.One}),
        Mutant("limit-of-the-share", "ratio-at-most-with-momentum", {"rhs": atan(_damping_share)}),
        Mutant("flip-at-one-minus-mu", "flip-without-lag", {"rhs": 2 * (1 - mu) - a}),
        Mutant("eq-11-as-frontier", "first-crossing"),
    ),
)

_touching = (L * (1 + mu) + sqrt(L**2 * (1 - mu) ** 2 + 4 * mu)) / (2 * (L + 1))
_onset = z ** (L - 1) * (1 - z) * (z - mu)

CONSTANT_ONSET = Claim(
    id="new-constant-onset",
    cites=(),
    corrects=("sec-3.6",),
    says="With a constant lag of L steps the slow mode merges with the next one, and ringing begins, at "
    "the largest value "
    "of z^(L-1) (1-z)(z-mu) on mu < z < 1, reached at the larger root of (L+1) z^2 - L(1+mu) z + (L-1) mu.",
    assumes=(positive(z),),
    uses=("eq-11",),
    verdict=Status.PROVED,
    because="(1-sqrt(mu))^2 without lag, L^L/(L+1)^(L+1) without momentum, 1/e = 0.368 of 1/L for long "
    "lags; zeta = 1 says "
    "sqrt(2)-1 = 0.414 there, which is too late: it is not conservative.",
    steps=(
        Identity(
            "real-multipliers",
            characteristic(z, mu, S.Zero, L),
            -_onset,
            "a real z is a multiplier at the gain z^(L-1) (1-z)(z-mu)",
        ),
        Identity(
            "largest",
            Derivative(_onset, z),
            -(z ** (L - 2)) * ((L + 1) * z**2 - L * (1 + mu) * z + (L - 1) * mu),
            "the gain as a function of z is stationary at the quadratic's roots",
        ),
        Identity(
            "touching",
            (L + 1) * _touching**2 + (L - 1) * mu,
            L * (1 + mu) * _touching,
            "the larger root in closed form",
        ),
        Identity(
            "no-lag",
            Subs(_onset, (L, z), (0, sqrt(mu))),
            (1 - sqrt(mu)) ** 2,
            "without lag the merger is at sqrt(mu)",
            assumes=(between(mu, 0, 1),),
        ),
        Identity(
            "no-momentum",
            _onset.subs({mu: 0, z: L / (L + 1)}),
            L**L / (L + 1) ** (L + 1),
            "without momentum at L/(L+1)",
            assumes=(positive(L),),
        ),
        Identity(
            "long-lag",
            Limit((1 + h) ** (-1 - 1 / h), h, 0),
            exp(-1),
            "L times that, with h = 1/L, tends to 1/e",
        ),
        Identity(
            "critically-damped-long-lag",
            Subs((1 - h) ** 2, h, sqrt(2) - 1),
            Subs(2 * h**2, h, sqrt(2) - 1),
            "zeta = 1 for long lags reads (1-x)^2 = 2 x^2 in x = a K_ref/(1-mu): x = sqrt(2) - 1 > 1/e",
        ),
        Property(
            "reference-onset-gain",
            "reference.lag.onset_gain has this closed form",
            covers="touching",
        ),
        Property(
            "zeta-late",
            "at every lag >= 2 without momentum, zeta still exceeds 1 at reference.lag.onset_gain",
            covers="critically-damped-long-lag",
        ),
    ),
    mutants=(
        Mutant("gain-sign", "real-multipliers", {"rhs": _onset}),
        Mutant("lag-off-by-one", "largest", {"rhs": -(z ** (L - 2)) * (L * z**2 - L * (1 + mu) * z + (L - 1) * mu)}),
        Mutant("smaller-discriminant", "touching", {"lhs": (L + 1) * _touching**2 + L * mu}),
        Mutant("without-root", "no-lag", {"rhs": (1 - mu) ** 2}),
        Mutant("power-swapped", "no-momentum", {"rhs": L ** (L + 1) / (L + 1) ** L}),
        Mutant("as-zeta-says", "long-lag", {"rhs": sqrt(2) - 1}),
        Mutant("without-mass", "critically-damped-long-lag", {"rhs": Subs(h**2, h, sqrt(2) - 1)}),
        Mutant("zeta-one-as-onset", "zeta-late"),
    ),
)


def _speed(step: Expr) -> Expr:
    """The velocity `step` steps after a refresh, from (e, v)."""
    return mu**step * V - a * e * (1 - mu**step) / (1 - mu)


def _memory(step: Expr) -> Expr:
    return mu * (1 - mu**step) / (1 - mu)


def _state(step: Expr) -> Expr:
    """The state then."""
    return e + _memory(step) * V - a * e * (step - _memory(step)) / (1 - mu)


_trace = 1 + q - a * (N - W) / (1 - mu)
_determinant = q + a * (W - q * N) / (1 - mu)
_flip = 2 * (1 + q) / (N * (1 + q) - 2 * W)  # a/(1-mu) there
_torus = (1 - q) / (W - q * N)

PERIODIC = Claim(
    id="new-periodic-frontier",
    cites=(),
    corrects=("sec-3.6",),
    says="With the sampling policy copied every N steps the map first loses stability at the smaller of a "
    "flip, a/(1-mu) = "
    "2(1+q)/(N(1+q) - 2S), and a torus, (1-q)/(S - qN), with q = mu^N and S = mu + ... + mu^N.",
    formula=equal(Symbol("a/(1-mu)"), Min(_flip, _torus)),
    assumes=(RATE, nonnegative(n)),
    uses=("eq-11",),
    verdict=Status.PROVED,
    because="Both are at least twice Eq. 11's gain, for every mu and N, by pairing mu^j + mu^(N-j) <= 1 + "
    "mu^N; exactly "
    "twice without momentum.",
    steps=(
        Identity("speed", mu * _speed(n) - a * e, _speed(n + 1), "within a cycle: the velocity, by induction"),
        Identity("state", _state(n) + _speed(n + 1), _state(n + 1), "and the state"),
        Identity("sum", _memory(n) + mu ** (n + 1), _memory(n + 1), "S adds mu^(n+1) each step, from S = mu at n = 1"),
        Identity(
            "determinant",
            (1 - a * (N - W) / (1 - mu)) * q + W * a * (1 - q) / (1 - mu),
            _determinant,
            "determinant of the cycle's matrix",
        ),
        Identity(
            "at-plus-one",
            1 - _trace + _determinant,
            a * N * (1 - q) / (1 - mu),
            "Jury's condition at 1 always holds",
        ),
        Identity(
            "at-minus-one",
            1 + _trace + _determinant,
            2 * (1 + q) - a / (1 - mu) * (N * (1 + q) - 2 * W),
            "at -1 it fails at the flip",
        ),
        Identity(
            "on-the-circle",
            Subs(_determinant, a, (1 - mu) * _torus),
            S.One,
            "the determinant is 1 at the torus",
        ),
        Identity(
            "flip-over-eq-11",
            N * _flip - 2,
            4 * W / (N * (1 + q) - 2 * W),
            "the flip is later than twice Eq. 11 by a positive amount",
        ),
        Identity(
            "torus-over-eq-11",
            N * _torus - 2,
            (N * (1 + q) - 2 * W) / (W - q * N),
            "so is the torus, as N(1+q) >= 2S",
        ),
        Identity(
            "pairs",
            1 + mu**N - mu**j - mu ** (N - j),
            (1 - mu**j) * (1 - mu ** (N - j)),
            "which follows by pairing the terms of S: each pair is at most 1 + q",
            assumes=(integer(j, 0), integer(N, 1), where(j <= N)),
        ),
        Identity("no-momentum", Subs(_trace, (mu, q, W), (0, 0, 0)), 1 - a * N, "without momentum a N = 2 exactly"),
        Property(
            "reference-period-map",
            "reference.lag.period_map, in exact arithmetic, has this trace and determinant",
            kind="exact",
            covers="determinant",
        ),
        Property(
            "reference-critical-gain",
            "reference.lag.critical_gain for the periodic schedule is the smaller of the two",
            covers="at-minus-one",
        ),
    ),
    mutants=(
        Mutant("force-refreshed", "speed", {"lhs": mu * _speed(n) - a * _state(n)}),
        Mutant("old-speed", "state", {"lhs": _state(n) + _speed(n)}),
        Mutant("sum-from-zero", "sum", {"lhs": _memory(n) + mu**n}),
        Mutant("determinant-sign", "determinant", {"rhs": q - a * (W - q * N) / (1 - mu)}),
        Mutant("without-interval", "at-plus-one", {"rhs": a * (1 - q) / (1 - mu)}),
        Mutant("eq-11", "at-minus-one", {"rhs": 2 * (1 + q) - a / (1 - mu) * N}),
        Mutant("torus-without-q", "on-the-circle", {"lhs": Subs(_determinant, a, (1 - mu) / W)}),
        Mutant("flip-earlier", "flip-over-eq-11", {"rhs": -4 * W / (N * (1 + q) - 2 * W)}),
        Mutant("torus-earlier", "torus-over-eq-11", {"rhs": (2 * W - N * (1 + q)) / (W - q * N)}),
        Mutant("sum-of-factors", "pairs", {"rhs": (1 + mu**j) * (1 - mu ** (N - j))}),
        Mutant("half-interval", "no-momentum", {"rhs": 1 - a * N / 2}),
    ),
)

root_of_n = Symbol("sqrt(N)")
root_of_s = Symbol("sqrt(S)")
_periodic_onset = (1 - mu) * (1 - q) / (sqrt(N) + sqrt(W)) ** 2

PERIODIC_ONSET = Claim(
    id="new-periodic-onset",
    cites=(),
    corrects=("sec-3.6",),
    says="With momentum, 0 < mu < 1, and the sampling policy copied every N steps ringing begins at a = "
    "(1-mu)(1-q)/(sqrt(N) + sqrt(S))^2; without momentum, where the cycle has one multiplier 1 - N a, beyond a = 1/N.",
    uses=("new-periodic-frontier",),
    verdict=Status.PROVED,
    because="There the cycle's two multipliers merge at a positive value; a N/(1-mu) tends to 1 from "
    "below as slowly as "
    "1 - 2 sqrt(S/N), against 0.414 for zeta = 1: for periodic refresh, unlike constant lag, zeta = 1 is "
    "conservative "
    "(by a factor 1 to 4.2).",
    steps=(
        Identity(
            "merger",
            _trace.subs(a, _periodic_onset) ** 2,
            4 * _determinant.subs(a, _periodic_onset),
            "trace^2 = 4 determinant: a double multiplier",
        ),
        Inequality(
            "merger-positive",
            S.Zero,
            (1 + q - (1 - q) * (root_of_n**2 - root_of_s**2) / (root_of_n + root_of_s) ** 2) / 2,
            (root_of_s + q * root_of_n) / (root_of_n + root_of_s),
            strict=True,
            assumes=(positive(root_of_n), positive(root_of_s), positive(q)),
            says="which is positive, so that the modes were monotone until then",
        ),
        Identity(
            "no-lag",
            _periodic_onset.subs({N: 1, q: mu, W: mu}),
            (1 - sqrt(mu)) ** 2,
            "an interval of one step is no lag",
            assumes=(between(mu, 0, 1),),
        ),
        Identity(
            "slow-approach",
            Subs(Derivative(1 / (1 + h) ** 2, h), h, 0),
            Integer(-2),
            "a N/(1-mu) is (1-q)/(1+h)^2 with h = sqrt(S/N): short of 1 by 2h",
        ),
        Property(
            "reference-onset-gain",
            "reference.lag.onset_gain for the periodic schedule has this closed form",
            covers="merger",
        ),
        Property(
            "zeta-early",
            "reference.lag.onset_gain for the periodic schedule is never below the gain of zeta = 1",
            covers="slow-approach",
        ),
    ),
    mutants=(
        Mutant("roots-subtracted", "merger", {"lhs": (_trace.subs(a, _periodic_onset.subs(W, W / 4))) ** 2}),
        Mutant(
            "roots-minus", "merger-positive", {"certificate": (q * root_of_n - root_of_s) / (root_of_n + root_of_s)}
        ),
        Mutant("no-lag-without-root", "no-lag", {"rhs": (1 - mu) ** 2}),
        Mutant("first-power", "slow-approach", {"rhs": S.NegativeOne}),
        Mutant("constant-lag", "zeta-early"),
    ),
)

CLAIMS = (
    EQ_11,
    PROP_9,
    GROWTH,
    SEC_3_6,
    ONE_STEP,
    CONSTANT,
    CONSTANT_ONSET,
    PERIODIC,
    PERIODIC_ONSET,
    *stiffest.CLAIMS,
    *stale.CLAIMS,
)
