"""Log: one GRPO run as a checked table."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empirical.logs import schema as schemas
from empirical.logs.identity import Version
from empirical.logs.note import Note
from empirical.logs.quantity import Reading

if TYPE_CHECKING:
    import pandas as pd
    import pandera.pandas as pa


@dataclass(frozen=True)
class Log:
    """A run as it was logged.

    Attributes:
        path: the file that was read.
        container: its format, in words.
        table: one row a step, increasing; `step` is int64, every other column float64 with nan where nothing was
            logged. Columns of evaluation begin with `eval_`, reward functions are `rewards/NAME/mean` and `/std`.
        columns: name in the file -> name in the table.
        trainer: "trl", "verl", "openrlhf", "reasoning-from-scratch" or "unknown".
        version: of the trainer: read, inferred from the keys, or unknown.
        notes: what was renamed, derived, merged, repaired, dropped and refused.
        settings: what the file says about the run besides its rows, such as `max_steps` or `group_size`.
    """

    path: Path
    container: str
    table: "pd.DataFrame" = field(repr=False)
    columns: dict[str, str] = field(repr=False)
    trainer: str
    version: Version
    notes: tuple[Note, ...] = field(repr=False)
    settings: dict[str, Any] = field(repr=False)

    @cached_property
    def schema(self) -> "pa.DataFrameSchema":
        """The pandera schema of the table: type, range, unit (metadata) and meaning (description) of each column."""
        return schemas.schema(self.table.columns, self.trainer, self.version)

    def meaning(self, column: str) -> str:
        """What a column of the table is, with every reading where the trainer's version leaves several."""
        return schemas.meaning(column, self.trainer, self.version)

    def readings(self, column: str) -> tuple[Reading, ...]:
        """The possible meanings of a column whose meaning changed between versions."""
        return schemas.readings(column, self.trainer, self.version)

    def unit(self, column: str) -> str:
        """The unit of a column of the table, "" for pure numbers."""
        metadata = self.schema.columns[column].metadata or {}
        return str(metadata.get("unit", ""))

    def has(self, column: str) -> bool:
        """Whether a column has at least one finite value."""
        import numpy as np

        return column in self.table and bool(np.isfinite(self.table[column].to_numpy()).any())

    @property
    def rows(self) -> int:
        """Number of steps logged."""
        return len(self.table)
