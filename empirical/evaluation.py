"""Draw completions of a model on the transfer tasks, freeze them, and score what is frozen."""

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from empirical.completions import Answers, read_answers, sample, write_answers
from empirical.loading import load, prompt, set_threads
from empirical.models import Preset
from empirical.tasks import Problem, load_task
from empirical.tasks.hub import HUB_TASKS
from empirical.tasks.standin import STAND_INS
from empirical.training.journal import write_json
from empirical.transfer import KS, Counts, table
from empirical.verifier import Verdict, Verifier

BASE = "base"
TRANSFER_SEED = 5  # of the transfer problems, the same for every arm


def transfer_tasks(names: Sequence[str], size: int | None, revision: str | None = None) -> dict[str, list[Problem]]:
    """The problems of the transfer tasks: as many as the paper has; 100 of a stand-in; `size` where it is given.

    Raises:
        InputError: see `load_task`.
    """
    found = {}
    for name in names:
        few = size if size is not None else None if name in HUB_TASKS else 100
        found[Path(name).stem] = load_task(name, few, TRANSFER_SEED, revision)[0]
    return found


def draw(
    preset: Preset,
    tasks: Mapping[str, Sequence[Problem]],
    folder: Path,
    *,
    samples: int,
    temperature: float,
    longest: int,
    seed: int,
) -> None:
    """Freeze a model's completions: a file a task in `folder`; tasks that have one are left as they are.

    Raises:
        InputError: see `load`.
    """
    missing = [name for name in tasks if not (folder / f"{name}.jsonl").exists()]
    if not missing:
        return
    import torch

    cuda = torch.cuda.is_available()
    set_threads(preset)
    loaded = load(preset, cuda=cuda)
    if cuda:
        loaded.model.to("cuda")
    batch = 256 if preset.shape is not None and preset.shape.parameters < 10**7 else 16
    for name in missing:
        prompts = [prompt(problem, preset, loaded.tokenizer) for problem in tasks[name]]
        answers = sample(
            loaded,
            prompts,
            tasks[name],
            samples=samples,
            temperature=temperature,
            longest=longest,
            seed=seed,
            batch=batch,
        )
        write_answers(folder / f"{name}.jsonl", answers)
        print(f"{folder.name}: {name}, {len(answers)} problems, {samples} completions each", file=sys.stderr)


def score(answers: Sequence[Answers], verifier: Verifier) -> Counts:
    """Count the correct completions of every problem."""
    verdicts = [[verifier.judge(text, one.gold) for text in one.completions] for one in answers]
    flat = [verdict for each in verdicts for verdict in each]
    return Counts(
        tuple(one.problem for one in answers),
        tuple(len(each) for each in verdicts),
        tuple(each.count(Verdict.CORRECT) for each in verdicts),
        flat.count(Verdict.UNPARSEABLE),
        flat.count(Verdict.UNDECIDED),
    )


def arms(folder: Path) -> dict[str, list[Path]]:
    """The runs of every arm: folders `ARM-seedSEED` (or `ARM`) under `folder`, `base` first."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() and any(path.glob("*.jsonl")):
            found.setdefault(path.name.rpartition("-seed")[0] or path.name, []).append(path)
    return dict(sorted(found.items(), key=lambda item: (item[0] != BASE, len(item[0]), item[0])))


def score_all(folder: Path, out: Path, model: str) -> dict[str, list[dict[str, object]]]:
    """Score everything that is frozen under `folder`, and write `transfer.json` and `transfer.csv` in `out`.

    `transfer.csv` has the columns that `audit` reads: its means and standard deviations come from these counts.

    Returns:
        Rows of the table, by benchmark.

    Raises:
        InputError: no completions, or damaged ones.
    """
    from empirical.errors import InputError

    groups = arms(folder) if folder.is_dir() else {}
    if not groups:
        raise InputError(
            folder,
            found="no completions",
            expected="folders such as base/ and G=4-seed42/ with a JSONL file a benchmark",
            todo="draw them first: python -m empirical evaluate --model MODEL",
        )
    there = {p.stem for paths in groups.values() for path in paths for p in path.glob("*.jsonl")}
    known = [name for name in (*STAND_INS, *HUB_TASKS) if name in there]  # in the order of their distance
    benchmarks = known + sorted(there - set(known))
    result: dict[str, list[dict[str, object]]] = {}
    counts: dict[str, dict[str, list[dict[str, object]]]] = {}
    with Verifier() as verifier:
        for name in benchmarks:
            runs = {
                arm: [score(read_answers(path / f"{name}.jsonl"), verifier) for path in paths]
                for arm, paths in groups.items()
                if all((path / f"{name}.jsonl").exists() for path in paths)
            }
            base = BASE if BASE in runs else None
            fewest = min(n for each in runs.values() for run in each for n in run.samples)
            result[name] = [row for k in KS if k <= fewest for row in table(runs, base, k)]
            counts[name] = {arm: [asdict(run) for run in each] for arm, each in runs.items()}
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "transfer.json", {"model": model, "table": result, "counts": counts})
    draft = out / ".transfer.csv.draft"
    draft.write_text(_csv(result, model), encoding="utf-8")
    draft.replace(out / "transfer.csv")
    return result


def _csv(result: Mapping[str, list[dict[str, object]]], model: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["benchmark", "problems", "metric", "model", "arm", "mean", "std", "seeds", "samples"])
    for benchmark, rows in result.items():
        for row in rows:
            seeds = row["seeds"]
            total, problems = row["samples"], row["problems"]
            assert isinstance(seeds, list)
            assert isinstance(total, list)
            assert isinstance(problems, int)
            writer.writerow(
                [
                    benchmark,
                    problems,
                    row["metric"],
                    model,
                    row["arm"],
                    row["mean"],
                    row["std"] if row["std"] is not None else "",
                    len(seeds),
                    total[0] // problems,
                ]
            )
    return text.getvalue()


def show(result: Mapping[str, list[dict[str, object]]]) -> None:
    """Print the transfer table."""
    from rich.console import Console
    from rich.table import Table

    printed = Table(title="Transfer (percent; mean and standard deviation over seeds)", title_justify="left")
    for column in ("benchmark", "metric", "arm", "mean", "std", "95% over problems", "against base", "p"):
        printed.add_column(column)
    for benchmark, rows in result.items():
        for row in rows:
            against = row.get("difference")
            gain, p = "", ""
            if isinstance(against, dict):
                gain = f"{against['mean']:+.2f} [{against['low']:+.2f}, {against['high']:+.2f}]"
                p = f"{against['p']:.4f}"
            printed.add_row(
                benchmark,
                str(row["metric"]),
                str(row["arm"]),
                str(row["mean"]),
                str(row["std"] or ""),
                f"{row['low']:.2f} ... {row['high']:.2f}",
                gain,
                p,
            )
    console = Console() if sys.stdout.isatty() else Console(width=120)
    console.print(printed)


def read_table(path: Path) -> dict[str, object]:
    """Read `transfer.json`."""
    found: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return found
