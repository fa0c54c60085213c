"""Output: files that are replaced only by complete ones, and values in JSON's types."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from empirical.errors import InputError

WIDTH = 140  # columns of a table that does not go to a terminal


def write(path: Path, content: str | bytes) -> None:
    """Write a file under a temporary name and then rename it.

    Raises:
        InputError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content.encode("utf-8", errors="replace") if isinstance(content, str) else content)
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            path, found=error.strerror or "an error", expected="a file that can be written", todo="give another path"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def folder(path: Path) -> Path:
    """A folder that exists and can be written to, made where it is missing.

    Raises:
        InputError: it is something else, or cannot be made or written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        problem = None if os.access(path, os.W_OK | os.X_OK) else "a folder that cannot be written to"
    except FileExistsError:
        problem = "a file"
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or "a path that cannot be made"
    if problem is not None:
        raise InputError(path, found=problem, expected="a folder to write to", todo="give another path to --out")
    return path


def plain(value: Any) -> Any:
    """A value in JSON's types: nan is null, infinities are the strings "inf" and "-inf"."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool) or value is None or isinstance(value, (str, int)):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf") if math.isinf(value) else value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    return str(value)


def dumps(value: Any) -> str:
    """A value as indented JSON text."""
    return json.dumps(plain(value), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
