"""Trends: differences of means and their errors, for noisy and correlated series."""

import math
from dataclasses import dataclass

import numpy as np

from empirical.logs.numbers import Floats


@dataclass(frozen=True)
class Shift:
    """Difference of two means.

    Attributes:
        value: later minus earlier mean.
        error: its standard error.
        freedom: degrees of freedom of the error.
    """

    value: float
    error: float
    freedom: float

    def quantile(self, tail: float) -> float:
        """Half-width of the one-sided interval that leaves `tail` out: Student's quantile times the error."""
        from scipy.special import stdtrit

        return float(stdtrit(max(self.freedom, 1.0), 1 - tail)) * self.error

    def above(self, bound: float, tail: float) -> bool:
        """Whether the difference is larger than a bound, at the level `tail`."""
        return self.value - self.quantile(tail) > bound

    def below(self, bound: float, tail: float) -> bool:
        """Whether the difference is smaller than a bound, at the level `tail`."""
        return self.value + self.quantile(tail) < bound


def mean_error(values: Floats) -> tuple[float, float]:
    """Mean, and its standard error from the means of up to ten blocks, so that correlation within blocks counts.

    Source: batch means (Law and Kelton 1984). nan where there are fewer than two values.
    """
    n = values.size
    if n < 2:
        return (float(values.mean()) if n else math.nan), math.nan
    blocks = np.array([b.mean() for b in np.array_split(values, min(10, n))])
    return float(values.mean()), float(blocks.std(ddof=1) / math.sqrt(blocks.size))


def moving_error(values: Floats) -> tuple[float, float]:
    """Mean, and its standard error from successive differences: a trend within the piece does not inflate it.

    Source: von Neumann et al. 1941. It takes neighbours as uncorrelated.
    """
    n = values.size
    if n < 3:
        return (float(values.mean()) if n else math.nan), math.nan
    return float(values.mean()), math.sqrt(float(np.square(np.diff(values)).sum()) / (2 * (n - 1) * n))


def shift(earlier: Floats, later: Floats, moving: bool = False) -> Shift:
    """Difference of the means of two pieces, with Welch's degrees of freedom.

    Args:
        earlier, later: the pieces.
        moving: whether the pieces may have trends of their own (`moving_error`), else `mean_error`.
    """
    error = moving_error if moving else mean_error
    a, sa = error(earlier)
    b, sb = error(later)
    na, nb = (max(min(10, piece.size) - 1, 1) for piece in (earlier, later))
    total = sa**2 + sb**2
    freedom = total**2 / (sa**4 / na + sb**4 / nb) if total > 0 else float(na + nb)
    return Shift(b - a, math.sqrt(total), freedom)


def slope(t: Floats, y: Floats) -> Shift:
    """Change from the first to the last time by a straight line, with the regression's error (n - 2 freedom)."""
    n = t.size
    if n < 4 or not np.ptp(t) > 0:
        return Shift(math.nan, math.nan, 1.0)
    x = (t - t.mean()) / float(np.ptp(t))
    square = float(x @ x)
    value = float(x @ y) / square
    rest = y - y.mean() - value * x
    return Shift(value, math.sqrt(float(rest @ rest) / (n - 2) / square), float(n - 2))
