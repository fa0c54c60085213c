"""Frozen completions: what a model answered, on disk, so that scoring can be repeated without it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from empirical.errors import InputError
from empirical.tasks import Problem


@dataclass(frozen=True)
class Answers:
    """The completions of one problem.

    Attributes:
        problem: its id.
        gold: the reference answer.
        completions: in the order in which they were drawn.
    """

    problem: str
    gold: str
    completions: tuple[str, ...]


def sample(
    loaded: Any,
    prompts: Sequence[Any],
    problems: Sequence[Problem],
    *,
    samples: int,
    temperature: float,
    longest: int,
    seed: int,
    batch: int = 64,
) -> list[Answers]:
    """Draw completions from a model.

    Args:
        loaded: model and tokenizer.
        prompts: text or conversation of each problem.
        problems: the problems, in the same order.
        samples: completions a problem.
        temperature: of the sampling; top-k and top-p are off.
        longest: tokens of a completion.
        seed: of torch's generator.
        batch: sequences at a time.
    """
    import torch

    model, tokenizer = loaded.model.eval(), loaded.tokenizer
    texts = [
        asked
        if isinstance(asked, str)
        else tokenizer.apply_chat_template(asked, add_generation_prompt=True, tokenize=False)
        for asked in prompts
    ]
    jobs = [place for place in range(len(texts)) for _ in range(samples)]
    drawn: list[list[str]] = [[] for _ in texts]
    torch.manual_seed(seed)
    for start in range(0, len(jobs), batch):
        part = jobs[start : start + batch]
        inputs = tokenizer(
            [texts[i] for i in part],
            return_tensors="pt",
            padding=True,
            add_special_tokens=isinstance(prompts[part[0]], str),
            return_token_type_ids=False,
        ).to(model.device)
        with torch.no_grad():
            out = model.generate(
                **inputs,
                max_new_tokens=longest,
                do_sample=True,
                temperature=temperature,
                top_k=0,
                top_p=1.0,
                pad_token_id=tokenizer.pad_token_id,
            )
        for i, ids in zip(part, out[:, inputs["input_ids"].shape[1] :], strict=True):
            drawn[i].append(tokenizer.decode(ids, skip_special_tokens=True))
    return [Answers(problem.id, problem.answer, tuple(texts)) for problem, texts in zip(problems, drawn, strict=True)]


def write_answers(path: Path, answers: Sequence[Answers]) -> None:
    """Write completions as JSONL, in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        for one in answers:
            file.write(
                json.dumps({"problem": one.problem, "gold": one.gold, "completions": list(one.completions)}) + "\n"
            )
    draft.replace(path)


def read_answers(path: Path) -> list[Answers]:
    """Read what `write_answers` wrote.

    Raises:
        InputError: no such file, or a damaged line; names it.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            path,
            found=getattr(error, "strerror", None) or "no text",
            expected="frozen completions",
            todo="check the path, or draw them again with `evaluate`",
        ) from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            texts = tuple(row["completions"])
            if not texts or not all(isinstance(text, str) for text in texts):
                raise TypeError
            found.append(Answers(str(row["problem"]), str(row["gold"]), texts))
        except (ValueError, KeyError, TypeError):
            raise InputError(
                path,
                line=number,
                found="a damaged line",
                expected='{"problem": ..., "gold": ..., "completions": [...]}',
                todo="restore the file, or draw the completions again with `evaluate`",
            ) from None
    return found
