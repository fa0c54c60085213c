"""TRL's GRPOTrainer with instruments: the realised lag, the true ratio, the spread within groups."""

from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def instrumented() -> Any:
    """The trainer class, made when torch is first needed."""
    import torch
    from trl import GRPOTrainer

    from empirical.training.groups import group_statistics

    class Instrumented(GRPOTrainer):  # type: ignore[misc]
        """GRPOTrainer whose every log carries what TRL computes and does not log.

        `emit` is called on every process with the logs of a training step (rewards and lag included), and
        `emit_eval` with those of an evaluation.
        """

        emit: Callable[[dict[str, float]], None] = staticmethod(lambda logs: None)
        emit_eval: Callable[[dict[str, float]], None] = staticmethod(lambda logs: None)
        answers: Callable[[], tuple[int, int, int]] = staticmethod(lambda: (0, 0, 0))

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._sampled_at = 0
            self._generations = 0
            self._fresh: dict[str, float] = {}
            self._ratio: Any = None
            self._logps: Any = None

        def create_model_card(self, *arguments: Any, **named: Any) -> None:
            """No card: what a run was is in its run.json."""

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            if self.model.training:
                self._sampled_at = int(self.state.global_step)
                self._generations = self._sampled_at // self._interval + 1
            return super()._generate_and_score_completions(inputs)

        @property
        def _interval(self) -> int:
            return int(self.args.steps_per_generation * self.num_iterations // self.args.gradient_accumulation_steps)

        def _calculate_rewards(self, *arguments: Any, **named: Any) -> Any:
            rewards = super()._calculate_rewards(*arguments, **named)
            if self.model.training:
                counts = torch.tensor(self.answers(), dtype=torch.float32, device=rewards.device)
                right, unparseable, undecided = self.accelerator.reduce(counts, reduction="sum").tolist()
                total = rewards.shape[0]
                self._fresh = group_statistics(rewards[:, 0].cpu().numpy(), self.num_generations) | {
                    "accuracy": right / total,
                    "answers/unparseable": unparseable / total,
                    "answers/undecided": undecided / total,
                }
            return rewards

        def _get_per_token_logps_and_entropies(self, *arguments: Any, **named: Any) -> Any:
            result = super()._get_per_token_logps_and_entropies(*arguments, **named)
            if torch.is_grad_enabled():
                self._logps = result[0].detach()
            return result

        def _compute_loss(self, model: Any, inputs: Any) -> Any:
            loss = super()._compute_loss(model, inputs)
            if self.model.training:
                mask = inputs["completion_mask"]
                old = inputs.get("old_per_token_logps")
                # without it TRL takes the present policy for the old one, which at lag 0 it is
                ratio = (self._logps if old is None else self._logps - old) * mask * (old is not None)
                seen = torch.stack([ratio.sum(), ratio.abs().sum(), mask.sum().to(ratio.dtype), ratio.abs().max()])
                if self._ratio is None:
                    self._ratio = seen
                else:
                    self._ratio[:3] += seen[:3]
                    self._ratio[3] = torch.maximum(self._ratio[3], seen[3])
            return loss

        def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
            """Hand a training step's metrics to `emit`, an evaluation's to `emit_eval`; then TRL's own."""
            if not self.model.training:
                own = {f"eval_{name}": _mean(values) for name, values in self._metrics["eval"].items()}
                self.emit_eval({**logs, **own})
            elif "loss" in logs and self._ratio is not None:
                every = self.accelerator.gather(self._ratio.unsqueeze(0)).cpu()
                total, absolute, tokens = every[:, :3].sum(0).tolist()
                step = int(self.state.global_step)
                own = {name: _mean(values) for name, values in self._metrics["train"].items()}
                fresh, self._fresh, self._ratio = self._fresh, {}, None
                self.emit(
                    {
                        **own,
                        **logs,
                        **{name: value for name, value in own.items() if name in ("kl", "entropy")},
                        **fresh,
                        "step": step,
                        "lag": step - 1 - self._sampled_at,
                        "generation": self._generations,
                        "tokens": tokens,
                        "log_ratio/mean": total / max(tokens, 1.0),
                        "log_ratio/abs_mean": absolute / max(tokens, 1.0),
                        "log_ratio/max": float(every[:, 3].max()),
                    }
                )
            super().log(logs, start_time)

    return Instrumented


def _mean(values: list[float]) -> float:
    kept = [value for value in values if value is not None]
    return sum(kept) / len(kept) if kept else float("nan")
