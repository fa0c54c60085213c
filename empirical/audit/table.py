"""Read a table of means and standard deviations from a CSV file, cell by cell, as printed."""

import re
from dataclasses import dataclass
from pathlib import Path

from empirical.audit.cell import Cell
from empirical.audit.rounding import Printed
from empirical.csvfile import CsvFile, read_csv
from empirical.errors import InputError, quote

SCALES = {"percent": 100, "proportion": 1}
AVERAGES = ("", "accuracy", "acc", "mean", "average")  # metrics that average binary outcomes
LARGEST = {"problems": 10**7, "seeds": 100, "samples": 10**4}
MOST_DECIMALS = 12
NUMBERS = ("mean", "std", "metric", *LARGEST)


@dataclass(frozen=True)
class Field:
    """One field of the file, and the complaint about it."""

    file: CsvFile
    row: int
    column: str

    @property
    def text(self) -> str:
        """What stands there; empty where the table has no such column."""
        if self.column not in self.file.header:
            return ""
        return self.file.rows[self.row][self.file.header.index(self.column)]

    def refuse(self, expected: str, todo: str) -> InputError:
        """The exception that names this field."""
        return InputError(
            self.file.path,
            line=self.file.lines[self.row],
            column=self.column,
            found=quote(self.text) if self.text else "an empty field",
            expected=expected,
            todo=todo,
        )


def read_cells(
    path: Path | str,
    *,
    scale: str = "percent",
    metric: str = "",
    need_problems: bool = True,
) -> list[Cell]:
    """The cells of a table.

    Args:
        path: a CSV file with a header and the column `mean`; `std`, `problems`, `seeds`, `samples` and
            `metric` (pass@K, or accuracy) are optional, may be empty in a row, and all other columns are
            labels.
        scale: "percent" or "proportion".
        metric: the metric where the table does not give one.
        need_problems: refuse a row without a number of problems.

    Raises:
        InputError: the file cannot be read as such a table; names line and column.
        ValueError: `scale` is neither of the two, or `metric` is none.
    """
    if scale not in SCALES:
        raise ValueError(f"scale = {scale!r} is neither 'percent' nor 'proportion'")
    default_k = pass_at(metric)
    if default_k is None:
        raise ValueError(f"metric = {metric!r} is neither pass@K nor accuracy")
    file = read_csv(path)
    if "mean" not in file.header:
        raise InputError(
            file.path,
            line=1,
            column="mean",
            found=f"no such column among {', '.join(map(quote, file.header))}",
            expected="a column 'mean' with the printed means",
            todo="name the columns of means and standard deviations 'mean' and 'std', one cell a row",
        )
    if not file.rows:
        raise InputError(
            file.path,
            line=2,
            found="no row below the header",
            expected="at least one cell",
            todo="put one cell of the table in each line",
        )
    return [_cell(file, row, scale, default_k, need_problems) for row in range(len(file.rows))]


def published_cells() -> list[Cell]:
    """The 144 cells of the paper's Table 1: two seeds behind a trained cell, one run behind a base cell."""
    from empirical.published import TABLE_1, table_1

    table_1()
    cells = read_cells(TABLE_1)
    return [
        Cell(c.mean, c.std, c.problems, 1 if c.std is None else 2, c.samples, c.k, c.scale, c.labels, c.line)
        for c in cells
    ]


def pass_at(metric: str) -> int | None:
    """The k of a metric: 5 for pass@5, 1 for an average; None for anything else."""
    if metric.strip().lower() in AVERAGES:
        return 1
    match = re.fullmatch(r"\s*pass[@_ ]?([1-9]\d{0,3})\s*", metric.lower(), re.ASCII)
    return int(match.group(1)) if match else None


def _cell(file: CsvFile, row: int, scale: str, default_k: int, need_problems: bool) -> Cell:
    mean = _number(Field(file, row, "mean"), scale)
    std = Field(file, row, "std")
    counts = {name: _count(Field(file, row, name)) for name in LARGEST}
    problems = Field(file, row, "problems")
    if counts["problems"] is None and need_problems:
        raise problems.refuse(
            "the number of problems that the mean is taken over",
            "fill the column 'problems', or give one number for all rows with --problems",
        )
    metric = Field(file, row, "metric")
    k = pass_at(metric.text) if metric.text else default_k
    if k is None:
        raise metric.refuse("pass@K (such as pass@5) or accuracy", "rename the metric, or leave out the row")
    labels = {
        name: value
        for name, value in zip(file.header, file.rows[row], strict=True)
        if name not in NUMBERS or name == "metric"
    }
    return Cell(
        mean=mean,
        std=_number(std, scale) if std.text else None,
        problems=counts["problems"],
        seeds=counts["seeds"],
        samples=counts["samples"],
        k=k,
        scale=SCALES[scale],
        labels=labels,
        line=file.lines[row],
    )


def _number(field: Field, scale: str) -> Printed:
    todo = "write a plain number with a point and no percent sign, as printed (trailing zeros count)"
    kind = "mean" if field.column == "mean" else "standard deviation"
    expected = f"a {kind} such as {'12.30' if scale == 'percent' else '0.123'}"
    try:
        number = Printed.of(field.text)
    except ValueError:
        raise field.refuse(expected, todo) from None
    if number.value < 0 or field.text.startswith("-"):
        raise field.refuse(f"a {kind} of at least 0", todo)
    if number.decimals > MOST_DECIMALS:
        raise field.refuse(f"at most {MOST_DECIMALS} decimals", "give the number as printed, not as computed")
    if number.value > SCALES[scale]:
        raise field.refuse(
            f"at most {SCALES[scale]}, as the scale is {scale}",
            "give --scale percent" if scale == "proportion" else "correct the number: no score exceeds 100 percent",
        )
    return number


def _count(field: Field) -> int | None:
    if not field.text:
        return None
    number = int(field.text) if re.fullmatch(r"\d{1,12}", field.text, re.ASCII) else 0
    if not 1 <= number <= LARGEST[field.column]:
        raise field.refuse(f"a whole number from 1 to {LARGEST[field.column]}", "correct it, or leave the field empty")
    return number
