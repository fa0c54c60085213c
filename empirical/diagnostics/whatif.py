"""What if: the gain of the reward's own mode with its interval, and where raising a knob takes it.

The mode is that of heavy ball with periodic refresh, whose multiplier over one cycle of T steps solves
L^2 - (1 + q - a R) L + q + a Q = 0 in the gain a = eta K (`reference.frontier.cycle`). A relaxation rate lambda gives
L = exp(-lambda T), hence a = (1 - L)(L - q)/(R L + Q); a swing of frequency w and growth g gives the trace
2 exp(g T) cos(w T) = 1 + q - a R. The frontiers are the exact ones of `reference.lag`; all that follows is monotone in
the gain, so the ends of its interval carry over.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reference import lag
from reference.frontier import cycle

LARGEST_INTERVAL = 4096
STATES = ("monotone", "rings", "unstable")
_NEAREST = 1e-9  # of the momentum to 1
_ROUNDING = 1e-9  # relative, of a gain at a frontier
# A smooth swing is fitted to a path that bends at each refresh. Fits to the exact map without noise, 18 settings of
# momentum, interval and gain, gave gains 4% too small to 14% too large for each radian of the swing in a cycle.
_TOO_SMALL, _TOO_LARGE = 0.04, 0.14


@dataclass(frozen=True)
class Gain:
    """The gain a = eta K of a mode.

    Attributes:
        value, low, high: the estimate and its interval, positive.
        momentum, interval: mu and the refresh interval T under which it was found.
    """

    value: float
    low: float
    high: float
    momentum: float
    interval: int


def _sums(mu: float, interval: int) -> tuple[float, float, float]:
    sums = cycle(np.asarray(mu), np.asarray(float(interval)))
    return float(sums.q), float(sums.R), float(sums.Q)


def onset(mu: float, interval: int) -> float:
    """The gain from which the mode rings."""
    return float(np.asarray(lag.onset_gain(mu, interval, "periodic")))


def critical(mu: float, interval: int) -> float:
    """The gain from which it is unstable."""
    return float(np.asarray(lag.critical_gain(mu, interval, "periodic")))


def of_rate(rate: float, low: float, high: float, mu: float, interval: int) -> Gain | None:
    """The gain of a mode that relaxes at a rate per step, on the monotone side of the onset.

    None where the mode is faster than any that relaxes monotonically at this momentum and interval. An end of the
    rate's interval beyond that has the onset's gain.
    """
    q, R, Q = _sums(mu, interval)
    top = onset(mu, interval)
    fastest = -math.log(max((1 + q - top * R) / 2, 1e-300)) / interval

    def gain(speed: float) -> float:
        if speed >= fastest:
            return top
        L = math.exp(-speed * interval)
        return -math.expm1(-speed * interval) * (L - q) / (R * L + Q)

    if not 0 < rate < fastest:
        return None
    return Gain(gain(rate), gain(max(low, 0.0)), gain(high), mu, interval)


def of_swing(
    frequency: float, grows: float, ends: tuple[tuple[float, float], tuple[float, float]], mu: float, interval: int
) -> Gain | None:
    """The gain of a mode that swings; `ends` are the intervals of frequency and growth.

    The interval has room for what the smooth law misses of the map's path.
    None where the period is no longer than two refresh cycles: the swing is then seen too rarely to be the cycle's.
    """
    q, R, _ = _sums(mu, interval)
    if not 0 < frequency * interval < math.pi:
        return None

    def gain(w: float, g: float) -> float:
        angle = min(max(w, 0.0) * interval, math.pi)
        return (1 + q - 2 * math.exp(g * interval) * math.cos(angle)) / R

    corners = [gain(w, g) for w in ends[0] for g in ends[1]]
    value = gain(frequency, grows)
    if not value > 0 or not all(map(math.isfinite, corners)):
        return None
    low = max(min(corners) / (1 + _TOO_LARGE * frequency * interval), onset(mu, interval))
    high = max(*corners, value, low) / (1 - _TOO_SMALL)
    return Gain(max(value, low), low, high, mu, interval)


def growth(gain: Gain) -> float:
    """Growth per step of the envelope of a swing: half the logarithm of the determinant over the cycle's steps."""
    q, _, Q = _sums(gain.momentum, gain.interval)
    determinant = q + gain.value * Q
    return math.log(determinant) / (2 * gain.interval) if determinant > 0 else -math.inf


def state(gain: float, mu: float, interval: int) -> str:
    """What a mode of this gain does at this momentum and interval: one of `STATES`."""
    if gain >= critical(mu, interval) * (1 - _ROUNDING):
        return "unstable"
    return "rings" if gain > onset(mu, interval) * (1 + _ROUNDING) else "monotone"


def headroom(gain: Gain, frontier: Callable[[float, int], float]) -> tuple[float, float, float]:
    """The factor by which the learning rate may grow before a frontier: value, low, high."""
    edge = frontier(gain.momentum, gain.interval)
    return edge / gain.value, edge / gain.high, edge / gain.low if gain.low > 0 else math.inf


def longest(gain: float, mu: float) -> int:
    """The longest refresh interval at which a gain is still stable; 0 where none is, `LARGEST_INTERVAL` at most."""
    low, high = 0, LARGEST_INTERVAL + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if gain < critical(mu, middle) else (low, middle)
    return low


def largest_momentum(gain: float, mu: float, interval: int, adam: bool) -> float:
    """The momentum up to which a gain that was found at mu stays stable; mu itself where it is not.

    With AdamW (and every optimizer that averages gradients) the gain is proportional to 1 - beta_1, so that raising
    beta_1 leaves the relaxation rate and takes away damping; heavy ball's gain does not depend on the momentum.
    """

    def stable(rest: float) -> bool:
        scaled = gain * rest / (1 - mu) if adam else gain
        return scaled < critical(1 - rest, interval)

    low, high = math.log(_NEAREST), math.log(1 - mu)
    if not stable(1 - mu):
        return mu
    if stable(_NEAREST):
        return 1 - _NEAREST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if stable(math.exp(middle)) else (middle, high)
    return 1 - math.exp(high)


def raised(gain: Gain, adam: bool) -> list[tuple[str, float, int, float]]:
    """Each knob raised: its words, the momentum, the interval, and the factor on the gain."""
    mu, T = gain.momentum, gain.interval
    higher = 1 - (1 - mu) / 2
    return [
        ("learning rate x 2", mu, T, 2.0),
        (f"momentum {mu:g} -> {higher:g}", higher, T, 0.5 if adam else 1.0),
        (f"refresh interval {T} -> {2 * T}", mu, 2 * T, 1.0),
    ]


def told(gain: Gain, adam: bool) -> list[str]:
    """What raising each knob would do, at the estimate and at both ends of the gain's interval."""
    out = []
    for words, mu, interval, factor in [("now", gain.momentum, gain.interval, 1.0), *raised(gain, adam)]:
        low, middle, high = (state(factor * g, mu, interval) for g in (gain.low, gain.value, gain.high))
        ends = [f"{s} at the {end} end of the interval" for s, end in ((low, "low"), (high, "high")) if s != middle]
        out.append(f"{words}: {middle}" + (f" ({', '.join(ends)})" if ends else ""))
    return out
