"""Instance: what the eight undisclosed rewards of Section 5.6 can have been."""

from sympy import Expr, Symbol, exp, log, sqrt

from spec.claim import Claim, Identity, Mutant, Property, Status
from spec.domain import positive, real, where
from spec.relation import equal
from spec.symbols import K, beta

p_star, p_ref, sigma_ref = Symbol("p_star"), Symbol("p_ref"), Symbol("sigma_ref")
r_1, r_2 = Symbol("r_1"), Symbol("r_2")  # two rewards
sigma_star = Symbol("sigma_star")  # std of the reward under pi*
Z = Symbol("Z")  # what normalises pi*
g_1, g_2 = Symbol("g_1"), Symbol("g_2")  # gaps between three rewards in rising order


def _ratio(reward: Symbol) -> exp:
    """pi*/pi_ref of a completion."""
    return exp(reward / (beta * sigma_star)) / Z


c, d = Symbol("c"), Symbol("d")  # another unit of the reward


def _rate(spread: Symbol, end: Symbol, start: Symbol) -> Expr:
    """The first rate of -log(p* - p) at eight completions."""
    return spread / (8 * (end - start))


first_rate = _rate(sigma_ref, p_star, p_ref)

_mean = r_1 + (2 * g_1 + g_2) / 3  # of r_1, r_1 + g_1, r_1 + g_1 + g_2
_squares = (r_1 - _mean) ** 2 + (r_1 + g_1 - _mean) ** 2 + (r_1 + g_1 + g_2 - _mean) ** 2
_spread = sqrt(2 * (g_1**2 + g_1 * g_2 + g_2**2)) / 3  # their std

TILTED = Claim(
    id="new-tilted-fixed-point",
    cites=(),
    corrects=("sec-5.6-measured-stiffness",),
    says="For any rewards the mean gradient of Eq. 2 vanishes at the reference policy tilted by the reward, pi* "
    "proportional to pi_ref exp(r/(beta sigma*)) with sigma* the std under pi* itself; and from a uniform policy over "
    "n completions the rate read off -log(p* - p) begins at sigma_ref/(n (p* - p_ref)).",
    verdict=Status.PROVED,
    because="Both numbers of Section 5.6 therefore follow from the rewards alone, without a run: p* from one equation "
    "in one unknown, and the rate from how many standard deviations p* lies above the start, which is near 1 for most "
    "rewards, so that K is near 1/8.",
    assumes=(real(r_1), real(r_2), positive(sigma_star), positive(beta), positive(Z), positive(g_1), positive(g_2)),
    steps=(
        Identity(
            "no-force",
            r_1 / sigma_star - beta * log(_ratio(r_1)),
            r_2 / sigma_star - beta * log(_ratio(r_2)),
            "advantage less KL term is the same for any two completions, and only differences act",
        ),
        Identity(
            "first-speed",
            _squares / 9 / _spread,
            _spread / 3,
            "dp/dt = sum_j pi_j^2 (r_j - p) A_j at three equally likely completions: sigma_ref/n",
        ),
        Property(
            "reference-bandit",
            "the reference gradient vanishes at the tilted policy, and the first step moves p by eta sigma_ref/n",
            covers="no-force",
        ),
    ),
    mutants=(
        Mutant(
            "tilt-without-beta",
            "no-force",
            {
                "lhs": r_1 / sigma_star - beta * log(exp(r_1 / sigma_star) / Z),
                "rhs": r_2 / sigma_star - beta * log(exp(r_2 / sigma_star) / Z),
            },
        ),
        Mutant("variance", "first-speed", {"rhs": _spread**2 / 3}),
    ),
)

SEARCH = Claim(
    id="new-instance-search",
    uses=("new-tilted-fixed-point", "new-reward-units"),
    cites=(),
    corrects=("fig-6", "sec-5.6-measured-stiffness"),
    says="Among all shapes of eight rewards on five equidistant levels, those that show the cascade of Figure 6 at the "
    "stated setting (monotone at K_ref = 1, ringing about p* at some longer lag) exist if the whole gradient is "
    "stale, and do not exist under Eq. 2 as Section 5.6 describes it.",
    formula=equal(K, first_rate),
    verdict=Status.HELD,
    because="Of 287 shapes 106 have a p* at beta = 1; K lies between 0.094 and 0.17, 16 round to 0.12, and each of "
    "those has a unit in which p* is 1.35. With stale gradients 31 show the cascade, 6 of them at K = 0.12; under Eq. "
    "2 none does: the figure is that of Lemma 5's premise, not of the stated objective.",
    assumes=(positive(c), real(d), positive(sigma_ref), real(p_ref), real(p_star), where(p_star > p_ref, "p* > p_ref")),
    steps=(
        Identity(
            "unit-free",
            _rate(c * sigma_ref, c * p_star + d, c * p_ref + d),
            first_rate,
            "in the unit r -> c r + d any p* can be 1.35, and K is what it was",
        ),
        Property("shapes", "how many shapes have a p*, and what K they have; runs of the map agree"),
        Property("stale-gradients", "with stale gradients 31 shapes show the cascade, 6 of them at K = 0.12"),
        Property(
            "printed-objective",
            "under Eq. 2 none shows it, and none at K = 0.12 where a dead band of 5% hides small overshoots",
        ),
        Property(
            "corner",
            "at eta = 0.01 ringing begins below the line for every shape with stale gradients; under Eq. 2 68 shapes "
            "overshoot nowhere up to four times the line",
        ),
    ),
    mutants=(
        Mutant(
            "spread-unscaled",
            "unit-free",
            {"lhs": _rate(sigma_ref, c * p_star + d, c * p_ref + d)},
        ),
        Mutant("half-beta", "shapes"),
        Mutant("no-lag", "stale-gradients"),
        Mutant("whole-gradient", "printed-objective"),
        Mutant("swapped", "corner"),
    ),
)

CLAIMS = (TILTED, SEARCH)
