"""Read a CSV file as strings, and check it with a pandera schema, with the line of every fault."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from empirical.errors import InputError, quote

if TYPE_CHECKING:
    import pandas as pd
    import pandera.pandas as pa


@dataclass(frozen=True)
class CsvFile:
    """The cells of a CSV file as the strings that stand there.

    Attributes:
        path: the file.
        header: the column names, in order.
        rows: one tuple of strings a record, all as long as the header.
        lines: for each record the line (from 1) on which it ends.
    """

    path: Path
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]

    def frame(self) -> "pd.DataFrame":
        """The records as a pandas frame whose every column has dtype `str`."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.header), dtype="str")

    def checked(self, schema: "pa.DataFrameSchema", todo: str) -> "pd.DataFrame":
        """The frame, validated by a pandera schema.

        Raises:
            InputError: names the line and column of the first failure, and the schema's own words for what it
                expects.
        """
        from pandera.errors import SchemaErrors

        header = tuple(schema.columns)
        if self.header != header:
            wrong = next(
                (found for found, expected in zip(self.header, header, strict=False) if found != expected),
                None,
            )
            raise InputError(
                self.path,
                line=1,
                column=wrong,
                found=f"the header {quote(','.join(self.header))}",
                expected=",".join(header),
                todo=todo,
            )
        try:
            return schema.validate(self.frame(), lazy=True)
        except SchemaErrors as error:
            failure = error.failure_cases.iloc[0]
            row, column = failure["index"], failure["column"]
            in_row = row is not None and row == row  # pandera gives None or nan where the whole table fails
            in_cell = in_row and failure["schema_context"] == "Column"
            raise InputError(
                self.path,
                line=self.lines[int(row)] if in_row else self.lines[-1] if self.lines else 1,
                column=str(column) if in_cell else None,
                found=quote(failure["failure_case"]) if in_cell else "this row" if in_row else f"{len(self.rows)} rows",
                expected=str(failure["check"]),
                todo=todo,
            ) from None


def read_csv(path: Path | str) -> CsvFile:
    """Read a comma-separated UTF-8 file with a header; blank lines are skipped, cells are stripped of blanks.

    Raises:
        InputError: no such file, a directory, not UTF-8, empty, a header with an empty or repeated name, a
            record whose number of fields is not the header's, or an unbalanced quote.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(
            path,
            found=error.strerror or "an unreadable file",
            expected="a readable CSV file",
            todo="check the path and the permissions",
        ) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            path,
            line=raw.count(b"\n", 0, error.start) + 1,
            found=f"the byte 0x{raw[error.start]:02x}",
            expected="UTF-8 text",
            todo="save the file as CSV UTF-8",
        ) from None
    if "\0" in text:
        raise InputError(
            path,
            line=text.count("\n", 0, text.index("\0")) + 1,
            found="a null character",
            expected="plain text",
            todo="save the file as CSV UTF-8 (a spreadsheet or a UTF-16 file is not one)",
        )
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    records: list[tuple[int, tuple[str, ...]]] = []
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                records.append((reader.line_num, tuple(field.strip() for field in fields)))
    except csv.Error as error:
        raise InputError(
            path,
            line=reader.line_num,
            found=str(error),
            expected="comma-separated fields with balanced quotes",
            todo="quote a field that holds a comma or a quote, and double the quotes inside it",
        ) from None
    if not records:
        raise InputError(
            path,
            line=1,
            found="an empty file",
            expected="a header and at least one row",
            todo="give the columns' names in the first line and one cell of the table in each line after it",
        )
    line, header = records[0]
    for name in header:
        if not name or header.count(name) > 1:
            raise InputError(
                path,
                line=line,
                column=name,
                found="a column without a name" if not name else "the same column name twice",
                expected="a name of its own for each column",
                todo="correct the header",
            )
    for line, record in records[1:]:
        if len(record) != len(header):
            missing = len(record) < len(header)
            raise InputError(
                path,
                line=line,
                column=header[len(record)] if missing else header[-1],
                found=f"{len(record)} fields",
                expected=f"{len(header)}, as in the header",
                todo="leave an empty field where a value is missing"
                if missing
                else "write decimals with a point, and quote a field that holds a comma",
            )
    return CsvFile(
        path=path,
        header=header,
        rows=tuple(record for _, record in records[1:]),
        lines=tuple(line for line, _ in records[1:]),
    )
