"""The command `evaluate`: pass@1 and pass@5 of a model, or of frozen completions."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from empirical.errors import InputError, refusals
from empirical.models import resolve
from empirical.training.command import Model, Revision, _missing

Samples = Annotated[int, typer.Option(min=1, help="Completions a problem; pass@k needs k of them.")]
PerTask = Annotated[
    int | None,
    typer.Option("--transfer-problems", min=2, help="Problems a task.", show_default="the paper's; else 100"),
]


def evaluate(
    model: Model = "tiny",
    weights: Annotated[
        Path | None, typer.Option(help="Folder of trained weights of this model.", show_default="untrained")
    ] = None,
    arm: Annotated[str, typer.Option(help="Its name in the table, such as G=4; `base` is compared with.")] = "base",
    seed: Annotated[int, typer.Option(help="Of the sampling, and of the run.")] = 42,
    tasks: Annotated[
        str | None, typer.Option(help="Names or files, comma-separated.", show_default="the model's")
    ] = None,
    samples: Samples = 5,
    temperature: Annotated[float, typer.Option(help="Of the sampling.")] = 0.8,
    transfer_problems: PerTask = None,
    max_completion: Annotated[
        int | None, typer.Option(min=1, help="Tokens.", show_default="the model's, else 786")
    ] = None,
    revision: Revision = None,
    completions: Annotated[
        Path | None, typer.Option(help="Score these frozen completions; no model is needed.", show_default=False)
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the table, and of completions/.")] = Path("build/evaluate"),
) -> None:
    """Measure pass@1 and pass@5 with intervals over problems, and compare with the base model.

    Completions are frozen under OUT/completions/ARM-seedSEED/; the table is made of all that are there.

    Exit code: 0 done, 2 for bad input.
    """
    with refusals():
        from empirical.evaluation import draw, score_all, show, transfer_tasks

        if completions is None:
            preset = resolve(model)
            problems = transfer_tasks(tasks.split(",") if tasks else preset.transfer, transfer_problems, revision)
            if weights is not None:
                if not (weights / "config.json").is_file():
                    raise InputError(
                        weights,
                        found="no config.json",
                        expected="a folder of weights, such as RUN/model",
                        todo="name the folder that `train` wrote",
                    )
                preset = replace(preset, name=str(weights), source=str(weights))
            folder = out / "completions" / (arm if arm == "base" else f"{arm}-seed{seed}")
            try:
                draw(
                    preset,
                    problems,
                    folder,
                    samples=samples,
                    temperature=temperature,
                    longest=max_completion or preset.completion or 786,
                    seed=seed,
                )
            except ImportError as error:
                raise _missing(error) from None
            completions = out / "completions"
        show(score_all(completions, out, model))
        print(f"table: {out / 'transfer.json'}, {out / 'transfer.csv'}")
