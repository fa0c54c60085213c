"""DEBIT: can this mean and standard deviation belong to binary, or to bounded, data? (Heathers & Brown 2019).

Binary data have one standard deviation for each mean. Data on a bounded grid have a smallest and a largest
one: the values as equal as the grid allows, or as many as possible at the two ends. The two coincide exactly
for binary data.
"""

from fractions import Fraction

from empirical.audit.grid import Lattice
from empirical.audit.grim import grim
from empirical.audit.rounding import Printed, Rounding, preimage


def debit(
    mean: str,
    std: str,
    size: int,
    *,
    scale: int = 1,
    ddof: int = 1,
    rounding: Rounding = Rounding.HALF_UP,
) -> tuple[int, ...]:
    """The numbers of ones among `size` binary values that explain a mean and standard deviation; empty: none.

    Args:
        mean: the mean as printed.
        std: the standard deviation as printed.
        size: number of binary values, more than `ddof`.
        scale: what a value of one is printed as: 100 for percent.
        ddof: 1 divides the sum of squares by size - 1, 0 by size.
        rounding: how both numbers were rounded.

    Raises:
        ValueError: a text is not a decimal number, or a number lies outside its domain.

    Example:
        >>> debit("0.50", "0.51", 20), debit("0.50", "0.52", 20)
        ((10,), ())
    """
    if ddof not in (0, 1) or size <= ddof:
        raise ValueError(f"ddof = {ddof} is neither 0 nor 1, or size = {size} does not exceed it")
    first, last = preimage(Printed.of(std), rounding).squares(Fraction(scale * scale, size * (size - ddof)))
    return tuple(
        ones
        for ones in grim(mean, size, scale=scale, rounding=rounding)
        if 0 <= ones <= size and first <= ones * (size - ones) <= last
    )


def spread_bounds(total: int, size: int, grid: Lattice, ddof: int = 1) -> tuple[Fraction, Fraction]:
    """Smallest and largest variance of `size` multiples of the grid's step, 0 to its top, with sum `total`.

    Args:
        total: sum of the multiples, 0 to size * grid.top.
        size: how many, more than `ddof`.
        grid: the step (printed units) and the largest multiple.
        ddof: 1 divides the sum of squares by size - 1, 0 by size.

    Returns:
        The two variances, in squared printed units.

    Raises:
        ValueError: a number outside its domain.
    """
    if ddof not in (0, 1) or size <= ddof:
        raise ValueError(f"ddof = {ddof} is neither 0 nor 1, or size = {size} does not exceed it")
    if not 0 <= total <= size * grid.top:
        raise ValueError(f"total = {total} is outside 0 ... {size * grid.top}")
    whole, extra = divmod(total, size)
    tightest = size * whole * whole + extra * (2 * whole + 1)
    full, rest = divmod(total, grid.top)
    widest = full * grid.top**2 + rest * rest
    factor = grid.step**2 / (size * (size - ddof))
    return (size * tightest - total**2) * factor, (size * widest - total**2) * factor
