"""Section 5.7 against the printed cells of Table 1: in exact rationals, and by a recount with pandas and Decimal."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import cache

import pandas as pd
import pytest
from sympy import Abs, And, Basic, Eq, Ge, Gt, Le, Lt, Rational, Symbol, true
from sympy import sign as sp_sign

from empirical.published.tables import table_1
from spec import transfer as said
from spec.claim import Counterexample
from spec.transfer import DEEPSEEK, NEMOTRON, QWEN, cell, spread
from verification.evidence import kill

HARD = ("AIME-2026", "HMMT-2025")
TRAINED = ("G=16", "G=4")
CLAIMS = {claim.id: claim for claim in said.CLAIMS}

Values = dict[Symbol, Rational]


def count(conditions: Iterable[object]) -> Rational:
    """How many of the conditions hold."""
    return Rational(sum(bool(c) for c in conditions))


@cache
def exact() -> Values:
    """Every cell, and the counts over the table, as exact rationals."""
    frame = table_1()
    values: Values = {}
    keys: list[tuple[str, str, str]] = []
    for row in frame.to_dict("records"):
        key = (row["benchmark"], row["metric"], row["model"])
        values[cell(*key, row["arm"])] = Rational(row["mean"])
        if row["std"]:
            values[spread(*key, row["arm"])] = Rational(row["std"])
        if key not in keys:
            keys.append(key)
    gains = {(*key, arm): values[cell(*key, arm)] - values[cell(*key, "base")] for key in keys for arm in TRAINED}
    columns = {(model, arm) for _, _, model, arm in gains}
    hard = [key for key in keys if key[0] in HARD and key[2] != QWEN]
    fallen = [g for (benchmark, *_), g in gains.items() if benchmark == "NuminaMath" and g < 0]

    def compared(sign: int) -> int:
        """How many pairs have pass@5 - pass@1 of this sign."""
        pairs = [(b, mo, arm) for b, me, mo in keys if me == "pass@1" for arm in ("base", *TRAINED)]
        return sum(
            int(sp_sign(d)) == sign
            for b, mo, arm in pairs
            for d in [values[cell(b, "pass@5", mo, arm)] - values[cell(b, "pass@1", mo, arm)]]
        )

    def best_alone(arm: str, key: tuple[str, str, str]) -> bool:
        return all(bool(values[cell(*key, arm)] > values[cell(*key, a)]) for a in ("base", *TRAINED) if a != arm)

    def mean_gain(benchmark: str) -> Rational:
        own = [g for (b, metric, *_), g in gains.items() if b == benchmark and metric == "pass@1"]
        return sum(own, Rational(0)) / len(own)

    moved = [(key, arm) for key in hard for arm in TRAINED if values[cell(*key, arm)] != values[cell(*key, "base")]]
    values |= {
        said.trained: Rational(len(gains)),
        said.improved: count(g > 0 for g in gains.values()),
        said.weakest_arm: min(count(g > 0 for (*_, mo, arm), g in gains.items() if (mo, arm) == c) for c in columns),
        said.regressions: count(g < 0 for g in gains.values()),
        said.numina_regressions: Rational(len(fallen)),
        said.largest_fall: -min(fallen),
        said.below: Rational(compared(-1)),
        said.not_exceeding: Rational(compared(-1) + compared(0)),
        said.largest_hard: max(values[cell(*key, arm)] for key in hard for arm in ("base", *TRAINED)),
        said.moved: Rational(len(moved)),
        said.moved_nemotron: Rational(sum(key[2] == NEMOTRON for key, _ in moved)),
        said.rows: Rational(len(keys)),
        said.best_16: count(best_alone("G=16", key) for key in keys),
        said.ahead_4: count(values[cell(*key, "G=4")] > values[cell(*key, "G=16")] for key in keys),
        said.gain_near: mean_gain("GSM-Plus"),
        said.gain_next: mean_gain("MetaMathQA"),
        said.gain_far: max(mean_gain(b) for b in {key[0] for key in keys} if b not in ("GSM-Plus", "MetaMathQA")),
    }
    return values


def wide() -> pd.DataFrame:
    """One row a benchmark, metric and model; the three arms as Decimal columns."""
    frame = table_1()
    frame["mean"] = frame["mean"].map(Decimal)
    return frame.pivot(index=["benchmark", "metric", "model"], columns="arm", values="mean")


def cells_of(table: pd.DataFrame) -> Iterable[tuple[tuple[str, str, str], str, Decimal]]:
    """Key, arm and value of every cell of the wide table."""
    for row in table.reset_index().to_dict("records"):
        for arm in ("base", *TRAINED):
            yield (row["benchmark"], row["metric"], row["model"]), arm, row[arm]


@cache
def recount() -> Values:
    """The same numbers by pandas and Decimal, from the wide table."""
    table = wide()
    values: dict[Symbol, object] = {cell(*key, arm): x for key, arm, x in cells_of(table)}
    frame = table_1()
    for row in frame[frame["std"] != ""].to_dict("records"):
        values[spread(row["benchmark"], row["metric"], row["model"], row["arm"])] = Decimal(row["std"])
    gains = (
        table[list(TRAINED)]
        .sub(table["base"], axis=0)
        .melt(ignore_index=False, var_name="arm", value_name="gain")
        .reset_index()
    )
    drop = gains[gains["gain"] < 0]
    numina = drop[drop["benchmark"] == "NuminaMath"]
    metrics = frame.assign(mean=frame["mean"].map(Decimal)).pivot(
        index=["benchmark", "model", "arm"], columns="metric", values="mean"
    )
    others = frame[frame["benchmark"].isin(HARD) & (frame["model"] != QWEN)]
    still = gains[gains["benchmark"].isin(HARD) & (gains["model"] != QWEN) & (gains["gain"] != 0)]
    ranks = table.apply(lambda row: list(row.sort_values(ascending=False).items()), axis=1)
    best = [order[0][0] for order in ranks if order[0][1] > order[1][1]]
    mean = gains[gains["metric"] == "pass@1"].groupby("benchmark")["gain"].sum() / 6
    far = mean.drop(["GSM-Plus", "MetaMathQA"])
    up = gains[gains["gain"] > 0]
    counted = {
        said.trained: len(gains),
        said.improved: len(up),
        said.weakest_arm: up.groupby(["model", "arm"]).size().min(),
        said.regressions: len(drop),
        said.numina_regressions: len(numina),
        said.largest_fall: numina["gain"].abs().max(),
        said.below: (metrics["pass@5"] < metrics["pass@1"]).sum(),
        said.not_exceeding: (metrics["pass@5"] <= metrics["pass@1"]).sum(),
        said.largest_hard: others["mean"].map(Decimal).max(),
        said.moved: len(still),
        said.moved_nemotron: (still["model"] == NEMOTRON).sum(),
        said.rows: len(table),
        said.best_16: best.count("G=16"),
        said.ahead_4: (table["G=4"] > table["G=16"]).sum(),
        said.gain_near: mean["GSM-Plus"],
        said.gain_next: mean["MetaMathQA"],
        said.gain_far: far.max(),
    }
    return {symbol: Rational(str(x)) for symbol, x in (values | counted).items()}


# claim -> (mutant, wrong variant): false where the claim is true, true where it is refuted
WRONG: dict[str, tuple[str, Basic]] = {
    "sec-5.7-majority-green": ("nine-tenths", Ge(10 * said.improved, 9 * said.trained)),
    "sec-5.7-pass5-exceeds": ("never-below", Eq(said.below, 0)),
    "sec-5.7-gsm-plus-doubles": (
        "triples",
        Gt(cell("GSM-Plus", "pass@1", NEMOTRON, "G=16"), 3 * cell("GSM-Plus", "pass@1", NEMOTRON, "base")),
    ),
    "sec-5.7-fifteen-points": (
        "sixteen",
        Lt(
            Abs(cell("GSM-Plus", "pass@1", DEEPSEEK, "G=4") - cell("GSM-Plus", "pass@1", DEEPSEEK, "base") - 16),
            Rational(1, 2),
        ),
    ),
    "sec-5.7-reasoning-movement": (
        "other-arm",
        Eq(cell("AIME-2026", "pass@1", QWEN, "G=4"), Rational("6.17")),
    ),
    "sec-5.7-near-zero": ("exactly-zero", Eq(said.largest_hard, 0)),
    "sec-5.7-only-reasoning-moves": ("nemotron-only", Eq(said.moved_nemotron, 0)),
    "sec-5.7-g16-best": ("three-quarters", Gt(4 * said.best_16, 3 * said.rows)),
    "sec-5.7-g4-ahead": ("most-rows", Gt(2 * said.ahead_4, said.rows)),
    "sec-5.7-most-strikingly": (
        "gsm-plus",
        Ge(
            cell("GSM-Plus", "pass@1", DEEPSEEK, "G=4") - cell("GSM-Plus", "pass@1", DEEPSEEK, "G=16"),
            cell("NuminaMath", "pass@5", DEEPSEEK, "G=4") - cell("NuminaMath", "pass@5", DEEPSEEK, "G=16"),
        ),
    ),
    "sec-5.7-parity-up-to-noise": (
        "nemotron-row",
        Le(
            Abs(cell("GSM-Plus", "pass@1", NEMOTRON, "G=4") - cell("GSM-Plus", "pass@1", NEMOTRON, "G=16")),
            spread("GSM-Plus", "pass@1", NEMOTRON, "G=4") + spread("GSM-Plus", "pass@1", NEMOTRON, "G=16"),
        ),
    ),
    "sec-5.7-regressions-on-numinamath": ("all-there", Eq(said.numina_regressions, said.regressions)),
    "sec-5.7-slightly-below-base": ("one-problem", Le(said.largest_fall, Rational(101, 100))),
}


def decides(id_: str, formula: Basic, values: Values) -> None:
    """Assert that the cells make the formula true, or false where the claim is refuted."""
    refuted = any(getattr(step, "refutes", False) for step in CLAIMS[id_].steps)
    missing = formula.free_symbols - set(values)
    assert not missing, f"no cell for {missing}"
    assert (formula.subs(values) == true) != refuted


def parameters(kind: str) -> list[object]:
    return [pytest.param(i, marks=pytest.mark.claim(i, step="cells", kind=kind), id=i) for i in WRONG]


@pytest.mark.parametrize("id_", parameters("exact"))
def test_exact_cells(id_: str) -> None:
    formula = CLAIMS[id_].shown
    decides(id_, formula, exact())
    name, wrong = WRONG[id_]
    kill(name, lambda: decides(id_, wrong, exact()))


@pytest.mark.parametrize("id_", parameters("property"))
def test_recount(id_: str) -> None:
    formula = CLAIMS[id_].shown
    decides(id_, formula, recount())
    assert {s: exact()[s] for s in formula.free_symbols} == {s: recount()[s] for s in formula.free_symbols}


@pytest.mark.claim("sec-5.7-only-reasoning-moves", step="beyond-one-problem", kind="exact")
def test_only_the_distilled_model_moves_by_a_problem() -> None:
    def check(least: Rational) -> None:
        movers = {
            model
            for model in (DEEPSEEK, NEMOTRON, QWEN)
            for benchmark in HARD
            for metric in ("pass@1", "pass@5")
            for arm in TRAINED
            if Abs(exact()[cell(benchmark, metric, model, arm)] - exact()[cell(benchmark, metric, model, "base")])
            > least
        }
        assert movers == {QWEN}

    check(Rational(333, 100))  # one problem of thirty as the table rounds it, 3.33
    kill("any-movement", lambda: check(Rational(0)))


@pytest.mark.claim("sec-5.7-graded-by-distance", step="each-model", kind="exact")
def test_the_distilled_model_gains_elsewhere() -> None:
    def check(model: str) -> None:
        near, far = (
            exact()[cell(b, "pass@1", model, "G=16")] - exact()[cell(b, "pass@1", model, "base")]
            for b in ("GSM-Plus", "OpenMath2")
        )
        assert near < far

    assert CLAIMS["sec-5.7-graded-by-distance"].shown.subs(exact()) != true
    check(QWEN)
    kill("nemotron", lambda: check(NEMOTRON))


@pytest.mark.claim("sec-5.7-graded-by-distance", step="average", kind="exact")
def test_averaged_gains_follow_the_order() -> None:
    def check(formula: Basic) -> None:
        assert formula.subs(exact()) == true

    check(And(said.gain_near > said.gain_next, said.gain_next > said.gain_far))
    kill("reversed-order", lambda: check(Gt(said.gain_next, said.gain_near)))


@pytest.mark.claim("sec-5.7-graded-by-distance", step="average", kind="property")
def test_averaged_gains_by_recount() -> None:
    mean = wide().xs("pass@1", level="metric")
    gains = (mean["G=16"] + mean["G=4"] - mean["base"] - mean["base"]).groupby("benchmark").sum()
    assert list(gains.sort_values(ascending=False).index[:3]) == ["GSM-Plus", "MetaMathQA", "OpenMath2"]


@pytest.mark.claim("sec-5.7-genuine-gains", step="cells", kind="exact")
def test_the_counterexample_is_printed() -> None:
    step = CLAIMS["sec-5.7-genuine-gains"].step("worse-all-the-same")
    assert isinstance(step, Counterexample)
    at = step.at

    def check(values: Values) -> None:
        assert all(values[symbol] == x for symbol, x in at.items())

    check(exact())
    swapped = {Symbol(s.name.replace("G=4", "G=16")): x for s, x in exact().items() if "G=4" in s.name}
    kill("other-arm", lambda: check(exact() | swapped))


@pytest.mark.infrastructure
def test_counts_quoted_in_the_findings() -> None:
    quoted = {
        said.improved: 73,
        said.regressions: 9,
        said.numina_regressions: 6,
        said.not_exceeding: 10,
        said.best_16: 30,
        said.ahead_4: 11,
        said.moved: 4,
        said.largest_fall: Rational("2.52"),
    }
    assert {s: exact()[s] for s in quoted} == quoted
    leads = {key: x for key, arm, x in cells_of(wide()) if arm == "G=4"}
    leads = {key: x - other for key, arm, other in cells_of(wide()) if arm == "G=16" for x in [leads[key]]}
    beyond = [
        Rational(str(abs(d))) > exact()[spread(*key, "G=4")] + exact()[spread(*key, "G=16")] for key, d in leads.items()
    ]
    assert count(beyond) == 15
    assert count(d < 0 for d in leads.values()) == 33
    assert sorted(leads.values(), reverse=True).index(Decimal("1.00")) == 6
