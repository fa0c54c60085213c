"""Stale: what samples of an older policy do to an update that the importance ratio corrects."""

from sympy import Integer, Symbol

from spec.claim import Claim, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, nonnegative
from spec.symbols import p

q = Symbol("q")  # probability of the answer under the policy that sampled it
v_1, v_2 = Symbol("v_1"), Symbol("v_2")  # variance of the ratio of one token, and of the next

_right, _wrong = 1 + (p - q) / q, 1 - (p - q) / (1 - q)  # the importance ratios p/q and (1 - p)/(1 - q)
_variance = (p - q) ** 2 / (q * (1 - q))

REFRESH_NOISE = Claim(
    id="new-refresh-noise",
    cites=(),
    corrects=("sec-3.6",),
    uses=("eq-2",),
    says="With the importance ratio a long refresh interval leaves the mean of an unscaled update alone and adds to "
    "its variance, by the ratio's (p - q)^2 / (q (1 - q)), which has no bound; in a small transformer a long "
    "interval at a large learning rate ends in collapse, of which the expected update of the same network shows "
    "nothing.",
    verdict=Status.SUPPORTED,
    because="The ratio has mean 1 and that variance exactly. At learning rates of 2e-3 (SGD) and 1e-3 (AdamW), without "
    "a clip, all seven runs of a small transformer with an interval of 64 fell by 0.65 or more, the four of SGD for "
    "good; none at an interval of 1 did, and no noise-free twin.",
    reply="The paper asks for a sweep of the interval and expects a loss of stability at long ones: there is one. It "
    "is no oscillation about the plateau, and the mean dynamics from the same start do not have it. Their threshold "
    "assumes a small lag and one mode, and at these learning rates no stiffness was measured.",
    assumes=(between(p, 0, 1), between(q, 0, 1), nonnegative(v_1), nonnegative(v_2)),
    steps=(
        Identity("mean-kept", q * _right + (1 - q) * _wrong, Integer(1), "the ratio's mean under the older policy"),
        Identity(
            "ratio-variance",
            q * _right**2 + (1 - q) * _wrong**2 - 1,
            _variance,
            "its variance: 0 at lag 0, without bound as q approaches 0 or 1",
        ),
        Inequality(
            "tokens-multiply",
            v_1 + v_2,
            (1 + v_1) * (1 + v_2) - 1,
            v_1 * v_2,
            says="independent tokens multiply 1 + variance: an answer of several has more than their sum",
        ),
        Property(
            "trained-network",
            "frozen networks: the largest fall at an interval of 64 against that at 1, at two large learning rates, "
            "and that of the noise-free twins",
            kind="statistical",
        ),
    ),
    mutants=(
        Mutant("mean-of-the-square", "mean-kept", {"lhs": q * _right**2 + (1 - q) * _wrong**2}),
        Mutant("variance-of-the-newer", "ratio-variance", {"rhs": (p - q) ** 2 / (p * (1 - p))}),
        Mutant("variances-add-up", "tokens-multiply", {"certificate": Integer(0)}),
        Mutant("small-rate", "trained-network"),
    ),
)

CLAIMS = (REFRESH_NOISE,)
