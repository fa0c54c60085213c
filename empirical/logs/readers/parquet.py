"""Parquet: a W&B history or a frame that somebody saved."""

import re
from io import BytesIO

from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.source import Source


def matches(source: Source) -> bool:
    """Its first bytes are PAR1."""
    return source.data.startswith(b"PAR1")


def read(source: Source) -> Raw:
    """All rows.

    Raises:
        InputError: the file is damaged, or pyarrow is not installed.
    """
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise source.refuse(
            "a Parquet file, and no pyarrow to read it", "pyarrow", "python -m pip install pyarrow"
        ) from None
    try:
        frame = parquet.read_table(BytesIO(source.data))
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:
        first = re.sub(r"\s+", " ", str(error)).strip()[:100]
        raise source.refuse(f"a damaged Parquet file ({first})", "a whole one", "copy the file again") from None
    rows = Rows()
    lines = range(1, frame.num_rows + 1)
    names = [str(name) for name in frame.column_names]
    plain = {}
    other = {}
    for name, column in zip(names, frame.columns, strict=True):
        if arrow.types.is_floating(column.type) or arrow.types.is_integer(column.type):
            plain[name] = column.cast(arrow.float64(), safe=False).to_numpy(zero_copy_only=False)
        else:
            other[name] = column.to_pylist()
    if plain:
        rows.add_arrays(plain, lines)
    raw = rows.raw("Parquet")
    if other and frame.num_rows:
        more = Rows()
        more.add([dict(zip(other, values, strict=True)) for values in zip(*other.values(), strict=True)], lines)
        extra = more.raw("")
        raw.columns.update(extra.columns)
        raw.faults.update(extra.faults)
        raw.lines = extra.lines
    return raw


READER = Reader("Parquet", matches, read)
