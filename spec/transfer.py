"""Transfer: the sentences of Section 5.7, over the printed cells of Table 1.

A cell is a symbol `benchmark|metric|model|arm`; counts over the table are symbols with a name in words. Numbers
of the table are typed here only where the text quotes them: `verification/` substitutes the cells.
"""

from __future__ import annotations

from sympy import Abs, And, Ge, Gt, Implies, Integer, Le, Lt, Rational, Symbol

from spec.claim import Cite, Claim, Counterexample, Inequality, Mutant, Property, Status
from spec.domain import positive
from spec.relation import equal

TABLE = Cite("Table 1", "5.7")
TEXT = Cite("", "5.7")

DEEPSEEK, QWEN, NEMOTRON = "DeepSeek-7B", "DeepSeek-R1-Qwen-1.5B", "Nemotron-4B"


def cell(benchmark: str, metric: str, model: str, arm: str) -> Symbol:
    """The symbol of a printed mean, in percent."""
    return Symbol(f"{benchmark}|{metric}|{model}|{arm}")


def spread(benchmark: str, metric: str, model: str, arm: str) -> Symbol:
    """The symbol of a printed standard deviation, in percent."""
    return Symbol(f"std {benchmark}|{metric}|{model}|{arm}")


def percent(text: str) -> Rational:
    """A number as the paper prints it, exactly."""
    return Rational(text)


trained = Symbol("trained cells")
improved = Symbol("cells above base")
weakest_arm = Symbol("cells above base in the weakest of the six columns")
regressions = Symbol("cells below base")
numina_regressions = Symbol("cells below base on NuminaMath")
largest_fall = Symbol("largest fall on NuminaMath")
not_exceeding = Symbol("cells with pass@5 <= pass@1")
below = Symbol("cells with pass@5 < pass@1")
largest_hard = Symbol("largest cell of the two other models on AIME-2026 and HMMT-2025")
moved = Symbol("trained cells of the two other models that differ from base on AIME-2026 and HMMT-2025")
moved_nemotron = Symbol("the same of Nemotron-4B alone")
rows = Symbol("rows of one benchmark, metric and model")
best_16 = Symbol("rows in which G=16 alone is best")
ahead_4 = Symbol("rows in which G=4 exceeds G=16")
gain_near = Symbol("mean pass@1 gain on GSM-Plus")
gain_next = Symbol("mean pass@1 gain on MetaMathQA")
gain_far = Symbol("largest mean pass@1 gain on the other six benchmarks")


def _decided(
    id_: str,
    says: str,
    formula: Symbol,
    because: str,
    mutant: str,
    refuted: bool = False,
    reply: str = "",
    uses: tuple[str, ...] = (),
) -> Claim:
    """A claim that the printed cells decide; `mutant` names the wrong variant that its test kills."""
    return Claim(
        id=id_,
        cites=(TEXT, TABLE),
        says=says,
        formula=formula,
        verdict=Status.REFUTED if refuted else Status.PROVED,
        because=because,
        steps=(Property("cells", "the printed cells decide the relation", "exact", refutes=refuted),),
        mutants=(Mutant(mutant, "cells"),),
        reply=reply,
        uses=uses,
    )


MAJORITY = _decided(
    "sec-5.7-majority-green",
    "The large majority of trained cells lie above the base, for both group sizes and all three models "
    "(read: two thirds of all, and more than half of each of the six columns).",
    And(Ge(3 * improved, 2 * trained), Gt(2 * weakest_arm, Integer(16))),
    "73 of 96 cells (76%) lie above the base, 14 tie with it and 9 fall below; the weakest columns, both of "
    "Nemotron-4B, have 9 of 16.",
    "nine-tenths",
)

EXCEEDS = _decided(
    "sec-5.7-pass5-exceeds",
    "pass@5 exceeds pass@1 throughout.",
    equal(not_exceeding, 0),
    "In 10 of 72 pairs the two are equal, 0.00 and 0.00, all on AIME-2026 and HMMT-2025 for DeepSeek-7B "
    "and Nemotron-4B; in none is pass@5 smaller.",
    "never-below",
    refuted=True,
    reply="Where nothing is solved there is nothing to exceed; elsewhere it holds.",
)

u = Symbol("u")  # odds of a success in one sample
_miss = 1 / (1 + u)
_NUMINA_1 = cell("NuminaMath", "pass@1", DEEPSEEK, "G=16"), cell("NuminaMath", "pass@1", DEEPSEEK, "base")
_NUMINA_5 = cell("NuminaMath", "pass@5", DEEPSEEK, "G=16"), cell("NuminaMath", "pass@5", DEEPSEEK, "base")

GENUINE = Claim(
    id="sec-5.7-genuine-gains",
    cites=(TEXT, Cite("", "4.3")),
    says="Because pass@5 exceeds pass@1, the changes reflect genuine accuracy rather than a broader output "
    "distribution.",
    assumes=(positive(u),),
    formula=Implies(_NUMINA_5[0] > _NUMINA_1[0], And(_NUMINA_1[0] >= _NUMINA_1[1], _NUMINA_5[0] >= _NUMINA_5[1])),
    verdict=Status.REFUTED,
    because="pass@5 >= pass@1 holds for every sampler, the untrained one too, and holds where training "
    "made things worse: DeepSeek-7B on NuminaMath at G = 16 has 28.79 > 15.96 while both fell.",
    steps=(
        Inequality(
            "always-so",
            1 - _miss,
            1 - _miss**5,
            _miss * (1 - _miss).together() * (1 + _miss) * (1 + _miss**2),
            strict=True,
            says="for any chance of success in (0, 1), five samples beat one",
        ),
        Counterexample(
            "worse-all-the-same",
            Implies(_NUMINA_5[0] > _NUMINA_1[0], And(_NUMINA_1[0] >= _NUMINA_1[1], _NUMINA_5[0] >= _NUMINA_5[1])),
            {
                _NUMINA_1[0]: percent("15.96"),
                _NUMINA_1[1]: percent("16.97"),
                _NUMINA_5[0]: percent("28.79"),
                _NUMINA_5[1]: percent("30.30"),
            },
            _NUMINA_1[1] - _NUMINA_1[0],
            percent("1.01"),
            "both metrics below the base, pass@5 above pass@1",
            minimal="the example of a regression that the section itself quotes",
        ),
        Property("cells", "the four numbers are those of the table", "exact"),
    ),
    mutants=(
        Mutant("reversed", "always-so", {"small": 1 - _miss**5, "large": 1 - _miss}),
        Mutant(
            "improved-cell",
            "worse-all-the-same",
            {
                "at": {
                    _NUMINA_1[0]: percent("17.57"),
                    _NUMINA_1[1]: percent("16.97"),
                    _NUMINA_5[0]: percent("35.35"),
                    _NUMINA_5[1]: percent("30.30"),
                }
            },
        ),
        Mutant("other-arm", "cells"),
    ),
    reply="Section 4.3 gives the right criterion, a rise of pass@1, and most cells meet it.",
)

DOUBLES = _decided(
    "sec-5.7-gsm-plus-doubles",
    "Nemotron-4B more than doubles its GSM-Plus pass@1 at G = 16.",
    Gt(cell("GSM-Plus", "pass@1", NEMOTRON, "G=16"), 2 * cell("GSM-Plus", "pass@1", NEMOTRON, "base")),
    "20.32/9.11 = 2.23; the printed spread of the two seeds, 5.55, is as large as half of the gain.",
    "triples",
)

FIFTEEN = _decided(
    "sec-5.7-fifteen-points",
    "DeepSeek-7B improves GSM-Plus pass@1 by roughly fifteen points at G = 4 (read: to the nearest point).",
    Lt(
        Abs(cell("GSM-Plus", "pass@1", DEEPSEEK, "G=4") - cell("GSM-Plus", "pass@1", DEEPSEEK, "base") - 15),
        Rational(1, 2),
    ),
    "40.25 - 25.64 = 14.61.",
    "sixteen",
)

MOVEMENT = _decided(
    "sec-5.7-reasoning-movement",
    "At G = 16 the distilled model goes from 1.33 to 6.17 on AIME-2026 pass@1 and from 10.00 to 16.67 on "
    "HMMT-2025 pass@5.",
    And(
        equal(cell("AIME-2026", "pass@1", QWEN, "base"), percent("1.33")),
        equal(cell("AIME-2026", "pass@1", QWEN, "G=16"), percent("6.17")),
        equal(cell("HMMT-2025", "pass@5", QWEN, "base"), percent("10.00")),
        equal(cell("HMMT-2025", "pass@5", QWEN, "G=16"), percent("16.67")),
    ),
    "The four numbers are those of the table; the second rise is two problems of thirty.",
    "other-arm",
)

BEYOND = "movement means a change by one problem of thirty or more, what is smaller being near zero"

NEAR_ZERO = _decided(
    "sec-5.7-near-zero",
    "DeepSeek-7B and Nemotron-4B stay at or near zero on AIME-2026 and HMMT-2025, trained or not (read: "
    "below one problem of thirty).",
    Lt(largest_hard, Rational(100, 30)),
    "The largest of the 24 cells is 1.67: one problem of thirty in one of two seeds.",
    "exactly-zero",
)

ONLY_REASONING = Claim(
    id="sec-5.7-only-reasoning-moves",
    cites=(TEXT, TABLE),
    says="The two other models stay at or near zero on AIME-2026 and HMMT-2025, and only the distilled model "
    "shows movement there.",
    formula=equal(moved, 0),
    verdict=Status.NARROWED,
    because="Four cells of DeepSeek-7B move off zero as well, AIME-2026 at G = 4 (0.34, 1.67) and HMMT-2025 at "
    "G = 16 (0.34, 1.67), all by less than one problem of thirty; by more than that only the distilled model moves.",
    steps=(
        Property("cells", "the printed cells decide the relation", "exact", refutes=True),
        Property("beyond-one-problem", "by one problem or more only the distilled model moves", "exact", under=BEYOND),
    ),
    mutants=(Mutant("nemotron-only", "cells"), Mutant("any-movement", "beyond-one-problem")),
    reply="The same sentence calls the others near zero: each move is one problem in one of two seeds.",
)


def _gain(benchmark: str, model: str) -> Symbol:
    return cell(benchmark, "pass@1", model, "G=16") - cell(benchmark, "pass@1", model, "base")


GRADED = Claim(
    id="sec-5.7-graded-by-distance",
    cites=(TEXT, TABLE),
    says="Gains are largest on the benchmarks closest to GSM8K, GSM-Plus and MetaMathQA, and shrink with distance.",
    formula=Ge(_gain("GSM-Plus", QWEN), _gain("OpenMath2", QWEN)),
    verdict=Status.NARROWED,
    because="Averaged over the models the order is right (pass@1: 7.62 on GSM-Plus, 4.21 on MetaMathQA, at "
    "most 3.49 elsewhere), but DeepSeek-R1-Qwen-1.5B gains 3.04 on GSM-Plus and 7.73, 4.94, 4.84 on "
    "OpenMath2, MATH-500, AIME.",
    steps=(
        Property(
            "each-model",
            "the distilled model gains less on GSM-Plus than on OpenMath2",
            "exact",
            refutes=True,
        ),
        Property(
            "average",
            "GSM-Plus first, MetaMathQA second, by the mean gain in pass@1",
            "exact",
            under="gains averaged over the three models and both group sizes",
        ),
    ),
    mutants=(Mutant("nemotron", "each-model"), Mutant("reversed-order", "average")),
    reply="A model that already solves a third of GSM-Plus has less to gain there.",
)

G16_BEST = _decided(
    "sec-5.7-g16-best",
    "G = 16 secures most of the per-model best results.",
    Gt(2 * best_16, rows),
    "G = 16 alone is best in 30 of 48 rows, G = 4 in 11, the base in 2; five rows tie.",
    "three-quarters",
)

G4_AHEAD = _decided(
    "sec-5.7-g4-ahead",
    "G = 4 is the stronger setting in several cases, such as DeepSeek-7B on GSM-Plus pass@1 (40.25 against "
    "30.83) and the distilled model on HMMT-2025 pass@1 (7.33 against 6.33).",
    And(
        Ge(ahead_4, 3),
        equal(cell("GSM-Plus", "pass@1", DEEPSEEK, "G=4"), percent("40.25")),
        equal(cell("GSM-Plus", "pass@1", DEEPSEEK, "G=16"), percent("30.83")),
        equal(cell("HMMT-2025", "pass@1", QWEN, "G=4"), percent("7.33")),
        equal(cell("HMMT-2025", "pass@1", QWEN, "G=16"), percent("6.33")),
    ),
    "G = 4 exceeds G = 16 in 11 of 48 rows, seven of them of DeepSeek-7B.",
    "most-rows",
)


def _lead(benchmark: str, metric: str, model: str) -> Symbol:
    return cell(benchmark, metric, model, "G=4") - cell(benchmark, metric, model, "G=16")


STRIKING = _decided(
    "sec-5.7-most-strikingly",
    "Besides GSM-Plus the most striking lead of G = 4 is that of the distilled model on HMMT-2025 pass@1.",
    Ge(_lead("HMMT-2025", "pass@1", QWEN), _lead("NuminaMath", "pass@5", DEEPSEEK)),
    "That lead is 1.00 point, the seventh of eleven; DeepSeek-7B leads by 6.56 on NuminaMath pass@5, with "
    "two seeds that agree to the last digit.",
    "gsm-plus",
    refuted=True,
    reply="It is the largest lead of a model other than DeepSeek-7B on pass@1.",
)

PARITY = _decided(
    "sec-5.7-parity-up-to-noise",
    "Small groups track large groups up to noise (read: the two means differ by no more than their two "
    "printed standard deviations together).",
    Le(
        Abs(_lead("GSM-Plus", "pass@1", DEEPSEEK)),
        spread("GSM-Plus", "pass@1", DEEPSEEK, "G=4") + spread("GSM-Plus", "pass@1", DEEPSEEK, "G=16"),
    ),
    "DeepSeek-7B on GSM-Plus: 9.42 points against 0.79; 15 of 48 rows differ by more than both deviations "
    "together, and G = 16 is ahead in 33 rows against 11.",
    "nemotron-row",
    refuted=True,
    reply="Two seeds estimate a deviation poorly, and the claim is to leading order.",
    uses=("prop-10",),
)

REGRESSIONS = _decided(
    "sec-5.7-regressions-on-numinamath",
    "The regressions are few and concentrate on NuminaMath (read: under a tenth of the cells, more than "
    "half of them there).",
    And(Gt(2 * numina_regressions, regressions), Lt(10 * regressions, trained)),
    "Nine of 96 cells fall below the base, six on NuminaMath; the others are DeepSeek-7B on OpenMath2 "
    "pass@5 (-0.80) and Nemotron-4B on IMO-Bench (-0.18, -0.12).",
    "all-there",
)

SLIGHTLY = _decided(
    "sec-5.7-slightly-below-base",
    "On NuminaMath several configurations fall slightly below the base, such as DeepSeek-7B pass@1 from "
    "16.97 to 15.96 at G = 16 (read: at least three, by under three points).",
    And(
        Ge(numina_regressions, 3),
        Lt(largest_fall, 3),
        equal(cell("NuminaMath", "pass@1", DEEPSEEK, "base"), percent("16.97")),
        equal(cell("NuminaMath", "pass@1", DEEPSEEK, "G=16"), percent("15.96")),
    ),
    "Six of twelve cells fall, by 1.01 (one problem of 99) to 2.52 points; five of the six are pass@5.",
    "one-problem",
)

CLAIMS = (
    MAJORITY,
    EXCEEDS,
    GENUINE,
    GRADED,
    DOUBLES,
    FIFTEEN,
    NEAR_ZERO,
    ONLY_REASONING,
    MOVEMENT,
    G16_BEST,
    G4_AHEAD,
    STRIKING,
    PARITY,
    REGRESSIONS,
    SLIGHTLY,
)
