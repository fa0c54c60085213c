"""Flow: the exact nonlinear mean-field law of the binary bandit, integrated; a slow start without inertia."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.counts import Floats
from reference.drift import drift, logit, reference_logit, sigmoid
from reference.group import drift_factor


def free_flow(t: ArrayLike, p_0: float, kappa: float = 1.0) -> Floats:
    """Solve the flow without a KL term: p = (1 + u/sqrt(1+u^2))/2 with u = u_0 + kappa t/4.

    For infinite groups, with u_0 = (p_0 - 1/2)/sqrt(p_0 (1-p_0)). A start below 1/2 gives a slow start and
    an inflection at p = 1/2, after t = -4 u_0/kappa, with no inertia at all.

    Args:
        t: learning rate times steps, at least 0, any shape.
        p_0: success probability at t = 0, strictly inside (0, 1).
        kappa: `reference.drift.class_rate` of the bandit, positive.

    Returns:
        p(t), array of the shape of t. It approaches 1 like 4/(kappa t)^2, not exponentially.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: integrates dp/dt = kappa (p (1-p))^(3/2), Assumption 1's exact drift at beta = 0.
    """
    t_ = domain.array("t", t, 0.0)
    p_0 = domain.number("p_0", p_0, 0.0, 1.0, closed=False)
    kappa = domain.number("kappa", kappa, 0.0, closed=False)
    domain.product("kappa", kappa, "t", t_)
    u = (p_0 - 0.5) / np.sqrt(p_0 * (1.0 - p_0)) + kappa * t_ / 4.0
    root = np.hypot(1.0, u)
    out: Floats = np.where(u > 0.0, 0.5 + 0.5 * u / root, 0.5 / (root * (root - np.minimum(u, 0.0))))
    return out[()]


def flow(
    t: ArrayLike,
    p_0: float,
    p_ref: float,
    beta: float,
    kappa: float = 1.0,
    size: int | None = None,
    ddof: int = 0,
) -> Floats:
    """Solve dp/dt = g(p), the exact mean-field law, from p_0.

    Args:
        t: learning rate times steps, at least 0 and increasing, shape (m,).
        p_0: success probability at t = 0, strictly inside (0, 1).
        p_ref: success probability of the reference policy, strictly inside (0, 1).
        beta: weight of the KL term, at least 0.
        kappa: `reference.drift.class_rate` of the bandit, positive.
        size: completions in a group, None for infinite groups.
        ddof: 0 or 1, only read for finite groups.

    Returns:
        p(t), shape (m,). The ODE is solved in the logit by an 8th-order Runge-Kutta method with error control
        at 1e-12 a step, so that p and 1-p are good to 1e-10 relative, except within rounding of 1 (and less
        where the flow lingers at a repelling fixed point, which stretches every error).

    Raises:
        ValueError: an argument lies outside its domain, or the integrator gives up.

    Source: Assumption 1 of the paper, with the exact drift of `reference.drift`.
    """
    from scipy.integrate import solve_ivp

    t_ = domain.array("t", t, 0.0)
    if t_.ndim != 1 or not t_.size or np.any(np.diff(t_) <= 0.0):
        raise ValueError(f"t = {t_}; expected times that increase, at least one, along one axis")
    start = domain.number("p_0", p_0, 0.0, 1.0, closed=False)
    kappa = domain.number("kappa", kappa, 0.0, closed=False)
    drift(start, p_ref, beta, kappa, size, ddof)  # checks the other arguments
    domain.product("kappa", kappa, "t", t_)
    x_ref = reference_logit(p_ref)
    if t_[-1] == 0.0:
        return np.array([start])

    def slope(_: float, x: Floats) -> Floats:
        p, s = sigmoid(x), np.exp(-np.logaddexp(0.0, x) - np.logaddexp(0.0, -x))
        if size is None:
            out: Floats = kappa * (np.sqrt(s) - beta * s * (x - x_ref))
        else:
            out = kappa * s * (drift_factor(p, size, ddof) - beta * (x - x_ref))
        return out

    solution = solve_ivp(slope, (0.0, float(t_[-1])), [float(logit(start))], "DOP853", t_, rtol=1e-12, atol=1e-12)
    if not solution.success:
        raise ValueError(f"t reaches where the integrator gives up: {solution.message}")
    return sigmoid(solution.y[0])
