"""Where a lag loses stability, measured in the network: two runs side by side, pushed apart along the stiffest mode.

From a plateau the exact expected update is run twice, from theta + h v and from theta - h v, with v the eigenvector of
the largest eigenvalue of the linearised force. Half their difference along v obeys the linearised map and nothing
else, whatever slow drift the two runs share; it grows or it decays.
"""

from typing import Any

import numpy as np

from empirical.logs.numbers import Floats
from empirical.sweep.cell import Cell
from empirical.sweep.delayed import delayed_sgd
from empirical.sweep.probe import Probe
from empirical.sweep.twin import expected_loss

PUSH = 0.002  # h, length of the displacement; the weights' own length is about 40


def separation(
    cell: Cell, model: Any, probe: Probe, reference: Any, direction: Floats, *, learning_rate: float, steps: int
) -> Floats:
    """Half the distance of the two runs along the mode, in units of the push.

    Args:
        cell: beta, size, scale, momentum, ratio, and the lag: its delay, or its interval.
        model: at the plateau; left as it was.
        probe: of the task.
        reference: log-probabilities of the reference policy.
        direction: unit vector of the mode, shape (parameters,).
        learning_rate: of both runs.
        steps: of both.

    Returns:
        Array (steps + 1,), beginning with 1; shorter if a run leaves the range of floats.
    """
    import torch

    parameters = [p for p in model.parameters() if p.requires_grad]
    start = torch.cat([p.detach().reshape(-1) for p in parameters])
    mode = torch.as_tensor(direction, dtype=start.dtype)

    def put(flat: Any) -> None:
        torch.nn.utils.vector_to_parameters(flat, parameters)

    def path(sign: float) -> list[float]:
        put(start + sign * PUSH * mode)
        step = delayed_sgd(parameters, learning_rate=learning_rate, momentum=cell.momentum, delay=cell.delay)
        along, old = [], None
        for k in range(steps + 1):
            flat = torch.cat([p.detach().reshape(-1) for p in parameters])
            along.append(float(mode @ (flat - start)) / PUSH)
            if k == steps or not np.isfinite(along[-1]):
                break
            logps = probe.logps(model)
            if old is None or k % cell.interval == 0:
                old = logps.detach().clone()
            step.zero_grad()
            expected_loss(cell, probe, logps, old, reference).backward()
            step.step()
        return along

    up, down = path(1.0), path(-1.0)
    put(start)
    size = min(len(up), len(down))
    half: Floats = 0.5 * (np.asarray(up[:size]) - np.asarray(down[:size]))
    return half


def growth(x: Floats) -> float:
    """Growth of an oscillation's envelope a step: log of the largest value in the last third over the middle third."""
    if not np.isfinite(x).all():
        return float("inf")
    third = x.size // 3
    middle, last = float(np.abs(x[third : 2 * third]).max()), float(np.abs(x[2 * third :]).max())
    return float(np.log(max(last, 1e-12) / max(middle, 1e-12)) / third)


def measure(
    cell: Cell, model: Any, probe: Probe, reference: Any, top: float, direction: Floats
) -> list[dict[str, Any]]:
    """Growth a step on both sides of the predicted thresholds.

    Args:
        cell: at its plateau.
        model, probe, reference: as for `separation`.
        top: largest eigenvalue of the linearised force.
        direction: its eigenvector.

    Returns:
        Rows with `lag`, `how` ("delay", "refresh", "no ratio"), `factor` (learning rate over the predicted critical
        one: `reference.lag.critical_gain(..., "constant")` for a delay, Eq. 11 of Proposition 9 for the refresh) and
        `growth`.
    """
    from dataclasses import replace

    from reference.lag import critical_gain

    rows = []
    for lag in (4, 16):
        exact = float(critical_gain(cell.momentum, lag, "constant")) / top
        printed = (1.0 - cell.momentum) / (top * lag)
        plan: list[tuple[str, float, dict[str, Any], float]] = [
            *(("delay", f, {"delay": lag}, exact) for f in (0.7, 0.9, 1.1, 1.3)),
            *(("refresh", f, {"interval": lag}, printed) for f in (1.3, 4.0)),
            ("no ratio", 1.3, {"interval": lag, "ratio": False}, printed),
        ]
        for how, factor, changes, unit in plan:
            x = separation(
                replace(cell, kind="twin", **changes), model, probe, reference, direction,
                learning_rate=factor * unit, steps=12 * lag + 60,
            )  # fmt: skip
            rows.append({"lag": lag, "how": how, "factor": factor, "growth": growth(x), "final": float(abs(x[-1]))})
    return rows
