"""One training run: from a plan to a folder with its log, its evaluation, its weights and what it was."""

import os
import platform
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from empirical.errors import InputError
from empirical.loading import Loaded, load, prompt, set_threads
from empirical.models import Preset
from empirical.rewards import Reward
from empirical.tasks import Problem
from empirical.training.config import grpo_arguments, lora_arguments
from empirical.training.data import Rows, order
from empirical.training.journal import Journal, write_json
from empirical.training.plan import Plan
from empirical.training.progress import Progress
from empirical.training.published import published
from empirical.training.record import CLOCKS, checked
from empirical.verifier import Verdict

LOG, EVAL, RUN, WEIGHTS, CHECKPOINTS, WHOLE = "log.jsonl", "eval.jsonl", "run.json", "model", "checkpoints", "whole"
PACKAGES = ("torch", "trl", "transformers", "peft", "accelerate", "datasets", "math-verify", "reasoning-gym")


def processor() -> str:
    """The name of the processor: its float32 sums decide which completions are drawn."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Versions of the interpreter and of the packages that decide a run, and the machine."""
    from importlib.metadata import PackageNotFoundError, version

    found = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
    }
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def is_main() -> bool:
    """Whether this is the process that writes (of several that `accelerate launch` starts)."""
    return int(os.environ.get("RANK", "0")) == 0


def prepare(folder: Path, plan: Plan, *, resume: bool) -> Path | None:
    """Check that the folder may be written to, and find the last whole checkpoint.

    Raises:
        InputError: it holds a run already and `resume` was not asked for, or a run of another plan.
    """
    log, about = folder / LOG, folder / RUN
    if log.exists() and log.stat().st_size and not resume:
        raise InputError(
            folder,
            found="the log of a run",
            expected="an empty or a new folder",
            todo="continue that run with --resume, or name another folder with --out",
        )
    if resume and about.exists():
        import json

        key = json.loads(about.read_text(encoding="utf-8")).get("key")
        if key != plan.key:
            raise InputError(
                about,
                found="a run with other settings",
                expected="the same settings as now",
                todo="repeat the command of run.json, or name another folder with --out",
            )
    whole = [path.parent for path in (folder / CHECKPOINTS).glob(f"checkpoint-*/{WHOLE}")] if resume else []
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def rows(problems: Sequence[Problem], preset: Preset, tokenizer: Any, longest: int) -> list[dict[str, Any]]:
    """Rows for the trainer, without the prompts that are longer than `longest` tokens."""
    found = []
    for problem in problems:
        asked = prompt(problem, preset, tokenizer)
        if isinstance(asked, str):
            length = len(tokenizer(asked)["input_ids"])
        else:
            length = len(
                tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_dict=True)["input_ids"]
            )
        if length <= longest:
            found.append({"prompt": asked, "answer": problem.answer})
    return found


def train(
    plan: Plan,
    preset: Preset,
    problems: Sequence[Problem],
    held_out: Sequence[Problem],
    folder: Path,
    *,
    resume: bool = False,
    command: str = "",
    commit: str | None = None,
    loaded: Loaded | None = None,
) -> Path:
    """Train, and leave everything in `folder`.

    `log.jsonl` has a row a step (see `record.COLUMNS`), `eval.jsonl` one an evaluation, `run.json` what the run
    was, `model/` the weights (merged with their adapters where Table 2 says so).

    Args:
        plan: what to do.
        preset: the model.
        problems: to train on.
        held_out: to evaluate on; the plan's `eval_problems` first ones.
        folder: made if it is not there.
        resume: continue from the last whole checkpoint; the steps since then are done again.
        command: the command line, for run.json.
        commit: of the data set, for run.json.
        loaded: the model, where it is loaded already.

    Returns:
        The folder of the weights.

    Raises:
        InputError: something is missing, full or in the way; the rows written so far are safe.
    """
    import torch

    cuda = torch.cuda.is_available() and os.environ.get("ACCELERATE_USE_CPU", "").lower() not in ("true", "1")
    checkpoint = prepare(folder, plan, resume=resume)
    if resume and checkpoint is None and is_main() and (folder / LOG).exists():
        print("no whole checkpoint yet: starting again at step 1; rows that are there are compared", file=sys.stderr)
    set_threads(preset)
    loaded = loaded or load(preset, cuda=cuda, need=plan.memory)
    folder.mkdir(parents=True, exist_ok=True)
    with Reward(plan.settings.arm, plan.settings.seed).verifier as verifier:
        reward = Reward(plan.settings.arm, plan.settings.seed, verifier)
        trainer = _trainer(plan, preset, loaded, problems, held_out, folder, reward, cuda=cuda)
        main = is_main()
        if main:
            write_json(
                folder / RUN,
                {
                    "key": plan.key,
                    "command": command,
                    "settings": asdict(plan.settings),
                    "steps": plan.steps,
                    "interval": plan.refresh.interval,
                    "departures": list(plan.departures),
                    "versions": versions(),
                    "threads": torch.get_num_threads(),
                    "device": torch.cuda.get_device_name() if cuda else "cpu",
                    "weights": loaded.revision,
                    "data": commit,
                },
            )
        with (
            Journal(folder / LOG, CLOCKS) if main else _Nothing() as journal,
            Progress(f"{preset.name} G={plan.settings.group_size} seed={plan.settings.seed}", plan.steps, main) as bar,
        ):
            _connect(trainer, journal, folder / EVAL, bar, main)
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
            if main and journal.differing:
                print(
                    f"{journal.differing} of {journal.replayed} repeated steps differ from the log: another machine, "
                    "version or number of threads?",
                    file=sys.stderr,
                )
    return _save(trainer, plan, loaded, folder)


class _Nothing:
    """A journal for the processes that do not write."""

    replayed = differing = last = 0

    def append(self, row: Any) -> None:
        """Write nothing."""

    def __enter__(self) -> "_Nothing":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def _trainer(
    plan: Plan,
    preset: Preset,
    loaded: Loaded,
    problems: Sequence[Problem],
    held_out: Sequence[Problem],
    folder: Path,
    reward: Reward,
    *,
    cuda: bool,
) -> Any:
    """The instrumented trainer, ready to go."""
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import PrinterCallback, TrainerCallback
    from trl import GRPOConfig

    from empirical.training.trainer import instrumented

    s = plan.settings
    train_rows = rows(problems, preset, loaded.tokenizer, s.max_prompt)
    if len(train_rows) < plan.prompts_per_generation:
        raise InputError(
            s.task,
            found=f"{len(train_rows)} prompts of at most {s.max_prompt} tokens",
            expected=f"at least the {plan.prompts_per_generation} of one generation",
            todo="give more problems, or raise --max-prompt",
        )
    eval_rows = rows(held_out, preset, loaded.tokenizer, s.max_prompt)[: s.eval_problems] if s.eval_problems else []
    if s.vllm:
        from importlib.util import find_spec

        if find_spec("vllm") is None:
            raise InputError(
                "--vllm", found="no package vllm", expected="it", todo="pip install vllm, or leave out --vllm"
            )
    calls = 0

    def verify(completions: list[Any], answer: list[str], **other: Any) -> list[float]:
        nonlocal calls
        calls += 1
        texts = [text if isinstance(text, str) else text[-1]["content"] for text in completions]
        call = int(other["trainer_state"].global_step) * 1000 + int(os.environ.get("RANK", "0"))
        return reward.score(texts, answer, call)

    arguments = grpo_arguments(plan, folder / CHECKPOINTS, cuda=cuda)
    if not eval_rows:
        arguments |= {"eval_strategy": "no", "eval_steps": None}
    model = loaded.model
    if not s.lora and s.beta:  # TRL loads the reference from a path
        reference = folder / "reference"
        if is_main():
            model.save_pretrained(reference)
        model.config._name_or_path = str(reference)
    trainer = instrumented()(
        model=model,
        reward_funcs=verify,
        args=GRPOConfig(**arguments),
        train_dataset=Dataset.from_list(train_rows[:1]),
        eval_dataset=Dataset.from_list(eval_rows) if eval_rows else None,
        processing_class=loaded.tokenizer,
        peft_config=LoraConfig(**lora_arguments(plan, preset)) if s.lora else None,
    )
    places = order(len(train_rows), plan.prompts_per_generation, plan.generations, s.seed)
    trainer.train_dataset = Rows(train_rows, places)

    def answers() -> tuple[int, int, int]:
        verdicts = (Verdict.CORRECT, Verdict.UNPARSEABLE, Verdict.UNDECIDED)
        return tuple(reward.last.count(verdict) for verdict in verdicts)  # type: ignore[return-value]

    trainer.answers = answers
    trainer.passes_per_generation = plan.prompts_per_generation / len(train_rows)

    class Mark(TrainerCallback):  # type: ignore[misc]
        """Marks a checkpoint when all of it is there."""

        def on_save(self, args: Any, state: Any, control: Any, **other: Any) -> None:
            """After the last file of a checkpoint."""
            if state.is_world_process_zero:
                done = Path(args.output_dir) / f"checkpoint-{state.global_step}" / WHOLE
                done.touch()
                os.sync()

    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Mark())
    return trainer


def _connect(trainer: Any, journal: Any, evaluations: Path, bar: Progress, main: bool) -> None:
    """Lead the trainer's logs to the journal, the evaluations' file and the bar."""
    begin = last = time.monotonic()
    earlier = journal.rows()[-1]["time/seconds"] if main and journal.last else 0.0

    def emit(logs: dict[str, float]) -> None:
        nonlocal last
        now = time.monotonic()
        row = {**logs, "time/seconds": earlier + now - begin, "time/step": now - last}
        row["epoch"] = (row["generation"]) * trainer.passes_per_generation
        last = now
        if main:
            row = dict(checked(row))
            journal.append(row)
            bar.step(int(row["step"]), row.get("reward"), now - begin)

    def emit_eval(logs: dict[str, float]) -> None:
        if not main:
            return
        step = int(trainer.state.global_step)
        names = ("eval_reward", "eval_reward_std", "eval_entropy", "eval_kl", "eval_completions/mean_length")
        found = {name: logs[name] for name in names if logs.get(name) is not None}
        with _Series(evaluations) as series:
            series.append({"step": step, **{k: v for k, v in found.items() if v == v and abs(v) != float("inf")}})

    trainer.emit, trainer.emit_eval = emit, emit_eval


class _Series(Journal):
    """A journal whose steps may skip."""

    def append(self, row: Any) -> None:
        """Write a row, unless its step is there already."""
        self.last = self.last if row["step"] <= self.last else row["step"] - 1
        super().append(row)


def _save(trainer: Any, plan: Plan, loaded: Loaded, folder: Path) -> Path:
    """Save the weights, merged where the plan trains adapters, under their name in one step."""
    target, draft = folder / WEIGHTS, folder / f".{WEIGHTS}.draft"
    if is_main():
        model = trainer.accelerator.unwrap_model(trainer.model)
        if plan.settings.lora and published().merge:
            model = model.merge_and_unload()
        shutil.rmtree(draft, ignore_errors=True)
        model.save_pretrained(draft)
        loaded.tokenizer.save_pretrained(draft)
        shutil.rmtree(target, ignore_errors=True)
        draft.rename(target)
    trainer.accelerator.wait_for_everyone()
    return target
