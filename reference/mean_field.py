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

_SETTLED = 1e-11  # du/ds below which the rest of the way, du/ds over its rate, is linear to rounding


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
        to 1e-8 of its largest size (to 1e-6 where beta is within 1e-6 of the critical value at which the fixed
        point appears: the flow then waits there arbitrarily long).

    Raises:
        ValueError: an argument lies outside its domain, or the integrator gives up.
    """
    time = domain.non_negative("t", t)
    start = domain.number("p_0", p_0, 0.0, 1.0, closed=False)
    rate, pull = domain.number("kappa", kappa, 0.0, closed=False), domain.number("beta", beta, 0.0)
    spread = (start * (1 - start)) ** 0.5
    u_0 = (start - 0.5) / spread
    if time.size == 0:
        empty = np.zeros(time.shape)
        return empty, (empty, empty, empty)
    flat, back = np.unique(time.ravel(), return_inverse=True)
    path = _free(u_0, rate * flat) if pull == 0 else _pulled(u_0, pull, rate * flat)
    u, by_beta, by_u_0 = (row[back].reshape(time.shape) for row in path)
    slope = 0.5 * (1 + u**2) ** -1.5  # dp/du
    root = np.hypot(1.0, u)
    p = np.where(u > 0, 0.5 + 0.5 * u / root, 0.5 / (root * (root - np.minimum(u, 0.0))))
    by_p_0 = slope * by_u_0 / (4 * spread**3)
    by_kappa = slope * _speed(u, np.arcsinh(u) - np.arcsinh(u_0), pull) * time
    return p, (by_p_0, by_kappa, slope * by_beta)


def _speed(u: Floats, rise: Floats, beta: float) -> Floats:
    """du/ds at u, where asinh u - asinh u_0 = rise."""
    return np.asarray((1 - beta * rise / np.hypot(1.0, u)) / 4, dtype=np.float64)


def _free(u_0: float, s: Floats) -> tuple[Floats, Floats, Floats]:
    u = u_0 + s / 4
    return u, -((np.arcsinh(u) - np.arcsinh(u_0)) ** 2) / 2, np.ones_like(u)


def _pulled(u_0: float, beta: float, s: Floats) -> Floats:
    """u, du/dbeta and du/du_0 at increasing s, shape (3, len(s))."""
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
        return float(field(0.0, y)[0]) - _SETTLED

    settled.terminal = True  # type: ignore[attr-defined]
    first = np.array([u_0, 0.0, 1.0])
    if s[-1] == 0:
        return np.repeat(first[:, None], s.size, axis=1)
    solution = solve_ivp(
        field, (0.0, float(s[-1])), first, "DOP853", rtol=1e-12, atol=1e-13, events=settled, dense_output=True
    )
    if not solution.success or solution.sol is None:
        raise ValueError(f"t reaches where the integrator gives up: {solution.message}")
    out = np.empty((3, s.size))
    end = float(solution.t[-1])
    before = s <= end
    out[:, before] = solution.sol(s[before])
    if not before.all():
        last = solution.y[:, -1]
        linear = jacobian(last[0])
        wait = s[~before] - end
        # near the fixed point each component y obeys y' = linear y + constant
        reach = np.expm1(linear * wait) / linear if linear < 0 else wait
        out[:, ~before] = last[:, None] + field(0.0, last)[:, None] * reach
    return out
