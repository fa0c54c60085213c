"""Words: numbers as a reader wants them, no more digits than the interval bears."""

import math


def estimate(value: float, low: float, high: float, level: float) -> str:
    """A value with its interval, rounded to two digits of the interval's width: 7.64 (7.27 to 8.05)."""
    width = high - low
    if not (math.isfinite(width) and width > 0):
        return f"{value:.3g}"
    places = min(max(1 - math.floor(math.log10(width)), 0), 12)

    def text(x: float) -> str:
        shown = f"{x:.{places}f}"
        return shown.removeprefix("-") if float(shown) == 0 else shown

    return f"{text(value)} ({level:.0%} interval {text(low)} to {text(high)})"


def percent(share: float) -> str:
    """A share: 0% and 100% only where it is exactly that."""
    if 0 < share < 0.005:
        return "less than 1%"
    if 0.995 < share < 1:
        return "more than 99%"
    return f"{share:.0%}"
