"""The probe: one forward pass over all prompts gives every success probability exactly."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirical.logs.numbers import Floats
from empirical.sweep.network import encoded
from empirical.sweep.task import Variant


@dataclass
class Probe:
    """Reads the network at all 100 prompts.

    Attributes:
        ids: prompts and all but the last token of the right answers, shape (100, tokens).
        right: token ids of the right answers, shape (100, answer).
    """

    ids: Any
    right: Any

    @classmethod
    def of(cls, reader: Any, variant: Variant) -> "Probe":
        """The probe of a task.

        Args:
            reader: the tokenizer.
            variant: of the task.
        """
        ids, right = encoded(reader, variant)
        return cls(ids[:, :-1], right)

    def logps(self, model: Any) -> Any:
        """Log-probabilities at the places of the answer, shape (100, answer, vocabulary), with their graph."""
        return model(input_ids=self.ids).logits[:, -self.right.shape[1] :].float().log_softmax(-1)

    def success(self, logps: Any) -> Any:
        """Success probability of every prompt, shape (100,), with its graph."""
        return logps.gather(2, self.right.unsqueeze(2)).squeeze(2).sum(1).exp()

    def read(self, model: Any) -> tuple[Floats, Floats]:
        """Success probabilities, shape (100,), and distributions, shape (100, answer, vocabulary), as numbers."""
        import torch

        training = model.training
        model.eval()
        with torch.no_grad():
            logps = self.logps(model)
            p = self.success(logps)
        model.train(training)
        return p.double().numpy(), logps.double().exp().numpy()


def ratio_variance(now: Floats, old: Floats) -> float:
    """Exact variance of the first token's importance ratio under the sampling policy, a mean over prompts.

    Args:
        now, old: distributions, shape (prompts, answer, vocabulary).

    Returns:
        The mean over prompts of sum_y now(y)**2 / old(y) - 1 (Pearson's chi-squared divergence); 0 at lag 0.
    """
    q = np.maximum(old[:, 0], 1e-300)
    return float(np.mean(np.sum(now[:, 0] ** 2 / q, axis=1) - 1.0))
