"""The command line: what it answers, and how it refuses bad input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from empirical.cli import app

pytestmark = pytest.mark.infrastructure

GOOD = "name,problems,seeds,samples,mean,std\nfirst,30,2,5,1.67,2.36\nsecond,30,2,5,0.67,0.00\n"


def invoke(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["audit", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def test_a_consistent_table_exits_0(table: Path) -> None:
    code, out, err = invoke(table)
    assert (code, err) == (0, "")
    assert "explains 2 of 2 cells" in out
    assert "(0, 10/3)" in out
    assert "No rule explains" not in out


def test_an_inconsistent_table_exits_1_and_names_the_cell(table: Path) -> None:
    table.write_text(GOOD.replace("0.67,0.00", "0.70,0.00"), encoding="utf-8")
    code, out, _ = invoke(table)
    assert code == 1
    assert "explains 1 of 2 cells" in out
    assert "No rule explains: line 3: second: 0.70 ± 0.00" in out
    assert "close by: 0.67 ± 0.00" in out
    assert "What to do" in out


def test_options_fill_in_what_the_table_leaves_open(table: Path) -> None:
    table.write_text("mean\n0.350\n0.4\n", encoding="utf-8")
    assert invoke(table, "--scale", "proportion", "--problems", 20, "--seeds", 1, "--samples", 1)[0] == 0
    assert invoke(table, "--scale", "proportion", "--problems", 19, "--seeds", 1, "--samples", 1)[0] == 1
    assert invoke(table, "--scale", "proportion", "--problems", "19,20", "--seeds", 1, "--samples", 1)[0] == 0
    assert invoke(table, "--scale", "percent", "--problems", 20, "--seeds", 1, "--samples", 1)[0] == 1


def test_the_rounding_is_a_hypothesis(table: Path) -> None:
    """1.67 ± 2.35 of 30 problems: only if the seeds' 3.33 was rounded first."""
    table.write_text(GOOD.replace("2.36", "2.35"), encoding="utf-8")
    once = ("--per-seed", "none", "--rounding", "half-up,half-even")
    assert invoke(table, *once)[0] == 1
    assert invoke(table, "--per-seed", "half-up", "--rounding", "half-up", "--ddof", 1)[0] == 0
    assert invoke(table, "--per-seed", "half-up", "--rounding", "half-up", "--ddof", 0)[0] == 1
    assert invoke(table, "--per-seed", "half-up", "--rounding", "half-even", "--ddof", 1)[0] == 1


def test_json_holds_every_number(table: Path, tmp_path: Path) -> None:
    target = tmp_path / "audit.json"
    assert invoke(table, "--json", target)[0] == 0
    written = json.loads(target.read_text(encoding="utf-8"))
    assert [cell["mean"] for cell in written["cells"]] == ["1.67", "0.67"]
    best = written["best"]
    assert (best["explained"], best["of"], best["unexplained"]) == (2, 2, [])
    assert best["cells"][0]["per_seed"] == [["0", "10/3"]]
    assert best["cells"][0]["counts"] == [[[0], [5]]]
    assert best["cells"][0]["denominator"] == 150
    assert written["inexplicable"] == []
    assert len(written["ranking"]) == 4 * 4 * 2 * 2
    assert list(tmp_path.glob(".*.tmp")) == []


def test_published_table() -> None:
    code, out, _ = invoke(
        "--published", "--samples", "5", "--rounding", "half-up", "--per-seed", "half-up", "--ddof", 1
    )
    assert code == 1
    assert "Nemotron-4B / G=4: 30.81 ± 7.85" in out


BAD = {
    "empty": (b"", 1, None, "an empty file"),
    "blank": (b"\n  \n\n", 1, None, "an empty file"),
    "only a header": (b"mean,problems\n", 2, None, "no row"),
    "no mean": (b"name,avg\na,1.0\n", 1, "mean", "no such column"),
    "repeated name": (b"mean,mean\n1,2\n", 1, "mean", "the same column name twice"),
    "nameless column": (b"mean,,problems\n1,2,3\n", 1, "", "a column without a name"),
    "comma": (b'name,problems,mean\na,30,"12,3"\n', 2, "mean", "'12,3'"),
    "words": (b"problems,mean\n30,1.00\n30,abc\n", 3, "mean", "'abc'"),
    "nan": (b"problems,mean\n30,nan\n", 2, "mean", "'nan'"),
    "exponent": (b"problems,mean\n30,1e1\n", 2, "mean", "'1e1'"),
    "empty mean": (b"problems,mean\n30,\n", 2, "mean", "an empty field"),
    "too many fields": (b"problems,mean,std\n30,1,2,3\n", 2, "std", "4 fields"),
    "too few fields": (b"problems,mean,std\n\n30,1\n", 3, "std", "2 fields"),
    "not utf-8": (b"problems,mean\n30,1.00\n30,\xff1\n", 3, None, "the byte 0xff"),
    "utf-16": ("problems,mean\n30,1\n".encode("utf-16-le"), 1, None, "a null character"),
    "unbalanced quote": (b'problems,mean\n30,"1.0\n', 2, None, "unexpected end of data"),
    "negative std": (b"problems,mean,std\n30,1.00,-0.10\n", 2, "std", "'-0.10'"),
    "negative mean": (b"problems,mean\n30,-1.00\n", 2, "mean", "'-1.00'"),
    "more than all": (b"problems,mean\n30,100.01\n", 2, "mean", "'100.01'"),
    "no problems": (b"mean\n1.00\n", 2, "problems", "an empty field"),
    "fractional problems": (b"mean,problems\n1.00,30.5\n", 2, "problems", "'30.5'"),
    "no seeds at all": (b"mean,problems,seeds\n1.00,30,0\n", 2, "seeds", "'0'"),
    "too many samples": (b"mean,problems,samples\n1.00,30,1000000\n", 2, "samples", "'1000000'"),
    "metric": (b"mean,problems,metric\n1.00,30,maj@8\n", 2, "metric", "'maj@8'"),
    "line after a quoted break": (b'name,problems,mean\n"a\nb",30,1\nc,30,x\n', 4, "mean", "'x'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_exits_2_and_names_the_place(case: str, table: Path, tmp_path: Path) -> None:
    content, line, column, found = BAD[case]
    table.write_bytes(content)
    target = tmp_path / "audit.json"
    target.write_text("precious", encoding="utf-8")
    code, out, err = invoke(table, "--json", target)
    assert (code, out) == (2, "")
    assert f"{table}, line {line}" in err
    assert (f"column {column!r}" in err) == (column is not None)
    assert f"found {found}" in err
    assert "expected" in err
    assert "What to do" in err
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 2
    assert target.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("name", ["missing.csv", "."])
def test_a_file_that_cannot_be_read_exits_2(name: str, tmp_path: Path) -> None:
    code, out, err = invoke(tmp_path / name)
    assert (code, out) == (2, "")
    assert str(tmp_path / name) in err
    assert "expected a readable CSV file" in err


@pytest.mark.parametrize("where", ["folder", "missing/audit.json", "/dev/null"])
def test_a_json_path_that_cannot_be_written_exits_2(where: str, table: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    code, out, err = invoke(table, "--json", tmp_path / where)
    assert (code, out) == (2, "")
    assert "--json" in err
    assert "Traceback" not in err
    assert Path("/dev/null").is_char_device()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "table.csv"]


@pytest.mark.parametrize("step", ["write_text", "replace"])
def test_an_existing_json_survives_a_failed_write(
    step: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "audit.json"
    target.write_text("precious", encoding="utf-8")

    def full(self: Path, *_: object, **__: object) -> int:
        with self.open("w") as half:
            half.write("{")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, step, full)
    code, _, err = invoke(table, "--json", target)
    assert code == 2
    assert "No space left on device" in err
    assert target.read_bytes() == b"precious"
    assert list(tmp_path.glob(".*.tmp")) == []


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("TABLE", "--published"),
        ("TABLE", "--samples", "5,x"),
        ("TABLE", "--seeds", "0"),
        ("TABLE", "--problems", "-3"),
        ("TABLE", "--ddof", "2"),
        ("TABLE", "--rounding", "up"),
        ("TABLE", "--per-seed", "binary"),
        ("TABLE", "--estimator", "maj"),
        ("TABLE", "--metric", "maj@8"),
        ("TABLE", "--scale", "permille"),
        ("TABLE", "--vary", "model"),
        ("TABLE", "--unknown"),
    ],
)
def test_bad_options_exit_2(arguments: tuple[str, ...], table: Path) -> None:
    code, out, err = invoke(*(str(table) if a == "TABLE" else a for a in arguments))
    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err


def test_module_and_help(tmp_path: Path) -> None:
    """`python -m empirical` is the program; its help says what to do; bad input shows no traceback."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "empirical", *arguments], capture_output=True, text=True, check=False
        )

    shown = run("audit", "--help")
    assert shown.returncode == 0
    assert "What to do" in shown.stdout
    assert "--published" in shown.stdout
    refused = run("audit", str(tmp_path / "missing.csv"))
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: ")
    assert "Traceback" not in refused.stderr
