"""Plateaus, and the times at which a law has made 95 % of its rise from t = 0 to its plateau."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from reference import oscillator
from reference.fitters.pulled_path import fixed_point

SHARE = 0.95
_LEFT = 1 - SHARE
_CRITICAL = 4.743864518390577  # (1 + z) exp(-z) = 1/20
_PANELS = 60
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
Values = Mapping[str, float]


def _second_order(p: Values) -> float:
    """First time at 95 %: on the first rise, where the response falls monotonically from 1."""
    zeta = p["zeta"]
    low, high = 0.0, 1.0

    def left(z: float) -> float:
        return float(oscillator.response(z, 1.0, 2 * zeta, 1.0, 1.0))

    if zeta < 1:
        high = math.pi / math.sqrt(1 - zeta * zeta)  # the first turning point lies beyond the plateau
    while left(high) > _LEFT:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) > _LEFT else (low, middle)
    return (low + high) / 2 / p["omega_n"]


def _logistic(p: Values) -> float:
    grown = p["rate"] * p["t_mid"]
    return float(np.logaddexp(0.0, grown + math.log(SHARE)) - math.log(_LEFT)) / p["rate"]


def _half_logit(p: float) -> float:
    return math.log(p / (1 - p)) / 2


def _free(p: Values) -> float:
    end = p["p_0"] + SHARE * (1 - p["p_0"])
    return 4 * (math.sinh(_half_logit(end)) - math.sinh(_half_logit(p["p_0"]))) / p["kappa"]


def _pulled(p: Values) -> float:
    if p["beta"] == 0:
        return _free(p)
    v_0 = _half_logit(p["p_0"])
    top = mean_field_plateau(p)
    edges = np.linspace(v_0, _half_logit(p["p_0"] + SHARE * (top - p["p_0"])), _PANELS + 1)
    half = np.diff(edges) / 2
    v = (edges[:-1] + half)[:, None] + half[:, None] * _PLACES
    speed = (np.cosh(v) - p["beta"] * (v - v_0)) / (4 * np.cosh(v) ** 2)
    return float(np.sum(half[:, None] * _WEIGHTS / speed)) / p["kappa"]


def mean_field_plateau(p: Values) -> float:
    """p* of the flow with a KL term; 1 where there is no fixed point."""
    end = fixed_point(_half_logit(p["p_0"]), p.get("beta", 0.0)) if p.get("beta", 0.0) > 0 else math.inf
    return 1.0 if math.isinf(end) else 1 / (1 + math.exp(-2 * end))


RISE_TIME: dict[str, Callable[[Values], float]] = {
    "single_exponential": lambda p: -math.log(_LEFT) / p["rate"],
    "critically_damped": lambda p: _CRITICAL / p["omega_n"],
    "second_order": _second_order,
    "logistic": _logistic,
    "scalerl_sigmoid": lambda p: p["C_mid"] * (SHARE / _LEFT) ** (1 / p["B"]),
    "power_law": lambda p: p["T"] * math.expm1(-math.log(_LEFT) / p["alpha"]),
    "mean_field_free": _free,
    "mean_field": _pulled,
}
