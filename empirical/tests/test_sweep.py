"""The sweep without torch: cells, the runner's resume, the protocol, and packed results."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirical.errors import InputError
from empirical.sweep import design, runner, store
from empirical.sweep.cell import Cell, from_settings
from empirical.sweep.effects import difference, predicted_drop
from empirical.sweep.guide import FROZEN, GUIDE, guide, main
from empirical.sweep.protocol import crossing, drop, fitted_rate, read
from empirical.sweep.report import effect_rows, report
from empirical.sweep.summary import advice

pytestmark = pytest.mark.infrastructure


def values(cell: Cell) -> dict[str, Any]:
    return {"p": [0.3 + 0.001 * k for k in range(10)], "seconds": 1.0, "ratio_variance": []}


def test_a_cell_comes_back_from_its_settings_and_its_key_depends_on_every_field() -> None:
    cell = Cell("refresh", interval=16, seed=2)
    assert from_settings(json.loads(json.dumps(cell.settings))) == cell
    others = [Cell("refresh", interval=16, seed=1), Cell("refresh", interval=4, seed=2), Cell("x", interval=16, seed=2)]
    assert len({c.key for c in [cell, *others]}) == 4


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ({"size": 1}, "size = 1"),
        ({"sequences": 30}, "sequences = 30"),
        ({"size": 2, "sequences": 256}, "100 prompts"),
        ({"interval": 6, "iterations": 4}, "iterations = 4"),
        ({"delay": 2, "optimizer": "adamw"}, "optimizer = 'adamw'"),
    ],
)
def test_a_cell_out_of_its_domain_is_refused_by_name(wrong: dict[str, Any], names: str) -> None:
    with pytest.raises(ValueError, match=names):
        Cell("x", **wrong)


@pytest.mark.parametrize("full", [False, True])
def test_every_sampled_condition_has_its_lag_0_control_at_the_same_warm_ups_and_seeds(full: bool) -> None:
    cells = design.cells(full=full)
    assert len(cells) == len(set(cells))
    sampled = [c for c in cells if c.kind == "sampled"]
    controls = {(c.warm_up, c.seed, c.learning_rate) for c in sampled if c.interval == 1 and not c.delay}
    assert all((c.warm_up, c.seed, c.learning_rate) in controls for c in sampled if c.interval > 1 or c.delay)
    assert all(len({(c.warm_up, c.seed) for c in sampled if c.condition == d.condition}) >= 3 for d in sampled)


def test_a_stopped_sweep_goes_on_and_runs_no_finished_cell_again(tmp_path: Path) -> None:
    cells = [Cell("x", seed=k) for k in range(4)]
    assert runner.run(cells[:3], tmp_path, values, jobs=1) == 3
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / store.CELLS).iterdir()}
    assert runner.run(cells, tmp_path, values, jobs=1) == 1
    assert all(path.stat().st_mtime_ns == at for path, at in before.items())
    assert runner.run(cells, tmp_path, values, jobs=1) == 0


def breaks(cell: Cell) -> dict[str, Any]:
    if cell.seed == 2:
        raise OSError("killed")
    return values(cell)


def test_a_cell_that_fails_loses_none_of_the_finished_ones(tmp_path: Path) -> None:
    cells = [Cell("x", seed=k) for k in range(4)]
    with pytest.raises(OSError, match="killed"):
        runner.run(cells, tmp_path, breaks, jobs=1)
    assert [r.cell.seed for r in store.load(tmp_path, cells)] == [0, 1]
    assert runner.run(cells, tmp_path, values, jobs=1) == 2


def test_packed_results_come_back_and_a_broken_file_is_refused(tmp_path: Path) -> None:
    cells = [Cell("x", seed=k) for k in range(2)]
    runner.run(cells, tmp_path, values, jobs=1)
    results = store.load(tmp_path, cells)
    store.pack(results, tmp_path / "a.gz")
    store.pack(results, tmp_path / "b.gz")
    assert list(store.unpack(tmp_path / "a.gz")) == results
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    store.path_of(tmp_path, cells[0]).write_text("{")
    with pytest.raises(InputError, match="delete the file"):
        store.load(tmp_path, cells)
    (tmp_path / "a.gz").write_bytes(b"no")
    with pytest.raises(InputError, match="packed results"):
        list(store.unpack(tmp_path / "a.gz"))


def test_the_protocol_reads_a_curve_with_a_late_fall() -> None:
    p = np.concatenate([np.linspace(0.3, 0.9, 61), np.linspace(0.9, 0.6, 31)[1:], np.full(40, 0.6)])
    found = read(p)
    assert found.t80 == pytest.approx(50.0)
    assert found.rise_drop == 0.0
    assert found.late_drop == pytest.approx(0.3)
    assert found.plateau == pytest.approx(0.6)
    assert found.late_sd == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(crossing(p, 0.95))
    assert drop(p[:0]) == 0.0


def test_a_run_that_never_rises_has_no_late_phase() -> None:
    found = read(np.full(50, 0.3))
    assert np.isnan(found.t80)
    assert np.isnan(found.late_drop)
    with pytest.raises(ValueError, match="at least"):
        read(np.full(3, 0.3))


def test_the_fitted_rate_is_that_of_an_exponential() -> None:
    t = np.arange(200.0)
    assert fitted_rate(0.9 - 0.6 * np.exp(-0.03 * t)) == pytest.approx(0.03, rel=1e-6)


def test_the_interval_is_students_and_covers_at_its_level() -> None:
    # 2000 intervals at 95%: the share that covers has a standard deviation of 0.0049; five of them, alpha 6e-7, and a
    # normal interval at 5 pairs (coverage 0.88) is 14 of them away
    generator = np.random.default_rng(7)
    found = [difference(generator.normal(1.0, 1.0, 5), np.zeros(5)) for _ in range(2000)]
    assert abs(np.mean([d.low <= 1.0 <= d.high for d in found]) - 0.95) < 5 * 0.0049
    with pytest.raises(ValueError, match="2 finite"):
        difference(np.ones(1), np.ones(1))


def test_power_is_half_of_alpha_without_an_effect_and_grows_with_it() -> None:
    d = difference(np.array([0.1, -0.2, 0.3, 0.0]), np.zeros(4))
    assert d.power(0.0) == pytest.approx(0.025, abs=1e-6)
    assert d.power(0.1) < d.power(0.3) < d.power(3.0) <= 1.0


def test_theorem_7_drops_only_below_critical_damping() -> None:
    assert predicted_drop(5e-4, 0.9, 1.0, 1, 0.3, 0.95, 300) < 1e-6  # zeta > 1
    assert predicted_drop(5e-4, 0.9, 80.0, 64, 0.3, 0.95, 300) > 0.5  # past Eq. 11's threshold


def test_the_guide_is_what_the_frozen_runs_say() -> None:
    results = list(store.unpack(FROZEN))
    text = GUIDE.read_text(encoding="utf-8")
    assert text == guide(results), "python -m empirical.sweep.guide writes it anew"
    plain = " ".join(text.split())
    assert [sentence for sentence in advice(results) if sentence not in plain] == [], "advice that the guide leaves out"
    assert guide(results[:-40]) != text


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["missing"], "no folder"),
        (["empty"], "0 of 227 cells"),
        (["part"], "1 of 227 cells"),
        (["broken"], "no result of a cell"),
        (["empty", "part"], "2 arguments"),
    ],
)
def test_a_folder_without_the_whole_sweep_leaves_the_frozen_runs_alone(
    given: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, text = tmp_path / store.PACKED, tmp_path / "guide.md"
    kept.write_bytes(b"frozen")
    text.write_text("guide")
    monkeypatch.setattr("empirical.sweep.guide.FROZEN", kept)
    monkeypatch.setattr("empirical.sweep.guide.GUIDE", text)
    first = design.cells(full=True)[0]
    for name in ("empty", "part", "broken"):
        (tmp_path / name).mkdir()
    for name in ("part", "broken"):
        store.save(tmp_path / name, first, values(first))
    store.path_of(tmp_path / "broken", first).write_text("{")
    with pytest.raises(SystemExit) as stop:
        main([str(tmp_path / name) for name in given])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err
    assert kept.read_bytes() == b"frozen"
    assert text.read_text() == "guide"


def test_a_whole_sweep_is_frozen_and_written_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = list(store.unpack(FROZEN))
    kept, text = tmp_path / store.PACKED, tmp_path / "guide.md"
    monkeypatch.setattr("empirical.sweep.guide.FROZEN", kept)
    monkeypatch.setattr("empirical.sweep.guide.GUIDE", text)
    for r in results:
        store.save(tmp_path, r.cell, r.values)
    assert main([str(tmp_path)]) == 0
    assert list(store.unpack(kept)) == results
    assert text.read_text(encoding="utf-8") == GUIDE.read_text(encoding="utf-8")
    assert str(text) in capsys.readouterr().out


def test_the_report_of_the_frozen_runs_has_its_tables_and_the_same_figures_every_time(tmp_path: Path) -> None:
    results = list(store.unpack(FROZEN))
    first, second = tmp_path / "a", tmp_path / "b"
    for place in (first, second):
        place.mkdir()
        text = report(results, place).read_text(encoding="utf-8")
    assert all(row in text for row in effect_rows(results))
    names = sorted(p.name for p in (first / "figures").iterdir())
    assert [n for n in names if n.endswith(".png")] == [
        "delay.png",
        "group-size.png",
        "refresh.png",
        "stale.png",
        "stiffness.png",
    ]
    assert all((first / "figures" / n).read_bytes() == (second / "figures" / n).read_bytes() for n in names)


def test_a_sweep_with_nothing_to_compare_still_has_its_report(tmp_path: Path) -> None:
    cells = [Cell("refresh", steps=9, seed=k) for k in range(2)]
    log = {"reward_std/within_ddof1": [0.4] * 9, "frac_reward_zero_std": [0.1] * 9}
    results = [store.Result(cell, {**values(cell), "log": log}) for cell in cells]
    assert "No condition has two pairs" in report(results, tmp_path).read_text(encoding="utf-8")
