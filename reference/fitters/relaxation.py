"""Relaxation: the shapes of the linear responses, one pole, two equal poles, any two."""

from __future__ import annotations

import numpy as np

from reference import laws, oscillator
from reference.domain import Floats
from reference.fitters.coordinate import Coordinate
from reference.fitters.shape import Coordinates, Shape, axis, finest_gap, first_gap

_SLOWEST = 1e-4  # of rate * span: the curve is then straight (or a parabola) to 1e-4 of its rise
_FASTEST = 30.0  # of rate * first gap: exp(-30) is left at the first time after the start
_CLOSE = 0.05  # of zeta^2 - 1, or of omega * span: nearer to 0 the textbook formulas lose three digits
_STEP = 0.15  # of the logarithm of the rate


def _exponential(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    z = np.exp(q[0]) * x
    decay = np.exp(-z)
    return _risen(z, decay), (z * decay,)


def _risen(z: Floats, decay: Floats) -> Floats:
    """1 - exp(-z), by the dearer function only where most of the curve is near its start."""
    return -np.expm1(-z) if np.ndim(z) != 1 or z[-1] < 4 else 1 - decay


def _by_time(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    s, (slope,) = _exponential(x, (-q[0],))
    return s, (-slope,)


def _critical(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    z = np.exp(q[0]) * x
    if np.ndim(z) == 1 and z[-1] < 1:
        from scipy.special import gammainc

        return np.asarray(gammainc(2.0, z), dtype=np.float64), (z * z * np.exp(-z),)
    decay = np.negative(z)
    np.exp(decay, out=decay)
    bend = z * decay
    decay += bend
    z *= bend
    return np.subtract(1, decay, out=decay), (z,)


def _rates(x: Floats) -> Floats:
    (low, high) = _rate_edges(x)[0]
    return axis(low, high, _STEP)[:, None]


def _rate_edges(x: Floats) -> Floats:
    return np.array([[np.log(_SLOWEST), np.log(_FASTEST / first_gap(x))]])


def _second_order(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    z, zeta = np.exp(float(q[0])) * x, float(np.sinh(q[1]))
    gap = (zeta - 1) * (zeta + 1)
    if abs(gap) > _CLOSE and z[-1] > _CLOSE:
        left, pull, tilt = _over(z, zeta, gap**0.5) if gap > 0 else _under(z, zeta, (-gap) ** 0.5)
        return 1 - left, (z * pull, -tilt * np.cosh(float(q[1])))
    left = oscillator.response(z, 1.0, 2 * zeta, 1.0, 1.0)
    speed = oscillator.velocity(z, 1.0, 2 * zeta, 1.0, 1.0)
    return 1 - left, (-z * speed, -laws.damping_slope(z, zeta) * np.cosh(float(q[1])))


def _over(z: Floats, zeta: float, root: float) -> tuple[Floats, Floats, Floats]:
    """h, -dh/dz and dh/dzeta of the response from rest, by two real poles."""
    fast = zeta + root
    slow = 1 / fast
    late, soon = np.exp(-slow * z), np.exp(-fast * z)
    pull = (late - soon) / (2 * root)
    left = (fast * late - slow * soon) / (2 * root)
    return left, pull, (z * (late + soon) / 2 - pull) / root**2


def _under(z: Floats, zeta: float, root: float) -> tuple[Floats, Floats, Floats]:
    """The same by a pair of complex poles."""
    decay, phase = np.exp(-zeta * z), root * z
    turn = decay * np.cos(phase)
    pull = decay * np.sin(phase) / root
    return turn + zeta * pull, pull, (pull - z * turn) / root**2


def _second_order_bulk(x: Floats, q: Coordinates) -> Floats:
    """All points of a grid at once, sorted by whether they oscillate."""
    omega, zeta = np.exp(np.ravel(q[0])), np.sinh(np.ravel(q[1]))
    out = np.empty((omega.size, x.size))
    over = zeta > 1 + 1e-9
    under = zeta < 1 - 1e-9
    with np.errstate(under="ignore"):
        root = np.sqrt(np.abs(zeta - 1) * (zeta + 1))
        for rows in (np.flatnonzero(over), np.flatnonzero(under), np.flatnonzero(~over & ~under)):
            if not rows.size:
                continue
            z, w, d = omega[rows, None] * x, root[rows, None], zeta[rows, None]
            if over[rows[0]]:
                fast = d + w
                slow = 1 / fast
                out[rows] = 1 - (fast * np.exp(-slow * z) - slow * np.exp(-fast * z)) / (2 * w)
            elif under[rows[0]]:
                out[rows] = 1 - np.exp(-d * z) * (np.cos(w * z) + d / w * np.sin(w * z))
            else:
                out[rows] = 1 - (1 + z) * np.exp(-z)
    return out


def _second_order_grid(x: Floats) -> Floats:
    """Overdamped by the slow pole, underdamped so that neighbours differ by at most 0.7 radian over a decay time."""
    slow = axis(np.log(1e-2), np.log(_FASTEST / first_gap(x)), 0.3)
    nyquist = np.pi / finest_gap(x)
    points = []
    for zeta in (1.0, 1.25, 1.7, 2.5, 4.0, 8.0, 20.0, 100.0):
        scale = np.log(zeta + np.sqrt(zeta * zeta - 1))
        points.append(np.stack([slow + scale, np.full_like(slow, np.arcsinh(zeta))], axis=-1))
    for zeta in (0.8, 0.6, 0.45, 0.3, 0.2, 0.1, 0.05):
        log_omega = axis(np.log(0.5), np.log(nyquist), min(0.3, 0.7 * zeta))
        points.append(np.stack([log_omega, np.full_like(log_omega, np.arcsinh(zeta))], axis=-1))
    turns = np.arange(1.0, min(80.0, nyquist), 0.8)
    for decay in (-12.0, -6.0, -3.0, -1.0, 0.0, 1.0, 2.5, 5.0):
        omega = np.hypot(turns, decay)
        keep = np.abs(decay) < 0.9 * omega
        points.append(np.stack([np.log(omega[keep]), np.arcsinh(decay / omega[keep])], axis=-1))
    return np.concatenate(points)


def _second_order_edges(x: Floats) -> Floats:
    return np.array([[np.log(1e-3), np.log(1e3 * _FASTEST / first_gap(x))], [np.arcsinh(-0.999), np.arcsinh(1e3)]])


def bulk_exponential(x: Floats, q: Coordinates) -> Floats:
    """1 - exp(-rate x) over a grid."""
    return -np.expm1(-np.exp(q[0]) * x)


def bulk_critical(x: Floats, q: Coordinates) -> Floats:
    """1 - (1 + z) exp(-z), z = omega x, over a grid of rates and increasing x; its series where the difference cancels.

    Where z > 40 for all rates of the grid nothing is left to compute.
    """
    z = np.exp(q[0]) * x
    out = np.ones_like(z)
    least = z.min(axis=0)
    end, begin = (int(np.searchsorted(least, bound)) for bound in (40.0, 1e-2))
    early = z[:, :begin] < 1e-2
    first = z[:, :begin][early]
    z, risen = z[:, :end], out[:, :end]
    np.exp(np.negative(z, out=risen), out=risen)
    z += 1
    risen *= z
    np.subtract(1, risen, out=risen)
    out[:, :begin][early] = first * first * (0.5 - first * (1 / 3 - first * (0.125 - first / 30)))
    return out


exponential = Shape((Coordinate("rate", "log", -1),), _exponential, _rates, _rate_edges, bulk_exponential)
exponential_by_time = Shape(
    (Coordinate("T", "log", 1),),
    _by_time,
    lambda x: -_rates(x)[::-1],
    lambda x: -_rate_edges(x)[:, ::-1],
    lambda x, q: bulk_exponential(x, (-q[0],)),
)
critical = Shape((Coordinate("omega_n", "log", -1),), _critical, _rates, _rate_edges, bulk_critical)
second_order = Shape(
    (Coordinate("omega_n", "log", -1), Coordinate("zeta", "asinh")),
    _second_order,
    _second_order_grid,
    _second_order_edges,
    _second_order_bulk,
    early=False,
)
