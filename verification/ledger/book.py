"""Reads a claims.json: checked against claims.schema.json before anything is made from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA_FILE = Path(__file__).with_name("claims.schema.json")


class BookError(ValueError):
    """A claims.json that cannot be used; the message names the file, the place in it and what was expected."""


def read(path: Path) -> dict[str, Any]:
    """The ledger in a file.

    Raises:
        BookError: it cannot be read, is not JSON, or does not follow the schema.
    """
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BookError(f"{path}: {error.strerror}; give the claims.json that `tox -e claims` writes") from None
    except UnicodeDecodeError as error:
        raise BookError(f"{path}: not UTF-8 at byte {error.start}; run `tox -e claims` again") from None
    except json.JSONDecodeError as error:
        raise BookError(f"{path}:{error.lineno}:{error.colno}: not JSON ({error.msg})") from None
    found = complaints(book)
    if found:
        raise BookError(f"{path}: {found[0]}")
    return dict(book)


def complaints(book: object) -> list[str]:
    """What in `book` does not follow the schema, or points at a claim that it does not have; empty if sound."""
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    if isinstance(book, dict) and book.get("schema") != schema["properties"]["schema"]["const"]:
        wanted = schema["properties"]["schema"]["const"]
        return [f"its schema is {book.get('schema')!r}, expected {wanted}; run `tox -e claims` again"]
    errors = jsonschema.Draft202012Validator(schema).iter_errors(book)
    found = [f"at {error.json_path}: {error.message[:300]}" for error in errors]
    if found or not isinstance(book, dict):
        return found
    known = [claim["id"] for claim in book["claims"]]
    found += [f"two claims are called {id_!r}" for id_ in sorted({i for i in known if known.count(i) > 1})]
    for claim in book["claims"]:
        for key in ("uses", "used_by", "corrects"):
            found += [f"{claim['id']}: {key} names {i!r}, which is no claim" for i in _unknown(claim[key], known)]
    return found


def _unknown(ids: Iterable[str], known: Iterable[str]) -> list[str]:
    return sorted(set(ids) - set(known))
