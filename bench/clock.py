"""The clock: medians of repeated calls, the first call left out, peers in turn.

Times are processor time of this process, whose libraries are held to one thread (`bench/__init__.py`): on an idle
machine that is the wall time of one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

Work = Callable[[], object]


def once(work: Work) -> float:
    """Processor time of one call in seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def seconds(work: Work, repeats: int) -> float:
    """Median processor time of a call in seconds; the first call, which warms up, does not count."""
    work()
    return median(once(work) for _ in range(repeats))


def beside(ours: Work, peer: Work, repeats: int, calls: int = 1) -> tuple[float, float, float]:
    """Time two pieces of work in turn, so that what slows the machine slows both.

    Args:
        ours, peer: the work; each is called once before, which does not count.
        repeats: pairs of timings.
        calls: calls of `ours` in each timing, so that a short call is not lost in the clock.

    Returns:
        Median seconds of a call of each, and the median over the pairs of peer / ours.
    """
    ours()
    peer()
    pairs = []
    for _ in range(repeats):
        mine = once(lambda: [ours() for _ in range(calls)]) / calls
        pairs.append((mine, once(peer)))
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(b / a for a, b in pairs)
