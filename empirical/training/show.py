"""The plan, as `--dry-run` prints it."""

from typing import TYPE_CHECKING

from empirical.models import Preset
from empirical.tasks import describe
from empirical.training.plan import Plan

if TYPE_CHECKING:
    from rich.console import Console


def show(plan: Plan, preset: Preset, folder: object, console: "Console") -> None:
    """Print everything that a run will do, and where it leaves the paper."""
    from rich.table import Table

    s, r = plan.settings, plan.refresh
    table = Table(show_header=False, box=None, pad_edge=False, title="Plan", title_justify="left", title_style="bold")
    table.add_column(style="dim")
    table.add_column()
    memory = "not known before its weights are" if plan.memory is None else f"about {plan.memory:.1f} GiB a device"
    for name, value in (
        ("model", f"{preset.name}: {preset.source}"),
        ("task", f"{s.task}: {describe(s.task)}; {plan.problems} problems"),
        ("reward", s.arm.value),
        ("optimizer steps", f"{plan.steps}"),
        (
            "sequences",
            f"{plan.sequences} a step ({s.batch_size} x {s.gradient_accumulation} x {s.processes}: batch, "
            f"accumulation, processes)",
        ),
        ("group size", f"{s.group_size}: {plan.sequences / s.group_size:g} prompts a step"),
        (
            "refresh",
            f"K_ref = {r.interval}: the lag runs 0 ... {r.interval - 1}; steps_per_generation "
            f"{r.steps_per_generation}, num_iterations {r.num_iterations}",
        ),
        (
            "sampling",
            f"{plan.generations} generations of {plan.prompts_per_generation} prompts, {plan.completions} completions "
            f"of at most {s.max_completion} tokens at temperature {s.temperature:g}",
        ),
        (
            "update",
            f"{s.optimizer}, learning rate {s.learning_rate:g} ({s.schedule}), momentum {s.momentum:g}, clip "
            f"{s.epsilon:g}, KL {s.beta:g}, loss {s.loss_type}, gradient norm at most {s.max_grad_norm:g}",
        ),
        (
            "weights",
            f"LoRA r {s.rank}, alpha {s.alpha}, dropout {s.dropout:g} on {', '.join(preset.targets)}; merged"
            if s.lora
            else "all of them",
        ),
        ("evaluation", f"{s.eval_problems} held-out problems every {s.eval_steps} steps"),
        ("checkpoints", f"every {plan.checkpoint_every} steps, whole refresh cycles"),
        ("memory", memory),
        ("seed", f"{s.seed}"),
        ("folder", f"{folder}"),
    ):
        table.add_row(name, value)
    console.print(table)
    console.print("Where this leaves the paper:")
    for sentence in plan.departures:
        console.print(f"- {sentence}", soft_wrap=True)
