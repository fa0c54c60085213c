"""Folders: which files of a run's folder hold its log."""

import re
from pathlib import Path

import numpy as np

from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows

STATE = "trainer_state.json"
DEEPEST = 3  # folders below the one given
MOST = 2000  # entries looked at
_CHECKPOINT = re.compile(r"checkpoint-(\d+)$|global_step_?(\d+)$|step_?(\d+)$")
_ENDINGS = (
    ".jsonl",
    ".ndjson",
    ".csv",
    ".parquet",
    ".json",
    ".ipynb",
    ".tsv",
    ".html",
    ".htm",
    ".log",
    ".out",
    ".txt",
    ".md",
)
_NEVER = frozenset(
    {
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "generation_config.json",
        "adapter_config.json",
        "added_tokens.json",
        "vocab.json",
        "preprocessor_config.json",
        "model.safetensors.index.json",
        "merges.txt",
        "requirements.txt",
        "wandb-metadata.json",
        "wandb-summary.json",
    }
)


def checkpoints(folder: Path) -> list[Path]:
    """All trainer states of a run, in the order of their steps; the folder's own last."""
    found: list[tuple[float, Path]] = []
    for entry in _entries(folder):
        match = _CHECKPOINT.search(entry.name)
        if match and (entry / STATE).is_file():
            found.append((float(next(g for g in match.groups() if g)), entry / STATE))
    out = [path for _, path in sorted(found)]
    if (folder / STATE).is_file():
        out.append(folder / STATE)
    return out


def candidates(folder: Path) -> list[list[Path]]:
    """Files that may be a log, in groups of falling priority: by depth, event files first, then by their ending."""
    groups: dict[tuple[int, int], list[Path]] = {}
    level = [folder]
    seen = 0
    for depth in range(DEEPEST + 1):
        following: list[Path] = []
        for place in level:
            for entry in _entries(place):
                seen += 1
                if seen > MOST:
                    break
                if entry.is_dir():
                    if not entry.name.startswith("."):
                        following.append(entry)
                elif "tfevents" in entry.name:
                    groups.setdefault((depth, -1), []).append(entry)
                elif entry.name.lower() not in _NEVER and not entry.name.startswith("."):
                    ending = next(
                        (i for i, e in enumerate(_ENDINGS) if entry.name.lower().removesuffix(".gz").endswith(e)), None
                    )
                    if ending is not None:
                        groups.setdefault((depth, ending), []).append(entry)
        level = following
    return [groups[key] for key in sorted(groups)]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda p: (len(p.name), p.name))
    except OSError:
        return []


def joined(raws: list[Raw], paths: list[Path]) -> Raw:
    """Several files of one run one after another; where a later one begins with the same steps, it replaces them."""
    if len(raws) == 1:
        return raws[0]
    table = Rows()
    for raw in raws:
        table.add_arrays(raw.columns, raw.lines.tolist())
    out = table.raw(raws[-1].container)
    for raw in raws:
        out.settings.update(raw.settings)
        out.notes += [note for note in raw.notes if note not in out.notes]
        out.versions.update(raw.versions)
        for name, faults in raw.faults.items():
            if name in out.faults:
                out.faults[name].add(faults)
    sizes = np.array([raw.size for raw in raws])
    out.notes.insert(
        0,
        Note(
            "merged", f"{len(raws)} files ({sizes.sum()} rows), the last one {paths[-1].parent.name}/{paths[-1].name}"
        ),
    )
    return out
