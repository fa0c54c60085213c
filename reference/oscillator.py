"""The damped oscillator M e'' + C e' + K e = 0 (Theorem 7), at any damping ratio without cancellation.

Time is in optimizer steps; e, e0 in units of reward. M has unit steps^2 and C steps, relative to K.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reference import domain
from reference.domain import Floats
from reference.errorfree import quotient, root, two_product, two_sum


def coefficients(eta: ArrayLike, mu: ArrayLike, stiffness: ArrayLike, tau: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Mass, damping and stiffness of Eq. 9, with the step as the unit of time.

    Args:
        eta: learning rate, > 0.
        mu: momentum coefficient, in [0, 1).
        stiffness: K > 0.
        tau: refresh lag in steps, >= 0.

    Returns:
        M = ((1 + mu) + K eta tau^2) / (2 eta), C = ((1 - mu) - K eta tau) / eta (negative past the threshold
        of Eq. 11), and K, broadcast to one shape. C keeps its digits, and its sign, next to the threshold.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    e, m = domain.learning_rate("eta", eta), domain.momentum("mu", mu)
    k, lag = domain.positive("stiffness", stiffness), domain.non_negative("tau", tau)
    e, m, k, lag = (np.asarray(x) for x in np.broadcast_arrays(e, m, k, lag))
    kept, kept_low = two_sum(np.ones_like(m), -m)
    pull, pull_low = two_product(k, e)
    lost, lost_low = two_product(pull, lag)
    left = (kept - lost) + (kept_low - lost_low - pull_low * lag)
    return (1 + m) / (2 * e) + k * lag**2 / 2, left / e, k.copy()


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
    motion = _reduced(mass, damping, stiffness)
    slow = np.where(motion.real, motion.slow, -motion.rate).astype(np.complex128)
    fast = np.where(motion.real, motion.fast, -motion.rate).astype(np.complex128)
    slow.imag, fast.imag = np.where(motion.real, 0.0, motion.root), np.where(motion.real, 0.0, -motion.root)
    scale = np.ldexp(1.0, motion.shift)
    return slow * scale, fast * scale


def response(
    t: ArrayLike,
    mass: ArrayLike,
    damping: ArrayLike,
    stiffness: ArrayLike,
    e0: ArrayLike,
    v0: ArrayLike = 0.0,
) -> Floats:
    """e(t) from e(0) = e0, e'(0) = v0, for any damping ratio, also negative.

    The error is below 1e-12 of the envelope exp(-last t) (|e0| + |v0 + rate e0| min(t, 1/root)), rate = C/(2M),
    root = sqrt(|rate^2 - K/M|), last = rate where zeta^2 < 1 and rate - root elsewhere; and below 1e-12 of e itself
    where e does not change sign (zeta >= 1 from rest), as long as e is a normal double. Three branches, each used
    where nothing cancels in it: divided differences (cosh and sinh(x)/x of the half difference of the poles) while the
    poles have separated by less than two e-folds, the two exponentials beyond, and cos and sin below zeta = 1.
    Discriminant and phase carry their rounding errors (Dekker, 1971), so zeta = 1 + 1e-15 is as good as zeta = 2, and
    the millionth period as the first. Growth beyond the range of doubles is inf, with its sign.

    Args:
        t: times >= 0, in steps.
        mass, damping, stiffness: M > 0, C of either sign, K > 0; broadcast with t.
        e0, v0: initial value and velocity (per step).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    motion = _reduced(mass, damping, stiffness)
    time, start, velocity = domain.non_negative("t", t), domain.array("e0", e0), domain.array("v0", v0)
    time, velocity = np.ldexp(time, motion.shift), np.ldexp(velocity, -motion.shift)
    x, x_low = motion.phase(time)
    rate, gap = motion.rate, np.where(motion.root == 0, 1.0, motion.root)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        slope = velocity + rate * start
        half = np.exp(-rate * time / 2)  # its square may leave the range of doubles where e does not
        near = np.minimum(x, 1.0)
        close = half * (start * np.cosh(near) + slope * time * _sinhc(near)) * half
        cos, sin = np.cos(x), np.sin(x)
        late = np.where(x < 1e-8, time, (sin + x_low * cos) / gap)
        ring = half * (start * (cos - x_low * sin) + slope * late) * half
        # both exponentials, less the common factor of the one that lasts
        first = (velocity - motion.fast * start) * np.where(rate < 0, np.exp(-2 * x), 1.0)
        second = (velocity - motion.slow * start) * np.where(rate < 0, 1.0, np.exp(-2 * x))
        half = np.exp(np.where(rate < 0, motion.fast, motion.slow) * time / 2)
        apart = half * ((first - second) / (2 * np.where(rate < 0, -gap, gap))) * half
        moved = np.where(motion.real, np.where(x <= 1, close, apart), ring)
    return np.asarray(np.where((start == 0) & (velocity == 0), 0.0, moved), dtype=np.float64)


def velocity(
    t: ArrayLike,
    mass: ArrayLike,
    damping: ArrayLike,
    stiffness: ArrayLike,
    e0: ArrayLike,
    v0: ArrayLike = 0.0,
) -> Floats:
    """e'(t), per step; the arguments are those of `response`. e' obeys the same equation as e.

    From rest it starts as -K e0 t/M and keeps its digits. With both e0 and v0 its acceleration at the start,
    -(C v0 + K e0)/M, may cancel; the error then is relative to the two terms.
    """
    m, k = domain.positive("mass", mass), domain.positive("stiffness", stiffness)
    c, start, speed = domain.array("damping", damping), domain.array("e0", e0), domain.array("v0", v0)
    return response(t, m, c, k, speed, -(c * speed + k * start) / m)


def inflection_time(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike) -> Floats:
    """When the response from rest first bends: acosh(zeta) / (omega_n sqrt(zeta^2 - 1)), in steps.

    1/omega_n at zeta = 1 (Prop. 14), acos(zeta) / (omega_n sqrt(1 - zeta^2)) below; inf where there is none
    (zeta <= -1).
    """
    motion = _reduced(mass, damping, stiffness)
    rate, gap = motion.rate, motion.root
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # acosh(zeta) = atanh(root/rate) loses digits as root/rate nears 1: then half the log of the poles' ratio
        near = np.arctanh(np.minimum(gap / np.abs(rate), 0.5)) / gap
        far = np.log(motion.fast**2 / motion.square) / (2 * gap)
        over = np.where(gap > 0.5 * np.abs(rate), far, near)
        under = np.arctan2(gap, rate) / gap
        out = np.where(gap == 0, 1 / np.abs(rate), np.where(motion.real, over, under))
        out = np.where(motion.real & (rate <= 0), np.inf, out)
    return np.asarray(np.ldexp(out, -motion.shift), dtype=np.float64)


def overshoot(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike) -> Floats:
    """The first swing past the fixed point, from rest, as a fraction of e0: exp(-pi zeta / sqrt(1 - zeta^2)).

    0 for zeta >= 1; above 1 for zeta < 0 (the motion grows); inf for zeta <= -1 (it never turns).
    """
    motion = _reduced(mass, damping, stiffness)
    with np.errstate(over="ignore", under="ignore"):
        swing = np.exp(-np.pi * motion.rate / np.where(motion.root == 0, 1.0, motion.root))
    return np.asarray(np.where(motion.real, np.where(motion.rate > 0, 0.0, np.inf), swing), dtype=np.float64)


def settling_time(mass: float, damping: float, stiffness: float, band: float = 0.05) -> float:
    """The last time at which |e| > band |e0|, from rest, in steps; inf for zeta <= 0.

    To half a swing where more than 1e10 half swings leave the band.

    Args:
        mass, damping, stiffness: single numbers.
        band: in (0, 1).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    from scipy.optimize import brentq

    level = domain.number("band", band, 0.0, 1.0, closed=False)
    m, c, k = (domain.number(n, x) for n, x in (("mass", mass), ("damping", damping), ("stiffness", stiffness)))
    motion = _reduced(m, c, k)
    rate, gap = (float(np.ldexp(x, motion.shift)) for x in (motion.rate, motion.root))
    if rate <= 0:
        return float("inf")

    def excess(t: float, sign: float) -> float:
        return sign * float(response(t, m, c, k, 1.0)) - level

    if motion.real:
        low, sign = 0.0, 1.0
        # e/e0 is at most (1 + x) exp(-x) < exp(0.2 - x/2), x = -slow t
        high = 2 * (0.2 - math.log(level)) / float(np.ldexp(-motion.slow, motion.shift))
    else:
        half = math.pi / gap  # from one extremum to the next, each smaller by exp(-rate half)
        swings = -math.log(level) / rate / half
        if swings > 1e10:  # the rounding of half, times the swings, outgrows what a swing loses
            return -math.log(level) / rate
        number = int(swings) + 1  # an extremum inside the band; back to the last one outside
        while number and excess(number * half, (-1.0) ** number) <= 0:
            number -= 1
        low, high, sign = number * half, (number + 1) * half, (-1.0) ** number
    return float(brentq(excess, low, high, args=(sign,), xtol=1e-300, rtol=1e-14, maxiter=1000))


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

    Phi is the closed-form response. Q is Van Loan's (1978) integral of exp(A s) B exp(A s)': its Taylor series
    over time/2^n, where that converges to rounding, doubled n times by Q(2h) = Q(h) + Phi(h) Q(h) Phi(h)'. These
    are sums of covariances: nothing cancels or overflows where his single block exponential does (C time/M
    beyond about 30). No step-size error, also without damping or with a negative one.

    Args:
        mass, damping, stiffness: M > 0, C of either sign, K > 0; single numbers.
        noise_intensity: D/G >= 0, of the white noise sqrt(D/G) xi in Eq. 8.
        time: >= 0, in steps.

    Returns:
        Phi and Q, both 2 x 2.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    m, k = (
        domain.number("mass", mass, 0.0, closed=False),
        domain.number("stiffness", stiffness, 0.0, closed=False),
    )
    c, d = domain.number("damping", damping), domain.number("noise_intensity", noise_intensity, 0.0)
    h = domain.number("time", time, 0.0)
    phi = _transition(h, m, c, k)
    if d == 0 or h == 0:
        return phi, np.zeros((2, 2))
    fastest = max(abs(c) / m * h, (k / m) ** 0.5 * h, 1e-300)
    halvings = max(0, int(np.ceil(np.log2(2 * fastest))))
    h *= 0.5**halvings
    drift = np.array([[0.0, 1.0], [-k / m * h**2, -c / m * h]])  # of (e, h e'), over one unit of time h
    term = np.array([[0.0, 0.0], [0.0, 1.0]])
    noise = term.copy()
    for n in range(2, 24):  # dQ/ds = A Q + Q A' + B; the last term is below 1e-18 of Q
        term = (drift @ term + term @ drift.T) / n
        noise += term
    units = np.array([h, 1.0])
    noise = noise * np.outer(units, units) * (h * d / m**2)
    for _ in range(halvings):
        half = _transition(h, m, c, k)
        noise = noise + half @ noise @ half.T
        h *= 2
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

    Args:
        mass, damping, stiffness, noise_intensity, time: as in `step`.
        steps: >= 1.
        e0, v0: the state at 0.
        rng: seeded generator; equal seeds give equal paths.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    count = domain.integer("steps", steps, 1)
    phi, noise = step(mass, damping, stiffness, noise_intensity, time)
    factor = np.zeros((2, 2))
    if noise[0, 0] > 0:  # Cholesky's factor
        factor[0, 0] = noise[0, 0] ** 0.5
        factor[1, 0] = noise[1, 0] / factor[0, 0]
        factor[1, 1] = max(noise[1, 1] - factor[1, 0] ** 2, 0.0) ** 0.5
    kicks = rng.standard_normal((count, 2)) @ factor.T
    path = np.empty((count + 1, 2))
    path[0] = domain.number("e0", e0), domain.number("v0", v0)
    for k in range(count):
        path[k + 1] = phi @ path[k] + kicks[k]
    return path


class _Motion(NamedTuple):
    """The poles' ingredients in a unit of time, 2**-shift steps, that puts K/M near 1."""

    shift: NDArray[np.int64]
    mass: Floats
    rate: Floats  # C/(2M)
    square: Floats  # K/M
    real: NDArray[np.bool_]  # zeta^2 >= 1
    root: Floats  # sqrt |rate^2 - square|
    spread: tuple[Floats, Floats]  # 2 M root, with its rounding error

    @property
    def fast(self) -> Floats:
        return np.where(self.rate >= 0, -1.0, 1.0) * (np.abs(self.rate) + self.root)

    @property
    def slow(self) -> Floats:
        return self.square / self.fast  # real poles only: fast is then at least sqrt(square) in size

    def phase(self, time: Floats) -> tuple[Floats, Floats]:
        """root * time and its rounding error."""
        high, low = quotient(*self.spread, 2 * self.mass)
        product, rest = two_product(*(np.asarray(x) for x in np.broadcast_arrays(high, time)))
        return product, rest + low * time


def _reduced(mass: ArrayLike, damping: ArrayLike, stiffness: ArrayLike) -> _Motion:
    m, k = domain.positive("mass", mass), domain.positive("stiffness", stiffness)
    c = domain.array("damping", damping)
    m, c, k = (np.asarray(x) for x in np.broadcast_arrays(m, c, k))
    # exact scaling by powers of two: M near 1, K near M, so that neither C^2 nor 4 M K leaves the range
    exponent = np.frexp(m)[1]
    shift = (np.frexp(k)[1] - exponent) // 2
    unit_m, unit_c, unit_k = np.ldexp(m, -exponent), np.ldexp(c, -exponent - shift), np.ldexp(k, -exponent - 2 * shift)
    bad = np.abs(unit_c) > 1e140
    if np.any(bad):
        raise ValueError(f"damping = {c[bad].flat[0] if c.ndim else c}; expected below 1e140 sqrt(stiffness * mass)")
    square, square_low = two_product(unit_c, unit_c)
    four, four_low = two_product(4 * unit_m, unit_k)
    high, low = two_sum(square, -four)
    low = low + (square_low - four_low)
    real = high + low >= 0
    sign = np.where(real, 1.0, -1.0)
    high, low = two_sum(sign * high, sign * low)
    spread = root(np.maximum(high, 0.0), low)
    rate, gap = unit_c / (2 * unit_m), (spread[0] + spread[1]) / (2 * unit_m)
    return _Motion(shift, unit_m, rate, unit_k / unit_m, real, gap, spread)


def _transition(h: float, mass: float, damping: float, stiffness: float) -> Floats:
    """The 2 x 2 matrix that takes (e, e') at 0 to (e, e') at h."""
    e0, v0 = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    rows = [f(h, mass, damping, stiffness, e0, v0) for f in (response, velocity)]
    return np.array(rows)


def _sinhc(x: Floats) -> Floats:
    """sinh(x)/x, 1 at 0."""
    return np.asarray(np.where(x == 0, 1.0, np.sinh(x) / np.where(x == 0, 1, x)), dtype=np.float64)
