"""Builds the site from a claims.json: `python -m verification.ledger.site CLAIMS.json OUT [--figures DIR]`.

The pages depend on that file and the figures alone. Exit code 2 and one line where the file cannot be used.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from verification.ledger.book import BookError, read
from verification.ledger.write import write


def main(arguments: list[str] | None = None) -> int:
    """Build; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.ledger.site", description=__doc__)
    parser.add_argument("claims", type=Path, help="a claims.json, as `tox -e claims` writes it")
    parser.add_argument("out", type=Path, help="directory of the site; an older ledger there is replaced")
    parser.add_argument("--figures", type=Path, help="directory of figures already drawn; else they are drawn")
    given = parser.parse_args(arguments)
    try:
        book = read(given.claims)
        _refuse(given.out)
        page = write(book, given.out, given.figures)
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or given.out}: {error.strerror}", file=sys.stderr)
        return 2
    totals = Counter(claim["status"] for claim in book["claims"])
    print(f"{_words(totals)}\npage: {page}")
    return 0


def _refuse(out: Path) -> None:
    if out.exists() and not (out.is_dir() and ((out / "claims.json").exists() or not any(out.iterdir()))):
        raise BookError(f"{out}: it exists and is no ledger (no claims.json in it); name another directory")


def _words(totals: Counter[Any]) -> str:
    return ", ".join(f"{n} {status}" for status, n in totals.most_common())


if __name__ == "__main__":
    sys.exit(main())
