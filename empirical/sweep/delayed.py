"""DelayedSGD: heavy ball whose every gradient is late. Lemma 5 read literally, and the sweep's positive control."""

from collections import deque
from typing import Any


def delayed_sgd(parameters: Any, *, learning_rate: float, momentum: float, delay: int) -> Any:
    """An SGD optimizer that applies at step k the gradient of step k - delay, and before that the first one.

    So the history is constant, as in Lemma 5: the network was at rest before the run.

    Args:
        parameters: of the model.
        learning_rate, momentum: as of `torch.optim.SGD`.
        delay: optimizer steps, at least 0; 0 is `torch.optim.SGD` itself, bit by bit.

    Raises:
        ValueError: delay is negative.

    Source: Lemma 5 of the paper.
    """
    import torch

    if delay < 0:
        raise ValueError(f"delay = {delay}; expected an integer of at least 0")

    class DelayedSGD(torch.optim.SGD):  # type: ignore[misc]
        """SGD behind a queue of gradients."""

        def __init__(self) -> None:
            super().__init__(parameters, lr=learning_rate, momentum=momentum)
            self.queue: deque[list[Any]] = deque(maxlen=delay + 1)

        def step(self, closure: Any = None) -> Any:
            """Put the present gradients into the queue, and step with the oldest ones."""
            held = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
            self.queue.append([p.grad.detach().clone() for p in held])
            for p, late in zip(held, self.queue[0], strict=True):
                p.grad.copy_(late)
            return super().step(closure)

    return DelayedSGD()
