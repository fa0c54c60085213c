"""Sigmoids and power laws: shapes that need no dynamics, from growth curves and from scaling laws."""

from __future__ import annotations

import numpy as np

from reference.domain import Floats
from reference.fitters.coordinate import Coordinate
from reference.fitters.shape import Coordinates, Shape, axis, finest_gap, first_gap, product


def expit(z: Floats) -> Floats:
    """1/(1 + exp(-z)) without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * z))


def _logistic(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    rate = np.exp(q[0])
    z = rate * (x - q[1])
    s = expit(z)
    slope = s * expit(-z)
    return s, (z * slope, -rate * slope)


def _logistic_grid(x: Floats) -> Floats:
    sharpest = min(200.0, 4 / finest_gap(x))
    points = []
    for log_rate in axis(np.log(0.3), np.log(sharpest), 0.35):
        rate = np.exp(log_rate)
        reach = 0.3 + 3 / rate
        points.append(product(np.array([log_rate]), axis(-reach, 1 + reach, max(0.7 / rate, 0.002))))
    return np.concatenate(points)


def _logistic_edges(x: Floats) -> Floats:
    return np.array([[np.log(1e-2), np.log(60 / finest_gap(x))], [-30.0, 30.0]])


def _generalised(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    rate, nu = np.exp(q[0]), np.exp(q[2])
    z = rate * (x - q[1])
    grown = np.logaddexp(0.0, -z)  # ln(1 + exp(-z))
    s = np.exp(-grown / nu)
    slope = s * expit(-z) / nu
    return s, (z * slope, -rate * slope, s * grown / nu)


def _generalised_grid(x: Floats) -> Floats:
    rates, mids = axis(np.log(0.5), np.log(min(80.0, 4 / finest_gap(x))), 0.5), axis(-0.6, 1.6, 0.06)
    return product(rates, mids, np.log(np.array([0.1, 0.3, 1.0, 3.0, 10.0])))


def _generalised_edges(x: Floats) -> Floats:
    return np.concatenate([_logistic_edges(x), np.log(np.array([[1e-3, 1e3]]))])


def _scalerl(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    exponent = np.exp(q[1])
    with np.errstate(divide="ignore"):
        far = np.log(x) - q[0]
    z = exponent * far
    s = expit(z)
    slope = s * expit(-z)
    return s, (-exponent * slope, np.where(slope > 0, z, 0.0) * slope)


def _scalerl_grid(x: Floats) -> Floats:
    points = []
    for log_exponent in axis(np.log(0.15), np.log(40.0), 0.3):
        step = min(0.7, 0.7 / np.exp(log_exponent))
        points.append(product(axis(np.log(first_gap(x)) - 1, np.log(20.0), step), np.array([log_exponent])))
    return np.concatenate(points)


def _scalerl_edges(x: Floats) -> Floats:
    ends = [[np.log(first_gap(x)) - 15, np.log(1e6)], [np.log(0.02), np.log(1e3)]]
    return np.array(ends, dtype=np.float64)


def _power(x: Floats, q: Coordinates) -> tuple[Floats, tuple[Floats, ...]]:
    exponent, z = np.exp(q[1]), x * np.exp(-q[0])
    grown = exponent * np.log1p(z)
    left = np.exp(-grown)
    return -np.expm1(-grown), (-left * exponent * z / (1 + z), left * grown)


def _power_grid(x: Floats) -> Floats:
    points = []
    for log_exponent in np.log([0.05, 0.15, 0.3, 0.6, 1.0, 1.7, 3.0, 6.0, 15.0, 50.0, 300.0]):
        # exponent/T is the initial rate
        points.append(product(log_exponent - axis(np.log(1e-2), np.log(30 / first_gap(x)), 0.3), log_exponent[None]))
    return np.concatenate(points)


def _power_edges(x: Floats) -> Floats:
    ends: Floats = np.log(np.array([[1e-3 * first_gap(x), 1e7], [1e-3, 1e4]]))
    return ends


logistic = Shape(
    (Coordinate("rate", "log", -1), Coordinate("t_mid", "linear", 1)),
    _logistic,
    _logistic_grid,
    _logistic_edges,
    lambda x, q: expit(np.exp(q[0]) * (x - q[1])),
    early=False,
)
generalised_logistic = Shape(
    (*logistic.coordinates, Coordinate("nu", "log")),
    _generalised,
    _generalised_grid,
    _generalised_edges,
    lambda x, q: _generalised(x, q)[0],
    early=False,
)
scalerl = Shape(
    (Coordinate("C_mid", "log", 1), Coordinate("B", "log")),
    _scalerl,
    _scalerl_grid,
    _scalerl_edges,
    lambda x, q: _scalerl(x, q)[0],
)
power = Shape(
    (Coordinate("T", "log", 1), Coordinate("alpha", "log")),
    _power,
    _power_grid,
    _power_edges,
    lambda x, q: _power(x, q)[0],
)
line = Shape((), lambda x, q: (x, ()), lambda x: np.zeros((1, 0)), lambda x: np.zeros((0, 2)), lambda x, q: x[None])
