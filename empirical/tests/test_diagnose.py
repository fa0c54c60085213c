"""The command diagnose: its report on good runs, and its messages on bad ones."""

import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from empirical import report as report_module
from empirical.cli import app
from empirical.diagnostics import NAMES, Measure
from empirical.tests.runs import trl_rows, write

pytestmark = pytest.mark.infrastructure


def invoke(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["diagnose", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def jsonl(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of one run whose column names try to break the page."""
    folder = tmp_path_factory.mktemp("report")
    rows = trl_rows(steps=120)
    for row in rows:
        row["<script>alert(1)</script>"] = 1.0
        row['x" onload="alert(2)'] = 2.0
    path = jsonl(folder / "a<b>.jsonl", rows)
    code, out, err = invoke(path, "--out", folder / "out", "--group-size", 4)
    assert (code, err) == (0, "")
    assert all(name in out for name in NAMES)
    return folder / "out"


def test_the_page_stands_alone_and_escapes(report: Path) -> None:
    page = (report / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not re.search(r'\son\w+="', page)
    assert not re.search(r'(?:src|href)="(?!#)', page.replace("xmlns:xlink", ""))
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert 'name="viewport"' in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_figures_are_on_the_page_and_on_disk(report: Path) -> None:
    page = (report / "report.html").read_text(encoding="utf-8")
    files = {path.name for path in (report / "figures").iterdir()}
    stems = {name.rsplit(".", 1)[0] for name in files}
    assert files == {f"{stem}.{ending}" for stem in stems for ending in ("svg", "png", "csv")}
    assert page.count("<svg") == len(stems)
    for stem in stems:
        assert (report / "figures" / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
        header, *rows = (report / "figures" / f"{stem}.csv").read_text(encoding="utf-8").splitlines()
        assert header == "series,x,y"
        assert rows


def test_the_json_holds_every_number(report: Path) -> None:
    run = json.loads((report / "report.json").read_text(encoding="utf-8"))["runs"][0]
    assert [d["name"] for d in run["diagnoses"]] == list(NAMES)
    assert run["group_size"] == 4
    assert run["log"]["rows"] == 120
    for diagnosis in run["diagnoses"]:
        assert diagnosis["verdict"] in ("CLEAR", "FOUND", "UNDECIDED", "SKIPPED")
        assert diagnosis["says"]
        for measure in diagnosis["measures"]:
            assert measure["name"]
            if isinstance(measure["low"], float) and isinstance(measure["high"], float):
                assert measure["low"] <= measure["high"]


def test_headless_chromium_opens_the_page(report: Path, tmp_path: Path) -> None:
    """It draws something in light, in dark and on a phone, and the page asks for nothing but itself."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium on this machine")
    for number, (size, more) in enumerate({"1100,1600": [], "390,844": ["--force-dark-mode"]}.items()):
        shot = tmp_path / f"{number}.png"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", *more]
        command = [browser, *flags, f"--window-size={size}", f"--screenshot={shot}", (report / "report.html").as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        assert shot.stat().st_size > 20_000  # an empty page of this size takes less than 10 kB


def test_the_readme_s_command_makes_a_report(tmp_path: Path) -> None:
    """The command as a new user copies it, in a shell of its own, with his log in the place of RUN."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    found = re.search(r"`python (-m empirical diagnose RUN [^`]*)`", readme)
    assert found is not None
    write(tmp_path, "log.jsonl", trl_rows(steps=30))
    command = [sys.executable, *found[1].replace("RUN", "log.jsonl").split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "report: report/report.html" in done.stdout
    assert (tmp_path / "report" / "report.html").stat().st_size > 10_000


def test_a_factor_of_thousands_is_not_printed_with_its_digits() -> None:
    page_of = report_module._shown, report_module._range
    far = Measure("learning rate may grow, factor", 4556.6, 3231.1, 7922.0, 0.9)
    near = Measure("learning rate may grow, factor", 3.158, 2.239, 5.49, 0.9)
    assert [show(far) for show in page_of] == ["more than 100", ""]
    assert [show(near) for show in page_of] == ["3.158", "2.239 to 5.49 (90% interval)"]


def test_fail_on(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"step": k, "reward": 0.5, "frac_reward_zero_std": 1.0} for k in range(60)]
    path = jsonl(tmp_path / "log.jsonl", rows)
    assert invoke(path, "--out", tmp_path / "a")[0] == 0
    assert invoke(path, "--out", tmp_path / "b", "--fail-on", "degeneracy")[0] == 1
    assert invoke(path, "--out", tmp_path / "b", "--fail-on", "any")[0] == 1
    assert invoke(path, "--out", tmp_path / "b", "--fail-on", "coupling,stability")[0] == 0
    code, _, err = invoke(path, "--out", tmp_path / "c", "--fail-on", "coupling,luck")
    assert code == 2
    assert "'luck'" in err
    assert "degeneracy" in err
    assert not (tmp_path / "c").exists()


def test_several_runs_in_one_report(tmp_path: Path) -> None:
    paths = [write(tmp_path, name, trl_rows()) for name in ("log.jsonl", "wide.csv")]
    assert invoke(*paths, "--out", tmp_path / "out")[0] == 0
    told = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert [run["log"]["container"] for run in told["runs"]] == ["JSONL", "CSV"]


def test_constant_rewards_and_three_rows_end_in_words(tmp_path: Path) -> None:
    same = jsonl(tmp_path / "same.jsonl", [{"step": k, "reward": 0.25} for k in range(50)])
    short = jsonl(tmp_path / "short.jsonl", [{"step": k, "reward": k / 4} for k in range(3)])
    code, out, err = invoke(same, short, "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    assert "Every reward is 0.25" in out
    assert "3 points are too few to fit a law" in out


def test_bad_input_exits_2_and_writes_nothing(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    binary = tmp_path / "model.bin"
    binary.write_bytes(bytes(range(256)) * 20)
    nan = jsonl(tmp_path / "nan.jsonl", [{"step": k, "reward": math.nan, "kl": math.nan} for k in range(30)])
    good = write(tmp_path, "log.jsonl", trl_rows())
    for bad, words in (
        (empty, "an empty folder"),
        (binary, "a binary file"),
        (nan, "no finite reward"),
        (tmp_path / "no", "no such file"),
    ):
        code, _, err = invoke(good, bad, "--out", tmp_path / "out")
        assert code == 2
        assert words in err
        assert "What to do" in err
        assert not (tmp_path / "out").exists()
    code, _, err = invoke(good, "--out", good)
    assert code == 2
    assert "found a file" in err


def test_nan_in_every_column_but_the_reward(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    columns = ("kl", "entropy", "grad_norm", "eval_reward", "frac_reward_zero_std", "reward_std", "loss")
    rows: list[dict[str, object]] = [
        {"step": k, "reward": float(rng.random()), **dict.fromkeys(columns, math.nan)} for k in range(40)
    ]
    code, out, _ = invoke(jsonl(tmp_path / "log.jsonl", rows), "--out", tmp_path / "out")
    assert code == 0
    assert out.count("SKIPPED") == 4


def test_rewards_whose_squares_are_no_doubles_end_in_words(tmp_path: Path) -> None:
    rows = [{**row, "reward": 1e299 * float(row["reward"])} if "reward" in row else row for row in trl_rows(60)]  # type: ignore[arg-type]
    code, _, err = invoke(jsonl(tmp_path / "huge.jsonl", rows), "--out", tmp_path / "out")
    assert code == 2
    assert "reward" in err
    assert "divide the rewards by their scale" in err
    assert not (tmp_path / "out").exists()
