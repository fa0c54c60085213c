"""Coordinates: a nonlinear parameter on the unbounded, unit-free axis on which it is searched."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Coordinate:
    """One nonlinear parameter of a law, mapped to the real line.

    Attributes:
        name: the parameter, as in the law.
        kind: "log", "logit", "asinh" or "linear".
        power: the exponent of time in the parameter's unit: -1 for a rate, 1 for a time, 0 for a pure number.
    """

    name: str
    kind: str
    power: int = 0

    def inside(self, value: float, span: float) -> float:
        """The coordinate of a parameter value, where `span` (steps) is the unit of time."""
        return _FORWARD[self.kind](value / span**self.power)

    def outside(self, q: float, span: float) -> float:
        """The parameter value at a coordinate."""
        return _BACK[self.kind](q) * span**self.power

    def stretch(self, q: float, span: float) -> float:
        """d(parameter)/d(coordinate)."""
        return _SLOPE[self.kind](q) * span**self.power


def _logit(p: float) -> float:
    if p in (0.0, 1.0):
        return math.copysign(math.inf, p - 0.5)
    return math.log(p / (1 - p))


def _sigmoid(q: float) -> float:
    return 1 / (1 + math.exp(-q)) if q > -700 else 0.0


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


_Real = Callable[[float], float]
_FORWARD: dict[str, _Real] = {"log": _log, "logit": _logit, "asinh": math.asinh, "linear": float}
_BACK: dict[str, _Real] = {"log": math.exp, "logit": _sigmoid, "asinh": math.sinh, "linear": float}
_SLOPE: dict[str, _Real] = {
    "log": math.exp,
    "logit": lambda q: _sigmoid(q) * _sigmoid(-q),
    "asinh": math.cosh,
    "linear": lambda q: 1.0,
}
