"""Argument checks: a ValueError names the argument, its value and its domain."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def _interval(low: float, high: float, closed: bool) -> str:
    if math.isinf(low) and math.isinf(high):
        return "a finite number"
    left = "(" if math.isinf(low) or not closed else "["
    right = ")" if math.isinf(high) or not closed else "]"
    return f"in {left}{low:g}, {high:g}{right}"


def _several(domain: str) -> str:
    return f"numbers {domain}" if domain.startswith("in ") else "finite numbers"


def _one(domain: str) -> str:
    return f"one number {domain}" if domain.startswith("in ") else "one finite number"


def _offender(values: Floats, good: NDArray[np.bool_]) -> object:
    return values[~good].flat[0]


def array(name: str, value: ArrayLike, low: float = -math.inf, high: float = math.inf, closed: bool = True) -> Floats:
    """`value` as a float array, every element finite and between `low` and `high`.

    Args:
        name: the argument, for the message.
        value: anything that numpy turns into real numbers; text is none, even of digits, nor is a date.
        low, high: the bounds.
        closed: whether the bounds themselves are allowed.

    Raises:
        ValueError: an element is nan, infinite, no number, or out of bounds.
    """
    domain = _interval(low, high, closed)
    try:
        raw = np.asarray(value)
        mixed = raw.dtype == object and any(v is None or isinstance(v, str) for v in raw.flat)
        if mixed or raw.dtype.kind in "USVcMm":
            raise TypeError("no number")
        values = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} = {value!r}; expected {_several(domain)}") from error
    inside = (values >= low) & (values <= high) if closed else (values > low) & (values < high)
    good = inside & np.isfinite(values)
    if not good.all():
        raise ValueError(f"{name} = {_offender(values, good)}; expected {domain}")
    return values


def number(name: str, value: ArrayLike, low: float = -math.inf, high: float = math.inf, closed: bool = True) -> float:
    """A single number; see `array`. Raises ValueError also for an array."""
    values = array(name, value, low, high, closed)
    if values.ndim:
        raise ValueError(f"{name} has shape {values.shape}; expected {_one(_interval(low, high, closed))}")
    return float(values)


def positive(name: str, value: ArrayLike) -> Floats:
    """Numbers > 0."""
    return array(name, value, 0.0, closed=False)


def non_negative(name: str, value: ArrayLike) -> Floats:
    """Numbers >= 0."""
    return array(name, value, 0.0)


def momentum(name: str, value: ArrayLike) -> Floats:
    """Momentum coefficients, in [0, 1)."""
    values = array(name, value)
    good = (values >= 0) & (values < 1)
    if not good.all():
        raise ValueError(f"{name} = {_offender(values, good)}; expected in [0, 1)")
    return values


def learning_rate(name: str, value: ArrayLike) -> Floats:
    """Learning rates, > 0."""
    return positive(name, value)


def probability(name: str, value: ArrayLike) -> Floats:
    """Probabilities, in [0, 1]."""
    return array(name, value, 0.0, 1.0)


def open_probability(name: str, value: ArrayLike) -> Floats:
    """Probabilities strictly between 0 and 1."""
    return array(name, value, 0.0, 1.0, closed=False)


def integers(name: str, value: ArrayLike, low: int, high: int | None = None) -> NDArray[np.int64]:
    """Whole numbers >= `low` (and <= `high`); 2.0 counts as whole, 2.5 and True do not."""
    expected = f"whole numbers >= {low}" + ("" if high is None else f" and <= {high}")
    try:
        raw = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} = {value!r}; expected {expected}") from error
    if raw.dtype == np.bool_:
        raise ValueError(f"{name} = {value!r}; expected {expected}")
    if raw.dtype.kind in "iu":  # as it is: a double would round beyond 2**53
        wrong = (raw < low) | (raw > (2**62 if high is None else high))
        if wrong.any():
            raise ValueError(f"{name} = {raw[wrong].flat[0]}; expected {expected}")
        return raw.astype(np.int64)
    try:
        values = array(name, value)
    except ValueError as error:
        raise ValueError(f"{name} = {value!r}; expected {expected}") from error
    top = 2.0**62 if high is None else float(high)  # beyond it int64 wraps around
    good = (values == np.floor(values)) & (values >= low) & (values <= top)
    if not good.all():
        raise ValueError(f"{name} = {_offender(values, good)}; expected {expected}")
    return values.astype(np.int64)


def integer(name: str, value: ArrayLike, low: int, high: int | None = None) -> int:
    """A single whole number; see `integers`."""
    values = integers(name, value, low, high)
    if values.ndim:
        raise ValueError(f"{name} has shape {values.shape}; expected one whole number")
    return int(values)


def choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} = {value!r}; expected one of {', '.join(map(repr, allowed))}")
    return value


def shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which the named arguments broadcast.

    Args:
        shapes: the shape of each argument, by its name.

    Raises:
        ValueError: they do not broadcast.
    """
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError as error:
        found = ", ".join(f"{name} {value}" for name, value in shapes.items())
        raise ValueError(
            f"shapes do not fit: {found}; expected shapes that broadcast to one (numpy's rules)"
        ) from error


def product(name: str, value: float, other: str, factors: Floats) -> None:
    """Refuse two arguments whose product leaves the range of doubles.

    Raises:
        ValueError: it does.
    """
    with np.errstate(over="ignore"):
        bad = np.isinf(value * factors)
    if bad.any():
        raise ValueError(f"{name} = {value}, {other} = {factors[bad].flat[0]}; expected a product below 1.8e308")
