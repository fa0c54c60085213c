"""Characteristic: the roots of m s^2 + c s + K e^{-s tau} = 0, how many lie to the right, and where that changes.

On the upper half-plane H(s) = s tau + Log s + Log(m s + c) has Im H' < 0, so it is univalent there (Noshiro 1934,
Warschawski 1935). Its image is that half-plane less the slits that the negative real axis maps to, at heights pi and 2
pi. So for K > 0 each k >= 1 has exactly one root with H(s) = log K + i pi (2k+1), and k = 0 has one if K exceeds
`onset_stiffness`, else two real roots. These are all. Newton's method follows the straight path from a start on the
right side of the slits and cannot miss.

On the imaginary axis K sin(w tau) = c w and K cos(w tau) = m w^2: with x = w tau the boundary is x tan x = c tau/m on
(0, pi/2), where lambda tau = K tau/c = x/sin x, which lies between 1 and pi/2.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference import domain
from reference.scalar_root import Floats, increasing_root

LARGEST_TURN = 1e4  # delay times the largest unstable frequency, for the winding count: about 1e6 pieces of contour


def _coefficients(mass: ArrayLike, damping: ArrayLike, third: ArrayLike, name: str) -> tuple[Floats, Floats, Floats]:
    m, c = domain.non_negative("mass", mass), domain.non_negative("damping", damping)
    m, c, x = np.broadcast_arrays(m, c, domain.positive(name, third))
    if np.any((m == 0.0) & (c == 0.0)):
        raise ValueError("damping = 0.0; expected > 0 where mass = 0")
    return m, c, x


def _frequency(m: Floats, c: Floats, K: Floats) -> Floats:
    """Return the one w > 0 with m^2 w^4 + c^2 w^2 = K^2, without cancellation."""
    return np.asarray(np.sqrt(2.0) * K / np.sqrt(c**2 + np.hypot(c**2, 2.0 * m * K)))


def critical_delay(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike) -> Floats:
    """Find the delay at which m e'' + c e' + K e(t - tau) = 0 loses stability.

    Args:
        mass: m >= 0, any shape.
        damping: c >= 0; mass and damping not both 0.
        stiffness: K > 0. All three are broadcast.

    Returns:
        atan(c/(m w))/w with m^2 w^4 + c^2 w^2 = K^2: stable exactly for the delays below it (0 without damping).

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Stepan 1989, Retarded Dynamical Systems, section 3; the exact counterpart of the paper's Proposition 9.
    """
    m, c, K = _coefficients(mass, damping, stiffness, "stiffness")
    w = _frequency(m, c, K)
    return np.asarray(np.arctan2(c, m * w) / w)[()]


def critical_stiffness(mass: ArrayLike, damping: ArrayLike, tau: ArrayLike) -> Floats:
    """Find the stiffness at which m e'' + c e' + K e(t - tau) = 0 loses stability.

    Args:
        mass: m >= 0, any shape.
        damping: c >= 0; mass and damping not both 0.
        tau: delay > 0. All three are broadcast.

    Returns:
        (c/tau) x/sin x with x tan x = c tau/m on (0, pi/2): stable exactly for 0 < K below it. The truncated equation
        says c/tau (lambda tau = 1): too small by a factor between 1 (c tau << m) and pi/2 (m << c tau).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    m, c, delay = _coefficients(mass, damping, tau, "tau")
    load = c * delay

    def balance(x: Floats) -> tuple[Floats, Floats]:
        sine, cosine = np.sin(x), np.cos(x)
        return m * x * sine - load * cosine, (m + load) * sine + m * x * cosine

    start = np.sqrt(load / (m + load * (4.0 / np.pi**2)))
    x = increasing_root(balance, np.zeros_like(load), np.full_like(load, 0.5 * np.pi), start)
    return np.asarray(c / delay / np.sinc(x / np.pi))[()]


def onset_stiffness(mass: ArrayLike, damping: ArrayLike, tau: ArrayLike) -> Floats:
    """Find the stiffness at which the two real roots of the characteristic equation merge and leave the real axis.

    Args:
        mass: m >= 0, any shape.
        damping: c >= 0; mass and damping not both 0.
        tau: delay > 0. All three are broadcast.

    Returns:
        sigma (c - m sigma) e^{-sigma tau} at sigma = 2 c/(c tau + 2 m + sqrt(c^2 tau^2 + 4 m^2)): c^2/(4 m) for short
        delays, c/(e tau) for long ones. Above it no root is real.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    m, c, delay = _coefficients(mass, damping, tau, "tau")
    load = c * delay
    sigma = 2.0 * c / (load + 2.0 * m + np.hypot(load, 2.0 * m))
    # c - m sigma = c (load + hyp)/(load + 2m + hyp), a sum of positive terms
    rest = c * (load + np.hypot(load, 2.0 * m)) / (load + 2.0 * m + np.hypot(load, 2.0 * m))
    return np.asarray(sigma * rest * np.exp(-sigma * delay))[()]


def unstable_roots(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike, tau: ArrayLike) -> NDArray[np.int64]:
    """Count the roots in the right half-plane, in closed form.

    All crossings are outward as the delay grows and happen at the same frequency w, so the count is twice the number of
    k >= 0 with w tau > 2 pi k + atan(c/(m w)).

    Args:
        mass: m >= 0, any shape.
        damping: c >= 0; mass and damping not both 0.
        stiffness: K > 0.
        tau: delay > 0. All four are broadcast.

    Returns:
        Integer array, even numbers. Exact off the boundaries; within rounding of one it may fall on either side.

    Raises:
        ValueError: an argument lies outside its domain, or there are 2**53 roots or more.
    """
    m, c, K = _coefficients(mass, damping, stiffness, "stiffness")
    m, c, K, delay = np.broadcast_arrays(m, c, K, domain.positive("tau", tau))
    w = _frequency(m, c, K)
    with np.errstate(over="ignore"):
        turns = np.ceil((w * delay - np.arctan2(c, m * w)) / (2.0 * np.pi))
    bad = ~(turns < 2.0**52)
    if np.any(bad):
        raise ValueError(f"tau = {delay[bad].flat[0]}; expected fewer than 2**53 roots to count")
    return np.asarray((2 * np.maximum(turns, 0.0)).astype(np.int64))[()]


def winding_count(mass: float, damping: float, stiffness: float, tau: float) -> int:
    """Count the roots in the right half-plane by the argument principle, with a certificate.

    Where Re s >= 0, |s| |m s + c| = K e^{-tau Re s} <= K, so every such root has |s| <= r = min(K/c, sqrt(K/m)). The
    contour is the rectangle [0, 2r] x [-2r, 2r]. A straight piece is accepted once the function at its middle exceeds
    a bound on its derivative times half the length: the image then lies in a disc without 0, and the change of the
    argument is the principal one. The turn is therefore an exact integer, up to the rounding of the values, for which
    1e-9 is reserved.

    Args:
        mass: m >= 0.
        damping: c >= 0; mass and damping not both 0.
        stiffness: K > 0.
        tau: delay > 0.

    Returns:
        The number of roots with Re s > 0.

    Raises:
        ValueError: an argument lies outside its domain, or a root lies on the imaginary axis to within rounding.

    Source: argument principle; independent of the closed form of `unstable_roots`.
    """
    (m, c, K), delay = _scalars(mass, damping, stiffness), domain.number("tau", tau, 0.0, closed=False)
    if delay * _radius(m, c, K) > LARGEST_TURN:
        raise ValueError(f"tau = {tau}; expected tau * min(K/c, sqrt(K/m)) <= {LARGEST_TURN:g}: use unstable_roots")
    radius = 2.0 * _radius(m, c, K)
    # upper half only: the function is real on the real axis, so the lower half adds the same turn
    corners = np.array([radius, radius + 1j * radius, 1j * radius, 0.0])
    start, stop = corners[:-1], corners[1:]
    floor = 1e-9 * K
    turn = 0.0
    for _ in range(60):
        middle = 0.5 * (start + stop)
        f = _function(middle, m, c, K, delay)
        size, decay = (
            np.maximum(np.abs(start), np.abs(stop)),
            np.exp(-delay * np.minimum(start.real, stop.real)),
        )
        steepest = 2.0 * m * size + c + K * delay * decay
        good = np.abs(f) * (1.0 - 1e-9) > 0.5 * steepest * np.abs(stop - start) + 1e-12 * K
        ends = _function(stop[good], m, c, K, delay), _function(start[good], m, c, K, delay)
        turn += float(np.sum(np.angle(ends[0] * np.conj(ends[1]))))
        if np.any(np.abs(f[~good]) < floor):
            break
        start, middle, stop = start[~good], middle[~good], stop[~good]
        start, stop = np.concatenate([start, middle]), np.concatenate([middle, stop])
        if not len(start):
            return round(turn / np.pi)
    raise ValueError(f"tau = {tau}; expected a delay with no root on the imaginary axis to within rounding")


def _function(s: NDArray[np.complex128], m: float, c: float, K: float, tau: float) -> NDArray[np.complex128]:
    return (m * s + c) * s + K * np.exp(-tau * s)


def _radius(m: float, c: float, K: float) -> float:
    return min(K / c if c > 0.0 else math.inf, math.sqrt(K / m) if m > 0.0 else math.inf)


def _scalars(mass: float, damping: float, stiffness: float) -> tuple[float, float, float]:
    m, c = domain.number("mass", mass, 0.0), domain.number("damping", damping, 0.0)
    K = domain.number("stiffness", stiffness, 0.0, closed=False)
    _coefficients(m, c, K, "stiffness")
    return m, c, K


def characteristic_roots(
    mass: float, damping: float, stiffness: float, tau: float, count: int = 8, digits: int = 30
) -> list[Any]:
    """Compute the first roots of m s^2 + c s + K e^{-s tau}, one of each conjugate pair, to full precision.

    Args:
        mass: m >= 0.
        damping: c >= 0; mass and damping not both 0.
        stiffness: K > 0.
        tau: delay > 0.
        count: number of branches k = 0, ..., count-1, at least 1.
        digits: significant digits, at least 15. Within a relative distance d of the onset the roots of k = 0 nearly
            merge and are good to digits + log10(d)/2.

    Returns:
        mpmath complex numbers in the order of k, with Im s >= 0 and Im s tau between (2k-1) pi and (2k+1) pi. For k = 0
        below the onset two real roots stand in its place, the larger first. No other roots exist.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: the head of this module; for m = 0 they are W_k(-K tau/c)/tau (Corless et al. 1996).
    """
    (m, c, K), delay = _scalars(mass, damping, stiffness), domain.number("tau", tau, 0.0, closed=False)
    count, digits = domain.integer("count", count, 1), domain.integer("digits", digits, 15)
    roots: list[Any] = []
    first = 0
    if float(onset_stiffness(m, c, delay)) >= K:
        roots = _real_roots(m, c, K, delay, digits)
        first = 1
    return roots + [_polish(_branch(m, c, K, delay, k), m, c, K, delay, digits) for k in range(first, count)]


def _branch(m: float, c: float, K: float, tau: float, k: int) -> complex:
    """Follow the preimage of the straight path to log K + i pi (2k+1) under H."""

    def height(s: complex) -> complex:
        return s * tau + cmath.log(s) + cmath.log(m * s + c)

    target = complex(math.log(K), math.pi * (2 * k + 1))
    s = 1j * math.pi * (2 * k + 1) / tau if k else cmath.exp(0.25j * math.pi) / tau
    share = 1.0
    for _ in range(10_000):
        gap = target - height(s)
        if abs(gap) < 1e-13 * (abs(target) + 1.0):
            break
        new = s + share * gap / (tau + 1.0 / s + m / (m * s + c))
        # close to the path: what is left of the gap must still point along it
        if new.imag > 0.0 and abs(target - height(new) - (1.0 - share) * gap) <= 0.25 * share * abs(gap):
            s, share = new, min(1.0, 2.0 * share)
        elif share > 1e-12:
            share *= 0.5
        else:
            break
    return s


def _polish(s: complex, m: float, c: float, K: float, tau: float, digits: int) -> Any:
    with mpmath.workdps(2 * digits + 10):
        z = mpmath.mpmathify(s)
        for _ in range(60):
            decay = K * mpmath.exp(-tau * z)
            step = ((m * z + c) * z + decay) / (2 * m * z + c - tau * decay)
            z -= step
            if abs(step) <= abs(z) * mpmath.mpf(10) ** (-digits - 5):
                break
    with mpmath.workdps(digits):
        return +z


def _real_roots(m: float, c: float, K: float, tau: float, digits: int) -> list[Any]:
    """Newton's method on the concave log sigma + log(c - m sigma) - sigma tau - log K, from outside on either side."""
    with mpmath.workdps(2 * digits + 10):
        m_, c_, K_, tau_ = (mpmath.mpf(x) for x in (m, c, K, tau))
        load = c_ * tau_
        peak = 2 * c_ / (load + 2 * m_ + mpmath.sqrt(load**2 + 4 * m_**2))

        def log_balance(x: Any) -> Any:
            return mpmath.log(x) + mpmath.log(c_ - m_ * x) - x * tau_ - mpmath.log(K_)

        outer = peak
        while log_balance(outer) > 0:
            outer = 2 * outer if m == 0.0 else (outer + c_ / m_) / 2
        found = []
        for x in (K_ / c_, outer):
            for _ in range(20 * digits):
                step = log_balance(x) / (1 / x - m_ / (c_ - m_ * x) - tau_)
                x -= step
                if abs(step) <= x * mpmath.mpf(10) ** (-digits - 5):
                    break
            found.append(-x)
    with mpmath.workdps(digits):
        return [mpmath.mpc(+x) for x in found]
