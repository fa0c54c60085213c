"""Momentum: the heavy-ball map and the second-order ODE said to track it (Lemma 4, Eq. 6, Appendix A)."""

from collections.abc import Callable

from sympy import (
    Derivative,
    E,
    Expr,
    Integer,
    Limit,
    Rational,
    S,
    Subs,
    Symbol,
    cosh,
    exp,
    log,
    sinh,
    sqrt,
)

from spec import adam
from spec.claim import Cite, Claim, Counterexample, Identity, Mutant, Property, Status
from spec.domain import between, positive
from spec.relation import equal
from spec.symbols import K, a, delta, eta, mu, s, t, tau

x = Symbol("x")  # s*delta, the exponent of a mode a step
z = Symbol("z")  # a multiplier of the map
w_1 = Symbol("w_1")  # multipliers of an ODE over one step
w_2 = Symbol("w_2")
k = Symbol("k")  # step number
h = Symbol("h")  # a small parameter
c = Symbol("c")  # 1 - mu, where its sign must be evident
m = Symbol("m")  # (1 - mu)/delta in the inertial scaling
kappa = Symbol("kappa")  # a/delta**2 in the inertial scaling
e_0 = Symbol("e_0")
e_1 = Symbol("e_1")
b_0 = Symbol("b_0")  # coefficients of a trial function
b_1 = Symbol("b_1")
b_2 = Symbol("b_2")
b_3 = Symbol("b_3")

RATE = between(mu, 0, 1, "[")
INERTIAL = "inertial scaling: 1 - mu = O(delta), eta K = O(delta^2), ODE through (e_0, e_1)"

mass = (1 + mu) * delta**2 / (2 * eta)
damping = (1 - mu) * delta / eta

# the map e_{k+1} - e_k = -eta K e_k + mu (e_k - e_{k-1}) on the mode exp(s k delta), divided by the mode
symbol_of_map = exp(s * delta) - (1 + mu - eta * K) + mu * exp(-s * delta)
symbol_of_ode = mass * s**2 + damping * s + K
remainder = (1 - mu) * (sinh(s * delta) - s * delta) + (1 + mu) * (cosh(s * delta) - 1 - (s * delta) ** 2 / 2)
inertial_remainder = m * delta * (sinh(s * delta) - s * delta) + (2 - m * delta) * (
    cosh(s * delta) - 1 - (s * delta) ** 2 / 2
)
even_and_odd = exp(x) + mu * exp(-x)

EQ_6 = Claim(
    id="eq-6",
    cites=(Cite("Equation 6", "3.3"),),
    says="Expanding the heavy-ball map in the step size leaves an oscillator with mass (1+mu) delta^2/(2 "
    "eta) "
    "and damping (1-mu) delta/eta.",
    formula=equal(Symbol("m_mu"), mass),
    assumes=(positive(eta), positive(delta)),
    verdict=Status.PROVED,
    because="The coefficients are those of the second-order Taylor expansion of the map on a mode exp(s k "
    "delta); "
    "what is dropped is known in closed form and begins with (1-mu) (s delta)^3/6.",
    steps=(
        Identity(
            "characteristic",
            z ** (k + 1) - z**k + eta * K * z**k - mu * (z**k - z ** (k - 1)),
            z ** (k - 1) * (z**2 - (1 + mu - eta * K) * z + mu),
            "a mode z^k satisfies the map where the printed quadratic vanishes",
            assumes=(positive(z),),
        ),
        Identity(
            "taylor-with-remainder",
            symbol_of_map,
            eta * symbol_of_ode + remainder,
            "the map equals eta times the ODE plus an explicit remainder: nothing is neglected",
        ),
        Identity(
            "damping",
            damping * eta / delta,
            Subs(Derivative(even_and_odd, x), x, 0),
            "the damping is the slope of the map's symbol at rest",
        ),
        Identity(
            "mass",
            mass * eta / delta**2,
            Subs(Derivative(even_and_odd, (x, 2)), x, 0) / 2,
            "the mass is half its curvature",
        ),
        Identity(
            "leading-neglected",
            Subs(Derivative(remainder, (delta, 3)), delta, 0) / 6,
            (1 - mu) * s**3 / 6,
            "the first term dropped is of third order, with momentum or without",
        ),
        Property(
            "reference-coefficients",
            "reference.oscillator.coefficients without lag returns this mass and damping",
            covers="mass",
        ),
        Property(
            "reference-modes",
            "reference.momentum.modes returns the roots of the printed quadratic",
            covers="characteristic",
        ),
    ),
    mutants=(
        Mutant("momentum-loses-its-sign", "characteristic", {"rhs": z ** (k - 1) * (z**2 - (1 + mu) * z - mu)}),
        Mutant(
            "half-mass",
            "taylor-with-remainder",
            {"rhs": eta * (mass * s**2 / 2 + damping * s + K) + remainder},
        ),
        Mutant("damping-1-plus-mu", "damping", {"lhs": 1 + mu}),
        Mutant("mass-1-minus-mu", "mass", {"lhs": (1 - mu) / 2}),
        Mutant("remainder-mass-1-plus-mu", "leading-neglected", {"rhs": (1 + mu) * s**3 / 6}),
    ),
)

# --- Lemma 4 -----------------------------------------------------------------------------------------
# In step units the ODE is (1+mu)/2 e'' + (1-mu) e' + a e = 0. Its exponents are -chi +- r.


def _chi(rate: Expr) -> Expr:
    return (1 - rate) / (1 + rate)


def _r(rate: Expr, gain: Expr) -> Expr:
    return sqrt((1 - rate) ** 2 - 2 * (1 + rate) * gain) / (1 + rate)


def _force_defect(rate: Expr, gain: Expr) -> Expr:
    """(1 - w_+)(1 - w_-) - a for the ODE's multipliers w over one step: 0 if it had the map's force."""
    return (1 - exp(-_chi(rate) + _r(rate, gain))) * (1 - exp(-_chi(rate) - _r(rate, gain))) - gain


def _memory_defect(rate: Expr) -> Expr:
    """mu - w_+ w_-: 0 if the ODE forgot its velocity as the map does."""
    return rate - exp(-2 * _chi(rate))


def _second_step(rate: Expr, gain: Expr, first: Expr, second: Expr) -> Expr:
    """e_2 minus the ODE's value there, the ODE running through e_0 and e_1."""
    return _force_defect(rate, gain) * second + _memory_defect(rate) * (second - first)


def _exponent(sign: int) -> Expr:
    return (-damping + sign * sqrt(damping**2 - 4 * mass * K)) / (2 * mass)


w_plus, w_minus = (exp(_exponent(sign) * delta) for sign in (1, -1))
ode_second = (w_plus + w_minus) * e_1 - w_plus * w_minus * e_0
map_second = (1 + mu - eta * K) * e_1 - mu * e_0
_w = exp(-2 * _chi(mu))
_from_rest = {mu: Integer(0), eta: Rational(3, 8), K: Integer(1), e_0: Integer(1), e_1: Rational(5, 8)}

LEMMA_4 = Claim(
    id="lemma-4",
    cites=(Cite("Lemma 4", "3.3"),),
    says="Over any fixed time the oscillator through (e_0, e_1) stays within O(delta^2) of the heavy-ball map.",
    formula=equal(Limit(Symbol("e_2") - Symbol("e(2*delta)"), delta, 0), 0),
    where={Symbol("e_2"): map_second, Symbol("e(2*delta)"): ode_second},
    assumes=(RATE, positive(eta), positive(delta)),
    uses=("eq-6",),
    verdict=Status.NARROWED,
    because="With eta fixed delta cancels and nothing converges (mu = 0, eta K = 3/8, from rest: 0.0074 off at step 2 "
    "for every delta); "
    "with mu fixed "
    "and eta = O(delta) the order is 1, because the ODE forgets by exp(-2(1-mu)/(1+mu)) a step and the "
    "map by mu; "
    "order 2 holds in the inertial scaling.",
    reply="The paper names eta K and tau, not delta, as the small parameters; read with 1 - mu = O(delta) "
    "and "
    "eta = O(delta^2), where m, c and K tend to constants and inertia survives, the lemma is right as "
    "stated. With mu "
    "fixed and small eta K it also holds, at order 2, for the slow mode, which is what a smooth reward "
    "curve shows.",
    steps=(
        Identity(
            "delta-cancels",
            _exponent(1) * delta,
            -_chi(mu) + _r(mu, eta * K),
            "an exponent of the ODE times the time of one step does not contain delta",
        ),
        Identity(
            "error-at-step-two",
            map_second - ((w_1 + w_2) * e_1 - w_1 * w_2 * e_0),
            ((1 - w_1) * (1 - w_2) - eta * K) * e_1 + (mu - w_1 * w_2) * (e_1 - e_0),
            "for an ODE with the multipliers w_1, w_2 over one step the first error is a force defect "
            "times e_1 plus a "
            "memory defect times e_1 - e_0",
        ),
        Counterexample(
            "rate-fixed",
            equal(Limit(map_second - ode_second, delta, 0), 0),
            at=_from_rest,
            gap=Subs(map_second - ode_second, delta, 1),
            amount=Rational(25, 64) - Rational(5, 8) * (exp(-Rational(1, 2)) + exp(-Rational(3, 2))) + exp(-2),
            says="with eta fixed the error at step 2 is the same for every delta",
            minimal="no momentum, the map's own start from rest, the first step that the start does not "
            "fix; "
            "eta K = 3/8 gives the ODE the rational exponents -1/2 and -3/2",
        ),
        Counterexample(
            "rate-of-order-delta",
            equal(Subs(Derivative(_second_step(mu, a, S.One, S.One), a), a, 0), 0),
            at={mu: Integer(0)},
            gap=Subs(Derivative(_second_step(mu, a, S.One, S.One), a), a, 0),
            amount=-exp(-2),
            says="with mu fixed and eta = O(delta), from (1, 1), the error at step 2 is -exp(-2) eta K, of order 1",
            minimal="no momentum at all",
        ),
        Counterexample(
            "rate-of-order-delta-from-rest",
            equal(Subs(Derivative(_second_step(mu, a, S.One, 1 - a), a), a, 0), 0),
            at={mu: Rational(1, 3)},
            gap=Subs(Derivative(_second_step(mu, a, S.One, 1 - a), a), a, 0),
            amount=(Rational(1, 3) - 1 / E) / 2,
            says="so it is from the map's own start from rest (1, 1 - eta K), with momentum",
            minimal="at mu = 0 this start has order 2; mu = 1/3 gives the ODE the memory 1/e",
        ),
        Property(
            "measured-orders",
            "measured over a fixed time the order is 0 with eta fixed, and 1 with mu fixed and eta = "
            "O(delta) (from "
            "rest at mu = 0, and on the slow mode, 2)",
            refutes=True,
        ),
        Identity(
            "inertial-remainder",
            Subs(Derivative(inertial_remainder, (delta, 4)), delta, 0) / 24,
            m * s**3 / 6 + s**4 / 12,
            "in the inertial scaling the remainder is delta^2 times the terms kept",
            under=INERTIAL,
        ),
        Property(
            "measured-inertial-order",
            "measured over a fixed time in the inertial scaling the order is 2, and 1 if the ODE starts "
            "from zero "
            "velocity instead of through e_1",
            under=INERTIAL,
        ),
        Property(
            "reference-error",
            "the trajectory of reference.momentum has this error at step 2",
            covers="error-at-step-two",
        ),
    ),
    mutants=(
        Mutant("delta-stays", "delta-cancels", {"rhs": (-_chi(mu) + _r(mu, eta * K)) * delta}),
        Mutant("at-the-fixed-point", "rate-fixed", {"at": _from_rest | {e_0: Integer(0), e_1: Integer(0)}}),
        Mutant(
            "defects-swapped",
            "error-at-step-two",
            {"rhs": ((1 - w_1) * (1 - w_2) - eta * K) * (e_1 - e_0) + (mu - w_1 * w_2) * e_1},
        ),
        Mutant(
            "order-0-is-not-refuted",
            "rate-of-order-delta",
            {"statement": equal(Subs(_second_step(mu, a, S.One, S.One), a, 0), 0)},
        ),
        Mutant("without-momentum", "rate-of-order-delta-from-rest", {"at": {mu: Integer(0)}}),
        Mutant("remainder-of-eq-6", "inertial-remainder", {"rhs": m * s**3 / 6}),
        Mutant("ode-from-zero-velocity", "measured-inertial-order"),
        Mutant("order-2-from-equal-values", "measured-orders"),
    ),
)

_root = sqrt((2 - c - a) ** 2 - 4 * (1 - c))
_slow_map = log((2 - c - a + _root) / 2)
_slow_ode = -c / (2 - c) + _r(1 - c, a)
w_slow = (exp(_slow_ode), exp(-c / (2 - c) - _r(1 - c, a)))

PADE = Claim(
    id="new-memory-is-pade",
    cites=(),
    corrects=("lemma-4",),
    says="With mu fixed the error is of first order in eta K because the ODE's velocity decays by "
    "exp(-2(1-mu)/(1+mu)) a step, the [1/1] Pade approximant of ln mu in the exponent, where the map's "
    "decays by mu.",
    assumes=(between(mu, 0, 1), positive(c)),
    verdict=Status.PROVED,
    because="Error at step 2 over eta K: (mu-w)/(1-mu) from (1,1), mu(mu-w)/(1-mu) from rest, w = "
    "exp(-2(1-mu)/(1+mu)) > mu; it never vanishes for 0 < mu < 1 and moves the slow mode's amplitude for "
    "good.",
    steps=(
        Identity(
            "product-of-multipliers",
            exp(-_chi(mu) + _r(mu, a)) * exp(-_chi(mu) - _r(mu, a)),
            exp(-2 * _chi(mu)),
            "whatever the gain, the ODE's two modes multiply to w over one step; the map's multiply to mu",
        ),
        Identity(
            "pade-first",
            Subs(Derivative(-2 * _chi(z), z), z, 1),
            Subs(Derivative(log(z), z), z, 1),
            "the exponent of w has the slope of ln mu at mu = 1",
        ),
        Identity(
            "pade-second",
            Subs(Derivative(-2 * _chi(z), (z, 2)), z, 1),
            Subs(Derivative(log(z), (z, 2)), z, 1),
            "and its curvature: three conditions, which make it the [1/1] Pade approximant",
        ),
        Identity(
            "pade-defect",
            Subs(Derivative(-2 * _chi(1 - h) - log(1 - h), (h, 3)), h, 0) / 6,
            Rational(1, 12),
            "they part at third order: w/mu = 1 + (1-mu)^3/12 + ...",
        ),
        Identity(
            "never-equal",
            Derivative(log(mu) + 2 * _chi(mu), mu),
            (1 - mu) ** 2 / (mu * (1 + mu) ** 2),
            "the gap is strictly monotone and ends at 0 for mu = 1: w > mu below",
        ),
        Identity(
            "from-equal-values",
            Subs(Derivative(_second_step(1 - c, a, S.One, S.One), a), a, 0),
            (1 - c - exp(-2 * c / (2 - c))) / c,
            "the error at step 2 from (1, 1), to first order in the gain",
        ),
        Identity(
            "from-rest",
            Subs(Derivative(_second_step(1 - c, a, S.One, 1 - a), a), a, 0),
            (1 - c) * (1 - c - exp(-2 * c / (2 - c))) / c,
            "the error at step 2 from (1, 1-a), to first order: mu times as large",
        ),
        Identity(
            "stays",
            Subs(Derivative((1 - w_slow[1]) / (w_slow[0] - w_slow[1]), a), a, 0),
            1 / (c * (1 - exp(-2 * c / (2 - c)))),
            "from (1, 1) the ODE's slow mode has the amplitude 1 + a/((1-mu)(1-w)), not the map's 1 + a/(1-mu)^2",
        ),
        Identity(
            "stays-in-the-map",
            Subs(Derivative((1 - (2 - c - a - _root) / 2) / _root, a), a, 0),
            1 / c**2,
            "the map's own amplitude, so that the error at any later time is of first order too",
        ),
        Property(
            "measured-constant",
            "the error of reference.momentum's trajectory over eta K tends to these constants",
            covers="from-equal-values",
        ),
    ),
    mutants=(
        Mutant("product-mu", "product-of-multipliers", {"rhs": mu}),
        Mutant("half-the-slope", "pade-first", {"lhs": Subs(Derivative(-_chi(z), z), z, 1)}),
        Mutant("half-the-curvature", "pade-second", {"lhs": Subs(Derivative(-_chi(z), (z, 2)), z, 1)}),
        Mutant("one-third", "pade-defect", {"rhs": Rational(1, 3)}),
        Mutant("first-power", "never-equal", {"rhs": (1 - mu) / (mu * (1 + mu) ** 2)}),
        Mutant("order-two", "from-equal-values", {"rhs": S.Zero}),
        Mutant("same-from-rest", "from-rest", {"rhs": (1 - c - exp(-2 * c / (2 - c))) / c}),
        Mutant("amplitude-of-the-map", "stays", {"rhs": 1 / c**2}),
        Mutant("amplitude-of-the-ode", "stays-in-the-map", {"rhs": 1 / (c * (1 - exp(-2 * c / (2 - c))))}),
    ),
)


SLOW = Claim(
    id="new-slow-mode-tracking",
    cites=(),
    corrects=("lemma-4",),
    says="With mu fixed, on the slow mode, the ODE tracks the map to second order in eta K, for all time.",
    assumes=(positive(c), positive(h)),
    uses=("eq-6",),
    verdict=Status.PROVED,
    because="The slow exponents differ by a^3/(6(1-mu)^3) a step, the map's being the slower, so the "
    "largest error of "
    "all time tends to a^2/(6 e (1-mu)^2).",
    steps=(
        Identity(
            "exponent",
            Subs(Derivative(_slow_map - _slow_ode, (a, 3)), a, 0) / 6,
            1 / (6 * c**3),
            "the slow exponents differ at third order in the gain",
        ),
        Identity(
            "rate",
            Subs(Derivative(_slow_ode, a), a, 0),
            -1 / c,
            "both decay by a/(1-mu) a step to leading order",
        ),
        Identity(
            "latest",
            Subs(Derivative(exp(-t), t), t, log(1 + h) / h),
            Subs(Derivative(exp(-(1 + h) * t), t), t, log(1 + h) / h),
            "two decays at rates 1 and 1 + h are furthest apart at time ln(1+h)/h",
        ),
        Identity(
            "furthest",
            Subs(Derivative((1 + h) * log(1 + h), h), h, 0),
            S.One,
            "there they differ by h exp(-(1+h) ln(1+h)/h), which tends to h/e: a bound for all time",
        ),
        Property(
            "measured-order",
            "the largest error of the slow mode over all time, measured: order 2, constant 1/(6 e (1-mu)^2)",
            covers="exponent",
        ),
    ),
    mutants=(
        Mutant("ode-slower", "exponent", {"rhs": -1 / (6 * c**3)}),
        Mutant("second-power", "exponent", {"rhs": 1 / (6 * c**2)}),
        Mutant("no-momentum", "rate", {"rhs": S.NegativeOne}),
        Mutant("inverse-gap", "latest", {"lhs": Subs(Derivative(exp(-t), t), t, 1 / (1 + h))}),
        Mutant("half", "furthest", {"rhs": S.Half}),
    ),
)

# in units of the momentum's memory: delta = 1 - mu, a = kappa delta^2
_rho = sqrt(1 - 2 * kappa * (2 - delta)) / (2 - delta)  # half the ODE's splitting
_chi_inertial = delta / (2 - delta)
_force_inertial = (1 - exp(-_chi_inertial + delta * _rho)) * (1 - exp(-_chi_inertial - delta * _rho)) - kappa * delta**2
_zero_velocity = exp(-_chi_inertial) * (cosh(delta * _rho) + sinh(delta * _rho) / ((2 - delta) * _rho))

INERTIAL_CLAIM = Claim(
    id="new-inertial-tracking",
    cites=(),
    corrects=("lemma-4",),
    says="With delta = 1 - mu and eta K = kappa delta^2 the ODE through (e_0, e_1) tracks the map to "
    "second order: the "
    "error up to time T is at most (T^2/2) (|F| sup|e| + |Q| sup|e_{k+1} - e_k|)/delta^2 for two defects "
    "F and Q.",
    uses=("eq-6",),
    verdict=Status.HELD,
    because="The force defect is -kappa (kappa + 1) delta^4/12 and the memory defect -delta^3/12; summed "
    "over "
    "(T/delta)^2/2 pairs of steps that is O(delta^2); starting the ODE at zero velocity instead costs "
    "kappa delta/2 of "
    "velocity, hence an order.",
    steps=(
        Identity(
            "force-defect",
            Subs(Derivative(_force_inertial, (delta, 4)), delta, 0) / 24,
            -kappa * (kappa + 1) / 12,
            "the ODE's force over one step is the map's up to fourth order",
        ),
        Identity(
            "memory-defect",
            Subs(Derivative(_memory_defect(1 - delta), (delta, 3)), delta, 0) / 6,
            -Rational(1, 12),
            "its memory is the map's up to third order, and multiplies a difference of order delta",
        ),
        Identity(
            "zero-velocity",
            Subs(Derivative(_zero_velocity - (1 - kappa * delta**2), (delta, 2)), delta, 0) / 2,
            kappa / 2,
            "an ODE released at zero velocity is kappa delta^2/2 off after one step: a velocity kappa delta/2",
        ),
        Property(
            "error-recursion",
            "in exact arithmetic, for any two such recurrences with one start, the error at step k is the "
            "sum over j < k "
            "of U_{k-j} (F e_j + Q (e_j - e_{j-1})), U_n being the map's own response to a unit kick",
            kind="exact",
        ),
        Property(
            "explicit-bound",
            "the bound holds for reference.momentum's trajectories, U_n being at most n",
        ),
    ),
    mutants=(
        Mutant("no-damping-term", "force-defect", {"rhs": -(kappa**2) / 12}),
        Mutant("one-third", "memory-defect", {"rhs": -Rational(1, 3)}),
        Mutant("no-loss", "zero-velocity", {"rhs": S.Zero}),
        Mutant("memory-defect-forgotten", "error-recursion"),
        Mutant("bound-without-square", "explicit-bound"),
    ),
)

# --- Appendix A --------------------------------------------------------------------------------------


def _cubic(at: Expr) -> Expr:
    return b_0 + b_1 * at + b_2 * at**2 + b_3 * at**3


def _lagged_map(trial: Callable[[Expr], Expr]) -> Expr:
    """The lagged map as an operator on a function of time: 0 on its solutions."""
    return trial(t + delta) - trial(t) + eta * K * trial(t - tau) - mu * (trial(t) - trial(t - delta))


def _reduced(trial: Callable[[Expr], Expr]) -> Expr:
    """eta times the reduced oscillator of Eq. 6 and 7."""
    e = trial(t)
    return eta * ((mass + K * tau**2 / 2) * Derivative(e, (t, 2)) + (damping - K * tau) * Derivative(e, t) + K * e)


def _parabola(at: Expr) -> Expr:
    return _cubic(at).subs(b_3, 0)


APPENDIX_A = Claim(
    id="appendix-a",
    cites=(Cite("", "A"), Cite("", "3.3")),
    says="A second-order Taylor expansion of the map gives Eq. 6, and the delayed force put into it gives "
    "Eq. 7 and the "
    "sign condition of Eq. 11.",
    assumes=(positive(eta),),
    verdict=Status.PROVED,
    because="The lagged map and eta times the reduced ODE agree exactly on every parabola, which is all "
    "that a "
    "second-order expansion says; on a cubic they differ by ((1-mu) delta^3 - eta K tau^3) b_3, so "
    "coefficients are "
    "verified here, not an order of error.",
    steps=(
        Identity(
            "exact-on-parabolas",
            _lagged_map(_parabola),
            _reduced(_parabola),
            "the map with lag equals the reduced oscillator on every function without third derivative",
        ),
        Identity(
            "first-failure",
            _lagged_map(_cubic) - _reduced(_cubic),
            ((1 - mu) * delta**3 - eta * K * tau**3) * b_3,
            "on a cubic the two neglected terms appear, with opposite signs",
        ),
        Identity(
            "sign-condition",
            Subs(eta * (damping - K * tau), delta, 1),
            (1 - mu) - K * eta * tau,
            "the damping at delta = 1 changes sign where Eq. 11 says",
        ),
    ),
    mutants=(
        Mutant("cubics-too", "exact-on-parabolas", {"lhs": _lagged_map(_cubic), "rhs": _reduced(_cubic)}),
        Mutant("same-signs", "first-failure", {"rhs": ((1 - mu) * delta**3 + eta * K * tau**3) * b_3}),
        Mutant("lag-adds-damping", "sign-condition", {"rhs": (1 - mu) + K * eta * tau}),
    ),
)

CLAIMS = (EQ_6, LEMMA_4, PADE, SLOW, INERTIAL_CLAIM, APPENDIX_A, *adam.CLAIMS)
