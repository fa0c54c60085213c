"""Text: lines of console output as a terminal would have left them."""

import re
from collections.abc import Iterator

LOGS = ("", ".log", ".out", ".txt", ".err")  # endings of console output, searched beyond the first lines
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_RAY = re.compile(r"^\s*(?:\([\w.\- ]+ pid=\d+(?:, ip=[\d.]+)?\)|\[\w+ pid=\d+\])\s?")


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without colours and Ray prefixes; a carriage return starts a new piece of a line."""
    for number, line in enumerate(text.split("\n"), 1):
        for piece in line.split("\r"):
            clean = _ESCAPE.sub("", piece) if "\x1b" in piece else piece
            clean = _RAY.sub("", clean) if " pid=" in clean else clean
            if clean.strip():
                yield number, clean
