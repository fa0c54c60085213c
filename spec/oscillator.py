"""Oscillator: Theorem 7 with its coefficients, the damping ratio and the overdamped regime (Eq. 8-10, Prop. 8).

The printed coefficients stand on one side of each identity. The other side is derived from the update
itself: its characteristic function, divided by the learning rate, and the Taylor coefficients of that.
"""

from sympy import (
    Derivative,
    Expr,
    Implies,
    Integer,
    Le,
    Limit,
    Rational,
    Subs,
    Symbol,
    cosh,
    exp,
    sinh,
    sqrt,
)

from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, nonnegative, positive
from spec.relation import equal
from spec.symbols import C_eff, D, G, K, K_eff, M_eff, a, delta, eta, mu, s, tau, zeta

# what the paper prints
MASS_6, DAMPING_6 = (1 + mu) * delta**2 / (2 * eta), (1 - mu) * delta / eta
m_mu, c_mu = Symbol("m_mu"), Symbol("c_mu")
MASS_7, DAMPING_7 = m_mu + K * tau**2 / 2, c_mu - K * tau
MASS_9, DAMPING_9, STIFFNESS_9 = (
    ((1 + mu) + K * eta * tau**2) / (2 * eta),
    ((1 - mu) - K * eta * tau) / eta,
    K,
)
ZETA_8 = (2 * K * eta) ** Rational(-1, 2)  # at mu = tau = 0
ZETA_10 = ((1 - mu) - K * eta * tau) / sqrt(2 * K * eta * ((1 + mu) + K * eta * tau**2))

# what the update says: e_{k+1} - e_k - mu (e_k - e_{k-1}) = -eta K e(t - tau) on exp(s t), divided by eta
inertial_part = (exp(s * delta) - 1 - mu * (1 - exp(-s * delta))) / eta
stale_force = K * exp(-s * tau)
characteristic = inertial_part + stale_force
_at_one_step = characteristic.subs(delta, 1)


def coefficient(order: int, of: Expr = _at_one_step) -> Expr:
    """The Taylor coefficient of s**order in the characteristic function, left unevaluated."""
    derivative = Derivative(of, s, order) if order else of
    return Subs(derivative, s, 0) / (2 if order == 2 else 1)


remainder = (
    (1 - mu) * (sinh(s * delta) - s * delta) / eta
    + (1 + mu) * (cosh(s * delta) - 1 - (s * delta) ** 2 / 2) / eta
    + K * (exp(-s * tau) - 1 + s * tau - (s * tau) ** 2 / 2)
)
_h = Symbol("h")  # shrinks delta and tau together
_SHRUNK = {delta: _h * delta, tau: _h * tau}

THEOREM_7 = Claim(
    id="theorem-7",
    cites=(Cite("Theorem 7", "3.3"),),
    says="Given Lemmas 3 to 6, the order parameter obeys one oscillator: the momentum coefficients (6), put "
    "into the lag corrections (7) at delta = 1, are the coefficients (9).",
    assumes=(positive(eta),),
    uses=("assumption-1", "lemma-2", "lemma-3", "lemma-4", "lemma-5", "lemma-6", "eq-6", "eq-7"),
    verdict=Status.PROVED,
    because="The substitution is right, and momentum and lag add without a mixed term; what the theorem "
    "rests on is judged with Assumption 1 and Lemmas 4 to 6.",
    steps=(
        Identity(
            "mass",
            MASS_7.subs(m_mu, MASS_6).subs(delta, 1),
            MASS_9,
            "substitute (6) into (7), delta = 1",
        ),
        Identity("damping", DAMPING_7.subs(c_mu, DAMPING_6).subs(delta, 1), DAMPING_9),
        Identity(
            "no-mixed-term",
            coefficient(2, inertial_part) + coefficient(2, stale_force),
            MASS_7.subs(m_mu, MASS_6),
            "the same mass before delta = 1, from the update: the two expansions simply add",
        ),
        Identity(
            "no-mixed-damping",
            coefficient(1, inertial_part) + coefficient(1, stale_force),
            DAMPING_7.subs(c_mu, DAMPING_6),
        ),
        Property(
            "reference-coefficients", "the reference implementation returns the same three numbers", covers="mass"
        ),
    ),
    mutants=(
        Mutant("mass-without-half", "mass", {"lhs": (m_mu + K * tau**2).subs(m_mu, MASS_6).subs(delta, 1)}),
        Mutant("momentum-sign", "damping", {"lhs": (c_mu - K * tau).subs(c_mu, (1 + mu) / eta)}),
        Mutant("lag-removes-mass", "no-mixed-term", {"rhs": MASS_6 - K * tau**2 / 2}),
        Mutant("lag-adds-damping", "no-mixed-damping", {"rhs": DAMPING_6 + K * tau}),
        Mutant("lag-squared-missing", "reference-coefficients"),
    ),
)

_time = Symbol("t")
_mode = exp(s * _time)

EQ_8 = Claim(
    id="eq-8",
    cites=(Cite("Equation 8", "3.3"),),
    says="To second order in delta and tau the update with its stale force is M e'' + C e' + K e: the "
    "oscillator's characteristic polynomial is the update's, up to terms of third order.",
    formula=equal(
        M_eff * Symbol("e''") + C_eff * Symbol("e'") + K_eff * Symbol("e"),
        sqrt(D / G) * Symbol("xi"),
    ),
    where={
        Symbol("e"): _mode,
        Symbol("e'"): Derivative(_mode, _time),
        Symbol("e''"): Derivative(_mode, _time, 2),
    },
    assumes=(positive(eta),),
    uses=("theorem-7",),
    verdict=Status.PROVED,
    because="For a mode of fixed rate s the first neglected term is s^3 [(1-mu) delta^3/eta - K tau^3]/6, of "
    "third order as claimed; at delta = 1, where Eq. 9 is used, it is small only if s itself is.",
    steps=(
        Identity(
            "polynomial-plus-remainder",
            characteristic,
            (m_mu + K * tau**2 / 2).subs(m_mu, MASS_6) * s**2
            + (c_mu - K * tau).subs(c_mu, DAMPING_6) * s
            + K
            + remainder,
            "nothing neglected",
        ),
        Identity(
            "second-order",
            Subs(Derivative(characteristic.subs(_SHRUNK), _h, 2), _h, 0) / 2,
            (MASS_6 + K * tau**2 / 2) * s**2,
            "delta and tau shrink together by h, the mode's rate s and eta stay: all that is of order h^2",
        ),
        Identity(
            "first-neglected-term",
            Subs(Derivative(remainder.subs(_SHRUNK), _h, 3), _h, 0) / 6,
            s**3 * ((1 - mu) * delta**3 / eta - K * tau**3) / 6,
            "third order in h",
        ),
        Identity(
            "phase-space",
            M_eff * (s * (s + C_eff / M_eff) + K_eff / M_eff),
            Subs(
                M_eff * Derivative(_mode, _time, 2) + C_eff * Derivative(_mode, _time) + K_eff * _mode,
                _time,
                0,
            ),
            "det(s - A) of the phase-space form used for Prop. 10, times M, is the oscillator's polynomial",
            assumes=(positive(M_eff),),
        ),
        Property(
            "update-symbol",
            "iterating the reference map on a mode reproduces the characteristic function",
            covers="polynomial-plus-remainder",
        ),
    ),
    mutants=(
        Mutant(
            "damping-sign",
            "polynomial-plus-remainder",
            {"rhs": (MASS_6 + K * tau**2 / 2) * s**2 - (DAMPING_6 - K * tau) * s + K + remainder},
        ),
        Mutant("lag-lightens", "second-order", {"rhs": (MASS_6 - K * tau**2 / 2) * s**2}),
        Mutant(
            "lag-counts-double",
            "first-neglected-term",
            {"rhs": s**3 * ((1 - mu) * delta**3 / eta - 2 * K * tau**3) / 6},
        ),
        Mutant("no-damping", "phase-space", {"lhs": M_eff * s**2 + K_eff}),
        Mutant("other-momentum", "update-symbol"),
    ),
)

EQ_9 = Claim(
    id="eq-9",
    cites=(Cite("Equation 9", "3.3"),),
    says="At delta = 1 the mass is ((1+mu) + K eta tau^2)/(2 eta), the damping ((1-mu) - K eta tau)/eta, and "
    "the stiffness K.",
    formula=equal(M_eff, MASS_9),
    assumes=(positive(eta),),
    verdict=Status.PROVED,
    because="They are the Taylor coefficients, at s = 0, of the update's own characteristic function; the "
    "lemmas are not needed to find them.",
    steps=(
        Identity("mass", MASS_9, coefficient(2), "half the second derivative"),
        Identity("damping", DAMPING_9, coefficient(1), "the first derivative"),
        Identity("stiffness", STIFFNESS_9, coefficient(0), "the value"),
        Property("reference-mass", "reference.oscillator.coefficients, 1e-15 relative", covers="mass"),
        Property("reference-damping", "the same for the damping, also where it is negative", covers="damping"),
    ),
    mutants=(
        Mutant("lag-sign-in-mass", "mass", {"lhs": ((1 + mu) - K * eta * tau**2) / (2 * eta)}),
        Mutant("momentum-sign-in-mass", "mass", {"lhs": ((1 - mu) + K * eta * tau**2) / (2 * eta)}),
        Mutant("lag-sign-in-damping", "damping", {"lhs": ((1 - mu) + K * eta * tau) / eta}),
        Mutant("momentum-sign-in-damping", "damping", {"lhs": ((1 + mu) - K * eta * tau) / eta}),
        Mutant("lag-in-stiffness", "stiffness", {"lhs": K * (1 - eta)}),
        Mutant("unit-lag", "reference-mass"),
        Mutant("damping-kept", "reference-damping"),
    ),
)

_mass, _damping = coefficient(2), coefficient(1)

EQ_10 = Claim(
    id="eq-10",
    cites=(Cite("Equation 10", "3.4"),),
    says="zeta = ((1-mu) - K eta tau)/sqrt(2 K eta [(1+mu) + K eta tau^2]) is the damping ratio of (8).",
    formula=equal(zeta, ZETA_10),
    assumes=(positive(eta), positive(K), between(mu, 0, 1, "["), nonnegative(tau)),
    verdict=Status.PROVED,
    because="It is the centre of the two roots in units of omega_n, and their discriminant changes sign "
    "exactly at zeta = 1.",
    steps=(
        Identity(
            "centre-of-the-roots",
            ZETA_10,
            _damping / _mass / (2 * sqrt(K / _mass)),
            "minus the mean of the roots over omega_n, from the update's Taylor coefficients",
        ),
        Identity(
            "discriminant",
            _damping**2 - 4 * K * _mass,
            4 * K * _mass * (ZETA_10**2 - 1),
            "real roots iff zeta^2 >= 1",
        ),
        Property("reference-ratio", "reference.oscillator.damping_ratio", covers="centre-of-the-roots"),
    ),
    mutants=(
        Mutant(
            "lag-sign-above",
            "centre-of-the-roots",
            {"lhs": ((1 - mu) + K * eta * tau) / sqrt(2 * K * eta * ((1 + mu) + K * eta * tau**2))},
        ),
        Mutant(
            "lag-sign-below",
            "discriminant",
            {
                "rhs": 4
                * K
                * _mass
                * (((1 - mu) - K * eta * tau) ** 2 / (2 * K * eta * ((1 + mu) - K * eta * tau**2)) - 1)
            },
        ),
        Mutant("factor-two", "discriminant", {"rhs": 4 * K * _mass * (2 * ZETA_10**2 - 1)}),
        Mutant("momentum-up", "reference-ratio"),
    ),
)

_excess = Symbol("w")  # zeta^2 - 1 at mu = tau = 0
root = Symbol("r")  # sqrt(1 - 2 eta K), in (0, 1)
_PLAIN = {mu: 0, tau: 0}
slow_pole, fast_pole = -1 + sqrt(1 - 2 * a), -1 - sqrt(1 - 2 * a)
_polynomial = (_mass * s**2 + _damping * s + K).doit()

PROP_8 = Claim(
    id="prop-8",
    cites=(Cite("Proposition 8", "3.4"),),
    says="Without momentum and lag zeta = (2 K eta)^(-1/2), above 1 for small eta; the poles have the product "
    "2 K eta and part into a slow one at -K eta and a fast one at -2.",
    formula=equal(zeta, ZETA_8),
    assumes=(positive(eta), positive(K)),
    uses=("eq-9", "eq-10"),
    verdict=Status.PROVED,
    because="Both poles are limits for small gain a = eta K; at a finite one the slow pole is faster than "
    "first order by the factor 2/(1 + sqrt(1-2a)), from 1 up to 2 at zeta = 1.",
    steps=(
        Identity(
            "value",
            ZETA_8,
            Subs(_damping / (2 * sqrt(K * _mass)), (mu, tau), (0, 0)),
            "C/(2 sqrt(K M)) from the update's coefficients",
        ),
        Inequality(
            "overdamped-for-small-rates",
            Integer(1),
            ZETA_8.subs(K, 1 / (2 * eta * (1 + _excess) ** 2)),
            _excess,
            strict=True,
            says="eta K = 1/(2 (1+w)^2) gives zeta = 1 + w: above 1 iff eta K < 1/2",
            assumes=(positive(_excess),),
        ),
        Identity(
            "slow-pole-solves",
            _polynomial.subs(_PLAIN).subs(K, a / eta).subs(s, slow_pole),
            Integer(0),
        ),
        Identity(
            "fast-pole-solves",
            _polynomial.subs(_PLAIN).subs(K, a / eta).subs(s, fast_pole),
            Integer(0),
        ),
        Identity(
            "product",
            slow_pole * fast_pole,
            (K / _mass).subs(_PLAIN).subs(K, a / eta).doit(),
            "K/M = 2 K eta",
        ),
        Identity("product-is-twice-the-gain", slow_pole * fast_pole, 2 * a),
        Identity("slow-limit", Limit(slow_pole / a, a, 0), Integer(-1), "the slow pole tends to -K eta"),
        Identity("fast-limit", Limit(fast_pole, a, 0), Integer(-2)),
        Identity(
            "slow-pole-exactly",
            slow_pole.subs(a, (1 - root**2) / 2),
            -(1 - root**2) / 2 * 2 / (1 + root),
            "with r = sqrt(1-2a): -a 2/(1+r)",
            assumes=(between(root, 0, 1),),
        ),
        Inequality(
            "faster-than-first-order",
            Integer(1),
            2 / (1 + 1 / (1 + _excess)),
            _excess / (2 + _excess),
            strict=True,
            says="with r = 1/(1+w)",
            assumes=(positive(_excess),),
        ),
        Inequality(
            "at-most-twice",
            2 / (1 + 1 / (1 + _excess)),
            Integer(2),
            2 / (2 + _excess),
            strict=True,
            assumes=(positive(_excess),),
        ),
        Property("reference-poles", "reference.oscillator.poles at mu = tau = 0", covers="slow-pole-exactly"),
    ),
    mutants=(
        Mutant("without-the-two", "value", {"lhs": (K * eta) ** Rational(-1, 2)}),
        Mutant("full-gain", "overdamped-for-small-rates", {"small": 1 + 2 * _excess}),
        Mutant(
            "slow-at-the-gain",
            "slow-pole-solves",
            {"lhs": _polynomial.subs(_PLAIN).subs(K, a / eta).subs(s, -a)},
        ),
        Mutant("fast-at-two", "fast-pole-solves", {"lhs": _polynomial.subs(_PLAIN).subs(K, a / eta).subs(s, -2)}),
        Mutant("mass-without-the-half", "product", {"rhs": a}),
        Mutant("one-minus-the-root", "slow-pole-exactly", {"rhs": -(1 - root**2) / 2 * 2 / (1 - root)}),
        Mutant("at-most-one", "at-most-twice", {"large": Integer(1), "certificate": -_excess / (2 + _excess)}),
        Mutant("half-the-product", "product-is-twice-the-gain", {"rhs": a}),
        Mutant("slow-at-twice", "slow-limit", {"rhs": Integer(-2)}),
        Mutant("fast-at-one", "fast-limit", {"rhs": Integer(-1)}),
        Mutant("never-faster", "faster-than-first-order", {"small": Integer(2)}),
        Mutant("momentum-left", "reference-poles"),
    ),
)

n = Symbol("n")  # sqrt(mu)
gain_at_zeta_one = (1 - mu) ** 2 / (2 * (1 + mu))
monotone_gain = (1 - sqrt(mu)) ** 2
z = Symbol("z")

NEW_ONSET = Claim(
    id="new-monotone-frontier",
    cites=(),
    corrects=("sec-3.6",),
    says="Without lag the update is monotone in both modes iff eta K <= (1 - sqrt(mu))^2, which lies above "
    "the gain (1-mu)^2/(2(1+mu)) at zeta = 1 by the factor 2(1+mu)/(1+sqrt(mu))^2: from 2 at mu = 0 down to 1 "
    "at mu = 1.",
    formula=Le(a, monotone_gain),
    assumes=(nonnegative(mu),),
    verdict=Status.PROVED,
    because="At mu = 0.9 both ask for tiny gains, 0.002633 (exact) and 0.002632 (zeta = 1): the onset of the "
    "oscillator errs on the safe side, and hardly at all under strong momentum without lag.",
    steps=(
        Identity(
            "gain-at-zeta-one",
            (ZETA_10**2).subs(tau, 0).subs(K, gain_at_zeta_one / eta),
            Integer(1),
            "and zeta > 0 there",
            assumes=(positive(eta),),
        ),
        Identity(
            "double-root",
            (z**2 - (1 + mu - monotone_gain) * z + mu),
            (z - sqrt(mu)) ** 2,
            "at the frontier the update has the double root sqrt(mu)",
        ),
        Identity(
            "discriminant",
            (1 + mu - a) ** 2 - 4 * mu,
            (monotone_gain - a) * ((1 + sqrt(mu)) ** 2 - a),
            "real roots iff a <= (1-sqrt(mu))^2 or a >= (1+sqrt(mu))^2, where they are negative",
        ),
        Inequality(
            "conservative",
            gain_at_zeta_one.subs(mu, n**2),
            monotone_gain.subs(mu, n**2).subs(sqrt(n**2), n),
            (1 - n) ** 4 / (2 * (1 + n**2)),
            says="with n = sqrt(mu)",
            assumes=(nonnegative(n),),
        ),
        Identity(
            "factor",
            monotone_gain.subs(mu, n**2).subs(sqrt(n**2), n) / gain_at_zeta_one.subs(mu, n**2),
            2 * (1 + n**2) / (1 + n) ** 2,
            assumes=(between(n, 0, 1, "["),),
        ),
        Identity(
            "no-inertial-mode",
            (z**2 - (1 + mu - a) * z + mu).subs(mu, 0),
            z * (z - (1 - a)),
            "without momentum the update's second root is 0 at every gain, not exp(-2)",
        ),
        Property(
            "reference-frontier", "the roots of the reference map at and around the frontier", covers="double-root"
        ),
    ),
    mutants=(
        Mutant("double-gain", "gain-at-zeta-one", {"rhs": Rational(1, 2)}),
        Mutant("root-at-mu", "double-root", {"rhs": (z - mu) ** 2}),
        Mutant("sum-of-squares", "discriminant", {"rhs": (monotone_gain - a) * ((1 + sqrt(mu)) ** 2 + a)}),
        Mutant("reversed", "conservative", {"large": (1 - n) ** 2 / 2}),
        Mutant("factor-two-everywhere", "factor", {"rhs": Integer(2)}),
        Mutant("oscillator-root", "no-inertial-mode", {"rhs": (z - exp(-2)) * (z - (1 - a))}),
        Mutant("half-of-it", "reference-frontier"),
    ),
)

_share = Symbol("x")  # of the largest monotone gain
DELIBERATE = Claim(
    id="sec-4.2-small-rate-overdamped",
    cites=(Cite("", "4.2"), Cite("Proposition 8", "3.4")),
    says="A learning rate so small that K eta K_ref lies well below 1 - mu (read: a tenth of it) puts a run in the "
    "overdamped regime.",
    formula=Implies(K * eta * tau <= (1 - mu) / 10, ZETA_10 >= 1),
    assumes=(positive(K), positive(eta), between(mu, 0, 1, "["), nonnegative(tau)),
    uses=("eq-10", "prop-8"),
    verdict=Status.NARROWED,
    because="K eta K_ref < 1 - mu is stability; zeta >= 1 asks for K eta <= (1-mu)^2/(2(1+mu)) besides, whatever the "
    "lag: at mu = 0.9, eta = 1/1000, K = 10 and a refresh every step the product is a tenth of 1 - mu and zeta = 0.46. "
    "At mu = 0.9 and Table 2's eta = 1e-5 it needs K below 263.",
    steps=(
        Counterexample(
            "rings-at-a-tenth",
            Implies(K * eta * tau <= (1 - mu) / 10, ZETA_10 >= 1),
            {K: Integer(10), eta: Rational(1, 1000), mu: Rational(9, 10), tau: Integer(1)},
            1 - ZETA_10,
            1 - 9 * sqrt(382) / 382,
            "a small rate, usual momentum, the shortest interval",
            minimal="at the shortest interval the product is K eta alone",
        ),
        Identity(
            "small-enough",
            Subs(ZETA_10**2, (K, tau), (_share * (1 - mu) ** 2 / (2 * eta * (1 + mu)), 0)),
            1 / _share,
            "at a share x of that gain zeta = 1/sqrt(x): 1 or more for x <= 1",
            assumes=(positive(_share),),
            under="no lag, and K eta at most (1-mu)^2/(2(1+mu))",
        ),
    ),
    mutants=(
        Mutant(
            "without-momentum",
            "rings-at-a-tenth",
            {"at": {K: Integer(10), eta: Rational(1, 1000), mu: Integer(0), tau: Integer(1)}},
        ),
        Mutant(
            "threshold-alone",
            "small-enough",
            {"lhs": Subs(ZETA_10**2, (K, tau), (_share * (1 - mu) / eta, 0))},
        ),
    ),
    reply="At the rate of Table 2 both hold unless K exceeds some hundreds; K is not published.",
)

CLAIMS = (THEOREM_7, EQ_8, EQ_9, EQ_10, PROP_8, NEW_ONSET, DELIBERATE)
