"""Table 2 of the paper as numbers."""

import re
from dataclasses import dataclass

from empirical.published import table_2

MODULES = {letter: f"{letter}_proj" for letter in ("q", "k", "v", "o", "up", "down", "gate")}


@dataclass(frozen=True)
class Published:
    """The training configuration as printed; one attribute a row of Table 2, in its order."""

    learning_rate: float
    epochs: int
    batch_size: int
    gradient_accumulation: int
    temperature: float
    max_prompt: int
    max_completion: int
    logging_steps: int
    eval_steps: int
    beta: float
    epsilon: float
    use_lora: bool
    rank: int
    alpha: int
    dropout: float
    targets: tuple[str, ...]
    merge: bool


def published() -> Published:
    """Read `published/table_2.csv`.

    Raises:
        InputError: the file is not the table.
        ValueError: a value is no number of the kind that belongs there.
    """
    values = dict(zip(table_2()["name"], table_2()["value"], strict=True))
    rate = re.fullmatch(r"(\d+(?:\.\d+)?)×10\^(-?\d+)", values["Learning Rate"])
    if not rate:
        raise ValueError(f"Learning Rate = {values['Learning Rate']!r}; expected m×10^n")
    letters = values["Target Modules"].removesuffix(" projections").split(", ")
    return Published(
        learning_rate=float(f"{rate[1]}e{rate[2]}"),
        epochs=int(values["Epochs"]),
        batch_size=int(values["Batch Size"]),
        gradient_accumulation=int(values["Gradient Accumulation"]),
        temperature=float(values["Temperature"]),
        max_prompt=int(values["Max Prompt Length"]),
        max_completion=int(values["Max Completion Length"]),
        logging_steps=int(values["Logging Steps"]),
        eval_steps=int(values["Eval Steps"]),
        beta=float(values["KL Coefficient (β)"]),
        epsilon=float(values["Clipping Coefficient (ε)"]),
        use_lora={"True": True, "False": False}[values["Use LoRA"]],
        rank=int(values["Rank (r)"]),
        alpha=int(values["Alpha"]),
        dropout=float(values["Dropout"]),
        targets=tuple(MODULES[letter] for letter in letters),
        merge={"True": True, "False": False}[values["Merge Adapters"]],
    )
