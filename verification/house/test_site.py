"""The site: one schema, every view made from it, sizes, links, words; and what `claims diff` says of two ledgers."""

import copy
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mutation import score
from spec import CLAIMS
from spec.claim import Status
from verification.house.books import passing
from verification.ledger import badges, diff, graph, views
from verification.ledger.book import BookError, complaints, read
from verification.ledger.figures import FIGURES
from verification.ledger.phrases import HIGHLIGHTS, LONGEST, PHRASES
from verification.ledger.write import write

pytestmark = pytest.mark.infrastructure

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def book() -> dict[str, Any]:
    return passing()


@pytest.fixture(scope="module")
def site(book: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = tmp_path_factory.mktemp("drawn")
    for figure in FIGURES:
        (drawn / f"{figure.name}.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    return write(book, tmp_path_factory.mktemp("site") / "a ledger", drawn).parent


def formulas(value: object) -> list[dict[str, str]]:
    """Every formula in a book."""
    if isinstance(value, dict):
        own = [value] if "mathml" in value else []
        return own + [f for v in value.values() for f in formulas(v)]
    return [f for v in value for f in formulas(v)] if isinstance(value, list) else []


class Page(HTMLParser):
    """Ids and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect."""
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def test_the_book_follows_its_schema(book: dict[str, Any]) -> None:
    assert complaints(book) == []
    assert not book["problems"]
    assert {c["id"]: c["status"] for c in book["claims"]} == {i: c.verdict.value for i, c in CLAIMS.items()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: b.update(schema=1), "schema is 1, expected 2"),
        (lambda b: b["claims"][0].update(status="true"), "$.claims[0].status: 'true' is not one of"),
        (lambda b: b["claims"][0].pop("says"), "'says' is a required property"),
        (lambda b: b["claims"][1]["uses"].append("eq-99"), "uses names 'eq-99', which is no claim"),
        (lambda b: b["claims"].append(b["claims"][0]), "two claims are called 'eq-1'"),
        (lambda b: b["claims"][0].update(note=""), "'note' was unexpected"),
    ],
)
def test_a_book_that_breaks_the_schema_is_refused(book: dict[str, Any], change: Any, message: str) -> None:
    broken = copy.deepcopy(book)
    change(broken)
    assert any(message in complaint for complaint in complaints(broken)), complaints(broken)


def test_the_mutation_scores_are_part_of_the_ledger(book: dict[str, Any], site: Path) -> None:
    scored = score.scores()
    found = {file["file"]: file for file in book["code"]}
    assert set(found) == set(score.selection())
    for name, entry in scored.items():
        assert (found[name]["mutants"], found[name]["killed"]) == (entry["mutants"], entry["killed"])
        assert [s["why"] for s in found[name]["survivors"]] == [s["why"] for s in entry["survivors"]]
    text = (site / "code.html").read_text(encoding="utf-8")
    made, killed = (sum(entry[key] for entry in scored.values()) for key in ("mutants", "killed"))
    assert f"{killed} of {made} edits" in text
    assert text.count("<li>") == sum(len(entry["survivors"]) for entry in scored.values())
    assert f"{killed} of {made} typos" in (site / "index.html").read_text(encoding="utf-8")


def test_what_training_runs_decided_is_named_and_is_no_claim_of_the_paper(book: dict[str, Any], site: Path) -> None:
    decided = [claim["id"] for claim in book["claims"] if views.trained(claim) and not claim["training"]]
    assert "new-small-fit" in decided
    assert all(id_.startswith("new-") for id_ in decided)
    text = (site / "index.html").read_text(encoding="utf-8")
    line = text[text.index("Decided by real training runs") :].split("No claim of the paper itself")[0]
    assert all(f'href="#{id_}"' in line for id_ in decided)


def test_what_a_network_did_begins_with_one_sentence_and_lists_its_numbers(book: dict[str, Any], site: Path) -> None:
    assert views.sentences("It broke. Setting A, p = 0.3 at eq. 2. Then +0.1 [0.0, 0.2].") == [
        "It broke.",
        "Setting A, p = 0.3 at eq. 2.",
        "Then +0.1 [0.0, 0.2].",
    ]
    shown = [t["says"] for claim in book["claims"] for t in claim["training"] if t["says"]]
    assert shown
    index = (site / "index.html").read_text(encoding="utf-8")
    assert index.count("What a trained network did:") == len(shown)
    assert index.count("<summary>The numbers</summary>") == len(shown)


def test_a_claim_is_called_by_its_number_or_by_what_was_found(book: dict[str, Any], site: Path) -> None:
    claims = {claim["id"]: claim for claim in book["claims"]}
    assert views.title(claims["prop-9"]) == "Proposition 9"
    assert views.title(claims["sec-3.6"]).startswith("Section 3.6")
    new = next(c for i, c in claims.items() if i.startswith("new-") and c["short"])
    assert views.title(new).lower() == new["short"].lower()
    page = (site / "claims" / "prop-9.html").read_text(encoding="utf-8")
    assert "<h1>Proposition 9 " in page
    assert "<code>prop-9</code>" in page


def test_formulas_are_well_formed(book: dict[str, Any]) -> None:
    found = formulas(book)
    assert len(found) > 500
    for formula in found:
        ElementTree.fromstring(formula["mathml"])


def test_every_claim_has_a_phrase_for_its_badge() -> None:
    assert set(PHRASES) == set(CLAIMS), "one line a claim in verification/ledger/phrases.toml"
    assert all(0 < len(phrase) <= LONGEST for phrase in PHRASES.values())
    narrowed = badges.badge("prop-10", "narrowed", PHRASES["prop-10"])
    assert "narrowed, only for infinite groups; the mean depends on G" in narrowed
    assert badges.endpoint("eq-1", "suspect")["message"] == "suspect"


def test_a_phrase_is_silent_where_the_verdict_is_another(book: dict[str, Any]) -> None:
    from verification.ledger.assemble import assemble
    from verification.ledger.collect import Ledger

    untested = assemble(Ledger({"eq-1": CLAIMS["eq-1"]}, {}, complete=False))
    assert untested["claims"][0]["short"] == ""


def test_the_findings_are_ten_claims_that_fail_as_printed() -> None:
    assert len(HIGHLIGHTS) == len({h["claim"] for h in HIGHLIGHTS}) == 10
    for highlight in HIGHLIGHTS:
        assert CLAIMS[highlight["claim"]].verdict in (Status.REFUTED, Status.NARROWED)
        assert set(highlight) == {"claim", "practice"}
        for name in re.findall(r"reference\.(\w+)\.(\w+)", highlight["practice"]):
            module = __import__(f"reference.{name[0]}", fromlist=[name[1]])
            assert callable(getattr(module, name[1]))


def test_the_index_is_small_and_in_reading_order(site: Path) -> None:
    assert (site / "index.html").stat().st_size < 1_000_000
    page = (site / "index.html").read_text(encoding="utf-8")
    articles = re.findall(r'<article id="([^"]+)">', page)
    assert sorted(articles) == sorted(CLAIMS)
    assert articles.index("eq-1") < articles.index("lemma-6") < articles.index("prop-9") < articles.index("fig-5")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


def test_every_link_and_picture_is_there(site: Path) -> None:
    pages = {p: Page(p.read_text(encoding="utf-8")) for p in site.rglob("*.html")}
    assert len(pages) == len(CLAIMS) + 3  # the index, the graph, the code
    for path, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), path
        for link in (x for x in page.links if not x.startswith("data:")):
            file, _, anchor = link.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), (path, link)
            if anchor:
                assert anchor in pages[target].ids, (path, link)


def test_two_builds_are_the_same(book: dict[str, Any], site: Path, tmp_path: Path) -> None:
    again = write(book, tmp_path / "again", site / "figures").parent
    names = sorted(p.relative_to(site) for p in site.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file())
    for name in names:
        assert (again / name).read_bytes() == (site / name).read_bytes(), name


def test_what_a_claim_rests_on_and_carries(book: dict[str, Any]) -> None:
    claims = {c["id"]: c for s in views.arranged(book) for c in s["claims"]}
    assert "prop-9" in claims["lemma-6"]["carries"]
    assert "lemma-6" in claims["prop-9"]["rests"]
    assert claims["prop-9"]["weakest"] == ["lemma-6"]
    assert claims["lemma-4"]["example"]["name"] == claims["lemma-4"]["tested_by"]
    assert claims["lemma-4"]["example"]["at"] == "K = 1, e_0 = 1, e_1 = 5/8, eta = 3/8, mu = 0"
    assert claims["fig-7"]["kinds"] == ["none"]
    assert [s["name"] for s in views.arranged(book)][:2] == ["abstract", "3.1"] or views.order("3.1") > views.order(
        "abstract"
    )
    assert sorted(["B", "3.10", "3.9", "abstract"], key=views.order) == ["abstract", "3.9", "3.10", "B"]


def test_the_graph_has_every_edge_and_runs_one_way(book: dict[str, Any]) -> None:
    rows = graph.layers(graph.graph(book))
    level = {node: i for i, row in enumerate(rows) for node in row}
    edges = {(used, c["id"]) for c in book["claims"] for used in c["uses"]}
    drawn = set(re.findall(r'data-from="([^"]+)" data-to="([^"]+)"', graph.svg(book)))
    assert drawn == edges
    assert all(level[a] < level[b] for a, b in edges)
    ElementTree.fromstring(graph.svg(book))


def command(module: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the ledger."""
    parts = [sys.executable, "-m", f"verification.ledger.{module}", *map(str, arguments)]
    return subprocess.run(parts, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_the_command_refuses_what_it_cannot_use(site: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"schema": 2,\n', encoding="utf-8")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "years.txt").write_text("of work", encoding="utf-8")
    for claims, out, message in (
        (tmp_path / "none.json", tmp_path / "out", "none.json: No such file"),
        (tmp_path / "bad.json", tmp_path / "out", "bad.json:2:1: not JSON"),
        (site / "claims.json", tmp_path / "thesis", "is no ledger"),
    ):
        done = command("site", claims, out)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "thesis" / "years.txt").exists()
    done = command("site", site / "claims.json", tmp_path / "out", "--figures", site / "figures")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "index.html").read_bytes() == (site / "index.html").read_bytes()
    with pytest.raises(BookError, match="No such file"):
        read(tmp_path / "none.json")


def edited(book: dict[str, Any], **fields: object) -> dict[str, Any]:
    """A copy in which prop-9 has other fields."""
    new = copy.deepcopy(book)
    next(c for c in new["claims"] if c["id"] == "prop-9").update(fields)
    return new


def test_diff_names_what_changed(book: dict[str, Any]) -> None:
    assert diff.changes(book, book) == []
    (verdict,) = diff.changes(book, edited(book, status="held"))
    assert (verdict.kind, verdict.claim, verdict.says) == ("verdict", "prop-9", "proved -> held")
    (stamp,) = diff.changes(book, edited(book, content="0" * 16))
    assert stamp.kind == "stamp"
    assert not stamp.grave
    (chain,) = diff.changes(book, edited(book, with_ancestors="narrowed"))
    assert chain.says == "with all that it rests on: refuted -> narrowed"
    gone = copy.deepcopy(book)
    gone["claims"] = [c for c in gone["claims"] if c["id"] != "prop-9"]
    assert [c.kind for c in diff.changes(book, gone)] == ["gone"]
    assert [c.kind for c in diff.changes(gone, book)] == ["new"]
    looser = copy.deepcopy(book)
    step = next(c for c in looser["claims"] if c["id"] == "prop-9")["steps"][0]
    step["evidence"][0]["margin"] = 30.0
    (margin,) = diff.changes(book, looser)
    assert margin.kind == "margin"
    assert "35 -> 30" in margin.says
    step["evidence"][0]["margin"] = 34.0  # less than a tenth
    assert diff.changes(book, looser) == []
    step["evidence"] = []
    (lost,) = diff.changes(book, looser)
    assert "no longer decided by" in lost.says


def test_diff_has_three_exit_codes(book: dict[str, Any], tmp_path: Path) -> None:
    old, new, bad = (tmp_path / f"{n}.json" for n in ("old", "new", "bad"))
    old.write_text(json.dumps(book), encoding="utf-8")
    new.write_text(json.dumps(edited(book, status="refuted")), encoding="utf-8")
    bad.write_text(json.dumps({"schema": 1}), encoding="utf-8")
    assert command("diff", old, old).returncode == 0
    done = command("diff", old, new)
    assert done.returncode == 1
    assert "prop-9: proved -> refuted" in done.stdout
    refused = command("diff", old, bad)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"{bad}: its schema is 1")
    assert "Traceback" not in refused.stderr
