"""Lag: a force from the past, and the oscillator that replaces it (Lemma 5, Eq. 7)."""

from sympy import (
    Derivative,
    Expr,
    I,
    Integer,
    Integral,
    Limit,
    Rational,
    S,
    Subs,
    Symbol,
    cos,
    exp,
    pi,
    sin,
)

from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, positive, real
from spec.relation import equal
from spec.symbols import K, K_ref, delta, eta, mu, s, t, tau

m = Symbol("m_mu")  # mass without lag
c = Symbol("c_mu")  # damping without lag
v = Symbol("v")  # initial velocity
u = Symbol("u")  # a fraction of the lag
x = Symbol("x")  # phase that a mode turns within the lag

FIXED = "mass, damping and stiffness fixed while tau -> 0; start from rest with a constant history"

symbol_of_delay = m * s**2 + c * s + K * exp(-s * tau)
mass = m + K * tau**2 / 2
damping = c - K * tau
symbol_of_ode = mass * s**2 + damping * s + K

EQ_7 = Claim(
    id="eq-7",
    cites=(Cite("Equation 7", "3.3"),),
    says="A force delayed by tau adds K tau^2/2 to the mass, takes K tau from the damping and leaves the stiffness.",
    formula=equal(Symbol("M_eff"), mass),
    uses=("eq-6",),
    verdict=Status.PROVED,
    because="The three coefficients are the Taylor coefficients of the delay equation's symbol m s^2 + c "
    "s + "
    "K exp(-s tau) at s = 0, to second order and no further.",
    steps=(
        Identity("stiffness", Subs(symbol_of_delay, s, 0), K, "a constant deviation feels the whole force"),
        Identity(
            "damping",
            Subs(Derivative(symbol_of_delay, s), s, 0),
            damping,
            "the lag takes K tau from the damping",
        ),
        Identity(
            "mass",
            Subs(Derivative(symbol_of_delay, (s, 2)), s, 0) / 2,
            mass,
            "and adds half of K tau^2 to the mass",
        ),
        Property(
            "reference-coefficients",
            "reference.oscillator.coefficients returns these for m and c of Eq. 6",
            covers="mass",
        ),
    ),
    mutants=(
        Mutant("stiffness-less-lag", "stiffness", {"rhs": K - K * tau}),
        Mutant("lag-adds-damping", "damping", {"rhs": c + K * tau}),
        Mutant("mass-without-half", "mass", {"rhs": m + K * tau**2}),
    ),
)

# --- Lemma 5 -----------------------------------------------------------------------------------------
# Velocity at the end of the first lag, history 1 and e'(0) = v: v + tau e''(0) + tau^2/2 e'''(0), up to O(tau^3).


def _velocity(inertia: Expr, friction: Expr, force: Expr, follows: Expr) -> Expr:
    """From m e'' + c e' + force = 0, the force changing at the rate `follows` at first."""
    bend = -(friction * v + force) / inertia
    return v + tau * bend - tau**2 / 2 * (friction * bend + follows) / inertia


_delayed = _velocity(m, c, K, S.Zero)  # the force is K throughout: it comes from the history
_reduced = _velocity(mass, damping, K, K * v)


def _second(expression: Expr) -> Expr:
    """The coefficient of tau^2."""
    return Subs(Derivative(expression, (tau, 2)), tau, 0) / 2


LEMMA_5 = Claim(
    id="lemma-5",
    cites=(Cite("Lemma 5", "3.3"),),
    says="Where the lag is short against the relaxation time, lambda tau << 1, the oscillator of Eq. 7 "
    "approximates the "
    "delay equation to order O(tau^3), uniformly in the sense of Lemma 4.",
    formula=equal(Symbol("[tau^3](delay-oscillator)"), -K * Symbol("e'''") / 6),
    where={Symbol("e'''"): s**3},
    uses=("eq-7",),
    verdict=Status.NARROWED,
    because="Third order holds for fixed m, c, K from rest; an initial velocity v makes it second order, "
    "a kick "
    "-K v tau^2/(2m); and with tau = K_ref delta, eta = O(delta) it is second order too, since on the "
    "fast mode the "
    "expansion's argument is 2 K_ref (1-mu)/(1+mu) for every delta, however small lambda tau.",
    reply="The paper starts its curves from rest and says that the expansion is for small tau; for fixed "
    "coefficients "
    "that is what it needs. Away from the initial layer third order survives also in the paper's scaling.",
    steps=(
        Identity(
            "taylor-with-remainder",
            exp(-x),
            1 - x + x**2 / 2 - x**3 * Integral((1 - u) ** 2 / 2 * exp(-x * u), (u, 0, 1)),
            "the delayed mode, x = s tau, is the expansion less an integral: nothing neglected",
            assumes=(positive(x),),
        ),
        Identity(
            "leading-neglected",
            Subs(Derivative(symbol_of_delay - symbol_of_ode, (tau, 3)), tau, 0) / 6,
            -K * s**3 / 6,
            "the leading neglected term is -K tau^3 e'''/6, as the paper says",
        ),
        Identity(
            "residual-on-an-exact-mode",
            Subs(
                Derivative(symbol_of_ode.subs(K, -(m * s**2 + c * s) * exp(s * tau)), (tau, 3)),
                tau,
                0,
            )
            / 6,
            -(m * s**2 + c * s) * s**3 / 6,
            "a mode of the delay equation misses the oscillator's symbol by third order: so do the simple roots",
        ),
        Counterexample(
            "initial-velocity",
            equal(_second(_delayed), _second(_reduced)),
            at={m: Integer(1), c: Integer(1), K: Integer(1), v: Integer(1)},
            gap=_second(_delayed) - _second(_reduced),
            amount=-Rational(1, 2),
            says="with an initial velocity the velocities after one lag differ by -K v tau^2/(2m): second order",
            minimal="unit mass, damping, stiffness and velocity; without the velocity the order is 3",
        ),
        Identity(
            "fast-mode",
            Subs(c / m * tau, (c, m, tau), ((1 - mu) * delta / eta, (1 + mu) * delta**2 / (2 * eta), K_ref * delta)),
            2 * K_ref * (1 - mu) / (1 + mu),
            "the expansion's argument on the fast mode contains neither delta nor eta K: 2 K_ref without "
            "momentum, "
            "where exp(2) = 7.4 stands against 1 + 2 + 2 = 5 at K_ref = 1",
        ),
        Property(
            "measured-second-order",
            "measured, the order is 2 with an initial velocity, and 2 in the sup norm with tau = K_ref "
            "delta, "
            "eta = O(delta)",
            refutes=True,
        ),
        Property(
            "measured-third-order",
            "measured, the order is 3 from rest for fixed mass, damping and stiffness",
            under=FIXED,
        ),
    ),
    mutants=(
        Mutant(
            "remainder-sign",
            "taylor-with-remainder",
            {"rhs": 1 - x + x**2 / 2 + x**3 * Integral((1 - u) ** 2 / 2 * exp(-x * u), (u, 0, 1))},
        ),
        Mutant("one-third", "leading-neglected", {"rhs": -K * s**3 / 3}),
        Mutant("fourth-power", "residual-on-an-exact-mode", {"rhs": -(m * s**2 + c * s) * s**4 / 6}),
        Mutant(
            "from-rest",
            "initial-velocity",
            {"at": {m: Integer(1), c: Integer(1), K: Integer(1), v: Integer(0)}},
        ),
        Mutant("fast-mode-shrinks", "fast-mode", {"rhs": 2 * K_ref * delta * (1 - mu) / (1 + mu)}),
        Mutant("velocity-of-third-order", "measured-second-order"),
        Mutant("order-two-from-rest", "measured-third-order"),
    ),
)


def _missed(trial: Expr) -> Expr:
    """The force that the expansion misses in 0 < t < tau, where the true delayed value is 1."""
    return K * (1 - (trial - tau * trial.diff(t) + tau**2 / 2 * trial.diff(t, 2)))


HISTORY = Claim(
    id="new-delay-history",
    cites=(),
    corrects=("lemma-5",),
    says="The order is set by the first lag, in which the force comes from the history: the expansion "
    "misses an impulse "
    "of K^2 tau^3/(6m) from rest and of K v tau^2/2 with an initial velocity v.",
    verdict=Status.PROVED,
    because="From rest the missed impulse is of the order of the neglected term itself; with a velocity "
    "it is one order "
    "larger, and e - e_ODE tends to -(K v tau^2/(2m)) times the response to a unit velocity.",
    uses=("eq-7",),
    steps=(
        Identity(
            "impulse-from-rest",
            Integral(_missed(1 - K * t**2 / (2 * m)), (t, 0, tau)),
            K**2 * tau**3 / (6 * m),
            "from rest e = 1 - K t^2/(2m) at first",
        ),
        Identity(
            "impulse-with-velocity",
            Integral(_missed(1 + v * t), (t, 0, tau)),
            K * v * tau**2 / 2,
            "with a velocity e = 1 + v t at first",
        ),
        Property(
            "measured-kick",
            "the error of the oscillator at a fixed time over tau^2 tends to that kick's response",
            covers="impulse-with-velocity",
        ),
    ),
    mutants=(
        Mutant("rest-second-order", "impulse-from-rest", {"rhs": K**2 * tau**2 / (6 * m)}),
        Mutant("velocity-third-order", "impulse-with-velocity", {"rhs": K * v * tau**3 / 2}),
    ),
)

_mass_at = K * tau**2 * cos(x) / x**2
_damping_at = K * tau * sin(x) / x

FRONTIER = Claim(
    id="new-delay-frontier",
    cites=(),
    corrects=("lemma-5",),
    says="The delay equation itself loses stability at lambda tau = x/sin(x), where cos(x)/sin(x)^2 = m "
    "K/c^2 and "
    "0 < x <= pi/2: between 1 and pi/2.",
    formula=equal(Symbol("lambda*tau"), x / sin(x)),
    assumes=(between(x, 0, Rational(3, 2)),),
    uses=("eq-7",),
    verdict=Status.HELD,
    because="Its oscillator says lambda tau = 1 for every mass, which the delay equation reaches only for "
    "infinite mass; "
    "without mass the truth is pi/2, 57% later, so the truncation errs on the safe side.",
    steps=(
        Identity(
            "crossing",
            Subs(m * s**2 + c * s, (m, c, s), (_mass_at, _damping_at, I * x / tau)),
            -K * exp(-I * x),
            "a mode exp(i x t/tau): what mass and damping need, the delayed force gives, in phase and in quadrature",
        ),
        Identity(
            "shape",
            Subs(m * K / c**2, (m, c), (_mass_at, _damping_at)),
            cos(x) / sin(x) ** 2,
            "x depends on m K/c^2 alone",
        ),
        Identity("lag", Subs(K / c * tau, c, _damping_at), x / sin(x), "the lag there over the relaxation time c/K"),
        Identity("infinite-mass", Limit(x / sin(x), x, 0), S.One, "1 for infinite mass, as Eq. 11 has it"),
        Identity("no-mass", Subs(x / sin(x), x, pi / 2), pi / 2, "pi/2 without mass"),
        Inequality(
            "never-before",
            S.Zero,
            Derivative(x - sin(x), x),
            2 * sin(x / 2) ** 2,
            says="x - sin(x) rises from 0, so x/sin(x) >= 1: the oscillator is never late",
            assumes=(real(x),),
        ),
        Property(
            "reference-frontier",
            "reference.lag counts no root in the right half-plane below this lag and two above it",
        ),
    ),
    mutants=(
        Mutant("force-ahead", "crossing", {"rhs": -K * exp(I * x)}),
        Mutant("truncated-sine", "crossing", {"rhs": -K * (cos(x) - I * x)}),
        Mutant("sine-not-squared", "shape", {"rhs": cos(x) / sin(x)}),
        Mutant("as-eq-11", "lag", {"rhs": S.One}),
        Mutant("pi-over-two-at-infinite-mass", "infinite-mass", {"rhs": pi / 2}),
        Mutant("one-without-mass", "no-mass", {"rhs": S.One}),
        Mutant("tangent-side", "never-before", {"certificate": -2 * sin(x / 2) ** 2}),
        Mutant("later-frontier", "reference-frontier"),
    ),
)

CLAIMS = (EQ_7, LEMMA_5, HISTORY, FRONTIER)
