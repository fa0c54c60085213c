"""The paper's tables as printed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from empirical.errors import InputError
from empirical.published import TABLE_1, TABLE_2, table_1, table_2

pytestmark = pytest.mark.infrastructure


def test_table_1_has_every_cell_once() -> None:
    table = table_1()
    assert table.shape == (144, 7)
    assert {str(dtype) for dtype in table.dtypes} == {"str"}
    assert table.groupby(["benchmark", "metric", "model", "arm"]).ngroups == 8 * 2 * 3 * 3
    assert (table["std"] == "").sum() == 48


@pytest.mark.parametrize(
    ("benchmark", "metric", "model", "row"),
    [  # a row of the printed table: base, G=16, G=4; trailing zeros as printed
        ("GSM-Plus", "pass@1", "Nemotron-4B", "9.11 20.32 5.55 19.46 2.92"),
        ("Math-500", "pass@5", "DeepSeek-7B", "32.40 33.50 0.14 33.30 3.54"),
        ("AIME-2026", "pass@5", "DeepSeek-R1-Qwen-1.5B", "5.19 11.78 0.66 9.82 0.14"),
        ("MetaMathQA", "pass@1", "DeepSeek-R1-Qwen-1.5B", "82.71 86.93 1.10 85.01 0.79"),
        ("NuminaMath", "pass@5", "Nemotron-4B", "33.33 32.32 2.86 30.81 7.85"),
        ("OpenMath2", "pass@1", "DeepSeek-7B", "26.88 29.26 0.68 27.84 0.29"),
        ("IMO-Bench", "pass@1", "Nemotron-4B", "2.35 2.17 0.11 2.60 0.64"),
        ("HMMT-2025", "pass@1", "DeepSeek-7B", "0.00 0.34 0.47 0.00 0.00"),
    ],
)
def test_table_1_spot_checks(benchmark: str, metric: str, model: str, row: str) -> None:
    table = table_1()
    cells = table[(table["benchmark"] == benchmark) & (table["metric"] == metric) & (table["model"] == model)]
    assert list(cells["arm"]) == ["base", "G=16", "G=4"]
    printed = [text for mean, std in zip(cells["mean"], cells["std"], strict=True) for text in (mean, std) if text]
    assert " ".join(printed) == row


def test_table_2_holds_every_setting() -> None:
    table = table_2()
    assert table.shape == (17, 3)
    values = dict(zip(table["name"], table["value"], strict=True))
    assert values["Learning Rate"] == "1×10^-5"
    assert values["Max Completion Length"] == "786"
    assert values["KL Coefficient (β)"] == "0.005"
    assert values["Target Modules"] == "q, k, v, o, up, down, gate projections"
    assert list(table["category"]) == ["Training"] * 11 + ["LoRA"] * 6


Loader = Callable[[Path], object]


@pytest.mark.parametrize(
    ("load", "source", "old", "new", "line", "column", "expected"),
    [
        (table_1, TABLE_1, ",25.64,", ",25.6,", 2, "mean", "a percentage with two decimals"),
        (table_1, TABLE_1, ",0.71\n", ",-0.71\n", 3, "std", "empty or a percentage"),
        (table_1, TABLE_1, ",0.71\n", ",\n", 3, None, "a standard deviation in each trained arm"),
        (
            table_1,
            TABLE_1,
            "GSM-Plus,2400,pass@5",
            "GSM-Plus,2401,pass@5",
            11,
            None,
            "the number of problems",
        ),
        (
            table_1,
            TABLE_1,
            "DeepSeek-7B,G=4,40.25",
            "DeepSeek-7B,G=16,40.25",
            4,
            None,
            "each benchmark, metric",
        ),
        (table_1, TABLE_1, "GSM-Plus,2400,pass@1,DeepSeek-7B,base,25.64,\n", "", 144, None, "144 cells"),
        (table_1, TABLE_1, "arm,mean", "arm,avg", 1, "avg", "benchmark,problems,metric,model,arm,mean,std"),
        (table_1, TABLE_1, "mean,std", "std,mean", 1, "std", "benchmark,problems,metric,model,arm,mean,std"),
        (table_2, TABLE_2, "LoRA,Alpha,64", "LoRa,Alpha,64", 15, "category", "Training or LoRA"),
        (table_2, TABLE_2, "LoRA,Alpha,64\n", "", 17, None, "17 settings"),
        (table_2, TABLE_2, "LoRA,Alpha,64", "LoRA,Alpha,", 15, "value", "a text"),
    ],
)
def test_a_damaged_table_names_the_place(
    load: Loader,
    source: Path,
    old: str,
    new: str,
    line: int,
    column: str | None,
    expected: str,
    tmp_path: Path,
) -> None:
    text = source.read_text(encoding="utf-8")
    assert old in text
    damaged = tmp_path / "damaged.csv"
    damaged.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(damaged)
    error = caught.value
    assert (error.file, error.line, error.column) == (damaged, line, column)
    assert expected in error.expected
    assert str(damaged) in str(error)
    assert f"line {line}" in str(error)
    assert "What to do" in str(error)
