"""The mutation scores are what they say: every survivor explained, no explanation out of date, 90 % killed."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mutation import record, score

pytestmark = pytest.mark.infrastructure

SCORES = score.scores()
KNOWN = score.explanations()
COMPLAINTS = score.complaints(SCORES, KNOWN)
SOURCE = 'def f(x):\n    """Doc."""\n    return x + 1\n'


@pytest.mark.parametrize("name", sorted({*SCORES, *(e.file for e in KNOWN)}))
def test_the_score_of_a_file_stands(name: str) -> None:
    assert not COMPLAINTS.get(name), "\n".join(COMPLAINTS[name])
    if score.is_stale(name, SCORES):
        pytest.skip(f"{name} has changed since it was scored; renew with: tox -e mutation -- {name}")


def test_the_table_of_the_document_is_that_of_the_scores() -> None:
    text = score.README.read_text(encoding="utf-8")
    stale = re.compile(r" \(stale: [^)]*\)")  # an edit of reference/ must not break this; the test above says it
    assert stale.sub("", score.filled(text, SCORES)) == stale.sub("", text), "renew with: tox -e mutation"


def test_every_scored_file_has_tests_and_they_exist() -> None:
    chosen = score.selection()
    assert set(SCORES) <= set(chosen)
    named = {path for name, tests in chosen.items() for path in (name, *tests) if path.endswith(".py")}
    assert not [path for path in named if not (score.ROOT / path).exists()]


def scored(root: Path, **changes: Any) -> dict[str, Any]:
    """The score of a one-line file of which one mutant in ten survives."""
    (root / "f.py").write_text(SOURCE, encoding="utf-8")
    survivor = {"function": "f", "number": 2, "line": "return x + 1", "edit": "return x + 2", "why": ""}
    fine = {"digest": score.digest(root / "f.py"), "mutants": 10, "killed": 9, "survivors": [survivor]}
    return {"f.py": {**fine, "kinds": {"number": [9, 10]}, "seconds": 1, **changes}}


def explained(line: str = "return x + 1", edits: tuple[str, ...] = ("return x + 2",)) -> list[score.Explanation]:
    return [score.Explanation("f.py", "f", line, edits, "equivalent: made up")]


def test_a_sound_score_has_no_complaint(tmp_path: Path) -> None:
    assert score.complaints(scored(tmp_path), explained(), tmp_path) == {}
    assert score.complaints(scored(tmp_path), explained(edits=()), tmp_path) == {}


def test_a_survivor_without_a_word_is_a_complaint(tmp_path: Path) -> None:
    assert "survives without a word" in score.complaints(scored(tmp_path), [], tmp_path)["f.py"][0]
    other = explained(edits=("return x - 1",))
    assert any("survives without a word" in w for w in score.complaints(scored(tmp_path), other, tmp_path)["f.py"])


def test_an_explanation_of_a_line_that_is_gone_is_a_complaint_even_where_the_score_is_stale(tmp_path: Path) -> None:
    found = scored(tmp_path)
    (tmp_path / "f.py").write_text("def f(x):\n    return x + 3\n", encoding="utf-8")
    assert "no longer in the file" in score.complaints(found, explained(), tmp_path)["f.py"][0]


def test_an_explanation_of_what_is_killed_is_a_complaint(tmp_path: Path) -> None:
    found = scored(tmp_path, survivors=[], killed=10)
    assert "no survivor is left" in score.complaints(found, explained(), tmp_path)["f.py"][0]


def test_a_file_under_the_mark_is_a_complaint(tmp_path: Path) -> None:
    found = scored(tmp_path, mutants=11)
    assert "expected at least 90%" in score.complaints(found, explained(), tmp_path)["f.py"][0]


def test_a_stale_score_is_shown_as_stale_and_not_judged(tmp_path: Path) -> None:
    found = scored(tmp_path, mutants=100)
    (tmp_path / "f.py").write_text(SOURCE + "\n\ndef g(x):\n    return x\n", encoding="utf-8")
    assert score.complaints(found, explained(), tmp_path) == {}
    assert "stale: `tox -e mutation -- f.py`" in score.table(found, tmp_path)


def test_comments_docstrings_and_layout_leave_a_score_fresh(tmp_path: Path) -> None:
    found = scored(tmp_path)
    (tmp_path / "f.py").write_text('def f(x):\n    """Other."""\n\n    return (x + 1)  # why\n', "utf-8")
    assert not score.is_stale("f.py", found, tmp_path)


def test_an_explanation_must_say_which_kind_it_is(tmp_path: Path) -> None:
    bad = tmp_path / "survivors.toml"
    bad.write_text('[[survivor]]\nfile = "f.py"\nfunction = "f"\nline = "x"\nwhy = "because"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"entry 1: why = 'because'; expected it to begin with equivalent"):
        score.explanations(bad)
    bad.write_text('[[survivor]]\nfile = "f.py"\nwhy = "equivalent: x"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"entry 1: has file, why; expected file, function, line, why"):
        score.explanations(bad)


def edit(owner: str, source: str, line: int) -> SimpleNamespace:
    """A mutant as `mutation.edits` makes it, without the packages that it needs."""
    return SimpleNamespace(owner=owner, source=source, line=line, kind="number", before="x", after="y")


def test_a_changed_function_is_judged_again_and_the_others_stay_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "ROOT", tmp_path)
    (tmp_path / "f.py").write_text(SOURCE, encoding="utf-8")
    first = record.Record.read("f.py", [])
    old = [edit("f", "return x + 2", 3), edit("g", "return 1", 7), edit("g", "return 2", 7), edit("h", "pass", 9)]
    for number, verdict in enumerate(("killed", "killed", "survived", "timeout")):
        first.note(number, old[number], verdict, "", 1.0)
    first.finish(len(old))
    (tmp_path / "f.py").write_text(SOURCE + "\n\nz = 1\n", encoding="utf-8")
    assert record.Record.read("f.py", []).verdicts == {}  # another file: everything again
    again = record.Record.read("f.py", [], survivors=True)
    again.align(
        [edit("new", "return 0", 1), edit("f", "return x + 2", 5), edit("f", "return y + 2", 5), old[2], old[3]]
    )
    kept = {number: (v["function"], v["verdict"], v["number"]) for number, v in again.verdicts.items()}
    assert kept == {"1": ("f", "killed", 5), "4": ("h", "timeout", 9)}
    assert not again.complete
    assert again.digest == score.digest(tmp_path / "f.py")
