"""The pytest side of the ledger: collects the claims of `spec/`, listens to marked tests, writes verdicts."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import HealthCheck, settings

from verification import evidence

ROOT = Path(__file__).parent

# derandomised: the same run gives the same ledger; `thorough` searches for new examples
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, database=None)
settings.register_profile("dev", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=3000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ledger", "the ledger of claims")
    group.addoption("--ledger", metavar="DIR", help="write verdicts, page, findings and badges to DIR")
    group.addoption("--claim", metavar="ID", action="append", help="run just what bears on this claim (exact id)")
    group.addoption("--renew", metavar="IDS", help="renew the stamps of these claims (comma-separated, or 'all')")


def pytest_configure(config: pytest.Config) -> None:
    try:
        from spec import CLAIMS
        from spec.claim import ClaimError
        from spec.stamp import load
    except SyntaxError as error:
        raise pytest.UsageError(f"{error.filename}:{error.lineno}:{error.offset}: {error.msg}") from None
    except Exception as error:
        raise pytest.UsageError(f"{_blame(error)}{type(error).__name__}: {error}") from None
    from verification.ledger.collect import Ledger

    try:
        ledger = Ledger(CLAIMS, load())
    except ClaimError as error:
        raise pytest.UsageError(str(error)) from None
    unknown = [i for i in config.getoption("--claim") or () if i not in CLAIMS]
    if unknown:
        raise pytest.UsageError(f"--claim: unknown {unknown}; known: {', '.join(CLAIMS)}")
    ledger.complete = _is_complete(config)
    _refuse_target(config)
    if config.getoption("--renew") is not None and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--renew runs in one process: leave out -n")
    config.stash[Ledger.KEY] = ledger


def _refuse_target(config: pytest.Config) -> None:
    """Stop before the run where the ledger could not be written, or would take the place of something else."""
    target = config.getoption("--ledger")
    if target is None:
        return
    if not target:
        raise pytest.UsageError("--ledger needs a directory, for example build/claims")
    path = (config.invocation_params.dir / target).resolve()
    if path.exists() and not (path.is_dir() and ((path / "claims.json").exists() or not any(path.iterdir()))):
        raise pytest.UsageError(f"--ledger {target}: it exists and is no ledger (no claims.json in it); name another")
    parent = next(p for p in path.parents if p.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise pytest.UsageError(f"--ledger {target}: {parent} is not a directory that can be written to")


def _blame(error: BaseException) -> str:
    """The line of a claim file that an import error came from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent == ROOT / "spec"]
    claims = [f for f in frames if Path(f.filename).name not in ("claim.py", "domain.py", "__init__.py")]
    return f"{claims[-1].filename}:{claims[-1].lineno}: " if claims else ""


def _is_complete(config: pytest.Config) -> bool:
    """Whether the whole of spec/ and verification/ was asked for, so that silence means something."""
    option = config.option
    if option.keyword or option.markexpr or option.claim or getattr(option, "lf", False):
        return False
    asked = [(config.invocation_params.dir / a).resolve() for a in config.args if "::" not in a]
    return all(any(part == p or p in part.parents for p in asked) for part in (ROOT / "spec", ROOT / "verification"))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    from spec import NOUN_NAMES
    from verification.ledger.items import SpecFile

    if file_path.parent == ROOT / "spec" and file_path.stem in NOUN_NAMES and file_path.suffix == ".py":
        return SpecFile.from_parent(parent, path=file_path)
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    from verification.ledger.collect import marks
    from verification.ledger.items import keywords

    for mark in marks(item):
        if mark.args:
            item.extra_keyword_matches.update(keywords(str(mark.args[0])))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from verification.ledger.collect import Ledger, function_id, marks

    ids = config.getoption("--claim")
    if ids:
        named = [i for i in items if _ids(i) & set(ids)]
        config.hook.pytest_deselected(items=[i for i in items if i not in named])
        items[:] = named
    renew = config.getoption("--renew")
    if renew:
        from spec.stamp import renew as write

        ledger = config.stash[Ledger.KEY]
        if items and items[0].session.testsfailed:
            return  # a file could not be collected: pytest says which
        if not ledger.complete:
            raise pytest.UsageError("--renew needs the whole collection: pytest spec verification --renew IDS")
        tests: dict[str, list[str]] = {}
        for item in items:
            for mark in (m for m in marks(item) if m.args):
                tests.setdefault(str(mark.args[0]), []).append(function_id(item.nodeid))
        chosen = list(ledger.claims) if renew == "all" else renew.replace(" ", ",").strip(",").split(",")
        unknown = [i for i in chosen if i not in ledger.claims]
        if unknown:
            raise pytest.UsageError(f"--renew: unknown claims {unknown}")
        changed = write(ledger.claims, chosen, tests)
        items[:] = []
        config.stash[_RENEWED] = changed


_RENEWED: pytest.StashKey[list[str]] = pytest.StashKey()


def _ids(item: pytest.Item) -> set[str]:
    from verification.ledger.collect import marks

    own = getattr(item, "claim", None)
    return {own.id} if own is not None else {str(m.args[0]) for m in marks(item) if m.args}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    from verification.ledger.collect import Ledger, complaint
    from verification.ledger.items import SpecFile

    if item.getparent(SpecFile) is None:
        wrong = complaint(item, item.config.stash[Ledger.KEY].claims)
        if wrong:
            pytest.fail(f"{item.nodeid} {wrong}", pytrace=False)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    from verification.ledger.collect import marks, report_marks

    mpmath.mp.dps = 15
    record = evidence.start()
    _count_examples(item, record)
    try:
        return (yield)
    finally:
        evidence.stop()
        if marks(item):
            report_marks(item, record)


def _count_examples(item: pytest.Item, record: evidence.Record) -> None:
    """Count hypothesis's examples where the test does not count its own."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if handle is None:
        return
    inner = getattr(handle.inner_test, "__wrapped__", handle.inner_test)

    def counted(*args: object, **kwargs: object) -> object:
        before = record.examples
        result = inner(*args, **kwargs)
        if record.examples == before:
            record.examples += 1
        return result

    counted.__wrapped__ = inner  # type: ignore[attr-defined]
    handle.inner_test = counted


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if _CONFIG:
        from verification.ledger.collect import Ledger

        ledger = _CONFIG[0].stash[Ledger.KEY]
        ledger.note(report)
        if report.when == "call":
            ledger.take(report)


_CONFIG: list[pytest.Config] = []


def pytest_sessionstart(session: pytest.Session) -> None:
    _CONFIG[:] = [session.config]


@pytest.hookimpl(wrapper=True, trylast=True)  # inside the terminal reporter, which then prints our section
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Iterator[None]:
    from verification.ledger.collect import Ledger

    result = yield
    config = session.config
    if _RENEWED in config.stash:
        session.exitstatus = pytest.ExitCode.OK
        return result
    target = config.getoption("--ledger")
    if not target or hasattr(config, "workerinput") or config.option.collectonly:
        return result
    if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        config.stash[_SUMMARY] = [f"not written (the run did not finish); {target} is as it was"]
        return result
    from verification.ledger.assemble import assemble
    from verification.ledger.write import write

    book = assemble(config.stash[Ledger.KEY])
    page = write(book, config.invocation_params.dir / target)
    asked = config.getoption("--claim") or ()
    lines = [_verdict(c) for c in book["claims"] if c["id"] in asked] or [
        ", ".join(f"{n} {status}" for status, n in book["totals"].items() if n)
    ]
    told = [p for p in book["problems"] if not p.startswith(tuple(f"{id_}: " for id_ in asked))]
    config.stash[_SUMMARY] = [*lines, *told, f"page: {page}"]
    if book["problems"] and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    return result


def _verdict(claim: dict[str, Any]) -> str:
    """One line on a claim that was asked for: its verdict, and why it is not the declared one."""
    status, declared = claim["status"], claim["declared"]
    if status == declared:
        return f"{claim['id']}: {status}"
    return f"{claim['id']}: {status} (declared {declared}): " + "; ".join(claim["problems"])


_SUMMARY: pytest.StashKey[list[str]] = pytest.StashKey()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _RENEWED in config.stash:
        changed = config.stash[_RENEWED]
        terminalreporter.section("stamps")
        terminalreporter.write_line(f"changed: {', '.join(changed)}" if changed else "no stamp changed")
    if _SUMMARY in config.stash:
        terminalreporter.section("ledger")
        for line in config.stash[_SUMMARY]:
            terminalreporter.write_line(line)
