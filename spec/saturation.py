"""Saturation: the single exponential as an overdamped limit, and the second-order law (Eq. 13-17, Cor. 13, Prop. 14).

Above critical damping zeta = cosh(b), so that the poles are -omega_n exp(-b) and -omega_n exp(b).
"""

from sympy import (
    And,
    Derivative,
    Expr,
    Integer,
    Le,
    Limit,
    Rational,
    S,
    Subs,
    Symbol,
    cos,
    cosh,
    cot,
    coth,
    exp,
    log,
    sin,
    sinh,
    sqrt,
    tanh,
)

from spec import laws_apart
from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import above, between, nonnegative, positive
from spec.oscillator import coefficient
from spec.relation import equal
from spec.symbols import R_0, C_eff, K, K_eff, K_ref, M_eff, R_inf, a, eta, mu, omega_n, t, tau, zeta

lam = Symbol("lambda")  # the rate of Eq. 14
M = Symbol("M")  # model size
b = Symbol("b")  # zeta = cosh(b)
theta = Symbol("theta")  # time in units of C/K
phi = Symbol("phi")  # zeta = cos(phi) below critical damping
k = Symbol("k")

# what the paper prints
LAW_13 = R_inf * (1 - exp(-t / M ** Rational(3, 10)))
LAW_14 = R_inf - (R_inf - R_0) * exp(-lam * t)
RATE_14 = K_eff / C_eff
TIMESCALE = ((1 - mu) - K * eta * K_ref) / (eta * K)
BEND_14 = 1 / omega_n
SHAPE_17 = 1 - (1 + omega_n * t) * exp(-omega_n * t)
LAW_16 = R_inf * (1 - (1 + omega_n * t) * exp(-omega_n * t))

# what the oscillator does from rest: e/e(0), with e'' + 2 zeta omega_n e' + omega_n^2 e = 0
at_rest = exp(-omega_n * t * cosh(b)) * (cosh(omega_n * t * sinh(b)) + coth(b) * sinh(omega_n * t * sinh(b)))
ringing = exp(-omega_n * t * cos(phi)) * (cos(omega_n * t * sin(phi)) + cot(phi) * sin(omega_n * t * sin(phi)))
_r = Symbol("r")  # sinh(b)
near_critical = exp(-omega_n * sqrt(1 + _r**2)) * (
    cosh(omega_n * _r) + sqrt(1 + _r**2) * sinh(omega_n * _r) / _r
)  # the same at t = 1 with zeta = sqrt(1 + r^2)

FAR = "zeta -> infinity, the zeta >> 1 of the proof"
slow_over_first_order = 2 * zeta * (zeta - sqrt(zeta**2 - 1))  # slow pole over K/C = omega_n/(2 zeta)

COR_13 = Claim(
    id="corollary-13",
    cites=(Cite("Corollary 13", "3.5"),),
    says="For zeta >= 1 the mean reward relaxes at lambda = K/C, with time constant [(1-mu) - K eta K_ref]/(eta K), "
    "and reduces to (13) where R_0 is small.",
    formula=equal(1 / lam, 1 / RATE_14),
    where={C_eff: coefficient(1).subs(tau, K_ref), K_eff: K},
    uses=("eq-9", "prop-8"),
    verdict=Status.NARROWED,
    because="The slow pole over K/C is 2 zeta/(zeta + sqrt(zeta^2-1)): exactly 2 at zeta = 1 and 5/4 at zeta = "
    "5/4; only zeta -> infinity gives 1, with an error of 1/(4 zeta^2).",
    steps=(
        Identity(
            "time-constant",
            1 / RATE_14.subs({C_eff: coefficient(1).subs(tau, K_ref), K_eff: K}),
            TIMESCALE,
            "C/K from the update's own characteristic function",
            assumes=(positive(eta), positive(K)),
        ),
        Identity(
            "slow-pole-over-first-order",
            slow_over_first_order,
            2 * zeta / (zeta + sqrt(zeta**2 - 1)),
            "s_1 = -omega_n (zeta - sqrt(zeta^2-1)) over K/C = omega_n/(2 zeta)",
            assumes=(above(zeta, 1),),
        ),
        Identity(
            "by-the-poles",
            2 * cosh(b) * (cosh(b) - sinh(b)),
            1 + exp(-2 * b),
            "with zeta = cosh(b), sqrt(zeta^2-1) = sinh(b): the excess is the ratio of the slow to the fast pole",
            assumes=(positive(b),),
        ),
        Counterexample(
            "factor-two",
            equal(slow_over_first_order, 1),
            {zeta: Integer(1)},
            slow_over_first_order - 1,
            Integer(1),
            "at the edge of the stated regime the run relaxes twice as fast",
            minimal="the smallest damping ratio that the statement allows",
            assumes=(),
        ),
        Counterexample(
            "a-quarter-off",
            equal(slow_over_first_order, 1),
            {zeta: Rational(5, 4)},
            slow_over_first_order - 1,
            Rational(1, 4),
            "inside the regime too",
            minimal="the smallest zeta > 1 with a pole that is a whole multiple of omega_n",
        ),
        Identity(
            "far-overdamped",
            Limit(2 / (1 + sqrt(1 - k**2)), k, 0),
            Integer(1),
            "k = 1/zeta",
            under=FAR,
        ),
        Property(
            "reference-slow-pole",
            "the slow pole of reference.oscillator.poles over K/C",
            covers="slow-pole-over-first-order",
        ),
    ),
    mutants=(
        Mutant("lag-sign", "time-constant", {"rhs": ((1 - mu) + K * eta * K_ref) / (eta * K)}),
        Mutant("fast-pole", "slow-pole-over-first-order", {"lhs": 2 * zeta * (zeta + sqrt(zeta**2 - 1))}),
        Mutant("fourth-power", "by-the-poles", {"rhs": 1 + exp(-4 * b)}),
        Mutant("factor-claimed", "factor-two", {"statement": equal(slow_over_first_order, 2)}),
        Mutant(
            "excess-claimed",
            "a-quarter-off",
            {"statement": equal(slow_over_first_order, 2 * zeta / (zeta + sqrt(zeta**2 - 1)))},
        ),
        Mutant("two-at-infinity", "far-overdamped", {"rhs": Integer(2)}),
        Mutant("natural-frequency", "reference-slow-pole"),
    ),
    reply="The proof says zeta >> 1, and the law's shape, a single exponential once the fast mode is gone, is "
    "right at every zeta > 1; it is the rate that is off.",
)

# the response in units of C/K: theta = t K/C, omega_n t = 2 theta cosh(b)
_in_theta = {t: 2 * theta * cosh(b) / omega_n}
response = at_rest.subs(_in_theta)
epsilon = 1 / (4 * cosh(b) ** 2)  # 1/(4 zeta^2) = M K/C^2
speed = 2 * coth(b) * exp(-2 * theta * cosh(b) ** 2) * sinh(theta * sinh(2 * b))
error = response - exp(-theta)
_q, _x = Symbol("q"), Symbol("x")  # exp(-2b), and theta/q, time in units of the fast pole
by_poles = (exp(-theta * (1 + _q)) - _q * exp(-theta * (1 + _q) / _q)) / (1 - _q)
_sharp = (by_poles.subs(theta, _q * _x) - exp(-_q * _x)) * (1 + _q) ** 2 / _q
_DAMPED = (positive(b), positive(theta))

EQ_14 = Claim(
    id="eq-14",
    cites=(Cite("Equation 14", "3.5"),),
    says="For zeta >= 1, from rest, R(t) = R_inf - (R_inf - R_0) exp(-lambda t).",
    formula=equal(Symbol("R"), LAW_14),
    uses=("corollary-13",),
    verdict=Status.NARROWED,
    because="It solves the first-order law exactly, but from rest the second-order response starts flat, R'(0) = "
    "0 instead of lambda (R_inf - R_0), at every zeta; the curves meet only as zeta -> infinity.",
    steps=(
        Identity(
            "first-order-flow",
            Derivative(LAW_14, t),
            lam * (R_inf - LAW_14),
            "C R' = K (R_inf - R) with lambda = K/C",
        ),
        Identity("start", Subs(LAW_14, t, 0), R_0, "R(0) = R_0"),
        Identity(
            "slow-mode",
            Limit(exp(-theta * (1 + _q)) / (1 - _q), _q, 0),
            exp(-theta),
            "the slow mode of the response, amplitude and rate, tends to Eq. 14",
            under=FAR,
        ),
        Counterexample(
            "starts-flat",
            equal(Subs(Derivative(by_poles, theta), theta, 0), Subs(Derivative(exp(-theta), theta), theta, 0)),
            {_q: Rational(1, 4)},
            1 + Subs(Derivative(by_poles, theta), theta, 0),
            Integer(1),
            "e/e(0) in units of C/K at zeta = 5/4: slope 0 against -1",
            minimal="any zeta does; these poles are -1/2 and -2 in units of omega_n",
        ),
        Property(
            "reference-law",
            "reference.laws.single_exponential",
            covers="first-order-flow",
        ),
    ),
    mutants=(
        Mutant("growing", "first-order-flow", {"lhs": Derivative(R_inf - (R_inf - R_0) * exp(lam * t), t)}),
        Mutant("offset-lost", "start", {"lhs": Subs(R_inf - R_inf * exp(-lam * t), t, 0)}),
        Mutant("offset-sign", "start", {"lhs": Subs(R_inf + (R_inf - R_0) * exp(-lam * t), t, 0)}),
        Mutant("double-rate", "slow-mode", {"rhs": exp(-2 * theta)}),
        Mutant(
            "flat-claimed",
            "starts-flat",
            {"statement": equal(Subs(Derivative(by_poles, theta), theta, 0), 0)},
        ),
        Mutant("rate-doubled", "reference-law"),
    ),
    reply="After the fast mode has gone the difference is a small shift; it is never more than 1/(4 zeta^2) of the "
    "rise.",
)

_error = Symbol("(R_14-R)/(R_inf-R_0)")

NEW_ERROR = Claim(
    id="new-saturation-error",
    cites=(),
    corrects=("corollary-13", "eq-14"),
    says="From rest the second-order response differs from (14) by at most (R_inf - R_0)/(4 zeta^2), at every time "
    "and for every zeta >= 1, and no smaller multiple of 1/zeta^2 will do.",
    formula=And(Le(-1 / (4 * zeta**2), _error), Le(_error, 1 / (4 * zeta**2))),
    where={_error: error, zeta: cosh(b)},
    assumes=_DAMPED,
    uses=("eq-14",),
    verdict=Status.PROVED,
    because="With eps = 1/(4 zeta^2), theta = t K/C, p = -e': eps p' = e - p keeps 0 <= p <= 1, and e - exp(-theta) = "
    "eps (p minus its own exponential mean), between -eps and eps; the largest error is 0.56 eps at zeta = 1, 0.98 "
    "eps at zeta = 10.",
    steps=(
        Identity(
            "equation",
            epsilon * Derivative(response, theta, 2),
            -Derivative(response, theta) - response,
            "M e'' + C e' + K e = 0 in units of C/K",
        ),
        Identity("speed", -Derivative(response, theta), speed, "p = -e'; e(0) = 1 and p(0) = 0"),
        Inequality("falls", S.Zero, speed, speed, strict=True, says="p > 0, so that e <= 1"),
        Identity(
            "speed-below-one",
            Derivative(exp(theta / epsilon) * (1 - speed), theta),
            exp(theta / epsilon) * (1 - response) / epsilon,
            "starts at 1 and grows, because e <= 1: hence p <= 1",
        ),
        Identity(
            "from-above",
            Derivative(exp(theta) * (epsilon * speed - error), theta),
            epsilon * exp(theta) * speed,
            "starts at 0 and grows: hence error <= eps p <= eps",
        ),
        Identity(
            "from-below",
            Derivative(exp(theta) * (error - epsilon * speed + epsilon * (1 - response)), theta),
            epsilon * exp(theta) * (1 - response),
            "starts at 0 and grows: hence error >= eps p - eps (1 - e) >= -eps",
        ),
        Identity(
            "by-its-poles",
            response.subs(b, -log(_q) / 2),
            by_poles,
            "the same response, with q = exp(-2b) the ratio of the poles",
            assumes=(between(_q, 0, 1),),
        ),
        Identity(
            "sharp",
            Limit(_sharp, _q, 0),
            1 - exp(-_x),
            "error over eps at theta = q x, as zeta -> infinity: as near to 1 as x is large",
            assumes=(positive(_x),),
        ),
        Property(
            "reference-bound",
            "the reference response against the reference exponential at all times, zeta = 1 included",
            covers="from-above",
        ),
    ),
    mutants=(
        Mutant("half-the-mass", "equation", {"lhs": epsilon / 2 * Derivative(response, theta, 2)}),
        Mutant("tanh-for-coth", "speed", {"rhs": speed * tanh(b) ** 2}),
        Mutant("faster-fall", "falls", {"small": Integer(2)}),
        Mutant(
            "twice-the-speed", "speed-below-one", {"lhs": Derivative(exp(theta / epsilon) * (1 - 2 * speed), theta)}
        ),
        Mutant("half-the-bound", "from-above", {"lhs": Derivative(exp(theta) * (epsilon / 2 * speed - error), theta)}),
        Mutant("without-the-rest", "from-below", {"lhs": Derivative(exp(theta) * (error - epsilon * speed), theta)}),
        Mutant("poles-swapped", "by-its-poles", {"lhs": response.subs(b, -log(_q))}),
        Mutant("half-sharp", "sharp", {"rhs": (1 - exp(-_x)) / 2}),
        Mutant("half-of-it", "reference-bound"),
    ),
)

EQ_13 = Claim(
    id="eq-13",
    cites=(Cite("Equation 13", "3.5"),),
    says="R = R_inf (1 - exp(-t/M^0.3)) is Eq. 14 with R_0 = 0 and time constant M^0.3; for R_0 > 0 it differs by "
    "at most R_0.",
    formula=equal(Symbol("R"), LAW_13),
    assumes=(positive(M), positive(t), positive(R_0)),
    uses=("eq-14",),
    verdict=Status.PROVED,
    because="Dropping R_0 costs R_0 exp(-lambda t), all of R_0 at the start; whether published runs follow the law "
    "is a measurement of other authors, not decided here.",
    steps=(
        Identity(
            "first-order-flow",
            M ** Rational(3, 10) * Derivative(LAW_13, t),
            R_inf - LAW_13,
            "a relaxation with time constant M^0.3",
        ),
        Identity(
            "dropped-start",
            LAW_14.subs(lam, M ** Rational(-3, 10)) - LAW_13,
            R_0 * exp(-t / M ** Rational(3, 10)),
            "what dropping R_0 costs",
        ),
        Inequality(
            "at-most-the-start",
            R_0 * exp(-lam * t),
            R_0,
            2 * R_0 * exp(-lam * t / 2) * sinh(lam * t / 2),
            strict=True,
            assumes=(positive(lam),),
        ),
        Property("reference-law", "reference.laws.single_exponential_from_zero", covers="first-order-flow"),
    ),
    mutants=(
        Mutant("other-exponent", "first-order-flow", {"lhs": M ** Rational(7, 10) * Derivative(LAW_13, t)}),
        Mutant("sign", "first-order-flow", {"rhs": R_inf + LAW_13}),
        Mutant("half-the-start", "dropped-start", {"rhs": R_0 * exp(-t / M ** Rational(3, 10)) / 2}),
        Mutant("decayed-start", "at-most-the-start", {"large": R_0 * exp(-2 * lam * t)}),
        Mutant("kept-start", "reference-law"),
    ),
)

_plain_timescale = coefficient(1) / K  # C/K
_AT_ONCE = {mu: 0, tau: 0}

EQ_15 = Claim(
    id="eq-15",
    cites=(Cite("Equation 15", "3.5"),),
    says="At mu = K_ref = 0 the time constant grows as M^0.3 if and only if K falls as M^-0.3/eta.",
    formula=equal(Symbol("tau_13"), 1 / (eta * K)),
    assumes=(positive(M), positive(eta), positive(k)),
    uses=("corollary-13",),
    verdict=Status.PROVED,
    because="The time constant is 1/(eta K) there and inversion is one to one; it is a change of variable, which "
    "explains the exponent only once K(M) is measured by other means.",
    steps=(
        Identity(
            "time-constant",
            _plain_timescale.subs(_AT_ONCE),
            1 / (eta * K),
            "C/K from the update at mu = tau = 0",
            assumes=(positive(K),),
        ),
        Identity(
            "from-stiffness",
            _plain_timescale.subs(_AT_ONCE).subs(K, k / (eta * M ** Rational(3, 10))),
            M ** Rational(3, 10) / k,
            "K = k M^-0.3/eta gives a time constant proportional to M^0.3",
        ),
        Identity(
            "to-stiffness",
            Subs(1 / (eta * tau), tau, M ** Rational(3, 10) / k),
            k * M ** Rational(-3, 10) / eta,
            "and back: K = 1/(eta time constant)",
        ),
        Identity(
            "exponent",
            M * Derivative(log(_plain_timescale.subs(_AT_ONCE).doit().subs(K, k / (eta * M ** Rational(3, 10)))), M),
            Rational(3, 10),
            "d log(time constant)/d log M",
        ),
        Property("reference-exponent", "the same from reference.oscillator.coefficients", covers="exponent"),
    ),
    mutants=(
        Mutant("rate", "time-constant", {"rhs": eta * K}),
        Mutant("stiffness-up", "from-stiffness", {"rhs": M ** Rational(-3, 10) / k}),
        Mutant("rate-missing", "to-stiffness", {"rhs": k * M ** Rational(-3, 10)}),
        Mutant("exponent-sign", "exponent", {"rhs": Rational(-3, 10)}),
        Mutant("with-lag", "reference-exponent"),
    ),
)

_lagged = TIMESCALE.subs(K, k / (eta * M ** Rational(3, 10)))

NEW_EXPONENT = Claim(
    id="new-lagged-size-exponent",
    cites=(Cite("Equation 15", "3.5"), Cite("Corollary 13", "3.5")),
    says="With refresh lag the time constant plus K_ref is (1-mu)/(eta K); if K falls as M^-0.3 its exponent in M "
    "is 0.3 (1 + K_ref/time constant), not 0.3.",
    assumes=(positive(M), positive(eta), positive(k), positive(K)),
    uses=("corollary-13",),
    verdict=Status.PROVED,
    because="Momentum leaves the exponent alone, a lag raises it: at a time constant equal to the lag it doubles "
    "to 0.6, and it has no limit as the threshold of Eq. 11 is approached.",
    steps=(
        Identity("lag-shifts-it", TIMESCALE + K_ref, (1 - mu) / (eta * K), "the time constant of Corollary 13"),
        Identity(
            "exponent",
            M * Derivative(log(_lagged), M),
            Rational(3, 10) * (1 + K_ref / _lagged),
            "d log(time constant)/d log M",
        ),
        Property("reference-exponent", "from reference.oscillator.coefficients with lag", covers="exponent"),
    ),
    mutants=(
        Mutant("lag-sign", "lag-shifts-it", {"lhs": TIMESCALE - K_ref}),
        Mutant("unshifted", "exponent", {"rhs": Rational(3, 10)}),
        Mutant("without-lag", "reference-exponent"),
    ),
)

_slope_14 = R_inf * omega_n**2 * t * exp(-omega_n * t)  # printed in the proof

PROP_14 = Claim(
    id="prop-14",
    cites=(Cite("Proposition 14", "3.5"),),
    says="The critically damped response from rest starts flat and bends at t* = 1/omega_n; above, the response is "
    "that of the poles -omega_n (zeta -+ sqrt(zeta^2-1)).",
    formula=equal(Symbol("t_star"), BEND_14),
    uses=("eq-10",),
    verdict=Status.PROVED,
    because="R' = R_inf omega_n^2 t exp(-omega_n t) rises up to t* = 1/omega_n, where R is 1 - 2/e = 26.4% of the "
    "plateau, and falls after; how late that is in steps is another matter (new-slow-start-bound).",
    steps=(
        Identity(
            "slow-pole",
            (omega_n * (zeta - sqrt(zeta**2 - 1))) ** 2 + omega_n**2,
            2 * zeta * omega_n * omega_n * (zeta - sqrt(zeta**2 - 1)),
            "s_1 solves s^2 + 2 zeta omega_n s + omega_n^2",
        ),
        Identity(
            "fast-pole",
            (omega_n * (zeta + sqrt(zeta**2 - 1))) ** 2 + omega_n**2,
            2 * zeta * omega_n * omega_n * (zeta + sqrt(zeta**2 - 1)),
        ),
        Identity(
            "general-response",
            Derivative(at_rest, t, 2),
            -2 * omega_n * cosh(b) * Derivative(at_rest, t) - omega_n**2 * at_rest,
            "the two-exponential response obeys the oscillator with zeta = cosh(b)",
            assumes=(positive(b),),
        ),
        Identity(
            "repeated-pole",
            Limit(near_critical, _r, 0),
            1 - SHAPE_17.subs(t, 1),
            "as the two poles merge, r = sinh(b) -> 0 (t = 1: omega_n carries the time)",
        ),
        Identity("slope", Derivative(R_inf * SHAPE_17, t), _slope_14, "as printed; 0 at t = 0"),
        Identity(
            "bend",
            Derivative(R_inf * SHAPE_17, t, 2),
            R_inf * omega_n**2 * (1 - omega_n * t) * exp(-omega_n * t),
            "changes sign once, at t = 1/omega_n",
        ),
        Identity(
            "level-at-the-bend",
            Subs(SHAPE_17, t, BEND_14),
            1 - 2 * exp(-1),
            "26.4% of the rise is over when the rapid phase is at its steepest",
            assumes=(positive(omega_n),),
        ),
        Property("reference-inflection", "reference.oscillator.inflection_time at zeta = 1", covers="bend"),
        Property("reference-response", "reference.oscillator.response from rest", covers="general-response"),
    ),
    mutants=(
        Mutant("no-root", "slow-pole", {"lhs": (omega_n * zeta) ** 2 + omega_n**2}),
        Mutant("plus-one", "fast-pole", {"lhs": (omega_n * (zeta + sqrt(zeta**2 + 1))) ** 2 + omega_n**2}),
        Mutant(
            "half-the-damping",
            "general-response",
            {"rhs": -omega_n * cosh(b) * Derivative(at_rest, t) - omega_n**2 * at_rest},
        ),
        Mutant("single-pole", "repeated-pole", {"rhs": exp(-omega_n)}),
        Mutant("minus-one", "slope", {"lhs": Derivative(R_inf * (1 - (1 - omega_n * t) * exp(-omega_n * t)), t)}),
        Mutant("twice-as-late", "bend", {"rhs": R_inf * omega_n**2 * (2 - omega_n * t) * exp(-omega_n * t)}),
        Mutant("half-way", "level-at-the-bend", {"rhs": S.Half}),
        Mutant("overdamped", "reference-inflection"),
        Mutant("from-a-push", "reference-response"),
    ),
)

_omega = sqrt(K_eff / M_eff)


def _oscillates(law: Expr) -> tuple[Expr, Expr]:
    """M R'' + C R' = K (R_inf - R) at C = 2 sqrt(K M), with omega_n = sqrt(K/M): both sides."""
    curve = law.subs(omega_n, _omega)
    left = M_eff * Derivative(curve, t, 2) + 2 * sqrt(K_eff * M_eff) * Derivative(curve, t)
    return left, K_eff * (R_inf - curve)


_PLANT = (positive(M_eff), positive(K_eff))
_scaled = Symbol("c_r")
_shifted = Symbol("d_r")

EQ_16 = Claim(
    id="eq-16",
    cites=(Cite("Equation 16", "3.5"),),
    says="From rest at reward R_0 the critically damped run is R = R_inf [1 - (1 + omega_n t) exp(-omega_n t)] with "
    "omega_n = sqrt(K/M).",
    formula=equal(Symbol("R"), LAW_16),
    assumes=_PLANT,
    uses=("prop-14",),
    verdict=Status.NARROWED,
    because="It solves Eq. 8 at zeta = 1 but starts at R = 0: with R_0 = R_inf/5 it is wrong by all of R_0 at "
    "t = 0; the caption of Figure 1 and Eq. 17 carry R_0.",
    steps=(
        Identity("solves-the-oscillator", *_oscillates(LAW_16), "Eq. 8 without noise, at C = 2 sqrt(K M)"),
        Identity(
            "from-rest",
            Subs(Derivative(LAW_16 + R_inf * omega_n * t, t), t, 0),
            R_inf * omega_n,
            "R'(0) = 0, so that R + R_inf omega_n t starts with the second term's slope",
        ),
        Counterexample(
            "wrong-start",
            equal(LAW_16, R_0),
            {R_0: Rational(1, 5), R_inf: Integer(1), omega_n: Integer(1), t: Integer(0)},
            R_0 - LAW_16,
            Rational(1, 5),
            "R(0) = 0 although the section starts the run at R_0",
            minimal="t = 0; any R_0 other than 0 does",
        ),
        Identity(
            "from-zero",
            Limit(R_inf * (1 - near_critical), _r, 0),
            LAW_16.subs(t, 1),
            "the oscillator's own response from rest at reward 0, as zeta -> 1 (t = 1)",
            under="R_0 = 0",
        ),
        Property("reference-law", "reference.laws.critically_damped_from_zero", covers="solves-the-oscillator"),
    ),
    mutants=(
        Mutant(
            "sign-in-the-bracket",
            "from-rest",
            {
                "lhs": Subs(
                    Derivative(R_inf * (1 - (1 - omega_n * t) * exp(-omega_n * t)) + R_inf * omega_n * t, t), t, 0
                )
            },
        ),
        Mutant(
            "other-rate",
            "solves-the-oscillator",
            {"lhs": _oscillates(R_inf * (1 - (1 + omega_n * t) * exp(-2 * omega_n * t)))[0]},
        ),
        Mutant("growing", "from-zero", {"rhs": R_inf * (1 - (1 + omega_n) * exp(omega_n))}),
        Mutant(
            "starts-at-zero",
            "wrong-start",
            {"at": {R_0: Integer(0), R_inf: Integer(1), omega_n: Integer(1), t: Integer(0)}},
        ),
        Mutant("with-offset", "reference-law"),
    ),
    reply="The next display, Eq. 17, has the offset, and the fits use it; Eq. 16 is the case R_0 << R_inf of Eq. 13.",
)

_law_17 = R_0 + (R_inf - R_0) * SHAPE_17

EQ_17 = Claim(
    id="eq-17",
    cites=(Cite("Equation 17", "3.5"),),
    says="(R - R_0)/(R_inf - R_0) = 1 - (1 + omega_n t) exp(-omega_n t), free of the reward's scale and offset.",
    formula=equal(Symbol("(R-R_0)/(R_inf-R_0)"), SHAPE_17),
    uses=("prop-14",),
    verdict=Status.PROVED,
    because="It is the critically damped response from rest at R_0; what is left to differ between runs is "
    "omega_n, so curves fall on one another only after time is rescaled as well.",
    steps=(
        Identity("solves-the-oscillator", *_oscillates(_law_17), "at C = 2 sqrt(K M)", assumes=_PLANT),
        Identity("start", Subs(_law_17, t, 0), R_0),
        Identity(
            "flat-start",
            Subs(Derivative(_law_17, (t, 2)), t, 0),
            omega_n**2 * (R_inf - R_0),
            "M R'' = K (R_inf - R_0) at t = 0, so that C R' = 0 there",
        ),
        Identity(
            "scale-and-offset",
            ((_scaled * _law_17 + _shifted) - (_scaled * R_0 + _shifted))
            / ((_scaled * R_inf + _shifted) - (_scaled * R_0 + _shifted)),
            SHAPE_17,
            "another unit and zero of the reward give the same curve",
            assumes=(positive(_scaled),),
        ),
        Property("reference-law", "reference.laws.critically_damped", covers="solves-the-oscillator"),
    ),
    mutants=(
        Mutant(
            "sign-in-the-bracket",
            "solves-the-oscillator",
            {"lhs": _oscillates(R_0 + (R_inf - R_0) * (1 - (1 - omega_n * t) * exp(-omega_n * t)))[0]},
        ),
        Mutant("from-a-push", "flat-start", {"rhs": omega_n**2 * R_inf}),
        Mutant("from-zero", "start", {"lhs": Subs(LAW_16, t, 0)}),
        Mutant("offset-kept", "scale-and-offset", {"lhs": (_scaled * _law_17) / (_scaled * (R_inf - R_0))}),
        Mutant("other-frequency", "reference-law"),
    ),
)

bend = b / (omega_n * sinh(b))

NEW_INFLECTION = Claim(
    id="new-inflection-time",
    cites=(Cite("Proposition 14", "3.5"),),
    says="At any zeta > 1 the response from rest bends once, at acosh(zeta)/(omega_n sqrt(zeta^2-1)), and at "
    "acos(zeta)/(omega_n sqrt(1-zeta^2)) first below 1; in units of the time constant C/K that is b/sinh(2b), zeta "
    "= cosh(b), at most 1/2.",
    assumes=(positive(b),),
    uses=("prop-14",),
    verdict=Status.PROVED,
    because="1/omega_n is the limit zeta -> 1; at zeta = 10 the bend is at 0.30/omega_n, 1.5% of the time constant: "
    "deep in the overdamped regime there is no slow start to see.",
    steps=(
        Identity(
            "overdamped",
            Derivative(at_rest, t, 2),
            -(omega_n**2) * exp(-omega_n * t * cosh(b)) * sinh(b - omega_n * t * sinh(b)) / sinh(b),
            "changes sign once, at omega_n t sinh(b) = b",
        ),
        Identity(
            "ringing",
            Derivative(ringing, t, 2),
            -(omega_n**2) * exp(-omega_n * t * cos(phi)) * sin(phi - omega_n * t * sin(phi)) / sin(phi),
            "first at omega_n t sin(phi) = phi, zeta = cos(phi)",
            assumes=(between(phi, 0, Rational(3, 2)),),
        ),
        Identity("critical", Limit(b / sinh(b), b, 0), Integer(1), "1/omega_n at zeta = 1"),
        Identity(
            "in-time-constants",
            bend * omega_n / (2 * cosh(b)),
            b / sinh(2 * b),
            "times K/C = omega_n/(2 zeta)",
            assumes=(positive(omega_n),),
        ),
        Identity(
            "at-most-half",
            Derivative(sinh(2 * b) - 2 * b, b),
            4 * sinh(b) ** 2,
            "sinh(2b) - 2b starts at 0 and grows, so that b/sinh(2b) <= 1/2",
        ),
        Property("reference-inflection", "reference.oscillator.inflection_time at any damping", covers="overdamped"),
    ),
    mutants=(
        Mutant(
            "critical-everywhere",
            "overdamped",
            {"rhs": -(omega_n**2) * exp(-omega_n * t * cosh(b)) * sinh(b - omega_n * t * b) / sinh(b)},
        ),
        Mutant(
            "hyperbolic",
            "ringing",
            {"rhs": -(omega_n**2) * exp(-omega_n * t * cos(phi)) * sin(phi + omega_n * t * sin(phi)) / sin(phi)},
        ),
        Mutant("half", "critical", {"rhs": S.Half}),
        Mutant("double", "in-time-constants", {"rhs": 2 * b / sinh(2 * b)}),
        Mutant("slower-growth", "at-most-half", {"rhs": 2 * sinh(b) ** 2}),
        Mutant("one-over-omega", "reference-inflection"),
    ),
)

_mass, _damping = coefficient(2), coefficient(1)
gain_at_zeta_one = (1 - mu) ** 2 / (2 * (1 + mu))

NEW_FREQUENCY = Claim(
    id="new-no-free-frequency",
    cites=(),
    corrects=("eq-16",),
    says="Critical damping leaves omega_n no freedom: without lag zeta = 1 forces omega_n = (1-mu)/(1+mu) per step, "
    "whatever eta and K.",
    assumes=(positive(eta),),
    uses=("eq-9",),
    verdict=Status.PROVED,
    because="1/omega_n is 19 steps at mu = 0.9 and 1 step without momentum; a fit of Eq. 16 with omega_n free, "
    "hundreds of steps slow, is not the law of those hyperparameters, and zeta = 1 is not 'deep in the overdamped "
    "regime'.",
    steps=(
        Identity(
            "gain",
            ((_damping**2) / (4 * K * _mass)).subs(tau, 0).subs(K, gain_at_zeta_one / eta),
            Integer(1),
            "zeta^2 = C^2/(4 K M) = 1 at eta K = (1-mu)^2/(2(1+mu))",
            assumes=(between(mu, 0, 1, "["),),
        ),
        Identity(
            "frequency",
            (K / _mass).subs(tau, 0).subs(K, gain_at_zeta_one / eta),
            ((1 - mu) / (1 + mu)) ** 2,
            "omega_n^2 = K/M there",
            assumes=(between(mu, 0, 1, "["),),
        ),
        Identity("nineteen-steps", Subs((1 + mu) / (1 - mu), mu, Rational(9, 10)), Integer(19)),
        Identity(
            "with-lag",
            _mass / K,
            (1 + mu) / (2 * eta * K) + tau**2 / 2,
            "1/omega_n^2 in general: a lag adds tau^2/2",
            assumes=(positive(K),),
        ),
        Property(
            "reference-frequency",
            "reference.oscillator at the gain where its damping ratio is 1",
            covers="frequency",
        ),
    ),
    mutants=(
        Mutant(
            "double-gain",
            "gain",
            {"lhs": ((_damping**2) / (4 * K * _mass)).subs(tau, 0).subs(K, 2 * gain_at_zeta_one / eta)},
        ),
        Mutant("momentum-ignored", "frequency", {"rhs": (1 - mu) ** 2}),
        Mutant("ten-steps", "nineteen-steps", {"rhs": Integer(10)}),
        Mutant("full-square", "with-lag", {"rhs": (1 + mu) / (2 * eta * K) + tau**2}),
        Mutant("half-the-gain", "reference-frequency"),
    ),
)

_m1 = Symbol("m_1")  # 1 + mu
_lag_share, _spare = Symbol("x"), Symbol("w")  # eta K tau, and the damping left beyond sqrt(2) x

NEW_SLOW_START = Claim(
    id="new-slow-start-bound",
    cites=(Cite("Proposition 14", "3.5"), Cite("Figure 1", "5.1")),
    says="Without lag the slow start lasts b coth(b) (1+mu)/(1-mu) steps, zeta = cosh(b); at zeta = 1 with a lag of "
    "tau steps it lasts between tau/sqrt(2) and tau/sqrt(2) + (1+mu)/((2-sqrt(2))(1-mu)).",
    assumes=(positive(b),),
    uses=("new-inflection-time", "eq-9"),
    verdict=Status.PROVED,
    because="At mu = 0.9 without lag a run that covers three time constants in 3736 steps bends by step 47, one "
    "of 14946 by step 60: at most 1.3% of the run; at zeta = 1 a slow start of 10% needs a lag of more "
    "than 480 or 2060 steps, or more momentum.",
    steps=(
        Identity(
            "without-lag",
            bend.subs(omega_n, (_damping / (2 * _mass)).subs(tau, 0) / cosh(b)),
            b * coth(b) * (1 + mu) / (1 - mu),
            "omega_n = C/(2 M zeta), from the update's coefficients",
            assumes=(between(mu, 0, 1, "["), positive(eta)),
        ),
        Inequality(
            "lag-from-below",
            tau**2 / 2,
            (1 + mu) / (2 * a) + tau**2 / 2,
            (1 + mu) / (2 * a),
            strict=True,
            says="1/omega_n^2 exceeds tau^2/2 at any gain a",
            assumes=(positive(a), nonnegative(mu), nonnegative(tau)),
        ),
        Inequality(
            "lag-share-at-critical",
            2 * _lag_share**2,
            2 * _lag_share * (_m1 / tau + _lag_share),
            2 * _lag_share * _m1 / tau,
            strict=True,
            says="zeta = 1 reads (1-mu-x)^2 = 2x((1+mu)/tau + x), x = eta K tau: hence 1-mu-x = sqrt(2) x + w, w > 0",
            assumes=(positive(_lag_share), positive(_m1), positive(tau)),
        ),
        Inequality(
            "lag-from-above",
            (_m1 + _lag_share * tau) / (sqrt(2) * _lag_share + _spare),
            _m1 / ((2 - sqrt(2)) * ((1 + sqrt(2)) * _lag_share + _spare)) + tau / sqrt(2),
            _m1
            * (sqrt(2) - 1)
            * _spare
            / ((sqrt(2) * _lag_share + _spare) * (sqrt(2) * _lag_share + (2 - sqrt(2)) * _spare))
            + tau * _spare / (sqrt(2) * (sqrt(2) * _lag_share + _spare)),
            says="1/omega_n = 2M/C at zeta = 1; 1 - mu = (1 + sqrt(2)) x + w",
            assumes=(positive(_lag_share), nonnegative(_spare), positive(_m1), nonnegative(tau)),
        ),
        Property(
            "reference-runs",
            "the bend of the reference oscillator in runs of 3736 and 14946 steps",
            covers="without-lag",
        ),
        Property("reference-lag", "the bend at zeta = 1 with lag lies between the two bounds", covers="lag-from-above"),
    ),
    mutants=(
        Mutant("tanh", "without-lag", {"rhs": b * tanh(b) * (1 + mu) / (1 - mu)}),
        Mutant("whole-lag", "lag-from-below", {"small": tau**2 + (1 + mu) / a}),
        Mutant("double-share", "lag-share-at-critical", {"small": 3 * _lag_share**2 + 2 * _lag_share * _m1 / tau}),
        Mutant(
            "half-the-lag",
            "lag-from-above",
            {"large": _m1 / ((2 - sqrt(2)) * ((1 + sqrt(2)) * _lag_share + _spare))},
        ),
        Mutant("no-momentum", "reference-runs"),
        Mutant("without-the-lag", "reference-lag"),
    ),
)

CLAIMS = (
    EQ_13,
    COR_13,
    EQ_14,
    NEW_ERROR,
    EQ_15,
    NEW_EXPONENT,
    PROP_14,
    EQ_16,
    NEW_FREQUENCY,
    EQ_17,
    NEW_INFLECTION,
    NEW_SLOW_START,
    *laws_apart.CLAIMS,
)
