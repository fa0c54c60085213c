"""Effects: paired differences of two conditions with their interval, and the power to see what Theorem 7 predicts."""

from dataclasses import dataclass

import numpy as np

from empirical.logs.numbers import Floats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """The mean difference over pairs of runs.

    Attributes:
        mean: of the differences.
        low, high: Student's interval at `CONFIDENCE`.
        sd: of the differences, ddof 1.
        pairs: how many.
    """

    mean: float
    low: float
    high: float
    sd: float
    pairs: int

    def power(self, size: float) -> float:
        """The probability that the interval lies above 0 if the true difference is `size`.

        The spread is taken to be the one that was seen; 1 where none was seen and size is positive.

        Source: the noncentral t distribution (Student's test).
        """
        from scipy import stats

        if self.sd == 0.0:
            return float(size > 0.0)
        degrees = self.pairs - 1
        edge = stats.t.ppf(0.5 + CONFIDENCE / 2.0, degrees)
        return float(stats.nct.sf(edge, degrees, size * np.sqrt(self.pairs) / self.sd))


def difference(treated: Floats, control: Floats) -> Difference:
    """Compare runs pair by pair (same warm-up and seed).

    Args:
        treated, control: a number a run, shape (pairs,), finite.

    Raises:
        ValueError: there are fewer than two pairs, the lengths differ, or a value is not finite.
    """
    from scipy import stats

    a, b = np.asarray(treated, dtype=np.float64), np.asarray(control, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1 or a.size < 2 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError(f"treated has shape {a.shape}, control {b.shape}; expected the same, 2 finite numbers or more")
    d = a - b
    sd = float(d.std(ddof=1))
    half = float(stats.t.ppf(0.5 + CONFIDENCE / 2.0, d.size - 1)) * sd / float(np.sqrt(d.size))
    mean = float(d.mean())
    return Difference(mean, mean - half, mean + half, sd, int(d.size))


def predicted_drop(
    learning_rate: float, momentum: float, stiffness: float, interval: int, start: float, end: float, steps: int
) -> float:
    """The largest fall of the mean reward that Theorem 7's oscillator has, between 0 and 1.

    The oscillator starts from rest at `start` and relaxes to `end`; its lag is the interval itself, as in the paper.

    Args:
        learning_rate, momentum, stiffness, interval: of Eq. 9.
        start, end: mean success probability at the start, and at the plateau.
        steps: of the run.

    Source: Theorem 7 and Eq. 8-9 of the paper.
    """
    from empirical.sweep.protocol import drop
    from reference.oscillator import coefficients, response

    mass, damping, k = coefficients(learning_rate, momentum, stiffness, interval)
    with np.errstate(over="ignore", invalid="ignore"):
        e = response(np.arange(steps + 1, dtype=np.float64), mass, damping, k, 1.0)
    p = np.clip(np.nan_to_num(end - (end - start) * e, nan=0.0), 0.0, 1.0)
    return drop(p)


def shown(d: Difference | None, digits: int = 3) -> str:
    """A difference with its interval; a dash where there is none, and no sign before a rounded zero."""
    if d is None:
        return "-"
    mean, low, high = (f"{v:+.{digits}f}" if round(v, digits) else f"{0.0:.{digits}f}" for v in (d.mean, d.low, d.high))
    return f"{mean} [{low}, {high}]"


def later(d: Difference) -> str:
    """How many steps later, or earlier, with the interval turned the same way."""
    if round(d.mean, 1) < 0:
        return f"{shown(Difference(-d.mean, -d.high, -d.low, d.sd, d.pairs), 1).replace('+', '')} steps earlier"
    return f"{shown(d, 1).replace('+', '')} steps later"
