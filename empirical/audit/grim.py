"""GRIM: can this mean be the mean of so many integers? (Brown & Heathers 2017)."""

from fractions import Fraction

from empirical.audit.rounding import Printed, Rounding, preimage


def grim(
    mean: str, size: int, *, items: int = 1, scale: int = 1, rounding: Rounding = Rounding.HALF_UP
) -> tuple[int, ...]:
    """The sums of `size * items` integers whose average is printed as `mean`; empty: there are none.

    Args:
        mean: the mean as printed, trailing zeros included.
        size: number of people, problems or values averaged.
        items: integers averaged into each of them (samples a problem).
        scale: what an average of one is printed as: 100 for percent.
        rounding: how the mean was rounded.

    Raises:
        ValueError: `mean` is not a decimal number, or a number is not positive.

    Example:
        >>> grim("5.19", 28), grim("5.18", 28)
        ((), (145,))
    """
    for name, value in (("size", size), ("items", items), ("scale", scale)):
        if value < 1:
            raise ValueError(f"{name} = {value} is not a positive integer")
    first, last = preimage(Printed.of(mean), rounding).multiples(Fraction(scale, size * items))
    return tuple(range(first, last + 1))
