"""Figures 1-5 and Table 1 at a small scale: what frozen runs of a transformer of 10^5 parameters show, and do not.

The runs are the paper's protocol (two group sizes, two seeds, LoRA, Table 2's beta, epsilon, temperature) on sums of
two digits. They decide nothing about the paper's own twelve runs, whose logs are not published; they show what the
figures' read-outs do on runs whose logs are at hand.
"""

from __future__ import annotations

from sympy import Derivative, Rational, Sum, Symbol, exp, log

from spec.claim import Cite, Claim, Identity, Mutant, Property, Status
from spec.domain import between, integer, positive
from spec.symbols import K_ref, p, t

SCALE = "On a transformer of 10^5 parameters that learns sums of two digits (200 steps, G = 4 and 16, two seeds) "

rise, noise, steps_averaged = Symbol("V"), Symbol("s2"), Symbol("k")
ceiling = rise / (rise + noise / steps_averaged)

FIT = Claim(
    id="new-small-fit",
    corrects=("sec-5.1-train-fit",),
    cites=(Cite("Figure 1", "5.1"),),
    says=SCALE + "R^2 of the seed-averaged reward is that of a single exponential to 0.03, and whether it reaches the "
    "paper's 0.91 is decided by group size and averaging: at G = 4 once ten steps are averaged, not step by step, and "
    "at G = 16 in neither way.",
    assumes=(positive(rise), positive(noise), positive(steps_averaged)),
    verdict=Status.HELD,
    because="In means of ten steps the critically damped law has 0.972 at G = 4 and 0.860 at G = 16, the single "
    "exponential, which has no slow start, 0.971 and 0.888; step by step 0.718 and 0.378 against 0.715 and 0.389: R^2 "
    "tells how noisy the reward is (eight prompts a step at G = 16, 32 at G = 4), not which law it follows.",
    steps=(
        Identity(
            "ceiling",
            Derivative(ceiling, steps_averaged),
            rise * noise / (steps_averaged * rise + noise) ** 2,
            "the share of variance that even the true curve explains rises with the steps averaged",
        ),
        Property("laws", "with and without slow start R^2 is the same to 0.03, at both group sizes, averaged or not"),
        Property("floor", "0.91 is reached at G = 4 in means of ten steps, and in none of the other three ways"),
    ),
    mutants=(
        Mutant("no-averaging", "ceiling", {"rhs": rise * noise / (rise + noise) ** 2}),
        Mutant("straight-line", "laws"),
        Mutant("single-steps", "floor"),
    ),
)

amplitude, start, rate = Symbol("A"), Symbol("R_0"), Symbol("lambda")
_shape = 1 - exp(-rate * t)

COUPLING = Claim(
    id="new-small-coupling",
    corrects=("sec-5.2-findings",),
    cites=(Cite("Figure 2", "5.2"),),
    says=SCALE + "the held-out reward rises with the training reward: the ratio of their slopes over the run is not 0, "
    "the signature of hacking, and 1 lies within its error; trained on a coin, accuracy does not rise.",
    assumes=(positive(amplitude), positive(start), positive(rate), positive(t)),
    verdict=Status.SUPPORTED,
    because="The ratio of slopes is 0.89 with a standard error of 0.15 (32 held-out problems every 20 steps). With a "
    "coin for a reward the share of right answers falls, from 0.24 to 0.00: nothing but the reward made it rise.",
    steps=(
        Identity(
            "ratio",
            Derivative(start + amplitude * _shape, t) / Derivative(_shape, t),
            amplitude,
            "two rewards of one shape have slopes in the ratio of their amplitudes, at every time",
        ),
        Property("runs", "the held-out slopes of the four runs over the training slopes, with errors", "statistical"),
        Property("placebo", "with a coin for a reward the share of right answers does not rise", "statistical"),
        Property("control", "a reward for any 7 rises, where the placebo's stays at 1/2", "statistical"),
    ),
    mutants=(
        Mutant("start-counts", "ratio", {"rhs": amplitude + start}),
        Mutant("shuffled", "runs"),
        Mutant("verifiable", "placebo"),
        Mutant("coin", "control"),
    ),
)

share, spread, rest = Symbol("u"), Symbol("s"), Symbol("r")
mean_spread = share * spread + (1 - share) * rest

SPREAD = Claim(
    id="new-small-spread",
    corrects=("fig-3",),
    cites=(Cite("Figure 3", "5.3"),),
    says=SCALE
    + "sigma_adv^2/G at G = 4 stands above that at G = 16 by a factor between 2.5 and 4 in each fifth of the "
    "run, and the collapsed fraction is the larger one at G = 4 throughout.",
    assumes=(between(share, 0, 1), positive(spread), positive(rest)),
    uses=("fig-3",),
    verdict=Status.HELD,
    because="3.39, 3.38, 3.34, 2.99, 3.04 by fifths, where counting alone gives 3.49 at p = 1/2 (fig-3): the curves "
    "never lie on one plateau. Between 0.19 and 0.23 of the prompts are collapsed at G = 4 from the start, at most "
    "0.02 at G = 16, in runs that keep learning.",
    steps=(
        Identity(
            "settled-prompts",
            Derivative(mean_spread**2, share),
            2 * (spread - rest) * mean_spread,
            "a share u of the prompts with spread s, the rest with r: prompts that settle (r near 0) lower the curve, "
            "whatever the policy does on the others",
        ),
        Property("runs", "the ratio in each fifth of the run lies between 2.5 and 4"),
        Property("collapsed", "in each fifth more prompts have no spread at G = 4 than at G = 16"),
    ),
    mutants=(
        Mutant("unsquared", "settled-prompts", {"rhs": (spread - rest) * mean_spread}),
        Mutant("undivided", "runs"),
        Mutant("swapped", "collapsed"),
    ),
)

two_answers = -p * log(p) - (1 - p) * log(1 - p)

CONCENTRATION = Claim(
    id="new-small-concentration",
    corrects=("fig-4",),
    cites=(Cite("Figure 4", "5.4"),),
    says=SCALE + "entropy falls and KL rises in both runs at G = 4, while the reward is still rising.",
    assumes=(between(p, Rational(1, 2), 1),),
    verdict=Status.SUPPORTED,
    because="Kendall's tau over means of ten steps, one-sided p at most 1e-4 each. At G = 16 the signs are the same "
    "but neither trend passes 1e-3 in both runs (entropy 0.003 and 0.04, KL 0.0005 and 0.01): it is not shown there.",
    steps=(
        Identity(
            "learning-alone",
            Derivative(two_answers, p),
            log((1 - p) / p),
            "with one right and one wrong answer entropy falls as soon as p passes 1/2: success is enough",
        ),
        Property("runs", "rank correlation of entropy, KL and reward with time, means of ten steps", "statistical"),
    ),
    mutants=(
        Mutant("rising", "learning-alone", {"rhs": log(p / (1 - p))}),
        Mutant("shuffled", "runs"),
    ),
)

_lag = Symbol("k")

LAG = Claim(
    id="new-small-lag",
    corrects=("fig-5",),
    cites=(Cite("Figure 5", "5.5"), Cite("Lemma 5", "3.3")),
    says=SCALE + "the ratio of policy and sampling policy is 1 in the objective at every step as long as the policy is "
    "copied at each; copied every 8 steps |log pi_theta/pi_old| grows with the lag, on average 7/2, from the value "
    "that the adapters' dropout gives it at lag 0.",
    assumes=(integer(K_ref, 1, 100),),
    verdict=Status.HELD,
    because="At K_ref = 8 the mean |log ratio| of a token goes 0.042, 0.052, 0.068, ... to 0.114 at lag 7. The first "
    "is no lag: adapters' dropout is drawn anew between sampling and update. The largest gradient norm is at most 3.1 "
    "times the early mean in the four runs and 12 times at K_ref = 8, where the reward rises all the same.",
    steps=(
        Identity(
            "mean-lag",
            Sum(_lag, (_lag, 0, K_ref - 1)) / K_ref,
            (K_ref - 1) / 2,
            "a copy taken every K_ref steps is 0, 1, ..., K_ref - 1 steps old",
        ),
        Property("on-policy", "every row of the four runs has a ratio of 1 and nothing clipped", "exact"),
        Property("by-lag", "at K_ref = 8 the mean |log ratio| is above 0 at lag 0 and rises from each lag to the next"),
        Property("norm", "the gradient norm of each of the four stays below 4 times its mean of the first fifty steps"),
    ),
    mutants=(
        Mutant("constant-lag", "mean-lag", {"rhs": K_ref}),
        Mutant("refresh-8", "on-policy"),
        Mutant("by-phase", "by-lag"),
        Mutant("refresh-8-norm", "norm"),
    ),
)

tries = Symbol("n")

TRANSFER = Claim(
    id="new-small-transfer",
    cites=(Cite("Table 1", "5.7"), Cite("", "4.3")),
    says=SCALE
    + "training raises pass@1 on the task trained on, at both group sizes, and on none of five tasks further "
    "off by four points or more: five samples a problem, problems as clusters.",
    assumes=(integer(tries, 2, 100),),
    verdict=Status.SUPPORTED,
    because="Sums of two digits go from 35.6% to 54.3% at G = 4 (gain 12.7 to 24.7, p = 0.0001) and to 46.0% at G = 16 "
    "(4.8 to 16.0, p = 0.0003). On sums of three terms, of two-digit numbers, products, equations and word problems "
    "every 95% interval of the gain ends below four points.",
    steps=(
        Identity("one-right", 1 - (tries - 1) / tries, 1 / tries, "pass@1 of a problem with one right completion of n"),
        Property("near", "sign-flip test over problems on the task trained on, each arm and the base", "statistical"),
        Property("far", "on each of the other tasks the interval of the gain ends below four points", "statistical"),
    ),
    mutants=(
        Mutant("two", "one-right", {"rhs": 2 / tries}),
        Mutant("base", "near"),
        Mutant("own-task", "far"),
    ),
)

CLAIMS = (FIT, COUPLING, SPREAD, CONCENTRATION, LAG, TRANSFER)
