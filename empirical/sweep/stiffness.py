"""Stiffness measured in the network: the eigenvalues of the linearised force.

On-policy the expected update is the gradient of a potential, -mean psi(p) + beta mean KL with psi' = F, so the
linearised force is symmetric and its modes decouple. Its largest eigenvalue is the K of the stiffest mode, found by
Lanczos iteration on Hessian-vector products (Pearlmutter 1994); nothing here looks at a reward curve.
"""

from typing import Any

import numpy as np

from empirical.logs.numbers import Floats
from empirical.sweep.cell import Cell
from empirical.sweep.probe import Probe
from empirical.sweep.twin import advantage_gap


def potential(cell: Cell, probe: Probe, logps: Any, reference: Any) -> Any:
    """The function that on-policy training descends, with its graph.

    psi(p) is the integral of F from 0 to p, by a Gauss-Legendre rule that is exact for F's degree.
    """
    nodes, weights = np.polynomial.legendre.leggauss(cell.size // 2 + 1)
    p = probe.success(logps)
    psi = 0.0 * p
    for x, w in zip(nodes.tolist(), weights.tolist(), strict=True):
        psi = psi + 0.5 * w * p * advantage_gap(0.5 * (1.0 + x) * p, cell)
    loss = -psi.mean() / logps.shape[1]
    if cell.beta:
        loss = loss + cell.beta * (logps.exp() * (logps - reference)).sum(-1).mean()
    return loss


def spectrum(cell: Cell, model: Any, probe: Probe, reference: Any, count: int = 3) -> dict[str, Any]:
    """The ends of the spectrum of the linearised force, and the stiffness that the mean reward sees.

    Args:
        cell: the condition (size, scale, beta).
        model: where to linearise.
        probe: of the task.
        reference: log-probabilities of the reference policy.
        count: eigenvalues of each end.

    Returns:
        `top`: the largest eigenvalues, falling; `bottom`: the smallest, rising; `residual`: the largest
        |H v - lambda v| / lambda_top over the pairs; `along_reward`: the Rayleigh quotient of the gradient of the mean
        success probability; `force`: length of the expected gradient; `mode`: the eigenvector of the largest
        eigenvalue, an array. Units: 1 / (learning rate times steps).
    """
    import torch
    from scipy.sparse.linalg import LinearOperator, eigsh

    parameters = [p for p in model.parameters() if p.requires_grad]
    size = sum(p.numel() for p in parameters)
    logps = probe.logps(model)
    first = torch.autograd.grad(potential(cell, probe, logps, reference), parameters, create_graph=True)
    flat = torch.cat([g.reshape(-1) for g in first])

    def product(vector: Floats) -> Floats:
        v = torch.as_tensor(np.asarray(vector).ravel(), dtype=flat.dtype)
        second = torch.autograd.grad(flat @ v, parameters, retain_graph=True)
        found: Floats = torch.cat([g.reshape(-1) for g in second]).double().numpy()
        return found

    operator = LinearOperator((size, size), matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(size)
    top, high = eigsh(operator, k=count, which="LA", v0=start, tol=1e-3, maxiter=200)
    bottom, low = eigsh(operator, k=count, which="SA", v0=start, tol=1e-2, maxiter=200)
    pairs = [*zip(top, high.T, strict=True), *zip(bottom, low.T, strict=True)]
    residual = max(float(np.linalg.norm(product(v) - a * v)) for a, v in pairs) / float(max(top))
    gradient = torch.autograd.grad(probe.success(probe.logps(model)).mean(), parameters)
    direction = torch.cat([g.reshape(-1) for g in gradient]).double().numpy()
    unit = direction / np.linalg.norm(direction)
    return {
        "top": sorted((float(a) for a in top), reverse=True),
        "bottom": sorted(float(a) for a in bottom),
        "residual": residual,
        "along_reward": float(unit @ product(unit)),
        "force": float(flat.detach().double().norm()),
        "mode": high[:, int(np.argmax(top))],
    }
