"""The ledger's figures: tied to claims that exist, readable without sight, the same bytes every time."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from reference import oscillator
from spec import CLAIMS
from verification.ledger import write
from verification.ledger.figures import FIGURES, LedgerFigure, render, threshold, tracking

pytestmark = pytest.mark.infrastructure

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figures")


@pytest.fixture(scope="module")
def drawn(folder: Path) -> list[dict[str, Any]]:
    return render(folder, set(CLAIMS))


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.name)
def test_a_figure_names_claims_that_exist_and_says_what_it_shows(figure: LedgerFigure) -> None:
    assert figure.claims
    assert set(figure.claims) <= set(CLAIMS)
    assert len(set(figure.claims)) == len(figure.claims)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", figure.name)
    assert len(figure.title) > 20
    assert len(figure.caption) > 20
    assert len(figure.alt) > 100


def test_names_are_unique() -> None:
    assert len({figure.name for figure in FIGURES}) == len(FIGURES)


def test_svgs_are_well_formed_and_stand_alone(folder: Path, drawn: list[dict[str, Any]]) -> None:
    assert [entry["name"] for entry in drawn] == [figure.name for figure in FIGURES]
    for entry in drawn:
        root = ElementTree.parse(folder / entry["file"]).getroot()
        assert root.tag == f"{SVG}svg"
        assert len(list(root.iter(f"{SVG}path"))) > 20
        assert not list(root.iter(f"{SVG}text"))  # letters are outlines: no font has to be there
        assert not list(root.iter("{http://purl.org/dc/elements/1.1/}date"))


def test_two_renders_are_identical(folder: Path, drawn: list[dict[str, Any]], tmp_path: Path) -> None:
    assert render(tmp_path, set(CLAIMS)) == drawn
    for entry in drawn:
        assert (tmp_path / entry["file"]).read_bytes() == (folder / entry["file"]).read_bytes()


def test_a_book_gets_the_figures_of_its_own_claims(tmp_path: Path) -> None:
    assert render(tmp_path / "none", {"square"}) == []
    assert not (tmp_path / "none").exists()
    (only,) = render(tmp_path, {"square", "new-memory-is-pade"})
    assert only["claims"] == ["new-memory-is-pade"]
    assert [p.name for p in tmp_path.iterdir()] == [only["file"]]


def entry(claim: str) -> dict[str, Any]:
    """The least that the page shows of a claim."""
    empty = ("problems", "assumes", "uses", "used_by", "steps", "mutants", "cites", "corrects")
    formula = {"mathml": "", "text": "", "latex": ""}
    return {
        "id": claim,
        "noun": "lag",
        "status": "proved",
        "with_ancestors": "proved",
        "says": "Says.",
        "formula": formula,
        "because": "because.",
        "reply": "",
        "needs": "",
        **{key: [] for key in empty},
    }


def test_the_page_shows_a_figure_once_and_links_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = FIGURES[0]
    monkeypatch.setattr("verification.ledger.figures.FIGURES", (chosen,))
    book = {
        "paper": {"id": "x", "version": 1},
        "complete": True,
        "totals": dict.fromkeys(write.ORDER, 0),
        "steps": {},
        "mutants": {"shipped": 0, "killed": 0, "survivors": []},
        "claims": [entry(i) for i in chosen.claims],
        "problems": [],
    }
    page = write.write(book, tmp_path / "ledger").read_text(encoding="utf-8")
    articles = {m[1]: m[2] for m in re.finditer(r'<article id="([^"]+)">(.*?)</article>', page, flags=re.DOTALL)}
    first, *others = chosen.claims
    assert page.count("<img") == 1
    assert f'src="figures/{chosen.name}.svg"' in articles[first]
    assert 'loading="lazy"' in articles[first]
    assert "<figcaption>" in articles[first]
    assert (tmp_path / "ledger" / "figures" / f"{chosen.name}.svg").exists()
    for other in others:
        assert f'href="#figure-{chosen.name}"' in articles[other]


@pytest.mark.parametrize("mu", [0.0, 0.5, 0.8, 0.99])
def test_the_curve_called_zeta_one_has_damping_ratio_one(mu: float) -> None:
    intervals = np.array([0, 1, 2, 30, 1000, 10_000])
    zeta = oscillator.damping_ratio(1.0, mu, threshold.zeta_one_gain(mu, intervals), intervals)
    # a dozen roundings; the damping 1 - mu - a T keeps at least 1 - 1/(1 + sqrt 2) of 1 - mu, so it loses no digit
    assert np.max(np.abs(zeta - 1)) < 64 * np.finfo(float).eps


ORDERS = {
    ("fixed", "rest"): 0,
    ("fixed", "matched"): 0,
    ("fixed", "slow"): 0,
    ("gain", "rest"): 1,
    ("gain", "matched"): 1,
    ("gain", "slow"): 2,
    ("inertial", "rest"): 1,
    ("inertial", "matched"): 2,
    ("inertial", "slow"): 2,
}


@pytest.mark.parametrize(("way", "expected"), ORDERS.items(), ids=lambda x: "-".join(x) if isinstance(x, tuple) else "")
def test_the_tracking_figure_ends_in_the_slopes_it_states(way: tuple[Any, Any], expected: int) -> None:
    coarse, fine = (tracking.largest_error(*way, 2.0**-k) for k in (7, 8))
    # off by c delta/ln 2 with c <= 10 at delta = 1/256
    assert abs(np.log2(coarse / fine) - expected) < 0.06
