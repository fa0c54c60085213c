"""Verifiable answers: right, wrong, unparseable or undecided, under a clock that really stops."""

import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType

from empirical.answers import final_answer, plain_number

START_SECONDS = 120.0  # the worker imports sympy, on a machine that may be busy


class Verdict(StrEnum):
    """What is known of a completion's answer.

    `UNPARSEABLE`: no answer is stated, or it is no mathematical expression. `UNDECIDED`: the comparison did
    not end in time, or took its process with it. Both earn nothing; both are counted apart from `WRONG`.
    """

    CORRECT = "correct"
    WRONG = "wrong"
    UNPARSEABLE = "unparseable"
    UNDECIDED = "undecided"


@dataclass
class Verifier:
    """Compares final answers: plain numbers exactly here, everything else by math-verify in a subprocess.

    The subprocess is started when first needed and killed when a comparison runs past the clock (math-verify's
    own timeout is a signal, which fails off the main thread and would score zero without a word).

    Attributes:
        seconds: the clock of one comparison.
        strict: whether an answer needs `####` or a box (see `final_answer`).
        command: the worker's command line.
        counts: verdicts given so far.
    """

    seconds: float = 5.0
    strict: bool = False
    command: tuple[str, ...] = (sys.executable, "-m", "empirical.verify_worker")
    counts: Counter[Verdict] = field(default_factory=Counter)
    _worker: "subprocess.Popen[str] | None" = None
    _replies: "queue.Queue[str | None]" = field(default_factory=queue.Queue)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def judge(self, completion: str, gold: str) -> Verdict:
        """The verdict on a completion, given the reference answer (bare, or with its marker)."""
        verdict = self._judge(completion, gold)
        self.counts[verdict] += 1
        return verdict

    def _judge(self, completion: str, gold: str) -> Verdict:
        answer = final_answer(completion, strict=self.strict)
        if answer is None:
            return Verdict.UNPARSEABLE
        gold = (final_answer(gold, strict=True) or gold).strip()
        stated, expected = plain_number(answer), plain_number(gold)
        if stated is not None and expected is not None:
            return Verdict.CORRECT if stated == expected else Verdict.WRONG
        reply = self._ask(gold, answer)
        if reply is None:
            return Verdict.UNDECIDED
        decided = json.loads(reply)
        return Verdict.UNPARSEABLE if decided is None else Verdict.CORRECT if decided else Verdict.WRONG

    def _ask(self, gold: str, answer: str) -> str | None:
        with self._lock:
            try:
                worker = self._started()
                assert worker.stdin is not None
                worker.stdin.write(json.dumps([gold, answer]) + "\n")
                worker.stdin.flush()
                reply = self._replies.get(timeout=self.seconds)
            except (queue.Empty, OSError):
                reply = None
            if reply is None:
                self._stop()
            return reply

    def _started(self) -> "subprocess.Popen[str]":
        if self._worker is None or self._worker.poll() is not None:
            self._stop()
            self._replies = queue.Queue()
            self._worker = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
            threading.Thread(target=_pump, args=(self._worker, self._replies), daemon=True).start()
            try:
                ready = self._replies.get(timeout=START_SECONDS)
            except queue.Empty:
                ready = None
            if ready is None:
                self._stop()
                raise RuntimeError(
                    "the process that compares answers did not start; is math-verify installed in this environment? "
                    f"Try: {' '.join(self.command)}"
                )
        return self._worker

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
            for stream in (self._worker.stdin, self._worker.stdout):
                if stream is not None:
                    with suppress(OSError):  # what was still to be written has no reader
                        stream.close()
            self._worker = None

    def close(self) -> None:
        """End the subprocess."""
        with self._lock:
            self._stop()

    def __enter__(self) -> "Verifier":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _pump(worker: "subprocess.Popen[str]", replies: "queue.Queue[str | None]") -> None:
    """Hand the worker's lines on; its end is None."""
    assert worker.stdout is not None
    with suppress(ValueError):  # closed by `_stop` while reading
        for line in worker.stdout:
            replies.put(line)
    replies.put(None)
