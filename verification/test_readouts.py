"""Sections 4.4 and 5.1-5.5: what the fit and the four diagnostics can tell, apart from any run."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import norm

from reference.bandit import SoftmaxBandit
from reference.group import collapsed_fraction, expected_std
from spec.readouts import CLAIMS as READOUTS
from verification.evidence import kill, within

Floats = NDArray[np.float64]
FLOOR = 0.91
CLAIMS = {claim.id: claim for claim in READOUTS}


def law(parameters: Floats, t: Floats) -> Floats:
    """The critically damped law; parameters start, plateau, log of the frequency."""
    start, plateau, log_omega = parameters
    x = np.exp(log_omega) * t
    out: Floats = plateau - (plateau - start) * (1.0 + x) * np.exp(-x)
    return out


def best_r2(t: Floats, y: Floats, starts: tuple[float, ...] = (2.0, 4.0, 9.0, 25.0)) -> float:
    """R^2 of the best of several least-squares fits; a lower bound of the optimum's."""

    def residual(q: Floats) -> Floats:
        out: Floats = law(q, t) - y
        return out

    costs = [least_squares(residual, [y[0], y[-1], np.log(w)], max_nfev=300).cost for w in starts]
    return float(1.0 - 2.0 * min(costs) / np.sum((y - y.mean()) ** 2))


def exponential(horizon: float) -> Callable[[Floats], Floats]:
    """A single exponential over so many relaxation times."""

    def curve(t: Floats) -> Floats:
        out: Floats = 1.0 - np.exp(-horizon * t)
        return out

    return curve


def identity(t: Floats) -> Floats:
    return t


def root(t: Floats) -> Floats:
    out: Floats = np.sqrt(t)
    return out


def early_dip(t: Floats) -> Floats:
    out: Floats = np.abs(t - 0.4)
    return out


CURVES: dict[str, Callable[[Floats], Floats]] = {
    "line": identity,
    "square root": root,
    **{f"exponential over {k}": exponential(k) for k in (1, 2, 3, 5, 10, 20)},
}


@pytest.mark.claim("sec-4.4", step="least-squares", kind="property")
@pytest.mark.parametrize("name", CURVES)
def test_curves_without_slow_start_fit_well(name: str) -> None:
    t = np.linspace(0.0, 1.0, 201)

    def check(curve: Callable[[Floats], Floats]) -> None:
        # no error bound is needed: any parameters found give a lower bound of the optimal R^2
        within(1.0 - best_r2(t, curve(t)), 1.0 - FLOOR, "1 - R^2")

    check(CURVES[name])
    kill("early-dip", lambda: check(early_dip))


@pytest.mark.claim("sec-4.4", step="least-squares", kind="property")
def test_the_exponential_alone_exceeds_98_percent() -> None:
    t = np.linspace(0.0, 1.0, 201)
    worst = min(best_r2(t, CURVES[name](t)) for name in CURVES if name.startswith("exponential"))
    within(1.0 - worst, 0.011, "1 - R^2")  # the largest of the six stated in the finding, 0.0109 at k = 20
    kill("early-dip", lambda: within(1.0 - best_r2(t, early_dip(t)), 0.011))


@pytest.mark.claim("sec-5.1-sparse-logging", step="critical-law", kind="statistical", alpha=1e-3, power=0.99)
def test_fewer_points_do_not_fit_worse() -> None:
    rng = np.random.default_rng(20260630)
    runs = 120

    def scores(points: int, noise: float) -> Floats:
        t = np.linspace(0.0, 1.0, points)
        clean = law(np.array([0.3, 0.8, np.log(5.0)]), t)
        return np.array([best_r2(t, clean + noise * rng.standard_normal(points), (5.0,)) for _ in range(runs)])

    def check(noise_at_37: float) -> None:
        few, many = scores(37, noise_at_37), scores(149, 0.12)
        spread = sqrt(few.var(ddof=1) / runs + many.var(ddof=1) / runs)
        # the paper's reading is that the mean R^2 at 37 points is lower by about 0.3, the drop from 0.92 to 0.62;
        # one-sided z test of a drop of at least 0.1: alpha = 1e-3, and the power against no drop follows from spread
        z = (few.mean() - many.mean() + 0.1) / spread
        assert norm.sf(0.1 / spread - norm.isf(1e-3)) < 0.01, "power below 0.99"
        assert z > norm.isf(1e-3), f"z = {z:.2f}"

    check(0.12)
    kill("noisier", lambda: check(0.24))


def mean_variance(p: Fraction, size: int, ddof: int) -> Fraction:
    """Mean over groups of the variance of `size` Bernoulli(p) rewards, by enumeration."""
    return sum(
        (
            comb(size, m) * p**m * (1 - p) ** (size - m) * Fraction(m * (size - m), size * (size - ddof))
            for m in range(size + 1)
        ),
        Fraction(0),
    )


@pytest.mark.claim("fig-3", step="groups", kind="exact")
@given(p=st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=50))
def test_curves_divided_by_the_group_size_stand_four_to_one(p: Fraction) -> None:
    def ratio(ddof: int) -> Fraction:
        return (mean_variance(p, 4, ddof) / 4) / (mean_variance(p, 16, ddof) / 16)

    def check(ddof: int) -> None:
        assert ratio(ddof) == 4

    check(1)
    assert ratio(0) == Fraction(16, 5)
    kill("ddof-0-ratio", lambda: check(0))


def mean_deviation(size: int) -> float:
    """Mean over groups of the standard deviation (ddof 1) of rewards at p = 1/2, by enumeration."""
    terms = (comb(size, m) * sqrt(m * (size - m) / (size * (size - 1))) for m in range(size + 1))
    return float(sum(terms)) / 2.0**size


@pytest.mark.claim("fig-3", step="groups", kind="property")
def test_squared_mean_deviations_stand_three_and_a_half_to_one() -> None:
    ratio = (mean_deviation(4) ** 2 / 4) / (mean_deviation(16) ** 2 / 16)
    within(ratio - 3.49, 0.005, "ratio")  # half a unit of the last digit quoted
    assert "3.49" in CLAIMS["fig-3"].because


@pytest.mark.claim("abstract-residual-spread", step="reference", kind="property")
@pytest.mark.parametrize("size", [4, 16])
def test_mean_spread_is_that_of_the_reference(size: int) -> None:
    exact = mean_deviation(size)
    assert f"{exact:.3f} at G = {size}" in CLAIMS["abstract-residual-spread"].because

    def check(ddof: int) -> None:
        # both routes add at most 17 positive terms: each within (17 + 5) units of rounding, in relative terms
        within(float(expected_std(0.5, size, ddof)) / exact - 1.0, 2 * 22 * np.finfo(float).eps, "relative gap")

    check(1)
    kill("ddof-0", lambda: check(0))


@pytest.mark.claim("sec-5.3-collapsed-fraction", step="reference", kind="property")
@given(p=st.floats(0.01, 0.99), size=st.integers(2, 64))
def test_collapsed_fraction_is_that_of_the_reference(p: float, size: int) -> None:
    value = float(collapsed_fraction(p, size))
    # 1 - p carries a relative error of eps/(1-p), which the power multiplies by the size; p**size likewise
    bound = 8 * size * np.finfo(float).eps / min(p, 1 - p)
    within(value / (p**size + (1 - p) ** size) - 1.0, bound, "relative gap")


@pytest.mark.claim("sec-5.3-collapsed-fraction", step="reference", kind="property")
def test_both_ends_collapse() -> None:
    value = float(collapsed_fraction(0.5, 4))

    def check(formula: float) -> None:
        within(value - formula, 4 * np.finfo(float).eps, "gap")

    check(0.5**4 + 0.5**4)
    kill("one-sided", lambda: check(0.5**4))


@pytest.mark.claim("sec-5.4-entropy-certifies", step="bandit", kind="property")
def test_equal_mean_entropy_and_kl_but_another_drift() -> None:
    rewards = np.array([0.0, 0.5, 1.0])
    bandit = SoftmaxBandit(rewards, 0.005)

    def drift(policy: Floats) -> float:
        # dp/dt = sum_i pi_i (r_i - p) dJ/dtheta_i
        return float(np.sum(policy * (rewards - policy @ rewards) * bandit.gradient(np.log(policy))))

    def check(first: Floats, second: Floats) -> None:
        for each in (first, second):
            within(each @ rewards - 7 / 12, 4 * np.finfo(float).eps, "mean")
        assert sorted(first) == sorted(second)
        # entropy and KL to the uniform reference are symmetric functions; the drifts differ by a factor of 2.04
        assert abs(drift(second) / drift(first) - 1.0) > 0.5

    one, two = np.array([1.0, 3.0, 2.0]) / 6, np.array([2.0, 1.0, 3.0]) / 6
    check(one, two)
    within(drift(two) / drift(one) - 2.045, 0.05, "ratio")  # beta = 0.005 moves 2.0449 by terms of its own order
    kill("one-policy", lambda: check(one, one))


@cache
def logged_maximum(noise: float, sequences: int = 16, tokens: int = 200, steps: int = 2000) -> float:
    """Mean over steps of the largest ratio of trainer to engine probability of a sequence, ratios above 3 masked."""
    rng = np.random.default_rng(5)
    # the sum of independent normal token noises is normal
    ratios = np.exp(noise * tokens**0.5 * rng.standard_normal((steps, sequences)))
    return float(np.mean(np.max(np.where(ratios > 3.0, 0.0, ratios), axis=1)))


@pytest.mark.claim("sec-5.5-lag-present", step="logged-maximum", kind="property")
@pytest.mark.parametrize("noise", [0.05, 0.06, 0.08, 0.1])
def test_engine_mismatch_alone_fills_the_band(noise: float) -> None:
    def check(size: float) -> None:
        # no tolerance: the interval is the statement
        assert 2.3 < logged_maximum(size) < 2.5

    check(noise)
    kill("exact-engine", lambda: check(0.0))
