"""Notebooks: the tables and printed rows in the outputs of an .ipynb file."""

import json
import re
from collections.abc import Iterator, Mapping

from empirical.logs.note import Note
from empirical.logs.raw import Raw
from empirical.logs.reader import Reader
from empirical.logs.readers import grid, html, markdown, pydict
from empirical.logs.readers.jsonlines import UNREADABLE
from empirical.logs.source import Source

_INSTALLED = re.compile(
    r"Successfully installed [^\n]*?\btrl-(\d+(?:\.\d+)+)|\bTRL(?: version)?\s*[:=]\s*v?(\d+(?:\.\d+)+)"
)
_PIN = re.compile(r"\btrl\s*==\s*(\d+(?:\.\d+)+)")


def matches(source: Source) -> bool:
    """Its name ends in .ipynb, or it has cells and a format number."""
    head = source.head.lstrip()
    return head.startswith("{") and (source.suffix == ".ipynb" or ('"cells"' in head and '"cell_type"' in head))


def read(source: Source) -> Raw:
    """The best table, or else the printed rows.

    Raises:
        InputError: the notebook is damaged or has no output with metrics.
    """
    try:
        document = json.loads(source.text)
    except UNREADABLE as error:
        raise source.refuse(
            str(getattr(error, "msg", "JSON nested too deeply")),
            "a whole notebook",
            "save the notebook again",
            line=getattr(error, "lineno", None),
        ) from None
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        raise source.refuse("no cells", "a notebook", "save the notebook again")
    grids, texts = [], []
    for mime, text in _outputs(cells):
        if mime == "text/html":
            grids += html.grids(text)
        elif mime == "text/markdown":
            grids += markdown.grids(text)
        texts.append(text)
    best, notes = grid.choose(grids)
    raw = grid.rows_of(best, "notebook (HTML table)") if best is not None else pydict.from_text("\n".join(texts))
    if raw is None or not raw.size:
        raise source.refuse(
            f"{len(texts)} outputs, none with a table or rows of metrics",
            "an executed notebook of a GRPO run",
            "run the notebook and save it with its outputs, or give trainer_state.json",
        )
    raw.container = "notebook" + raw.container.removeprefix("notebook")
    raw.notes += [*notes, *source.decoded[1]]
    for text in texts:
        if found := _INSTALLED.search(text):
            raw.versions["trl"] = found[1] or found[2]
    if "trl" not in raw.versions and (
        pin := _PIN.search(" ".join(_joined(c.get("source")) for c in cells if isinstance(c, dict)))
    ):
        raw.notes.append(
            Note("read", f"a cell pins trl=={pin[1]}; the outputs do not say that it was the one that ran")
        )
    return raw


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def _outputs(cells: list[object]) -> Iterator[tuple[str, str]]:
    """The texts of all outputs, with their types."""
    for cell in cells:
        outputs = cell.get("outputs") if isinstance(cell, Mapping) else None
        for output in outputs if isinstance(outputs, list) else []:
            if not isinstance(output, Mapping):
                continue
            if "text" in output:
                yield "text/plain", _joined(output["text"])
            data = output.get("data")
            for mime, value in data.items() if isinstance(data, Mapping) else []:
                if str(mime).startswith("text/"):
                    yield str(mime), _joined(value)


READER = Reader("notebook", matches, read)
