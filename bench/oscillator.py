"""The damped oscillator's response: error at any damping ratio, beside the textbook formula and an integrator."""

from __future__ import annotations

import mpmath
import numpy as np
from numpy.typing import NDArray

from bench.clock import beside
from bench.row import Row, against, worst
from reference.oscillator import response

Floats = NDArray[np.float64]

RATIOS = (-10.0, 0.1, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 3.0, 1e6)
MANY = 100_000


def textbook(t: Floats, zeta: float) -> Floats:
    """The response from rest at 1, with unit mass and stiffness, by the three formulas of every textbook."""
    root = np.sqrt(abs(zeta * zeta - 1.0))
    if zeta == 1.0:
        path = (1.0 + t) * np.exp(-t)
    elif abs(zeta) < 1.0:
        path = np.exp(-zeta * t) * (np.cos(root * t) + zeta / root * np.sin(root * t))
    else:
        slow, fast = -zeta + root, -zeta - root
        path = (slow * np.exp(fast * t) - fast * np.exp(slow * t)) / (slow - fast)
    return np.asarray(path, dtype=np.float64)


def integrated(t: Floats, zeta: float) -> Floats:
    """The response by scipy's explicit Runge-Kutta method of order 8 at its tightest tolerance."""
    from scipy.integrate import solve_ivp

    solution = solve_ivp(
        lambda _, x: (x[1], -2.0 * zeta * x[1] - x[0]),
        (0.0, float(t[-1])),
        (1.0, 0.0),
        method="DOP853",
        t_eval=t,
        rtol=3e-14,
        atol=1e-16,
    )
    return np.asarray(solution.y[0], dtype=np.float64)


def span(zeta: float) -> float:
    """A time that shows the motion: five of its slowest time constants, twenty at most for a growing one."""
    if zeta < 0.0:
        return 20.0
    return 5.0 * (zeta + np.sqrt(zeta * zeta - 1.0)) if zeta > 1.0 else 5.0 / zeta


def exact(t: Floats, zeta: float) -> tuple[Floats, Floats]:
    """The response to 50 digits, as a double and what is left of it."""
    with mpmath.workdps(80):  # 12 digits cancel at |zeta - 1| = 1e-12, twice that in the series
        z = mpmath.mpf(zeta)
        root = mpmath.sqrt(z * z - 1)  # imaginary below 1
        out = []
        for x in map(mpmath.mpf, t):
            sinhc = mpmath.sinh(root * x) / root if root != 0 else x
            out.append(mpmath.re(mpmath.exp(-z * x) * (mpmath.cosh(root * x) + z * sinhc)))
        high = [float(e) for e in out]
        return np.array(high), np.array([float(e - h) for e, h in zip(out, high, strict=True)])


def error(path: Floats, t: Floats, zeta: float) -> float:
    """Worst error, relative to e where it keeps its sign (zeta >= 1), else to the envelope of the motion."""
    high, low = exact(t, zeta)
    scale = np.abs(high)
    if zeta < 1.0:
        root = np.sqrt(abs(zeta * zeta - 1.0))
        envelope = np.exp(-zeta * t) * (1.0 + np.abs(zeta) * np.minimum(t, 1.0 / root))
        scale = envelope if zeta > -1.0 else scale
    return float(np.max(np.abs((path - high) - low) / scale))


def rows() -> list[Row]:
    """The rows of the table."""
    out = []
    for zeta in RATIOS:
        t = np.linspace(0.0, span(zeta), 101)
        mine, theirs = (error(path, t, zeta) for path in (response(t, 1.0, 2.0 * zeta, 1.0, 1.0), textbook(t, zeta)))
        name = f"{zeta:g}" if abs(zeta - 1.0) > 1e-9 or zeta == 1.0 else f"1 {'+' if zeta > 1.0 else '-'} 1e-12"
        out.append(worst(f"response, zeta = {name}: relative error", mine, 1e-12, f"textbook formula {theirs:.0e}"))
    for zeta in (0.1, 3.0):
        many = np.linspace(0.0, span(zeta), MANY)
        ours, _, ratio = beside(
            lambda z=zeta, x=many: response(x, 1.0, 2.0 * z, 1.0, 1.0),  # type: ignore[misc]
            lambda z=zeta, x=many: textbook(x, z),  # type: ignore[misc]
            21,
        )
        out.append(against(f"response, zeta = {zeta:g}, 10^5 times", ours, "textbook formula", ratio))
        few = np.linspace(0.0, span(zeta), 501)
        reached = error(integrated(few, zeta), few, zeta)
        ours, _, ratio = beside(
            lambda z=zeta, x=few: response(x, 1.0, 2.0 * z, 1.0, 1.0),  # type: ignore[misc]
            lambda z=zeta, x=few: integrated(x, z),  # type: ignore[misc]
            15,
            calls=5,
        )
        peer = f"solve_ivp (DOP853) at error {reached:.0e}"
        out.append(against(f"response, zeta = {zeta:g}, 501 times", ours, peer, ratio, 1))
    return out
