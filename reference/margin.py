"""Margin: how strong a delayed force may be for the loop to stay stable whatever the lag."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.counts import Floats


def delayed_margin(instantaneous: ArrayLike, mu: ArrayLike) -> Floats:
    """Compute the largest |d| that leaves the lagged heavy-ball map stable at every lag.

    The map is x_{k+1} = (1 + mu - b) x_k - mu x_{k-1} + d x_{k-lag}.

    A root on the unit circle needs |d| = |z - (1 + mu - b) + mu/z|, whose square is, in v = 1 - cos(angle),
    b^2 - 2 v [b (1 + mu) - (1 - mu)^2] + 4 mu v^2. Its minimum over v in [0, 2] is the sharp bound; below it
    no lag can move a root across the circle, at it some long lag does. For b <= (1-mu)^2/(1+mu) (always at
    mu = 0, up to b = 1) the minimum is at v = 0: the margin is b itself, a sufficient condition that needs
    no computation. For b (1+mu) >= (1-mu)^2 + 8 mu it is at v = 2, and the margin what is left to the flip, 2 (1 +
    mu) - b. Between, it is (1-mu) sqrt((b - b_-) (b_+ - b)/(4 mu)) with b_-+ = (1 -+ sqrt mu)^2.

    Args:
        instantaneous: b, what acts at once (`reference.drift.stiffness_parts` times the learning rate), any
            shape; positive and below 2 (1 + mu), where the loop without delayed part is stable.
        mu: momentum, in [0, 1); broadcasts with b.

    Returns:
        Array of the broadcast shape.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: the small-gain argument for delay-independent stability (Hale and Verduyn Lunel 1993), applied to
    the linearisation of the paper's Eq. 1-4.
    """
    b, mu_ = np.broadcast_arrays(
        domain.array("instantaneous", instantaneous, 0.0, closed=False), domain.momentum("mu", mu)
    )
    unstable = b >= 2.0 * (1.0 + mu_)
    if np.any(unstable):
        raise ValueError(
            f"instantaneous = {b[unstable].flat[0]}; expected below 2 (1 + mu): beyond it no loop is stable"
        )
    excess = b * (1.0 + mu_) - (1.0 - mu_) ** 2
    root = np.sqrt(mu_)
    # 1 - sqrt(mu) as (1 - mu)/(1 + sqrt(mu)): it would cancel near 1
    low, high = ((1.0 - mu_) / (1.0 + root)) ** 2, (1.0 + root) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (1.0 - mu_) * np.sqrt(np.maximum((b - low) * (high - b), 0.0)) / (2.0 * root)
    past = excess >= 8.0 * mu_
    out: Floats = np.where(excess <= 0.0, b, np.where(past, 2.0 * (1.0 + mu_) - b, inside))
    return out[()]
