"""GRIMMER: can this mean and standard deviation belong to so many integers? (Anaya 2016, Allard 2018)."""

from fractions import Fraction

from empirical.audit.grid import Lattice
from empirical.audit.grim import grim
from empirical.audit.rounding import Printed, Rounding, preimage
from empirical.audit.search import multisets

LARGEST = 400  # integers; the search recurses once for each, and with two decimals GRIM is powerless beyond 100


def grimmer(
    mean: str,
    std: str,
    size: int,
    *,
    items: int = 1,
    scale: int = 1,
    ddof: int = 1,
    low: int = 0,
    high: int,
    rounding: Rounding = Rounding.HALF_UP,
) -> tuple[int, ...] | None:
    """Values of `size` people or problems that explain a printed mean and standard deviation; None: none do.

    Each value is the average of `items` integers from `low` to `high`; the answer gives their sums,
    ascending. The test is exact in both directions: it searches, where the published tests only check that
    the sum of squares is whole and of the sum's parity, which some impossible pairs pass.

    Args:
        mean: the mean as printed.
        std: the standard deviation as printed.
        size: number of values, 2 to 400.
        items: integers averaged into each value.
        scale: what a value of one is printed as.
        ddof: 1 divides the sum of squares by size - 1, 0 by size.
        low: smallest integer of the scale.
        high: largest integer of the scale.
        rounding: how both numbers were rounded.

    Raises:
        ValueError: a text is not a decimal number, or a number lies outside its domain.

    Example:
        >>> grimmer("3.44", "2.47", 18, high=7, low=1) is None
        True
    """
    if not 2 <= size <= LARGEST:
        raise ValueError(f"size = {size} is outside 2 ... {LARGEST}")
    if ddof not in (0, 1):
        raise ValueError(f"ddof = {ddof} is neither 0 nor 1")
    if low > high:
        raise ValueError(f"low = {low} exceeds high = {high}")
    step = Fraction(scale, items)
    shift = size * low * items
    totals = grim(mean, size, items=items, scale=scale, rounding=rounding)
    if not totals:
        return None
    spreads = preimage(Printed.of(std), rounding).squares(step * step / (size * (size - ddof)))
    span = (totals[0] - shift, totals[-1] - shift)
    found = next(multisets(size, span, spreads, Lattice(step, (high - low) * items)), None)
    return None if found is None else tuple(low * items + x for x in found)
