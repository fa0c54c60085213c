"""Tasks: stand-ins, sets of the hub (without a network), files of one's own, and refusals."""

import importlib.util
import json
from pathlib import Path

import pytest

from empirical.answers import plain_number
from empirical.errors import InputError
from empirical.published.tables import BENCHMARKS
from empirical.tasks import describe, load_task
from empirical.tasks.hub import HUB_TASKS, TRANSFER, problems, reference_answer
from empirical.tasks.standin import STAND_INS

pytestmark = pytest.mark.infrastructure

needs_gym = pytest.mark.skipif(importlib.util.find_spec("reasoning_gym") is None, reason="needs reasoning-gym")


@needs_gym
@pytest.mark.parametrize("name", STAND_INS)
def test_stand_ins_are_a_function_of_their_seed_and_have_plain_answers(name: str) -> None:
    one, commit = load_task(name, size=20, seed=3)
    again, _ = load_task(name, size=20, seed=3)
    other, _ = load_task(name, size=20, seed=4)
    assert commit is None
    assert one == again != other
    assert len(one) == 20 == len({problem.id for problem in one})
    for problem in one:
        assert plain_number(problem.answer) is not None
        assert problem.terse


@needs_gym
def test_sums_are_right() -> None:
    for problem in load_task("sums", size=50, seed=1)[0]:
        left = problem.terse.removesuffix("=")
        assert left.count("+") + left.lstrip("-").count("-") == 1
        assert eval(left) == int(problem.answer)


def test_without_the_package_a_stand_in_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "reasoning_gym", None)
    with pytest.raises(InputError, match="no package reasoning-gym"):
        load_task("sums")


def test_the_eight_transfer_sets_have_the_sizes_of_table_1() -> None:
    assert len(TRANSFER) == 8
    sizes = sorted(str(HUB_TASKS[name].size) for name in TRANSFER)
    assert sizes == sorted(BENCHMARKS.values())
    assert all(task.revision is None or len(task.revision) == 40 for task in HUB_TASKS.values())


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("He has 3.\n#### 1,200", "1,200"),
        (r"so \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        ("Steps.\nThe answer is: 42", "42"),
        ("204", "204"),
        ("First,\nhence the claim.", None),
        ("", None),
    ],
)
def test_reference_answers(text: str, answer: str | None) -> None:
    assert reference_answer(text) == answer


def test_a_larger_split_is_sampled_to_the_papers_size_by_seed() -> None:
    rows = [{"query": f"q{i}", "response": f"The answer is: {i}"} for i in range(3000)]
    one = problems("metamathqa", HUB_TASKS["metamathqa"], rows, seed=1)
    assert len(one) == 2000 == len({p.id for p in one})
    assert one == problems("metamathqa", HUB_TASKS["metamathqa"], rows, seed=1)
    assert one != problems("metamathqa", HUB_TASKS["metamathqa"], rows, seed=2)


def test_a_proof_is_skipped_in_numinamath_and_refused_elsewhere() -> None:
    proof, answer = "By induction,\nhence the claim.", r"Thus \boxed{3}."
    rows = [{"problem": "a", "solution": proof}, {"problem": "b", "solution": answer}]
    assert [p.answer for p in problems("numinamath", HUB_TASKS["numinamath"], rows, 0)] == ["3"]
    with pytest.raises(InputError, match="line 1, column 'answer'"):
        problems("math-500", HUB_TASKS["math-500"], [{"problem": "a", "answer": proof}], 0)
    with pytest.raises(InputError, match="line 2, column 'answer'"):
        problems("math-500", HUB_TASKS["math-500"], [{"problem": "a", "answer": "1"}, {"problem": "b"}], 0)


@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_files_of_ones_own(tmp_path: Path, suffix: str) -> None:
    records = [{"question": "q1", "answer": "so\n#### 7"}, {"question": "q2", "answer": "8"}]
    path = tmp_path / f"mine.{suffix}"
    if suffix == "parquet":
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pd.DataFrame(records).to_parquet(path)
    elif suffix == "json":
        path.write_text(json.dumps(records), encoding="utf-8")
    else:
        path.write_text("\n".join(map(json.dumps, records)) + "\n\n", encoding="utf-8")
    found, _ = load_task(str(path))
    assert [(p.question, p.answer) for p in found] == [("q1", "7"), ("q2", "8")]
    assert len(load_task(str(path), size=1)[0]) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"question": "q", "answer": "1"}\n{"question": "q"}\n', "a.jsonl, line 2.*'answer'"),
        ("a.jsonl", '{"question": "q", "answer": ""}\n', "line 1.*'answer'"),
        ("a.jsonl", '{"question": "q", "answer": null}\n', "line 1.*'answer'"),
        ("a.jsonl", '{"question": "q", "answer": "1"}\n\nnot json\n', "line 3.*expected JSON"),
        ("a.jsonl", "[1]\n", "line 1.*a record"),
        ("a.jsonl", "", "no problem"),
        ("a.json", '{"question": "q"}', "an array"),
        ("a.json", "[\n{\n]", "a.json, line 3"),
        ("a.parquet", "no parquet", "a.parquet: found"),
    ],
)
def test_broken_files_are_refused_with_the_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=f"(?s){message}"):
        load_task(str(path))


def test_an_answer_of_zero_is_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "zero.jsonl"
    path.write_text('{"question": "q", "answer": 0}\n', encoding="utf-8")
    assert load_task(str(path))[0][0].answer == "0"


def test_no_such_file_and_no_such_task(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load_task(str(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="did you mean gsm8k"):
        describe("gms8k")
    with pytest.raises(InputError, match="expected one of sums"):
        describe("")
