"""TRL's own writer, of whatever version is installed: the reader names what the trainer really logged.

`tox -e train-test` runs it with the pinned version, `tox -e trl-0.15,trl-0.19,trl-0.24,trl-1.0` with older ones.
"""

import importlib.util
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirical.logs import read
from empirical.logs.identity import BATCH_STD, parse
from empirical.logs.log import Log
from empirical.logs.naming import understand

needed = ("torch", "trl", "transformers", "datasets")
pytestmark = [
    pytest.mark.infrastructure,
    pytest.mark.train,
    pytest.mark.skipif(not all(map(importlib.util.find_spec, needed)), reason="needs the extra `train`"),
    pytest.mark.filterwarnings("ignore"),  # old versions of TRL on a newer torch warn, and newer ones of themselves
]

STEPS, GROUP, PROMPTS = 8, 4, 2
SINGLE = 1e-5  # the trainer averages in single precision: 2^-24 a rounding, a few dozen of them


class Trained:
    """What the reward function returned, call by call, and where the trainer left its state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls: list[tuple[bool, int, np.ndarray[Any, np.dtype[np.float64]]]] = []

    def rewards(self, evaluating: bool) -> dict[int, list[Any]]:
        """Rewards in groups, shape (groups, GROUP), by the step that they belong to."""
        found: dict[int, list[Any]] = {}
        for training, step, values in self.calls:
            if training is not evaluating:
                found.setdefault(step if evaluating else step + 1, []).append(values.reshape(-1, GROUP))
        return found


def tokenizer() -> Any:
    """A word a digit."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {word: k for k, word in enumerate(["<pad>", "<eos>", "<unk>", *"0123456789+="])}
    core = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        eos_token="<eos>",
        unk_token="<unk>",
        padding_side="left",
        model_input_names=["input_ids", "attention_mask"],
    )


def save_model(words: int, target: Path) -> str:
    """Write a transformer of random weights: with a KL term the trainer loads its reference by name."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=words, pad_token_id=0, eos_token_id=1, bos_token_id=1, **sizes)
    LlamaForCausalLM(config).save_pretrained(target)
    return str(target)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A run of GRPO with random rewards, some groups without spread, evaluated and saved by the trainer itself."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    out = Trained(tmp_path_factory.mktemp("run"))
    generator = np.random.default_rng(0)
    words = tokenizer()

    def chance(prompts: list[str], completions: list[str], **other: Any) -> list[float]:
        groups = np.array(prompts).reshape(-1, GROUP)
        assert all(len(set(group)) == 1 for group in groups), "completions of a group lie apart"
        values = generator.random(groups.shape)
        values[generator.random(len(groups)) < 0.3] = 0.5
        out.calls.append((trainer.model.training, trainer.state.global_step, values.ravel()))
        return [float(v) for v in values.ravel()]

    asked: dict[str, Any] = {
        "output_dir": str(out.folder), "max_steps": STEPS, "logging_steps": 1, "eval_steps": 4, "save_steps": STEPS,
        "eval_strategy": "steps", "save_strategy": "steps", "num_generations": GROUP, "max_completion_length": 4,
        "per_device_train_batch_size": GROUP * PROMPTS, "per_device_eval_batch_size": GROUP * PROMPTS, "beta": 0.04,
        "learning_rate": 1e-3, "use_cpu": True, "bf16": False, "report_to": "none", "disable_tqdm": True,
        "logging_nan_inf_filter": False,
    }  # fmt: skip
    known = inspect.signature(GRPOConfig).parameters
    data = Dataset.from_list([{"prompt": f"{a}+{b}="} for a in range(4) for b in range(4)])
    trainer = GRPOTrainer(
        model=save_model(len(words), tmp_path_factory.mktemp("model")),
        reward_funcs=chance,
        args=GRPOConfig(**{name: value for name, value in asked.items() if name in known}),
        train_dataset=data,
        eval_dataset=data.select(range(PROMPTS)),
        processing_class=words,
    )
    trainer.train()
    return out


@pytest.fixture(scope="module")
def log(trained: Trained) -> Log:
    return read(trained.folder)


@pytest.fixture(scope="module")
def installed() -> tuple[int, int]:
    import trl

    found = parse(trl.__version__)
    assert found is not None
    return found


def column(log: Log, name: str) -> list[float]:
    return [float(v) for v in log.table.set_index("step")[name].loc[1:STEPS]]


def test_the_trainer_and_a_range_that_holds_its_version(log: Log, installed: tuple[int, int]) -> None:
    assert log.trainer == "trl"
    assert (log.version.low or installed) <= installed <= (log.version.high or installed), log.version
    assert log.version.low or log.version.high, "the keys tell nothing"


def test_every_key_is_known(trained: Trained) -> None:
    import json

    (state,) = trained.folder.glob("checkpoint-*/trainer_state.json")
    keys = {key for row in json.loads(state.read_text(encoding="utf-8"))["log_history"] for key in row}
    assert len(keys) > 10
    assert sorted(key for key in keys if understand(key).kind == "unknown") == []


def test_rows_steps_and_rewards_are_what_the_reward_function_gave(log: Log, trained: Trained) -> None:
    given = trained.rewards(evaluating=False)
    assert sorted(given) == list(log.table["step"]) == list(range(1, STEPS + 1))
    means = [float(np.mean(given[k])) for k in sorted(given)]
    assert column(log, "reward") == pytest.approx(means, rel=SINGLE)
    (function,) = (c for c in map(str, log.table) if c.startswith("rewards/") and c.endswith("/mean"))
    assert column(log, function) == pytest.approx(means, rel=SINGLE)
    assert "chance" in function


def test_the_spread_is_the_one_that_the_reader_says(log: Log, trained: Trained, installed: tuple[int, int]) -> None:
    given = trained.rewards(evaluating=False)
    within = [float(np.mean(np.std(given[k], axis=-1, ddof=1))) for k in sorted(given)]
    batch = [float(np.std(np.ravel(given[k]), ddof=1)) for k in sorted(given)]
    assert max(abs(a - b) for a, b in zip(within, batch, strict=True)) > 100 * SINGLE  # they can be told apart
    whole = installed >= BATCH_STD
    assert column(log, "reward_std") == pytest.approx(batch if whole else within, rel=SINGLE)
    readings = log.readings("reward_std")
    assert any(("generation batch" in r.says) == whole for r in readings)
    if whole:  # its own std gives it away
        assert len(readings) == 1


def test_groups_without_spread_are_counted(log: Log, trained: Trained) -> None:
    given = trained.rewards(evaluating=False)
    shares = [float(np.mean(np.ptp(given[k], axis=-1) == 0.0)) for k in sorted(given)]
    assert 0.0 < np.mean(shares) < 1.0
    if log.has("frac_reward_zero_std"):
        assert column(log, "frac_reward_zero_std") == pytest.approx(shares, abs=SINGLE)
    else:
        assert (log.version.low or (0, 0)) < (0, 18)


def test_evaluations_stand_at_their_steps(log: Log, trained: Trained) -> None:
    given = trained.rewards(evaluating=True)
    table = log.table.set_index("step")["eval_reward"].dropna()
    assert sorted(given) == list(table.index) == [4, 8]
    assert list(table) == pytest.approx([float(np.mean(given[k])) for k in sorted(given)], rel=SINGLE)
