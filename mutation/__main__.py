"""`python -m mutation [FILE ...]`: judge the mutants of files of reference/, and write mutation/score.json.

Without a file: renew the table of the scores in mutation/README.md and print it; minutes a file otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

from mutation import score
from mutation.record import Record


def run(name: str, tests: list[str], survivors: bool, only: str | None) -> int:
    """Judge one file in a process of its own; pytest's exit code."""
    command = [sys.executable, "-m", "pytest", "-p", "mutation.trial", "-p", "no:cacheprovider", "-q", "-s"]
    command += ["--mutate", name, *(["--survivors"] if survivors else []), *tests]
    command += ["-k", only] if only else []  # the last -k counts: it takes the place of the selection's own
    # one thread each: what is measured are the tests, not the cores
    quiet = {"HYPOTHESIS_PROFILE": "mutation", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=score.ROOT, env={**os.environ, **quiet}).returncode


def main() -> int:
    """Run; the exit code is 1 where a file is under the mark or a survivor has no explanation."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description="Would the tests notice a typo?")
    parser.add_argument("files", nargs="*", metavar="FILE", help="such as reference/momentum.py; none: the table")
    parser.add_argument("--all", action="store_true", help="every file of mutation/selection.toml (hours)")
    parser.add_argument("--survivors", action="store_true", help="judge the survivors of the last run alone")
    parser.add_argument("--only", metavar="WORDS", help="with --survivors: by the new tests alone (as pytest's -k)")
    given = parser.parse_args()
    if given.only and not given.survivors:
        parser.error("--only goes with --survivors: what no other test noticed is known for them alone")
    chosen = score.selection()
    for name in given.files:
        if name not in chosen:
            parser.error(f"{name!r} has no tests in mutation/selection.toml; expected one of {', '.join(chosen)}")
    try:
        known = score.explanations()
    except ValueError as error:
        parser.error(str(error))
    names = list(chosen) if given.all else given.files
    for name in names:
        code = run(name, chosen[name], given.survivors, given.only)
        record = Record.path(name)
        if code or not record.exists():
            print(f"{name}: not scored, the tests ended with exit code {code}", file=sys.stderr)
            return 2
        found = {**score.scores(), name: score.summarise(json.loads(record.read_text(encoding="utf-8")), known)}
        score.save(found)
    found = score.scores()
    for name, old in found.items():  # explanations may have come since
        old["survivors"] = score.with_reasons(name, old["survivors"], known)
    score.save(found)
    score.README.write_text(score.filled(score.README.read_text(encoding="utf-8"), found), encoding="utf-8")
    print(score.table(found))
    wrong = {n: w for n, w in score.complaints(found, known).items() if not names or n in names}
    for words in wrong.values():
        print("\n".join(words))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
