"""Transfer tables: exact counts, the paper's conventions, intervals with their error rates, frozen completions."""

import json
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from empirical.audit.audit import audit
from empirical.audit.hypothesis import rules
from empirical.audit.table import read_cells
from empirical.cli import app
from empirical.completions import Answers, read_answers, write_answers
from empirical.errors import InputError
from empirical.evaluation import arms, score_all
from empirical.transfer import Counts, cell, clustered, paired

pytestmark = pytest.mark.infrastructure


def counts(correct: list[int], samples: int = 5) -> Counts:
    return Counts(tuple(f"p{i}" for i in range(len(correct))), (samples,) * len(correct), tuple(correct))


def test_a_cell_follows_the_papers_conventions() -> None:
    """AIME-2026 of DeepSeek-7B at G = 4 prints 0.34 +- 0.47: 0 and 1 of 150 right, 0.67 rounded before averaging."""
    zero, one = counts([0] * 30), counts([1] + [0] * 29)
    found = cell([zero, one], 1)
    assert found.seeds == (Fraction(0), Fraction(1, 150))
    assert (found.printed_mean, found.printed_std) == ("0.34", "0.47")
    assert (cell([zero, one], 5).printed_mean, cell([zero, one], 5).printed_std) == ("1.67", "2.35")
    assert cell([one], 1).printed_std is None


def test_different_problems_are_not_averaged() -> None:
    with pytest.raises(ValueError, match="same problems"):
        cell([counts([1, 2]), counts([1, 2, 3])], 1)
    with pytest.raises(ValueError, match="at least one"):
        cell([], 1)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), st.sampled_from([1, 5]))
def test_the_interval_holds_the_mean_and_is_clustered_by_problem(correct: list[int], k: int) -> None:
    run = counts(correct)
    low, high = clustered(run.scores(k))
    assert low <= float(run.mean(k)) <= high
    # a second seed that repeats the first adds nothing: completions of a problem are one cluster
    assert cell([run, run], k).low == pytest.approx(cell([run], k).low, abs=1e-9)


def test_no_success_leaves_an_exact_bound() -> None:
    """0 of 30 problems: the two-sided 95% Clopper-Pearson bound 1 - 0.025^(1/30) = 11.57%."""
    low, high = clustered([Fraction(0)] * 30)
    assert high == pytest.approx(1 - 0.025 ** (1 / 30), abs=1e-12)
    assert low <= 0
    with pytest.raises(ValueError, match="at least 2"):
        clustered([Fraction(1)])


def test_the_interval_covers() -> None:
    """Coverage of the 95% interval over 100 problems with p ~ U(0, 1), five completions each, in 400 sets.

    Exact coverage c >= 0.93 is accepted with probability > 0.999: 400 trials at 0.93 fall below 0.885 with
    probability 5e-4 (normal, sd 0.0128); an interval that takes completions for independent ones (design
    effect 1 + 4/3 over ten, coverage near 0.81) is rejected with power > 0.999.
    """
    generator = np.random.default_rng(7)
    hits = 0
    for _ in range(400):
        right = generator.binomial(5, generator.random(100))
        low, high = clustered(counts([int(c) for c in right]).scores(1))
        hits += low <= 0.5 <= high
    assert hits / 400 >= 0.885


def test_the_paired_test_keeps_its_level_and_sees_a_gain() -> None:
    """alpha = 0.05 in 200 comparisons without a difference: more than 22 rejections have probability 5e-4.

    Power: a gain of 0.15 at p = 0.4 over 100 problems of ten completions (difference sd about 0.21, z = 7).
    """
    generator = np.random.default_rng(8)
    rejected = 0
    for seed in range(200):
        p = generator.random(40)
        arm, base = ([int(c) for c in generator.binomial(5, p)] for _ in range(2))
        rejected += paired([counts(arm)], [counts(base)], 1, seed).p <= 0.05
    assert rejected <= 22
    arm, base = ([int(c) for c in generator.binomial(10, p, 100)] for p in (0.55, 0.4))
    found = paired([counts(arm, 10)], [counts(base, 10)], 1)
    assert found.p < 0.001
    assert 0 < found.low < found.mean < found.high
    assert found.better > found.worse
    half = (found.high - found.low) / 2
    assert half == pytest.approx(1.98 * sqrt(2 * 0.245 / 10 / 100) * 100, rel=0.35)


def test_no_difference_is_no_difference() -> None:
    run = counts([0, 3, 5, 2])
    found = paired([run], [run], 1)
    assert (found.mean, found.p, found.better, found.worse) == (0, 1, 0, 0)


def frozen(folder: Path) -> Path:
    """Completions of a base model and of two seeds of an arm on two problems."""
    place = folder / "completions"
    for run, right in (("base", 1), ("G=4-seed42", 3), ("G=4-seed3407", 5)):
        texts = ("#### 7",) * right + ("#### 8",) * (5 - right)
        rows = [Answers("a", "7", texts), Answers("b", "7", ("what?",) * 5)]
        write_answers(place / run / "sums.jsonl", rows)
    return place


def test_frozen_completions_come_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "sums.jsonl"
    rows = [Answers("a", "7", ("line\nbreak", "“7”"))]
    write_answers(path, rows)
    assert read_answers(path) == rows
    path.write_text(path.read_text() + '{"problem": "b", "gold": "1", "completions": []}\n')
    with pytest.raises(InputError, match="line 2"):
        read_answers(path)
    with pytest.raises(InputError, match="No such file"):
        read_answers(tmp_path / "none.jsonl")


def test_scoring_needs_no_model_and_its_table_passes_the_audit(tmp_path: Path) -> None:
    place = frozen(tmp_path)
    assert list(arms(place)) == ["base", "G=4"]
    found = score_all(place, tmp_path / "out", "tiny")
    rows = {(row["arm"], row["metric"]): row for row in found["sums"]}
    assert rows["base", "pass@1"]["seeds"] == ["1/10"]
    assert rows["G=4", "pass@1"]["seeds"] == ["1/2", "3/10"]  # folders in alphabetical order: 3407, 42
    assert rows["G=4", "pass@1"]["mean"] == "40.00"
    assert rows["G=4", "pass@1"]["std"] == "14.14"
    assert rows["G=4", "pass@1"]["unparseable"] == [5, 5]
    exact = json.loads((tmp_path / "out" / "transfer.json").read_text())["counts"]["sums"]["G=4"]
    assert [run["correct"] for run in exact] == [[5, 0], [3, 0]]
    cells = read_cells(tmp_path / "out" / "transfer.csv", scale="percent", metric="accuracy", need_problems=False)
    result = audit(cells, rules(), ())
    assert result.best.total == len(cells)  # one rule explains every cell


def test_the_command_scores_what_is_frozen(tmp_path: Path) -> None:
    place = frozen(tmp_path)
    done = CliRunner().invoke(app, ["evaluate", "--completions", str(place), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "40.00" in done.output
    refused = CliRunner().invoke(app, ["evaluate", "--completions", str(tmp_path / "none"), "--out", str(tmp_path)])
    assert refused.exit_code == 2
    assert "no completions" in refused.stderr
