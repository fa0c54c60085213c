"""The linear heavy-ball map e_{k+1} = (1 + mu - a) e_k - mu e_{k-1}, exactly (Lemma 4's discrete side).

`gain` a = eta*K is the learning rate times the stiffness, per step and without a unit; `mu` the momentum
coefficient. Source: Polyak (1964) for the map; Box and Jenkins (1970) for the variance of an AR(2) process.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference import domain, oscillator
from reference.domain import Floats
from reference.errorfree import two_product, two_sum

Launch = Literal["rest", "matched", "slow"]
Scaling = Literal["fixed", "gain", "inertial"]

LARGEST_GAIN = 1e140  # in modulus: the discriminant is about its square


def trajectory(mu: Any, gain: Any, e0: Any, e1: Any, steps: int) -> NDArray[Any]:
    """The map iterated from (e_0, e_1).

    Args:
        mu, gain, e0, e1: numbers or arrays, broadcast against one another. Fractions (object arrays) stay
            exact; all else is computed in double precision.
        steps: the last index, >= 1.

    Returns:
        e_0 ... e_steps along the last axis, shape (..., steps + 1). An unstable run that leaves the range of
        doubles is inf or nan from there on.

    Raises:
        ValueError: mu outside [0, 1), a value that is not finite, steps < 1 or not whole.
    """
    last = domain.integer("steps", steps, 1)
    domain.momentum("mu", mu)
    for name, value in (("gain", gain), ("e0", e0), ("e1", e1)):
        domain.array(name, value)
    given = [np.asarray(x) for x in (mu, gain, e0, e1)]
    exact = any(x.dtype == object for x in given)
    m, a, first, second = np.broadcast_arrays(*(x if exact else x.astype(np.float64) for x in given))
    out = np.empty((*m.shape, last + 1), dtype=object if exact else np.float64)
    out[..., 0], out[..., 1] = first, second
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, last):
            # the force form: e_k plus two small increments loses less than (1 + mu - a) e_k - mu e_{k-1}
            out[..., k + 1] = out[..., k] - a * out[..., k] + m * (out[..., k] - out[..., k - 1])
    return out


def modes(mu: ArrayLike, gain: ArrayLike) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Both roots of z^2 - (1 + mu - a) z + mu, the larger in modulus first.

    The discriminant is computed with its rounding error and the smaller real root as mu over the larger, so
    that nothing cancels, also where the roots meet. Raises ValueError as `trajectory` does, and for a gain beyond 1e140
    in modulus.
    """
    part = _split(domain.momentum("mu", mu), _bounded(gain))
    sign = np.where(part.flipped, -1.0, 1.0)
    large = np.where(part.real, part.large, part.middle).astype(np.complex128)
    small = np.where(part.real, part.small, part.middle).astype(np.complex128)
    large.imag, small.imag = np.where(part.real, 0.0, part.gap / 2), np.where(part.real, 0.0, -part.gap / 2)
    return sign * large, sign * small


def closed_form(mu: ArrayLike, gain: ArrayLike, e0: ArrayLike, e1: ArrayLike, k: ArrayLike) -> Floats:
    """e_k of the map from (e_0, e_1) through its modes, without iterating.

    Args:
        mu, gain, e0, e1: as in `trajectory`, broadcast with k.
        k: whole numbers >= 0, up to 2**53.

    Returns:
        e_k. While the modes are real the error is a few roundings of the exponent k log|z|, also where the
        modes meet; with complex modes it is about 2**-52 (1 + k theta) of the envelope mu^{k/2}, theta the
        angle a step. Growth beyond the range of doubles is inf, with its sign.

    Raises:
        ValueError: mu outside [0, 1), a value that is not finite, a gain beyond 1e140 in modulus, a negative or
            fractional k.
    """
    m, a = domain.momentum("mu", mu), _bounded(gain)
    first, second = domain.array("e0", e0), domain.array("e1", e1)
    n = domain.integers("k", k, 0, 2**53).astype(np.float64)
    m, a, first, second, n = (np.asarray(x) for x in np.broadcast_arrays(m, a, first, second, n))
    part = _split(m, a)
    # z -> -z is the same map with gain 2 (1 + mu) - a, and e_k -> (-1)^k e_k
    odd = np.where(part.flipped & (n % 2 == 1), -1.0, 1.0)
    second = np.where(part.flipped, -second, second)
    # e_1 - z e_0 through 1 - z near 1 and through z near 0
    beyond = np.where(part.far < 0.5, (second - first) + first * part.far, second - first * part.small)
    push = np.where(part.sum < 1, (second - first) + first * part.sum / 2, second - first * part.middle)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        positive = np.where(part.large == 0, 1.0, part.large)
        share = part.gap / positive  # 1 - z_small/z_large
        ratio = np.where(share < 0.5, np.log1p(-np.minimum(share, 0.5)), np.log(part.small / positive))
        rate = np.where(part.near < 0.5, np.log1p(-part.near), np.log(part.large))
        spread = np.where(share == 0, n, -np.expm1(n * ratio) / share)
        ladder = np.where(n == 0, 0.0, np.where(n == 1, 1.0, np.exp((n - 1) * rate) * spread))
        tail = np.where(n == 0, 1.0, np.where(part.small == 0, 0.0, np.exp(n * (rate + ratio))))
        # a mode that the start leaves out stays out, however far its powers have grown
        apart = np.where(beyond == 0, 0.0, beyond * ladder) + np.where(first == 0, 0.0, first * tail)
        angle = n * np.arctan2(part.gap / 2, part.middle)
        size = np.where(n == 0, 1.0, np.exp(n * np.log(m) / 2))
        ring = size * (first * np.cos(angle) + push / np.where(part.gap == 0, 1.0, part.gap / 2) * np.sin(angle))
    return np.asarray(odd * np.where(part.real, apart, ring), dtype=np.float64)


def spectral_radius(mu: ArrayLike, gain: ArrayLike) -> Floats:
    """The growth per step of the dominant mode; < 1 iff the map is asymptotically stable.

    Raises ValueError as `modes` does.
    """
    m, a = domain.momentum("mu", mu), _bounded(gain)
    part = _split(m, a)
    return np.asarray(np.where(part.real, part.large, np.sqrt(m)), dtype=np.float64)


def stable_gain(mu: ArrayLike) -> Floats:
    """2 (1 + mu): the map is stable for 0 < a < 2 (1 + mu) and flips sign every step at the bound."""
    return np.asarray(2 * (1 + domain.momentum("mu", mu)), dtype=np.float64)


def monotone_gain(mu: ArrayLike) -> Floats:
    """(1 - sqrt mu)^2: the largest gain at which both modes are real and non-negative."""
    m = domain.momentum("mu", mu)
    return np.asarray(((1 - m) / (1 + np.sqrt(m))) ** 2, dtype=np.float64)  # 1 - sqrt(mu) would cancel near 1


def stationary_variance(mu: ArrayLike, gain: ArrayLike, noise_variance: ArrayLike) -> Floats:
    """Variance of e_k under e_{k+1} = (1 + mu - a) e_k - mu e_{k-1} + w_k with independent w_k.

    Exact for the map: Var(w) (1 + mu) / ((1 - mu) a (2 (1 + mu) - a)). It diverges at both ends of the stable
    range, 0 < a < 2 (1 + mu).

    Args:
        mu, gain: as above.
        noise_variance: Var(w) >= 0, per step, in the unit of e squared. Noise of variance V in the gradient
            enters the map multiplied by the learning rate: Var(w) = eta^2 V.

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


def scaled(scaling: Scaling, mu: float, gain: float, delta: float) -> tuple[float, float]:
    """(mu, gain) of the map at time step delta, in one of the scalings that Lemma 4 leaves open.

    Args:
        scaling: "fixed" (neither depends on delta: Eq. 6 read literally), "gain" (a = gain delta, mu fixed:
            a vanishing learning rate) or "inertial" (1 - mu = (1 - mu_1) delta, a = gain delta^2: the one
            in which mass, damping and stiffness per unit of time stay put).
        mu, gain: the values at delta = 1; mu in [0, 1), gain > 0.
        delta: time step in (0, 1].

    Raises:
        ValueError: an argument lies outside its domain.
    """
    domain.choice("scaling", scaling, ("fixed", "gain", "inertial"))
    m = float(domain.momentum("mu", domain.number("mu", mu)))
    a, step = domain.number("gain", gain, 0.0, closed=False), domain.number("delta", delta, 0.0, 1.0)
    if step == 0:
        raise ValueError(f"delta = {delta}; expected in (0, 1]")
    if scaling == "fixed":
        return m, a
    return (m, a * step) if scaling == "gain" else (1 - (1 - m) * step, a * step**2)


def ode_error(
    mu: ArrayLike, gain: ArrayLike, k: ArrayLike, launch: Launch = "matched", e0: ArrayLike = 1.0, e1: ArrayLike = 1.0
) -> Floats:
    """The map minus Lemma 4's ODE at t = k delta: e_k - e(k delta).

    With m = (1 + mu) delta^2/(2 eta), c = (1 - mu) delta/eta and stiffness K the ODE in units of steps is
    (1 + mu)/2 e'' + (1 - mu) e' + a e = 0: neither delta nor eta is left, so the error depends on mu, a and k
    alone. An order in delta only exists once `scaled` says how mu and a move with it.

    Args:
        mu, gain: mu in [0, 1), gain > 0; broadcast with k.
        k: whole numbers >= 0.
        launch: where the ODE starts. "matched": through e_0 at t = 0 and e_1 at t = delta, as the paper
            defines tracking; "rest": e_0 and no velocity; "slow": both on their own slow mode from e_0
            (e1 is not read).
        e0, e1: the map's first two values. From rest e1 = e0; the map's own first step gives (1 - a) e0.

    Returns:
        The difference; its rounding error is about 1e-15 (1 + omega k) of the largest |e|, times 1/(1 - mu)
        with "matched".

    Raises:
        ValueError: an argument lies outside its domain; with "slow", a gain beyond
            (1 - mu)^2 / (2 (1 + mu)), above which the ODE has no slow mode (zeta < 1).
    """
    domain.choice("launch", launch, ("rest", "matched", "slow"))
    m, a = domain.momentum("mu", mu), _bounded(domain.positive("gain", gain))
    n = domain.integers("k", k, 0, 2**53)
    start, second = domain.array("e0", e0), domain.array("e1", e1)
    mass, damping = (1 + m) / 2, 1 - m
    if launch == "slow":
        part = _split(m, a)
        slow, _ = oscillator.poles(mass, damping, a)
        bad = slow.imag != 0
        if np.any(bad):
            where = np.broadcast_to(a, bad.shape)[bad].flat[0]
            raise ValueError(
                f"gain = {where}; expected at most (1 - mu)^2 / (2 (1 + mu)), where the ODE has a slow mode"
            )
        rate = np.log1p(-part.near)
        return np.asarray(start * (np.exp(n * rate) - np.exp(n * slow.real)), dtype=np.float64)
    if launch == "rest":
        ode = oscillator.response(n, mass, damping, a, start)
    else:
        unit = oscillator.response(1.0, mass, damping, a, 0.0, 1.0)
        speed = (second - oscillator.response(1.0, mass, damping, a, start)) / unit
        ode = oscillator.response(n, mass, damping, a, start, speed)
    return np.asarray(closed_form(m, a, start, second, n) - ode, dtype=np.float64)


def _bounded(gain: ArrayLike) -> Floats:
    a = domain.array("gain", gain)
    bad = np.abs(a) > LARGEST_GAIN
    if np.any(bad):
        raise ValueError(f"gain = {a[bad].flat[0]}; expected at most {LARGEST_GAIN:g} in modulus")
    return a


class _Parts(NamedTuple):
    """The quadratic in x = 1 - z of the map, or of its mirror image under z -> -z where a > 1 + mu.

    x^2 - sum x + product: sum = 1 - mu + a, product = a, so that neither slow nor fast decay cancels.
    """

    flipped: NDArray[np.bool_]
    real: NDArray[np.bool_]
    sum: Floats
    middle: Floats  # (1 + mu - a)/2 >= 0
    gap: Floats  # |z_large - z_small|
    large: Floats  # z_large, if real
    small: Floats
    near: Floats  # 1 - z_large, if real
    far: Floats


def _split(mu: Floats, gain: Floats) -> _Parts:
    mu, gain = (np.asarray(x) for x in np.broadcast_arrays(mu, gain))
    zero = np.zeros_like(mu)
    above, above_low = two_sum(1 + zero, mu)
    below, below_low = two_sum(1 + zero, -mu)
    flipped = gain - above > above_low
    mirror, mirror_low = two_sum(2 * above, -gain)
    mirror, mirror_low = two_sum(mirror, mirror_low + 2 * above_low)
    a, a_low = np.where(flipped, mirror, gain), np.where(flipped, mirror_low, 0.0)
    twice, twice_low = two_sum(above, -a)
    twice, twice_low = two_sum(twice, twice_low + (above_low - a_low))
    total, low = two_sum(below, a)
    total, low = two_sum(total, low + (below_low + a_low))
    # (1 - mu + a)^2 - 4 a and (1 + mu - a)^2 - 4 mu are one number; take the one with less to cancel
    inner = twice < total
    base, base_low = np.where(inner, twice, total), np.where(inner, twice_low, low)
    square, square_low = two_product(base, base)
    disc = (square - 4 * np.where(inner, mu, a)) + (square_low + 2 * base * base_low - np.where(inner, 0.0, 4 * a_low))
    middle = np.maximum(twice / 2, 0.0)
    gap = np.sqrt(np.abs(disc))
    real = disc >= 0
    large = middle + gap / 2
    small = np.where(large == 0, 0.0, mu / np.where(large == 0, 1.0, large))
    outer = (total + np.where(total >= 0, gap, -gap)) / 2
    other = np.where(outer == 0, 0.0, a / np.where(outer == 0, 1.0, outer))
    near, far = np.where(total >= 0, other, outer), np.where(total >= 0, outer, other)
    return _Parts(flipped, real, total, middle, gap, large, small, near, far)
