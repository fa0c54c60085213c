"""Content stamps: a claim edited after its stamp was renewed is SUSPECT until someone looks at it again.

`stamps.json` beside this file holds, for each claim, a hash of what it says and the list of the tests in
`verification/` that bear on it. `tox -e stamp -- ID ...` renews them.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TypedDict

import sympy as sp

from spec.claim import Claim, ClaimError

PATH = Path(__file__).with_name("stamps.json")


class Stamp(TypedDict):
    """The hash of a claim's content and the node ids of its tests."""

    content: str
    tests: list[str]


def canonical(value: object) -> object:
    """A value of a claim as nested lists and strings that do not depend on the run."""
    if isinstance(value, sp.Basic):
        return sp.srepr(value)
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value):
        return [type(value).__name__, *(canonical(getattr(value, f.name)) for f in fields(value))]
    if isinstance(value, Mapping):
        return sorted([str(canonical(k)), canonical(v)] for k, v in value.items())
    if isinstance(value, tuple | list):
        return [canonical(v) for v in value]
    return value if isinstance(value, bool | int) or value is None else str(value)


def content(claim: Claim) -> str:
    """The first 16 hex digits of the SHA-256 of everything that the claim says."""
    text = json.dumps(canonical(claim), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load(path: Path = PATH) -> dict[str, Stamp]:
    """The stamps on disk; empty where there is no file.

    Raises:
        ClaimError: the file is not valid JSON of the expected form; names file and line.
    """
    if not path.exists():
        return {}
    try:
        stamps = json.loads(path.read_text(encoding="utf-8"))
        return {str(k): {"content": str(v["content"]), "tests": list(v["tests"])} for k, v in stamps.items()}
    except json.JSONDecodeError as error:
        raise ClaimError(f"{path}:{error.lineno}:{error.colno}: not JSON ({error.msg}); restore it") from error
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise ClaimError(f"{path}: expected {{id: {{content, tests}}}}; restore it ({error})") from error


def renew(
    claims: Mapping[str, Claim], ids: Iterable[str], tests: Mapping[str, Iterable[str]], path: Path = PATH
) -> list[str]:
    """Stamp the claims `ids` afresh, drop stamps of claims that are gone; returns the ids that changed."""
    old = load(path)
    new = {k: v for k, v in old.items() if k in claims}
    for id_ in ids:
        new[id_] = {"content": content(claims[id_]), "tests": sorted(set(tests.get(id_, ())))}
    text = json.dumps(dict(sorted(new.items())), indent=1) + "\n"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".stamps-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o644)
    Path(name).replace(path)
    return sorted(k for k in old.keys() | new.keys() if old.get(k) != new.get(k))
