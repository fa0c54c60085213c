"""Config: what lies beside a log and says how the run was set up."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from empirical.logs import naming
from empirical.logs.note import Note

FILES = ("run.json", "args.json", "training_args.json")
LARGEST = 1 << 20  # bytes
_INSIDE = ("settings", "args", "config")


def numbers(document: Mapping[str, Any]) -> dict[str, float]:
    """Settings by canonical name, of a document and of what it holds under `settings`, `args` or `config`."""
    out: dict[str, float] = {}
    for part in (document, *(document.get(key) for key in _INSIDE)):
        if not isinstance(part, Mapping):
            continue
        for key, value in part.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                continue
            name = naming.setting(str(key))
            if name is not None:
                out.setdefault(name, float(value))
    return out


def beside(log: Path) -> tuple[dict[str, Any], list[Note]]:
    """Settings from a config in the folder of a log, or in the one above a checkpoint; what cannot be read is noted.

    Our own trainer writes `run.json`: its `interval` is the refresh interval in optimizer steps.
    """
    folders = [log.parent, log.parent.parent] if log.parent.name.startswith("checkpoint") else [log.parent]
    for path in (folder / name for folder in folders for name in FILES):
        try:
            if path == log or not path.is_file() or path.stat().st_size > LARGEST:
                continue
            document = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            return {}, [Note("dropped", f"{path.name} beside the log cannot be read: {error}")]
        if not isinstance(document, dict):
            continue
        out: dict[str, Any] = dict(numbers(document))
        settings = document.get("settings")
        if isinstance(settings, dict) and isinstance(document.get("interval"), int):
            out["refresh"] = float(document["interval"])
            if isinstance(settings.get("optimizer"), str):
                out["optimizer"] = settings["optimizer"][:40]
        if out:
            told = ", ".join(f"{k} = {v:g}" if isinstance(v, float) else f"{k} = {v}" for k, v in sorted(out.items()))
            return out, [Note("read", f"{path.name} beside the log: {told}")]
    return {}, []
