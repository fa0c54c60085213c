"""The result of a fit."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from reference import domain
from reference.domain import Floats
from reference.fitters import identify, profile, yardstick
from reference.fitters.noise import Noise
from reference.fitters.problem import Point, Problem


@dataclass(frozen=True)
class Fit:
    """A law fitted to a record. Everything but the parameters is computed when it is asked for.

    Attributes:
        law: its name.
        t, reward: the record.
        sigma: standard deviations of the errors up to one common factor, None for equal ones.
        noise: autocorrelation of the errors; order 0 is white.
        problem, point: the least-squares problem and its global minimum.
    """

    law: str
    t: Floats = field(repr=False)
    reward: Floats = field(repr=False)
    sigma: Floats | None = field(repr=False)
    problem: Problem = field(repr=False)
    point: Point = field(repr=False)

    @property
    def noise(self) -> Noise:
        """The errors' autoregression."""
        return self.problem.noise

    @property
    def points(self) -> int:
        """n."""
        return self.t.size

    @property
    def free(self) -> list[str]:
        """Names of the fitted parameters, in the order of the law."""
        pinned = {self.problem.family.shape.coordinates[k].name for k in self.problem.pinned}
        if self.problem.low is not None:
            pinned.add(str(self.problem.family.low))
        if self.problem.high is not None:
            pinned.add(str(self.problem.family.high))
        return [name for name in self.problem.family.names if name not in pinned]

    @cached_property
    def parameters(self) -> dict[str, float]:
        """The estimates, pinned ones included, in the order and units of the law."""
        return profile.parameters(self.problem, self.point)

    def predict(self, t: ArrayLike) -> Floats:
        """The fitted curve at times t >= 0, an array of the shape of t. Raises ValueError for other t."""
        return self.problem.family.law(t, *self.parameters.values())

    @cached_property
    def residuals(self) -> Floats:
        """reward - curve, shape (n,)."""
        s, _ = self.problem.progress(self.point.q)
        return self.problem.y - self.point.low - (self.point.high - self.point.low) * s

    @cached_property
    def innovations(self) -> Floats:
        """Weighted and whitened residuals, shape (n,): white if the model holds."""
        return self.problem.whiten(self.residuals)

    @property
    def sse(self) -> float:
        """Sum of squares of the innovations: the weighted residual sum of squares where the noise is white."""
        return self.point.sse

    @property
    def degrees_of_freedom(self) -> int:
        """Points minus fitted parameters of the curve and of the noise."""
        return self.points - self.problem.count - self.noise.order

    @cached_property
    def covariance(self) -> Floats:
        """Of the fitted parameters (`free`), linearised at the optimum; infinite without degrees of freedom."""
        return profile.covariance(self.problem, self.point, self.degrees_of_freedom)

    @cached_property
    def stderr(self) -> dict[str, float]:
        """Standard errors, 0 for pinned parameters."""
        errors = dict(zip(self.free, np.sqrt(np.diag(self.covariance)), strict=True))
        return {name: float(errors.get(name, 0.0)) for name in self.parameters}

    def interval(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Profile-likelihood intervals of the fitted parameters.

        Args:
            level: coverage, in (0, 1).

        Returns:
            For each fitted parameter the values at which the sum of squares, minimised over all others, exceeds
            its minimum by t^2 s^2, t Student's quantile; an end is the bound of the parameter's domain where the
            profile never gets there. The noise's coefficients are held at their estimates.

        Raises:
            ValueError: level outside (0, 1).

        Source: Bates and Watts 1988, section 6.1.
        """
        inside = domain.number("level", level, 0.0, 1.0, closed=False)
        return {name: profile.interval(self, name, inside) for name in self.free}

    @cached_property
    def r2(self) -> float:
        """1 - (weighted) residual over total sum of squares, of the rewards themselves; nan for constant rewards.

        On an autocorrelated curve it proves little: see `yardsticks`.
        """
        return yardstick.r2(self.reward, self.residuals, self.sigma)

    @cached_property
    def yardsticks(self) -> dict[str, float]:
        """R^2 of a straight line, and of a cubic spline with as many coefficients as the law (at least 4)."""
        return yardstick.yardsticks(self.t, self.reward, self.sigma, len(self.free))

    @cached_property
    def log_likelihood(self) -> float:
        """Gaussian and exact, at the estimated variance."""
        n = self.points
        scale = 0.0 if self.problem.weight is None else float(np.log(self.problem.weight).sum())
        mean = max(self.sse / n, 1e-300)
        return scale - (n * math.log(2 * math.pi * mean) + n + self.noise.log_determinant()) / 2

    @property
    def aicc(self) -> float:
        """Corrected Akaike criterion of the autoregressive likelihood: curve, noise coefficients and variance count.

        Source: Hurvich and Tsai 1989. Infinite where there are too few points for the correction.
        """
        k = self.problem.count + self.noise.order + 1
        rest = self.points - k - 1
        return -2 * self.log_likelihood + 2 * k * self.points / rest if rest > 0 else math.inf

    @cached_property
    def reason(self) -> str:
        """Why the record does not pin the parameters; empty where it does."""
        return identify.reason(self)

    @property
    def identified(self) -> bool:
        """Whether every fitted parameter has a finite 95 % profile interval and the curve beats a constant."""
        return not self.reason
