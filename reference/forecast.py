"""Forecast: the plateau of a run, and the time to 95 % of the rise to it, with intervals, from a prefix.

Every law is fitted to the prefix and weighted by AICc (tempered), beside a line and a constant, which have no plateau
to offer. An interval leaves the same share of the weighted tail areas on either side: where much of the weight
is on laws that the prefix does not pin, an end is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.domain import Floats
from reference.fitters import noise as errors
from reference.fitters import profile
from reference.fitters.estimate import fit
from reference.fitters.record import checked, gaps_of
from reference.fitters.regression import polynomial
from reference.fitters.result import Fit
from reference.fitters.search import find
from reference.rise_time import RISE_TIME, mean_field_plateau

CANDIDATES = tuple(RISE_TIME)
_PINNING = 0.9  # level of the profile intervals that set the width of each law's tails
_NEGLIGIBLE = 0.01  # weight
_TEMPER = 3.0  # Akaike's weights have 2: too sure of one law where the same data chose the noise, by simulation
_ONE = {"single_exponential": "rate", "critically_damped": "omega_n"}  # laws whose rise time is one parameter's


@dataclass(frozen=True)
class Forecast:
    """Where a run will level off, and when.

    Attributes:
        plateau, plateau_interval: in the unit of the reward; nan where nothing is known.
        t_95, t_95_interval: the first time at which 95 % of the rise from R(0) to the plateau is made, steps.
        level: of the intervals.
        identified: whether both intervals are finite.
        reason: why not; empty where they are.
        weights: of the laws, of "line" and of "constant"; they sum to 1.
        fits: by law.
    """

    plateau: float
    plateau_interval: tuple[float, float]
    t_95: float
    t_95_interval: tuple[float, float]
    level: float
    identified: bool
    reason: str
    weights: dict[str, float]
    fits: dict[str, Fit] = field(repr=False)


@dataclass(frozen=True)
class Tails:
    """One law's opinion: Student's t with a width of its own on either side of a centre.

    Attributes:
        centre: the estimate.
        below, above: widths, infinite where the record pins nothing on that side.
        freedom: degrees of freedom.
    """

    centre: float
    below: float
    above: float
    freedom: float

    def cdf(self, x: float) -> float:
        """Share of the opinion below x."""
        from scipy.special import stdtr

        if math.isinf(self.centre):
            return 0.0 if self.centre > 0 else 1.0
        width = self.below if x < self.centre else self.above
        if math.isinf(width):
            return 0.5
        if width == 0:
            return float(x >= self.centre)
        return float(stdtr(self.freedom, (x - self.centre) / width))


def forecast(
    t: ArrayLike,
    reward: ArrayLike,
    sigma: ArrayLike | None = None,
    level: float = 0.9,
    laws: tuple[str, ...] = CANDIDATES,
) -> Forecast:
    """Forecast the plateau and the time to it from the prefix of a run.

    Args:
        t, reward, sigma: as in `reference.fitters.fit`; t = 0 is the start of the run.
        level: of the intervals, in (0, 1).
        laws: candidates, from `CANDIDATES`.

    Raises:
        ValueError: an argument lies outside its domain.

    Source: Turek and Fletcher 2012 (model-averaged tail areas); Burnham and Anderson 2002 (weights).
    """
    times, rewards, deviations = checked(t, reward, sigma)
    inside = domain.number("level", level, 0.0, 1.0, closed=False)
    for law in laws:
        domain.choice("laws", law, CANDIDATES)
    if not np.ptp(rewards) > 1e-12 * float(np.abs(rewards).max()):
        return _unknown(inside, "the reward is constant: no rise to extrapolate", {"constant": 1.0}, {})
    fits = _fitted(times, rewards, deviations, laws)
    scores = {law: found.aicc for law, found in fits.items()}
    scores |= {"constant": polynomial(times, rewards, deviations, 0).aicc}
    line = polynomial(times, rewards, deviations, 1)
    scores |= {"line": line.aicc}
    weights = _weights(scores)
    if not weights:
        return _unknown(inside, f"{times.size} points are too few for any law", {}, fits)
    up = float(line.coefficients[1]) > 0
    plateaus: list[tuple[float, Tails]] = []
    delays: list[tuple[float, Tails]] = []
    for law, weight in weights.items():
        if weight < _NEGLIGIBLE:
            continue
        if law in fits:
            level_tails, time_tails = _opinion(fits[law])
            plateaus.append((weight, level_tails))
            delays.append((weight, time_tails))
        else:
            ends = (1,) if law == "line" and up else (-1,) if law == "line" else (-1, 1)
            plateaus += [(weight / len(ends), Tails(math.inf * end, 0.0, 0.0, 1.0)) for end in ends]
            delays.append((weight, Tails(math.inf, 0.0, 0.0, 1.0)))
    tail = (1 - inside) / 2
    low, middle, high = (_quantile(plateaus, share) for share in (tail, 0.5, 1 - tail))
    soon, when, late = (_exp(_quantile(delays, share)) for share in (tail, 0.5, 1 - tail))
    reason = _why(weights, fits, low, high, late, float(times[-1]))
    return Forecast(middle, (low, high), when, (soon, late), inside, not reason, reason, weights, fits)


def _fitted(t: Floats, reward: Floats, sigma: Floats | None, laws: tuple[str, ...]) -> dict[str, Fit]:
    """All laws with the same errors, those of the law that is best: a wrong law's own would swallow its misfit."""
    white = {law: fit(t, reward, law, sigma, noise="white") for law in laws}
    best = min(white.values(), key=lambda f: (f.aicc, f.sse))
    unit = np.ones_like(t) if sigma is None else sigma
    noise = errors.choose(best.residuals / unit, best.problem.count, gaps_of(t))
    if not noise.order:
        return white
    out = {}
    for law, found in white.items():
        problem = found.problem.with_noise(noise)
        out[law] = Fit(law, t, reward, sigma, problem, find(problem, [found.point.q]))
    return out


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf


def _unknown(level: float, reason: str, weights: dict[str, float], fits: dict[str, Fit]) -> Forecast:
    everything, ever = (-math.inf, math.inf), (0.0, math.inf)
    return Forecast(math.nan, everything, math.nan, ever, level, False, reason, weights, fits)


def _why(weights: dict[str, float], fits: dict[str, Fit], low: float, high: float, late: float, last: float) -> str:
    if math.isfinite(low) and math.isfinite(high) and math.isfinite(late):
        return ""
    best = max(weights, key=lambda law: weights[law])
    if best not in fits:
        return f"a {best} fits as well as any law with a plateau, up to the last t = {last:g}"
    return fits[best].reason or f"the laws that fit disagree on what comes after the last t = {last:g}"


def _weights(scores: dict[str, float]) -> dict[str, float]:
    finite = {law: score for law, score in scores.items() if math.isfinite(score)}
    if not finite:
        return {}
    best = min(finite.values())
    raw = {law: math.exp(-(score - best) / _TEMPER) for law, score in finite.items()}
    total = sum(raw.values())
    return {law: value / total for law, value in raw.items()}


def _opinion(found: Fit) -> tuple[Tails, Tails]:
    """Of one law on the plateau and on the logarithm of the rise time."""
    from scipy.special import stdtrit

    freedom = max(found.degrees_of_freedom, 1)
    reach = float(stdtrit(freedom, (1 + _PINNING) / 2))
    family = found.problem.family
    delay = _log_delay(found.law, found.parameters)
    if isinstance(family.high, str):
        centre = found.parameters[family.high]
        low, high = profile.interval(found, family.high, _PINNING)
        plateau = Tails(centre, (centre - low) / reach, (high - centre) / reach, freedom)
        rising = found.point.high > found.point.low
        open_end = math.isinf(high if rising else low)
    else:
        plateau, open_end = _bounded_plateau(found, freedom), False
    if found.law in _ONE:
        name = _ONE[found.law]
        low, high = profile.interval(found, name, _PINNING)
        rate = found.parameters[name]
        below = math.log(high / rate) / reach if math.isfinite(high) else math.inf
        above = math.log(rate / low) / reach if low > 0 else math.inf
        return plateau, Tails(delay, below, math.inf if open_end else above, freedom)
    if math.isinf(delay):
        return plateau, Tails(delay, 0.0, 0.0, freedom)
    width = _delta(found, lambda p: _log_delay(found.law, p))
    return plateau, Tails(delay, width, math.inf if open_end else width, freedom)


def _log_delay(law: str, p: dict[str, float]) -> float:
    """Logarithm of the rise time, infinite where it leaves the range of doubles."""
    try:
        return math.log(RISE_TIME[law](p))
    except (ArithmeticError, ValueError):
        return math.inf


def _bounded_plateau(found: Fit, freedom: float) -> Tails:
    """The mean-field laws' plateau: linearised in its logit, then brought back."""
    centre = mean_field_plateau(found.parameters)
    if centre >= 1 - 1e-12:
        return Tails(1.0, 0.0, 0.0, freedom)

    def logit(p: dict[str, float]) -> float:
        top = min(mean_field_plateau(p), 1 - 1e-12)
        return math.log(top / (1 - top))

    width = _delta(found, logit)
    if not math.isfinite(width):
        return Tails(centre, math.inf, math.inf, freedom)
    at = logit(found.parameters)
    low, high = (1 / (1 + math.exp(-max(min(at + side * width, 700.0), -700.0))) for side in (-1, 1))
    return Tails(centre, centre - low, high - centre, freedom)


def _delta(found: Fit, of: Callable[[dict[str, float]], float]) -> float:
    """Standard error of a function of the parameters, by central differences of a thousandth of a standard error."""
    names, errors = found.free, found.stderr
    if not all(math.isfinite(errors[name]) for name in names):
        return math.inf
    domains = {p.name: p for p in found.problem.family.law.parameters}
    gradient = np.zeros(len(names))
    for k, name in enumerate(names):
        value = found.parameters[name]
        step = min(1e-3 * errors[name], 1e-4 * abs(value) or 1e-6)
        if not step > 0:
            continue
        ends = [value + step, value - step if value - step > domains[name].low else value]
        gradient[k] = (of({**found.parameters, name: ends[0]}) - of({**found.parameters, name: ends[1]})) / (
            ends[0] - ends[1]
        )
    if not np.all(np.isfinite(gradient)):
        return math.inf
    variance = float(gradient @ found.covariance @ gradient)
    return math.sqrt(variance) if variance >= 0 and math.isfinite(variance) else math.inf


def _quantile(opinions: list[tuple[float, Tails]], share: float) -> float:
    """Where the weighted tail areas reach a share; infinite where they never do."""
    total = sum(weight for weight, _ in opinions)

    def below(x: float) -> float:
        return sum(weight * tails.cdf(x) for weight, tails in opinions) / total - share

    finite = [tails.centre for _, tails in opinions if math.isfinite(tails.centre)]
    if not finite:
        return math.inf if opinions[0][1].centre > 0 else -math.inf
    widths = [w for _, tails in opinions for w in (tails.below, tails.above) if math.isfinite(w)]
    scale = max([max(finite) - min(finite), *widths, 1e-12 * max(map(abs, finite)), 1e-300])
    low, high = min(finite) - scale, max(finite) + scale
    for _ in range(60):
        if below(low) <= 0:
            break
        low -= 2 * (high - low)
    else:
        return -math.inf
    for _ in range(60):
        if below(high) >= 0:
            break
        high += 2 * (high - low)
    else:
        return math.inf
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if below(middle) < 0 else (low, middle)
    return (low + high) / 2
