"""The plan in the trainer's words: GRPOConfig and LoraConfig."""

from pathlib import Path
from typing import Any

from empirical.models import Preset
from empirical.training.plan import Plan


def grpo_arguments(plan: Plan, folder: Path, *, cuda: bool) -> dict[str, Any]:
    """The arguments of TRL's GRPOConfig.

    Args:
        plan: of the run.
        folder: for checkpoints.
        cuda: whether a GPU trains (bf16 there, float32 on a CPU).
    """
    s = plan.settings
    evaluate = s.eval_problems > 0
    return {
        "output_dir": str(folder),
        "learning_rate": s.learning_rate,
        "max_steps": plan.steps,
        "num_train_epochs": 1,
        "per_device_train_batch_size": s.batch_size,
        "gradient_accumulation_steps": s.gradient_accumulation,
        "num_generations": s.group_size,
        "steps_per_generation": plan.refresh.steps_per_generation,
        "num_iterations": plan.refresh.num_iterations,
        "temperature": s.temperature,
        "max_completion_length": s.max_completion,
        "beta": s.beta,
        "epsilon": s.epsilon,
        "logging_steps": 1,
        "eval_strategy": "steps" if evaluate else "no",
        "eval_steps": s.eval_steps if evaluate else None,
        "per_device_eval_batch_size": s.group_size * max(1, 16 // s.group_size),
        "save_strategy": "steps",
        "save_steps": plan.checkpoint_every,
        "save_total_limit": 2,
        "optim": "sgd" if s.optimizer == "sgd" else "adamw_torch",
        "optim_args": f"momentum={s.momentum}" if s.optimizer == "sgd" else None,
        "adam_beta1": s.momentum if s.optimizer == "adamw" else 0.9,
        "lr_scheduler_type": "constant" if s.schedule == "constant" else "linear",
        "max_grad_norm": s.max_grad_norm,
        "scale_rewards": s.scale_rewards,
        "loss_type": s.loss_type,
        "shuffle_dataset": False,  # the order is ours: one long pass, the same after a restart
        "seed": s.seed,
        "use_cpu": not cuda,
        "bf16": cuda,
        "fp16": False,
        "gradient_checkpointing": cuda,
        "use_vllm": s.vllm,
        **({"vllm_mode": "colocate"} if s.vllm else {}),
        "report_to": "none",
        "disable_tqdm": True,
        "dataloader_num_workers": 0,
        "dataloader_pin_memory": cuda,
        "ddp_find_unused_parameters": False,
        "remove_unused_columns": False,
    }


def lora_arguments(plan: Plan, preset: Preset) -> dict[str, Any]:
    """The arguments of peft's LoraConfig: Table 2's, on the modules that the architecture has."""
    s = plan.settings
    return {
        "r": s.rank,
        "lora_alpha": s.alpha,
        "lora_dropout": s.dropout,
        "target_modules": list(preset.targets),
        "task_type": "CAUSAL_LM",
    }
