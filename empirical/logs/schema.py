"""The schema of a log's table: a pandera schema with unit and meaning of every column."""

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from empirical.logs.identity import Version
from empirical.logs.numbers import Floats
from empirical.logs.quantity import QUANTITIES, Quantity, Reading

if TYPE_CHECKING:
    import pandas as pd
    import pandera.pandas as pa


def quantity_of(column: str) -> Quantity | None:
    """The quantity of a canonical column, of a row of training or evaluation; None where it is unknown."""
    bare = column.removeprefix("eval_")
    if bare in QUANTITIES:
        return QUANTITIES[bare]
    if bare.startswith("rewards/"):
        _, name, what = bare.split("/", 1)[0], bare.split("/", 1)[1].rsplit("/", 1)[0], bare.rsplit("/", 1)[1]
        says = f"{'mean' if what == 'mean' else 'standard deviation over the batch'} of the reward function {name}"
        return Quantity(bare, "reward", says, low=0.0 if what == "std" else -math.inf)
    return None


def readings(column: str, trainer: str, version: Version) -> tuple[Reading, ...]:
    """What the column can mean for this trainer and these versions: one reading, or several where that is open."""
    quantity = quantity_of(column)
    if quantity is None or not quantity.readings:
        return ()
    of_trainer = [r for r in quantity.readings if r.trainer == trainer]
    if trainer == "unknown":
        of_trainer = [r for r in quantity.readings if r.trainer == "trl"]
    return tuple(r for r in of_trainer if r.overlaps(version.low, version.high))


def meaning(column: str, trainer: str, version: Version) -> str:
    """What the column is; all readings, where the version does not decide."""
    quantity = quantity_of(column)
    if column == "step":
        return "optimizer steps since the start"
    if quantity is None:
        return "kept as logged; its meaning is not known here"
    possible = readings(column, trainer, version)
    prefix = "in evaluation: " if column.startswith("eval_") else ""
    distinct = list(dict.fromkeys(r.says for r in possible))
    if not distinct:
        return prefix + quantity.says
    if len(distinct) == 1:
        return prefix + distinct[0]
    told = "; or ".join(f"{r.says} ({r.label})" for r in possible)
    return f"{prefix}{quantity.says}; the version is not known: {told}"


def schema(columns: Iterable[str], trainer: str, version: Version) -> "pa.DataFrameSchema":
    """The pandera schema of a table with these canonical columns."""
    import pandera.pandas as pa

    out: dict[str, pa.Column] = {}
    for column in columns:
        quantity = quantity_of(column)
        unit = "step" if column == "step" else quantity.unit if quantity else ""
        checks: list[pa.Check] = []
        if column == "step":
            checks = [pa.Check(lambda s: bool((s.diff().dropna() > 0).all()), error="increasing steps")]
        elif quantity is not None and (quantity.low > -math.inf or quantity.high < math.inf):
            checks = [pa.Check(_inside(quantity), error=f"{column} in [{quantity.low:g}, {quantity.high:g}]")]
        out[column] = pa.Column(
            "int64" if column == "step" else "float64",
            checks=checks,
            nullable=column != "step",
            title=column,
            description=meaning(column, trainer, version),
            metadata={"unit": unit},
        )
    return pa.DataFrameSchema(out, strict=True, ordered=True)


def _inside(quantity: Quantity) -> "Callable[[pd.Series[float]], bool]":
    """A vectorised check of the range; nan passes."""
    return lambda s: bool((s.isna() | ((s >= quantity.low) & (s <= quantity.high))).all())


def refused(column: str, values: Floats) -> tuple[int, float] | None:
    """Index and value of the first entry that cannot be what the column says; None where there is none."""
    quantity = quantity_of(column)
    if quantity is None:
        return None
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero((values < quantity.low) | (values > quantity.high))
    return (int(bad[0]), float(values[bad[0]])) if bad.size else None
