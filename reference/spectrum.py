"""Spectrum: all multipliers of heavy ball with a constant lag of two steps or more, by Ehrlich-Aberth iteration.

Companion eigenvalues are accurate against the largest coefficient alone: at lag 300 and gain 1e-30 their moduli are off
by up to a seventh. Simultaneous Newton steps that repel each other are accurate against each
multiplier itself, at a cost that grows with the square of the lag instead of the cube.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Complexes = NDArray[np.complex128]

ITERATIONS = 100  # 10 to 50 are used; a double root, whose noise never gets small, takes them all
UNITS = 4.0 * 2.0**-53  # the rounding of one correction


def starts(mu: float, gain: float, lag: int) -> Complexes:
    """Place as many points as there are multipliers on circles of about their moduli.

    Args:
        mu: momentum in [0, 1).
        gain: eta times stiffness, not 0.
        lag: constant lag, at least 2.

    Returns:
        Complex array (lag + 1,): each edge of the Newton polygon of the coefficients gives a circle.

    Source: Bini (1996), Numerical computation of polynomial zeros by means of Aberth's method.
    """
    sizes = {0: abs(gain), lag - 1: mu, lag: 1.0 + mu, lag + 1: 1.0}
    height = {degree: float(np.log(size)) for degree, size in sizes.items() if size > 0.0}
    out, low = [], 0
    while low <= lag:
        slope = {k: (height[k] - height[low]) / (k - low) for k in height if k > low}
        high = max(slope, key=lambda k: (slope[k], k))
        angles = 2.0 * np.pi * np.arange(high - low) / (high - low) + 0.7 + low  # off the axes, and of each other
        out.append(np.exp(-slope[high] + 1j * angles))
        low = high
    return np.concatenate(out)


def lagged_multipliers(mu: float, gain: float, lag: int) -> Complexes:
    """Compute the roots of z^{lag-1} (z-1)(z-mu) + gain.

    Args:
        mu: momentum in [0, 1).
        gain: eta times stiffness, finite.
        lag: constant lag, at least 2; time and memory grow with its square.

    Returns:
        Complex array (lag + 1,), of falling modulus. A simple root is good to a few units in the last place, a
        nearly double one to the square root of that.

    Source: Eq. 3 of the paper, linearised; Aberth (1973), Iteration methods for finding all zeros of a polynomial.
    """
    if gain == 0.0:
        return np.array([1.0, mu] + [0.0] * (lag - 1), dtype=np.complex128)
    z = starts(mu, gain, lag)
    for _ in range(ITERATIONS):
        bare, power = (z - 1.0) * (z - mu), z ** (lag - 2.0)
        value = z * power * bare + gain
        slope = power * ((lag - 1) * bare + z * (2.0 * z - 1.0 - mu))
        apart = z[:, None] - z
        met = apart == 0.0  # a point with itself, or both at one double root: they do not repel
        below = slope - value * np.sum(~met / np.where(met, 1.0, apart), axis=1)
        step = value / np.where(below == 0.0, 1.0, below)  # both are 0 at an exact double root
        z = z - step
        if np.all(np.abs(step) <= UNITS * np.abs(z)):
            break
    z = np.where(np.abs(z.imag) < 1e-12 * np.abs(z), z.real, z)  # what rounding left of a real one
    return z[np.argsort(-np.abs(z))]
