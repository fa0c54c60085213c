"""One row a step: its columns, their units and bounds, and the pandera schemas made of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandera.pandas as pa

INF = math.inf


@dataclass(frozen=True)
class Column:
    """A column of the log.

    Attributes:
        says: what it is, with its unit.
        low, high: bounds, both included.
        sampled: filled just where completions were sampled (lag 0), as in TRL's own logs.
        optional: may be empty.
        clock: depends on the wall clock; everything else is a function of the seed, on one machine.
    """

    says: str
    low: float = -INF
    high: float = INF
    sampled: bool = False
    optional: bool = False
    clock: bool = False


COLUMNS: Mapping[str, Column] = MappingProxyType(
    {
        "step": Column("optimizer steps taken, this one included", 1),
        "generation": Column("number of the generation that feeds this step", 1),
        "lag": Column("optimizer steps between the weights that sampled and those that are updated, as realised", 0),
        "epoch": Column("passes over the training problems so far", 0),
        "loss": Column("TRL's loss, mean over micro-steps", optional=True),
        "grad_norm": Column("norm of the gradient before it is scaled down", 0, optional=True),
        "learning_rate": Column("of this step", 0),
        "reward": Column("mean reward of the generation", 0, 1, sampled=True),
        "accuracy": Column("share of right answers in the generation, whatever is rewarded", 0, 1, sampled=True),
        "reward_std": Column("std of the rewards of the whole generation, ddof 1, as TRL from 0.27 on", 0, 1, True),
        "reward_std/within_ddof0": Column("mean over groups of the within-group std, ddof 0 (Eq. 1)", 0, 0.5, True),
        "reward_std/within_ddof1": Column("mean over groups of the within-group std, ddof 1", 0, 0.7072, True),
        "frac_reward_zero_std": Column("share of groups without spread", 0, 1, sampled=True),
        "group/all_correct": Column("share of groups whose every completion has reward 1", 0, 1, sampled=True),
        "group/all_wrong": Column("share of groups whose every completion has reward 0", 0, 1, sampled=True),
        "answers/unparseable": Column("share of completions that state no answer", 0, 1, sampled=True),
        "answers/undecided": Column("share of comparisons that did not end in time", 0, 1, sampled=True),
        "completions/mean_length": Column("tokens of a completion, mean over the generation", 0, sampled=True),
        "completions/clipped_ratio": Column("share of completions cut at the longest length", 0, 1, sampled=True),
        "entropy": Column("entropy of the next token in nats, mean over the step's tokens", 0, optional=True),
        "kl": Column("k3 estimate of the KL divergence from the reference a token, in nats", 0, optional=True),
        "log_ratio/max": Column("largest |log pi_theta/pi_old| of a token of the step", 0, optional=True),
        "log_ratio/abs_mean": Column("mean |log pi_theta/pi_old| over the step's tokens", 0, optional=True),
        "log_ratio/mean": Column("mean log pi_theta/pi_old over the step's tokens", optional=True),
        "clip_ratio/region_mean": Column("share of tokens whose ratio is clipped", 0, 1, optional=True),
        "tokens": Column("tokens of completions that the step learned from", 0),
        "nonfinite": Column("values of this row that were inf or nan, and stand as null", 0),
        "time/seconds": Column("since the run began, in seconds, pauses left out", 0, clock=True),
        "time/step": Column("of this step, in seconds", 0, clock=True),
    }
)
CLOCKS = tuple(name for name, column in COLUMNS.items() if column.clock)


@cache
def row_schema() -> "pa.SeriesSchema":
    """The schema of one row, as a series indexed by column (one check over a row costs a tenth of one a column)."""
    import numpy as np
    import pandas as pd
    import pandera.pandas as pa

    low = np.array([column.low for column in COLUMNS.values()])
    high = np.array([column.high for column in COLUMNS.values()])
    sampled = np.array([column.sampled for column in COLUMNS.values()])
    optional = np.array([column.optional for column in COLUMNS.values()])
    lag = list(COLUMNS).index("lag")

    def good(row: Any) -> Any:
        value = row.to_numpy()
        empty = np.isnan(value)
        bounded = empty | ((value >= low - 1e-9) & (value <= high + 1e-9))
        filled = np.where(sampled, empty != (value[lag] == 0), ~empty | optional)
        return pd.Series(bounded & filled, index=row.index)

    return pa.SeriesSchema(
        float,
        checks=pa.Check(good, error="within its bounds, and there just where it belongs", ignore_na=False),
        nullable=True,
    )


@cache
def log_schema() -> "pa.DataFrameSchema":
    """The schema of a whole log: every row as `row_schema`, steps 1, 2, 3, ... without gap or repetition."""
    import pandera.pandas as pa

    def steps(frame: Any) -> bool:
        return list(frame["step"]) == list(range(1, len(frame) + 1))

    def sampled(frame: Any) -> Any:
        names = [name for name, column in COLUMNS.items() if column.sampled]
        return (frame[names].notna().all(axis=1) == (frame["lag"] == 0)) & (
            frame[names].isna().all(axis=1) == (frame["lag"] != 0)
        )

    return pa.DataFrameSchema(
        {
            name: pa.Column(
                float,
                pa.Check.in_range(column.low - 1e-9, column.high + 1e-9, error=column.says),
                nullable=column.sampled or column.optional,
            )
            for name, column in COLUMNS.items()
        },
        checks=[
            pa.Check(steps, error="the steps 1, 2, 3, ... each once"),
            pa.Check(sampled, error="rewards in the rows with lag 0, and only there"),
        ],
        strict=True,
        ordered=True,
        coerce=True,
    )


def checked(values: Mapping[str, float | None]) -> dict[str, float | None]:
    """A row with every column in its order, inf and nan as None and counted, validated.

    Raises:
        ValueError: a value that the schema refuses; names it. That is a fault of the instruments, not of the run.
    """
    import numpy as np
    import pandas as pd
    from pandera.errors import SchemaError

    row: dict[str, float | None] = {}
    nonfinite = 0
    for name in COLUMNS:
        value = values.get(name)
        if value is not None and not math.isfinite(value):
            value, nonfinite = None, nonfinite + 1
        row[name] = value
    row["nonfinite"] = nonfinite
    series = pd.Series([np.nan if v is None else float(v) for v in row.values()], index=list(row), dtype=float)
    try:
        row_schema().validate(series)
    except SchemaError as error:
        name = str(error.failure_cases["index"].iloc[0])
        column = COLUMNS[name]
        where = "lag 0 alone" if column.sampled else "every row"
        raise ValueError(
            f"{name} = {row[name]!r} in the row of step {row['step']}, lag {row['lag']}; expected a number in "
            f"[{column.low:g}, {column.high:g}]" + ("" if column.optional else f", in {where}")
        ) from None
    whole = ("step", "generation", "lag", "tokens", "nonfinite")
    return {name: int(v) if name in whole and v is not None else v for name, v in row.items()}
