"""Lag: heavy-ball descent on a quadratic whose force is evaluated at an old state, step by step and over a cycle.

The map is e_{k+1} = (1 + mu) e_k - mu e_{k-1} - a e_old with the gain a = eta * K. Under schedule "constant" e_old is
e_{k-L}, L >= 0; under "periodic" it is the last copy, taken where k is a multiple of T >= 1, so that the lag runs 0,
..., T-1. Constant lag 0 and periodic interval 1 are heavy ball itself; constant lag 1 is not.

This module is also the public face of `reference.frontier` (stability and onset in closed form), `reference.spectrum`
(the multipliers of a constant lag) and `reference.delay` and `reference.characteristic` (the delay equation).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference import domain
from reference.characteristic import (
    characteristic_roots,
    critical_delay,
    critical_stiffness,
    onset_stiffness,
    unstable_roots,
    winding_count,
)
from reference.delay import delay_exact, delay_trajectory
from reference.frontier import (
    Bifurcation,
    check,
    critical,
    critical_gain,
    critical_interval,
    cycle,
    onset_gain,
    stable,
    unstable_count,
)
from reference.history import Schedule
from reference.spectrum import lagged_multipliers

__all__ = [
    "Bifurcation",
    "characteristic_roots",
    "critical",
    "critical_delay",
    "critical_gain",
    "critical_interval",
    "critical_stiffness",
    "delay_exact",
    "delay_trajectory",
    "multipliers",
    "onset_gain",
    "onset_stiffness",
    "order",
    "period_map",
    "spectrum",
    "stable",
    "trajectory",
    "unstable_count",
    "unstable_roots",
    "winding_count",
]

LARGEST_SPECTRUM = 300  # all pairs of multipliers repel each other some 30 times: half a second here
SMALLEST_GAIN = 1e-300  # that of a spectrum, 0 aside

Number = float | Fraction


def order(interval: int, schedule: Schedule) -> int:
    """Count the states that start the map: e_0 and all earlier ones it looks at.

    Args:
        interval: L >= 0 ("constant") or T >= 1 ("periodic").
        schedule: "constant" or "periodic".

    Returns:
        max(L, 1) + 1 for a constant lag, 2 under periodic refresh (which starts with a copy).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    check(0.0, interval, schedule)
    return max(domain.integer("interval", interval, 0), 1) + 1 if schedule == "constant" else 2


def _exact(*values: object) -> bool:
    """Tell whether all are rational and at least one is a Fraction: the wish for exact arithmetic."""
    return all(isinstance(v, Rational) for v in values) and any(isinstance(v, Fraction) for v in values)


def _scalar(name: str, value: Number, exact: bool) -> Number:
    number = domain.number(name, value)  # type: ignore[arg-type]  # numpy reads a Fraction
    return Fraction(value) if exact else number


def trajectory(
    mu: Number,
    gain: Number,
    interval: int,
    schedule: Schedule,
    steps: int,
    history: Sequence[Number] | None = None,
) -> NDArray[Any]:
    """Iterate the lagged heavy-ball map.

    Args:
        mu: momentum in [0, 1).
        gain: eta times stiffness, finite.
        interval: constant lag L >= 0 or refresh interval T >= 1, in steps.
        schedule: "constant" or "periodic".
        steps: number of steps, at least 0.
        history: the last `order(interval, schedule)` states, ending with e_0; at rest at 1 if not given.

    Returns:
        e_0, ..., e_steps, shape (steps + 1,): floats, or Fractions without any rounding if mu, gain and history are
        rational and at least one of them is a Fraction.

    Raises:
        ValueError: an argument lies outside its domain.
        OverflowError: an unstable run of floats leaves the range of doubles.

    Source: Eq. 3 of the paper, linearised (the map of Lemma 4 with the force of Lemma 5).
    """
    check(mu, interval, schedule)  # type: ignore[arg-type]
    steps, interval = domain.integer("steps", steps, 0), domain.integer("interval", interval, 0)
    size = order(interval, schedule)
    if history is not None and not np.iterable(history):
        raise ValueError(f"history = {history!r}; expected {size} states, ending with e_0")
    start: Sequence[Number] = [1] * size if history is None else list(history)
    if len(start) != size:
        raise ValueError(f"history has {len(start)} states; expected {size}, ending with e_0")
    exact = _exact(mu, gain, *start)
    mu_, gain_ = _scalar("mu", mu, exact), _scalar("gain", gain, exact)
    e = [_scalar("history", value, exact) for value in start]
    now = size - 1
    for k in range(steps):
        lag = interval if schedule == "constant" else k % interval
        e.append(e[now + k] + mu_ * (e[now + k] - e[now + k - 1]) - gain_ * e[now + k - lag])
    path = np.array(e[now:])  # an array of objects where exact
    if not exact and not np.all(np.isfinite(path)):
        raise OverflowError(f"the map leaves the range of doubles at step {int(np.argmin(np.isfinite(path)))}")
    return path


def period_map(mu: ArrayLike | Fraction, gain: ArrayLike | Fraction, interval: ArrayLike) -> NDArray[Any]:
    """Compute the map over one refresh cycle in closed form.

    With q = mu^T, s = (1-q)/(1-mu), S = mu s, R = (T-S)/(1-mu) and the velocity v_k = e_k - e_{k-1}, e_T = (1 - a R)
    e_0 + S v_0 and v_T = q v_0 - a s e_0.

    Args:
        mu: momentum in [0, 1).
        gain: eta times stiffness, finite.
        interval: refresh interval T >= 1. All three are broadcast.

    Returns:
        Array (..., 2, 2) that takes (e_0, e_{-1}) at a refresh to (e_T, e_{T-1}) at the next; Fractions if mu and gain
        are rational and one of them is a Fraction.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    if _exact(mu, gain):
        return _exact_period_map(Fraction(mu), Fraction(gain), interval)  # type: ignore[arg-type]
    mu_, T = check(mu, interval, "periodic")  # type: ignore[arg-type]
    mu_, T, a = np.broadcast_arrays(mu_, T, domain.array("gain", gain))  # type: ignore[arg-type]
    sums = cycle(mu_, T)
    return _assemble(a, sums.q, sums.s, sums.S, sums.R)


def _exact_period_map(mu: Fraction, gain: Fraction, interval: ArrayLike) -> NDArray[Any]:
    domain.momentum("mu", mu)  # type: ignore[arg-type]
    T = domain.integer("interval", interval, 1)
    q = mu**T
    s = (1 - q) / (1 - mu)
    S = mu * s
    return _assemble(gain, q, s, S, (T - S) / (1 - mu))


def _assemble(a: Any, q: Any, s: Any, S: Any, R: Any) -> NDArray[Any]:
    first, second = (1 - a * R + S, -S), (1 - a * R + S + a * s - q, q - S)
    return np.stack([np.stack(first, axis=-1), np.stack(second, axis=-1)], axis=-2)


def multipliers(mu: ArrayLike, gain: ArrayLike, interval: ArrayLike) -> NDArray[np.complex128]:
    """Compute the two multipliers of a refresh cycle in closed form.

    Args:
        mu: momentum in [0, 1).
        gain: eta times stiffness, finite.
        interval: refresh interval T >= 1. All three are broadcast.

    Returns:
        Complex array (..., 2), the one of larger modulus first (the upper one of a complex pair). Their mean is t/2
        with t = 1 + q - a R, their product q + a Q, and their discriminant R^2 (a - a_-)(a - a_+) keeps its factors, so
        that it does not cancel near the onset a_-.

    Raises:
        ValueError: an argument lies outside its domain, or a multiplier leaves the range of doubles.
    """
    mu_, T = check(mu, interval, "periodic")
    mu_, T, a = np.broadcast_arrays(mu_, T, domain.array("gain", gain))
    sums = cycle(mu_, T)
    scale = (1.0 - mu_) * sums.one_minus_q
    low = scale / (np.sqrt(T) + np.sqrt(sums.S)) ** 2
    # scale/(sqrt T - sqrt S)^2, with T - S = nu R
    high = scale * (np.sqrt(T) + np.sqrt(sums.S)) ** 2 / ((1.0 - mu_) * sums.R) ** 2
    with np.errstate(over="ignore"):
        root = sums.R * np.sqrt(np.abs(a - low)) * np.sqrt(np.abs(a - high))
        trace = 1.0 + sums.q - a * sums.R
    _within_doubles(a, np.maximum(root, np.abs(trace)))
    big = 0.5 * (trace + np.where((low < a) & (a < high), 1j * root, np.copysign(root, trace)))
    # the smaller one from the product, without a difference; it is 0 where the larger one is
    small = (sums.q + a * sums.Q) / np.where(big == 0.0, 1.0, big)
    return np.stack([big, small], axis=-1)


def spectrum(mu: float, gain: float, interval: int, schedule: Schedule) -> NDArray[np.complex128]:
    """Compute all multipliers of the lagged map.

    Args:
        mu: momentum in [0, 1).
        gain: eta times stiffness, finite; with a constant lag beyond 1, 0 or at least 1e-300 in modulus.
        interval: constant lag L, 0 to 300, or refresh interval T >= 1 without an upper bound.
        schedule: "constant" (multipliers of one step) or "periodic" (of one cycle).

    Returns:
        Complex array, of falling modulus: the max(L, 1) + 1 roots of z^{L-1} (z-1)(z-mu) + a (in closed form for L
        up to 1), each to a few units in the last place, nearly double ones to the square root of that; or the two
        of `multipliers`.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    check(mu, interval, schedule)
    mu_, a = domain.number("mu", mu), domain.number("gain", gain)
    if schedule == "periodic":
        return multipliers(mu_, a, interval)
    lag = domain.integer("interval", interval, 0, LARGEST_SPECTRUM)
    if lag == 0:  # heavy ball, as with a refresh at every step
        return multipliers(mu_, a, 1)
    if lag > 1:
        if 0.0 < abs(a) < SMALLEST_GAIN:
            raise ValueError(f"gain = {a!r}; expected 0 or at least {SMALLEST_GAIN:g} in modulus: powers underflow")
        return lagged_multipliers(mu_, a, lag)
    _within_doubles(np.asarray(a), np.asarray(4.0 * abs(a)))
    big = 0.5 * (1.0 + mu_ + np.emath.sqrt((1.0 - mu_) ** 2 - 4.0 * a))
    return np.array([big, (mu_ + a) / big], dtype=np.complex128)


def _within_doubles(gain: NDArray[np.float64], size: NDArray[np.float64]) -> None:
    """Refuse a gain at which twice a quantity of this size is no double."""
    bad = ~(size < 2.0**1022)
    if np.any(bad):
        raise ValueError(f"gain = {gain[bad].flat[0]}; expected one whose multipliers stay within the range of doubles")
