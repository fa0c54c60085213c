"""The site in a real headless Chromium, opened from a file path: console, filters, links, widths, accessibility.

Skipped without playwright or a browser; `tox -e site-test` has the first, the system's packages the second.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from verification.house.books import passing
from verification.ledger import views
from verification.ledger.figures import FIGURES
from verification.ledger.write import write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.infrastructure, pytest.mark.browser]

PAGES = ("index.html", "graph.html", "code.html", "claims/prop-9.html", "claims/lemma-4.html", "claims/fig-7.html")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
NARROW, WIDE = 360, 1200


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="no playwright: run `tox -e site-test`")
    if CHROMIUM is None:
        pytest.skip("no browser: install Debian's `chromium`, or name one in CHROMIUM")
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = tmp_path_factory.mktemp("drawn")
    for figure in FIGURES:
        picture = '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="300"/>'
        (drawn / f"{figure.name}.svg").write_text(picture, encoding="utf-8")
    return write(passing(), tmp_path_factory.mktemp("site") / "a ledger", drawn).parent


class Visit:
    """A page with the errors that it reports."""

    def __init__(self, browser: Browser, url: str, **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("requestfailed", lambda r: self.errors.append(f"not loaded: {r.url}"))
        self.page.goto(url)

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def shown(self) -> list[str]:
        """Ids of the claims that can be seen."""
        found = self.page.locator("main article:visible").evaluate_all("list => list.map(a => a.id)")
        return list(found)


def url(site: Path, page: str = "index.html") -> str:
    """A file URL."""
    name, _, anchor = page.partition("#")
    return (site / name).as_uri() + (f"#{anchor}" if anchor else "")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_loads_without_errors_and_fits(browser: Browser, site: Path, page: str, width: int, scheme: str) -> None:
    size = {"width": width, "height": 800}
    with Visit(browser, url(site, page), viewport=size, color_scheme=scheme) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        assert visit.errors == []
        # cut off without a way to scroll is overflow, too
        beyond = """width => [...document.querySelectorAll("main *, header *")].filter(e =>
            e.getBoundingClientRect().right > width + 1 && !e.closest(".formula, .wide")).map(e => e.outerHTML)"""
        assert visit.page.evaluate(beyond, width) == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, site: Path, page: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: run `tox -e site-test`").Axe()
    with Visit(browser, url(site, page), color_scheme=scheme) as visit:
        found = axe.run(visit.page).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"]][:3]) for v in serious] == []


def test_axe_finds_nothing_serious_on_any_claim(browser: Browser, site: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: run `tox -e site-test`").Axe()
    pages = sorted(path.relative_to(site).as_posix() for path in (site / "claims").glob("*.html"))
    assert len(pages) > 100
    serious, errors = [], []
    with Visit(browser, url(site, pages[0]), viewport={"width": NARROW, "height": 800}) as visit:
        for page in pages:
            visit.errors.clear()  # axe's own, of the page before: it may not read the style sheet of a file
            visit.page.goto(url(site, page))
            errors += [(page, error) for error in visit.errors]
            found = axe.run(visit.page).response["violations"]
            serious += [(page, v["id"]) for v in found if v["impact"] in ("serious", "critical")]
            if visit.page.evaluate("document.documentElement.scrollWidth") > NARROW:
                serious.append((page, "too wide"))
    assert (serious, errors) == ([], [])


def test_axe_would_find_something(browser: Browser, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: run `tox -e site-test`").Axe()
    page = tmp_path / "bad.html"
    page.write_text("<!doctype html><title>x</title><img src='data:,'><p style='color:#eee'>pale", encoding="utf-8")
    with Visit(browser, page.as_uri()) as visit:
        assert {"image-alt", "color-contrast", "html-has-lang"} <= {
            v["id"] for v in axe.run(visit.page).response["violations"]
        }


def test_filters_and_search_find_a_known_claim(browser: Browser, site: Path) -> None:
    total = len(passing()["claims"])
    with Visit(browser, url(site)) as visit:
        page = visit.page
        assert len(visit.shown()) == total
        page.locator("#filters [name=search]").fill("Proposition 9")
        assert "prop-9" in visit.shown()
        for name in ("prop-9", "prop 9", "PROPOSITION 9"):
            page.locator("#filters [name=search]").fill(name)
            assert visit.shown() == ["prop-9"]
        assert "in quotes" in page.locator("#shown").inner_text()
        for name, id_ in (("sec 3.6", "sec-3.6"), ("Lemma4", "lemma-4"), ("Eq. 11", "eq-11")):
            page.locator("#filters [name=search]").fill(name)
            assert visit.shown() == [id_]
        page.locator("#filters [name=search]").fill('"proposition 9"')
        assert "prop-9" in visit.shown()
        assert 1 < len(visit.shown()) < total / 4
        page.locator("#filters [name=search]").fill("no such words")
        assert visit.shown() == []
        assert page.locator("#shown").inner_text() == f"0 of {total} claims."
        page.get_by_role("button", name="Clear").click()
        page.wait_for_function("n => document.querySelectorAll('article:not([hidden])').length === n", arg=total)
        page.locator("#filters [name=status]").select_option("refuted")
        page.locator("#filters [name=section]").select_option("3.3")
        assert visit.shown() == ["eq-5", "lemma-6"]
        page.locator("#filters [name=status]").select_option("")
        page.locator("#filters [name=section]").select_option("")
        page.locator("#filters [name=kind]").select_option("training")
        trained = {claim["id"] for claim in passing()["claims"] if claim["training"] or views.trained(claim)}
        assert set(visit.shown()) == trained
        assert {"fig-1", "lemma-5", "new-small-fit", "new-stiffest-mode"} <= trained


def test_a_count_leads_to_its_claims(browser: Browser, site: Path) -> None:
    expected = {c["id"] for c in passing()["claims"] if c["status"] == "supported"}
    with Visit(browser, url(site)) as visit:
        visit.page.locator('a[data-filter="status"][data-value="supported"]').click()
        visit.page.wait_for_function("() => document.querySelector('article').hidden")
        assert set(visit.shown()) == expected


def test_a_deep_link_shows_its_claim_even_when_filtered_out(browser: Browser, site: Path) -> None:
    with Visit(browser, url(site, "index.html#prop-9")) as visit:
        page = visit.page
        assert page.locator("#prop-9").evaluate("a => a.matches(':target') && a.getBoundingClientRect().top < 200")
        page.locator("#filters [name=search]").fill("no such words")
        page.evaluate("location.hash = '#lemma-4'")
        page.wait_for_function("() => !document.getElementById('lemma-4').hidden")
        page.wait_for_function("() => Math.abs(document.getElementById('lemma-4').getBoundingClientRect().top) < 200")


def test_the_nodes_of_the_graph_lead_to_their_claims(browser: Browser, site: Path) -> None:
    linked = {c["id"] for c in passing()["claims"] if c["uses"] or c["used_by"]}
    with Visit(browser, url(site, "graph.html")) as visit:
        nodes = visit.page.locator("svg.graph a")
        targets = nodes.evaluate_all("list => list.map(a => [a.dataset.claim, a.getAttribute('href')])")
        assert {name for name, _ in targets} == linked
        assert all(href == f"index.html#{name}" for name, href in targets)
        visit.page.locator('svg.graph a[data-claim="prop-9"]').click()
        visit.page.wait_for_url("**/index.html#prop-9")
        assert visit.page.locator("#prop-9").is_visible()
        assert visit.errors == []


def test_without_javascript_everything_but_the_filters_is_there(browser: Browser, site: Path) -> None:
    with Visit(browser, url(site), java_script_enabled=False) as visit:
        assert visit.page.locator("main article:visible").count() == len(passing()["claims"])
        assert not visit.page.locator("#filters").is_visible()


def test_the_keyboard_reaches_the_claims_and_the_search(browser: Browser, site: Path) -> None:
    with Visit(browser, url(site)) as visit:
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.textContent") == "Skip to the claims"
        visit.page.keyboard.press("Enter")
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.name") == "search"


def test_a_printed_page_shows_what_is_folded(browser: Browser, site: Path) -> None:
    with Visit(browser, url(site, "claims/lemma-4.html")) as visit:
        snippet = visit.page.locator("pre.python").first
        assert not snippet.is_visible()
        visit.page.emulate_media(media="print")
        box = snippet.bounding_box()
        assert box is not None
        assert box["height"] > 10
