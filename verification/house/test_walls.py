"""Who may import whom, and what an import costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.infrastructure

ROOT = Path(__file__).parents[2]
FORBIDDEN = {
    "spec": {"reference", "verification", "empirical", "torch", "trl", "numpy", "scipy"},
    "reference": {"spec", "verification", "empirical", "torch", "trl", "sympy"},
    "verification": {"torch", "trl", "transformers", "peft"},
    "empirical": {"spec", "verification"},
}


def imports(path: Path) -> set[str]:
    """The top-level packages that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("room", FORBIDDEN)
def test_no_file_reaches_over_a_wall(room: str) -> None:
    files = [p for p in (ROOT / room).rglob("*.py") if not (room == "empirical" and "tests" in p.parts)]
    assert files
    over = {str(p.relative_to(ROOT)): sorted(imports(p) & FORBIDDEN[room]) for p in files}
    assert not {p: names for p, names in over.items() if names}


def test_the_wall_detector_sees_every_form_of_import(tmp_path: Path) -> None:
    file = tmp_path / "sly.py"
    file.write_text("def f():\n    import spec.claim as c\n    from reference.lag import critical_gain\n")
    assert imports(file) == {"spec", "reference"}


def loaded(code: str) -> set[str]:
    """The modules that a piece of code has loaded at its end."""
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_reference_loads_nothing_heavy() -> None:
    assert not loaded("import reference") & {"sympy", "scipy.stats", "pandas", "matplotlib", "torch"}


def test_the_suite_runs_without_torch() -> None:
    assert not loaded("import spec, verification.ledger.assemble, verification.ledger.write") & {
        "torch",
        "trl",
    }
