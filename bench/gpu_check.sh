#!/usr/bin/env bash
# One GPU, at most 8 minutes, no downloads: do training, transfer and the memory estimate work on this card?
# Weights are random, of the published shapes scaled down in depth; data are generated here.
# usage: bash bench/gpu_check.sh [FOLDER]    (in an environment with the extra `train`)
set -euo pipefail
cd "$(dirname "$0")/.."
out="${1:-build/gpu_check}"
export HF_HUB_OFFLINE=1 PREDICTABLE_GRPO_CACHE="$out/cache" TOKENIZERS_PARALLELISM=false
python3 -c 'import torch; assert torch.cuda.is_available(), "no GPU that torch can use"; print(torch.cuda.get_device_name())'
rm -rf "$out"
mkdir -p "$out"

echo "== the small model on the card: train twice with one seed, transfer, diagnosis"
timeout 190 python3 -m empirical run --model tiny --steps 30 --group-sizes 4 --seeds 42 --transfer-problems 20 --out "$out/tiny"
timeout 100 python3 -m empirical train --model tiny --steps 30 --group-size 4 --seed 42 --out "$out/again"
python3 - "$out/tiny/G4-seed42/log.jsonl" "$out/again/log.jsonl" <<'PY'
import json, sys
one, two = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
first = next((a["step"] for a, b in zip(one, two) if any(a[k] != b[k] for k in a if not k.startswith("time/"))), None)
print(f"{len(one)} and {len(two)} rows;", "equal" if first is None else f"first difference at step {first}")
PY

echo "== the width of DeepSeek-7B, four of its thirty layers, in bfloat16 with LoRA: two steps at G = 16"
timeout 170 python3 - "$out/wide" <<'PY'
import dataclasses, sys
from pathlib import Path
import torch, transformers
from empirical.models import PRESETS
from empirical.tasks import load_task
from empirical.tiny import tokenizer
from empirical.training.plan import plan, settings
from empirical.training.run import train

folder, deepseek = Path(sys.argv[1]), PRESETS["deepseek7b"]
reader = tokenizer()
config = transformers.LlamaConfig(
    vocab_size=102400, hidden_size=4096, intermediate_size=11008, num_hidden_layers=4, num_attention_heads=32,
    num_key_value_heads=32, max_position_embeddings=2048, pad_token_id=0, eos_token_id=1, bos_token_id=1)
model = transformers.LlamaForCausalLM(config).to(torch.bfloat16)
size = sum(p.numel() for p in model.parameters())
model.save_pretrained(folder / "weights")
reader.save_pretrained(folder / "weights")
del model
shape = dataclasses.replace(deepseek.shape, parameters=size, layers=4)
preset = dataclasses.replace(deepseek, source=str(folder / "weights"), shape=shape)
given = {"task": "sums", "steps": 2, "eval_problems": 0, "max_completion": 256, "arm": "placebo"}
found = plan(preset, settings(preset, 16, 42, given), 32)
torch.cuda.reset_peak_memory_stats()
train(found, preset, load_task("sums", 32, 1)[0], [], folder / "run")
print(f"peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB, estimated {found.memory:.1f} GiB")
PY
echo "done: $out"
