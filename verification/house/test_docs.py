"""Every Python example in the guides of docs/ runs and prints what the guide says; every claim named there exists."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from spec import CLAIMS
from verification.house.books import passing

pytestmark = pytest.mark.infrastructure

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENTS = ("reading-the-ledger.md", "using-the-results.md", "how-the-evidence-works.md")
EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", flags=re.DOTALL)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_examples_print_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "build" / "claims").mkdir(parents=True)
    (tmp_path / "build" / "claims" / "claims.json").write_text(json.dumps(passing()), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = EXAMPLE.findall((DOCS / name).read_text(encoding="utf-8"))
    assert found
    for code, expected in found:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, {})
        assert expected, f"no output is shown for:\n{code}"
        assert out.getvalue() == expected


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_claims_that_a_document_names_exist(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:new|sec|eq|prop|lemma|remark|fig|theorem)-[a-z0-9.-]+)`", text))
    assert named <= set(CLAIMS)
