"""What mutation testing found of the code that the numeric routes rest on: its part of the ledger."""

from __future__ import annotations

from typing import Any

from mutation import score


def code() -> list[dict[str, Any]]:
    """The files of `reference/` with their mutation scores, in the order of mutation/selection.toml.

    Returns:
        For each file its name, `mutants` made and `killed` (both 0 where it was never scored), `stale` (the code
        has changed since) and `survivors`: function, line number, line, what became of it, and why it lives on.
    """
    found = score.scores()
    return [_file(name, found) for name in score.selection()]


def _file(name: str, found: dict[str, Any]) -> dict[str, Any]:
    if name not in found:
        return {"file": name, "mutants": 0, "killed": 0, "stale": False, "survivors": []}
    entry = found[name]
    survivors = [{key: s[key] for key in ("function", "number", "line", "edit", "why")} for s in entry["survivors"]]
    return {
        "file": name,
        "mutants": entry["mutants"],
        "killed": entry["killed"],
        "stale": score.is_stale(name, found),
        "survivors": survivors,
    }
