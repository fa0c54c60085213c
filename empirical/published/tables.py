"""Loaders of the paper's tables: frames of strings, so that trailing zeros survive, checked by pandera."""

from pathlib import Path
from typing import TYPE_CHECKING

from empirical.csvfile import read_csv

if TYPE_CHECKING:
    import pandas as pd

HERE = Path(__file__).parent
TABLE_1 = HERE / "table_1.csv"
TABLE_2 = HERE / "table_2.csv"

BENCHMARKS = {
    "GSM-Plus": "2400",
    "Math-500": "500",
    "AIME-2026": "30",
    "MetaMathQA": "2000",
    "NuminaMath": "99",
    "OpenMath2": "2000",
    "IMO-Bench": "400",
    "HMMT-2025": "30",
}
METRICS = ("pass@1", "pass@5")
MODELS = ("DeepSeek-7B", "DeepSeek-R1-Qwen-1.5B", "Nemotron-4B")
ARMS = ("base", "G=16", "G=4")


def table_1(path: Path | str = TABLE_1) -> "pd.DataFrame":
    """Table 1 (end of Section 5.7), one row a printed cell.

    Returns:
        144 rows, all of dtype `str`: benchmark, problems (the number in parentheses), metric (pass@1 or
        pass@5), model, arm (base, G=16 or G=4), mean (percent) and std (percent, over two seeds; empty for
        base).

    Raises:
        InputError: the file is not this table; names line, column, what was found and what was expected.
    """
    import pandera.pandas as pa

    cell = r"^\d{1,2}\.\d\d$"
    key = ["benchmark", "metric", "model", "arm"]
    expected_rows = len(BENCHMARKS) * len(METRICS) * len(MODELS) * len(ARMS)
    schema = pa.DataFrameSchema(
        {
            "benchmark": pa.Column(str, pa.Check.isin(BENCHMARKS, error=f"one of {', '.join(BENCHMARKS)}")),
            "problems": pa.Column(str, pa.Check.str_matches(r"^\d+$", error="a number of problems")),
            "metric": pa.Column(str, pa.Check.isin(METRICS, error=f"one of {', '.join(METRICS)}")),
            "model": pa.Column(str, pa.Check.isin(MODELS, error=f"one of {', '.join(MODELS)}")),
            "arm": pa.Column(str, pa.Check.isin(ARMS, error=f"one of {', '.join(ARMS)}")),
            "mean": pa.Column(str, pa.Check.str_matches(cell, error="a percentage with two decimals")),
            "std": pa.Column(str, pa.Check.str_matches(rf"^$|{cell}", error="empty or a percentage with two decimals")),
        },
        checks=[
            pa.Check(
                lambda frame: frame["problems"] == frame["benchmark"].map(BENCHMARKS),
                error="the number of problems printed beside the benchmark",
            ),
            pa.Check(
                lambda frame: (frame["std"] == "") == (frame["arm"] == "base"),
                error="a standard deviation in each trained arm and none in the base",
            ),
            pa.Check(
                lambda frame: ~frame.duplicated(key),
                error="each benchmark, metric, model and arm once",
            ),
            pa.Check(
                lambda frame: len(frame) == expected_rows,
                error=f"{expected_rows} cells",
            ),
        ],
        strict=True,
        ordered=True,
    )
    return read_csv(path).checked(schema, "restore the table as the paper prints it")


def table_2(path: Path | str = TABLE_2) -> "pd.DataFrame":
    """Table 2 (Appendix B), one row a setting.

    Returns:
        17 rows, all of dtype `str`: category (Training or LoRA), name, value. The paper's mathematics is
        written in plain characters (`1×10^-5`); everything else stands as printed.

    Raises:
        InputError: the file is not this table; names line, column, what was found and what was expected.
    """
    import pandera.pandas as pa

    filled = pa.Check.str_length(min_value=1, error="a text")
    schema = pa.DataFrameSchema(
        {
            "category": pa.Column(str, pa.Check.isin(["Training", "LoRA"], error="Training or LoRA")),
            "name": pa.Column(str, filled),
            "value": pa.Column(str, filled),
        },
        checks=[
            pa.Check(lambda frame: ~frame.duplicated("name"), error="each setting once"),
            pa.Check(lambda frame: len(frame) == 17, error="17 settings"),
        ],
        strict=True,
        ordered=True,
    )
    return read_csv(path).checked(schema, "restore the table as the paper prints it")
