"""Lines of key=value: `[Step 3/500] loss=-0.32 reward_avg=0.125`, and progress bars with such a tail."""

import re

from empirical.logs.raw import Raw, Rows
from empirical.logs.reader import Reader
from empirical.logs.readers.text import LOGS, lines
from empirical.logs.source import Source

_STEP = re.compile(r"\b(?:global[ _])?(?:step|iter(?:ation)?|update)\b\s*[:=]?\s*(\d+)(?:\s*/\s*(\d+))?", re.IGNORECASE)
_BAR = re.compile(r"\|\s*(\d+)/(\d+)\s*\[")
_PAIR = re.compile(
    r"(?<![\w/.])([A-Za-z_][\w./@-]*)=([+-]?(?:\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|nan|inf(?:inity)?))(?![\w.])",
    re.IGNORECASE,
)
_LIKELY = re.compile(r"reward|loss|score|return|kl", re.IGNORECASE)
ENOUGH = 2  # pairs a line


def matches(source: Source) -> bool:
    """A line has a step and pairs, one of them of a metric."""
    if any(_row(line) is not None for _, line in lines(source.head)):
        return True
    return source.suffix in LOGS and any(_row(line) is not None for _, line in lines(source.text))


def _row(line: str) -> dict[str, object] | None:
    if "=" not in line:
        return None
    pairs = _PAIR.findall(line)
    if len(pairs) < ENOUGH or not any(_LIKELY.search(name) for name, _ in pairs):
        return None
    row: dict[str, object] = {name: value.replace("_", "") for name, value in pairs}
    place = _STEP.search(line) or _BAR.search(line)
    if place:
        row.setdefault("step", place[1])
        if place[2]:
            row.setdefault("total_steps", place[2])
    return row if "step" in {str(name).lower() for name in row} or "global_step" in row else None


def read(source: Source) -> Raw:
    """The rows of all such lines; other lines are passed over.

    Raises:
        InputError: there is none.
    """
    rows, numbers = [], []
    for number, line in lines(source.text):
        row = _row(line)
        if row is not None:
            rows.append(row)
            numbers.append(number)
    if not rows:
        raise source.refuse("no line with a step and pairs of key=value", "console output of a trainer")
    table = Rows()
    table.add(rows, numbers, text=True)
    raw = table.raw("console output (key=value)")
    raw.notes += source.decoded[1]
    return raw


READER = Reader("console output (key=value)", matches, read)
