"""Yardsticks: R^2, and what a straight line and a spline reach on the same record."""

from __future__ import annotations

import numpy as np

from reference.domain import Floats


def r2(reward: Floats, residuals: Floats, sigma: Floats | None) -> float:
    """1 - residual over total (weighted) sum of squares; nan where the rewards do not vary."""
    mass = np.ones_like(reward) if sigma is None else 1 / np.square(sigma)
    middle = float(mass @ reward / mass.sum())
    total = float(mass @ np.square(reward - middle))
    if not total > 1e-28 * float(mass @ np.square(reward)):
        return float("nan")
    return 1 - float(mass @ np.square(residuals)) / total


def regress(design: Floats, reward: Floats, sigma: Floats | None) -> Floats:
    """Residuals of a (weighted) linear regression, shape (n,)."""
    weight = np.ones_like(reward) if sigma is None else 1 / sigma
    coefficients = np.linalg.lstsq(design * weight[:, None], reward * weight, rcond=None)[0]
    return reward - design @ coefficients


def spline_design(t: Floats, coefficients: int) -> Floats:
    """Truncated-power basis of a cubic spline, knots at quantiles of t, shape (n, coefficients)."""
    x = (t - t[0]) / (t[-1] - t[0])
    knots = np.quantile(x, np.arange(1, coefficients - 3) / (coefficients - 3))
    columns = [x**k for k in range(4)] + [np.maximum(x - knot, 0.0) ** 3 for knot in knots]
    return np.stack(columns, axis=1)


def yardsticks(t: Floats, reward: Floats, sigma: Floats | None, parameters: int) -> dict[str, float]:
    """R^2 of a straight line and of a cubic spline with max(4, parameters) coefficients."""
    designs = {"line": np.stack([np.ones_like(t), t], axis=1), "spline": spline_design(t, max(4, parameters))}
    return {name: r2(reward, regress(design, reward, sigma), sigma) for name, design in designs.items()}
