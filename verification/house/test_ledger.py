"""The pytest side, driven as a user does, on a small project of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.infrastructure

ROOT = Path(__file__).parents[2]
CORE = ("claim", "check", "domain", "evaluate", "prove", "stamp", "verdict", "symbols", "__init__")

CLAIMS = '''
"""A small noun."""
from sympy import Gt, Integer, Symbol
from spec.claim import Cite, Claim, Counterexample, Identity, Mutant, Property, Status
from spec.domain import positive

x = Symbol("x")
SQUARE = Claim(
    id="square", cites=(Cite("Equation 1", "3"),), says="A square.", verdict=Status.PROVED,
    because="Expand.", assumes=(positive(x),),
    steps=(
        Identity("expand", (x + 1) ** 2, x**2 + 2 * x + 1),
        Property("agrees", "in floats", covers="expand"),
    ),
    mutants=(Mutant("sign", "expand", {"rhs": x**2 - 2 * x + 1}), Mutant("floats", "agrees")),
)
BIGGER = Claim(
    id="bigger", cites=(Cite("Lemma 2", "3"),), says="x exceeds 1.", verdict=Status.REFUTED, because="No.",
    assumes=(positive(x),), uses=("square",),
    steps=(Counterexample("half", Gt(x, 1), {x: Integer(1) / 2}, 1 - x, Integer(1) / 2),),
    mutants=(Mutant("holds", "half", {"at": {x: Integer(2)}, "amount": Integer(-1)}),),
)
CLAIMS = (SQUARE, BIGGER)
'''
TESTS = """
import pytest
from hypothesis import given, strategies as st
from verification.evidence import kill, within

def error(x, sign=1):
    return abs((x + 1) ** 2 - (x * x + sign * 2 * x + 1))

@pytest.mark.claim("square", step="agrees", kind="property")
@given(x=st.floats(0.1, 10))
def test_floats(x):
    within(error(x), 1e-12)

@pytest.mark.claim("square", step="agrees", kind="property")
def test_floats_mutant():
    kill("floats", lambda: within(error(2.0, -1), 1e-12))

@pytest.mark.infrastructure
def test_house():
    pass
"""


class Project:
    """A small project in a directory with a space in its name."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a project"
        (self.root / "spec").mkdir(parents=True)
        (self.root / "verification").mkdir()
        for name in CORE:
            shutil.copy(ROOT / "spec" / f"{name}.py", self.root / "spec")
        shutil.copytree(ROOT / "verification" / "ledger", self.root / "verification" / "ledger")
        for room in ("mutation", "reference"):  # the ledger shows the scores of the code
            shutil.copytree(ROOT / room, self.root / room, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("__init__.py", "evidence.py"):
            shutil.copy(ROOT / "verification" / name, self.root / "verification")
        for name in ("conftest.py", "pyproject.toml"):
            shutil.copy(ROOT / name, self.root)
        from spec import NOUN_NAMES

        for noun in NOUN_NAMES:
            self.write(f"spec/{noun}.py", "CLAIMS = ()\n")
        self.write("spec/momentum.py", CLAIMS)
        self.write("verification/test_momentum.py", TESTS)
        done = self.pytest("spec", "verification", "--renew", "all")
        assert "changed: bigger, square" in done.stdout, done.stdout + done.stderr

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        (self.root / name).write_text(text, encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text that must be there."""
        text = (self.root / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def command(self, *args: str) -> list[str]:
        """The pytest command line."""
        return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args]

    @property
    def environment(self) -> dict[str, str]:
        """Import this project, not the installed one."""
        return {**os.environ, "PYTHONPATH": str(self.root)}

    def pytest(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run pytest in the project."""
        return subprocess.run(
            self.command(*args),
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def judge(self, *args: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
        """Run everything; the process and the statuses."""
        done = self.pytest("spec", "verification", "--ledger", "build/claims", *args)
        return done, self.statuses()

    def book(self) -> dict[str, object]:
        """The ledger on disk."""
        return dict(json.loads((self.root / "build/claims/claims.json").read_text(encoding="utf-8")))

    def statuses(self) -> dict[str, str]:
        """Claim id -> status on disk."""
        return {c["id"]: c["status"] for c in self.book()["claims"]}  # type: ignore[attr-defined]

    def badge(self, claim: str) -> str:
        """The badge of a claim."""
        return (self.root / f"build/claims/badges/{claim}.svg").read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_sound_project_is_judged(project: Project, workers: str) -> None:
    done, statuses = project.judge("-n", workers)
    assert done.returncode == 0, done.stdout
    assert statuses == {"square": "proved", "bigger": "refuted"}
    book = project.book()
    assert book["problems"] == []
    assert book["complete"] is True
    assert book["mutants"] == {"shipped": 3, "killed": 3, "survivors": []}
    claims: Any = book["claims"]
    square, bigger = claims
    assert bigger["with_ancestors"] == "refuted"
    assert square["used_by"] == ["bigger"]
    tests = {e["test"]: e for s in square["steps"] for e in s["evidence"]}
    property_test = tests["verification/test_momentum.py::test_floats"]
    assert property_test["examples"] == 60
    assert 0 < property_test["margin"] <= 1
    assert tests["spec/momentum.py::square::expand"]["examples"] == 25
    assert "(x + 1)" in square["formula"]["text"]
    assert "page: " in done.stdout
    assert "Counterexample" in bigger["steps"][0]["type"]
    shown = subprocess.run(
        [sys.executable, "-c", bigger["steps"][0]["python"]], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "False"


def test_a_wrong_sign_turns_the_run_and_the_badge_red(project: Project) -> None:
    project.judge()
    assert "suspect" not in project.badge("square")
    project.edit("spec/momentum.py", "x**2 + 2 * x + 1)", "x**2 + 2 * x - 1)")
    done = project.pytest("spec", "--ledger", "build/claims")
    assert done.returncode == 1
    assert "square::expand: false: fails at" in done.stdout
    assert project.statuses()["square"] == "suspect"
    assert "suspect" in project.badge("square")
    assert "#cf222e" in project.badge("square")


def test_a_deleted_test_leaves_its_claim_untested(project: Project) -> None:
    project.edit("verification/test_momentum.py", "def test_floats(x)", "def no_test_floats(x)")
    done, statuses = project.judge()
    assert done.returncode == 1
    assert statuses["square"] == "untested"
    assert "square: its test verification/test_momentum.py::test_floats is gone or was skipped" in done.stdout
    project.write("verification/test_momentum.py", "")
    assert project.judge()[1]["square"] == "untested"


RUNS = """
from verification.evidence import observe

@pytest.mark.claim("bigger", kind="training", alpha=0.05)
def test_runs():
    observe("The network fell by 0.1 [0.0, 0.2].", 0.9)
    assert 1 < 2
"""


def test_training_runs_stand_beside_a_verdict_and_only_their_failure_counts(project: Project) -> None:
    project.write("verification/test_momentum.py", TESTS + RUNS)
    assert "changed: bigger" in project.pytest("spec", "verification", "--renew", "bigger").stdout
    done, statuses = project.judge()
    assert done.returncode == 0, done.stdout
    assert statuses == {"square": "proved", "bigger": "refuted"}
    claims: Any = project.book()["claims"]
    (training,) = claims[1]["training"]
    assert training["says"] == "The network fell by 0.1 [0.0, 0.2]."
    assert (training["alpha"], training["power"], training["passed"]) == (0.05, 0.9, True)
    assert claims[0]["training"] == []
    page = (project.root / "build/claims/claims/bigger.html").read_text(encoding="utf-8")
    assert "The network fell by 0.1" in page
    project.edit("verification/test_momentum.py", "assert 1 < 2", "assert 2 < 1")
    assert project.judge()[1]["bigger"] == "suspect"


def test_a_skipped_test_is_no_evidence(project: Project) -> None:
    project.edit(
        "verification/test_momentum.py",
        "def test_floats(x):",
        "def test_floats(x):\n    pytest.skip('later')",
    )
    done, statuses = project.judge()
    assert done.returncode == 1
    assert statuses["square"] == "untested"


def test_an_edited_claim_is_suspect_until_stamped(project: Project) -> None:
    project.edit("spec/momentum.py", "A square.", "The square.")
    done, statuses = project.judge()
    assert done.returncode == 1
    assert statuses["square"] == "suspect"
    assert "tox -e stamp -- square" in done.stdout
    assert "changed: square" in project.pytest("spec", "verification", "--renew", "square").stdout
    assert project.judge()[0].returncode == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("verification/test_momentum.py", "@pytest.mark.infrastructure\n", "", "test_house names no claim"),
        (
            "verification/test_momentum.py",
            '"square"',
            '"squares"',
            "names the claim 'squares', which spec/ does not",
        ),
        (
            "verification/test_momentum.py",
            'step="agrees"',
            'step="expand"',
            "the steps that tests decide are ['agrees']",
        ),
        (
            "verification/test_momentum.py",
            'kind="property"',
            'kind="statistical"',
            "must state alpha= and power=",
        ),
        ("verification/test_momentum.py", 'kind="property"', 'kind="hunch"', "says kind='hunch'"),
        ("verification/test_momentum.py", "error(2.0, -1)", "error(2.0)", "the mutant 'floats' survived"),
        ("verification/test_momentum.py", "-1), 1e-12))", "-1), 1e-12)) if False else None", "was not run"),
        ("spec/momentum.py", '{"rhs": x**2 - 2 * x + 1}', '{"rhs": 1 + 2 * x + x**2}', "survived (true)"),
        ("spec/momentum.py", "Status.PROVED", "Status.HELD", "declared held, but the evidence says proved"),
    ],
)
def test_what_is_amiss_is_named(project: Project, file: str, old: str, new: str, message: str) -> None:
    project.edit(file, old, new)
    if file.startswith("spec"):
        project.pytest("spec", "verification", "--renew", "all")
    done = project.pytest("spec", "verification", "--ledger", "build/claims")
    assert done.returncode == 1
    assert message in done.stdout, done.stdout


def test_one_route_is_not_enough(project: Project) -> None:
    project.edit("spec/momentum.py", '        Identity("expand", (x + 1) ** 2, x**2 + 2 * x + 1),\n', "")
    project.edit("spec/momentum.py", ', covers="expand"', "")
    project.edit("spec/momentum.py", 'Mutant("sign", "expand", {"rhs": x**2 - 2 * x + 1}), ', "")
    project.edit("spec/momentum.py", 'Mutant("floats", "agrees")),', 'Mutant("floats", "agrees"),), formula=x,')
    project.edit("spec/momentum.py", "Status.PROVED", "Status.HELD")
    project.pytest("spec", "verification", "--renew", "all")
    done, statuses = project.judge()
    assert done.returncode == 1
    assert statuses["square"] == "untested"
    assert "square: evidence by one route only (property)" in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("x = Symbol", "x = = Symbol", "spec/momentum.py:7:"),
        ('id="square"', 'id="Square!"', "claim 'Square!': an id is lower-case"),
        (
            'uses=("square",)',
            'uses=("circle",)',
            "spec/momentum.py: claim 'bigger' names unknown claims ['circle']",
        ),
        ('id="bigger"', 'id="square"', "is also in"),
        ('uses=("square",)', 'uses=("bigger",)', "in a circle: bigger -> bigger"),
        ("says=", "sais=", "spec/momentum.py:8:"),
    ],
)
def test_a_malformed_claim_file_names_itself(project: Project, old: str, new: str, message: str) -> None:
    project.edit("spec/momentum.py", old, new)
    done = project.pytest("spec")
    assert done.returncode == 4
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_claims_are_selected_by_id_and_noun(project: Project) -> None:
    def collected(*args: str) -> list[str]:
        lines = project.pytest(*args, "--collect-only", "-q").stdout.splitlines()
        return [line for line in lines if "::" in line]

    assert collected("spec", "-k", "bigger") == [
        f"spec/momentum.py::bigger::{n}" for n in ("half", "mutant:holds", "stamp")
    ]
    assert len(collected("spec", "-k", "momentum")) == 6
    assert collected("spec", "-k", "lag") == []
    assert "verification/test_momentum.py::test_floats" in collected("spec", "verification", "--claim", "square")
    assert not [c for c in collected("spec", "verification", "--claim", "square") if "bigger" in c or "house" in c]
    assert "unknown ['nine']" in project.pytest("spec", "--claim", "nine").stderr


def test_a_partial_run_fails_on_nothing_it_did_not_ask_for(project: Project) -> None:
    done = project.pytest("spec", "--ledger", "build/symbolic")
    assert done.returncode == 0, done.stdout
    book = json.loads((project.root / "build/symbolic/claims.json").read_text(encoding="utf-8"))
    assert book["complete"] is False
    assert {c["id"]: c["status"] for c in book["claims"]} == {"square": "untested", "bigger": "refuted"}


@pytest.mark.parametrize("way", ["interrupt", "collection", "unwritable"])
def test_an_interrupted_run_leaves_the_last_ledger(project: Project, way: str) -> None:
    project.judge()
    before = project.book()
    names = sorted(p.name for p in (project.root / "build").iterdir())
    if way == "collection":
        project.write("verification/test_lag.py", "import nowhere\n")
        assert project.pytest("spec", "verification", "--ledger", "build/claims").returncode == 2
    elif way == "unwritable":
        project.edit("verification/ledger/templates/page.html.jinja", "<!doctype html>", "{{ book.nothing.at_all }}")
        assert project.pytest("spec", "verification", "--ledger", "build/claims").returncode != 0
    else:
        started = project.root / "started"
        text = "import pathlib, time, pytest\n@pytest.mark.infrastructure\ndef test_slow():\n"
        text += f"    pathlib.Path({str(started)!r}).touch()\n    time.sleep(60)\n"
        project.write("verification/test_lag.py", text)
        run = subprocess.Popen(
            project.command("spec", "verification", "--ledger", "build/claims"),
            cwd=project.root,
            env=project.environment,
            stdout=subprocess.PIPE,
            text=True,
            # whatever started these tests in the background may have had the signal ignored, and that is inherited
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        for _ in range(600):
            if started.exists():
                break
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=60)
        assert run.returncode == 2
        assert "build/claims is as it was" in output
    assert project.book() == before
    assert sorted(p.name for p in (project.root / "build").iterdir()) == names


def test_a_ledger_takes_the_place_of_nothing_else(project: Project) -> None:
    project.write("thesis.txt", "years of work")
    for target in (".", "spec", "thesis.txt", "thesis.txt/x", ""):
        done = project.pytest("spec", f"--ledger={target}")
        assert done.returncode == 4, target
        assert "--ledger" in done.stderr
    assert (project.root / "thesis.txt").read_text() == "years of work"
    project.judge()
    before = project.book()
    assert project.pytest("spec", "--collect-only", "--ledger", "build/claims").returncode == 0
    assert project.book() == before


@pytest.mark.parametrize("outcome", ["pytest.skip('later')", "assert False", "import os; os._exit(1)"])
def test_one_bad_parameter_is_enough(project: Project, outcome: str) -> None:
    project.edit(
        "verification/test_momentum.py",
        "def test_floats_mutant():",
        f"@pytest.mark.parametrize('n', [1, 2])\ndef test_floats_mutant(n):\n    if n == 2:\n        {outcome}",
    )
    done, statuses = project.judge("-n", "1")
    assert done.returncode == 1
    assert statuses["square"] in ("suspect", "untested")


def test_a_test_that_only_kills_or_checks_nothing_is_no_route(project: Project) -> None:
    project.edit("verification/test_momentum.py", "    within(error(x), 1e-12)\n", "    pass\n")
    project.edit(
        "verification/test_momentum.py", "@given(x=st.floats(0.1, 10))\ndef test_floats(x)", "def test_floats()"
    )
    done, statuses = project.judge()
    assert done.returncode == 1
    assert statuses["square"] == "untested"
