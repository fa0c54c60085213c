"""`python -m empirical.diagnostics.measure confusion|calibration`: measure the rates that the package states.

Simulated runs are diagnosed one by one, each with random numbers of its own (seed, kind, number), and each answer is
appended to a journal at once: killed and started again, it goes on where it was. When all are there, the table of
the package (confusion.csv, calibration.csv) and docs/diagnostics.md are written.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

Job = tuple[Any, ...]


def done(journal: Path) -> dict[Job, Any]:
    """Answers of a journal by job; a last line that a kill cut off does not count."""
    if not journal.is_file():
        return {}
    out: dict[Job, Any] = {}
    for line in journal.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
            out[tuple(entry["job"])] = entry["answer"]
        except (ValueError, KeyError, TypeError):
            continue
    return out


def resume(
    jobs: Iterable[Job], work: Callable[[Job], Any], journal: Path, processes: int = 2
) -> Iterator[tuple[Job, Any]]:
    """Do what the journal does not hold yet, append it, and give the answers of all jobs in their order.

    Args:
        jobs: what to do, in JSON's types.
        work: a function of a module, which the other processes import; its answer is in JSON's types.
        journal: one JSON object a line.
        processes: at once.
    """
    wanted = list(jobs)
    known = done(journal)
    todo = [job for job in wanted if job not in known]
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as stream, ProcessPoolExecutor(processes) as pool:
        stream.write("\n" if journal.stat().st_size and not journal.read_bytes().endswith(b"\n") else "")
        for job, answer in zip(todo, pool.map(work, todo), strict=True):
            known[job] = answer
            stream.write(json.dumps({"job": job, "answer": answer}) + "\n")
            stream.flush()
    for job in wanted:
        yield job, known[job]


def main() -> int:
    """Measure, then write the table and the page."""
    from empirical.diagnostics import calibration, confusion

    parser = argparse.ArgumentParser(prog="python -m empirical.diagnostics.measure", description=__doc__)
    parser.add_argument("what", choices=("confusion", "calibration"))
    parser.add_argument("--runs", type=int, default=200, help="of each kind, or of each law and length")
    parser.add_argument("--seed", type=int, required=True, help="one that no threshold was looked at with")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--journal", type=Path, default=Path("build/measure"), help="a folder")
    given = parser.parse_args()
    journal = given.journal / f"{given.what}-{given.seed}.jsonl"
    module = confusion if given.what == "confusion" else calibration
    answers = resume(module.jobs(given.runs, given.seed), module.work, journal, given.processes)
    module.write(module.counted(answers), given.seed)
    page = Path(__file__).parents[2] / "docs" / "diagnostics.md"
    if page.is_file():
        page.write_text(confusion.markdown(), encoding="utf-8")
    sys.stdout.write(f"{module.TABLE}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
