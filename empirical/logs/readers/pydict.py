"""Python dictionaries in console output, as transformers prints its rows: single quotes, bare nan, cut-off tails."""

import re
from collections.abc import Iterator

from empirical.logs.note import Note
from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.readers.text import LOGS, lines
from empirical.logs.source import Source

LONGEST = 20_000  # characters of one dictionary
_START = re.compile(r"\{\s*['\"][^'\"\n]{1,200}['\"]\s*:")
_ITEM = re.compile(
    r"""(?P<q>['"])(?P<name>(?:(?!(?P=q)).){1,200})(?P=q)\s*:\s*
        (?P<value>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[^\[\]{}]*\]|[A-Za-z_.]+\d*\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s,{}\[\]'"]+)
        (?=\s*[,}])""",
    re.VERBOSE | re.DOTALL,
)
_METRIC = re.compile(r"(^|[/_ ])(loss|reward|rewards|score|kl|grad_norm|return|train_runtime)($|[/_ ])", re.IGNORECASE)
_STEP = re.compile(r"(?:global[ _])?step\s*[:=]?\s*(\d+)\D{0,4}$", re.IGNORECASE)


def matches(source: Source) -> bool:
    """Somewhere in the text a dictionary with a metric is printed."""
    if next(dictionaries(source.head), None) is not None:
        return True
    return source.suffix in LOGS and next(dictionaries(source.text), None) is not None


def dictionaries(text: str) -> Iterator[tuple[int, dict[str, object] | None]]:
    """Every dictionary of metrics, with the line on which it ends; None for one that is cut off."""
    joined, starts = _joined(text)
    at, line = 0, 0
    while (found := _START.search(joined, at)) is not None:
        end = _end(joined, found.start())
        while line + 1 < len(starts) and starts[line + 1][0] <= found.start():
            line += 1
        number = starts[line][1]
        broken = joined.find("\n", found.start(), end or len(joined))
        if end is not None and broken >= 0 and _START.search(joined, broken, end) is not None:
            end = None  # it swallowed the start of the next one
        if end is None:
            at = broken + 1 if broken >= 0 else min(len(joined), found.start() + LONGEST)
            if _metrics(_items(joined[found.start() : min(at, found.start() + LONGEST)].rstrip("\n") + ",")):
                yield number, None
            continue
        row = _items(joined[found.start() : end])
        at = end
        if _metrics(row):
            before = _STEP.search(joined[max(0, found.start() - 40) : found.start()])
            if before and "step" not in row:
                row["step"] = before[1]
            yield number, row


def _joined(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The cleaned text, and where in it each line starts, with the line's number in the file."""
    pieces, starts, at = [], [], 0
    for number, line in lines(text):
        starts.append((at, number))
        pieces.append(line)
        at += len(line) + 1
    return "\n".join(pieces), starts


def _end(text: str, start: int) -> int | None:
    """One past the brace that closes the one at `start`; None where there is none."""
    depth, mark = 0, ""
    for i in range(start, min(len(text), start + LONGEST)):
        c = text[i]
        if mark:
            if c == mark and text[i - 1] != "\\":
                mark = ""
            elif c == "\n":
                return None
        elif c in "'\"":
            mark = c
        elif c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                return i + 1
    return None


def _items(text: str) -> dict[str, object]:
    row: dict[str, object] = {}
    for found in _ITEM.finditer(text):
        value = found["value"]
        if value[0] in "'\"":
            value = value[1:-1]
        elif value[0] == "[":
            inside = [piece.strip() for piece in value[1:-1].split(",") if piece.strip()]
            row[found["name"]] = inside
            continue
        row[found["name"]] = {"True": True, "False": False, "None": None, "true": True, "false": False}.get(
            value, value
        )
    return row


def _metrics(row: dict[str, object]) -> bool:
    return any(_METRIC.search(name) for name in row)


def read(source: Source) -> Raw:
    """All dictionaries of metrics.

    Raises:
        InputError: there is none that is whole.
    """
    raw = from_text(source.text)
    if raw is None:
        raise source.refuse("no dictionary of metrics that is whole", "rows such as {'loss': 0.1, 'reward': 0.5}")
    raw.notes += source.decoded[1]
    return raw


def from_text(text: str) -> Raw | None:
    """The dictionaries of a text as rows; None where there is none."""
    rows, numbers, cut = [], [], []
    for number, row in dictionaries(text):
        if row is None:
            cut.append(number)
        else:
            rows.append(row)
            numbers.append(number)
    if not rows:
        return None
    table = Rows()
    table.add(rows, numbers, text=True)
    raw = table.raw("console output (Python dictionaries)")
    if cut:
        raw.notes.append(Note("dropped", f"{len(cut)} dictionaries that are cut off, the first at line {cut[0]}"))
    return raw


READER = Reader("console output (Python dictionaries)", matches, read)
