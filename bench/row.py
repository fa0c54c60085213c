"""A row of the table: what was measured, beside whom, and what was asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measured number.

    Attributes:
        what: the quantity.
        value: the median, or the worst error, with its unit.
        peer: who did the same work in the same run, with the error reached; empty without a peer.
        ratio: time of the peer over ours, None without one; below 1 the peer is faster.
        target: what was asked for, in words; empty where nothing was.
        met: whether it was reached; None without a target.
    """

    what: str
    value: str
    peer: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, str, str, str, str]:
        """The row as text."""
        verdict = self.target if self.met is None else f"{self.target}: {'yes' if self.met else 'NO'}"
        ratio = "" if self.ratio is None else times(self.ratio)
        return self.what, self.value, self.peer, ratio, verdict


def times(ratio: float) -> str:
    """A ratio with at most three digits and no exponent."""
    if ratio < 100.0:
        return f"{ratio:.2g}" if ratio < 1.0 else f"{ratio:.3g}"
    return f"{round(ratio, 2 - int(math.log10(ratio))):,.0f}"


def worst(what: str, error: float, allowed: float | None = None, peer: str = "") -> Row:
    """A row for an error, and for the bound on it if there is one."""
    if allowed is None:
        return Row(what, f"{error:.1e}", peer)
    return Row(what, f"{error:.1e}", peer, None, f"<= {allowed:.0e}", error <= allowed)


def took(what: str, seconds: float, allowed: float | None = None) -> Row:
    """A row for a time, and for the bound on it if there is one."""
    if allowed is None:
        return Row(what, duration(seconds))
    return Row(what, duration(seconds), target=f"<= {allowed:g} s", met=seconds <= allowed)


def against(what: str, seconds: float, peer: str, ratio: float, least: float | None = None) -> Row:
    """A row for a time beside a peer's, and for the least ratio if one was asked for."""
    if least is None:
        return Row(what, duration(seconds), peer, ratio)
    return Row(what, duration(seconds), peer, ratio, f">= {least:g} x", ratio >= least)


def duration(seconds: float) -> str:
    """A time with three digits and the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
