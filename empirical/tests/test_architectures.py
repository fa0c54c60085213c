"""The code paths of the GPU presets, on small random models of the same architectures: adapters, training, merge."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

needed = ("torch", "trl", "peft", "datasets", "reasoning_gym")
pytestmark = [
    pytest.mark.infrastructure,
    pytest.mark.train,
    pytest.mark.skipif(not all(map(importlib.util.find_spec, needed)), reason="needs the extra `train`"),
]

SCRIPT = """
import dataclasses, json, sys
from pathlib import Path
import torch
import transformers
from empirical.loading import load
from empirical.models import PRESETS
from empirical.tasks import load_task
from empirical.tiny import tokenizer
from empirical.training.plan import plan, settings
from empirical.training.run import train

name, folder = sys.argv[1], Path(sys.argv[2])
kind = {"deepseek7b": "Llama", "nemotron4b": "Nemotron", "qwen1.5b": "Qwen2"}[name]
reader = tokenizer()
reader.chat_template = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}<eos>{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)
torch.set_num_threads(1)
torch.manual_seed(0)
config = getattr(transformers, kind + "Config")(
    vocab_size=len(reader), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=512, pad_token_id=0, eos_token_id=1, bos_token_id=1,
)
model = getattr(transformers, kind + "ForCausalLM")(config)
model.save_pretrained(folder / "weights")
reader.save_pretrained(folder / "weights")
preset = dataclasses.replace(
    PRESETS[name], source=str(folder / "weights"), gpu=False, dtype="float32", shape=None
)
problems = load_task("sums", 16, 1)[0]
given = {"task": "sums", "steps": 2, "learning_rate": 1e-2, "max_completion": 6, "eval_problems": 0}
found = plan(preset, settings(preset, 4, 42, given | {"arm": "placebo"}), 16)
merged = train(found, preset, problems, [], folder / "run")
with_adapters = sorted(
    {n.split(".")[-1] for n, _ in model.named_modules() if n.split(".")[-1] in preset.targets}
)
before, after = model.state_dict(), transformers.AutoModelForCausalLM.from_pretrained(merged).state_dict()
changed = {n.split(".")[-2] for n in before if not torch.equal(before[n], after[n])}
print(json.dumps({"targets": sorted(preset.targets), "there": with_adapters, "changed": sorted(changed),
                  "same_names": sorted(before) == sorted(after)}))
"""


@pytest.mark.parametrize("name", ["deepseek7b", "nemotron4b", "qwen1.5b"])
def test_adapters_sit_where_the_preset_says_and_are_merged(name: str, tmp_path: Path) -> None:
    """Two steps of the placebo arm move exactly the modules that carry adapters, and nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, name, str(tmp_path)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["same_names"]
    assert found["targets"] == found["there"] == found["changed"]
    assert ("gate_proj" in found["targets"]) == (name != "nemotron4b")
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 2
