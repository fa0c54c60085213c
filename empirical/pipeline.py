"""The command `run`: train at every group size and seed, measure transfer, diagnose. The paper's protocol."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from empirical.errors import InputError, refusals
from empirical.evaluate import PerTask, Samples
from empirical.models import Preset, resolve
from empirical.training.command import (
    BatchSize,
    Completion,
    DryRun,
    EvalProblems,
    Model,
    Problems,
    Rate,
    Refresh,
    Revision,
    Steps,
    Task,
    require_here,
    resolved,
)

SMALL = 10_000_000  # parameters below which a run keeps one core busy, so that two run side by side


def run(
    model: Model = "tiny",
    task: Task = None,
    group_sizes: Annotated[str, typer.Option(help="Comma-separated.")] = "4,16",
    seeds: Annotated[str, typer.Option(help="Comma-separated.")] = "42,3407",
    steps: Steps = None,
    problems: Problems = None,
    learning_rate: Rate = None,
    batch_size: BatchSize = None,
    max_completion: Completion = None,
    refresh: Refresh = 1,
    eval_problems: EvalProblems = None,
    tasks: Annotated[str | None, typer.Option(help="Transfer tasks.", show_default="the model's")] = None,
    samples: Samples = 5,
    transfer_problems: PerTask = None,
    revision: Revision = None,
    launch: Annotated[
        Path | None, typer.Option(help="Configuration for accelerate launch: several GPUs.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder.", show_default="build/empirical/MODEL")] = None,
    dry_run: DryRun = False,
) -> None:
    """Run the paper's protocol: G in {4, 16}, seeds {42, 3407}, eight transfer sets at pass@1 and pass@5, diagnosis.

    Whatever is finished is not done again: the same command continues a run that was stopped.

    Exit code: 0 done, 2 for bad input, 130 when interrupted.
    """
    with refusals():
        preset = resolve(model)
        folder = out or Path("build/empirical") / Path(model).name
        sizes, chosen = _integers(group_sizes, "--group-sizes"), _integers(seeds, "--seeds")
        options = {
            "task": task,
            "steps": steps,
            "problems": problems,
            "learning-rate": learning_rate,
            "batch-size": batch_size,
            "max-completion": max_completion,
            "refresh": refresh,
            "eval-problems": eval_problems,
            "revision": revision,
        }
        if dry_run:
            _show_plans(model, sizes, chosen, options, folder)
            return
        if preset.gpu:
            require_here(preset)
        begin = time.monotonic()
        try:
            _train_all(preset, model, sizes, chosen, options, folder, launch)
            trained = time.monotonic()
            _transfer(preset, model, sizes, chosen, tasks, samples, transfer_problems, max_completion, revision, folder)
            measured = time.monotonic()
        except KeyboardInterrupt:
            print(f"\nstopped. What {folder} holds is safe; the same command goes on.", file=sys.stderr)
            raise SystemExit(130) from None
        _diagnose([folder / f"G{size}-seed{seed}" for size in sizes for seed in chosen], folder)
        print(
            f"{trained - begin:.0f} s of training, {measured - trained:.0f} s of transfer, "
            f"{time.monotonic() - measured:.0f} s of diagnosis: {folder}"
        )


def _integers(text: str, option: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise InputError(option, found=repr(text), expected="whole numbers such as 4,16", todo="correct the option")
    return list(dict.fromkeys(map(int, parts)))


def _show_plans(
    model: str, sizes: Sequence[int], seeds: Sequence[int], options: Mapping[str, object], folder: Path
) -> None:
    from rich.console import Console

    from empirical.training.show import show

    console = Console() if sys.stdout.isatty() else Console(width=120)
    given = {name.replace("-", "_"): value for name, value in options.items()}
    for size in sizes:
        for seed in seeds:
            preset, found, _ = resolved(model, size, seed, dict(given), dry_run=True)
            show(found, preset, folder / f"G{size}-seed{seed}", console)
    console.print(f"then transfer to {', '.join(preset.transfer)} at pass@1 and pass@5, and the diagnosis")


def _train_all(
    preset: Preset,
    model: str,
    sizes: Sequence[int],
    seeds: Sequence[int],
    options: Mapping[str, object],
    folder: Path,
    launch: Path | None,
) -> None:
    """Train every cell in a process of its own; two at a time where one core each is enough."""
    python = [sys.executable, "-m"]
    if launch is not None:
        python += ["accelerate.commands.launch", "--config_file", str(launch), "-m"]
    cells = []
    for size in sizes:
        for seed in seeds:
            cell = folder / f"G{size}-seed{seed}"
            if (cell / "model" / "config.json").is_file():
                print(f"{cell}: done before", file=sys.stderr)
                continue
            told = [f"--{name}={value}" for name, value in options.items() if value is not None]
            cells.append(
                [*python, "empirical", "train", f"--model={model}", f"--group-size={size}", f"--seed={seed}",
                 *told, f"--out={cell}", "--resume"]
            )  # fmt: skip
    small = preset.shape is not None and preset.shape.parameters < SMALL
    jobs = max(1, min(2, os.cpu_count() or 1, len(cells))) if small and launch is None else 1
    if small and cells:
        from empirical.loading import quiet, set_threads
        from empirical.tiny import tiny_folder

        quiet()
        set_threads(preset)
        tiny_folder()  # made once, before two processes want it
    environment = {**os.environ, "PREDICTABLE_GRPO_PLAIN": "1"} if jobs > 1 else dict(os.environ)
    if small:
        environment["OMP_NUM_THREADS"] = "1"

    def carry_out(command: list[str]) -> int:
        return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False).returncode

    with ThreadPoolExecutor(jobs) as pool:
        codes = list(pool.map(carry_out, cells))
    for command, code in zip(cells, codes, strict=True):
        if code == 130:
            raise KeyboardInterrupt
        if code:
            raise InputError(
                command[-2].removeprefix("--out="),
                found=f"a run that ended with exit code {code}",
                expected="0",
                todo="read its message above; what it had written is safe, and the same command goes on",
            )


def _transfer(
    preset: Preset,
    model: str,
    sizes: Sequence[int],
    seeds: Sequence[int],
    tasks: str | None,
    samples: int,
    size: int | None,
    longest: int | None,
    revision: str | None,
    folder: Path,
) -> None:
    """Freeze the completions of the base model and of every cell, and score them."""
    from empirical.evaluation import BASE, draw, score_all, show, transfer_tasks
    from empirical.training.published import published

    problems = transfer_tasks(tasks.split(",") if tasks else preset.transfer, size, revision)
    table = published()
    frozen = folder / "completions"
    runs = [(preset, frozen / BASE, seeds[0])]
    for group in sizes:
        for seed in seeds:
            weights = str(folder / f"G{group}-seed{seed}" / "model")
            trained = replace(preset, name=weights, source=weights)
            runs.append((trained, frozen / f"G={group}-seed{seed}", seed))
    for one, place, seed in runs:
        draw(
            one,
            problems,
            place,
            samples=samples,
            temperature=table.temperature,
            longest=longest or preset.completion or table.max_completion,
            seed=seed,
        )
    show(score_all(frozen, folder, model))


def _diagnose(runs: Sequence[Path], folder: Path) -> None:
    """Hand the logs to the diagnosis, each with its evaluations: one file a run, as trainers write them."""
    from empirical.diagnostics.command import diagnose

    joined = folder / "logs"
    joined.mkdir(exist_ok=True)
    files = []
    for cell in runs:
        target, draft = joined / f"{cell.name}.jsonl", joined / f".{cell.name}.draft"
        texts = [cell / name for name in ("log.jsonl", "eval.jsonl") if (cell / name).exists()]
        lines = [line for path in texts for line in path.read_text(encoding="utf-8").splitlines()]
        lines.sort(key=lambda line: int(json.loads(line)["step"]))  # stable: a step before its evaluation
        draft.write_text("\n".join(lines) + "\n", encoding="utf-8")
        draft.replace(target)
        files.append(target)
    diagnose(runs=files, out=folder / "report")
