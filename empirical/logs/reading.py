"""Reading: from a path to a checked log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from empirical.errors import InputError, quote
from empirical.logs import config, identity, naming, schema, steps, supervised
from empirical.logs.folder import candidates, checkpoints, joined
from empirical.logs.log import Log
from empirical.logs.note import Note
from empirical.logs.numbers import Faults, Floats
from empirical.logs.raw import Raw
from empirical.logs.registry import READERS
from empirical.logs.source import ACCEPTED, Source, load

_REWARDS = "reward, reward_avg, mean_reward, critic/score/mean, or rewards/NAME"


def read(path: Path | str) -> Log:
    """Read a GRPO run.

    Args:
        path: a file (trainer_state.json under any name, JSON, JSONL, CSV, Parquet, TensorBoard events, a W&B export,
            a notebook, its table as HTML or markdown, console output), or a folder with one: a checkpoint, or a run
            with many checkpoints.

    Raises:
        InputError: there is no log, it is damaged beyond repair, it is no GRPO run, or its rewards are all missing.
    """
    path = Path(path)
    try:
        folder = path.is_dir()
        missing = not path.exists()
    except (OSError, ValueError) as error:
        raise InputError(path, found=str(error), expected="a path", todo="check the path") from None
    if missing:
        raise InputError(path, found="no such file or folder", expected="a log", todo="check the path")
    return _folder(path) if folder else understand(raw_of(path), path)


def raw_of(path: Path) -> Raw:
    """The rows of one file as its reader finds them.

    Raises:
        InputError: no reader knows the file, or the one that does finds no rows.
    """
    source = load(path)
    first: InputError | None = None
    for reader in READERS:
        if reader.matches(source):
            try:
                return reader.read(source)
            except InputError as error:
                if reader.sure:
                    raise
                first = first or error
    if first is not None:
        raise first
    raise source.refuse("a binary file" if _binary(source) else "no format that is known here")


def _binary(source: Source) -> bool:
    head = source.data[:4096]
    strange = sum(b < 9 or 13 < b < 32 for b in head)
    return source.head.count("\ufffd") > 8 or strange > len(head) / 20


def _folder(path: Path) -> Log:
    states = checkpoints(path)
    if states:
        raws: list[tuple[Path, Raw]] = []
        failed: InputError | None = None
        for state in states:
            try:
                raws.append((state, raw_of(state)))
            except InputError as error:
                failed = error
        if not raws:
            assert failed is not None
            raise failed
        raw = joined([r for _, r in raws], [p for p, _ in raws])
        if failed is not None:
            raw.notes.append(Note("dropped", f"the checkpoint {failed.file}: {failed.found}"))
        return understand(raw, raws[-1][0])
    found = candidates(path)
    first: InputError | None = None
    for group in found:
        logs, errors = [], []
        for file in group:
            try:
                logs.append((file, raw_of(file)))
            except InputError as error:
                errors.append(error)
        if len(logs) > 1 and all(raw.container == "TensorBoard events" for _, raw in logs):
            return understand(joined([r for _, r in logs], [p for p, _ in logs]), logs[-1][0])
        for file, raw in logs:
            try:
                log = understand(raw, file)
            except InputError as error:
                errors.append(error)
                continue
            others = [other for g in found for other in g if other != file]
            if others:
                said = (
                    f"{file.name} of this folder; not used: {', '.join(str(o.relative_to(path)) for o in others[:4])}"
                )
                said += f" and {len(others) - 4} more" if len(others) > 4 else ""
                log = replace(log, notes=(Note("read", said), *log.notes))
            return log
        first = first or next((e for e in errors if "supervised" in e.found or "preference" in e.found), None)
        first = first or (errors[0] if errors else None)
    if first is not None:
        raise first
    raise InputError(
        path,
        found="no log in this folder" if any(path.iterdir()) else "an empty folder",
        expected=ACCEPTED,
        todo="give the folder that holds trainer_state.json or checkpoint-*, or the log file itself",
    )


def understand(raw: Raw, path: Path) -> Log:
    """Names, steps, meaning and checks.

    Raises:
        InputError: no rows, no GRPO run, no finite reward.
    """
    if not raw.size:
        raise InputError(
            path, found="no rows", expected="rows of metrics", todo="check that the run has logged something"
        )
    notes = [Note("read", f"{raw.container}, {raw.size} rows"), *raw.notes]
    settings = dict(raw.settings)
    beside, said = config.beside(path)
    settings = {**beside, **settings}
    notes += said
    step_names = sorted(
        (n for n in raw.columns if naming.understand(n).kind == "step"), key=lambda n: naming.understand(n).rank
    )
    chosen, columns, more = _named(raw, settings, step_names)
    notes += more
    trainer = identity.trainer(raw.columns)
    version = identity.version(trainer, raw.columns, raw.versions)
    chosen = _derived(chosen, columns, notes)
    bare = {naming.clean(n).removeprefix("train/") for n in raw.columns}
    other = supervised.other_kind(bare, "reward" in chosen)
    if other is not None:
        raise InputError(
            path,
            found=other,
            expected=f"a GRPO run, with a column such as {_REWARDS}",
            todo="give the log of the reinforcement-learning stage; a supervised run has no reward to diagnose",
        )
    if "reward" not in chosen:
        names = ", ".join(list(raw.columns)[:8]) or "none"
        raise InputError(
            path,
            line=int(raw.lines[0]),
            found=f"no column of rewards (columns: {quote(names)[1:-1]})",
            expected=_REWARDS,
            todo="log the mean reward of each step, or rename its column to `reward`",
        )
    step, kept = _steps(raw, step_names, chosen, notes)
    order, table, said = steps.resolve(step, {n: v[kept] for n, v in chosen.items()}, raw.lines[kept])
    notes += said
    given = schema.refused("reward", table["reward"])
    table = _checked(table, notes)
    if not np.isfinite(table["reward"]).any():
        source = next((s for s, c in columns.items() if c == "reward"), "reward")
        raise InputError(
            path,
            column=source,
            found=f"no finite reward in any of {raw.size} rows" if given is None else f"rewards such as {given[1]:g}",
            expected="numbers" if given is None else "numbers whose squares add up to a number",
            todo="look at the reward function: nan in every row means that it returned nan or None each time"
            if given is None
            else "divide the rewards by their scale",
        )
    table, order = _trimmed(table, order, notes)
    usual, gaps = steps.spacing(order)
    settings["logging_interval"] = usual
    if gaps:
        notes.append(Note("read", f"{gaps} steps at the usual distance of {usual} are missing"))
    import pandas as pd

    frame = pd.DataFrame({"step": order, **table}, copy=False)
    log = Log(path, raw.container, frame, columns, trainer, version, tuple(notes), settings)
    log.schema.validate(frame)
    return replace(log, notes=(*notes, *_said(log)))


def _named(
    raw: Raw, settings: dict[str, Any], step_names: list[str]
) -> tuple[dict[str, Floats], dict[str, str], list[Note]]:
    """Canonical columns; of several sources of one quantity the best known with most values."""
    notes: list[Note] = []
    claims: dict[str, list[tuple[int, int, str]]] = {}
    columns: dict[str, str] = {}
    bookkeeping: list[str] = []
    texts = 0
    for source, values in raw.columns.items():
        name = naming.understand(source)
        there = int((~np.isnan(values)).sum())
        faults = raw.faults.get(source, Faults())
        if faults.texts or faults.lists:
            notes.append(_fault(source, faults, there))
        texts += faults.strings
        if faults.nan:
            notes.append(Note("read", f"{faults.nan} values of {quote(source)} were logged as nan"))
        if name.kind == "step":
            columns[source] = "step" if source == step_names[0] else ""
        elif name.kind == "bookkeeping" or (
            there == 1 and naming.clean(source).endswith("train_loss") and raw.size > 1
        ):
            bookkeeping.append(source)
        elif name.kind == "setting":
            finite = values[np.isfinite(values)]
            if finite.size:
                settings.setdefault(name.canonical, float(finite[-1]))
                if np.ptp(finite) > 0:
                    notes.append(
                        Note("read", f"{quote(source)} changes from {finite[0]:g} to {finite[-1]:g} inside the log")
                    )
        elif there or name.kind == "quantity":
            claims.setdefault(name.canonical, []).append((name.rank, -there, source))
        elif not (faults.texts or faults.lists):
            notes.append(Note("dropped", f"{quote(source)}: it holds no value"))
    if texts:
        notes.append(Note("repaired", f"{texts} numbers that were written as text"))
    if bookkeeping:
        notes.append(
            Note(
                "dropped",
                f"bookkeeping: {', '.join(map(quote, bookkeeping[:6]))}"
                + (" and more" if len(bookkeeping) > 6 else ""),
            )
        )
    out: dict[str, Floats] = {}
    for canonical, sources in claims.items():
        sources.sort(key=lambda s: (s[1] == 0, s[0], s[1]))
        for i, (_, _, source) in enumerate(sources):
            target = canonical if i == 0 else naming.clean(source)
            if target in out or target == "step":
                target = f"{target} ({source})"
            columns[source] = target
            out[target] = raw.columns[source]
            if i:
                notes.append(
                    Note("read", f"{quote(source)} is a second source of {canonical} and is kept under its own name")
                )
    return out, {s: c for s, c in columns.items() if c}, notes


def _fault(source: str, faults: Faults, there: int) -> Note:
    where = f", the first at line {faults.line}" if faults.line else ""
    what = "text" if faults.texts >= faults.lists else "lists"
    count = faults.texts + faults.lists
    whole = "" if there else ": the column holds nothing else"
    return Note(
        "refused" if there else "dropped",
        f"{count} values of {quote(source)} that are {what}, such as {faults.example}{where}{whole}",
    )


def _derived(chosen: dict[str, Floats], columns: Mapping[str, str], notes: list[Note]) -> dict[str, Floats]:
    """Rewards as the sum of the reward functions, where only these were logged."""
    for phase in ("", "eval_"):
        if f"{phase}reward" in chosen:
            continue
        parts = [n for n in chosen if n.startswith(f"{phase}rewards/") and n.endswith("/mean")]
        parts = [n for n in parts if n.split("/")[1] not in ("chosen", "rejected", "margins", "accuracies")]
        if parts:
            chosen[f"{phase}reward"] = np.sum([chosen[n] for n in parts], axis=0)
            told = f"{phase}reward as the sum of {', '.join(parts[:4])}"
            notes.append(Note("derived", told + (", their weights taken as 1" if len(parts) > 1 else "")))
    return chosen


def _steps(
    raw: Raw, names: list[str], chosen: Mapping[str, Floats], notes: list[Note]
) -> tuple[Floats, np.ndarray[Any, np.dtype[np.int64]]]:
    """The step of each row, and the rows that have one."""
    rows = np.arange(raw.size)
    for name in names:
        values = raw.columns[name]
        good = np.isfinite(values)
        whole = good & (values == np.floor(values)) & (values >= 0) & (values < 2.0**53)
        if not whole.any() or whole.sum() < good.sum() or (np.unique(values[whole]).size == 1 and raw.size > 2):
            continue
        if not whole.all():
            lost = int((~whole).sum())
            rewarded = int(np.isfinite(chosen["reward"][~whole]).sum())
            notes.append(Note("dropped", f"{lost} rows without a step, {rewarded} of them with a reward"))
            if rewarded and not np.isfinite(chosen["reward"][whole]).any():
                notes.pop()
                continue
        return values[whole], rows[whole]
    notes.append(Note("repaired", "no usable column of steps: rows of training are numbered from 1"))
    training = np.isfinite(chosen["reward"])
    return np.maximum(np.cumsum(training), 1.0), rows


def _checked(table: dict[str, Floats], notes: list[Note]) -> dict[str, Floats]:
    """Values that cannot be what their column says are taken out and noted."""
    out: dict[str, Floats] = {}
    for name, values in table.items():
        found = schema.refused(name, values)
        if found is not None:
            quantity = schema.quantity_of(name)
            assert quantity is not None
            with np.errstate(invalid="ignore"):
                bad = (values < quantity.low) | (values > quantity.high)
            values = np.where(bad, np.nan, values)
            limits = f"[{quantity.low:g}, {quantity.high:g}]"
            told = f"{int(bad.sum())} values of {name} outside {limits}, the first {found[1]:g} in row {found[0] + 1}"
            notes.append(Note("refused", told))
        out[name] = values
    return out


def _trimmed(table: dict[str, Floats], order: Any, notes: list[Note]) -> tuple[dict[str, Floats], Any]:
    """Without rows that hold nothing, such as the summary at the end."""
    full = np.zeros(order.size, dtype=bool)
    for values in table.values():
        full |= ~np.isnan(values)
    if full.all():
        return table, order
    notes.append(Note("dropped", f"{int((~full).sum())} rows without any metric"))
    return {name: values[full] for name, values in table.items()}, order[full]


def _said(log: Log) -> list[Note]:
    """Notes about names and versions."""
    notes = []
    renamed = [f"{s} -> {c}" for s, c in log.columns.items() if s != c]
    for start in range(0, min(len(renamed), 40), 8):
        notes.append(Note("renamed", ", ".join(renamed[start : start + 8])))
    unknown = [str(c) for c in log.table if c != "step" and schema.quantity_of(str(c)) is None]
    if unknown:
        told = ", ".join(map(quote, unknown[:5]))
        notes.append(Note("read", f"{len(unknown)} columns kept whose meaning is not known here: {told}"))
    if log.trainer != "unknown":
        evidence = ", ".join(log.version.evidence)
        how = {"read": "its output says so", "inferred": f"inferred from {evidence}", "unknown": "nothing says which"}
        notes.append(Note("inferred", f"written by {log.trainer}, version {log.version}: {how[log.version.how]}"))
    if log.has("eval_accuracy") and float(np.nanmax(log.table["eval_accuracy"])) > 1:
        notes.append(Note("read", "eval_accuracy is in percent"))
    return notes
