"""The score: what a run found, joined with the hand-written explanations of its survivors.

Three files: `selection.toml` (which tests judge a file), `survivors.toml` (why a survivor is let live, by hand) and
`score.json` (mutants, killed, survivors; written by `python -m mutation FILE`).
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
SCORE, SURVIVORS, SELECTION = HERE / "score.json", HERE / "survivors.toml", HERE / "selection.toml"
README = HERE / "README.md"
START, END = "<!-- scores: written by `tox -e mutation` -->", "<!-- end of scores -->"
LEAST = 0.9  # of the mutants of a file, killed
WORDS = ("equivalent: ", "blind spot: ")


@dataclass(frozen=True)
class Explanation:
    """Why some mutants of one line are let live.

    Attributes:
        file, function: where.
        line: the source line as it stands, stripped (several, joined by " / "); "*" for any line of any function,
            of which the edits then name a part.
        edits: what mutants make of it (in full, or a part of it where the line is "*"); empty for whatever becomes
            of the line.
        why: "equivalent: ..." (no test could tell) or "blind spot: ..." (none of ours does).
    """

    file: str
    function: str
    line: str
    edits: tuple[str, ...]
    why: str

    def covers(self, file: str, survivor: dict[str, Any]) -> bool:
        """Whether it speaks of this survivor."""
        if self.line == "*":
            return file == self.file and any(part in survivor["edit"] for part in self.edits)
        same = (file, survivor["function"], survivor["line"]) == (self.file, self.function, self.line)
        return same and (not self.edits or survivor["edit"] in self.edits)


def selection() -> dict[str, list[str]]:
    """The tests that judge each file, as arguments of pytest."""
    return dict(tomllib.loads(SELECTION.read_text(encoding="utf-8")))


def explanations(path: Path = SURVIVORS) -> list[Explanation]:
    """The hand-written explanations.

    Raises:
        ValueError: an entry lacks a key, has an unknown one, or its `why` begins with neither word.
    """
    out = []
    for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8")).get("survivor", []), 1):
        where = f"{path.name}, entry {number}"
        if set(entry) - {"edits"} != {"file", "function", "line", "why"}:
            raise ValueError(f"{where}: has {', '.join(entry)}; expected file, function, line, why and perhaps edits")
        if not entry["why"].startswith(WORDS):
            raise ValueError(f"{where}: why = {entry['why']!r}; expected it to begin with {' or '.join(WORDS)}")
        edits = tuple(entry.get("edits", ()))
        out.append(Explanation(entry["file"], entry["function"], entry["line"], edits, entry["why"]))
    return out


def digest(*paths: Path) -> str:
    """Sixteen hex digits for the code in some files, blind to comments, the words of docstrings and layout."""
    seen = hashlib.sha256()
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
                value = body[0].value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    body[0] = ast.Expr(ast.Constant(""))
        seen.update(ast.dump(tree).encode())
    return seen.hexdigest()[:16]


def scores(path: Path = SCORE) -> dict[str, Any]:
    """File -> its score."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def summarise(record: dict[str, Any], known: Sequence[Explanation]) -> dict[str, Any]:
    """The score of one file.

    Args:
        record: a complete record of `mutation.record`.
        known: the explanations.
    """
    name = record["name"]
    verdicts = [v for v in record["verdicts"].values() if v["verdict"] not in ("unreachable", "stillborn")]
    living = [v for v in verdicts if v["verdict"] in ("survived", "uncovered")]
    kinds: dict[str, list[int]] = {}
    for verdict in verdicts:
        count = kinds.setdefault(verdict["kind"], [0, 0])
        count[0] += verdict not in living
        count[1] += 1
    survivors = [{key: v[key] for key in ("function", "number", "line", "edit")} for v in living]
    return {
        "digest": record["digest"],
        "mutants": len(verdicts),
        "killed": len(verdicts) - len(living),
        "kinds": {kind: kinds[kind] for kind in sorted(kinds)},
        "seconds": round(record["seconds"]),
        "survivors": with_reasons(name, survivors, known),
    }


def with_reasons(name: str, survivors: list[dict[str, Any]], known: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Survivors of a file, each with its explanation, "" where there is none."""
    return [{**s, "why": next((e.why for e in known if e.covers(name, s)), "")} for s in survivors]


def save(found: dict[str, Any], path: Path = SCORE) -> None:
    """Write the scores, whole or not at all."""
    spare = path.with_suffix(".new")
    spare.write_text(json.dumps(dict(sorted(found.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(spare, path)


def complaints(found: dict[str, Any], known: Iterable[Explanation], root: Path = ROOT) -> dict[str, list[str]]:
    """File -> what is wrong with its score or explanations, in words that say what to do.

    A stale score (see `is_stale`) is judged by its explanations' lines alone.
    """
    out: dict[str, list[str]] = {name: [] for name in found}
    for e in known:
        if e.file not in found:
            out.setdefault(e.file, []).append(f"an explanation, but no score: tox -e mutation -- {e.file}")
            continue
        if not _stands(e.line, root / e.file):
            out[e.file].append(f"explained line {e.line!r} of {e.function} is no longer in the file: drop or renew it")
        elif not is_stale(e.file, found, root) and not any(e.covers(e.file, s) for s in found[e.file]["survivors"]):
            out[e.file].append(f"no survivor is left to explain at {e.line!r} of {e.function}: drop the explanation")
    known = list(known)
    for name, score in found.items():
        if is_stale(name, found, root):
            continue
        if score["killed"] < LEAST * score["mutants"]:
            out[name].append(f"{score['killed']} of {score['mutants']} killed; expected at least {LEAST:.0%}")
        for s in score["survivors"]:
            if not any(e.covers(name, s) for e in known):
                out[name].append(f"{name}:{s['number']} {s['line']!r} -> {s['edit']!r} survives without a word why")
    return {name: words for name, words in out.items() if words}


def is_stale(name: str, found: dict[str, Any], root: Path = ROOT) -> bool:
    """Whether the file's code has changed since it was scored (or is gone)."""
    return not (root / name).exists() or digest(root / name) != found[name]["digest"]


def _stands(line: str, path: Path) -> bool:
    """Whether the stripped line, or lines in a row joined by " / ", are in the file."""
    if not path.exists():
        return False
    lines = " / ".join(text.strip() for text in path.read_text(encoding="utf-8").splitlines())
    return line == "*" or f" / {line} / " in f" / {lines} / "


def table(found: dict[str, Any], root: Path = ROOT) -> str:
    """The scores in markdown; a stale one says so."""
    rows = [
        "| file | mutants | killed | arithmetic killed | equivalent | blind spots | unexplained | seconds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, score in found.items():
        whys = [s["why"] for s in score["survivors"]]
        counts = [sum(w.startswith(word) for w in whys) for word in WORDS] + [whys.count("")]
        hard = [score["kinds"].get(kind, [0, 0]) for kind in ("number", "operator", "branch")]
        share = sum(k for k, _ in hard) / max(1, sum(n for _, n in hard))
        killed = f"{score['killed'] / max(1, score['mutants']):.1%}"
        if is_stale(name, found, root):
            killed += f" (stale: `tox -e mutation -- {name}`)"
        cells = [name, score["mutants"], killed, f"{share:.1%}", *counts, score["seconds"]]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    if root == ROOT:
        rows += [f"| {name} | | not scored | | | | | |" for name in selection() if name not in found]
    return "\n".join(rows)


def filled(text: str, found: dict[str, Any]) -> str:
    """The document with its table renewed.

    Raises:
        ValueError: a marker of the table is missing.
    """
    if START not in text or END not in text:
        raise ValueError(f"{README}: expected the markers {START!r} and {END!r}")
    head, rest = text.split(START, 1)
    return f"{head}{START}\n\n{table(found)}\n\n{END}{rest.split(END, 1)[1]}"
