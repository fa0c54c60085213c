"""Problems in a file of one's own: JSONL, a JSON array, or Parquet."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from empirical.answers import final_answer
from empirical.errors import InputError, quote
from empirical.tasks.problem import Problem

QUESTIONS = ("question", "problem", "prompt", "query", "input", "Problem")
ANSWERS = ("answer", "target", "expected_answer", "Short Answer", "response", "solution")
SUFFIXES = (".jsonl", ".json", ".parquet")


def read_problems(path: Path) -> list[Problem]:
    """The problems of a file, in its order.

    Each record has a question (one of QUESTIONS) and an answer (one of ANSWERS; a worked solution ends in `#### x` or
    has a box).

    Raises:
        InputError: names the file and the line (JSONL), or the record counted from 1.
    """
    found = [_problem(path, place, record) for place, record in _records(path)]
    if not found:
        raise InputError(path, found="no problem", expected="at least one", todo="check that this is the right file")
    return found


def _records(path: Path) -> Iterator[tuple[int, object]]:
    if path.suffix not in SUFFIXES:
        raise InputError(
            path,
            found=f"the ending {path.suffix!r}",
            expected=" or ".join(SUFFIXES),
            todo="save the problems in one of these formats",
        )
    try:
        if path.suffix == ".parquet":
            import pandas as pd

            yield from enumerate(pd.read_parquet(path).to_dict("records"), start=1)
            return
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(
            path,
            found=getattr(error, "strerror", None) or quote(str(error)),
            expected="a readable file" if isinstance(error, OSError) else "UTF-8 text, or Parquet as its ending says",
            todo="check the path, and that the file is complete",
        ) from None
    if path.suffix == ".jsonl":
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, _parsed(path, line, number)
        return
    records = _parsed(path, text, None)
    if not isinstance(records, list):
        raise InputError(
            path, found=quote(records), expected="an array of records", todo="put the records in [...], or use .jsonl"
        )
    yield from enumerate(records, start=1)


def _parsed(path: Path, text: str, line: int | None) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        where = error.lineno if line is None and isinstance(error, json.JSONDecodeError) else line
        raise InputError(
            path, line=where, found=quote(text.strip()), expected="JSON", todo=f"correct it ({error})"
        ) from None


def _problem(path: Path, place: int, record: object) -> Problem:
    if not isinstance(record, dict):
        raise InputError(
            path, line=place, found=quote(record), expected="a record {...}", todo="write one object a problem"
        )
    texts = []
    for what, names in (("question", QUESTIONS), ("answer", ANSWERS)):
        filled = [name for name in names if str(record.get(name) if record.get(name) is not None else "").strip()]
        if not filled:
            raise InputError(
                path,
                line=place,
                found=f"the fields {quote(sorted(map(str, record)))}" if record else "no field",
                expected=f"a filled field {what!r} (or {', '.join(names[1:])})",
                todo=f"add the {what}, or remove the record",
            )
        texts.append(str(record[filled[0]]))
    question, answer = texts
    return Problem(f"{path.stem}-{place}", question, final_answer(answer, strict=True) or answer.strip())
