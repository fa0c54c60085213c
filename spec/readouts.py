"""Read-outs: the fit of Section 4.4 and the four diagnostics of Sections 5.1-5.5 (Figures 1-5)."""

from __future__ import annotations

from sympy import (
    Derivative,
    Expr,
    Ge,
    Gt,
    Implies,
    Integer,
    Le,
    Limit,
    Lt,
    Rational,
    Subs,
    Sum,
    Symbol,
    binomial,
    exp,
    log,
    oo,
    sinh,
    sqrt,
)

from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import between, integer, nonnegative, positive
from spec.relation import equal
from spec.symbols import R_0, G, K, K_ref, R_inf, a, eta, mu, omega_n, p, t

R2 = Symbol("R2")
lam = Symbol("lambda")
k = Symbol("k")

# --- Section 4.4: what the coefficient of determination can tell ----------------------------------


def critical(start: Expr, plateau: Expr, omega: Expr, at: Expr = t) -> Expr:
    """The critically damped law."""
    return plateau - (plateau - start) * (1 + omega * at) * exp(-omega * at)


_TIMES = tuple(Rational(i, 10) for i in range(11))


def _r2(curve: tuple[Expr, ...], parameters: tuple[Expr, Expr, Expr]) -> Expr:
    """R^2 of a critically damped curve on 11 points of [0, 1]; a lower bound of the best fit's."""
    mean = sum(curve, Integer(0)) / len(curve)
    error = sum(((critical(*parameters, x) - y) ** 2 for x, y in zip(_TIMES, curve, strict=True)), Integer(0))
    return 1 - error / sum(((y - mean) ** 2 for y in curve), Integer(0))


# least-squares parameters, rounded
_r2_line = _r2(_TIMES, (Rational(7, 100), Rational(139, 100), Rational(47, 20)))
_r2_exponential = _r2(
    tuple(1 - exp(-3 * x) for x in _TIMES), (Rational(23, 200), Rational(931, 1000), Rational(131, 20))
)
floor_r2 = Rational(91, 100)

FIT = Claim(
    id="sec-4.4",
    uses=("prop-14",),
    cites=(Cite("", "4.4"), Cite("", "5.1"), Cite("", "abstract")),
    says="R^2 >= 0.91 of a least-squares fit of the critically damped law shows that training follows that law.",
    formula=Implies(floor_r2 <= R2, equal(Symbol("shape"), Symbol("critically damped"))),
    where={R2: _r2_line},
    verdict=Status.REFUTED,
    because="The same fit reaches R^2 = 0.996 on a straight line, 0.991 on an exact single exponential "
    "over three relaxation times (at least 0.989 up to twenty) and 0.977 on a square root, none of which "
    "has a slow start.",
    steps=(
        Inequality(
            "line",
            Rational(99, 100),
            _r2_line,
            _r2_line - Rational(99, 100),
            strict=True,
            says="R^2 of one critically damped curve on the line R = t; the best fit is at least as good",
        ),
        Inequality(
            "single-exponential",
            Rational(98, 100),
            _r2_exponential,
            _r2_exponential - Rational(98, 100),
            strict=True,
            says="the same on 1 - exp(-3 t), the law that it is meant to be told from",
        ),
        Property(
            "least-squares",
            "on 201 points the best fit to a line, a square root and exponentials exceeds 0.91 throughout",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("three-nines", "line", {"small": Rational(999, 1000)}),
        Mutant("exact-fit", "single-exponential", {"small": Integer(1)}),
        Mutant("early-dip", "least-squares"),
    ),
    reply="A good fit is necessary, not sufficient; the case for inertia rests on the shape near the start.",
)

single = R_inf - (R_inf - R_0) * exp(-lam * t)
below_plateau = Symbol("A")  # R_inf - R_0

SLOW_START = Claim(
    id="sec-5.1-no-slow-start",
    uses=("eq-14",),
    cites=(Cite("", "5.1"), Cite("Equation 13", "3.5")),
    says="A single exponential is concave from t = 0 with its largest slope there, so it has no slow start.",
    assumes=(positive(below_plateau), positive(lam), positive(t)),
    verdict=Status.PROVED,
    because="R'' = -lambda R' is negative at every t, and the slope falls by exp(-lambda t).",
    steps=(
        Identity("concave", Derivative(single, t, 2), -lam * Derivative(single, t), "R'' = -lambda R'", assumes=()),
        Inequality(
            "steepest-at-once",
            below_plateau * lam * exp(-lam * t),
            below_plateau * lam,
            2 * below_plateau * lam * exp(-lam * t / 2) * sinh(lam * t / 2),
            strict=True,
            says="the slope at any later time is below that at 0",
        ),
    ),
    mutants=(
        Mutant("convex", "concave", {"rhs": lam * Derivative(single, t)}),
        Mutant("growing", "steepest-at-once", {"small": below_plateau * lam * exp(lam * t)}),
    ),
)

TRAIN_FIT = Claim(
    id="sec-5.1-train-fit",
    cites=(Cite("", "5.1"), Cite("Figure 1", "5.1"), Cite("", "abstract")),
    says="The fit reaches R^2 >= 0.91 on the six training curves and 0.97 on those of Nemotron and "
    "Qwen-1.5B, and 0.92 to 0.98 on the held-out reward at G = 16.",
    formula=Ge(R2, floor_r2),
    verdict=Status.UNTESTABLE,
    because="The curves are published as pictures alone.",
    needs="the logged reward of the twelve runs, step by step, and the fitted R_0, R_inf and omega_n",
)

INVARIANCE = Claim(
    id="sec-5.1-plateau-invariance",
    uses=("prop-10",),
    cites=(Cite("", "5.1"), Cite("", "abstract")),
    says="Going from G = 4 to G = 16 leaves the fitted plateau unchanged and narrows the band of the two seeds.",
    formula=equal(Symbol("R_inf at G=4"), Symbol("R_inf at G=16")),
    verdict=Status.UNTESTABLE,
    because="No fitted plateau is printed; and a band from two seeds has a relative error of 76%, so that "
    "a factor of 2 between two such bands is within its noise.",
    needs="the fitted R_inf with errors for each run, and more than two seeds for the width of the band",
)

DOUBLING = Claim(
    id="sec-5.1-doubling",
    cites=(Cite("Figure 1", "5.1"),),
    says="Going from G = 4 to G = 16 doubles G.",
    verdict=Status.REFUTED,
    because="16/4 = 4; Section 5.7 calls the same step quadrupling and Section 4.2 fourfold.",
    steps=(
        Counterexample(
            "ratio",
            equal(Symbol("G_2") / Symbol("G_1"), 2),
            {Symbol("G_1"): Integer(4), Symbol("G_2"): Integer(16)},
            Symbol("G_2") / Symbol("G_1") - 2,
            Integer(2),
            "the two group sizes of the study",
            minimal="the only pair that was run",
        ),
    ),
    mutants=(Mutant("four-to-eight", "ratio", {"at": {Symbol("G_1"): Integer(4), Symbol("G_2"): Integer(8)}}),),
    reply="A slip of the pen in a caption; nothing rests on it.",
)

lowest_eval_16 = Symbol("lowest R2 of an eval panel at G=16")
highest_eval_4 = Symbol("highest R2 of an eval panel at G=4")

FIG_1 = Claim(
    id="fig-1",
    cites=(Cite("Figure 1", "5.1"),),
    says="The eval-side fits, which degrade to 0.55-0.69 at G = 4, recover R^2 >= 0.92 in the corresponding "
    "panels at G = 16.",
    verdict=Status.REFUTED,
    because="Section 5.1 gives 0.75 to 0.95 for the eval-accuracy panels (p)-(r) at G = 16, which are the "
    "counterparts of the degraded panels (m)-(n), 0.92 being the floor of the eval reward alone; and it gives "
    "0.97 for panel (o) at G = 4, outside the caption's 0.55 to 0.69.",
    steps=(
        Counterexample(
            "eval-accuracy",
            Ge(lowest_eval_16, Rational(92, 100)),
            {lowest_eval_16: Rational(75, 100)},
            Rational(92, 100) - lowest_eval_16,
            Rational(17, 100),
            "the text's own range",
            minimal="the lower end of the printed range",
        ),
        Counterexample(
            "eval-accuracy-4",
            Le(highest_eval_4, Rational(69, 100)),
            {highest_eval_4: Rational(97, 100)},
            highest_eval_4 - Rational(69, 100),
            Rational(28, 100),
            "panel (o), the exception that the text names",
            minimal="the only such panel",
        ),
    ),
    mutants=(
        Mutant("degraded-panel", "eval-accuracy-4", {"at": {highest_eval_4: Rational(69, 100)}}),
        Mutant("eval-reward", "eval-accuracy", {"at": {lowest_eval_16: Rational(92, 100)}}),
    ),
    reply="Read as speaking of the held-out reward alone, the caption agrees with the text.",
)

n = Symbol("n")
signal, noise = Symbol("V"), Symbol("s2")
residual_share = (n - 3) * noise / (n * signal + (n - 1) * noise)

SPARSE = Claim(
    id="sec-5.1-sparse-logging",
    cites=(Cite("", "5.1"), Cite("Figure 1", "5.1")),
    says="The eval fits at G = 4 are worse because, logged every 100 steps, the curve is both shorter and "
    "noisier, which leaves too few points for three parameters.",
    assumes=(integer(n, 4), positive(signal), positive(noise)),
    formula=Gt(residual_share.subs(n, 37), residual_share.subs(n, 149)),
    uses=("new-step-counts",),
    verdict=Status.NARROWED,
    because="Noisier lowers R^2, shorter does not: at equal signal and noise fewer points "
    "give a higher R^2, not a lower one: the residual share "
    "of a three-parameter fit is 34/73 = 0.466 at 37 points and 146/297 = 0.492 at 149; 37 points are "
    "plenty for three numbers.",
    steps=(
        Identity(
            "share",
            Derivative(residual_share, n),
            noise * (3 * signal + 2 * noise) / (n * signal + (n - 1) * noise) ** 2,
            "expected residual over expected total sum of squares, linear least squares: rises with n",
            assumes=(positive(n),),
        ),
        Identity(
            "noisier",
            Derivative(residual_share, noise),
            n * (n - 3) * signal / (n * signal + (n - 1) * noise) ** 2,
            "the residual share rises with the noise",
            under="the curve at G = 4 is noisier, whatever the number of its points",
        ),
        Counterexample(
            "fewer-points-fit-worse",
            Gt(residual_share.subs(n, 37), residual_share.subs(n, 149)),
            {signal: Integer(1), noise: Integer(1)},
            residual_share.subs(n, 149) - residual_share.subs(n, 37),
            Rational(560, 21681),
            "3736 and 14946 steps logged every 100 give 37 and 149 points",
            minimal="any positive signal and noise do",
        ),
        Property(
            "critical-law",
            "the mean R^2 of the paper's law on 37 noisy points is not below that on 149",
            kind="statistical",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant(
            "two-parameters-more",
            "share",
            {"rhs": noise * (3 * signal + 4 * noise) / (n * signal + (n - 1) * noise) ** 2},
        ),
        Mutant("no-points-to-spare", "noisier", {"rhs": n**2 * signal / (n * signal + (n - 1) * noise) ** 2}),
        Mutant(
            "swapped",
            "fewer-points-fit-worse",
            {"statement": Lt(residual_share.subs(n, 37), residual_share.subs(n, 149))},
        ),
        Mutant("noisier", "critical-law"),
    ),
    reply="The sentence names the noise too; no measured noise is printed, and sparse logging does not make it.",
)

# --- Section 5.2, Figure 2 ------------------------------------------------------------------------

gap_single = below_plateau * exp(-lam * t)
gap_critical = below_plateau * (1 + omega_n * t) * exp(-omega_n * t)
rate_critical = omega_n**2 * t / (1 + omega_n * t)

LOCAL_RATE = Claim(
    id="sec-5.2-local-rate",
    uses=("eq-14",),
    cites=(Cite("", "5.2"), Cite("Figure 2", "5.2")),
    says="-log(R_inf - R) is a straight line in t whose slope is the relaxation rate, with R_inf from the "
    "critically damped fit.",
    assumes=(positive(below_plateau), nonnegative(t)),
    verdict=Status.NARROWED,
    because="Straight for the single exponential alone; for the law that supplies R_inf the slope is "
    "omega^2 t/(1 + omega t), zero at the start and twice as large at omega t = 2 as at 1/2.",
    steps=(
        Identity(
            "single",
            Derivative(-log(gap_single), t),
            lam,
            "constant slope",
            assumes=(positive(lam),),
            under="the trajectory is a single exponential (Eq. 14)",
        ),
        Counterexample(
            "critical",
            equal(rate_critical, omega_n / 2),
            {omega_n: Integer(1), t: Integer(2)},
            rate_critical - omega_n / 2,
            Rational(1, 6),
            "the slope at omega t = 1 is omega/2; a straight line would keep it",
            minimal="any other time does",
        ),
    ),
    mutants=(
        Mutant("plateau-as-rate", "single", {"rhs": below_plateau}),
        Mutant("same-time", "critical", {"at": {omega_n: Integer(1), t: Integer(1)}}),
    ),
    reply="Late in the run both laws have a slope that hardly changes.",
)

other = Symbol("omega_e")

RATE_LAW = Claim(
    id="new-local-rate",
    uses=("eq-16",),
    cites=(),
    corrects=("sec-5.2-local-rate", "sec-5.2-train-rate-vanishes"),
    says="Under the critically damped law the local rate is omega^2 t/(1 + omega t): it rises from 0 to "
    "omega, and the coupling ratio of two such curves goes from the square of the ratio of their rates to "
    "the ratio itself.",
    assumes=(positive(below_plateau), positive(omega_n), positive(t), positive(other)),
    verdict=Status.PROVED,
    because="So a fixed pair of rates does not give a fixed coupling ratio: at half the rate it starts at "
    "1/4 and ends at 1/2, without any change in the coupling.",
    steps=(
        Identity("rate", Derivative(-log(gap_critical), t), rate_critical),
        Identity("end", rate_critical, omega_n - omega_n / (1 + omega_n * t), "short of omega by a term that vanishes"),
        Identity(
            "coupling-ratio",
            Derivative(-log(gap_critical.subs(omega_n, other)), t) / Derivative(-log(gap_critical), t),
            other**2 / omega_n**2 * (1 + omega_n * t) / (1 + other * t),
            "the square of the ratio of the rates at t = 0",
        ),
        Identity(
            "ratio-at-last",
            Limit(other**2 / omega_n**2 * (1 + omega_n * t) / (1 + other * t), t, oo),
            other / omega_n,
            "and the ratio itself in the end",
        ),
    ),
    mutants=(
        Mutant("rate-without-saturation", "rate", {"rhs": omega_n**2 * t}),
        Mutant("vanishes", "end", {"rhs": omega_n / (1 + omega_n * t)}),
        Mutant("constant-ratio", "coupling-ratio", {"rhs": other / omega_n}),
        Mutant("ratio-squared", "ratio-at-last", {"rhs": other**2 / omega_n**2}),
    ),
)

VANISHES = Claim(
    id="sec-5.2-train-rate-vanishes",
    cites=(Cite("", "5.2"), Cite("Figure 2", "5.2")),
    says="As R_train approaches R_inf the train rate goes to 0, which makes the coupling ratio ill-defined.",
    assumes=(positive(omega_n), nonnegative(t)),
    formula=equal(Limit(rate_critical, t, oo), 0),
    verdict=Status.REFUTED,
    because="Under the single exponential the rate is constant and under the critically damped law it "
    "rises towards omega: a rate that vanishes contradicts both, and comes from an R_inf that is fitted "
    "too high or from noise about it.",
    steps=(
        Inequality(
            "rises",
            rate_critical,
            rate_critical.subs(t, t + a),
            omega_n**2 * a / ((1 + omega_n * t) * (1 + omega_n * (t + a))),
            strict=True,
            says="later is faster",
            assumes=(positive(a),),
        ),
        Counterexample(
            "half-way-up",
            Lt(rate_critical, omega_n / 2),
            {omega_n: Integer(1), t: Integer(9)},
            rate_critical - omega_n / 2,
            Rational(2, 5),
            "at omega t = 9, where 99.9% of the rise is over, the rate is 9/10 of omega",
            minimal="any omega t >= 1 does",
        ),
    ),
    mutants=(
        Mutant("falls", "rises", {"small": rate_critical.subs(t, t + a), "large": rate_critical}),
        Mutant("early", "half-way-up", {"at": {omega_n: Integer(1), t: Rational(1, 2)}}),
    ),
    reply="With noise the distance to the fitted plateau stops shrinking, and the regressed slope does fall.",
)

R_t = Symbol("R")

PARAMETER_FREE = Claim(
    id="sec-5.2-parameter-free",
    cites=(Cite("", "5.2"),),
    says="The vertical gap to the diagonal is a parameter-free measure of the hacking deficit.",
    assumes=(between(R_0, 0, 1), between(R_inf, 0, 1, "]"), between(R_t, 0, 1)),
    formula=equal(Derivative((R_t - R_0) / (R_inf - R_0), R_inf), 0),
    verdict=Status.REFUTED,
    because="It contains four fitted numbers: an eval plateau fitted at 9/10 instead of 8/10 turns the "
    "same reward 6/10 from a progress of 2/3 into 4/7, a deficit of 2/21 made by the fit alone.",
    steps=(
        Counterexample(
            "plateau-moves-it",
            equal((R_t - R_0) / (R_inf - R_0), Rational(2, 3)),
            {R_t: Rational(6, 10), R_0: Rational(2, 10), R_inf: Rational(9, 10)},
            Rational(2, 3) - (R_t - R_0) / (R_inf - R_0),
            Rational(2, 21),
            "2/3 is the progress with the plateau at 8/10",
            minimal="any change of the plateau does",
        ),
    ),
    mutants=(
        Mutant(
            "same-plateau",
            "plateau-moves-it",
            {"at": {R_t: Rational(6, 10), R_0: Rational(2, 10), R_inf: Rational(8, 10)}},
        ),
    ),
    reply="No parameter is tuned for the diagnostic itself.",
)

progress = (critical(R_0, R_inf, omega_n) - R_0) / (R_inf - R_0)

FIG_2 = Claim(
    id="fig-2",
    uses=("eq-17",),
    cites=(Cite("Figure 2", "5.2"), Cite("", "5.2")),
    says="Two rewards that saturate with the same rate fall on the diagonal of normalised progress and "
    "have coupling ratio 1, whatever their starts, plateaus and speed.",
    assumes=(positive(t), positive(omega_n)),
    verdict=Status.PROVED,
    because="Normalised progress does not contain start or plateau, and equal rates cancel in the ratio at "
    "every time: the healthy reading is right; what the panels show is another matter (sec-5.2-findings).",
    steps=(
        Identity(
            "progress",
            progress,
            1 - (1 + omega_n * t) * exp(-omega_n * t),
            "free of R_0 and R_inf",
            assumes=(),
        ),
        Identity(
            "ratio",
            Derivative(-log(gap_critical), t) / Derivative(-log(gap_critical.subs(below_plateau, R_0)), t),
            Integer(1),
            "two amplitudes, one rate",
            assumes=(positive(below_plateau), positive(R_0)),
        ),
    ),
    mutants=(
        Mutant("start-stays", "progress", {"lhs": critical(R_0, R_inf, omega_n) / R_inf}),
        Mutant(
            "rates-differ",
            "ratio",
            {"lhs": Derivative(-log(gap_critical), t) / Derivative(-log(gap_critical.subs(omega_n, 2 * omega_n)), t)},
        ),
    ),
)

FINDINGS_2 = Claim(
    id="sec-5.2-findings",
    cites=(Cite("", "5.2"), Cite("Figure 2", "5.2")),
    says="At G = 4 the coupling ratio of Nemotron and DeepSeek-7B stays below 1 throughout; that of "
    "Qwen-1.5B at G = 16 is about 1 over the middle 80% of training.",
    formula=Lt(Symbol("rho"), 1),
    verdict=Status.UNTESTABLE,
    because="The ratios are published as pictures, without errors, from windows that cover 45% of the run; "
    "where R exceeds the fitted plateau the logarithm does not exist, and how such points were treated is "
    "not said.",
    needs="the train and eval curves, the fitted plateaus, and the rule for points above the plateau",
)

# --- Section 5.3, Figure 3 ------------------------------------------------------------------------


def within_group_variance(size: int) -> Expr:
    """The mean over groups of the sample variance (ddof 1) of `size` Bernoulli(p) rewards."""
    weight = binomial(size, k) * p**k * (1 - p) ** (size - k)
    return Sum(weight * k * (size - k) / (size * (size - 1)), (k, 0, size))


sigma_adv2 = Symbol("sigma_adv2")

FIG_3 = Claim(
    id="fig-3",
    uses=("lemma-6",),
    cites=(Cite("Figure 3", "5.3"), Cite("", "5.3"), Cite("Lemma 6", "3.3")),
    says="Under the paper's assumptions sigma_adv^2/G at G = 4 and at G = 16 lie on one plateau: divided "
    "by G the curves coincide.",
    assumes=(positive(sigma_adv2),),
    formula=equal(sigma_adv2 / 4, sigma_adv2 / 16),
    verdict=Status.REFUTED,
    because="If sigma_adv does not depend on G, as Lemma 6 takes it, sigma_adv^2/G differs by a factor of "
    "4 between the two sizes: exactly 4 for the mean sample variance, which is p(1-p) for every G (3.2 with "
    "ddof 0), and 3.49 at p = 1/2 for the squared mean deviation (ddof 1) that is "
    "plotted. Coinciding curves would refute the model, and the gap that the paper reports is what it "
    "predicts.",
    steps=(
        Identity("variance-4", within_group_variance(4), p * (1 - p), "no dependence on G at 4"),
        Identity("variance-16", within_group_variance(16), p * (1 - p), "nor at 16"),
        Identity(
            "population-variance",
            (Rational(3, 4) * within_group_variance(4) / 4) / (Rational(15, 16) * within_group_variance(16) / 16),
            Rational(16, 5),
            "with ddof 0 the ratio of the two curves is 3.2",
        ),
        Counterexample(
            "common-plateau",
            equal(sigma_adv2 / 4, sigma_adv2 / 16),
            {sigma_adv2: Rational(1, 4)},
            (sigma_adv2 / 4) / (sigma_adv2 / 16),
            Integer(4),
            "one spread, two group sizes",
            minimal="any positive spread does",
        ),
        Property(
            "groups",
            "enumerated, the ratio is 4 with ddof 1, 16/5 with ddof 0, and 3.49 for the squared mean deviation",
            "exact",
        ),
    ),
    mutants=(
        Mutant("ddof-0", "variance-4", {"lhs": Rational(3, 4) * within_group_variance(4)}),
        Mutant("ratio-four", "population-variance", {"rhs": Integer(4)}),
        Mutant("variance-halved", "variance-16", {"rhs": p * (1 - p) / 2}),
        Mutant("no-spread", "common-plateau", {"statement": equal(sigma_adv2 / 4, 4 * sigma_adv2 / 16)}),
        Mutant("ddof-0-ratio", "groups"),
    ),
    reply="What should overlap is sigma_adv^2 itself; the division by G belongs to the forcing, whose scaling is 1/G.",
)

_spread = Symbol("sigma")
advantage_square = Subs(p * ((1 - p) / _spread) ** 2 + (1 - p) * (p / _spread) ** 2, _spread, sqrt(p * (1 - p)))

ADVANTAGE_VARIANCE = Claim(
    id="sec-5.3-advantage-variance",
    uses=("eq-1",),
    cites=(Cite("", "5.3"), Cite("Figure 3", "5.3"), Cite("Lemma 6", "3.3")),
    says="The square of the logged reward spread (train/reward_std) is the within-group variance of the advantage, "
    "precisely the forcing intensity of Lemma 6.",
    formula=equal(advantage_square, p * (1 - p)),
    assumes=(between(p, 0, 1),),
    verdict=Status.REFUTED,
    because="Eq. 1 divides the spread out: in every group that has one the advantages have variance 1 (with one ddof "
    "throughout), while the reward's is at most 1/4 (3/16 in a group with one of four right; with ddof 1, at G = 4, "
    "1/3 and 1/4); what is logged is the divisor.",
    steps=(
        Identity(
            "normalised", advantage_square, Integer(1), "a share p of the group is right: mean square of the advantages"
        ),
        Counterexample(
            "one-of-four",
            equal(advantage_square, p * (1 - p)),
            {p: Rational(1, 4)},
            advantage_square - p * (1 - p),
            Rational(13, 16),
            "G = 4, one completion right",
            minimal="any binary group with a spread does, as p (1-p) <= 1/4",
        ),
    ),
    mutants=(
        Mutant("not-divided", "normalised", {"lhs": p * (1 - p) ** 2 + (1 - p) * p**2}),
        Mutant("one", "one-of-four", {"statement": equal(advantage_square, 1)}),
    ),
    reply="Without Eq. 1's divisor (scale_rewards off) the two are the same; Lemma 6 itself writes the covariance as "
    "proportional to the spread.",
)

_e4 = (2 * 4 * sqrt(Rational(1, 4)) + 6 * sqrt(Rational(1, 3))) / 16
_e16 = sum((binomial(16, j) * sqrt(Rational(j * (16 - j), 16 * 15)) for j in range(17)), Integer(0)) / 2**16

RESIDUAL = Claim(
    id="abstract-residual-spread",
    uses=("remark-11",),
    cites=(Cite("", "abstract"), Cite("", "5.3"), Cite("Remark 11", "3.4")),
    says="The within-group reward spread depends on G beyond the leading-order picture.",
    verdict=Status.PROVED,
    because="The mean of the within-group standard deviation depends on G by counting alone: at p = 1/2 it "
    "is 0.467 at G = 4 and 0.499 at G = 16 (ddof 1), while the mean variance does not; no concentration of "
    "the policy is needed.",
    steps=(
        Inequality("larger-groups-spread-more", _e4, _e16, _e16 - _e4, strict=True, says="E[std] at p = 1/2, ddof 1"),
        Property(
            "reference",
            "the two means are those of the reference implementation",
            covers="larger-groups-spread-more",
        ),
    ),
    mutants=(
        Mutant("reversed", "larger-groups-spread-more", {"small": _e16, "large": _e4}),
        Mutant("ddof-0", "reference"),
    ),
)

collapsed = p**G + (1 - p) ** G

COLLAPSED = Claim(
    id="sec-5.3-collapsed-fraction",
    cites=(Cite("", "5.3"), Cite("Figure 3", "5.3")),
    says="A collapsed-prompt fraction near zero is healthy and its climb witnesses the policy's "
    "concentration rather than the progress of the order parameter.",
    assumes=(between(p, 0, 1), integer(G, 2)),
    formula=equal(collapsed, Symbol("constant in p")),
    verdict=Status.REFUTED,
    because="The fraction is p^G + (1-p)^G for prompts of one difficulty: at G = 4 never below 1/8, and "
    "learning alone takes it from 1/8 at p = 1/2 to 0.656 at p = 9/10, however many different completions "
    "are right.",
    steps=(
        Counterexample(
            "learning-alone",
            Le(collapsed, Rational(1, 8)),
            {p: Rational(9, 10), G: Integer(4)},
            collapsed - Rational(1, 8),
            Rational(5312, 10000),
            "its value at p = 1/2 is 1/8; at p = 9/10 it is 0.6562, by success and by nothing else",
            minimal="any p other than 1/2 does",
        ),
        Identity(
            "floor",
            p**4 + (1 - p) ** 4 - Rational(1, 8),
            6 * (p - Rational(1, 2)) ** 2 * Rational(1, 2) + 2 * (p - Rational(1, 2)) ** 4,
            "at G = 4 no run is near zero",
        ),
        Property("reference", "the formula is that of the reference implementation", covers="floor"),
    ),
    mutants=(
        Mutant("half", "learning-alone", {"at": {p: Rational(1, 2), G: Integer(4)}}),
        Mutant("floor-missing", "floor", {"lhs": p**4 + (1 - p) ** 4}),
        Mutant("one-sided", "reference"),
    ),
    reply="Concentration raises it too; the pair of both rows is meant, though both respond to p alone.",
)

beta, reference = Symbol("beta"), Symbol("pi_ref")
anchor = p * log(p / reference) + (1 - p) * log((1 - p) / (1 - reference))
anchor_force = beta * p * (1 - p) * (log(p / reference) - log((1 - p) / (1 - reference)))

DROP_OUT = Claim(
    id="sec-5.3-drop-out",
    cites=(Cite("", "5.3"), Cite("Equation 4", "3.3")),
    says="Prompts whose completions all received one reward drop out of the update entirely.",
    assumes=(between(p, 0, 1), between(reference, 0, 1), positive(beta)),
    formula=equal(anchor_force, 0),
    verdict=Status.REFUTED,
    because="Only the advantage's part vanishes: with beta = 0.005 the KL term of Eq. 4 still pulls the logit of "
    "such a prompt at p = 3/4, the reference at 1/2, by 3 log(3)/3200 = 0.00103.",
    steps=(
        Identity(
            "penalty-force",
            beta * p * (1 - p) * Derivative(anchor, p),
            anchor_force,
            "gradient of the KL penalty in the logit of a two-class policy, whatever the group",
        ),
        Counterexample(
            "advantage-zero",
            equal(anchor_force, 0),
            {p: Rational(3, 4), reference: Rational(1, 2), beta: Rational(1, 200)},
            anchor_force,
            3 * log(3) / 3200,
            "Table 2's beta; what is left of Eq. 4 where every advantage is zero",
            minimal="any policy other than the reference does",
        ),
    ),
    mutants=(
        Mutant("no-logit-slope", "penalty-force", {"rhs": anchor_force / (1 - p)}),
        Mutant(
            "at-the-reference",
            "advantage-zero",
            {"at": {p: Rational(1, 2), reference: Rational(1, 2), beta: Rational(1, 200)}},
        ),
    ),
    reply="What is meant is the reward's part of the update, and beta is small; at beta = 0 it holds.",
)

# --- Section 5.4, Figure 4 ------------------------------------------------------------------------

FIG_4 = Claim(
    id="fig-4",
    cites=(Cite("Figure 4", "5.4"), Cite("", "5.4")),
    says="In every run entropy declines and KL rises, most for DeepSeek-7B and least for Qwen-1.5B.",
    formula=Lt(Derivative(Symbol("H"), t, evaluate=False), 0, evaluate=False),
    verdict=Status.UNTESTABLE,
    because="Entropy and KL are published as pictures alone.",
    needs="train/entropy and train/kl of the twelve runs, step by step",
)

_R = (Integer(0), Rational(1, 2), Integer(1))
q_1, q_2 = Symbol("q_1"), Symbol("q_2")


def _spread_and_force(first: Expr, second: Expr) -> tuple[Expr, Expr, Expr]:
    """Mean, variance and |grad p|^2 of a softmax policy over three completions with rewards 0, 1/2, 1."""
    policy = (first, second, 1 - first - second)
    mean = sum((w * r for w, r in zip(policy, _R, strict=True)), Integer(0))
    variance = sum((w * (r - mean) ** 2 for w, r in zip(policy, _R, strict=True)), Integer(0))
    gradient = sum((w**2 * (r - mean) ** 2 for w, r in zip(policy, _R, strict=True)), Integer(0))
    return mean, variance, gradient


w_1, w_2, w_3 = Symbol("w_1"), Symbol("w_2"), Symbol("w_3")


def _mean_of(first: Expr, second: Expr, third: Expr) -> Expr:
    """The mean reward of a policy in proportion to three weights."""
    return (second / 2 + third) / (first + second + third)


_A = (Rational(1, 6), Rational(3, 6))
_B = (Rational(2, 6), Rational(1, 6))
_mean_q, _var_q, _grad_q = _spread_and_force(q_1, q_2)
drift_squared = _grad_q**2 / _var_q
_drift_a = (Rational(158, 5184)) ** 2 / Rational(17, 144)

CERTIFIES = Claim(
    id="sec-5.4-entropy-certifies",
    uses=("assumption-1",),
    cites=(Cite("", "5.4"), Cite("Assumption 1", "3.2")),
    says="A nearly flat entropy with a slowly rising KL certifies that the scalar reduction holds throughout.",
    assumes=(between(q_1, 0, 1), between(q_2, 0, 1)),
    formula=equal(drift_squared, _drift_a),
    verdict=Status.REFUTED,
    because="Over rewards 0, 1/2, 1 the policies (1, 3, 2)/6 and (2, 1, 3)/6 have the same mean 7/12, the "
    "same entropy and the same KL to a uniform reference, yet their drifts (beta = 0) stand as 1 to 2.04: "
    "neither row sees what the reduction loses.",
    steps=(
        Identity(
            "same-mean",
            _mean_of(w_1, w_2, w_3) - _mean_of(w_3, w_1, w_2),
            (2 * w_3 - w_1 - w_2) / (2 * (w_1 + w_2 + w_3)),
            "a cyclic shift of the weights moves the mean by this much: by nothing for 1, 3, 2",
            assumes=(positive(w_1), positive(w_2), positive(w_3)),
        ),
        Counterexample(
            "other-drift",
            equal(drift_squared, _drift_a),
            {q_1: _B[0], q_2: _B[1]},
            drift_squared / _drift_a,
            Rational(756857, 180989),
            "the first policy's squared drift at the second policy; a permutation keeps entropy and KL",
            minimal="three completions; with two reward values in symmetric classes p does determine the drift",
        ),
        Property("bandit", "the reference bandit moves the two policies at different speeds", refutes=True),
    ),
    mutants=(
        Mutant("other-shift", "same-mean", {"lhs": _mean_of(w_1, w_2, w_3) - _mean_of(w_2, w_3, w_1)}),
        Mutant("same-policy", "other-drift", {"at": {q_1: _A[0], q_2: _A[1]}}),
        Mutant("one-policy", "bandit"),
    ),
    reply="It is meant as an indication; two different paths with equal entropy are a special choice.",
)

# --- Section 5.5, Figure 5 ------------------------------------------------------------------------

ratio_max = Symbol("largest importance ratio")

FIG_5 = Claim(
    id="fig-5",
    cites=(Cite("Figure 5", "5.5"), Cite("", "5.5")),
    says="The runs meet the caption's criterion of stability, a largest importance ratio near unity (read: "
    "nearer to 1 than to 2).",
    assumes=(positive(ratio_max),),
    verdict=Status.REFUTED,
    because="The text reports 2.3 to 2.9: by the caption's criterion every run would be unstable, by the "
    "text's every run is stable; any band about 1 that holds 2.3 also holds every ratio down to 0.",
    steps=(
        Counterexample(
            "near-unity",
            Lt(ratio_max - 1, 2 - ratio_max),
            {ratio_max: Rational(23, 10)},
            ratio_max - Rational(3, 2),
            Rational(4, 5),
            "the smallest of the reported maxima",
            minimal="the lower end of the printed band",
        ),
    ),
    mutants=(Mutant("one-and-a-fifth", "near-unity", {"at": {ratio_max: Rational(6, 5)}}),),
    reply="What matters is that the maximum stays bounded, not that it is near one.",
)

lag_taken, excess, inertia = Symbol("x"), Symbol("v"), Symbol("b")
momentum_left = Symbol("m")  # 1 - mu

MONOTONE_GROWTH = Claim(
    id="sec-5.5-monotone-growth",
    uses=("prop-9",),
    cites=(Cite("", "5.5"), Cite("Figure 5", "5.5"), Cite("Proposition 9", "3.4")),
    says="Past the threshold of Proposition 9 the roots produce monotone exponential growth, a straight "
    "ascending line on a logarithmic axis.",
    assumes=(positive(momentum_left), positive(excess), positive(inertia)),
    formula=Ge(excess**2, inertia + 2 * (momentum_left + excess) ** 2),
    verdict=Status.REFUTED,
    because="With K eta K_ref = (1-mu) + v, v > 0, the discriminant is v^2 - 2 K eta (1+mu) - 2 (K eta "
    "K_ref)^2 < 0: past the threshold the roots are complex without exception, so growth always oscillates.",
    steps=(
        Inequality(
            "always-complex",
            excess**2,
            inertia + 2 * (momentum_left + excess) ** 2,
            inertia + 2 * momentum_left**2 + 4 * momentum_left * excess + excess**2,
            strict=True,
            says="C_eff^2 < 4 M_eff K_eff, in units of 1/eta^2, wherever C_eff < 0",
        ),
        Counterexample(
            "twice-the-threshold",
            Ge(excess**2, inertia + 2 * (momentum_left + excess) ** 2),
            {momentum_left: Rational(1, 10), excess: Rational(1, 10), inertia: Rational(19, 500)},
            inertia + 2 * (momentum_left + excess) ** 2 - excess**2,
            Rational(27, 250),
            "mu = 0.9, K eta = 0.01, K_ref = 20",
            minimal="every point past the threshold does",
        ),
    ),
    mutants=(
        Mutant("no-inertia", "always-complex", {"large": excess**2 - inertia}),
        Mutant(
            "other-side",
            "twice-the-threshold",
            {"statement": Lt(excess**2, inertia + 2 * (momentum_left + excess) ** 2)},
        ),
    ),
    reply="The envelope of the oscillation grows exponentially, and a norm shows little of its sign changes.",
)

gradient_norm = sqrt(p * (1 - p))  # of the mean reward's ascent in the logit under Eq. 1, large groups

_SETTING_56 = {p: Rational(1, 2), K: Rational(3, 25), eta: Rational(3, 10), mu: Rational(4, 5)}

BOUNDED_NORM = Claim(
    id="sec-5.5-bounded-norm",
    uses=("prop-9", "eq-4"),
    cites=(Cite("", "5.5"), Cite("Figure 5", "5.5")),
    says="A bounded gradient norm shows that the roots lie in the left half-plane, that is K eta K_ref < 1 - mu.",
    formula=Implies(gradient_norm <= Rational(1, 2), K * eta * K_ref < 1 - mu),
    assumes=(between(p, 0, 1), positive(K), positive(eta), positive(K_ref), between(mu, 0, 1, "[")),
    verdict=Status.REFUTED,
    because="On a two-class softmax the reward's part of the on-policy gradient in the logit is sqrt(p (1-p)) <= 1/2 "
    "at every policy, so it is bounded on stable and unstable runs alike, and a bound that always holds is no witness. "
    "Section 5.6 itself finds bounded ringing past the threshold.",
    steps=(
        Inequality(
            "always-bounded",
            gradient_norm**2,
            Rational(1, 4),
            (p - Rational(1, 2)) ** 2,
            says="the square of the reward's part, on-policy, at any policy",
        ),
        Counterexample(
            "past-the-threshold",
            Implies(gradient_norm <= Rational(1, 2), K * eta * K_ref < 1 - mu),
            _SETTING_56 | {K_ref: Integer(6)},
            K * eta * K_ref - (1 - mu),
            Rational(2, 125),
            "the paper's eta, mu and K, at the first interval past its threshold",
            minimal="5 is below the threshold",
        ),
    ),
    mutants=(
        Mutant("quarter", "always-bounded", {"large": Rational(1, 5)}),
        Mutant(
            "below-the-threshold",
            "past-the-threshold",
            {
                "at": {
                    p: Rational(1, 2),
                    K: Rational(3, 25),
                    eta: Rational(3, 10),
                    mu: Rational(4, 5),
                    K_ref: Integer(5),
                }
            },
        ),
    ),
    reply="In a deep network the norm has no such bound, and growth over decades would show; the absence of growth "
    "is evidence only where growth was possible.",
)

policy_lag = Symbol("lag")
engine_gap = Symbol("epsilon")  # trainer minus engine log-probability at the same weights

LAG_PRESENT = Claim(
    id="sec-5.5-lag-present",
    uses=("lemma-5",),
    cites=(Cite("", "5.5"),),
    says="The off-policy lag is clearly present, since the largest ratio sits well above one.",
    assumes=(positive(engine_gap), integer(policy_lag, 0)),
    formula=Implies(exp(engine_gap) > 1, policy_lag >= 1),
    verdict=Status.REFUTED,
    because="The metric named in Section 4.2 compares trainer and inference engine at the same weights, by "
    "default with one ratio a sequence, masked above 3 before it is logged; per-token noise of 0.05 to 0.1 "
    "between the engines alone gives a mean largest ratio of 2.3 to 2.5 over 16 sequences of 200 tokens at "
    "lag 0.",
    steps=(
        Counterexample(
            "engine-mismatch",
            Implies(exp(engine_gap) > 1, policy_lag >= 1),
            {engine_gap: Rational(9, 10), policy_lag: Integer(0)},
            exp(engine_gap) - 1,
            exp(Rational(9, 10)) - 1,
            "a ratio of 2.46 at lag 0",
            minimal="any mismatch of the two engines does",
        ),
        Property(
            "logged-maximum",
            "the masked maximum over the sequences of a noisy batch at lag 0 lies in 2.3-2.5 on average",
            refutes=True,
        ),
    ),
    mutants=(
        Mutant("one-step-old", "engine-mismatch", {"at": {engine_gap: Rational(9, 10), policy_lag: Integer(1)}}),
        Mutant("exact-engine", "logged-maximum"),
    ),
    reply="The paper names neither trainer nor K_ref; with several iterations per generation there is a lag.",
)

STABLE_RUNS = Claim(
    id="sec-5.5-stable-condition",
    uses=("prop-9",),
    cites=(Cite("", "5.5"), Cite("", "4.2")),
    says="K eta K_ref stays well below 1 - mu in every run, and gradient norm and largest ratio (2.3 to "
    "2.9) stay bounded.",
    formula=Lt(K * eta * K_ref, 1 - mu),
    verdict=Status.UNTESTABLE,
    because="Only eta = 1e-5 of the four numbers is given; no stiffness was measured on the GSM8K runs, "
    "and momentum and refresh interval are missing from Table 2.",
    needs="K in units of the reward's own rate, mu, K_ref, and the logged norms and ratios with the trainer's cap",
)

CLAIMS = (
    FIT,
    TRAIN_FIT,
    SLOW_START,
    INVARIANCE,
    SPARSE,
    FIG_1,
    DOUBLING,
    LOCAL_RATE,
    PARAMETER_FREE,
    VANISHES,
    RATE_LAW,
    FIG_2,
    FINDINGS_2,
    FIG_3,
    COLLAPSED,
    DROP_OUT,
    ADVANTAGE_VARIANCE,
    RESIDUAL,
    FIG_4,
    CERTIFIES,
    FIG_5,
    MONOTONE_GROWTH,
    BOUNDED_NORM,
    LAG_PRESENT,
    STABLE_RUNS,
)

__all__ = ["CLAIMS"]
