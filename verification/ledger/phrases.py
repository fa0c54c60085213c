"""The words of the badges and the findings that the page leads with, from the two TOML files beside this one."""

from __future__ import annotations

import tomllib
from pathlib import Path

HERE = Path(__file__).parent
LONGEST = 56
"""Characters of a phrase; a badge with it is still narrower than a phone."""

PHRASES: dict[str, str] = tomllib.loads((HERE / "phrases.toml").read_text(encoding="utf-8"))
"""Claim id -> what its badge says after the verdict."""

HIGHLIGHTS: list[dict[str, str]] = tomllib.loads((HERE / "highlights.toml").read_text(encoding="utf-8"))["finding"]
"""`claim` and `practice`, in the order of the page."""
