"""The fast path for JSONL: pyarrow's parser, where every line of a piece has the same plain types."""

from io import BytesIO

import numpy as np

from empirical.logs.numbers import Floats
from empirical.logs.raw import Rows

_FEWEST = 1000  # lines; below it the standard parser is fast enough
_NAN = b": NaN"  # what Python writes and JSON does not know


def columnar(lines: list[bytes], first: int, rows: Rows) -> int | None:
    """Add the lines of a piece to the rows, as columns of numbers.

    Args:
        lines: JSON objects, one a line.
        first: number of the first line.
        rows: where to.

    Returns:
        The number of rows; None, with nothing added, where the piece needs the standard parser: text, lists, nested
        objects, damage, infinities, or pyarrow not installed.
    """
    if len(lines) < _FEWEST:
        return None
    try:
        import pyarrow as arrow
        from pyarrow import json
    except ImportError:
        return None
    data = b"".join(lines)
    nan = data.count(_NAN)
    if nan:
        data = data.replace(_NAN, b": null")
    if b"Infinity" in data or b"NaN" in data or b"\\" in data:
        return None
    options = json.ReadOptions(block_size=len(data) + 1, use_threads=True)
    try:
        table = json.read_json(BytesIO(data), read_options=options)
    except (arrow.ArrowException, OSError, ValueError, RecursionError):
        return None
    if table.num_rows != len(lines):
        return None
    columns: dict[str, Floats] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if arrow.types.is_floating(kind) or arrow.types.is_integer(kind):
            columns[name] = np.asarray(column.cast(arrow.float64(), safe=False).to_numpy(zero_copy_only=False))
        elif arrow.types.is_null(kind):
            columns[name] = np.full(table.num_rows, np.nan)
        else:
            return None
    rows.add_arrays(columns, range(first, first + len(lines)))
    rows.nan += nan
    return len(lines)
