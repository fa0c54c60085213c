"""The twin: the same network under the exact expected update of the trainer, for finite groups.

With p_old a prompt's success probability under the sampling policy q, F = E[std_G-normalised advantage of a success
minus that of a failure] (`reference.group.drift_factor`, ddof 1, epsilon 1e-4, as trainers have it) and pi the present
policy, the mean over all groups of the gradient of Eq. 2 is, prompt by prompt,

    sum_y keep(y) a(y) grad pi(y),    a = (1 - p_old) F for the right completion, -p_old F for the others,

where keep is 0 where the clip is active. Without a clip that is F(p_old) grad p: the lag enters through F alone.
Without the importance ratio it is sum_y q(y) a(y) grad log pi(y).
"""

from typing import Any

import numpy as np

from empirical.sweep.cell import Cell
from empirical.sweep.delayed import delayed_sgd
from empirical.sweep.probe import Probe, ratio_variance

EPSILON = 1e-4  # TRL adds it to the group's standard deviation


def advantage_gap(p: Any, cell: Cell) -> Any:
    """F: the mean advantage of a success minus that of a failure, shape of p, as a tensor with its graph.

    A Bernstein polynomial of degree G - 2 in p (see `reference.group`): written in torch, since the linearised force
    needs its derivative.
    """
    import math

    size = cell.size
    if cell.scale == "none":
        return (size - 1) / size + 0.0 * p
    out = 0.0 * p
    for j in range(size - 1):
        share = (j + 1) / size
        std = math.sqrt(share * (1.0 - share) * size / (size - 1))
        out = out + math.comb(size - 2, j) * p**j * (1.0 - p) ** (size - 2 - j) / (std + EPSILON)
    return (size - 1) / size * out


def expected_loss(cell: Cell, probe: Probe, logps: Any, old: Any, reference: Any) -> Any:
    """A loss whose gradient is the expected gradient of the trainer's.

    Args:
        cell: the condition.
        probe: of the task.
        logps: log-probabilities of the present policy, shape (100, answer, vocabulary), with their graph.
        old: those of the sampling policy, without a graph.
        reference: those of the reference policy, without a graph; not read where beta is 0.
    """
    import torch

    length = logps.shape[1]
    p, p_old = probe.success(logps), probe.success(old).detach()
    gap = advantage_gap(p_old, cell).detach()
    if length > 1:  # at lag 0 and without a clip, which Cell sees to; the trainer averages over tokens
        gain = gap * p / length
    else:
        now, was = logps[:, 0], old[:, 0].detach()
        is_right = torch.zeros_like(was, dtype=torch.bool).scatter_(1, probe.right, True)
        advantage = torch.where(is_right, (1.0 - p_old)[:, None], -p_old[:, None]) * gap[:, None]
        if not cell.ratio:
            gain = (was.exp() * advantage * now).sum(1)
        else:
            ratio = (now.detach() - was).exp()
            keep = torch.ones_like(is_right)
            if cell.clip is not None:
                keep = torch.where(is_right, ratio < 1.0 + cell.clip, ratio > 1.0 - cell.clip)
                if cell.ceiling is not None:
                    keep = keep & (is_right | (ratio < cell.ceiling))
            gain = (keep * advantage * now.exp()).sum(1)
    loss = -gain.mean()
    if cell.beta:
        loss = loss + cell.beta * (logps.exp() * (logps - reference)).sum(-1).mean()
    return loss


def optimizer(cell: Cell, parameters: Any) -> Any:
    """The optimizer of a cell: what TRL would make, or the delayed one."""
    import torch

    if cell.optimizer == "adamw":
        return torch.optim.AdamW(
            parameters, lr=cell.learning_rate, betas=(cell.momentum, 0.999), eps=1e-8, weight_decay=0.0
        )
    return delayed_sgd(parameters, learning_rate=cell.learning_rate, momentum=cell.momentum, delay=cell.delay)


def run(cell: Cell, model: Any, reader: Any) -> dict[str, Any]:
    """Train the network on the expected update.

    Args:
        cell: of kind "twin" or "stiffness".
        model: at the end of its warm-up; it is trained in place.
        reader: its tokenizer.

    Returns:
        `p`: mean success probability at steps 0 ... steps; `across`: standard deviation over the prompts at the same
        steps; `ratio_variance`: after every step, that of the policy against the one that sampled.
    """
    probe = Probe.of(reader, cell.variant)
    model.train()
    step = optimizer(cell, list(model.parameters()))
    logps = probe.logps(model)
    reference = logps.detach().clone()
    old = reference
    curve, across, spread = [], [], []
    for k in range(cell.steps + 1):
        values = probe.success(logps.detach()).double().numpy()
        curve.append(float(values.mean()))
        across.append(float(values.std()))
        if k:
            spread.append(ratio_variance(logps.detach().double().exp().numpy(), old.double().exp().numpy()))
        if k == cell.steps or not np.isfinite(curve[-1]):
            break
        if k % cell.interval == 0:
            old = logps.detach().clone()
        step.zero_grad()
        expected_loss(cell, probe, logps, old, reference).backward()
        step.step()
        logps = probe.logps(model)
    return {"p": curve, "across": across, "ratio_variance": spread}
