"""AdamW on a diagonal quadratic, step by step, as trainers run it (what Section 3.1 takes for momentum).

Loss sum_i K_i e_i^2 / 2. Source: Kingma and Ba (2015) for Adam, Loshchilov and Hutter (2019) for the decoupled
weight decay, Pascanu, Mikolov and Bengio (2013) for clipping by the norm.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.domain import Floats

Schedule = Literal["constant", "linear"]

_LARGEST, _SMALLEST = 1e153, 1e-150  # of a gradient: the squares of larger and smaller ones are no normal doubles


def rates(rate: float, steps: int, schedule: Schedule = "constant") -> Floats:
    """The learning rates eta_0 ... eta_{steps-1}: constant, or eta (1 - k/steps), which would be 0 next.

    Raises:
        ValueError: rate <= 0 or not finite, steps < 1 or not whole, an unknown schedule.
    """
    eta, last = domain.number("rate", rate, 0.0, closed=False), domain.integer("steps", steps, 1)
    if domain.choice("schedule", schedule, ("constant", "linear")) == "constant":
        return np.full(last, eta)
    return eta * (1 - np.arange(last) / last)


def trajectory(
    curvature: ArrayLike,
    e0: ArrayLike,
    rate: float,
    steps: int,
    *,
    schedule: Schedule = "constant",
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    weight_decay: float = 0.0,
    clip: float = math.inf,
    noise: float = 0.0,
    seed: int = 0,
    second_moment: ArrayLike | None = None,
) -> Floats:
    """The distance e from the optimum, which lies at the origin that weight decay pulls to.

    Args:
        curvature: K_i > 0, broadcast with e0.
        e0: start, shape (..., d): the last axis holds the coordinates of one run (its gradient is clipped as
            one vector), the others are independent runs. A number is one run of one coordinate.
        rate, steps, schedule: see `rates`.
        beta1, beta2: memories of the two moments, in [0, 1).
        epsilon: added to the root of the second moment, >= 0. With 0, a gradient that is exactly 0 from the
            start leaves its coordinate where it is.
        weight_decay: lambda >= 0, decoupled: e shrinks by 1 - eta_k lambda before each step.
        clip: largest norm of the gradient, > 0; inf clips nothing. The factor is clip/norm without the 1e-6
            that PyTorch adds to the norm.
        noise: standard deviation >= 0 of the Gaussian noise in each coordinate of the gradient, drawn from
            `seed` (a whole number >= 0) before clipping.
        second_moment: None: both moments start at 0 and are corrected for it. Otherwise values > 0 from which
            the second moment starts; the first starts at 0 and nothing is corrected (a run from rest whose
            noise level is known). beta2 = 1 is then allowed and freezes it.

    Returns:
        e_0 ... e_steps along a new first axis, shape (steps + 1, ..., d); a number's run has d = 1.

    Raises:
        ValueError: an argument lies outside its domain, or epsilon is 0 and a gradient's square underflows.
        OverflowError: a gradient's square leaves the range of doubles.
    """
    stiffness, start = np.broadcast_arrays(domain.positive("curvature", curvature), domain.array("e0", e0))
    eta = rates(rate, steps, schedule)
    b1 = float(domain.momentum("beta1", domain.number("beta1", beta1)))
    b2 = domain.number("beta2", beta2, 0.0, 1.0)
    if b2 == 1 and second_moment is None:
        raise ValueError(f"beta2 = {beta2}; expected in [0, 1), or 1 with a second_moment to freeze")
    tiny, decay = domain.number("epsilon", epsilon, 0.0), domain.number("weight_decay", weight_decay, 0.0)
    ceiling = math.inf if clip == math.inf else domain.number("clip", clip, 0.0, closed=False)
    spread = domain.number("noise", noise, 0.0)
    rng = np.random.default_rng(domain.integer("seed", seed, 0))
    e = np.atleast_1d(start).astype(np.float64)
    m, v = np.zeros_like(e), np.zeros_like(e)
    if second_moment is not None:
        v = v + domain.positive("second_moment", second_moment)
    out = np.empty((len(eta) + 1, *e.shape))
    out[0] = e
    for k, step in enumerate(eta, 1):
        g = stiffness * e
        if spread:
            g = g + spread * rng.standard_normal(e.shape)
        if not np.all(np.abs(g) < _LARGEST):
            raise OverflowError(f"a gradient's square leaves the range of doubles at step {k}")
        if ceiling < math.inf:
            norm = np.sqrt(np.sum(g * g, axis=-1, keepdims=True))
            g = np.where(norm > ceiling, g * (ceiling / np.where(norm > 0, norm, 1.0)), g)
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        first, second = (m, v) if second_moment is not None else (m / (1 - b1**k), v / (1 - b2**k))
        root = np.sqrt(second) + tiny
        lost = (root < _SMALLEST) & (g != 0)
        if second_moment is None and np.any(lost):
            small = np.broadcast_to(stiffness, g.shape)[lost].flat[0]
            raise ValueError(f"curvature = {small}; expected gradients above {_SMALLEST:g}, or an epsilon above that")
        e = e - step * decay * e - step * np.where(root > 0, first / np.where(root > 0, root, 1.0), 0.0)
        out[k] = e
    return out


def effective_gain(rate: ArrayLike, curvature: ArrayLike, noise: ArrayLike, beta1: ArrayLike = 0.9) -> Floats:
    """The gain a of the heavy-ball map with mu = beta1 that the mean of AdamW follows under strong noise.

    a = eta (1 - beta1) K / s while the noise s exceeds K |e| and the rate is small, eta K << s. Without
    noise no gain exists.

    Raises:
        ValueError: rate, curvature or noise not > 0, beta1 outside [0, 1).
    """
    eta, stiffness = domain.learning_rate("rate", rate), domain.positive("curvature", curvature)
    spread, b1 = domain.positive("noise", noise), domain.momentum("beta1", beta1)
    return np.asarray(eta * (1 - b1) * stiffness / spread, dtype=np.float64)


def cycle(rate: ArrayLike, beta1: ArrayLike = 0.9) -> Floats:
    """x = eta (1 - beta1) / (2 (1 + beta1)): +-x alternating is a trajectory of Adam on any quadratic.

    Exact at epsilon = 0 once the moments are those of the cycle, whatever the curvature and beta2. Raises
    ValueError: rate not > 0, beta1 outside [0, 1).
    """
    b1 = domain.momentum("beta1", beta1)
    return np.asarray(domain.learning_rate("rate", rate) * (1 - b1) / (2 * (1 + b1)), dtype=np.float64)
