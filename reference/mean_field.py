"""The mean-field flow of a binary softmax bandit that starts at its reference policy, with its sensitivities.

dp/dt = kappa p^2 (1-p)^2 [1/sigma - beta (L(p) - L(p_0))], sigma = sqrt(p (1-p)), L = logit, p(0) = p_0: infinite
groups, reward 0 or 1, Assumption 1's exact drift. In u = (p - 1/2)/sigma = sinh(L/2) and s = kappa t it reads
du/ds = (1 - beta (asinh u - asinh u_0)/sqrt(1 + u^2))/4: bounded, and u = u_0 + s/4 at beta = 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.domain import Floats

_SETTLED = 1e-9  # the part of 1 + |u| still to go, from which on the approach to a fixed point is linear


def solve(t: ArrayLike, p_0: float, kappa: float, beta: float) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
    """p(t) and its derivatives by p_0, kappa and beta.

    Args:
        t: times >= 0 in any order, any shape, in steps.
        p_0: in (0, 1), success probability of the reference policy and at t = 0.
        kappa: > 0, learning rate times n/(m (n - m)) with m of n completions correct, per step.
        beta: >= 0, weight of the KL term.

    Returns:
        p, and (dp/dp_0, dp/dkappa, dp/dbeta), each of the shape of t. Closed form at beta = 0. Otherwise an
        8th-order Runge-Kutta method with local tolerance 1e-12 for u and its variational equations, until p has
        settled at a fixed point, and the linearised approach from there; p is good to 1e-11 and each derivative
        to 1e-8 of its largest size (worse only where beta is so close to the critical value at which the fixed
        point appears that the flow waits there arbitrarily long).

    Raises:
        ValueError: an argument lies outside its domain, or the integrator gives up.
    """
    time = domain.non_negative("t", t)
    start = domain.number("p_0", p_0, 0.0, 1.0, closed=False)
    rate, pull = domain.number("kappa", kappa, 0.0, closed=False), domain.number("beta", beta, 0.0)
    domain.product("kappa", rate, "t", time)
    spread = (start * (1 - start)) ** 0.5
    u_0 = (start - 0.5) / spread
    if time.size == 0:
        empty = np.zeros(time.shape)
        return empty, (empty, empty, empty)
    flat, back = np.unique(time.ravel(), return_inverse=True)
    path = _free(u_0, rate * flat) if pull == 0 else _pulled(u_0, pull, rate * flat)
    u, by_beta, by_u_0, speed = (row[back].reshape(time.shape) for row in path)
    root = np.hypot(1.0, u)
    slope = 0.5 * (1 / root) ** 3  # dp/du
    p = np.where(u > 0, 0.5 + 0.5 * u / root, 0.5 / root / (root - np.minimum(u, 0.0)))
    by_p_0 = by_u_0 * (np.hypot(1.0, u_0) / root) ** 3
    by_kappa = slope * speed * time
    return p, (by_p_0, by_kappa, slope * by_beta)


def _free(u_0: float, s: Floats) -> Floats:
    u = u_0 + s / 4
    return np.stack([u, -((np.arcsinh(u) - np.arcsinh(u_0)) ** 2) / 2, np.ones_like(u), np.full_like(u, 0.25)])


def _pulled(u_0: float, beta: float, s: Floats) -> Floats:
    """u, du/dbeta, du/du_0 and du/ds at increasing s, shape (4, len(s))."""
    from scipy.integrate import solve_ivp

    origin, by_origin = float(np.arcsinh(u_0)), beta / 4 / np.hypot(1.0, u_0)

    def jacobian(u: float) -> float:
        root = np.hypot(1.0, u)
        return float(-beta / 4 * (1 - (np.arcsinh(u) - origin) * u / root) / root**2)

    def field(_: float, y: Floats) -> Floats:
        rise, root, linear = np.arcsinh(y[0]) - origin, np.hypot(1.0, y[0]), jacobian(y[0])
        return np.array(
            [(1 - beta * rise / root) / 4, linear * y[1] - rise / root / 4, linear * y[2] + by_origin / root]
        )

    def settled(_: float, y: Floats) -> float:
        return float(field(0.0, y)[0] + _SETTLED * (1 + abs(y[0])) * min(jacobian(y[0]), 0.0))

    settled.terminal = True  # type: ignore[attr-defined]
    last, end, out = np.array([u_0, 0.0, 1.0]), 0.0, np.zeros((4, s.size))
    if settled(0.0, last) > 0 and s[-1] > 0:
        solution = solve_ivp(
            field, (0.0, float(s[-1])), last, "DOP853", rtol=1e-12, atol=1e-13, events=settled, dense_output=True
        )
        if not solution.success or solution.sol is None:
            raise ValueError(f"t reaches where the integrator gives up: {solution.message}")
        last, end = solution.y[:, -1], float(solution.t[-1])
        early = s <= end
        if early.any():
            out[:3, early] = solution.sol(s[early])
    late = s > end
    out[:3, s == 0] = np.array([[u_0], [0.0], [1.0]])
    out[3] = (1 - beta * (np.arcsinh(out[0]) - origin) / np.hypot(1.0, out[0])) / 4
    if late.any():
        # near the fixed point each component y obeys y' = linear y + constant, and du/ds decays with it
        linear, wait, rates = jacobian(last[0]), s[late] - end, field(0.0, last)
        out[:3, late] = last[:, None] + rates[:, None] * np.expm1(linear * wait) / linear
        out[3, late] = rates[0] * np.exp(linear * wait)
    return out
