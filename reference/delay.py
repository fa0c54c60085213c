"""Delay: the solution of m e'' + c e' + K e(t - tau) = 0 by the method of steps, exactly and in floating point.

Expanding the Laplace transform in powers of K e^{-s tau} gives, for the constant history h and e'(0+) = v,

    e(t) = h + h sum_{n>=1} (-K)^n G_{n+1,n}(t - (n-1) tau) + m v sum_{n>=0} (-K)^n G_{n+1,n+1}(t - n tau),

where G_{i,j} = L^{-1}[s^{-i} (m s + c)^{-j}] vanishes for negative arguments and is a polynomial, plus a polynomial
times e^{-c t/m}, both with coefficients rational in m and c. So the solution is exact up to the exponentials, and a
rational number where m = 0 or c = 0. These sums alternate and lose digits over many
delays: the exact path carries as many as it needs, and the float path integrates delay by delay on Chebyshev panels
instead.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb, factorial
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.scalar_root import Floats

NODES = 25  # Chebyshev-Lobatto points of a panel
_LAYER = 4.0  # c/m times the width of the first panel, at most: e^{-cs/m} is then resolved to 1e-18 on each panel
_WAVE = 6.0  # frequency times the width of a panel, at most
_LARGEST = 4000  # panels times nodes
_LATEST = 1e9  # delays: hours of work


def _kernel(i: int, j: int, mass: Fraction, damping: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """Return the coefficients, in ascending powers of t, of the two polynomials of G_{i,j}."""
    if mass == 0 or damping == 0:
        power = i if mass == 0 else i + j
        scale = 1 / (damping if mass == 0 else mass) ** j
        return [Fraction(0)] * (power - 1) + [scale / factorial(power - 1)], []
    g = damping / mass
    lead = 1 / mass**j
    plain = [Fraction(0)] * i
    fading = [Fraction(0)] * j
    for r in range(i):
        plain[i - r - 1] = lead * comb(j + r - 1, r) * (-1) ** r / g ** (j + r) / factorial(i - r - 1)
    for r in range(j):
        fading[j - r - 1] = lead * comb(i + r - 1, r) * (-1) ** i / g ** (i + r) / factorial(j - r - 1)
    return plain, fading


def _horner(coefficients: list[Fraction], t: Fraction) -> Fraction:
    total = Fraction(0)
    for coefficient in reversed(coefficients):
        total = total * t + coefficient
    return total


def delay_exact(
    mass: float | Fraction,
    damping: float | Fraction,
    stiffness: float | Fraction,
    tau: float | Fraction,
    t: float | Fraction,
    history: float | Fraction = 1,
    velocity: float | Fraction = 0,
    digits: int = 50,
) -> Any:
    """Evaluate the solution of the delay equation at one time by exact rational coefficients.

    Args:
        mass: m >= 0. damping: c >= 0, not both 0. stiffness: K. tau: delay > 0. t: time >= 0.
        history: the constant value on [-tau, 0]. velocity: e'(0+); 0 if the mass is 0.
        digits: significant digits relative to the largest of 1 and the solution, where exponentials enter.

        All are taken as the exact rational numbers that they are, floats included.

    Returns:
        A Fraction, without any error, where mass or damping is 0; else an mpmath number whose error is below
        10**-digits: the cancelling exact terms are summed with as many more bits as their size asks for. The work grows
        with the cube of t/tau.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: method of steps (Bellman & Cooke 1963, chapter 3); the equation is the paper's Lemma 5, before truncation.
    """
    _check(mass, damping, stiffness, tau, history, velocity)
    domain.number("t", t, 0.0)  # type: ignore[arg-type]  # numpy reads a Fraction
    digits = domain.integer("digits", digits, 1)
    m, c, K, h, v = (Fraction(x) for x in (mass, damping, stiffness, history, velocity))
    time, delay = Fraction(t), Fraction(tau)
    plain, fading = h, []
    for n in range(math.floor(time / delay) + 2):
        for size, j, since in ((h, n, time - (n - 1) * delay), (m * v, n + 1, time - n * delay)):
            if since < 0 or size == 0 or j == 0:
                continue
            first, second = _kernel(n + 1, j, m, c)
            plain += size * (-K) ** n * _horner(first, since)
            if second:
                fading.append((size * (-K) ** n * _horner(second, since), -c * since / m))
    if not fading:
        return plain
    # error <= (terms + 2) * largest term * 2**-precision
    largest = max(abs(plain), *(abs(value) for value, _ in fading), Fraction(1))
    bits = math.ceil(digits * math.log2(10)) + 20 + len(fading).bit_length()
    bits += largest.numerator.bit_length() - largest.denominator.bit_length() + 1
    with mpmath.workprec(bits):
        total = _mpf(plain)
        for value, exponent in fading:
            total += _mpf(value) * mpmath.exp(_mpf(exponent))
        return total


def _mpf(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def _check(
    mass: Any, damping: Any, stiffness: Any, tau: Any, history: Any, velocity: Any
) -> tuple[float, float, float, float, float, float]:
    m, c = domain.number("mass", mass, 0.0), domain.number("damping", damping, 0.0)
    if m == 0.0 and c == 0.0:
        raise ValueError(f"damping = {damping}; expected > 0 where mass = 0")
    v = domain.number("velocity", velocity)
    if m == 0.0 and v != 0.0:
        raise ValueError(f"velocity = {velocity}; expected 0 where mass = 0")
    delay = domain.number("tau", tau, 0.0, closed=False)
    return m, c, domain.number("stiffness", stiffness), delay, domain.number("history", history), v


@lru_cache(maxsize=1)
def _reference_panel() -> tuple[Floats, Floats, Floats, Floats]:
    """Return nodes on [-1, 1], differentiation, integration from -1, and values-to-coefficients."""
    chebyshev = np.polynomial.chebyshev
    x = -np.cos(np.pi * np.arange(NODES) / (NODES - 1))
    basis = chebyshev.chebvander(x, NODES - 1)
    to_coefficients = np.linalg.inv(basis)
    unit = np.eye(NODES)
    slopes = np.stack([chebyshev.chebval(x, chebyshev.chebder(row)) for row in unit], axis=1)
    areas = np.stack([chebyshev.chebval(x, chebyshev.chebint(row, lbnd=-1)) for row in unit], axis=1)
    slope, area = slopes @ to_coefficients, areas @ to_coefficients
    return np.asarray(x, dtype=np.float64), slope, area, np.asarray(to_coefficients, dtype=np.float64)


def _panels(m: float, c: float, K: float, tau: float) -> Floats:
    """Return the edges of the panels of one delay: doubling away from the layer at its start."""
    edges = [0.0]
    width = tau if m == 0.0 or c * tau <= _LAYER * m else _LAYER * m / c
    while width < tau:
        edges.append(width)
        width *= 2.0
    edges.append(tau)
    frequency = min(abs(K) / c if c > 0.0 else math.inf, math.sqrt(abs(K) / m) if m > 0.0 else math.inf)
    fine = [edges[0]]
    for left, right in pairwise(edges):
        parts = max(1, math.ceil((right - left) * frequency / _WAVE))
        if (len(fine) + parts) * NODES > _LARGEST:
            raise ValueError(f"tau = {tau}; expected a delay of at most a few hundred oscillations")
        fine.extend(left + (right - left) * np.arange(1, parts + 1) / parts)
    return np.array(fine)


def _one_delay(m: float, c: float, K: float, edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the linear map of one delay: from (e at the nodes, velocity at the end) of the last to the next.

    The next values are `values @ old + left * e_left + push * v_left`, stacked with the end velocity in the last row.
    On each panel m v' + c v = -K e_old is collocated and v integrated.
    """
    _, slope, area, _ = _reference_panel()
    count = len(edges) - 1
    size = count * NODES
    values, left, push = np.zeros((size + 1, size)), np.zeros(size + 1), np.zeros(size + 1)
    from_old, from_v = np.zeros(size), 1.0  # the velocity at the left end of the panel
    e_old, e_v = np.zeros(size), 0.0  # e at the left end, less e at the start of the delay
    left[:size] = 1.0
    for p in range(count):
        half = 0.5 * (edges[p + 1] - edges[p])
        block = slice(p * NODES, (p + 1) * NODES)
        system = m / half * slope + c * np.eye(NODES)
        force = -K * np.eye(NODES)
        entry = np.zeros(NODES)
        if m > 0.0:
            system[0], force[0], entry[0] = np.eye(NODES)[0], 0.0, 1.0
        solution = np.linalg.solve(system, np.column_stack([force, entry]))
        v_old = np.outer(solution[:, -1], from_old)
        v_old[:, block] += solution[:, :-1]
        v_v = solution[:, -1] * from_v
        values[block] = half * area @ v_old + e_old
        push[block] = half * area @ v_v + e_v
        from_old, from_v = v_old[-1], float(v_v[-1])
        e_old, e_v = values[block][-1], float(push[block][-1])
    values[size], push[size] = from_old, from_v
    return values, left, push


def delay_trajectory(
    mass: float,
    damping: float,
    stiffness: float,
    tau: float,
    t: ArrayLike,
    history: float = 1.0,
    velocity: float = 0.0,
) -> Floats:
    """Solve m e'' + c e' + K e(t - tau) = 0 from a constant history.

    Args:
        mass: m >= 0.
        damping: c >= 0; mass and damping not both 0.
        stiffness: K, of any sign.
        tau: delay > 0 in the units of t. Without delay: `reference.oscillator.response`.
        t: times >= 0, below 1e9 delays, any shape and order.
        history: value of e on [-tau, 0].
        velocity: e'(0+); 0 where the mass is 0. From rest by default.

    Returns:
        e(t), the shape of t. Each delay is solved by collocation at Chebyshev points, on panels that double away from
        the start, so that any c tau/m is resolved. Relative to the largest |e| so far the error is about 1e-13 over 50
        delays; the cost is one small matrix product a delay.

    Raises:
        ValueError: an argument lies outside its domain.
        OverflowError: an unstable solution leaves the range of doubles.

    Source: method of steps; collocation as in Trefethen 2000, Spectral Methods in MATLAB, chapter 6.
    """
    m, c, K, delay, h, v = _check(mass, damping, stiffness, tau, history, velocity)
    times = domain.array("t", t, 0.0)
    flat = times.ravel()
    late = flat >= delay * _LATEST
    if np.any(late):
        raise ValueError(f"t = {flat[late][0]}; expected below {_LATEST:g} delays: each one is computed in turn")
    index = np.floor(flat / delay).astype(np.int64)
    wanted = np.unique(index)
    edges = _panels(m, c, K, delay)
    values, left, push = _one_delay(m, c, K, edges)
    state = np.full(len(left), h)
    state[-1] = v
    kept = np.empty((len(wanted), len(edges) - 1, NODES))
    slot = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for n in range(int(wanted[-1]) + 1 if len(wanted) else 0):
            state = values @ state[:-1] + left * state[-2] + push * state[-1]
            if n == wanted[slot]:
                kept[slot] = state[:-1].reshape(-1, NODES)
                slot += 1
    if not np.all(np.isfinite(kept)):
        raise OverflowError(f"the solution leaves the range of doubles before t = {flat.max()}")
    coefficients = kept @ _reference_panel()[3].T
    inside = np.clip(flat - index * delay, 0.0, delay)
    panel = np.clip(np.searchsorted(edges, inside, side="right") - 1, 0, len(edges) - 2)
    width = edges[panel + 1] - edges[panel]
    x = 2.0 * (inside - edges[panel]) / width - 1.0
    chosen = coefficients[np.searchsorted(wanted, index), panel]
    solution = np.polynomial.chebyshev.chebval(x, chosen.T, tensor=False)
    return np.asarray(solution, dtype=np.float64).reshape(times.shape)[()]
