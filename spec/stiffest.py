"""Stiffest: which stiffness a lag meets where the force has several modes, as in a network."""

from sympy import Integer, Symbol

from spec.claim import Claim, Identity, Inequality, Mutant, Property, Status
from spec.domain import positive, real
from spec.symbols import K

w_1, w_2 = Symbol("w_1"), Symbol("w_2")  # how much of the reward's error lies in either mode
g = Symbol("g")  # by how much the second mode is stiffer
t = Symbol("t")  # tangent of half the angle between the modes and the axes
F = Symbol("F")  # -(z - 1)(z - mu) z^(lag - 1) / eta: what the lagged map asks of an eigenvalue of the force

_cos, _sin = (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
_stiff = K + g
_11 = K * _cos**2 + _stiff * _sin**2
_22 = K * _sin**2 + _stiff * _cos**2
_12 = g * _cos * _sin
_reward = (w_1 * K + w_2 * _stiff) / (w_1 + w_2)

STIFFEST = Claim(
    id="new-stiffest-mode",
    cites=(),
    corrects=("sec-3.6",),
    uses=("new-constant-frontier",),
    says="A symmetric linear force of several modes, every gradient late by the same lag, loses stability where its "
    "stiffest mode does, at eta K_max; a rate read off the reward is an average of the modes' stiffnesses, which "
    "K_max exceeds, in a trained network by more than an order of magnitude.",
    verdict=Status.SUPPORTED,
    because="The characteristic equation factors over the modes. In a transformer of 3e4 weights the top eigenvalue of "
    "the linearised force was about 16 times the stiffness fitted to the reward at the start of the rise and 30 times "
    "on it; with truly late gradients the stiffest mode decayed at 0.9 times the exact map's limit and grew at 1.3 "
    "times, in every network.",
    reply="The paper's K is that of one order parameter; where the reward's error lies in one mode the two agree.",
    assumes=(positive(K), positive(g), positive(w_1), positive(w_2), real(t), real(F)),
    steps=(
        Inequality(
            "reward-sees-less",
            _reward,
            _stiff,
            w_1 * g / (w_1 + w_2),
            strict=True,
            says="an average of K and K + g with positive weights stays below K + g",
        ),
        Identity(
            "modes-decouple",
            (F - _11) * (F - _22) - _12**2,
            (F - K) * (F - _stiff),
            "the determinant of the coupled map is the product of the two modes' own equations",
        ),
        Property(
            "coupled-map",
            "runs of a coupled map of five modes settle below reference.lag's limit of the stiffest and grow above it",
        ),
        Property(
            "trained-network",
            "frozen networks: the top eigenvalue against the fitted stiffness, and the learning rate at which a true "
            "delay makes its mode grow against the exact limit",
            kind="statistical",
        ),
    ),
    mutants=(
        Mutant("average-above", "reward-sees-less", {"certificate": w_2 * g / (w_1 + w_2)}),
        Mutant("coupled", "modes-decouple", {"rhs": (F - K) * (F - _stiff) - Integer(1)}),
        Mutant("mean-stiffness", "coupled-map"),
        Mutant("fitted-stiffness", "trained-network"),
    ),
)

CLAIMS = (STIFFEST,)
