"""The mean-field flow with a KL term, fast: time as an integral over the half-logit, inverted by interpolation.

With v = L/2 the flow reads dv/ds = f = D(v)/(4 cosh^2 v), D(v) = cosh v - beta (v - v_0), s = kappa t (see
`reference.mean_field`, which integrates it step by step instead). So s is an integral over v from v_0 to the first
zero of D, if there is one, and so are the sensitivities; between nodes they follow by Hermite interpolation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reference.domain import Floats

Indices = NDArray[np.int64]

_UNIFORM, _GRADED = 300, 300  # nodes
_SETTLED = 23.0  # e-folds to the fixed point: 1e-10 is left, so that the rest is exponential to twenty digits
_WIDE = 1e-13  # of a panel, in half-logits: narrower ones are merged
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


def fixed_point(v_0: float, beta: float) -> float:
    """The first zero of D above v_0; infinite where there is none.

    D is convex, and positive at v_0: Newton's method climbs to the zero from below without passing it.
    """
    bottom = math.asinh(beta)
    if bottom <= v_0 or math.cosh(bottom) - beta * (bottom - v_0) > 0:
        return math.inf
    v = v_0
    for _ in range(200):
        slope = beta - math.sinh(v)
        step = (math.cosh(v) - beta * (v - v_0)) / slope if slope > 0 else 0.0
        if not step > 1e-16 * max(abs(v), 1.0):
            break
        v = min(v + step, bottom)
    return v


def _mesh(v_0: float, beta: float, last: float) -> tuple[float, Floats, bool]:
    """An origin, distances below it that fall from v_0 towards 0, and whether the origin is the fixed point."""
    end, part = fixed_point(v_0, beta), np.linspace(0.0, 1.0, _UNIFORM + 1)
    if math.isfinite(end):
        way = end - v_0
        d = np.concatenate([way * (1 - part[:-1]), way * np.exp(-_SETTLED * np.linspace(0.0, 1.0, _GRADED))])
        d = d[d >= way * math.exp(-_SETTLED)]
    else:
        end = math.asinh(math.sinh(v_0) + last / 4) + 1e-9  # du/ds <= 1/4
        bottom = math.asinh(beta)
        width = math.sqrt(max(math.cosh(bottom) - beta * max(bottom - v_0, 0.0), 0.0) / math.cosh(bottom)) + 1e-8
        low, high = math.asinh((v_0 - bottom) / width), math.asinh((end - bottom) / width)
        slow = bottom + width * np.sinh(np.linspace(low, high, _GRADED))
        way = end - v_0
        d = np.concatenate([way * (1 - part), np.clip(end - slow, 0.0, way)])
    d = -np.sort(-d)
    keep = np.concatenate([[True], d[:-1] - d[1:] > np.minimum(_WIDE, d[:-1] * 1e-3)])
    return end, d[keep], math.isfinite(fixed_point(v_0, beta))


def path(s: Floats, v_0: float, beta: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Half-logits along the flow with their sensitivities.

    Args:
        s: times kappa t >= 0, increasing, shape (n,).
        v_0: half the logit of the reference policy.
        beta: > 0, weight of the KL term.

    Returns:
        v, dv/ds, dv/dv_0 and dv/dbeta at s: p to 1e-11; the sensitivities, from the cubic, to 1e-7 of their
        largest where the flow moves by a panel at least.
    """
    origin, d, settles = _mesh(v_0, beta, float(s[-1]))

    def force(d: Floats) -> Floats:
        if settles:  # D minus its value at the zero, without cancellation
            gap: Floats = beta * d - 2 * np.sinh(origin - d / 2) * np.sinh(d / 2)
        else:
            gap = np.cosh(origin - d) - beta * (origin - d - v_0)
        return gap

    half = (d[:-1] - d[1:]) / 2
    inner = (d[:-1] - half)[:, None] - half[:, None] * _PLACES
    v, D = origin - inner, force(inner)
    slowness = 4 * np.cosh(v) ** 2 / D
    weights = half[:, None] * _WEIGHTS

    def along(integrand: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum((integrand * weights).sum(axis=1))])

    time = along(slowness)
    nodes, D = origin - d, force(d)
    square = 4 * np.cosh(nodes) ** 2
    f = D / square
    tilt = (np.sinh(nodes) - beta) / square - 2 * f * np.tanh(nodes)  # df/dv
    by_start = f * (4 * math.cosh(v_0) + along(beta * slowness / force(inner)))
    by_beta = -f * along((v - v_0) * slowness / force(inner))
    slopes = (tilt * by_start + beta / square, tilt * by_beta - (nodes - v_0) / square)
    k = np.clip(np.searchsorted(time, s, side="right") - 1, 0, time.size - 2)
    h = time[k + 1] - time[k]
    u = np.minimum((s - time[k]) / h, 1.0)
    out = [_quintic(u, h, k, nodes, f, tilt * f)]
    out += [_cubic(u, h, k, z, slope) for z, slope in zip((by_start, by_beta), slopes, strict=True)]
    if settles and s[-1] > time[-1]:
        late = s > time[-1]
        fall = np.exp(tilt[-1] * (s[late] - time[-1]))
        out[0][late] = origin - d[-1] * fall
        for z, here, slope in zip(out[1:], (by_start, by_beta), slopes, strict=True):
            z[late] = here[-1] + slope[-1] * (fall - 1) / tilt[-1]
    v, by_start, by_beta = out
    speed = np.maximum(force(origin - v), 0.0) / (4 * np.cosh(v) ** 2)
    return v, speed, by_start, by_beta


def _quintic(u: Floats, h: Floats, k: Indices, y: Floats, slope: Floats, bend: Floats) -> Floats:
    """Hermite's quintic between nodes k and k + 1, u in [0, 1]."""
    i, j = k, k + 1
    rise = y[j] - y[i]
    a, b, c = h * slope[i], h * h * bend[i] / 2, rise - h * slope[i] - h * h * bend[i] / 2
    p = h * slope[j] - h * slope[i] - h * h * bend[i]
    q = h * h * (bend[j] - bend[i])
    cubic, quartic, fifth = 10 * c - 4 * p + q / 2, -15 * c + 7 * p - q, 6 * c - 3 * p + q / 2
    out: Floats = y[i] + u * (a + u * (b + u * (cubic + u * (quartic + u * fifth))))
    return out


def _cubic(u: Floats, h: Floats, k: Indices, y: Floats, slope: Floats) -> Floats:
    """Hermite's cubic between nodes k and k + 1."""
    i, j = k, k + 1
    rise, a, b = y[j] - y[i], h * slope[i], h * slope[j]
    out: Floats = y[i] + u * (a + u * (3 * rise - 2 * a - b + u * (a + b - 2 * rise)))
    return out
