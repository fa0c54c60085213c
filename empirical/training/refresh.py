"""The refresh interval: how many optimizer steps one set of completions serves, and how a trainer is told."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Refresh:
    """A schedule of the sampling policy, in TRL's words.

    The lag (optimizer steps between the weights that sampled and the weights that are updated) runs 0, 1, ...,
    interval - 1 and starts again: a periodic refresh, not the constant lag of the paper's Eq. 3.

    Attributes:
        interval: K_ref, optimizer steps between two copies of the policy.
        iterations: how often each completion is used; divides the interval.
        accumulation: micro-steps of one optimizer step.
    """

    interval: int
    iterations: int
    accumulation: int

    def __post_init__(self) -> None:
        for name in ("interval", "iterations", "accumulation"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}; expected an integer of at least 1")
        if self.interval % self.iterations:
            raise ValueError(
                f"iterations = {self.iterations}; expected a divisor of the refresh interval, {self.interval}"
            )

    @property
    def steps_per_generation(self) -> int:
        """TRL's `steps_per_generation`, in micro-steps: a generation feeds so many before it is used again."""
        return self.accumulation * self.interval // self.iterations

    @property
    def num_iterations(self) -> int:
        """TRL's `num_iterations`."""
        return self.iterations

    @property
    def fresh_steps(self) -> int:
        """Optimizer steps that one generation's completions feed when each is used once."""
        return self.interval // self.iterations

    def lag(self, step: int) -> int:
        """The lag of the optimizer step number `step`, counted from 1."""
        return (step - 1) % self.interval

    def generation(self, step: int) -> int:
        """The number, from 1, of the generation that feeds the step number `step`, counted from 1."""
        return (step - 1) // self.interval + 1

    def checkpoint(self, every: int) -> int:
        """The smallest multiple of the interval that is at least `every`.

        A checkpoint inside a cycle would shift the phase of the refresh for good: TRL's buffer of completions
        is not part of it.
        """
        return -(-max(every, 1) // self.interval) * self.interval
