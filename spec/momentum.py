"""Momentum: the heavy-ball map and the second-order ODE said to track it (Lemma 4, Eq. 6)."""

from sympy import Derivative, Eq, Integer, Rational, Symbol, cosh, diff, exp, log, sinh

from spec.claim import Cite, Claim, Counterexample, Identity, Mutant, Status
from spec.domain import between, nonnegative, positive, real
from spec.symbols import K, a, delta, eta, mu, s

mass = (1 + mu) * delta**2 / (2 * eta)
damping = (1 - mu) * delta / eta
x = Symbol("x")  # s*delta

# the map e_{k+1} - e_k = -eta K e_k + mu (e_k - e_{k-1}) on the mode exp(s k delta), divided by the mode
symbol_of_map = exp(s * delta) - (1 + mu - eta * K) + mu * exp(-s * delta)
symbol_of_ode = mass * s**2 + damping * s + K
remainder = (1 - mu) * (sinh(s * delta) - s * delta) + (1 + mu) * (cosh(s * delta) - 1 - (s * delta) ** 2 / 2)

EQ_6 = Claim(
    id="eq-6",
    cites=(Cite("Equation 6", "3.3"),),
    says="Expanding the heavy-ball map in the step size leaves an oscillator with mass (1+mu) delta^2/(2 eta) "
    "and damping (1-mu) delta/eta.",
    formula=Eq(Symbol("m_mu"), mass, evaluate=False),
    assumes=(between(mu, 0, 1, "["), positive(eta), real(K), positive(delta), real(s)),
    
    verdict=Status.PROVED,
    because="The coefficients are those of the second-order Taylor expansion; the first term dropped is "
    "(1-mu) (s delta)^3/6, exactly as large as the step makes it.",
    steps=(
        Identity(
            "taylor-with-remainder",
            symbol_of_map,
            eta * symbol_of_ode + remainder,
            "the map equals eta times the ODE plus an explicit remainder, nothing neglected",
        ),
        Identity(
            "mass",
            mass * eta,
            Derivative(exp(x) + mu * exp(-x), x, 2).subs(x, 0) * delta**2 / 2,
        ) if False else Identity("mass", mass * eta / delta**2, diff(exp(x) + mu * exp(-x), x, 2).subs(x, 0) / 2),
    ),
    mutants=(
        Mutant("half-mass", "taylor-with-remainder", {"rhs": eta * (mass * s**2 / 2 + damping * s + K) + remainder}),
    ),
)

CLAIMS = (EQ_6,)
