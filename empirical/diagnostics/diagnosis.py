"""Diagnosis: the answer to one question about a run, with its arithmetic."""

from dataclasses import dataclass, field
from enum import StrEnum

from empirical.logs.numbers import Floats


class Verdict(StrEnum):
    """How a question was answered."""

    CLEAR = "CLEAR"  # looked for, not found
    FOUND = "FOUND"  # the failure mode is there
    UNDECIDED = "UNDECIDED"  # the data do not decide
    SKIPPED = "SKIPPED"  # a key is missing


@dataclass(frozen=True)
class Measure:
    """One number.

    Attributes:
        name: what it is.
        value: the estimate; nan where it could not be made.
        low, high: interval, nan where there is none.
        level: its stated coverage, 0 where there is no interval.
        unit: "" for pure numbers.
    """

    name: str
    value: float
    low: float = float("nan")
    high: float = float("nan")
    level: float = 0.0
    unit: str = ""


@dataclass(frozen=True)
class Series:
    """One curve of a figure.

    Attributes:
        label: for the legend.
        x, y: of one length.
        style: "points", "line", "dashed", "reference", or "interval" (each two points are the ends of a bar).
    """

    label: str
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)
    style: str = "line"


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        name: of the files, in lower case.
        title, xlabel, ylabel: words.
        series: the curves.
        yscale: "linear", "log" or "symlog".
        lines: x of vertical marks with their labels.
    """

    name: str
    title: str
    xlabel: str
    ylabel: str
    series: tuple[Series, ...]
    yscale: str = "linear"
    lines: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """The answer to one question.

    Attributes:
        name: of the failure mode, as in `--fail-on`.
        question: what is asked.
        needs: canonical columns that it needs, alternatives joined by "or".
        verdict: the answer.
        word: the answer in one or two words.
        says: one sentence for a tired practitioner.
        measures: the numbers behind it.
        arithmetic: how the verdict follows from them, step by step.
        advice: what to do.
        panels: the figure.
    """

    name: str
    question: str
    needs: tuple[str, ...]
    verdict: Verdict
    word: str
    says: str
    measures: tuple[Measure, ...] = ()
    arithmetic: tuple[str, ...] = ()
    advice: str = ""
    panels: tuple[Panel, ...] = ()
