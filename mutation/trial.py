"""A pytest plugin that judges mutants: the tests are collected once, then every mutant gets a fork of this process.

`python -m mutation FILE` starts it. In a fork the mutated function takes the place of the living one, the tests that
run the edited statement follow, quick killers first, and the first failure ends it. Nothing is written but the record
in build/mutation/, from which an interrupted run is taken up again.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, Phase, settings

from mutation.edits import Edit, edits
from mutation.record import Record
from mutation.swap import Unreachable, made_with, swap

EXAMPLES = 20  # of every property: as in CI, but fewer, so that a file takes minutes
# a failing example is not made smaller: that it fails is enough
settings.register_profile(
    "mutation",
    derandomize=True,
    deadline=None,
    max_examples=EXAMPLES,
    database=None,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)

ROOT = Path(__file__).parents[1]
MEMORY = 4 * 2**30  # bytes that a mutant may ask for beyond what the tests hold
PATIENCE, GRACE = 5.0, 5.0  # a mutant is stopped after 5 times a test's own CPU time and 5 s


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--mutate FILE`, and `--survivors` for the survivors of the last run alone."""
    group = parser.getgroup("mutation", "mutation testing")
    group.addoption("--mutate", metavar="FILE", help="the file to mutate")
    group.addoption("--survivors", action="store_true", help="judge the survivors of the last run alone")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Judge the mutants, in place of running the tests once."""
    if session.testsfailed or session.config.option.collectonly:
        return False
    name = session.config.getoption("--mutate")
    path = ROOT / name
    module = importlib.import_module(name.removesuffix(".py").replace("/", "."))
    tests = {item.path for item in session.items}
    record = Record.read(name, sorted(tests), survivors=session.config.getoption("--survivors"))
    for item in session.items:
        _shorten(item)
    seconds, lines, modules = _baseline(session.items, path)
    _preload(modules)
    everything = edits(path)
    record.align(everything)
    kills = dict.fromkeys(range(len(session.items)), 0)
    gc.freeze()
    for number, edit in enumerate(everything):
        if record.knows(number):
            continue
        covering = [i for i in range(len(session.items)) if edit.top_level or _covers(lines[i], edit)]
        if not covering and made_with(module, edit.owner):  # it runs when the module is imported
            covering = list(range(len(session.items)))
        covering.sort(key=lambda i: (-kills[i], seconds[i]))
        began = time.monotonic()
        verdict, killer = _judge(module, edit, [session.items[i] for i in covering], [seconds[i] for i in covering])
        if killer is not None:
            kills[covering[killer]] += 1
        who = "" if killer is None else session.items[covering[killer]].nodeid
        record.note(number, edit, verdict, who, time.monotonic() - began)
        if number % 25 == 0:
            record.write()
            print(f"\r{name}: {number + 1} of {len(everything)}, {record.survived()} survived", end="", flush=True)
    record.finish(len(everything))
    print(f"\r{name}: {len(everything)} mutants, {record.survived()} survived")
    return True


def _covers(lines: set[int], edit: Edit) -> bool:
    return any(edit.first <= line <= edit.last for line in lines)


def _forked(work: Callable[[], str]) -> str | None:
    """What `work` returns in a fork of this process; None if it died."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
            os.write(write, work().encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return answer.decode() or None


def _shorten(item: pytest.Item) -> None:
    """Give a property that asks for more examples the number that all have here."""
    test = getattr(item, "obj", None)
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if test is not None and own is not None and own.max_examples > EXAMPLES:
        test._hypothesis_internal_use_settings = settings(own, max_examples=EXAMPLES)


def _passes(item: pytest.Item) -> bool:
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def _baseline(items: list[pytest.Item], path: Path) -> tuple[list[float], list[set[int]], list[str]]:
    """CPU seconds of every test, the lines of the file that it runs, and the modules that they import in all.

    Nothing is cached from one test to the next.

    Raises:
        pytest.UsageError: a test fails as it is.
    """

    def work() -> str:
        cover = coverage.Coverage(data_file=None, include=[str(path)], config_file=False)
        cover.start()
        out = []
        for i, item in enumerate(items):
            _forget()
            cover.switch_context(str(i))
            began = time.process_time()
            out.append((_passes(item), time.process_time() - began))
        cover.stop()
        return json.dumps([out, cover.get_data().contexts_by_lineno(str(path)), sorted(sys.modules)])

    answer = _forked(work)
    if answer is None:
        raise pytest.UsageError("the tests break the interpreter as they are: look at them first")
    results, contexts, modules = json.loads(answer)
    failing = [item.nodeid for item, (passed, _) in zip(items, results, strict=True) if not passed]
    if failing:
        raise pytest.UsageError(f"these tests fail as they are, mend them first: {', '.join(failing)}")
    lines: list[set[int]] = [set() for _ in items]
    for line, seen in contexts.items():
        for i in filter(None, seen):
            lines[int(i)].add(int(line))
    return [seconds for _, seconds in results], lines, modules


def _preload(modules: list[str]) -> None:
    """Import what functions import when they are called, once and not in every fork."""
    for name in modules:
        if name.split(".")[0] in ("scipy", "mpmath", "sympy", "numpy") and name not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def _forget() -> None:
    """Empty every lru_cache of the modules under test."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "reference":
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def _judge(module: Any, edit: Edit, items: list[pytest.Item], seconds: list[float]) -> tuple[str, int | None]:
    """(killed, timeout, survived, uncovered, unreachable or stillborn; the index of the test that failed)."""
    if not items:
        return "uncovered", None

    def work() -> str:
        try:
            swap(module, edit)
        except Unreachable:
            return "unreachable"
        except Exception:
            return "stillborn"
        for i, item in enumerate(items):
            signal.setitimer(signal.ITIMER_PROF, GRACE + PATIENCE * seconds[i])  # CPU time: others may share the core
            if not _passes(item):
                return str(i)
        return "survived"

    answer = _forked(work)
    if answer is None:  # too long, or the interpreter itself broke
        return "timeout", None
    return ("killed", int(answer)) if answer.isdigit() else (answer, None)
