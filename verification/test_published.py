"""Tables 1 and 2: what their cells are, and what the configuration fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Basic, Rational, Symbol, floor, true

from empirical.published.tables import table_1, table_2
from spec import published as said
from spec.transfer import QWEN
from verification.evidence import kill

CENT = Decimal("0.01")
PROMPTS, BATCH, ACCUMULATION, EPOCHS = 7473, 4, 4, 2


@cache
def thirty_problem_cells() -> list[tuple[str, Fraction, Fraction]]:
    """Trained pass@5 cells on 30 problems with mean 1.67: model, mean, std as printed."""
    frame = table_1()
    own = frame[(frame["problems"] == "30") & (frame["metric"] == "pass@5") & (frame["mean"] == "1.67")]
    return [(row["model"], Fraction(row["mean"]), Fraction(row["std"])) for row in own.to_dict("records")]


def std_rounds_to(variance: Fraction, printed: Fraction, half: Fraction = Fraction(1, 200)) -> bool:
    """Whether sqrt(variance) lies within `half` of the printed value, decided without a root."""
    low, high = printed - half, printed + half
    return max(low, Fraction(0)) ** 2 <= variance <= high**2


def pairs(mean: Fraction, std: Fraction, ddof: int, half: Fraction) -> list[tuple[int, int]]:
    """Counts of 30 problems whose exact percentages have the printed mean and deviation."""
    found = []
    for first, second in product(range(31), repeat=2):
        x, y = Fraction(100 * first, 30), Fraction(100 * second, 30)
        variance = (x - y) ** 2 / (2 if ddof else 4)
        if abs((x + y) / 2 - mean) <= half and std_rounds_to(variance, std, half):
            found.append((first, second))
    return found


@pytest.mark.claim("table-1", step="no-pair", kind="exact")
def test_no_two_counts_give_the_printed_deviation() -> None:
    cells = thirty_problem_cells()
    assert [(model, float(std)) for model, _, std in cells] == [("DeepSeek-7B", 2.35), ("DeepSeek-7B", 2.35)]

    def check(half: Fraction) -> None:
        for _, mean, std in cells:
            for ddof in (0, 1):
                assert not pairs(mean, std, ddof, half)

    check(Fraction(1, 200))
    kill("wider-rounding", lambda: check(Fraction(1, 100)))


def rounded(value: Decimal) -> Decimal:
    return value.quantize(CENT, rounding=ROUND_HALF_UP)


@pytest.mark.claim("table-1", step="pairs", kind="exact")
def test_seeds_rounded_first_give_the_printed_cells() -> None:
    def check(rule: Callable[[Decimal], Decimal], second: str, problems: int, mean: str, std: str) -> None:
        seed = rounded(Decimal(100) / problems)
        assert str(seed) == second
        assert rounded(seed / 2) == Decimal(mean)
        assert rule(seed / Decimal(2).sqrt()) == Decimal(std)

    check(rounded, "3.33", 30, "1.67", "2.35")
    check(rounded, "0.67", 150, "0.34", "0.47")  # five samples on thirty problems
    unrounded = rounded(Decimal(100) / 30 / Decimal(2).sqrt())
    kill("unrounded-deviation", lambda: check(lambda _: unrounded, "3.33", 30, "1.67", "2.35"))


@pytest.mark.claim("table-1", step="pairs", kind="property")
def test_cells_of_one_solved_problem_share_the_two_patterns() -> None:
    frame = table_1()
    low = frame[(frame["problems"] == "30") & (frame["model"] == "DeepSeek-7B") & (frame["arm"] != "base")]
    printed = {(row["metric"], row["mean"], row["std"]) for _, row in low.iterrows() if row["mean"] != "0.00"}
    assert printed == {("pass@5", "1.67", "2.35"), ("pass@1", "0.34", "0.47")}


def base(benchmark: str, metric: str) -> Fraction:
    frame = table_1()
    own = frame[
        (frame.benchmark == benchmark) & (frame.metric == metric) & (frame.model == QWEN) & (frame.arm == "base")
    ]
    return Fraction(own["mean"].item())


@pytest.mark.claim("sec-4.3-pass-at-k", step="every-count", kind="exact")
def test_no_count_of_thirty_gives_the_cell() -> None:
    def check(printed: Fraction) -> None:
        assert all(abs(printed - Fraction(100 * m, 30)) > Fraction(1, 200) for m in range(31))

    check(base("AIME-2026", "pass@5"))
    kill("hmmt", lambda: check(base("HMMT-2025", "pass@5")))


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """The ways to write `total` as a sum of positive parts, none above `largest`."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in partitions(total - part, part):
            yield (part, *rest)


@pytest.mark.claim("new-pass-at-k-estimator", step="only-partition", kind="exact")
def test_ten_samples_are_the_fewest_that_explain_the_cell() -> None:
    pass_1, pass_5 = base("AIME-2026", "pass@1"), base("AIME-2026", "pass@5")

    def explained(samples: int) -> list[tuple[int, ...]]:
        return [
            parts
            for total in range(samples)
            if abs(Fraction(100 * total, 30 * samples) - pass_1) <= Fraction(1, 200)
            for parts in partitions(total, samples)
            if abs(
                sum((1 - Fraction(comb(samples - c, 5), comb(samples, 5)) for c in parts), Fraction(0)) * 100 / 30
                - pass_5
            )
            <= Fraction(1, 200)
        ]

    def check(samples: int) -> None:
        assert explained(samples) == [(2, 2)]

    check(10)
    assert [samples for samples in range(5, 41) if explained(samples)] == [10, 20, 35]
    assert (5, 1, 1, 1) in explained(20)
    assert (8, 2, 2, 2) in explained(35)
    kill("five-samples", lambda: check(5))


@pytest.mark.claim("new-pass-at-k-estimator", step="draws", kind="property")
@given(correct=st.integers(0, 10))
def test_estimator_counts_the_draws(correct: int) -> None:
    hits = sum(any(i < correct for i in draw) for draw in _draws())
    assert Fraction(hits, comb(10, 5)) == 1 - Fraction(comb(10 - correct, 5), comb(10, 5))


@cache
def _draws() -> tuple[tuple[int, ...], ...]:
    from itertools import combinations

    return tuple(combinations(range(10), 5))


def holds(formula: Basic, values: dict[Symbol, Rational]) -> bool:
    assert formula.free_symbols <= set(values), formula.free_symbols - set(values)
    return bool(formula.subs(values) == true)


@pytest.mark.claim("sec-4.3-sizes", step="cells", kind="exact")
def test_sizes_exact() -> None:
    sizes = dict(table_1()[["benchmark", "problems"]].drop_duplicates().itertuples(index=False, name=None))
    values = {symbol: Rational(sizes[name]) for name, symbol in said.problems.items()}

    def check(numina: int) -> None:
        own = values | {said.benchmarks: Rational(len(sizes)), said.problems["NuminaMath"]: Rational(numina)}
        assert holds(said.SIZES.shown, own)

    check(int(sizes["NuminaMath"]))
    kill("whole-numinamath", lambda: check(100))


@pytest.mark.claim("sec-4.3-sizes", step="cells", kind="property")
def test_sizes_by_recount() -> None:
    frame = table_1()
    assert frame["benchmark"].nunique() == 8
    by_size = frame.groupby("problems")["benchmark"].unique().map(sorted).to_dict()
    assert by_size["2000"] == ["MetaMathQA", "OpenMath2"]
    assert by_size["99"] == ["NuminaMath"]


# what a rerun or Eq. 10 needs -> words that would name it in a row of Table 2
NEEDED: dict[str, tuple[str, ...]] = {
    "momentum": ("momentum", "optimizer", "adam", "beta1", "β1", "mu"),
    "refresh interval": ("refresh", "iterations", "generation", "k_ref"),
    "group size": ("group", "completions per prompt", "num_generations", "rollouts"),
    "seeds": ("seed",),
    "devices": ("device", "gpu"),
}
GIVEN: dict[str, tuple[str, ...]] = {
    "learning rate": ("learning rate",),
    "KL weight": ("kl",),
    "clipping": ("clipping",),
    "epochs": ("epochs",),
}


@pytest.mark.claim("table-2", step="rows", kind="exact")
def test_rows_lack_what_the_theory_needs() -> None:
    names = [name.lower() for name in table_2()["name"]]

    def check(wanted: dict[str, tuple[str, ...]]) -> None:
        lacking = [what for what, words in wanted.items() if not any(w in n.split() for w in words for n in names)]
        assert len(lacking) == len(wanted)
        assert not holds(said.TABLE_2_FULL.shown, {said.missing: Rational(len(lacking))})

    check(NEEDED)
    kill("what-is-there", lambda: check(GIVEN))


@pytest.mark.claim("table-2", step="rows", kind="property")
def test_rows_are_these_and_no_others() -> None:
    words = " ".join(table_2().agg(" ".join, axis=1)).lower()
    assert not [
        w for w in ("momentum", "adam", "seed", "refresh", "iterations", "device", "gpu", "group") if w in words
    ]
    assert "786" in words


def number(text: str) -> Rational:
    """A value of Table 2, exactly; `1×10^-5` is the only one with a power."""
    mantissa, _, power = text.partition("×10^")
    return Rational(mantissa) * Rational(10) ** int(power or 0)


@pytest.mark.claim("sec-4.2-settings", step="rows", kind="exact")
def test_settings_exact() -> None:
    rows = dict(table_2()[["name", "value"]].itertuples(index=False, name=None))
    values = {s: number(rows[s.name]) for s in said.SETTINGS.shown.free_symbols}

    def check(alpha: Rational) -> None:
        assert holds(said.SETTINGS.shown, values | {Symbol("Alpha"): alpha})

    check(values[Symbol("Alpha")])
    kill("alpha-32", lambda: check(Rational(32)))


@pytest.mark.claim("sec-4.2-settings", step="rows", kind="property")
def test_settings_as_text() -> None:
    rows = dict(table_2()[["name", "value"]].itertuples(index=False, name=None))
    read = [Decimal(rows[n]) for n in ("KL Coefficient (β)", "Clipping Coefficient (ε)", "Temperature", "Dropout")]
    assert read == [Decimal("0.005"), Decimal("0.2"), Decimal("0.8"), Decimal("0.05")]
    assert (rows["Epochs"], rows["Rank (r)"], rows["Alpha"], rows["Eval Steps"]) == ("2", "16", "64", "100")
    assert rows["Learning Rate"] == "1×10^-5"


def sampled_steps(prompts: int, group: int, batch: int, accumulation: int, epochs: int) -> int:
    """Optimizer steps of a sampler that hands out whole groups and drops an incomplete last step of an epoch."""
    steps = 0
    for _ in range(epochs):
        sequences = 0
        for _ in range(prompts):
            sequences += group
            if sequences >= batch * accumulation:
                assert sequences == batch * accumulation, "a group would be split"
                steps, sequences = steps + 1, 0
    return steps


def formula_steps(prompts: int, group: int, batch: int, accumulation: int, epochs: int) -> int:
    values = {said.prompts: prompts, said.batch: batch, said.accumulation: accumulation, said.epochs: epochs}
    return int(said.optimizer_steps(Rational(group)).subs(values))


@pytest.mark.claim("new-step-counts", step="sampler", kind="exact")
def test_step_counts_of_the_study() -> None:
    run = (BATCH, ACCUMULATION, EPOCHS)
    assert [formula_steps(PROMPTS, g, *run) for g in (4, 16)] == [3736, 14946]
    assert {said.prompts: PROMPTS, said.batch: 4, said.accumulation: 4, said.epochs: 2} == said.GSM8K

    def check(steps: int) -> None:
        assert steps == sampled_steps(PROMPTS, 4, *run)

    check(formula_steps(PROMPTS, 4, *run))
    kill("rounded-up", lambda: check(EPOCHS * -int(floor(-Rational(PROMPTS * 4, 16)))))


@pytest.mark.claim("sec-4.2-controlled-comparison", step="prompts", kind="exact")
def test_batches_of_prompts_make_equal_steps() -> None:
    def check(batches: dict[int, int]) -> None:
        steps = [sampled_steps(PROMPTS, g, batch, ACCUMULATION, EPOCHS) for g, batch in batches.items()]
        assert steps == [934, 934]

    check({g: BATCH * g for g in (4, 16)})
    kill("sequences-in-the-batch", lambda: check(dict.fromkeys((4, 16), BATCH)))


@pytest.mark.claim("sec-5.1-rollouts-per-step", step="batches-of-prompts", kind="exact")
def test_batches_of_prompts_hold_four_times_the_rollouts() -> None:
    def check(batches: dict[int, int]) -> None:
        steps = {g: sampled_steps(PROMPTS, g, batch, ACCUMULATION, EPOCHS) for g, batch in batches.items()}
        assert [EPOCHS * PROMPTS * g // steps[g] for g in (4, 16)] == [64, 256]

    check({g: BATCH * g for g in (4, 16)})
    kill("batches-of-sequences", lambda: check(dict.fromkeys((4, 16), BATCH)))


@pytest.mark.claim("new-step-counts", step="sampler", kind="property")
@given(
    prompts=st.integers(1, 300),
    group=st.integers(2, 12),
    groups=st.integers(1, 6),
    batch=st.integers(1, 8),
    epochs=st.integers(1, 3),
)
def test_step_counts_in_general(prompts: int, group: int, groups: int, batch: int, epochs: int) -> None:
    accumulation, rest = divmod(group * groups, batch)
    if rest or not accumulation:
        batch, accumulation = group, groups
    arguments = (prompts, group, batch, accumulation, epochs)
    assert sampled_steps(*arguments) == formula_steps(*arguments)


@pytest.mark.infrastructure
def test_roots_are_compared_without_roots() -> None:
    assert isqrt(2_000_000) == 1414
    assert std_rounds_to(Fraction(2), Fraction("1.41"))
    assert not std_rounds_to(Fraction(2), Fraction("1.42"))
