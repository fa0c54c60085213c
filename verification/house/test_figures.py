"""The ledger's figures: tied to claims that exist, readable without sight, the same bytes every time."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from reference import oscillator
from reference.bandit import SoftmaxBandit, fixed_points
from reference.cells import Stale
from reference.history import Schedule
from reference.lag import critical_gain
from reference.regime import crossings
from spec import CLAIMS
from verification.ledger import write
from verification.ledger.figures import FIGURES, LedgerFigure, bandit_regimes, bandit_runs, render, threshold, tracking

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
    empty = ("problems", "assumes", "uses", "used_by", "steps", "mutants", "cites", "corrects", "where")
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
        "code": [],
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


SIX = [(stale, schedule) for stale, _ in bandit_regimes.READINGS for schedule, _ in bandit_regimes.SCHEDULES]


@pytest.mark.parametrize(("stale", "schedule"), SIX)
def test_no_interval_is_monotone_at_the_setting_of_figure_6(stale: Stale, schedule: Schedule) -> None:
    lower = fixed_points(1 / 8, bandit_regimes.BETA)[0].p
    intervals = np.arange(1, 129)
    bandit = SoftmaxBandit.binary(1, 2, bandit_regimes.BETA, 1 / 8)
    rate = bandit_runs.ETA * 4 / 7  # as 1 of 8 at the rate ETA
    runs = bandit.trajectory(rate, bandit_regimes.MU, intervals, stale, schedule, bandit_runs.STEPS)
    assert np.all(crossings(runs, lower) >= 1)
    # "ring for good or leave for p = 1": far from p* at the end, of which only stale gradients are capable
    runs = bandit.trajectory(rate, bandit_regimes.MU, intervals, stale, schedule, 3000)
    restless = np.abs(runs[-300:] - lower).max(axis=0) > 0.01
    assert bool(np.any(restless)) == (stale == "gradient")


def test_theorem_7_leaves_the_frame_from_interval_3_on() -> None:
    stiff = bandit_regimes.stiffness(1)
    damping = [float(oscillator.coefficients(bandit_runs.ETA, bandit_regimes.MU, stiff, k)[1]) for k in (2, 3)]
    assert damping[0] > 0 > damping[1]


def test_two_completions_stand_for_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """The classes of the chart are those of the bandit that it names, run with all of its completions."""
    monkeypatch.setattr(bandit_regimes, "RATES", np.array([0.01, 0.05, 0.3]))
    monkeypatch.setattr(bandit_regimes, "INTERVALS", np.array([1, 4, 20, 60]))
    for correct, (stale, schedule) in ((1, SIX[0]), (2, SIX[3]), (1, SIX[4])):
        bandit = SoftmaxBandit.binary(correct, 8, bandit_regimes.BETA)
        runs = bandit.trajectory(
            bandit_regimes.RATES[:, None],
            bandit_regimes.MU,
            bandit_regimes.INTERVALS,
            stale,
            schedule,
            bandit_regimes.STEPS,
        )
        found = bandit_regimes.regimes(correct, stale, schedule)
        count = crossings(runs, fixed_points(correct / 8, bandit_regimes.BETA)[0].p)
        plain = found < bandit_regimes.RINGING
        assert np.array_equal(np.minimum(count, 2)[plain], found[plain])
        assert np.array_equal(runs[-1] > 0.99, found == bandit_regimes.ABSORBED)


def test_what_the_regime_chart_says_lies_near_the_line() -> None:
    """The classes on either side of the line, in cells away from it by more than the grid's spacing of 1.3."""
    rates, intervals = bandit_regimes.RATES[:, None], bandit_regimes.INTERVALS
    long = intervals >= 8
    for schedule in ("constant", "periodic"):
        cells = bandit_regimes.regimes(1, "gradient", schedule)
        exact = critical_gain(bandit_regimes.MU, intervals, schedule) / bandit_regimes.stiffness(1)
        unsettled = cells >= bandit_regimes.RINGING
        assert np.all(unsettled[(rates > 1.35 * exact) & (rates < 0.9)])
        assert not np.any(unsettled[(rates < exact / 1.35) & long])
    line = (1 - bandit_regimes.MU) / (bandit_regimes.stiffness(1) * intervals)
    eq_2 = bandit_regimes.regimes(1, "advantage", "constant")
    near = (rates > line / 1.35) & (rates < 4 * line) & (rates < 0.07) & long
    assert np.all(eq_2[(rates > 1.35 * line) & near] == 1)  # one overshoot, and it settles
    assert not np.any(eq_2[(rates < line / 1.35) & (rates < 0.03)])  # monotone below
    two = bandit_regimes.regimes(2, "advantage", "constant")
    line = (1 - bandit_regimes.MU) / (bandit_regimes.stiffness(2) * intervals)
    assert np.all(two[(rates < 0.15) & (rates > line / 4) & (rates < 4 * line)] == 0)
