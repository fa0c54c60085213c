"""Frontier: where heavy-ball gradient descent with a lagged force loses stability, and where it stops being monotone.

The map is e_{k+1} = (1 + mu) e_k - mu e_{k-1} - a e_{old}, with the gain a = eta * K. Write nu = 1 - mu.

Constant lag L, e_old = e_{k-L}. On |z| = 1 the characteristic equation z^{L-1} (z-1) (z-mu) = -a splits into a sin(L w)
= nu sin w and a cos(L w) = (1 + mu) (1 - cos w), so the frontier is the only root of

    tan(L w) tan(w/2) = nu/(1+mu)  on 0 < w < pi/(2 L),   a = nu sin w / sin(L w)    (L >= 1),

and w = pi, a = 2 (1+mu) at L = 0. Every crossing is outward, so beyond it no gain is stable. The onset is the maximum
of a(z) = z^{L-1} (1-z) (z-mu) on (mu, 1), a quadratic; by Rouche's theorem on |z| = z* the real root dominates all
others before it, and beyond it no positive root is left.

Periodic refresh every T steps. With q = mu^T, s = (1-q)/nu, S = mu s and R = (T-S)/nu, Q = (S - q T)/nu, the map over
one cycle has trace 1 + q - a R and determinant q + a Q. Jury's conditions are linear in a: there is never a fold, a
flip at 2 (1+q)/(R - Q), a Neimark-Sacker bifurcation at (1-q)/Q. The discriminant is R^2 (a - a_-)(a - a_+) with a_-+ =
nu (1-q)/(sqrt(T) +- sqrt(S))^2, so the onset is a_-.

All are evaluated as sums of positive terms, without cancellation as mu -> 1 or T -> infinity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference import domain
from reference.history import Schedule
from reference.scalar_root import Floats, increasing_root

SCHEDULES = ("constant", "periodic")
FLIP, NEIMARK_SACKER = "flip", "Neimark-Sacker"


class Bifurcation(NamedTuple):
    """How the lagged map loses stability.

    Attributes:
        gain: smallest positive gain (eta times stiffness) that is not asymptotically stable.
        kind: "flip" (a multiplier at -1) or "Neimark-Sacker" (a complex pair on the unit circle).
        frequency: angular frequency of the critical mode in radians per step, in (0, pi]. Under periodic refresh the
            multiplier belongs to a whole cycle: its angle divided by the interval.
    """

    gain: Floats
    kind: NDArray[np.str_]
    frequency: Floats


class Cycle(NamedTuple):
    """Geometric sums of one refresh cycle; see the head of the module.

    Attributes:
        q: mu**T. one_minus_q: 1 - q. s: (1-q)/(1-mu). S: mu s. R, Q: trace = 1 + q - a R, determinant = q + a Q.
        flip: R - Q, positive.
    """

    q: Floats
    one_minus_q: Floats
    s: Floats
    S: Floats
    R: Floats
    Q: Floats
    flip: Floats


def check(mu: ArrayLike, interval: ArrayLike, schedule: str) -> tuple[Floats, Floats]:
    """Check and broadcast (mu, interval).

    Args:
        mu: momentum in [0, 1).
        interval: integers, from 0 ("constant") or 1 ("periodic").
        schedule: "constant" or "periodic".

    Returns:
        Two float arrays of the common shape.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    domain.choice("schedule", schedule, SCHEDULES)
    steps = domain.integers("interval", interval, 0 if schedule == "constant" else 1)
    mu_, interval_ = np.broadcast_arrays(domain.momentum("mu", mu), steps.astype(np.float64))
    return mu_, interval_


def cycle(mu: Floats, interval: Floats) -> Cycle:
    """Compute the geometric sums of a refresh cycle to nearly full relative precision.

    Args:
        mu: momentum in [0, 1).
        interval: steps in a cycle, at least 1, the same shape.

    Returns:
        The sums, each with a relative error of a few units in the last place: with h = -log mu and y = h T they are
        sums of positive terms in E = 1 + q - 2 (1-q)/y, D = 1 - (1-q)/y and c = 2/h - 2/(e^h - 1), of which E and D are
        summed as series for y < 2, and 1 - c for h < 1/2.
    """
    nu = 1.0 - mu
    with np.errstate(divide="ignore"):
        h = -np.log(mu)
    y = h * interval
    q, p = np.exp(-y), -np.expm1(-y)
    with np.errstate(over="ignore", invalid="ignore"):
        c = np.where(h < 0.5, 1.0 - _kappa(np.minimum(h, 0.5)), 2.0 / h - 2.0 / np.expm1(h))
    D, E = _centred(y, q, p)
    s = p / nu
    S = mu * s
    rest = p * c  # (1-q) (1 - coth(h/2) + 2/h)
    R = (interval * D + 0.5 * rest) / nu
    flip = (interval * E + rest) / nu
    near = 0.5 * ((interval - c) * p - interval * E)  # no cancellation for small y
    Q = np.where(interval == 1.0, 0.0, np.where(y < 1.0, near, S - interval * q)) / nu
    return Cycle(q, p, s, S, R, Q, flip)


def _kappa(h: Floats) -> Floats:
    """Return coth(h/2) - 2/h for 0 < h <= 1/2 by its Bernoulli series; the first term left out is below 2.1e-17."""
    terms = (1 / 6, -1 / 360, 1 / 15120, -1 / 604800, 1 / 23950080, -691 / 653837184000, 1 / 37362124800)
    square, total = h * h, np.zeros_like(h)
    for coefficient in terms[::-1]:
        total = total * square + coefficient
    return total * h


def _centred(y: Floats, q: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Return D = 1 - p/y and E = 1 + q - 2 p/y, by series for y < 2 (terms of one sign in E after e^{-y/2})."""
    small = np.minimum(y, 2.0)
    x2 = 0.25 * small * small
    # e^{y/2} E/2 = cosh x - sinh x / x = sum 2n x^{2n}/(2n+1)!, x = y/2 <= 1; e^{y/2} D = (that) + sinh x
    bracket, sinh, term = np.zeros_like(x2), np.zeros_like(x2), np.ones_like(x2)
    for n in range(1, 12):
        sinh = sinh + term  # x^{2n-2}/(2n-1)!
        term = term * x2 / (2 * n * (2 * n + 1))
        bracket = bracket + 2 * n * term
    scale = np.exp(-0.5 * small)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = p / y
    D = np.where(y < 2.0, scale * (bracket + 0.5 * small * sinh), 1.0 - ratio)
    E = np.where(y < 2.0, 2.0 * scale * bracket, 1.0 + q - 2.0 * ratio)
    return D, E


def critical(mu: ArrayLike, interval: ArrayLike, schedule: Schedule) -> Bifurcation:
    """Locate and classify the first loss of asymptotic stability of the lagged heavy-ball map.

    Args:
        mu: momentum in [0, 1), any shape.
        interval: integer lag L >= 0 ("constant") or refresh interval T >= 1 ("periodic"), broadcast against mu.
        schedule: "constant" (the force is taken L steps back) or "periodic" (at the last of the states copied every T
            steps, so that T = 1 is no lag).

    Returns:
        Gain, kind and frequency, arrays of the common shape. The map is stable exactly for 0 < gain < this gain.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: derived at the head of this module; corrects the paper's Proposition 9. Jury (1964) for the periodic case.
    """
    mu_, interval_ = check(mu, interval, schedule)
    if schedule == "constant":
        gain, flips, frequency = _critical_constant(mu_, interval_)
    else:
        gain, flips, frequency = _critical_periodic(mu_, interval_)
    return Bifurcation(gain[()], np.where(flips, FLIP, NEIMARK_SACKER)[()], frequency[()])


def _critical_constant(mu: Floats, lag: Floats) -> tuple[Floats, NDArray[np.bool_], Floats]:
    nu = 1.0 - mu
    rho = nu / (1.0 + mu)
    free = lag == 0.0
    length = np.where(free, 1.0, lag)
    half = 0.5 / length

    def phase(x: Floats) -> tuple[Floats, Floats]:
        # sin x sin bx - rho cos x cos bx with x = L w, b = 1/(2L): the frontier without its poles
        sx, cx, sb, cb = np.sin(x), np.cos(x), np.sin(half * x), np.cos(half * x)
        return sx * sb - rho * cx * cb, (1.0 + half * rho) * cx * sb + (half + rho) * sx * cb

    scale = 2.0 * length * rho
    start = np.sqrt(scale / (1.0 + scale * (4.0 / np.pi**2)))  # x tan x = 2 L rho with tan's [1/1] Pade form
    x = increasing_root(phase, np.zeros_like(scale), np.full_like(scale, 0.5 * np.pi), start)
    w = np.where(free, np.pi, x / length)
    gain = np.where(free, 2.0 * (1.0 + mu), nu * np.sin(w) / np.sin(x))
    gain = np.where(lag == 1.0, nu, gain)
    return gain, free, w


def _critical_periodic(mu: Floats, interval: Floats) -> tuple[Floats, NDArray[np.bool_], Floats]:
    sums = cycle(mu, interval)
    flip = 2.0 * (1.0 + sums.q) / sums.flip
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        torus = np.where(sums.Q > 0.0, sums.one_minus_q / sums.Q, np.inf)
        # at det = 1: sin^2(angle/2) = a T s/4 and cos^2(angle/2) = (1+q)/2 (1 - a/flip)
        sine = np.sqrt(0.25 * torus * interval * sums.s)
        cosine = np.sqrt(np.maximum(0.5 * (1.0 + sums.q) * (1.0 - torus / flip), 0.0))
        flips = flip <= torus
        angle = np.where(flips, np.pi, 2.0 * np.arctan2(sine, cosine))
    return np.minimum(flip, torus), flips, angle / interval


def critical_gain(mu: ArrayLike, interval: ArrayLike, schedule: Schedule) -> Floats:
    """Find the smallest positive gain at which the lagged heavy-ball map is not asymptotically stable.

    Args, Raises, Source: as for `critical`.

    Returns:
        Array of the common shape: eta times stiffness, dimensionless. Relative error below 1e-14 or so for intervals up
        to 10^6 and beyond. The paper's Eq. 11 says (1 - mu)/interval; the truth is 1 to pi/2 times that for a constant
        lag of at least 1, and at least 2 times that under periodic refresh.
    """
    return critical(mu, interval, schedule).gain


def onset_gain(mu: ArrayLike, interval: ArrayLike, schedule: Schedule) -> Floats:
    """Find the smallest positive gain at which the dominant mode of the lagged map stops being monotone.

    Below it the multiplier of largest modulus is real, positive and simple; at it, it merges with the next one (or,
    without momentum and lag, reaches 0); above it, it is complex or negative for every gain.

    Args:
        mu: momentum in [0, 1), any shape.
        interval: integer lag L >= 0 ("constant") or refresh interval T >= 1 ("periodic"), broadcast against mu.
        schedule: "constant" or "periodic".

    Returns:
        Array of the common shape. (1 - sqrt(mu))^2 without lag; for long intervals (1-mu)/(e L) for a constant lag and
        (1-mu)/T under periodic refresh, both approached from below.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: derived at the head of this module; the exact counterpart of zeta = 1 in the paper's Proposition 8.
    """
    mu_, interval_ = check(mu, interval, schedule)
    nu = 1.0 - mu_
    if schedule == "periodic":
        sums = cycle(mu_, interval_)
        return np.asarray(nu * sums.one_minus_q / (np.sqrt(interval_) + np.sqrt(sums.S)) ** 2)[()]
    # the double root is z* = 1 - u with u = 2 nu/(W+2), z* - mu = nu W/(W+2), W = L nu + sqrt(L^2 nu^2 + 4 mu)
    W = interval_ * nu + np.sqrt((interval_ * nu) ** 2 + 4.0 * mu_)
    u = np.minimum(2.0 * nu / (W + 2.0), 1.0 - 2.0**-53)
    lagged = np.exp((interval_ - 1.0) * np.log1p(-u)) * u * nu * W / (W + 2.0)
    return np.asarray(np.where(interval_ == 0.0, (nu / (1.0 + np.sqrt(mu_))) ** 2, lagged))[()]


def critical_interval(mu: ArrayLike, gain: ArrayLike) -> Floats:
    """Find the constant lag at which the map with a given gain loses stability, in closed form.

    On |z| = 1 the gain is |z-1| |z-mu|, which fixes the crossing frequency w without the lag; the phase condition (L +
    1/2) w + arg(1 - mu e^{-iw}) = pi/2 then gives L.

    Args:
        mu: momentum in [0, 1), any shape.
        gain: eta times stiffness, positive and finite, broadcast against mu.

    Returns:
        Real array: the map is stable exactly for the integer lags below it (0: for none).

    Raises:
        ValueError: an argument lies outside its domain.
    """
    mu_, gain_ = np.broadcast_arrays(domain.momentum("mu", mu), domain.positive("gain", gain))
    w, angle = _crossing(mu_, gain_)
    return np.asarray(np.where(gain_ >= 2.0 * (1.0 + mu_), 0.0, (0.5 * np.pi - angle) / w - 0.5))[()]


def unstable_count(mu: ArrayLike, gain: ArrayLike, interval: ArrayLike) -> NDArray[np.int64]:
    """Count the characteristic roots outside the unit circle under a constant lag, in closed form.

    All crossings are outward as the gain grows, so it is enough to count the phases passed up to the crossing frequency
    of this gain. It is exact off the frontiers; within rounding of one it may fall on either side.

    Args:
        mu: momentum in [0, 1), any shape.
        gain: eta times stiffness, positive and finite.
        interval: integer lag >= 0. All three are broadcast.

    Returns:
        Integer array, from 0 to interval + 1.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    mu_, lag = check(mu, interval, "constant")
    mu_, lag, gain_ = np.broadcast_arrays(mu_, lag, domain.positive("gain", gain))
    w, angle = _crossing(mu_, gain_)
    turns = ((lag + 0.5) * w + angle - 0.5 * np.pi) / (2.0 * np.pi)
    count = np.where(gain_ > 2.0 * (1.0 + mu_), lag + 1.0, 2.0 * np.maximum(np.ceil(turns), 0.0))
    return np.asarray(np.minimum(count, lag + 1.0).astype(np.int64))[()]


def stable(mu: ArrayLike, gain: ArrayLike, interval: ArrayLike, schedule: Schedule) -> NDArray[np.bool_]:
    """Tell whether the lagged heavy-ball map is asymptotically stable.

    Args:
        mu: momentum in [0, 1), any shape.
        gain: eta times stiffness, any finite number; the map is unstable for a negative one, neutral at 0.
        interval: integer lag L >= 0 ("constant") or refresh interval T >= 1 ("periodic"). All three are broadcast.
        schedule: "constant" or "periodic".

    Returns:
        Boolean array of the common shape.

    Raises:
        ValueError: an argument lies outside its domain.
    """
    gain_ = domain.array("gain", gain)
    return np.asarray((gain_ > 0.0) & (gain_ < critical_gain(mu, interval, schedule)))[()]


def _crossing(mu: Floats, gain: Floats) -> tuple[Floats, Floats]:
    """Return the frequency w at which |e^{iw} - 1| |e^{iw} - mu| = gain (pi if none), and arg(1 - mu e^{-iw})."""
    nu = 1.0 - mu
    # beyond 4 >= 2 (1 + mu) there is none, and the square of a larger gain may leave the range of doubles
    reach = np.minimum(gain, 4.0)
    squared = np.minimum(0.5 * reach**2 / (nu**2 + np.hypot(nu**2, 2.0 * np.sqrt(mu) * reach)), 1.0)
    w = 2.0 * np.arctan2(np.sqrt(squared), np.sqrt(1.0 - squared))
    return w, np.arctan2(mu * np.sin(w), nu + 2.0 * mu * squared)
