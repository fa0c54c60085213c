"""The command `train`: one run of GRPO."""

import os
import shlex
import sys
from pathlib import Path
from shutil import disk_usage
from typing import Annotated, Any

import typer

from empirical.errors import InputError, no_room, refusals
from empirical.models import Preset, resolve
from empirical.rewards import Arm
from empirical.training.plan import Plan, plan, settings

Model = Annotated[str, typer.Option(help="A preset (see `models`), a hub id, or a folder with weights.")]
Task = Annotated[
    str | None,
    typer.Option(help="Training problems: a name, or a JSONL/JSON/Parquet file.", show_default="the model's"),
]
Steps = Annotated[int | None, typer.Option(help="Optimizer steps.", show_default="the model's, else two epochs")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the whole plan and stop.")]
Rate = Annotated[float | None, typer.Option(help="Learning rate.", show_default="Table 2, or the model's")]
Refresh = Annotated[int, typer.Option(min=1, help="K_ref: optimizer steps between two copies of the policy.")]
Iterations = Annotated[int, typer.Option(min=1, help="How often each completion is used; divides --refresh.")]
Problems = Annotated[int | None, typer.Option(min=1, help="Training problems.", show_default="all")]
Revision = Annotated[str | None, typer.Option(help="Commit of a data set on the hub.", show_default="pinned")]
BatchSize = Annotated[int | None, typer.Option(min=1, help="Sequences of a micro-step.", show_default="Table 2")]
Completion = Annotated[int | None, typer.Option("--max-completion", min=1, help="Tokens.", show_default="Table 2")]
EvalProblems = Annotated[int | None, typer.Option(min=0, help="Held-out problems.", show_default="32")]

LEAST_ROOM = 2**20  # bytes; where torch cannot write it names no reason


def main_process() -> bool:
    """Whether this process reports (of several that accelerate starts)."""
    return int(os.environ.get("RANK", "0")) == 0


def resolved(
    model: str, group_size: int, seed: int, given: dict[str, Any], *, dry_run: bool = False
) -> tuple[Preset, Plan, Any]:
    """The preset, the plan and the problems of a run.

    A dry run fetches nothing from the hub: the sizes of its sets are known.

    Raises:
        InputError: names the option at fault; or what this machine lacks, before anything is fetched.
    """
    from empirical.tasks.hub import HUB_TASKS
    from empirical.training.split import split

    preset = resolve(model)
    if preset.gpu and not dry_run:
        require_here(preset)
    revision = given.pop("revision", None)
    given["processes"] = int(os.environ.get("WORLD_SIZE", "1"))
    try:
        found = settings(preset, group_size, seed, given)
        if dry_run and found.task in HUB_TASKS:
            known = HUB_TASKS[found.task].size or 0
            return preset, plan(preset, found, min(known, found.problems or known)), None
        data = split(found.task, found.problems, found.eval_problems, revision)
        return preset, plan(preset, found, len(data[0])), data
    except ValueError as error:
        raise InputError(
            "the options", found=str(error), expected="a run that can be carried out", todo="change that option"
        ) from None


def require_here(preset: Preset) -> None:
    """Refuse a model that needs a GPU where torch finds none, before anything is downloaded for it.

    Raises:
        InputError: no GPU, or no torch.
    """
    from empirical.models import memory_here, require

    try:
        import torch
    except ImportError as error:
        raise _missing(error) from None
    cuda = bool(torch.cuda.is_available())
    need = plan(preset, settings(preset, 16, 42), 7473).memory
    require(preset, need, cuda=cuda, here=memory_here(cuda))


def train(
    model: Model = "tiny",
    task: Task = None,
    group_size: Annotated[int, typer.Option(min=2, help="G: completions a prompt.")] = 4,
    seed: Annotated[int, typer.Option(help="Of everything.")] = 42,
    steps: Steps = None,
    problems: Problems = None,
    refresh: Refresh = 1,
    iterations: Iterations = 1,
    optimizer: Annotated[str, typer.Option(help="adamw, or sgd with momentum (Eq. 3).")] = "adamw",
    momentum: Annotated[float, typer.Option(help="mu of sgd, beta_1 of adamw.")] = 0.9,
    learning_rate: Rate = None,
    schedule: Annotated[str, typer.Option(help="constant or linear.")] = "constant",
    beta: Annotated[float | None, typer.Option(help="KL coefficient.", show_default="Table 2")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Clipping coefficient.", show_default="Table 2")] = None,
    max_grad_norm: Annotated[float, typer.Option(min=0, help="0 leaves gradients alone.")] = 1.0,
    reward: Annotated[Arm, typer.Option(help="placebo: a coin; control: a 7 in the completion.")] = Arm.VERIFIABLE,
    batch_size: BatchSize = None,
    accumulation: Annotated[int | None, typer.Option(min=1, help="Micro-steps.", show_default="Table 2")] = None,
    max_prompt: Annotated[int | None, typer.Option(min=1, help="Tokens.", show_default="Table 2")] = None,
    max_completion: Completion = None,
    eval_problems: EvalProblems = None,
    eval_steps: Annotated[int | None, typer.Option(min=1, help="Steps.", show_default="Table 2")] = None,
    lora: Annotated[bool | None, typer.Option(help="Adapters, or every weight.", show_default="Table 2")] = None,
    vllm: Annotated[bool, typer.Option("--vllm", help="Sample with vLLM.")] = False,
    checkpoint_every: Annotated[int, typer.Option(min=1, help="Steps; rounded up to refresh cycles.")] = 25,
    revision: Revision = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run.", show_default="build/empirical/MODEL/G-SEED")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that was stopped.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Train one model with GRPO, and measure every step.

    The published settings (Table 2) hold where no option says otherwise. Several GPUs: accelerate launch -m
    empirical train ... (configurations in empirical/launch/).

    The folder gets log.jsonl (a row a step, on the disk before the next step begins), eval.jsonl, run.json,
    checkpoints/ and model/.

    Exit code: 0 done, 2 for bad input, 130 when interrupted; --resume continues.
    """
    with refusals():
        preset, resolved_plan, data = resolved(
            model,
            group_size,
            seed,
            {
                "task": task,
                "steps": steps,
                "problems": problems,
                "refresh": refresh,
                "iterations": iterations,
                "optimizer": optimizer,
                "momentum": momentum,
                "learning_rate": learning_rate,
                "schedule": schedule,
                "beta": beta,
                "epsilon": epsilon,
                "max_grad_norm": max_grad_norm,
                "arm": reward,
                "batch_size": batch_size,
                "gradient_accumulation": accumulation,
                "max_prompt": max_prompt,
                "max_completion": max_completion,
                "eval_problems": eval_problems,
                "eval_steps": eval_steps,
                "lora": lora,
                "vllm": vllm,
                "checkpoint_every": checkpoint_every,
                "revision": revision,
            },
            dry_run=dry_run,
        )
        folder = out or Path("build/empirical") / Path(model).name / f"G{group_size}-seed{seed}"
        if dry_run or main_process():
            from rich.console import Console

            from empirical.training.show import show

            console = Console() if sys.stdout.isatty() else Console(width=120)
            if dry_run:
                show(resolved_plan, preset, folder, console)
                return
        one(resolved_plan, preset, data, folder, resume=resume)
        if main_process():
            print(f"done: {folder}")


def one(found: Plan, preset: Preset, data: Any, folder: Path, *, resume: bool) -> None:
    """Train; on ctrl-C, and on a full disk, say what is safe."""
    try:
        from empirical.training.run import train as carry_out
    except ImportError as error:  # pragma: no cover - depends on the environment
        raise _missing(error) from None
    problems, held_out, commit = data
    try:
        carry_out(
            found,
            preset,
            problems,
            held_out,
            folder,
            resume=resume,
            command="python -m empirical " + shlex.join(sys.argv[1:]),
            commit=commit,
        )
    except ImportError as error:
        raise _missing(error) from None
    except KeyboardInterrupt:
        if main_process():
            print(
                f"\nstopped. The rows in {folder} are safe; the same command with --resume goes on from the last "
                f"checkpoint (every {found.checkpoint_every} steps).",
                file=sys.stderr,
            )
        raise SystemExit(130) from None
    except (OSError, RuntimeError, safetensors_error()) as error:
        if not (no_room(error) or (folder.exists() and disk_usage(folder).free < LEAST_ROOM)):
            raise
        raise InputError(
            folder,
            found="a full disk",
            expected="room for the log, two checkpoints and the weights",
            todo="its rows and whole checkpoints are safe: free some space, then the same command with --resume",
        ) from None


def safetensors_error() -> type[Exception]:
    """What safetensors raises, for a full disk too."""
    from safetensors import SafetensorError

    found: type[Exception] = SafetensorError
    return found


def _missing(error: ImportError) -> InputError:
    return InputError(
        "this environment",
        found=f"no package {error.name}",
        expected="the extra `train`",
        todo="run tox -e empirical -- ARGUMENTS, or pip install -c constraints.txt -e '.[train]'",
    )
