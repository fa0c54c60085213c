"""The progress bar of a run: steps, reward, time to go."""

import os
import sys
from collections import deque
from types import TracebackType


class Progress:
    """A bar on a terminal; elsewhere a line now and then.

    Attributes:
        title: what runs.
        steps: in all.
        shown: whether anything is shown (the main process alone).
    """

    LINES = 20  # of a run that does not go to a terminal

    def __init__(self, title: str, steps: int, shown: bool = True) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self.title, self.steps, self.shown = title, steps, shown
        self._recent: deque[float] = deque(maxlen=20)
        self._said = 0
        self._bar: Bar | None = None
        if shown and sys.stderr.isatty() and not os.environ.get("PREDICTABLE_GRPO_PLAIN"):
            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("reward {task.fields[reward]}"),
                TimeElapsedColumn(),
                TextColumn("to go"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )

    def __enter__(self) -> "Progress":
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=self.steps, reward="-")
        return self

    def step(self, step: int, reward: float | None, seconds: float) -> None:
        """Show a step.

        Args:
            step: taken, this one included.
            reward: of its generation, None where none was sampled; a mean over the last 20 is shown.
            seconds: since the run began.
        """
        if reward is not None:
            self._recent.append(reward)
        mean = f"{sum(self._recent) / len(self._recent):.3f}" if self._recent else "-"
        if self._bar is not None:
            self._bar.update(self._task, completed=step, reward=mean)
        elif self.shown and (step == self.steps or step * self.LINES // self.steps > self._said):
            self._said = step * self.LINES // self.steps
            left = seconds / step * (self.steps - step)
            print(f"{self.title}: step {step}/{self.steps}, reward {mean}, {left:.0f} s to go", file=sys.stderr)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
