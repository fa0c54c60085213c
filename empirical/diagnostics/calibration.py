"""Calibration: how often the forecast's 90% intervals hold the truth, over simulated runs of every law."""

import csv
import math
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from empirical.diagnostics.confusion import bounds
from empirical.logs.numbers import Floats
from reference.fitters.family import FAMILIES
from reference.forecast import CANDIDATES, forecast
from reference.rise_time import RISE_TIME, mean_field_plateau

TABLE = Path(__file__).parent / "calibration.csv"
HEADER = ("law", "quantity", "covered", "closed", "runs")
LEVEL = 0.9
ALLOWED = (0.85, 0.95)
POINTS = 120
QUANTITIES = ("plateau", "t_95")
CERTAIN = "mean_field_free"  # its plateau is 1 whatever the data: nothing to cover

Row = tuple[str, str, int, int, int]
Job = tuple[Any, ...]
_PER_TIME, _TIMES = ("rate", "omega_n", "kappa"), ("t_mid", "C_mid", "T")


def parameters(law: str, t_95: float, rng: Generator) -> dict[str, float]:
    """Random parameters of a law that makes 95% of its rise at a given time.

    Levels are 0.15 to 0.3 and 0.6 to 0.8; what shape a law has besides covers its usual range.
    """
    levels = rng.uniform(0.15, 0.3), rng.uniform(0.6, 0.8)
    shapes: dict[str, Callable[[], tuple[float, ...]]] = {
        "single_exponential": lambda: (*levels, 1.0),
        "critically_damped": lambda: (*levels, 1.0),
        "second_order": lambda: (*levels, 1.0, rng.uniform(0.4, 1.6)),
        "logistic": lambda: (*levels, 1.0, rng.uniform(1.0, 5.0)),
        "scalerl_sigmoid": lambda: (*levels, 1.0, rng.uniform(1.5, 4.0)),
        "power_law": lambda: (*levels, 1.0, rng.uniform(1.5, 5.0)),
        "mean_field_free": lambda: (rng.uniform(0.05, 0.3), 1.0),
        "mean_field": lambda: (rng.uniform(0.05, 0.3), 1.0, rng.uniform(0.5, 1.2)),
    }
    found = dict(zip(FAMILIES[law].names, shapes[law](), strict=True))
    stretch = t_95 / RISE_TIME[law](found)
    for name in found:
        if name in _PER_TIME:
            found[name] /= stretch
        elif name in _TIMES:
            found[name] *= stretch
    return found


def curve(law: str, rng: Generator, points: int = POINTS) -> tuple[Floats, Floats, float, float]:
    """A simulated prefix: times, rewards, the true plateau and the true time to 95% of the rise.

    The prefix is 0.8 to 2.5 times as long as the rise takes; noise is 3% to 12% of the rise, AR(1) with 0 to 0.5.
    """
    t = np.arange(float(points))
    t_95 = (points - 1) * math.exp(rng.uniform(math.log(0.4), math.log(1.25)))
    values = parameters(law, t_95, rng)
    truth = FAMILIES[law].law(t, *values.values())
    top = values.get("R_inf", values.get("A", math.nan))
    top = mean_field_plateau(values) if math.isnan(top) else top
    rise = top - float(truth[0])
    spread, rho = rise * math.exp(rng.uniform(math.log(0.03), math.log(0.12))), rng.uniform(0.0, 0.5)
    noise = rng.standard_normal(points)
    for k in range(1, points):
        noise[k] = rho * noise[k - 1] + math.sqrt(1 - rho * rho) * noise[k]
    return t, truth + spread * noise, top, t_95


def jobs(runs: int, seed: int) -> list[Job]:
    """(seed, law, number) of each run; all laws take turns."""
    return [(seed, law, number) for number in range(runs) for law in CANDIDATES]


def work(job: Job) -> dict[str, list[bool]]:
    """Forecast one run: whether each interval holds the truth, and whether it is finite."""
    seed, law, number = job
    rng = np.random.default_rng([seed, CANDIDATES.index(law), number])
    t, reward, top, t_95 = curve(law, rng)
    found = forecast(t, reward, level=LEVEL)
    out = {}
    for name, truth, (low, high) in zip(
        QUANTITIES, (top, t_95), (found.plateau_interval, found.t_95_interval), strict=True
    ):
        if law != CERTAIN or name != "plateau":
            out[name] = [low <= truth <= high, math.isfinite(low) and math.isfinite(high)]
    return out


def counted(answers: Iterable[tuple[Job, dict[str, list[bool]]]]) -> list[Row]:
    """Rows of (law, quantity, how often covered, how often finite, runs)."""
    sums: dict[tuple[str, str], list[int]] = {}
    for (_, law, _), answer in answers:
        for name, (covered, closed) in answer.items():
            entry = sums.setdefault((law, name), [0, 0, 0])
            for k, value in enumerate((covered, closed, True)):
                entry[k] += value
    keys = [(law, name) for law in CANDIDATES for name in QUANTITIES if (law, name) in sums]
    return [(*key, sums[key][0], sums[key][1], sums[key][2]) for key in keys]


def write(rows: Iterable[Row], seed: int) -> None:
    """Write the table of the package."""
    from empirical.output import write as save

    lines = [f"# seed {seed}", ",".join(HEADER), *(",".join(map(str, row)) for row in rows)]
    save(TABLE, "\n".join(lines) + "\n")
    table.cache_clear()


@cache
def table() -> tuple[tuple[Row, ...], int]:
    """The measured table that comes with the package, and its seed; empty before it was measured."""
    if not TABLE.is_file():
        return (), -1
    first, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(lines)
    found = tuple((r["law"], r["quantity"], int(r["covered"]), int(r["closed"]), int(r["runs"])) for r in rows)
    return found, int(first.split()[-1])


def pooled(quantity: str) -> tuple[int, int, int]:
    """Covered, finite, and runs of all laws."""
    rows = [r for r in table()[0] if r[1] == quantity]
    return sum(r[2] for r in rows), sum(r[3] for r in rows), sum(r[4] for r in rows)


def markdown() -> list[str]:
    """The table as lines of a page."""
    rows, seed = table()
    out = [
        "## How far the forecast can be believed",
        "",
        f"Runs of {POINTS} points of every law, its parameters random, from `empirical/diagnostics/calibration.py`",
        f"(seed {seed}): a prefix of 0.8 to 2.5 times the time to 95% of the rise, noise of 3% to 12% of the rise with",
        "autocorrelation 0 to 0.5. A cell says how often the stated 90% interval holds the truth, and how often it is",
        "finite (an open interval says that the prefix does not pin that end). The forecast is not told the law.",
        "",
        "| law | plateau held | finite | time to 95% held | finite |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for law in CANDIDATES:
        cells = []
        for quantity in QUANTITIES:
            mine = [r for r in rows if r[:2] == (law, quantity)]
            cells += [f"{r[2] / r[4]:.0%} of {r[4]} | {r[3] / r[4]:.0%}" for r in mine] or ["always 1 | "]
        out.append(f"| {law.replace('_', ' ')} | {' | '.join(cells)} |")
    cells = []
    for quantity in QUANTITIES:
        covered, closed, runs = pooled(quantity)
        low, high = bounds(covered, runs)
        cells.append(f"**{covered / runs:.1%}** ({low:.1%} to {high:.1%}) | {closed / runs:.0%}")
    out.append(f"| all laws | {' | '.join(cells)} |")
    out += [
        "",
        f"What is promised is {ALLOWED[0]:.0%} to {ALLOWED[1]:.0%} over all laws together. For one law it can be less",
        "or more: the interval averages over the laws that fit, so that it is wide where a rival fits as well.",
    ]
    return out
