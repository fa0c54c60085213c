"""GSM8K and the eight transfer sets on the hub: where they are, and which of their problems the paper uses."""

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from empirical.answers import final_answer
from empirical.errors import InputError, quote
from empirical.tasks.problem import Problem


@dataclass(frozen=True)
class HubTask:
    """A data set on the hub.

    Attributes:
        hub: its id.
        split: the split that is evaluated (or trained on).
        question: column of the question.
        answer: column of the answer; the final answer is taken out of a worked solution.
        config: its configuration, where it has several.
        revision: the commit that is loaded. None where none could be checked when this table was written: the
            commit found at the first load is then recorded with the run, and `--revision` repeats it.
        size: problems in Table 1 of the paper; a larger split is sampled down to it, seeded.
        skip_proofs: leave out problems whose reference is no final answer.
    """

    hub: str
    split: str
    question: str
    answer: str
    config: str | None = None
    revision: str | None = None
    size: int | None = None
    skip_proofs: bool = False


HUB_TASKS: Mapping[str, HubTask] = MappingProxyType(
    {
        "gsm8k": HubTask(
            "openai/gsm8k", "train", "question", "answer", "main", "e53f048856ff4f594e959d75785d2c2d37b678ee", 7473
        ),
        "gsm8k-test": HubTask(
            "openai/gsm8k", "test", "question", "answer", "main", "e53f048856ff4f594e959d75785d2c2d37b678ee", 1319
        ),
        "gsm-plus": HubTask("qintongli/GSM-Plus", "testmini", "question", "answer", size=2400),
        "math-500": HubTask("HuggingFaceH4/MATH-500", "test", "problem", "answer", size=500),
        "aime-2026": HubTask("MathArena/aime_2026", "train", "problem", "answer", size=30),
        "metamathqa": HubTask("meta-math/MetaMathQA", "train", "query", "response", size=2000),
        "numinamath": HubTask("AI-MO/NuminaMath-CoT", "test", "problem", "solution", size=99, skip_proofs=True),
        "openmath2": HubTask("nvidia/OpenMathInstruct-2", "train_1M", "problem", "expected_answer", size=2000),
        "imo-bench": HubTask("Hwilner/imo-answerbench", "train", "Problem", "Short Answer", size=400),
        "hmmt-2025": HubTask("MathArena/hmmt_feb_2025", "train", "problem", "answer", size=30),
    }
)
TRANSFER = tuple(name for name in HUB_TASKS if not name.startswith("gsm8k"))


def reference_answer(text: str) -> str | None:
    r"""The reference answer in a data set's answer column: after its marker, in its box, or the whole.

    MetaMathQA closes with "The answer is: x". A text of several lines without any marker is a proof: None.
    """
    stated = final_answer(text, strict=True)
    if stated is not None:
        return stated
    closing = re.search(r"[Tt]he answer is:?\s*([^\n]+?)\.?\s*$", text.strip())
    if closing:
        return closing.group(1)
    return text.strip() if text.strip() and "\n" not in text.strip() and len(text) < 200 else None


def problems(name: str, task: HubTask, rows: Iterable[Mapping[str, Any]], seed: int) -> list[Problem]:
    """The problems of a data set's rows.

    Args:
        name: of the task.
        task: its columns and its size.
        rows: the split.
        seed: of the sample, where the split holds more than `task.size`.

    Raises:
        InputError: a row without its columns, or without an answer where none may be skipped.
    """
    found = []
    for place, row in enumerate(rows):
        missing = [column for column in (task.question, task.answer) if row.get(column) in (None, "")]
        if missing:
            raise InputError(
                task.hub,
                line=place + 1,
                column=missing[0],
                found=f"the columns {quote(sorted(row))}",
                expected=f"a text in {task.question!r} and {task.answer!r}",
                todo="name another revision with --revision, or give a local file",
            )
        answer = reference_answer(str(row[task.answer]))
        if answer is None:
            if task.skip_proofs:
                continue
            raise InputError(
                task.hub,
                line=place + 1,
                column=task.answer,
                found=quote(str(row[task.answer])),
                expected="a final answer",
                todo="leave this row out in a local copy, and give that file",
            )
        found.append(Problem(f"{name}-{place}", str(row[task.question]), answer))
    if task.size is not None and len(found) > task.size:
        chosen = sorted(random.Random(seed).sample(range(len(found)), task.size))
        found = [found[i] for i in chosen]
    return found


def fetch(name: str, revision: str | None, seed: int) -> tuple[list[Problem], str | None]:
    """Load a task from the hub or from its cache.

    Returns:
        The problems, and the commit that they came from where it is known.

    Raises:
        InputError: the data set cannot be had.
    """
    import datasets

    task = HUB_TASKS[name]
    wanted = revision or task.revision
    try:
        if wanted is None:
            from huggingface_hub import HfApi

            wanted = HfApi().dataset_info(task.hub).sha
        rows = datasets.load_dataset(task.hub, task.config, split=task.split, revision=wanted)
    except Exception as error:  # the hub's clients raise dozens of kinds
        raise InputError(
            f"{task.hub} ({name})",
            found=f"no way to it: {type(error).__name__}",
            expected="the data set on the hub or in the local cache",
            todo="connect to the network, or download it elsewhere and give the file: --task FILE.jsonl with "
            f"{task.question!r} and {task.answer!r} on each line; --task sums needs neither",
        ) from None
    return problems(name, task, rows, seed), wanted
