"""The damped oscillator M e'' + C e' + K e = 0 (Theorem 7), at any damping ratio without cancellation.

Time is in optimizer steps; e, e0 in units of reward. M has unit steps^2 and C steps, relative to K.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reference import domain
from reference.domain import Floats

_SPLIT = 134217729.0  # 2**27 + 1, Veltkamp's constant for doubles


def coefficients(eta: ArrayLike, mu: ArrayLike, stiffness: ArrayLike, tau: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Mass, damping and stiffness of Eq. 9, with the step as the unit of time.

    Args:
        eta: learning rate, > 0.
        mu: momentum coefficient, in [0, 1).
        stiffness: K > 0.
        tau: refresh lag in steps, >= 0.

    Returns:
        M = ((1 + mu) + K eta tau^2) / (2 eta), C = ((1 - mu) - K eta tau) / eta (negative past the threshold
        of Eq. 11), and K, broadcast to one shape.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    e, m = domain.learning_rate("eta", eta), domain.momentum("mu", mu)
    k, lag = domain.positive("stiffness", stiffness), domain.non_negative("tau", tau)
    e, m, k, lag = np.broadcast_arrays(e, m, k, lag)
    return (1 + m) / (2 * e) + k * lag**2 / 2, (1 - m) / e - k * lag, k.copy()


def damping_ratio(eta: ArrayLike, mu: ArrayLike, stiffness: ArrayLike, tau: ArrayLike) -> Floats:
    """zeta = C / (2 sqrt(K M)) of Eq. 10; negative past the threshold. Arguments as in `coefficients`."""
    mass, damping, k = coefficients(eta, mu, stiffness, tau)
    return np.asarray(damping / (2 * np.sqrt(k * mass)), dtype=np.float64)


def natural_frequency(mass: ArrayLike, stiffness: ArrayLike) -> Floats:
    """omega_n = sqrt(K / M), in radians a step. Raises ValueError unless both are > 0."""
    return np.asarray(
        np.sqrt(domain.positive("stiffness", stiffness) / domain.positive("mass", mass)), dtype=np.float64
    )


def poles(
    mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Both roots of M s^2 + C s + K, the smaller in modulus (the slow one) first; a pair where zeta^2 < 1.

    The small real root is K/M over the large one, so that it does not cancel at large damping ratios.
    """
    rate, square, disc = _reduced(mass, damping, stiffness)
    root = np.sqrt(np.abs(disc))
    large = np.abs(rate) + root
    sign = np.where(rate >= 0, -1.0, 1.0)
    real = disc >= 0
    slow = np.where(real, sign * square / np.where(large == 0, 1, large), -rate).astype(np.complex128)
    fast = np.where(real, sign * large, -rate).astype(np.complex128)
    slow.imag, fast.imag = np.where(real, 0.0, root), np.where(real, 0.0, -root)
    return slow, fast


def response(
    t: ArrayLike,
    mass: ArrayLike,
    damping: ArrayLike,
    stiffness: ArrayLike,
    e0: ArrayLike,
    v0: ArrayLike = 0.0,
) -> Floats:
    """e(t) from e(0) = e0, e'(0) = v0, for any damping ratio, also negative.

    Relative error about 1e-13 wherever e does not change sign; near a zero crossing that error is relative to
    the envelope of the motion. Three branches, each used where nothing cancels in it: divided differences
    (cosh and sinh(x)/x of the half difference of the poles) while the poles have separated by less than one
    e-fold, the two exponentials beyond, and cos and sin below zeta = 1. The discriminant C^2 - 4 M K is
    computed with its rounding error (Dekker, 1971; Kahan), so that zeta = 1 + 1e-15 is as good as zeta = 2.

    Args:
        t: times >= 0, in steps.
        mass, damping, stiffness: M > 0, C of either sign, K > 0; broadcast with t.
        e0, v0: initial value and velocity (per step).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    time = domain.non_negative("t", t)
    rate, square, disc = _reduced(mass, damping, stiffness)
    start, velocity = domain.array("e0", e0), domain.array("v0", v0)
    time, rate, square, disc, start, velocity = np.broadcast_arrays(time, rate, square, disc, start, velocity)
    root = np.sqrt(np.abs(disc))
    x = root * time
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        slope = velocity + rate * start
        decay = np.exp(-rate * time)
        near = np.minimum(x, 1.0)
        close = decay * (start * np.cosh(near) + slope * time * _sinhc(near))
        ring = decay * (start * np.cos(x) + slope * time * np.sinc(x / np.pi))
        large = np.abs(rate) + root
        sign = np.where(rate >= 0, -1.0, 1.0)
        fast, slow = sign * large, sign * square / np.where(large == 0, 1, large)
        gap = np.where(root == 0, 1, 2 * root) * -sign  # slow - fast
        apart = (
            (velocity - fast * start) * np.exp(slow * time) - (velocity - slow * start) * np.exp(fast * time)
        ) / gap
    return np.asarray(np.where(disc < 0, ring, np.where(x <= 1, close, apart)), dtype=np.float64)


def velocity(
    t: ArrayLike,
    mass: ArrayLike,
    damping: ArrayLike,
    stiffness: ArrayLike,
    e0: ArrayLike,
    v0: ArrayLike = 0.0,
) -> Floats:
    """e'(t), per step; the arguments are those of `response`. e' obeys the same equation as e."""
    m, k = domain.positive("mass", mass), domain.positive("stiffness", stiffness)
    c, start, speed = domain.array("damping", damping), domain.array("e0", e0), domain.array("v0", v0)
    return response(t, m, c, k, speed, -(c * speed + k * start) / m)


def inflection_time(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike) -> Floats:
    """When the response from rest first bends: acosh(zeta) / (omega_n sqrt(zeta^2 - 1)), in steps.

    1/omega_n at zeta = 1 (Prop. 14), acos(zeta) / (omega_n sqrt(1 - zeta^2)) below; inf where there is none
    (zeta <= -1).
    """
    rate, square, disc = _reduced(mass, damping, stiffness)
    root = np.sqrt(np.abs(disc))
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.where(rate > 0, np.arctanh(np.minimum(root / np.abs(rate), 1.0)) / root, np.inf)
        # atanh(root/rate) = acosh(zeta) loses digits as root/rate nears 1: then the log of the poles' ratio
        large = np.abs(rate) + root
        far = np.where(rate > 0, np.log(large**2 / square) / (2 * root), np.inf)
        over = np.where(root > 0.5 * np.abs(rate), far, above)
        under = np.arctan2(root, rate) / root
        level = np.where(rate > 0, 1 / np.abs(rate), np.inf)
    return np.asarray(np.where(disc == 0, level, np.where(disc > 0, over, under)), dtype=np.float64)


def overshoot(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike) -> Floats:
    """The first swing past the fixed point, from rest, as a fraction of e0: exp(-pi zeta / sqrt(1 - zeta^2)).

    0 for zeta >= 1; above 1 for zeta < 0 (the motion grows); inf for zeta <= -1 (it never turns).
    """
    rate, _, disc = _reduced(mass, damping, stiffness)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        swing = np.exp(-np.pi * rate / np.sqrt(np.abs(disc)))
    return np.asarray(np.where(disc >= 0, np.where(rate > 0, 0.0, np.inf), swing), dtype=np.float64)


def settling_time(mass: float, damping: float, stiffness: float, band: float = 0.05) -> float:
    """The last time at which |e| > band |e0|, from rest, in steps; inf for zeta <= 0.

    Args:
        mass, damping, stiffness: single numbers.
        band: in (0, 1).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    from scipy.optimize import brentq

    level = domain.number("band", band, 0.0, 1.0, closed=False)
    m, c, k = (domain.number(n, x) for n, x in (("mass", mass), ("damping", damping), ("stiffness", stiffness)))
    rate, square, disc = (float(x) for x in _reduced(m, c, k))
    if rate <= 0:
        return float("inf")
    if disc >= 0:
        slow = square / (rate + disc**0.5)
        low, high, sign = 0.0, (np.log(1 / level) + 1) / slow, 1.0
        while float(response(high, m, c, k, 1.0)) > level:
            high *= 2
    else:
        half = np.pi / (-disc) ** 0.5  # from one extremum to the next, each smaller by exp(-rate half)
        number = int(np.floor(np.log(1 / level) / (rate * half)))  # the last extremum outside the band
        low, high, sign = number * half, (number + 1) * half, (-1.0) ** number
        crossing = brentq(lambda x: float(response(x, m, c, k, sign)), low, high, xtol=1e-300, rtol=1e-15)
        high = crossing
    return float(brentq(lambda x: float(response(x, m, c, k, sign)) - level, low, high, xtol=1e-300, rtol=1e-14))


def stationary_covariance(
    mass: ArrayLike,
    damping: ArrayLike,
    stiffness: ArrayLike,
    noise_intensity: ArrayLike,
    group_size: ArrayLike = 1.0,
) -> Floats:
    """Stationary covariance of (e, e') under sqrt(D/G) times white noise, shape (..., 2, 2).

    diag(D / (2 G C K), D / (2 G C M)): the mass cancels in the position (Prop. 10); the two do not correlate.

    Args:
        mass, damping, stiffness: M, C, K > 0.
        noise_intensity: D >= 0.
        group_size: G > 0.

    Raises:
        ValueError: the damping is not positive (there is no stationary state), or another domain error.
    """
    m, k = domain.positive("mass", mass), domain.positive("stiffness", stiffness)
    c = domain.positive("damping", damping)
    d = domain.non_negative("noise_intensity", noise_intensity) / domain.positive("group_size", group_size)
    position, speed = np.broadcast_arrays(d / (2 * c * k), d / (2 * c * m))
    out = np.zeros((*position.shape, 2, 2))
    out[..., 0, 0], out[..., 1, 1] = position, speed
    return out


def stationary_variance(
    damping: ArrayLike, stiffness: ArrayLike, noise_intensity: ArrayLike, group_size: ArrayLike = 1.0
) -> Floats:
    """Var(e) = D / (2 G C K), Eq. 12 with its constant. Arguments as in `stationary_covariance`."""
    return np.asarray(
        stationary_covariance(1.0, damping, stiffness, noise_intensity, group_size)[..., 0, 0],
        dtype=np.float64,
    )


def step(mass: float, damping: float, stiffness: float, noise_intensity: float, time: float) -> tuple[Floats, Floats]:
    """The exact discrete-time law over `time`: x(t + time) = Phi x(t) + w, w ~ N(0, Q), x = (e, e').

    Van Loan's (1978) block exponential; no step-size error, also without damping or with a negative one.

    Returns:
        Phi and Q, both 2 x 2.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    from scipy.linalg import expm

    m, k = (
        domain.number("mass", mass, 0.0, closed=False),
        domain.number("stiffness", stiffness, 0.0, closed=False),
    )
    c, d = domain.number("damping", damping), domain.number("noise_intensity", noise_intensity, 0.0)
    h = domain.number("time", time, 0.0)
    drift = np.array([[0.0, 1.0], [-k / m, -c / m]])
    block = np.zeros((4, 4))
    block[:2, :2], block[2:, 2:] = -drift, drift.T
    block[1, 3] = d / m**2
    exponential = expm(block * h)
    phi = exponential[2:, 2:].T
    noise = phi @ exponential[:2, 2:]
    return phi, (noise + noise.T) / 2


def sample(
    mass: float,
    damping: float,
    stiffness: float,
    noise_intensity: float,
    time: float,
    steps: int,
    e0: float,
    v0: float,
    rng: Generator,
) -> Floats:
    """One path of (e, e') at 0, time, ..., steps * time, shape (steps + 1, 2), exact in law at those times.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    count = domain.integer("steps", steps, 1)
    phi, noise = step(mass, damping, stiffness, noise_intensity, time)
    values, vectors = np.linalg.eigh(noise)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    kicks = rng.standard_normal((count, 2)) @ factor.T
    path = np.empty((count + 1, 2))
    path[0] = domain.number("e0", e0), domain.number("v0", v0)
    for k in range(count):
        path[k + 1] = phi @ path[k] + kicks[k]
    return path


def _reduced(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """C/(2M), K/M and the discriminant (C/2M)^2 - K/M, the last to full relative precision."""
    m, k = domain.positive("mass", mass), domain.positive("stiffness", stiffness)
    c = domain.array("damping", damping)
    m, c, k = np.broadcast_arrays(m, c, k)
    square, square_error = _product(c, c)
    four, four_error = _product(4 * m, k)
    disc = ((square - four) + (square_error - four_error)) / (4 * m * m)
    return c / (2 * m), k / m, disc


def _product(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """x*y rounded, and what rounding took (Dekker, 1971)."""
    high = x * y

    def halves(z: Floats) -> tuple[Floats, Floats]:
        big = _SPLIT * z
        top = big - (big - z)
        return top, z - top

    (a, b), (c, d) = halves(x), halves(y)
    return high, b * d - (((high - a * c) - b * c) - a * d)


def _sinhc(x: Floats) -> Floats:
    """sinh(x)/x, 1 at 0."""
    return np.asarray(np.where(x == 0, 1.0, np.sinh(x) / np.where(x == 0, 1, x)), dtype=np.float64)
