"""Published: Tables 1 and 2, the set-up that they document, and the sentences that quote or read them."""

from __future__ import annotations

from sympy import Abs, And, Expr, Integer, Le, Rational, Symbol, binomial, floor, sqrt

from spec import readouts, small, transfer
from spec.claim import Cite, Claim, Counterexample, Identity, Inequality, Mutant, Property, Status
from spec.domain import integer
from spec.relation import equal
from spec.symbols import G
from spec.transfer import QWEN, cell, percent

TABLE_2 = Cite("Table 2", "B")

# --- Table 1 ---------------------------------------------------------------------------------------------------------

solved_apart = Symbol("k")  # by how many of 30 problems the two seeds differ
std_of_two = 100 * solved_apart / (30 * sqrt(2))
ROUNDED = "each seed's percentage is rounded to two decimals before mean and deviation (ddof 1) are taken"

TABLE_1 = Claim(
    id="table-1",
    cites=(Cite("Table 1", "5.7"), Cite("", "4.3")),
    says="A cell holds the mean and the standard deviation over the two seeds of the share of problems solved.",
    formula=Le(Abs(std_of_two - percent("2.35")), Rational(1, 200)),
    verdict=Status.NARROWED,
    because="1.67 +- 2.35 on 30 problems fits no pair of counts: 0 and 1 give 1.67 +- 2.36 (ddof 1). With "
    "the seeds first rounded to 0.00 and 3.33 the deviation is 2.3547, as printed; 0.34 +- 0.47 on pass@1 "
    "needs the same. That saves these cells, not all: 11.78 +- 0.66 and 9.82 +- 0.14 (AIME-2026, pass@5) are no shares "
    "of counts at all.",
    steps=(
        Counterexample(
            "unrounded",
            Le(Abs(std_of_two - percent("2.35")), Rational(1, 200)),
            {solved_apart: Integer(1)},
            std_of_two - percent("2.35") - Rational(1, 200),
            5 * sqrt(2) / 3 - Rational(471, 200),
            "DeepSeek-7B, AIME-2026 and HMMT-2025, pass@5",
            minimal="a mean of 1.67 needs counts that add up to 1",
        ),
        Property("no-pair", "no two counts out of 30 give the printed cells, ddof 0 or 1", "exact", refutes=True),
        Inequality(
            "rounded-first",
            Abs(percent("3.33") / sqrt(2) - percent("2.35")),
            Rational(1, 200),
            Rational(1, 200) - percent("3.33") / sqrt(2) + percent("2.35"),
            strict=True,
            says="0.00 and 3.33 have the deviation 2.3547",
            under=ROUNDED,
        ),
        Property(
            "pairs",
            "with the seeds rounded first, counts 0 and 1 give each of those cells",
            "exact",
            under=ROUNDED,
        ),
    ),
    mutants=(
        Mutant(
            "two-problems",
            "unrounded",
            {"statement": Le(Abs(std_of_two - percent("2.36")), Rational(1, 200))},
        ),
        Mutant("unrounded-seeds", "rounded-first", {"small": Abs(Rational(10, 3) / sqrt(2) - percent("2.35"))}),
        Mutant("wider-rounding", "no-pair"),
        Mutant("unrounded-deviation", "pairs"),
    ),
    reply="Rounding the seeds first changes the last digit only.",
)

counted = Symbol("m")  # problems solved
base_cell = cell("AIME-2026", "pass@5", QWEN, "base")

PASS_AT_K = Claim(
    id="sec-4.3-pass-at-k",
    cites=(Cite("", "4.3"), Cite("Table 1", "5.7")),
    says="pass@k is the fraction of problems solved within k sampled completions.",
    assumes=(integer(counted, 0, 30),),
    formula=Le(Abs(base_cell - 100 * counted / 30), Rational(1, 200)),
    verdict=Status.REFUTED,
    because="The base pass@5 of the distilled model on AIME-2026 is 5.19, between 1/30 = 3.33 and 2/30 = "
    "6.67: no count of 30 problems gives it.",
    steps=(
        Counterexample(
            "nearest-count",
            Le(Abs(base_cell - 100 * counted / 30), Rational(1, 200)),
            {base_cell: percent("5.19"), counted: Integer(2)},
            100 * counted / 30 - base_cell,
            Rational(443, 300),
            "the nearest count misses by 1.48 points",
            minimal="the only base cell at pass@5 on 30 problems that fails",
        ),
        Property("every-count", "none of the 31 counts gives the printed cell", "exact", refutes=True),
    ),
    mutants=(
        Mutant("as-if-6.67", "nearest-count", {"at": {base_cell: percent("6.67"), counted: Integer(2)}}),
        Mutant("hmmt", "every-count"),
    ),
    reply="The unbiased estimator of pass@k from more than k samples is common usage.",
)

correct = Symbol("c")

ESTIMATOR = Claim(
    id="new-pass-at-k-estimator",
    cites=(),
    corrects=("sec-4.3-pass-at-k",),
    says="The base cells of the distilled model on AIME-2026 are the unbiased estimator 1 - C(n-c, 5)/C(n, "
    "5) for some number n of samples a problem; of 5 to 40 the smallest that fits is n = 10.",
    verdict=Status.PROVED,
    because="With ten samples 1.33 at pass@1 means four right answers of 300, and only two problems with two "
    "each give 5.19, (2 x 7/9)/30 = 5.185%; n = 20 and n = 35 fit as well, such as (5, 1, 1, 1) of 20 with "
    "5.188%.",
    steps=(
        Identity(
            "chance-of-a-hit",
            1 - binomial(10 - correct, 5) / binomial(10, 5),
            1 - (10 - correct) * (9 - correct) * (8 - correct) * (7 - correct) * (6 - correct) / Integer(30240),
            "five of ten samples miss all of the c right ones",
        ),
        Property("draws", "counted over all 252 draws of five from ten", covers="chance-of-a-hit"),
        Property(
            "only-partition",
            "of n = 5 to 40 just 10, 20 and 35 fit both cells, and at n = 10 the partition 2 + 2 alone",
            "exact",
        ),
    ),
    mutants=(
        Mutant(
            "one-sample-less",
            "chance-of-a-hit",
            {"lhs": 1 - binomial(9 - correct, 5) / binomial(10, 5)},
        ),
        Mutant("five-samples", "only-partition"),
    ),
)

problems = {name: Symbol(f"problems of {name}") for name in ("MetaMathQA", "OpenMath2", "NuminaMath")}
benchmarks = Symbol("benchmarks")

SIZES = Claim(
    id="sec-4.3-sizes",
    cites=(Cite("", "4.3"), Cite("Table 1", "5.7")),
    says="There are eight benchmarks, 2000 problems each of MetaMathQA and OpenMath2, and NuminaMath lacks "
    "one problem.",
    formula=And(
        equal(benchmarks, 8),
        equal(problems["MetaMathQA"], 2000),
        equal(problems["OpenMath2"], 2000),
        equal(problems["NuminaMath"], 100 - 1),
    ),
    verdict=Status.PROVED,
    because="Table 1 prints these sizes; 99 is one less than a round hundred (the hundred itself is not stated).",
    steps=(Property("cells", "the sizes printed beside the benchmarks", "exact"),),
    mutants=(Mutant("whole-numinamath", "cells"),),
)

# --- Table 2 and Section 4.2 ----------------------------------------------------------------------

missing = Symbol("quantities of Eq. 10 and Section 4.2 without a row in Table 2")

TABLE_2_FULL = Claim(
    id="table-2",
    cites=(TABLE_2, Cite("", "4.2")),
    says="Table 2 is the full configuration of the runs.",
    formula=equal(missing, 0),
    verdict=Status.REFUTED,
    because="Five quantities that the theory or a rerun needs have no row: momentum (or the optimizer), "
    "refresh interval (or iterations per generation), group size, seeds, number of devices. The maximal "
    "completion length, 786, may be a misprint of 768.",
    steps=(Property("rows", "no row of the table names them", "exact", refutes=True),),
    mutants=(Mutant("what-is-there", "rows"),),
    reply="Group size and seeds are in the text, and the rest are the defaults of the trainer.",
)

SETTINGS = Claim(
    id="sec-4.2-settings",
    cites=(Cite("", "4.2"), TABLE_2),
    says="The text's settings are those of Table 2: eta = 1e-5, beta = 0.005, epsilon = 0.2, temperature "
    "0.8, two epochs, LoRA rank 16, alpha 64, dropout 0.05, evaluation every 100 steps.",
    formula=And(
        equal(Symbol("Learning Rate"), Rational(1, 100000)),
        equal(Symbol("KL Coefficient (β)"), percent("0.005")),
        equal(Symbol("Clipping Coefficient (ε)"), percent("0.2")),
        equal(Symbol("Temperature"), percent("0.8")),
        equal(Symbol("Epochs"), 2),
        equal(Symbol("Rank (r)"), 16),
        equal(Symbol("Alpha"), 64),
        equal(Symbol("Dropout"), percent("0.05")),
        equal(Symbol("Eval Steps"), 100),
    ),
    verdict=Status.PROVED,
    because="All nine agree.",
    steps=(Property("rows", "the rows of the table hold these values", "exact"),),
    mutants=(Mutant("alpha-32", "rows"),),
)

epochs, prompts, batch, accumulation = Symbol("E"), Symbol("P"), Symbol("B"), Symbol("A")
GSM8K = {prompts: Integer(7473), batch: Integer(4), accumulation: Integer(4), epochs: Integer(2)}


def optimizer_steps(group: Expr) -> Expr:
    """Optimizer steps of a run in which the batch counts sequences and each group is kept whole."""
    return epochs * floor(prompts * group / (batch * accumulation))


PROMPTS = "the batch of Table 2 counts prompts"

CONTROLLED = Claim(
    id="sec-4.2-controlled-comparison",
    cites=(Cite("", "4.2"), TABLE_2),
    says="Running every model at G = 4 and G = 16 is a controlled comparison: the group size alone changes.",
    assumes=(
        integer(prompts, 1, 10000),
        integer(batch, 1, 64),
        integer(accumulation, 1, 64),
        integer(epochs, 1),
    ),
    formula=equal(optimizer_steps(Integer(4)), optimizer_steps(Integer(16))),
    verdict=Status.NARROWED,
    because="The paper states neither what a batch counts nor the number of devices: if Table 2's batch counts "
    "prompts both runs make 934 optimizer steps, if it counts sequences on one device the run at G = 16 makes "
    "14946 steps and that at G = 4 makes 3736 (Section 5.1 does say that the panels at G = 16 span more steps).",
    steps=(
        Counterexample(
            "steps",
            equal(optimizer_steps(Integer(4)), optimizer_steps(Integer(16))),
            GSM8K,
            optimizer_steps(Integer(16)) - optimizer_steps(Integer(4)),
            Integer(11210),
            "GSM8K's 7473 prompts, batch 4, accumulation 4, two epochs",
            minimal="Table 2, read as counting sequences on one device",
        ),
        Property(
            "prompts", "a sampler whose batch counts prompts makes 934 steps at both sizes", "exact", under=PROMPTS
        ),
    ),
    mutants=(
        Mutant(
            "prompts-in-the-batch",
            "steps",
            {"statement": equal(epochs * floor(prompts / (batch * accumulation)), 934)},
        ),
        Mutant("sequences-in-the-batch", "prompts"),
    ),
    reply="If the batch counts prompts the steps agree, and so they do if the number of devices grew with G.",
)

STEP_COUNTS = Claim(
    id="new-step-counts",
    cites=(),
    corrects=("sec-4.2-controlled-comparison",),
    says="A run makes E floor(P G/(B A)) optimizer steps of B A sequences and B A/G prompts each: the "
    "number of sequences a step does not depend on G.",
    formula=equal(Symbol("steps"), optimizer_steps(G)),
    verdict=Status.HELD,
    because="3736 steps of four prompts at G = 4, 14946 steps of one prompt at G = 16, sixteen sequences "
    "in each: the sampling noise of a step is not divided by four.",
    steps=(Property("sampler", "the formula counts what a sampler that hands out whole groups yields"),),
    mutants=(Mutant("rounded-up", "sampler"),),
)


def rollouts_a_step(group: Expr) -> Expr:
    """Completions of one optimizer step, in whole groups, if Table 2's batch counts sequences."""
    return group * floor(batch * accumulation / group)


ROLLOUTS = Claim(
    id="sec-5.1-rollouts-per-step",
    cites=(Cite("", "5.1"), Cite("", "4.2"), TABLE_2),
    uses=("new-step-counts",),
    says="The panels at G = 16 span more steps than those at G = 4 and average over more rollouts a step (read: over "
    "four times as many, as the rollout budget is fourfold).",
    assumes=(integer(batch, 4, 64), integer(accumulation, 4, 64)),
    formula=equal(rollouts_a_step(Integer(16)) / rollouts_a_step(Integer(4)), 4),
    verdict=Status.NARROWED,
    because="On one device no reading of Table 2's batch of 4 x 4 makes both halves true: counted in sequences a step "
    "holds sixteen rollouts at either size (neither more nor fourfold), and G = 16 takes four times the steps; counted "
    "in prompts it holds 256 against 64, in 934 steps either way.",
    steps=(
        Counterexample(
            "sixteen-at-either-size",
            equal(rollouts_a_step(Integer(16)) / rollouts_a_step(Integer(4)), 4),
            {batch: Integer(4), accumulation: Integer(4)},
            4 - rollouts_a_step(Integer(16)) / rollouts_a_step(Integer(4)),
            Integer(3),
            "batch 4, accumulation 4",
            minimal="Table 2, read as counting sequences on one device",
        ),
        Property(
            "batches-of-prompts",
            "a sampler whose batch counts prompts puts 64 rollouts into a step at G = 4 and 256 at G = 16",
            "exact",
            under=PROMPTS,
        ),
    ),
    mutants=(
        Mutant("ratio-one", "sixteen-at-either-size", {"statement": equal(rollouts_a_step(Integer(16)), 16)}),
        Mutant("batches-of-sequences", "batches-of-prompts"),
    ),
    reply="Counted in prompts it holds to the letter, and over the whole run G = 16 does see four times the rollouts.",
)

CLAIMS: tuple[Claim, ...] = (
    SETTINGS,
    TABLE_2_FULL,
    CONTROLLED,
    STEP_COUNTS,
    ROLLOUTS,
    SIZES,
    PASS_AT_K,
    ESTIMATOR,
    *readouts.CLAIMS,
    TABLE_1,
    *transfer.CLAIMS,
    *small.CLAIMS,
)
