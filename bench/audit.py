"""The audit of the published Table 1 under every rule, in exact arithmetic, each time in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from bench.clock import once
from bench.row import Row, took
from empirical.audit import audit, published_cells, rules

REPEATS = 3
VARY = ("benchmark", "model")


def cold() -> float:
    """Seconds of one audit in a fresh interpreter, because it remembers what it has worked out before."""
    command = [sys.executable, "-m", "bench.audit"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rows() -> list[Row]:
    """The rows of the table."""
    what = f"audit of Table 1: {len(published_cells())} cells, {len(rules())} rules, and mixtures of them"
    return [took(what, median(cold() for _ in range(REPEATS)))]


if __name__ == "__main__":
    table, candidates = published_cells(), rules()
    print(once(lambda: audit(table, candidates, VARY)))
