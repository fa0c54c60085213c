"""Find every set of integers with a given sum and a given spread, without enumerating the square.

`spread` is the integer N = n * sum(x^2) - (sum x)^2 of n integers: n^2 times their population variance.
"""

from collections.abc import Iterator
from math import isqrt

from empirical.audit.grid import Grid

Range = tuple[int, int]


def multisets(size: int, totals: Range, spreads: Range | None, grid: Grid) -> Iterator[tuple[int, ...]]:
    """All ascending tuples of attainable multiples of the grid with sum and spread inside the closed ranges.

    Each value but the last two is confined to a window around the mean, (n x - S)^2 <= (n - 1) N; the last
    two follow from their sum and the sum of their squares.

    Args:
        size: number n of integers, at least 1.
        totals: first and last allowed sum.
        spreads: first and last allowed n * sum(x^2) - (sum x)^2; None allows all.
        grid: which integers are attainable.
    """
    for total in range(max(totals[0], 0), min(totals[1], size * grid.top) + 1):
        if spreads is None:
            yield from _extend(size, total, 0, size * grid.top**2, 0, grid)
            continue
        low = -(-(spreads[0] + total * total) // size)
        high = (spreads[1] + total * total) // size
        low += (low - total) % 2  # squares have the parity of their roots
        if low <= high:
            yield from _extend(size, total, low, high, 0, grid)


def _extend(size: int, total: int, low: int, high: int, least: int, grid: Grid) -> Iterator[tuple[int, ...]]:
    """Ascending tuples of attainable integers >= least, with a sum of squares in low ... high."""
    if size == 1:
        if least <= total <= grid.top and low <= total * total <= high and total in grid:
            yield (total,)
        return
    if not grid.may_sum(total, size):
        return
    room = size * high - total * total  # size^2 times the largest population variance allowed
    if room < 0:
        return
    if size == 2:
        first = max(2 * low - total * total, 0)
        gap = isqrt(first)
        gap += gap * gap < first
        last = min(isqrt(room), total - 2 * least, 2 * grid.top - total)
        if gap <= last:
            for x in grid.between((total - last + 1) // 2, (total - gap) // 2):
                if total - x in grid:
                    yield (x, total - x)
        return
    start = max(least, total - (size - 1) * grid.top, -(-(total - isqrt((size - 1) * room)) // size))
    for x in grid.between(start, total // size):
        rest, left = total - x, size - 1
        widest = left * x * x + (rest - (left - 1) * x) ** 2
        whole, extra = divmod(rest, left)
        tightest = x * x + (left - extra) * whole * whole + extra * (whole + 1) ** 2
        if tightest <= high and widest >= low:
            for others in _extend(left, rest, low - x * x, high - x * x, x, grid):
                yield (x, *others)
