"""Small logs of our own, in every format that the readers know."""

import gzip
import json
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from empirical.logs.readers.tensorboard import masked_crc

Row = dict[str, object]


def trl_rows(steps: int = 40, version: str = "0.24", seed: int = 0, every: int = 10) -> list[Row]:
    """The rows of TRL's trainer by its documented keys: a train row a step, an eval row now and then, a summary."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for k in range(1, steps + 1):
        p = 0.8 - 0.6 * float(np.exp(-k / 12))
        row: Row = {
            "loss": round(float(rng.normal(0, 0.01)), 4),
            "grad_norm": float(rng.gamma(4, 0.1)),
            "learning_rate": 1e-6 * (1 - k / steps),
            "reward": float(rng.binomial(16, p)) / 16,
            "reward_std": float(rng.uniform(0.2, 0.5)),
            "kl": 1e-4 * k,
            "epoch": k / steps,
            "step": k,
        }
        if version == "0.15":
            row |= {"completion_length": 100.0 + k, "rewards/exact": row["reward"]}
        else:
            row |= {
                "num_tokens": 1000.0 * k,
                "completions/mean_length": 100.0 + k,
                "completions/clipped_ratio": 0.0,
                "rewards/exact/mean": row["reward"],
                "rewards/exact/std": float(rng.uniform(0.2, 0.5)),
                "frac_reward_zero_std": float(rng.integers(0, 5)) / 4,
                "entropy": 0.5 - 0.002 * k,
                "clip_ratio/region_mean": 0.0,
                "sampling/importance_sampling_ratio/max": 2.0,
            }
        if version == "1.0":
            row |= {
                "step_time": 1.5,
                "reward_std": row["rewards/exact/std"],
                "sampling/importance_sampling_ratio/max": 2.4,
            }
        rows.append(row)
        if k % every == 0:
            rows.append(
                {
                    "eval_loss": 0.0,
                    "eval_reward": p,
                    "eval_reward_std": 0.3,
                    "eval_runtime": 2.0,
                    "epoch": k / steps,
                    "step": k,
                }
            )
    rows.append({"train_runtime": 12.5, "train_loss": 0.001, "epoch": 1.0, "step": steps, "total_flos": 0.0})
    return rows


def _state(rows: Sequence[Row]) -> str:
    return json.dumps(
        {
            "global_step": len(rows),
            "max_steps": 40,
            "logging_steps": 1,
            "log_history": list(rows),
            "is_world_process_zero": True,
        },
        indent=2,
    )


def _train(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if "reward" in row]


def _table(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    header = list(dict.fromkeys(key for row in rows for key in row))
    return header, [["" if key not in row else str(row[key]) for key in header] for row in rows]


def _csv(rows: Sequence[Row], separator: str = ",", prefix: str = "") -> str:
    header, records = _table(rows)
    return "\n".join(separator.join(r) for r in [[prefix + h for h in header], *records]) + "\n"


def _wandb(rows: Sequence[Row]) -> str:
    rows = _train(rows)
    out = ['"Step","calm-sun-3 - train/reward","calm-sun-3 - train/reward__MIN","calm-sun-3 - train/reward__MAX"']
    return "\n".join([*out, *(f'"{r["step"]}","{r["reward"]}","{r["reward"]}","{r["reward"]}"' for r in rows)]) + "\n"


def _html(rows: Sequence[Row]) -> str:
    header, records = _table(_train(rows))
    names = ["Step" if h == "step" else "Training Loss" if h == "loss" else h.replace("/", " / ") for h in header]
    cells = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in r) + "</tr>\n" for r in records)
    head = "".join(f"<th>{n}</th>" for n in names)
    bar = '<progress value="3"></progress> [40/40]'
    return f"{bar}<table border=1><thead><tr>{head}</tr></thead>\n<tbody>{cells}</tbody></table><p>"


def _markdown(rows: Sequence[Row]) -> str:
    header, records = _table(_train(rows))
    lines = ["# A run", "", "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(c or "No Log" for c in r) + " |" for r in records), "", "Done."])


def _notebook(rows: Sequence[Row]) -> str:
    html = {
        "output_type": "display_data",
        "data": {"text/html": _html(rows).splitlines(True), "text/plain": ["<table>"]},
    }
    pip = {"output_type": "stream", "text": ["Successfully installed peft-0.15.2 trl-0.24.0\n"]}
    cells = [{"cell_type": "code", "source": ["!pip install trl==0.22.2"], "outputs": [pip, html]}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _printed(rows: Sequence[Row]) -> str:
    """Noisy stdout: progress bars with carriage returns, a bare nan, a configuration, a dictionary cut off."""
    out = ["Loading checkpoint {'torch_dtype': 'bfloat16', 'device': {'map': 1}}"]
    for row in rows:
        shown = {k: (float("nan") if k == "kl" and row["step"] == 3 else v) for k, v in row.items() if k != "step"}
        out.append(f" 3%|#         | 1/40 [00:01<00:20]\r{shown}\r")
    return "\n".join([*out, "{'loss': 0.1, 'reward': 0.5, 'grad_n"])


def _verl(rows: Sequence[Row]) -> str:
    out = ["(TaskRunner pid=77) validation generation end"]
    for row in _train(rows):
        k, r = row["step"], row["reward"]
        tail = " - val-core/openai/gsm8k/reward/mean@1:0.5" if isinstance(k, int) and k % 10 == 0 else ""
        out.append(
            f"\x1b[36m(TaskRunner pid=77)\x1b[0m step:{k} - global_seqlen/mean:812.5 - actor/entropy:0.31 - "
            f"critic/score/mean:np.float64({r}) - critic/rewards/mean:{r} - actor/grad_norm:0.2 - actor/lr:1e-06{tail}"
        )
    return "\n".join(out)


def _steps(rows: Sequence[Row]) -> str:
    return "\n".join(
        f"[Step {r['step']}/40] loss={r['loss']} reward_avg={r['reward']} avg_response_len=6.4" for r in _train(rows)
    )


def _openrlhf(rows: Sequence[Row]) -> str:
    return "\n".join(
        f"\x1b[32mINFO\x1b[0m Global step {r['step']}: {{'policy_loss': {r['loss']}, 'reward': {r['reward']}, "
        f"'response_length': 100.0, 'actor_lr': 1e-06}}"
        for r in _train(rows)
    )


def tfevents(rows: Sequence[Row]) -> bytes:
    """TensorBoard's format, written from its description."""

    def crc(data: bytes) -> bytes:
        return struct.pack("<I", int(masked_crc(np.frombuffer(data, dtype=np.uint8)[None])[0]))

    def varint(number: int) -> bytes:
        out = bytearray()
        while number > 0x7F:
            out.append(number & 0x7F | 0x80)
            number >>= 7
        return bytes([*out, number])

    def field(number: int, data: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(data)) + data

    def record(event: bytes) -> bytes:
        length = struct.pack("<Q", len(event))
        return length + crc(length) + event + crc(event)

    out = record(b"\x09" + struct.pack("<d", 1.0) + field(3, b"brain.Event:2"))
    text = json.dumps({"learning_rate": 1e-6, "num_generations": 4})
    tensor = b"\x08\x07" + field(8, text.encode())
    out += record(field(5, field(1, field(1, b"args/text_summary") + field(8, tensor))))
    for row in rows:
        for key, value in row.items():
            if key not in ("step",) and isinstance(value, (int, float)):
                tag = f"eval/{key[5:]}" if key.startswith("eval_") else f"train/{key}"
                scalar = field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
                step = row["step"]
                assert isinstance(step, int)
                out += record(b"\x09" + struct.pack("<d", 1.0) + b"\x10" + varint(step) + field(5, scalar))
    return out


def _parquet(rows: Sequence[Row]) -> bytes:
    from io import BytesIO

    import pandas as pd

    out = BytesIO()
    pd.DataFrame(list(rows)).to_parquet(out)
    return out.getvalue()


FORMATS: dict[str, Callable[[Sequence[Row]], str | bytes]] = {
    "trainer_state.json": _state,
    "state_under_another_name.json": _state,
    "array.json": lambda rows: json.dumps(list(rows)),
    "columns.json": lambda rows: json.dumps({k: [r[k] for r in _train(rows)] for k in _train(rows)[0]}),
    "log.jsonl": lambda rows: "\n".join(map(json.dumps, rows)) + "\n",
    "packed.jsonl.gz": lambda rows: gzip.compress(("\n".join(map(json.dumps, rows)) + "\n").encode(), mtime=0),
    "wide.csv": lambda rows: _csv(rows),
    "prefixed.csv": lambda rows: _csv(_train(rows), prefix="train/"),
    "semicolons.csv": lambda rows: _csv(rows, ";"),
    "tabs.tsv": lambda rows: _csv(rows, "\t"),
    "export.csv": _wandb,
    "frame.parquet": _parquet,
    "events.out.tfevents.1.host": tfevents,
    "table.html": _html,
    "README.md": _markdown,
    "run.ipynb": _notebook,
    "stdout.log": _printed,
    "verl.log": _verl,
    "steps.txt": _steps,
    "openrlhf.log": _openrlhf,
}


def write(folder: Path, name: str, rows: Sequence[Row]) -> Path:
    """A log in the format of that name."""
    content = FORMATS[name](rows)
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
