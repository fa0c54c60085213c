"""What was understood of a log, on the terminal and as JSON."""

from typing import TYPE_CHECKING, Any

import numpy as np

from empirical.logs.log import Log

if TYPE_CHECKING:
    from rich.console import Console


def summary(log: Log) -> dict[str, Any]:
    """Everything but the rows, in JSON's types (nan where a column is empty)."""
    sources: dict[str, list[str]] = {}
    for source, canonical in log.columns.items():
        sources.setdefault(canonical, []).append(source)
    return {
        "path": str(log.path),
        "container": log.container,
        "trainer": log.trainer,
        "version": {"text": str(log.version), "how": log.version.how, "evidence": list(log.version.evidence)},
        "rows": log.rows,
        "steps": [int(log.table["step"].iloc[0]), int(log.table["step"].iloc[-1])],
        "settings": log.settings,
        "columns": [
            {
                "name": str(name),
                "source": sources.get(str(name), []),
                "unit": log.unit(str(name)),
                "meaning": log.meaning(str(name)),
                "readings": [{"where": r.label, "says": r.says} for r in log.readings(str(name))],
                **_numbers(log.table[name].to_numpy()),
            }
            for name in log.table
        ],
        "notes": [{"kind": note.kind, "text": note.text} for note in log.notes],
    }


def _numbers(values: Any) -> dict[str, float | int]:
    values = np.asarray(values, dtype=np.float64)
    there = values[~np.isnan(values)]
    if not there.size:
        return {"values": 0, "first": np.nan, "last": np.nan, "min": np.nan, "max": np.nan}
    low, high = float(there.min()), float(there.max())
    return {"values": int(there.size), "first": float(there[0]), "last": float(there[-1]), "min": low, "max": high}


def show(log: Log, console: "Console") -> None:
    """Print the columns with their meaning, the settings and the notes."""
    from rich.markup import escape
    from rich.table import Table

    told = summary(log)
    first, last = told["steps"]
    console.print(f"{log.path}: {log.container}", markup=False, highlight=False)
    version = f"version {log.version} ({log.version.how})" if log.version.how != "unknown" else "version unknown"
    console.print(f"trainer: {log.trainer}, {version}; {log.rows} rows, steps {first} to {last}", highlight=False)
    table = Table(title="Columns", title_justify="left")
    for heading in ("column", "in the file", "values", "first", "last", "min", "max", "unit", "meaning"):
        table.add_column(heading, justify="right" if heading in ("values", "first", "last", "min", "max") else "left")
    for column in told["columns"]:
        source = ", ".join(column["source"])
        table.add_row(
            escape(column["name"]),
            "" if source == column["name"] else escape(source) or "(derived)",
            str(column["values"]),
            *(f"{column[key]:.4g}" for key in ("first", "last", "min", "max")),
            escape(column["unit"]),
            escape(column["meaning"]),
        )
    console.print(table)
    for key, value in log.settings.items():
        console.print(f"setting {key} = {value}", markup=False, highlight=False)
    for note in log.notes:
        console.print(str(note), markup=False, highlight=False)
