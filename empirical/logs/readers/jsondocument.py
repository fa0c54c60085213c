"""A JSON document: trainer_state.json under any name, a bare array of rows, or a dictionary of columns."""

import json
import re
from collections.abc import Mapping
from typing import Any

from empirical.logs import config
from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.readers.jsonlines import UNREADABLE
from empirical.logs.source import Source

_STATE = (
    "max_steps",
    "num_train_epochs",
    "logging_steps",
    "eval_steps",
    "save_steps",
    "train_batch_size",
    "global_step",
)
_LISTS = ("log_history", "history", "logs", "metrics", "rows", "data")


def matches(source: Source) -> bool:
    """The text starts like a JSON object or array."""
    return bool(re.match(r"\s*(\{\s*[\"}]|\[\s*[\{\]])", source.head))


def read(source: Source) -> Raw:
    """The rows of the document; of one that is cut off, those before the cut.

    Raises:
        InputError: it is no JSON, or holds no list of rows.
    """
    text = source.text
    try:
        document = json.loads(text)
    except UNREADABLE as error:
        return _salvaged(source, text, error)
    raw = rows_of(document)
    if raw is None:
        raise source.refuse(
            f"a JSON {'object' if isinstance(document, dict) else 'array'} without rows",
            "`log_history`, an array of objects, or an object of equally long arrays",
            "give trainer_state.json, or the file that the trainer appends a row to at each step",
        )
    raw.notes += source.decoded[1]
    return raw


def rows_of(document: object) -> Raw | None:
    """The rows of a parsed document; None where it has none."""
    if isinstance(document, dict):
        for key in _LISTS:
            found = document.get(key)
            if isinstance(found, list) and any(isinstance(row, dict) for row in found):
                raw = _rows(found, "trainer state" if key == "log_history" else f"JSON ({key})")
                raw.settings.update(state(document))
                return raw
            if isinstance(found, dict) and (inner := rows_of(found)) is not None:
                return inner
        return _columns(document)
    if isinstance(document, list) and any(isinstance(row, dict) for row in document):
        return _rows(document, "JSON array")
    return None


def state(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a trainer state says about the run besides its rows."""
    found = {key: document[key] for key in _STATE if isinstance(document.get(key), (int, float))}
    return {**config.numbers(document), **found}


def _rows(found: list[object], container: str) -> Raw:
    rows = Rows()
    good = [(row, i) for i, row in enumerate(found, 1) if isinstance(row, dict)]
    rows.add([row for row, _ in good], [i for _, i in good])
    raw = rows.raw(container)
    if len(good) < len(found):
        raw.notes.append(Note("dropped", f"{len(found) - len(good)} entries that are no objects"))
    return raw


def _columns(document: Mapping[str, object]) -> Raw | None:
    columns = {k: v for k, v in document.items() if isinstance(v, list) and len(v) > 1}
    if not columns:
        return None
    sizes = sorted(len(v) for v in columns.values())
    size = sizes[len(sizes) // 2]
    rows = Rows()
    whole = {k: v for k, v in columns.items() if len(v) == size}
    rows.add([dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)], range(1, size + 1))
    raw = rows.raw("JSON columns")
    if len(whole) < len(columns):
        raw.notes.append(Note("dropped", f"{len(columns) - len(whole)} columns of another length than {size}"))
    return raw


def _salvaged(source: Source, text: str, error: BaseException) -> Raw:
    """The complete rows before the place at which a document breaks off."""
    start = re.search(r'"log_history"\s*:\s*\[', text) or re.search(r"\[\s*(?=\{)", text)
    rows: list[object] = []
    if start is not None:
        decoder, at = json.JSONDecoder(), start.end()
        while True:
            try:
                row, at = decoder.raw_decode(
                    text, at + len(text[at : at + 4096]) - len(text[at : at + 4096].lstrip(" \t\r\n,"))
                )
            except UNREADABLE:
                break
            rows.append(row)
    line = getattr(error, "lineno", None)
    if not any(isinstance(row, dict) for row in rows):
        raise source.refuse(
            str(getattr(error, "msg", "JSON nested too deeply")),
            "a JSON document",
            line=line,
            todo="copy the file again: it is damaged or cut off before its first row",
        )
    raw = _rows(rows, "trainer state" if '"log_history"' in text else "JSON array")
    raw.notes.append(
        Note("repaired", f"no JSON from line {line} on: {len(rows)} complete rows before were read, the rest left out")
    )
    head = text[: start.start()] if start else ""
    for key in _STATE:
        if found := re.search(rf'"{key}"\s*:\s*(-?\d+(?:\.\d+)?)', head):
            raw.settings[key] = float(found[1]) if "." in found[1] else int(found[1])
    return raw


READER = Reader("JSON document", matches, read)
