"""The shapes of the nonlinear mean-field flow of a binary bandit: the progress is the success probability itself."""

from __future__ import annotations

import numpy as np

from reference.domain import Floats
from reference.fitters.coordinate import Coordinate
from reference.fitters.pulled_path import path
from reference.fitters.shape import Coordinates, Shape, axis, first_gap, product
from reference.fitters.sigmoid import expit

_NODES = 1 - (1 - np.linspace(0, 1, 300)) ** 3  # dense at the fixed point, where the flow waits


def _free(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    moved = np.exp(q[1]) * x / 4
    u = np.sinh(np.divide(q[0], 2)) + moved
    root = np.hypot(1.0, u)
    slope = 0.5 / root**3
    p = np.where(u > 0, 0.5 + 0.5 * u / root, 0.5 / root / (root - np.minimum(u, 0.0)))
    return p, (slope * np.cosh(np.divide(q[0], 2)) / 2, slope * moved)


def _free_grid(x: Floats) -> Floats:
    return product(axis(-14.0, 10.0, 0.7), axis(np.log(1e-2), np.log(1e5 / first_gap(x)), 0.5))


def _free_edges(x: Floats) -> Floats:
    return np.array([[-40.0, 40.0], [np.log(1e-6), np.log(1e9 / first_gap(x))]])


def _pulled(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    kappa, beta = float(np.exp(q[1])), float(np.exp(q[2]))
    if beta == 0:
        p, slopes = _free(x, q)
        return p, (*slopes, np.zeros_like(p))
    v, speed, by_start, by_beta = path(kappa * x, float(q[0]) / 2, beta)
    p = expit(2 * v)
    slope = 2 * p * expit(-2 * v)
    return p, (slope * by_start / 2, slope * speed * kappa * x, slope * by_beta * beta)


def _pulled_grid(x: Floats) -> Floats:
    kappas = axis(np.log(1e-1), np.log(1e3 / first_gap(x)), 0.5)
    return product(axis(-9.0, 6.0, 1.0), kappas, np.log(np.array([0.03, 0.1, 0.2, 0.4, 0.7, 1.2, 2.0, 4.0, 10.0])))


def _pulled_edges(x: Floats) -> Floats:
    return np.array([[-30.0, 30.0], [np.log(1e-4), np.log(1e6 / first_gap(x))], np.log([1e-6, 1e4])])


def _pulled_bulk(x: Floats, q: Coordinates) -> Floats:
    """p over a grid: time as a quadrature of ds = 4 cosh^2 v dv/(cosh v - beta (v - v_0)), v = L/2, inverted."""
    starts, kappas, betas = (np.broadcast_to(np.ravel(c), np.size(q[0])) for c in q)
    out = np.empty((starts.size, x.size))
    keys, where = np.unique(np.stack([starts, betas]), axis=1, return_inverse=True)
    for k, (start, log_beta) in enumerate(keys.T):
        rows = np.flatnonzero(where == k)
        time, p = _quadrature(float(start), float(np.exp(log_beta)))
        out[rows] = np.interp(np.exp(kappas[rows, None]) * x, time, p)
    return out


def _quadrature(start: float, beta: float) -> tuple[Floats, Floats]:
    v_0 = start / 2
    scan = v_0 + np.linspace(0.0, 20.0 + abs(v_0), 400)
    stopped = np.flatnonzero(np.cosh(scan) <= beta * (scan - v_0))
    end = float(scan[-1])
    if stopped.size:
        low, high = float(scan[stopped[0] - 1]), float(scan[stopped[0]])
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if np.cosh(middle) <= beta * (middle - v_0) else (middle, high)
        end = low
    v = v_0 + (end - v_0) * _NODES
    gap = np.maximum(np.cosh(v) - beta * (v - v_0), 1e-9 * np.cosh(v))
    speed = 4 * np.cosh(v) ** 2 / gap
    time = np.concatenate([[0.0], np.cumsum((speed[1:] + speed[:-1]) / 2 * np.diff(v))])
    return time, expit(2 * v)


_START, _KAPPA = Coordinate("p_0", "logit"), Coordinate("kappa", "log", -1)
free = Shape((_START, _KAPPA), _free, _free_grid, _free_edges, lambda x, q: _free(x, q)[0])
pulled = Shape(
    (_START, _KAPPA, Coordinate("beta", "log")), _pulled, _pulled_grid, _pulled_edges, _pulled_bulk, basins=6
)
