"""Live: a trainer's callback that writes the log of a run and warns while the run is on.

With `transformers` (TRL's GRPOTrainer among others):

    from empirical.live import callback
    trainer.add_callback(callback("run/log.jsonl", group_size=8))

Afterwards `python -m empirical diagnose run/log.jsonl`.
"""

import json
import logging
import math
import os
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)
GROWTH = 1.2  # of the number of rows between two looks
SHARE = 0.05  # of the run's time that the looks may take


class Watch:
    """Writes what a trainer logs, one JSON object a line, each on the disk before training goes on, and diagnoses it.

    No error leaves it: where the log cannot be written or read, it says so once, and training goes on. Warnings, by
    the logger `empirical.live`, come once for each diagnosis and word.

    Attributes:
        path: of the log; rows are appended to a file that is there already, as after a restart.
        every: rows between two looks, at least; they grow by a factor, and take a twentieth of the time at most.
        group_size, momentum, refresh: as in `empirical.diagnostics.Run`.
        rows: written since the start.
        said: (diagnosis, word) of the warnings so far.
    """

    def __init__(
        self,
        path: str | Path,
        every: int = 50,
        group_size: int | None = None,
        momentum: float | None = None,
        refresh: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if every < 1:
            raise ValueError(f"every = {every}; expected an integer >= 1")
        self.path, self.every = Path(path), every
        self.group_size, self.momentum, self.refresh = group_size, momentum, refresh
        self.rows, self.said = 0, set[tuple[str, str]]()
        self._clock, self._begin, self._spent = clock, clock(), 0.0
        self._next = every
        self._failed: set[str] = set()

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **other: Any) -> None:
        """Append a row; from time to time look at all of them."""
        if not logs or not getattr(state, "is_world_process_zero", True):
            return
        if self._tried("the log cannot be written", lambda: self._write({**logs, "step": int(state.global_step)})):
            self.rows += 1
            now = self._clock()
            if self.rows >= self._next and self._spent <= SHARE * (now - self._begin):
                self._tried("the log cannot be diagnosed", self._look)
                self._spent += self._clock() - now
                self._next = max(self.rows + self.every, math.ceil(GROWTH * self.rows))

    def _tried(self, what: str, work: Callable[[], None]) -> bool:
        try:
            work()
        except Exception as error:  # a run of days must not end for its log
            if what not in self._failed:
                self._failed.add(what)
                logger.warning("%s: %s: %s", self.path, what, error)
            return False
        return True

    def _write(self, row: Mapping[str, Any]) -> None:
        line = (json.dumps({str(k): _plain(v) for k, v in row.items()}, allow_nan=False) + "\n").encode()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                line = b"\n" + line  # a kill cut the last line off: the reader drops it
            if os.write(file, line) != len(line):
                os.ftruncate(file, size)
                raise OSError("the disk is full")
            os.fsync(file)
        finally:
            os.close(file)

    def _look(self) -> None:
        from empirical.diagnostics import Run, Verdict, diagnose
        from empirical.logs import read

        run = Run(read(self.path), str(self.path), self.group_size, self.momentum, self.refresh)
        for found in diagnose(run):
            key = found.name, found.word
            if found.verdict is Verdict.FOUND and key not in self.said:
                self.said.add(key)
                logger.warning(
                    "step %d, %s: %s %s", run.log.table["step"].iloc[-1], found.name, found.says, found.advice
                )


def _plain(value: Any) -> Any:
    """A value for JSON; inf and nan, and what is no number or text, as None."""
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


@cache
def _kind() -> Any:
    """The class, made when transformers is first needed."""
    from transformers import TrainerCallback

    class Callback(Watch, TrainerCallback):  # type: ignore[misc]
        """A `Watch` that a `transformers` Trainer accepts."""

    return Callback


def callback(path: str | Path, **options: Any) -> Any:
    """A `transformers.TrainerCallback` that is a `Watch`; takes the same arguments. Needs the extra `train`."""
    return _kind()(path, **options)
