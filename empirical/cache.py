"""Where things made once are kept: `$PREDICTABLE_GRPO_CACHE`, else the user's cache directory."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_folder() -> Path:
    """The folder; it need not exist yet."""
    named = os.environ.get("PREDICTABLE_GRPO_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "predictable-grpo"


def cached_folder(name: str, make: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache, made by `make` if it is not there.

    It is made under another name and renamed when it is complete, so a half-made one is never used, and of two
    processes that make it at once the first to finish wins.
    """
    target = cache_folder() / name
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=target.parent))
    try:
        make(draft)
        try:
            draft.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target
