"""Report: one self-contained page, a JSON of every number, and the figures as files."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from empirical import output
from empirical.diagnostics import NAMES, Diagnosis, Measure, Run
from empirical.diagnostics.comparison import compare
from empirical.diagnostics.confusion import rates
from empirical.figures import Drawing, draw
from empirical.logs.show import summary

HUGE = 100.0  # of a factor


@dataclass(frozen=True)
class Judged:
    """A run with its answers."""

    run: Run
    diagnoses: tuple[Diagnosis, ...]


def write(judged: Sequence[Judged], folder: Path) -> Path:
    """Write report.html, report.json and figures/ into a folder; a complete file replaces an older one.

    Returns:
        The page.

    Raises:
        InputError: the folder cannot be written to.
    """
    target = output.folder(folder)
    figures = output.folder(target / "figures")
    pages = []
    for number, one in enumerate(judged, 1):
        shown = []
        for diagnosis in one.diagnoses:
            drawings = [draw(panel, f"run{number}-{diagnosis.name}-{panel.name}") for panel in diagnosis.panels]
            for drawing in drawings:
                _save(drawing, figures)
            shown.append(_view(diagnosis, drawings))
        pages.append({"name": one.run.name, "told": summary(one.run.log), "diagnoses": shown})
    output.write(target / "report.json", output.dumps(as_json(judged)))
    output.write(target / "report.html", page(pages, _compared(judged, figures)))
    return target / "report.html"


def _save(drawing: Drawing, figures: Path) -> None:
    output.write(figures / f"{drawing.name}.svg", drawing.svg)
    output.write(figures / f"{drawing.name}.png", drawing.png)
    output.write(figures / f"{drawing.name}.csv", drawing.csv)


def _compared(judged: Sequence[Judged], figures: Path) -> dict[str, Any] | None:
    """The comparison of several runs for the page; its figures are written."""
    from markupsafe import Markup

    made = compare([(one.run, one.diagnoses) for one in judged])
    if made is None:
        return None
    drawings = [draw(panel, f"compared-{panel.name}") for panel in made.panels]
    for drawing in drawings:
        _save(drawing, figures)
    rows = [
        {
            "name": name,
            "knobs": ["" if math.isnan(v[i]) else f"{v[i]:g}" for v in made.values.values()],
            "measures": [f"{_shown(m[i])} {_range(m[i])}".strip() for m in made.measures.values()],
        }
        for i, name in enumerate(made.names)
    ]
    return {
        "says": made.says,
        "knobs": [name.replace("_", " ") for name in made.values],
        "measures": list(made.measures),
        "rows": rows,
        "drawings": [Markup(drawing.inline) for drawing in drawings],
    }


def page(pages: Sequence[dict[str, Any]], compared: dict[str, Any] | None = None) -> str:
    """The page; everything that comes from a log is escaped."""
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("report.html.jinja").render(runs=pages, names=NAMES, compared=compared)


def as_json(judged: Sequence[Judged]) -> dict[str, Any]:
    """Every number of the report."""
    made = compare([(one.run, one.diagnoses) for one in judged])
    compared = None
    if made is not None:
        compared = {
            "knob": made.knob, "says": made.says, "names": made.names, "values": made.values,
            "measures": made.measures, "effects": made.effects,
        }  # fmt: skip
    return {
        "compared": compared,
        "runs": [
            {
                "name": one.run.name,
                "log": summary(one.run.log),
                "group_size": one.run.known_group_size,
                "knobs": {k.name: {"value": k.value, "how": k.how} for k in one.run.knobs.values()},
                "diagnoses": [
                    {
                        "name": d.name, "question": d.question, "needs": d.needs, "verdict": d.verdict, "word": d.word,
                        "says": d.says, "measures": d.measures, "arithmetic": d.arithmetic, "advice": d.advice,
                        "rates": rates(d.name),
                    }
                    for d in one.diagnoses
                ],
            }
            for one in judged
        ]
    }  # fmt: skip


def _view(diagnosis: Diagnosis, drawings: Sequence[Drawing]) -> dict[str, Any]:
    from markupsafe import Markup

    return {
        "name": diagnosis.name,
        "question": diagnosis.question,
        "needs": diagnosis.needs,
        "verdict": str(diagnosis.verdict),
        "word": diagnosis.word,
        "says": diagnosis.says,
        "advice": diagnosis.advice,
        "arithmetic": diagnosis.arithmetic,
        "measures": [{"name": m.name, "shown": _shown(m), "range": _range(m)} for m in diagnosis.measures],
        "drawings": [Markup(drawing.inline) for drawing in drawings],
        "rates": rates(diagnosis.name),
    }


def _huge(measure: Measure) -> bool:
    """Whether a factor is so large that its digits would only mislead; report.json has them."""
    return measure.name.endswith("factor") and measure.value >= HUGE


def _shown(measure: Measure) -> str:
    if _huge(measure):
        return f"more than {HUGE:g}"
    return "not available" if math.isnan(measure.value) else f"{measure.value:.4g} {measure.unit}".strip()


def _range(measure: Measure) -> str:
    if math.isnan(measure.low) or math.isnan(measure.high) or _huge(measure):
        return ""
    text = f"{measure.low:.4g} to {measure.high:.4g}"
    return f"{text} ({measure.level * 100:.4g}% interval)" if measure.level else text
