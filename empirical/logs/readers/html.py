"""HTML: the table that transformers shows in a notebook, saved as a file."""

from html.parser import HTMLParser

from empirical.logs.raw import Raw
from empirical.logs.reader import Reader
from empirical.logs.readers import grid
from empirical.logs.readers.grid import Grid
from empirical.logs.source import Source


class _Tables(HTMLParser):
    """Collects rows of cells, table by table; an inner table ends the outer one."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[tuple[int, list[str]]]] = []
        self.text: list[str] = []
        self.cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._shut()
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self._shut()
            self.tables[-1].append((self.getpos()[0], []))
        elif tag in ("td", "th") and self.tables:
            self._shut()
            if not self.tables[-1]:
                self.tables[-1].append((self.getpos()[0], []))
            self.cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._shut()

    def handle_data(self, data: str) -> None:
        (self.text if self.cell is None else self.cell).append(data)

    def _shut(self) -> None:
        if self.cell is not None and self.tables and self.tables[-1]:
            line, cells = self.tables[-1][-1]
            self.tables[-1][-1] = (self.getpos()[0] or line, [*cells, "".join(self.cell).strip()])
        self.cell = None


def matches(source: Source) -> bool:
    """The text has a table tag."""
    return "<table" in source.head.lower()


def grids(text: str) -> list[Grid]:
    """All tables of an HTML text; the first row of each is its header."""
    parser = _Tables()
    try:
        parser.feed(text)
        parser.close()
    except (AssertionError, ValueError):  # the standard parser's complaints about broken markup
        pass
    out = []
    for table in parser.tables:
        rows = [(line, cells) for line, cells in table if cells]
        if len(rows) > 1:
            out.append(Grid(tuple(rows[0][1]), tuple(tuple(c) for _, c in rows[1:]), tuple(n for n, _ in rows[1:])))
    return out


def read(source: Source) -> Raw:
    """The table of metrics.

    Raises:
        InputError: there is none.
    """
    return grid.read(source, grids(source.text), "notebook table (HTML)")


READER = Reader("notebook table (HTML)", matches, read)
