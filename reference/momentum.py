"""The linear heavy-ball map e_{k+1} = (1 + mu - a) e_k - mu e_{k-1}, exactly (Lemma 4's discrete side).

`gain` a = eta*K is the learning rate times the stiffness, per step and without a unit; `mu` the momentum
coefficient. Source: Polyak (1964) for the map; Box and Jenkins (1970) for the variance of an AR(2) process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference import domain
from reference.domain import Floats


def trajectory(mu: Any, gain: Any, e0: Any, e1: Any, steps: int) -> NDArray[Any]:
    """The map iterated from (e_0, e_1).

    Args:
        mu, gain, e0, e1: numbers or arrays, broadcast against one another. Fractions (object arrays) stay
            exact; all else is computed in double precision.
        steps: the last index, >= 1.

    Returns:
        e_0 ... e_steps along the last axis, shape (..., steps + 1).

    Raises:
        ValueError: mu outside [0, 1), a value that is not finite, steps < 1 or not whole.
    """
    last = domain.integer("steps", steps, 1)
    domain.momentum("mu", np.asarray(mu, dtype=np.float64))
    domain.array("gain", np.asarray(gain, dtype=np.float64))
    domain.array("e0", np.asarray(e0, dtype=np.float64))
    domain.array("e1", np.asarray(e1, dtype=np.float64))
    given = [np.asarray(x) for x in (mu, gain, e0, e1)]
    exact = any(x.dtype == object for x in given)
    m, a, first, second = np.broadcast_arrays(*(x if exact else x.astype(np.float64) for x in given))
    out = np.empty((*m.shape, last + 1), dtype=object if exact else np.float64)
    out[..., 0], out[..., 1] = first, second
    for k in range(1, last):
        # the force form: e_k plus two small increments loses less than (1 + mu - a) e_k - mu e_{k-1}
        out[..., k + 1] = out[..., k] - a * out[..., k] + m * (out[..., k] - out[..., k - 1])
    return out


def modes(mu: ArrayLike, gain: ArrayLike) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Both roots of z^2 - (1 + mu - a) z + mu, the larger in modulus first.

    The discriminant is taken as ((1 - sqrt mu)^2 - a) ((1 + sqrt mu)^2 - a) and the smaller root as mu over
    the larger, so that neither cancels. Raises ValueError as `trajectory` does.
    """
    m, a = domain.momentum("mu", mu), domain.array("gain", gain)
    half = (1 + m - a) / 2
    root = np.sqrt(np.asarray((monotone_gain(m) - a) * ((1 + np.sqrt(m)) ** 2 - a), dtype=np.complex128)) / 2
    large = half + np.where(half >= 0, 1.0, -1.0) * root
    small = np.where(large == 0, 0, m / np.where(large == 0, 1, large))
    return np.asarray(large, dtype=np.complex128), np.asarray(small, dtype=np.complex128)


def spectral_radius(mu: ArrayLike, gain: ArrayLike) -> Floats:
    """The growth per step of the dominant mode; < 1 iff the map is asymptotically stable."""
    return np.asarray(np.abs(modes(mu, gain)[0]), dtype=np.float64)


def stable_gain(mu: ArrayLike) -> Floats:
    """2 (1 + mu): the map is stable for 0 < a < 2 (1 + mu) and flips sign every step at the bound."""
    return np.asarray(2 * (1 + domain.momentum("mu", mu)), dtype=np.float64)


def monotone_gain(mu: ArrayLike) -> Floats:
    """(1 - sqrt mu)^2: the largest gain at which both modes are real and non-negative."""
    return np.asarray((1 - np.sqrt(domain.momentum("mu", mu))) ** 2, dtype=np.float64)


def stationary_variance(mu: ArrayLike, gain: ArrayLike, noise_variance: ArrayLike) -> Floats:
    """Variance of e_k under e_{k+1} = (1 + mu - a) e_k - mu e_{k-1} + w_k with independent w_k.

    Exact for the map: Var(w) (1 + mu) / ((1 - mu) a (2 (1 + mu) - a)). It diverges at both ends of the stable
    range, 0 < a < 2 (1 + mu).

    Args:
        mu, gain: as above.
        noise_variance: Var(w) >= 0, per step, in the unit of e squared.

    Raises:
        ValueError: mu outside [0, 1), a gain outside the stable range, a negative variance.
    """
    m, a, w = (
        domain.momentum("mu", mu),
        domain.array("gain", gain),
        domain.non_negative("noise_variance", noise_variance),
    )
    bad = (a <= 0) | (a >= 2 * (1 + m))
    if np.any(bad):
        where = np.broadcast_to(a, bad.shape)[bad].flat[0]
        raise ValueError(f"gain = {where}; expected in (0, 2 (1 + mu)), where the map has a stationary state")
    return np.asarray(w * (1 + m) / ((1 - m) * a * (2 * (1 + m) - a)), dtype=np.float64)
