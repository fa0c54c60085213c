"""A sampled cell: TRL trains, the probe reads after every step."""

import tempfile
from typing import Any

from empirical.sweep.cell import Cell
from empirical.sweep.probe import Probe, ratio_variance
from empirical.sweep.task import sums, tokens
from empirical.sweep.twin import optimizer
from empirical.training.data import Rows, order
from empirical.training.refresh import Refresh

OPEN = 1e6  # half-width of a clipping interval that no ratio leaves
LOGGED = ("reward", "reward_std/within_ddof1", "frac_reward_zero_std", "log_ratio/max", "lag")


def arguments(cell: Cell, folder: str) -> dict[str, Any]:
    """The arguments of TRL's GRPOConfig."""
    refresh = Refresh(cell.interval, cell.iterations, 1)
    return {
        "output_dir": folder,
        "learning_rate": cell.learning_rate,
        "max_steps": cell.steps,
        "per_device_train_batch_size": cell.sequences,
        "gradient_accumulation_steps": 1,
        "num_generations": cell.size,
        "steps_per_generation": refresh.steps_per_generation,
        "num_iterations": refresh.num_iterations,
        "temperature": 1.0,
        "max_completion_length": tokens(cell.variant),
        "beta": cell.beta,
        "epsilon": OPEN if cell.clip is None else cell.clip,
        "delta": cell.ceiling,
        "scale_rewards": cell.scale,
        "logging_steps": 1,
        "save_strategy": "no",
        "lr_scheduler_type": "constant",
        "max_grad_norm": 0.0,
        "shuffle_dataset": False,
        "seed": cell.seed,
        "use_cpu": True,
        "bf16": False,
        "fp16": False,
        "gradient_checkpointing": False,
        "use_vllm": False,
        "report_to": "none",
        "disable_tqdm": True,
        "remove_unused_columns": False,
        "dataloader_pin_memory": False,
    }


def make(cell: Cell, model: Any, reader: Any, folder: str, source: str, step: Any = None) -> Any:
    """The trainer of a cell.

    Args:
        cell: of kind "sampled".
        model: at the end of its warm-up.
        reader: its tokenizer.
        folder: for what TRL writes.
        source: folder of the warm-up's weights: TRL loads the reference policy from it.
        step: the optimizer, None for the cell's own.
    """
    from datasets import Dataset
    from transformers import PrinterCallback
    from trl import GRPOConfig

    from empirical.training.trainer import instrumented

    class NoRatio(instrumented()):  # type: ignore[misc]
        """The same without the importance ratio: the old log-probabilities are withheld, the ratio is 1."""

        def _compute_loss(self, model: Any, inputs: Any) -> Any:
            return super()._compute_loss(model, {k: v for k, v in inputs.items() if k != "old_per_token_logps"})

    def right(completions: list[str], answer: list[str], **other: Any) -> list[float]:
        return [float(text == wanted) for text, wanted in zip(completions, answer, strict=True)]

    model.config._name_or_path = source
    rows = [{"prompt": s.prompt, "answer": s.answer} for s in sums(cell.variant)]
    trainer = (instrumented() if cell.ratio else NoRatio)(
        model=model,
        reward_funcs=right,
        args=GRPOConfig(**arguments(cell, folder)),
        train_dataset=Dataset.from_list(rows),
        processing_class=reader,
        optimizers=(step if step is not None else optimizer(cell, list(model.parameters())), None),
    )
    fresh = cell.interval // cell.iterations
    groups = cell.sequences // cell.size
    generations = -(-cell.steps // cell.interval)
    # a list, and not a table: with a long refresh the loader reads the whole generation again at every step
    trainer.train_dataset = Rows(rows, order(100, groups, generations * fresh, cell.seed))
    trainer.remove_callback(PrinterCallback)
    return trainer


def run(cell: Cell, model: Any, reader: Any, source: str) -> dict[str, Any]:
    """Train the network with TRL.

    Args:
        cell: of kind "sampled".
        model: at the end of its warm-up; it is trained in place.
        reader: its tokenizer.
        source: folder of the warm-up's weights.

    Returns:
        As `empirical.sweep.twin.run`, and `log`: for each column of `LOGGED` its value at every step (None where the
        step sampled nothing).
    """
    from transformers import TrainerCallback

    probe = Probe.of(reader, cell.variant)
    p, old = probe.read(model)
    curve, across, spread = [float(p.mean())], [float(p.std())], []
    log: dict[str, list[float | None]] = {name: [] for name in LOGGED}

    class Read(TrainerCallback):  # type: ignore[misc]
        """The probe, after every optimizer step."""

        def on_step_end(self, args: Any, state: Any, control: Any, **other: Any) -> None:
            """After an optimizer step."""
            nonlocal old
            p, now = probe.read(model)
            curve.append(float(p.mean()))
            across.append(float(p.std()))
            spread.append(ratio_variance(now, old))
            if state.global_step % cell.interval == 0:
                old = now

    def emit(row: dict[str, float]) -> None:
        for name in LOGGED:
            log[name].append(row.get(name))

    with tempfile.TemporaryDirectory() as folder:
        trainer = make(cell, model, reader, folder, source)
        trainer.emit = emit
        trainer.add_callback(Read())
        trainer.train()
    return {"p": curve, "across": across, "ratio_variance": spread, "log": log}
