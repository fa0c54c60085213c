"""Transfer: pass@k over problems and seeds, by the paper's conventions and with intervals it does not give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from empirical.audit.rounding import Rounding, round_fraction
from empirical.passk import pass_at_k

KS = (1, 5)


@dataclass(frozen=True)
class Counts:
    """What one run did on one benchmark, exactly.

    Attributes:
        problems: their ids.
        samples: completions of each.
        correct: correct ones among them.
        unparseable: completions without an answer, in all.
        undecided: comparisons that did not end in time, in all.
    """

    problems: tuple[str, ...]
    samples: tuple[int, ...]
    correct: tuple[int, ...]
    unparseable: int = 0
    undecided: int = 0

    def scores(self, k: int) -> list[Fraction]:
        """pass@k of every problem, exactly."""
        return [pass_at_k(n, c, k) for n, c in zip(self.samples, self.correct, strict=True)]

    def mean(self, k: int) -> Fraction:
        """pass@k of the benchmark, exactly: 0 to 1."""
        scores = self.scores(k)
        return sum(scores, Fraction(0)) / len(scores)


@dataclass(frozen=True)
class Cell:
    """A cell of a transfer table.

    Attributes:
        seeds: pass@k of every seed, exactly.
        printed_mean: mean over seeds in percent, as the paper prints it.
        printed_std: standard deviation over seeds (ddof 1) in percent, as the paper prints it; None for one seed.
        low, high: interval of the mean over problems and seeds, clustered by problem, in percent.
    """

    seeds: tuple[Fraction, ...]
    printed_mean: str
    printed_std: str | None
    low: float
    high: float


def cell(runs: Sequence[Counts], k: int, level: float = 0.95) -> Cell:
    """Summarise the runs of an arm, one a seed.

    The paper's cells are explained best by per-seed percentages rounded to two decimals before they are averaged,
    and by the divisor seeds - 1 (see `audit --published`): that is what is printed here. The exact per-seed numbers
    are kept beside it.

    Args:
        runs: counts on the same problems.
        k: of pass@k.
        level: of the interval.

    Raises:
        ValueError: no runs, or different problems.
    """
    _same_problems(runs)
    seeds = tuple(run.mean(k) for run in runs)
    rounded = [_two_decimals(100 * score) for score in seeds]
    mean = sum(rounded, Fraction(0)) / len(rounded)
    std = None
    if len(rounded) > 1:
        variance = sum((value - mean) ** 2 for value in rounded) / (len(rounded) - 1)
        std = f"{sqrt(variance):.2f}"
    low, high = clustered([_average(scores) for scores in zip(*(run.scores(k) for run in runs), strict=True)], level)
    return Cell(seeds, f"{float(_two_decimals(mean)):.2f}", std, 100 * max(low, 0.0), 100 * min(high, 1.0))


def clustered(scores: Sequence[Fraction], level: float = 0.95) -> tuple[float, float]:
    """A confidence interval of the mean over problems, each problem one cluster.

    Student's t on the problems' scores; where all of them are equal, which leaves it without width, the exact
    binomial bound for an event that none (or all) of n problems showed. It says how the mean would vary over
    problems of the same kind, for these trained weights; it does not say how it varies over seeds.

    Args:
        scores: one number in [-1, 1] a problem, averaged over whatever was repeated.
        level: confidence.

    Raises:
        ValueError: fewer than two problems.
    """
    from scipy import stats

    n = len(scores)
    if n < 2:
        raise ValueError(f"scores has {n} problems; expected at least 2")
    centre = sum(scores, Fraction(0)) / n
    mean = float(centre)
    if all(score == scores[0] for score in scores):
        reach = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / n)
        return mean - reach, mean + reach
    variance = sum(float(score - centre) ** 2 for score in scores) / (n - 1)
    half = float(stats.t.ppf(0.5 + level / 2.0, n - 1)) * sqrt(variance / n)
    return mean - half, mean + half


@dataclass(frozen=True)
class Difference:
    """An arm against the base model, problem by problem.

    Attributes:
        mean: of the differences, in percentage points.
        low, high: interval clustered by problem.
        p: two-sided sign-flip test of no difference, over problems.
        better, worse: problems on which the arm scores higher, lower.
    """

    mean: float
    low: float
    high: float
    p: float
    better: int
    worse: int


FLIPS = 9999


def paired(arm: Sequence[Counts], base: Sequence[Counts], k: int, seed: int = 0, level: float = 0.95) -> Difference:
    """Compare an arm with the base model on the same problems.

    The test flips the sign of every problem's difference at random, 9999 times; the observed one counts as one
    flip more, so p is valid at any level (Phipson and Smyth 2010).

    Args:
        arm: counts, one a seed.
        base: counts of the untrained model.
        k: of pass@k.
        seed: of the flips.
        level: of the interval.

    Raises:
        ValueError: different problems.
    """
    import numpy as np

    _same_problems([*arm, *base])
    scores = [[_average(s) for s in zip(*(run.scores(k) for run in runs), strict=True)] for runs in (arm, base)]
    differences = [one - other for one, other in zip(*scores, strict=True)]
    low, high = clustered(differences, level)
    values = np.array([float(d) for d in differences])
    observed = abs(values.sum())
    signs = np.random.default_rng(seed).integers(0, 2, (FLIPS, len(values)), dtype=np.int8) * 2 - 1
    sums = np.abs(signs @ values)
    p = (1 + int((sums >= observed - 1e-9).sum())) / (FLIPS + 1)  # sums are multiples of 1/(n S): 1e-9 is rounding
    return Difference(
        100 * float(values.mean()),
        100 * low,
        100 * high,
        p,
        sum(d > 0 for d in differences),
        sum(d < 0 for d in differences),
    )


def table(arms: Mapping[str, Sequence[Counts]], base: str | None, k: int) -> list[dict[str, object]]:
    """Rows of a transfer table for one benchmark: a row an arm, JSON's types alone.

    Args:
        arms: counts of every arm, one a seed.
        base: the arm that the others are compared with; None for no comparison.
        k: of pass@k.
    """
    rows: list[dict[str, object]] = []
    for name, runs in arms.items():
        found = cell(runs, k)
        row: dict[str, object] = {
            "arm": name,
            "metric": f"pass@{k}",
            "problems": len(runs[0].problems),
            "mean": found.printed_mean,
            "std": found.printed_std,
            "low": found.low,
            "high": found.high,
            "seeds": [str(score) for score in found.seeds],
            "samples": [sum(run.samples) for run in runs],
            "correct": [sum(run.correct) for run in runs],
            "unparseable": [run.unparseable for run in runs],
            "undecided": [run.undecided for run in runs],
        }
        if base is not None and name != base:
            difference = paired(runs, arms[base], k)
            row["difference"] = {
                "mean": difference.mean,
                "low": difference.low,
                "high": difference.high,
                "p": difference.p,
                "better": difference.better,
                "worse": difference.worse,
            }
        rows.append(row)
    return rows


def _two_decimals(value: Fraction) -> Fraction:
    return round_fraction(value, 2, Rounding.HALF_UP)


def _average(scores: Sequence[Fraction]) -> Fraction:
    return sum(scores, Fraction(0)) / len(scores)


def _same_problems(runs: Sequence[Counts]) -> None:
    if not runs or any(run.problems != runs[0].problems for run in runs):
        raise ValueError("runs: expected at least one, all on the same problems in the same order")
