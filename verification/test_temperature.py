"""Lemma 6 against exact enumeration of groups, reference.group and reference.bandit."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from reference.bandit import SoftmaxBandit
from reference.drift import class_rate
from reference.group import noise_variance, population_noise_variance
from spec import symbols
from spec import temperature as spec
from verification.evidence import kill, within

EPS = float(np.finfo(float).eps)

noise = {size: sp.lambdify(symbols.p, spec.noise(size)) for size in range(2, 8)}
leading = sp.lambdify(symbols.p, spec.leading(symbols.p))


def squares(size: int, p: Fraction, unit: int, divided: bool = True) -> Counter[Fraction]:
    """The distribution of the squared estimate in the logit, over all 2^size groups of rewards 0 and `unit`.

    The estimate is (1/G) sum_i (r_i - mean) score_i, over the std where `divided`; its square is rational, and it is
    never negative.
    """
    found: Counter[Fraction] = Counter()
    for group in itertools.product((0, 1), repeat=size):
        mean = Fraction(unit * sum(group), size)
        total = sum(((unit * r - mean) * (r - p) for r in group), Fraction(0)) / size
        assert total >= 0
        variance = sum(((unit * r - mean) ** 2 for r in group), Fraction(0)) / size
        square = total**2 / variance if divided and variance else total**2
        found[square] += p ** sum(group) * (1 - p) ** (size - sum(group))  # type: ignore[assignment]
    return found


@pytest.mark.claim("lemma-6", step="groups-in-two-units", kind="exact")
@pytest.mark.parametrize("size", [2, 3, 4, 8])
@pytest.mark.parametrize("p", [Fraction(1, 5), Fraction(1, 2), Fraction(7, 8)])
def test_the_unit_of_the_reward(size: int, p: Fraction) -> None:
    # sigma_adv^2 = unit^2 p (1-p) differs by 4 between the two

    def check(divided: bool) -> None:
        assert squares(size, p, 1, divided) == squares(size, p, 2, divided)

    check(True)
    kill("not-divided", lambda: check(False))
    # without the division the squared estimate, hence D_0, does grow fourfold
    assert squares(size, p, 2, False) == Counter({4 * s: q for s, q in squares(size, p, 1, False).items()})


@pytest.mark.claim("new-estimated-spread-noise", step="reference-noise", kind="property")
@given(p=st.floats(0, 1), size=st.integers(2, 7))
def test_the_reference_variance(p: float, size: int) -> None:
    # the spec's form subtracts two numbers of at most G/4; each a sum of up to G terms with about 3 G roundings
    within(float(noise_variance(p, size)) - noise[size](p), 2 * 4 * size**2 * EPS, "G times the variance")


@pytest.mark.claim("new-estimated-spread-noise", step="reference-projection", kind="property")
@given(p=st.floats(0.05, 0.95), size=st.integers(2, 4), correct=st.integers(1, 2), wrong=st.integers(1, 2))
def test_along_p(p: float, size: int, correct: int, wrong: int) -> None:
    completions = correct + wrong
    bandit = SoftmaxBandit.binary(correct, completions, 1.0, p, size=size)
    _, covariance = bandit.moments(np.log(bandit.prior))
    direction = np.array([1 / correct] * correct + [-1 / wrong] * wrong)
    direction /= np.linalg.norm(direction)
    found = size * float(direction @ covariance @ direction)
    kappa = class_rate(correct, completions)
    # up to 35 groups of 4 completions, each weight with about 20 roundings, on estimates below 1; kappa <= 2
    within(found - kappa * noise[size](p), 35 * 40 * size * EPS, "variance along p")


@pytest.mark.claim("new-estimated-spread-noise", step="limit", kind="property")
@pytest.mark.parametrize("p", [0.1, 0.2, 0.35, 0.7])
def test_the_limit(p: float) -> None:
    # E[std]/sigma = 1 + a/G + b/G^2 + d/G^3 + ... from the binomial moments (Cramer 1946), so G Var is the limit plus
    # -s (a^2 + 2b)/G - 2 s (a b + d)/G^2 + ...
    s = p * (1 - p)
    a, b, d = -1 / (8 * s), -(7 - 16 * s) / (128 * s**2), -(75 - 288 * s + 128 * s**2) / (1024 * s**3)
    second_over_first = 2 * (a * b + d) / (a**2 + 2 * b)

    def check(limit: float) -> None:
        far, near = (float(noise_variance(p, size)) - limit for size in (2000, 20_000))
        # the ratio is 10 + 9 (c_2/c_1)/2000 + ...; the terms left out are at most as large again, as 1/(s G) < 1/100
        within(far / near - 10, 2 * 9 * second_over_first / 2000, "ratio of the distances")

    check(leading(p))
    kill("single-completion-limit", lambda: check(float(population_noise_variance(p))))


@pytest.mark.claim("new-quadratic-noise", step="all-sizes", kind="property")
@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 16, 31, 64, 256, 1000, 5000])
def test_the_noise_at_one_half(size: int) -> None:
    deviation = math.sqrt(float(noise_variance(0.5, size)) / size)

    def check(expected: float) -> None:
        # the neglected part is at most 4 (x - 1/2)^4; the eighth central moment of a mean of fair coins is at most the
        # Gaussian's, 105/(4G)^4, so its standard deviation is at most 4 sqrt(105)/(16 G^2) < 2.57/G^2
        within(size * deviation - expected, 2.57 / size, "G times the standard deviation")

    check(math.sqrt((size - 1) / (8 * size)))
    if size == 5000:
        kill("one-over-g", lambda: check(math.sqrt(size) / 2))


@pytest.mark.claim("new-quadratic-noise", step="coins", kind="exact")
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 16, 60])
def test_squared_deviation_of_fair_coins(size: int) -> None:
    values = [
        (Fraction(math.comb(size, j), 2**size), (Fraction(j, size) - Fraction(1, 2)) ** 2) for j in range(size + 1)
    ]
    mean = sum((q * v for q, v in values), Fraction(0))
    assert mean == Fraction(1, 4 * size)
    assert sum((q * (v - mean) ** 2 for q, v in values), Fraction(0)) == Fraction(size - 1, 8 * size**3)
