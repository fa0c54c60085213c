"""The numbers of reference.group and its siblings against 50-digit sums, enumeration, sampling, limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import counts, expansion, group
from reference.prompts import BetaPrompts

pytestmark = pytest.mark.infrastructure

UNIT = 2.0**-53
probabilities = st.floats(1e-12, 1.0 - 1e-12)
sizes = st.integers(2, 60)
ddofs = st.sampled_from([0, 1])


def digits(value: Callable[[Any, Any], Any], p: float, size: int) -> Any:
    """Sum value(successes, size) over Binomial(size, p) at 50 digits."""
    mpmath.mp.dps = 50
    exact = mpmath.mpf(p)
    return mpmath.fsum(
        mpmath.binomial(size, k) * exact**k * (1 - exact) ** (size - k) * value(mpmath.mpf(k), mpmath.mpf(size))
        for k in range(size + 1)
    )


def std(k: Any, size: Any, ddof: int = 0) -> Any:
    return mpmath.sqrt(k * (size - k) / (size * (size - ddof)))


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("p", [1e-9, 0.03, 0.3, 0.5, 0.875, 1.0 - 2.0**-20])
@pytest.mark.parametrize("size", [2, 3, 4, 16, 255, 514, 515, 700])
def test_closed_forms_agree_with_sums_at_fifty_digits(size: int, p: float, ddof: int) -> None:
    # 4 (trials + 2) u of the Horner rule, or 4 w u of the window, each with w <= size + 1; p enters twice
    # more
    bound = (4 * size + 20) * UNIT
    mean = digits(lambda k, n: std(k, n, ddof), p, size)
    assert abs(group.expected_std(p, size, ddof) / mean - 1) < bound
    signal = digits(lambda k, n: std(k, n) ** 2 / std(k, n, ddof) if 0 < k < n else 0, p, size)
    sigma = mpmath.sqrt(mpmath.mpf(p) * (1 - mpmath.mpf(p)))
    assert abs(group.drift_ratio(p, size, ddof) / (signal / sigma) - 1) < bound
    assert abs(group.drift_factor(p, size, ddof) / (signal / sigma**2) - 1) < bound


@pytest.mark.parametrize("epsilon", [1e-4, 0.3])
def test_drift_factor_with_epsilon(epsilon: float) -> None:
    for size, p, ddof in itertools.product((2, 5, 600), (0.02, 0.5, 0.9), (0, 1)):

        def ratio(k: Any, n: Any, ddof: int = ddof) -> Any:
            return std(k, n) ** 2 / (std(k, n, ddof) + epsilon)

        signal = digits(ratio, p, size)
        exact = signal / (mpmath.mpf(p) * (1 - mpmath.mpf(p)))
        assert abs(group.drift_factor(p, size, ddof, epsilon) / exact - 1) < (4 * size + 20) * UNIT


@pytest.mark.parametrize("size", [2, 3, 4, 9, 513, 600])
@pytest.mark.parametrize("p", [0.02, 0.4, 0.5, 0.8])
def test_drift_factor_slope_is_the_derivative(size: int, p: float) -> None:
    for ddof, epsilon in ((0, 0.0), (1, 0.05)):
        mpmath.mp.dps = 50

        def factor(x: Any, ddof: int = ddof, epsilon: float = epsilon) -> Any:
            terms = (
                mpmath.binomial(size, k)
                * x ** (k - 1)
                * (1 - x) ** (size - k - 1)
                * std(mpmath.mpf(k), mpmath.mpf(size)) ** 2
                / (std(mpmath.mpf(k), mpmath.mpf(size), ddof) + epsilon)
                for k in range(1, size)
            )
            return mpmath.fsum(terms)

        exact = mpmath.diff(factor, mpmath.mpf(p))
        # signed terms: their absolute sum is at most size times the factor's own scale
        bound = (4 * size + 20) * UNIT * size * float(group.drift_factor(p, size, ddof, epsilon))
        assert abs(group.drift_factor_slope(p, size, ddof, epsilon) - exact) <= bound


def test_every_ordered_group_of_small_sizes() -> None:
    """Enumerate the 2**size ordered groups: an independent route to the quantities."""
    for size, p in itertools.product((2, 3, 5), (Fraction(1, 8), Fraction(1, 2), Fraction(2, 3))):
        mean = square = collapsed = 0.0
        for outcome in itertools.product((0, 1), repeat=size):
            k = sum(outcome)
            chance = float(p**k * (1 - p) ** (size - k))
            spread = float(np.std(outcome))
            mean += chance * spread
            square += chance * spread**2
            collapsed += chance * (len(set(outcome)) == 1)
        bound = 2**size * 10 * UNIT  # rounding of the plain sum
        assert abs(group.expected_std(float(p), size) - mean) < bound
        assert abs(group.noise_variance(float(p), size) - size * (square - mean**2)) < size * bound
        assert abs(group.collapsed_fraction(float(p), size) - collapsed) < bound


def test_the_numbers_that_the_report_quotes() -> None:
    """E[std_4] at 1/2 is (sqrt 3 + 3/2)/8: exactly known, so the ratio is (sqrt 3 + 3/2)/4."""
    exact = (math.sqrt(3.0) + 1.5) / 4.0
    assert group.drift_ratio(0.5, 4) == pytest.approx(exact, rel=40 * UNIT)
    assert group.drift_ratio(0.5, 4, 1) == pytest.approx(exact * math.sqrt(0.75), rel=40 * UNIT)
    assert group.drift_ratio(0.5, 2) == 0.5
    assert group.drift_ratio(0.5, 2) / group.drift_ratio(0.5, 16) == pytest.approx(0.5170, abs=5e-5)
    assert group.drift_ratio(0.5, 2, 1) / group.drift_ratio(0.5, 16, 1) == pytest.approx(0.3776, abs=5e-5)


@given(probabilities, sizes, ddofs)
def test_drift_ratio_rises_with_the_size_and_stays_below_one(p: float, size: int, ddof: int) -> None:
    """Jensen on the reversed martingale phat: E sqrt(phat (1-phat)) rises with the size to sigma."""
    slack = 1.0 + 8 * size * UNIT + 1e-13
    here, following = group.drift_ratio(p, size, ddof), group.drift_ratio(p, size + 1, ddof)
    assert 0.0 < here <= following * slack
    assert following < 1.0


@given(probabilities, sizes)
def test_relations_between_the_two_stds(p: float, size: int) -> None:
    bessel = math.sqrt(size / (size - 1))
    close = 16 * UNIT
    assert group.expected_std(p, size, 1) == pytest.approx(group.expected_std(p, size) * bessel, rel=close)
    assert group.drift_ratio(p, size, 1) == pytest.approx(group.drift_ratio(p, size) / bessel, rel=64 * size * UNIT)
    assert group.noise_variance(p, size, 1) == pytest.approx(
        group.noise_variance(p, size) / bessel**2, rel=close, abs=5e-324
    )


@given(st.integers(1, 2**20 - 1), sizes, ddofs)
def test_symmetry(numerator: int, size: int, ddof: int) -> None:
    p = numerator / 2**20  # 1 - p is then exact
    for quantity in (group.drift_factor, group.expected_std, group.drift_ratio, group.noise_variance):
        there, back = quantity(p, size, ddof), quantity(1.0 - p, size, ddof)
        assert there == pytest.approx(back, rel=1e-12, abs=1e-18)
    assert group.drift_factor_slope(p, size, ddof) == pytest.approx(
        -group.drift_factor_slope(1.0 - p, size, ddof), rel=1e-12, abs=1e-12
    )


@given(sizes, ddofs)
def test_drift_factor_is_convex_and_bounded(size: int, ddof: int) -> None:
    p = np.linspace(0.0, 1.0, 65)
    factor = group.drift_factor(p, size, ddof)
    top = math.sqrt(size - 1) * math.sqrt((size - ddof) / size)
    slack = (4 * size + 20) * UNIT * top
    assert factor[0] == pytest.approx(top, rel=16 * UNIT)
    assert factor[-1] == pytest.approx(top, rel=16 * UNIT)
    assert np.all(np.diff(factor, 2) >= -4 * slack)
    assert np.all(factor >= factor[32] - slack)


def test_at_sizes_two_and_three_the_sampling_policy_has_no_influence() -> None:
    p = np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(group.drift_factor(p, 3), math.sqrt(2.0), rtol=16 * UNIT)
    assert np.all(group.drift_factor_slope(p, 3) == 0.0)
    np.testing.assert_allclose(group.drift_factor(p, 2), 1.0, rtol=8 * UNIT)
    np.testing.assert_allclose(group.drift_factor(p, 2, 1), math.sqrt(0.5), rtol=8 * UNIT)
    assert np.all(group.drift_factor_slope(p, 2) == 0.0)


def test_the_slope_keeps_the_shape_and_its_defaults() -> None:
    p = np.array([[0.2, 0.7]])
    for size in (2, 3, 4):
        slope = group.drift_factor_slope(p, size)
        assert slope.shape == p.shape
        assert slope.dtype == np.float64
        assert np.array_equal(slope, group.drift_factor_slope(p, size, 0, 0.0))


def test_a_vanishing_fraction_is_no_floating_point_error() -> None:
    with np.errstate(all="raise"):
        assert group.collapsed_fraction(0.01, 10**5) == 0.0  # 0.99^100000 = exp(-1005), below the least double


def test_ends_are_the_documented_limits() -> None:
    for p in (0.0, 1.0):
        for size in (2, 16, 100_000):
            assert group.expected_std(p, size) == 0.0
            assert group.drift_ratio(p, size) == 0.0
            assert group.noise_variance(p, size) == 0.0
            assert group.collapsed_fraction(p, size) == 1.0
    tiny = 1e-300  # ratio -> sqrt((size-1) p)
    assert group.drift_ratio(tiny, 100_000) == pytest.approx(math.sqrt(99_999 * tiny), rel=1e-12)


@pytest.mark.parametrize("size", [3, 512, 513, 100_000])
@pytest.mark.parametrize("p", [1e-7, 0.01, 0.37, 0.5])
def test_noise_and_mean_obey_the_exact_second_moment(p: float, size: int) -> None:
    """G Var + G E[std]^2 = (G-1) p (1-p): sums taken in different ways meet, also at size 1e5."""
    total = group.noise_variance(p, size) + size * group.expected_std(p, size) ** 2
    assert total == pytest.approx((size - 1) * p * (1.0 - p), rel=1e-11)  # 4 w u with w <= 1.3e4


@pytest.mark.parametrize("p", [0.05, 0.31, 0.5])
def test_unnormalised_noise_is_a_polynomial(p: float) -> None:
    s = Fraction(p) * (1 - Fraction(p))
    for size in (2, 3, 17, 900):
        # Var[phat (1-phat)] from the third and fourth cumulants: (G-1)/G^2 s [(1-4s) (G-1)/G + 2 s/G]
        exact = Fraction(size - 1, size**2) * s * ((1 - 4 * s) * Fraction(size - 1, size) + 2 * s / size)
        got = group.noise_variance(p, size, normalised=False)
        assert got == pytest.approx(float(size * exact), rel=1e-11)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
def test_noise_variance_tends_to_a_quarter_of_the_population_covariance(p: float) -> None:
    limit = group.population_noise_variance(p) / 4.0
    assert limit == pytest.approx(0.25 - p * (1.0 - p), abs=4 * UNIT)
    # the next term is (3 - 8s)/(32 s G); twice that bounds the rest at this size
    s = p * (1.0 - p)
    assert abs(group.noise_variance(p, 100_000) - limit) < 2.0 * (3.0 - 8.0 * s) / (32.0 * s * 1e5)
    plain = group.population_noise_variance(p, normalised=False)
    assert group.noise_variance(p, 100_000, normalised=False) == pytest.approx(plain, abs=2e-5)


@pytest.mark.parametrize("p", [0.5, 0.2])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_drift_expansion_has_the_stated_order(p: float, order: int) -> None:
    for ddof in (0, 1):
        errors = [
            abs(group.drift_ratio(p, size, ddof) - expansion.drift_ratio_expansion(p, size, ddof, order))
            for size in (100, 200, 400)
        ]
        # the error is c G^-(order+1) (1 + c'/(s G)): at these sizes the observed order is within 0.15
        for coarse, fine in itertools.pairwise(errors):
            assert math.log2(coarse / fine) == pytest.approx(order + 1, abs=0.15)


@pytest.mark.parametrize("p", [0.5, 0.2])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_noise_expansion_has_the_stated_order(p: float, order: int) -> None:
    errors = [
        abs(group.noise_variance(p, size) - expansion.noise_variance_expansion(p, size, order))
        for size in (100, 200, 400)
    ]
    for coarse, fine in itertools.pairwise(errors):
        assert math.log2(coarse / fine) == pytest.approx(order + 1, abs=0.2)


def test_at_one_half_the_variance_itself_falls_like_the_square() -> None:
    assert expansion.noise_variance_expansion(0.5, 64, 1) == 1.0 / (8.0 * 64.0)
    assert group.noise_variance(0.5, 50_000) * 8.0 * 50_000 == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("p", "tolerance", "ddof"), [(0.5, 0.1, 0), (0.5, 0.1, 1), (0.125, 0.1, 1), (0.9, 0.02, 0)])
def test_size_for_drift_is_the_smallest(p: float, tolerance: float, ddof: int) -> None:
    size = int(expansion.size_for_drift(p, tolerance, ddof))
    assert 1.0 - group.drift_ratio(p, size, ddof) <= tolerance
    assert size == 2 or 1.0 - group.drift_ratio(p, size - 1, ddof) > tolerance


@given(st.floats(0.2, 50.0), st.floats(0.2, 50.0), st.integers(2, 40))
@settings(max_examples=40)
def test_beta_prompts_are_averages_over_prompts(alpha: float, beta: float, size: int) -> None:
    from scipy.special import roots_jacobi

    prompts = BetaPrompts(alpha, beta)
    nodes, weights = roots_jacobi(size + 4, beta - 1.0, alpha - 1.0)  # exact: integrands of degree <= 2 size
    p, weights = (1.0 + nodes) / 2.0, weights / weights.sum()
    assert prompts.mean == pytest.approx(float(weights @ p), rel=1e-10)
    for ddof in (0, 1):
        mean = float(weights @ group.expected_std(p, size, ddof))
        assert prompts.expected_std(size, ddof) == pytest.approx(mean, rel=1e-10)
        shrink = (size - ddof) / size
        ratio = prompts.expected_std(size) * math.sqrt(shrink) / prompts.population_std()
        assert prompts.drift_ratio(size, ddof) == pytest.approx(ratio, rel=1e-13)
        between, within = prompts.step_variance(size, 3, ddof)
        noise = float(weights @ group.noise_variance(p, size, ddof)) / size / 3
        assert within == pytest.approx(noise, rel=1e-8, abs=1e-12)
        drift = group.expected_std(p, size) * math.sqrt(shrink)
        spread = float(weights @ drift**2 - (weights @ drift) ** 2) / 3
        assert between == pytest.approx(spread, rel=1e-8, abs=1e-12)
    collapsed = float(weights @ group.collapsed_fraction(p, size))
    assert prompts.collapsed_fraction(size) == pytest.approx(collapsed, rel=1e-10)


def test_beta_prompts_in_known_cases() -> None:
    uniform = BetaPrompts(1.0, 1.0)  # successes are then uniform on 0..size
    assert uniform.expected_std(3) == pytest.approx(2.0 * math.sqrt(2.0) / 3.0 / 4.0, rel=1e-14)
    assert uniform.collapsed_fraction(9) == pytest.approx(2.0 / 10.0, rel=1e-13)
    assert uniform.population_std() == pytest.approx(math.pi / 8.0, rel=1e-14)
    # the delta method: 1 - E[1/(8 sigma)]/(E[sigma] G) = 1 - 1/G here
    assert uniform.drift_ratio(100_000) == pytest.approx(1.0 - 1e-5, abs=1e-7)
    narrow = BetaPrompts(3e5, 7e5)  # nearly all prompts at p = 0.3: corrections are of order 1/1e6
    assert narrow.expected_std(8) == pytest.approx(float(group.expected_std(0.3, 8)), rel=1e-5)


@pytest.mark.parametrize(
    ("alpha", "beta"), [(1.0, 1100.0), (1e-6, 1e6), (1e6, 1e-6), (1e-6, 1e-6), (3e5, 7e5), (0.5, 2.0)]
)
@pytest.mark.parametrize("size", [2, 16])
def test_step_variance_over_the_whole_domain(alpha: float, beta: float, size: int) -> None:
    with mpmath.workdps(60):  # the drift is a polynomial, and each moment of a Beta law a ratio of Beta functions
        a, b = mpmath.mpf(alpha), mpmath.mpf(beta)
        c = [mpmath.binomial(size, k) * mpmath.sqrt(k * (size - k)) / size for k in range(size + 1)]
        whole = mpmath.beta(a, b)
        mean = sum(x * mpmath.beta(a + k, b + size - k) for k, x in enumerate(c)) / whole
        by_degree = [
            sum(c[k] * c[j - k] for k in range(max(0, j - size), min(j, size) + 1)) for j in range(2 * size + 1)
        ]
        square = sum(x * mpmath.beta(a + j, b + 2 * size - j) for j, x in enumerate(by_degree)) / whole
        second = mpmath.mpf(size - 1) / size * mpmath.beta(a + 1, b + 1) / whole
        expected = float(square - mean**2), float(second - square)
    # eigenvalues err by size * eps of the largest; E[drift^2] is up to 100 times what is left within a group of 16
    assert BetaPrompts(alpha, beta).step_variance(size) == pytest.approx(expected, rel=1e-10)


def test_more_sequences_a_group_leave_a_floor_that_only_prompts_remove() -> None:
    prompts = BetaPrompts(2.0, 3.0)
    small, large = prompts.step_variance(16), prompts.step_variance(400)
    assert large[1] < small[1] / 10.0
    floor = 2.0 * 3.0 / (5.0 * 6.0) - prompts.population_std() ** 2  # Var_q[sigma]
    assert large[0] == pytest.approx(floor, rel=0.01)
    assert prompts.step_variance(16, 4)[0] == pytest.approx(small[0] / 4.0, rel=1e-14)


def test_sampled_groups_agree_at_alpha_one_in_a_million() -> None:
    """Mean and variance of sampled groups, two tests at alpha = 1e-6 each.

    The z of the mean is off by 0.1 E sqrt(m)/sd > 60 for a drift that is 10% wrong, the variance's by 3
    sqrt(m)/2.4 > 200 for a factor of 4: the power against either is 1 to more than 12 digits.
    """
    generator = np.random.default_rng(20240501)
    z = 4.892  # two-sided 1e-6
    for p, size in ((0.2, 4), (0.5, 16), (0.9, 64)):
        draws = 200_000
        phat = generator.binomial(size, p, draws) / size
        estimate = np.sqrt(phat * (1.0 - phat))
        mean, variance = float(estimate.mean()), float(estimate.var())
        assert abs(mean - group.expected_std(p, size)) < z * math.sqrt(variance / draws)
        fourth = float(((estimate - mean) ** 4).mean())
        error = z * math.sqrt((fourth - variance**2) / draws)
        assert abs(variance - group.noise_variance(p, size) / size) < error


def test_binomial_weights_are_a_distribution_with_the_right_moments() -> None:
    for p, trials in ((1e-12, 1000), (0.3, 1000), (0.999, 100_000), (0.5, 100_000)):
        k, weights = counts.binomial_weights(p, trials)
        assert weights.sum() == pytest.approx(1.0, abs=1e-13)
        assert float(weights @ k) == pytest.approx(trials * p, rel=1e-11)
        spread = float(weights @ (k - trials * p) ** 2)
        assert spread == pytest.approx(trials * p * (1.0 - p), rel=1e-10)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_certain_outcome_leaves_one_count(p: float) -> None:
    k, weights = counts.binomial_weights(p, 1000)
    assert (k.tolist(), weights.tolist()) == ([int(p) * 1000], [1.0])
    assert k.dtype == np.int64


@pytest.mark.parametrize(("p", "trials"), [(0.5, 7), (0.3, 600), (0.999, 600), (1e-12, 1000)])
def test_binomial_weights_at_fifty_digits(p: float, trials: int) -> None:
    k, weights = counts.binomial_weights(p, trials)
    with mpmath.workdps(50):
        exact = [
            float(mpmath.binomial(trials, i) * mpmath.mpf(p) ** i * (1 - mpmath.mpf(p)) ** (trials - i))
            for i in k.tolist()
        ]
    # 4 w u as documented, w <= 1000; what lies below 1e-290 may underflow on the way
    np.testing.assert_allclose(weights, exact, rtol=4 * 1000 * UNIT, atol=1e-290)


@pytest.mark.parametrize(
    ("p", "trials", "first", "last"),
    [
        # 40 sqrt(n p (1-p)) = 17320.5 and 40 sqrt(99) = 397.99, each rounded up, and 200 more, from the mode
        (0.25, 10**6, 250_000 - 17_521, 250_000 + 17_521),
        (0.01, 10_000, 0, 100 + 598),
        (0.99, 10_000, 9900 - 598, 10_000),
        (0.5, 7, 0, 7),
    ],
)
def test_the_window_of_counts_is_the_documented_one(p: float, trials: int, first: int, last: int) -> None:
    k, weights = counts.binomial_weights(p, trials)
    assert np.array_equal(k, np.arange(first, last + 1))
    assert weights.shape == k.shape


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (0.5, 2.5), (30.0, 0.25)])
@pytest.mark.parametrize("trials", [0, 1, 40])
def test_beta_binomial_weights_at_fifty_digits(alpha: float, beta: float, trials: int) -> None:
    k, weights = counts.beta_binomial_weights(alpha, beta, trials)
    assert k.tolist() == list(range(trials + 1))
    with mpmath.workdps(50):
        exact = [
            float(mpmath.binomial(trials, i) * mpmath.beta(i + alpha, trials - i + beta) / mpmath.beta(alpha, beta))
            for i in range(trials + 1)
        ]
    # 8 roundings a ratio and product, and the sum of all: under 16 u for every one of 41 counts
    np.testing.assert_allclose(weights, exact, rtol=16 * 41 * UNIT, atol=0)


@pytest.mark.parametrize(("alpha", "beta"), [(4000.0, 1000.0), (1000.0, 4000.0)])
def test_beta_binomial_weights_of_many_trials_start_at_the_mean(alpha: float, beta: float) -> None:
    """From either end of the range the products outgrow the doubles on the way to the mean."""
    trials, whole = 10_000, alpha + beta
    k, weights = counts.beta_binomial_weights(alpha, beta, trials)
    mean = trials * alpha / whole
    variance = trials * alpha * beta * (whole + trials) / (whole**2 * (whole + 1.0))
    # 8 roundings a ratio and product, and the sum of all
    assert float(weights @ k) == pytest.approx(mean, rel=16 * trials * UNIT)
    assert float(weights @ (k - mean) ** 2) == pytest.approx(variance, rel=16 * trials * UNIT)


@pytest.mark.parametrize("trials", [0, 5, 600])
def test_expected_counts_are_doubles_whatever_the_route(trials: int) -> None:
    p = np.array([[0.0, 0.2], [0.7, 1.0]])
    found = counts.expectation(lambda k: k.astype(np.float64), p, trials)
    assert found.dtype == np.float64
    assert found.shape == p.shape
    np.testing.assert_allclose(found, trials * p, rtol=4 * 1200 * UNIT, atol=0)  # 4 w u, w <= 1200


@pytest.mark.parametrize(("total", "parts"), [(0, 1), (0, 3), (3, 1), (4, 2), (5, 3), (3, 4)])
def test_compositions_are_all_ordered_sums(total: int, parts: int) -> None:
    found = list(counts.compositions(total, parts))
    assert found == [c for c in itertools.product(range(total + 1), repeat=parts) if sum(c) == total]


def test_broadcasting_and_scalars() -> None:
    p = np.array([[0.0, 0.1], [0.5, 1.0]])
    for size in (4, 600):
        for quantity in (
            group.expected_std,
            group.drift_ratio,
            group.collapsed_fraction,
            group.noise_variance,
        ):
            whole = quantity(p, size)
            assert whole.shape == p.shape
            assert whole[1, 0] == quantity(0.5, size)
            assert np.ndim(quantity(0.5, size)) == 0


BAD_P = [-0.1, 1.1, math.nan, math.inf, [0.5, math.nan]]
BAD_SIZE = [1, 0, -3, 2.5, math.nan]


@pytest.mark.parametrize(
    "function",
    [
        group.expected_std,
        group.drift_ratio,
        group.collapsed_fraction,
        group.noise_variance,
        group.drift_factor,
        group.drift_factor_slope,
        expansion.drift_ratio_expansion,
        expansion.noise_variance_expansion,
    ],
)
def test_bad_input_is_named(function: Callable[..., Any]) -> None:
    for p in BAD_P:
        with pytest.raises(ValueError, match=r"\bp\b"):
            function(p, 4)
    for size in BAD_SIZE:
        with pytest.raises(ValueError, match="size"):
            function(0.5, size)


def test_other_bad_input_is_named() -> None:
    bad: tuple[Any, ...] = (-1, 2, 0.5)
    for ddof in bad:
        for function in (group.expected_std, group.drift_ratio, group.drift_factor, group.noise_variance):
            with pytest.raises(ValueError, match="ddof"):
                function(0.5, 4, ddof)
    with pytest.raises(ValueError, match="epsilon"):
        group.drift_factor(0.5, 4, 0, -1e-4)
    with pytest.raises(ValueError, match="epsilon"):
        group.drift_factor_slope(0.5, 4, 0, math.nan)
    with pytest.raises(ValueError, match="order"):
        expansion.drift_ratio_expansion(0.5, 4, order=4)
    with pytest.raises(ValueError, match="order"):
        expansion.noise_variance_expansion(0.5, 4, order=3)
    for p in (0.0, 1.0):
        with pytest.raises(ValueError, match=r"\bp\b"):
            expansion.drift_ratio_expansion(p, 4)
    assert math.isclose(expansion.noise_variance_expansion(1e-160, 4), 3.0 / 128.0 * 1e160, rel_tol=1e-13)
    assert math.isclose(expansion.drift_ratio_expansion(1e-300, 4, order=1), -1e300 / 32.0, rel_tol=1e-13)
    assert expansion.drift_ratio_expansion(5e-324, 4, order=0) == 1.0
    for small, order in ((1e-300, 2), (5e-324, 1), (1e-120, 3)):  # (p G)**-order is beyond the doubles
        with pytest.raises(ValueError, match=r"\bp\b"):
            expansion.drift_ratio_expansion([0.5, small], 4, order=order)
    with pytest.raises(ValueError, match=r"\bp\b"):
        expansion.noise_variance_expansion(1e-160, 4, order=2)
    with pytest.raises(ValueError, match="tolerance"):
        expansion.size_for_drift(0.5, 0.0)
    with pytest.raises(ValueError, match=r"\bp\b"):
        group.population_noise_variance(1.5)
    with pytest.raises(ValueError, match="alpha"):
        BetaPrompts(0.0, 1.0)
    with pytest.raises(ValueError, match="beta"):
        BetaPrompts(1.0, math.nan)
    prompts = BetaPrompts(1.0, 1.0)
    with pytest.raises(ValueError, match="size"):
        prompts.expected_std(1)
    with pytest.raises(ValueError, match="size"):
        prompts.collapsed_fraction(1)
    with pytest.raises(ValueError, match="size"):
        prompts.step_variance(401)
    with pytest.raises(ValueError, match="prompts"):
        prompts.step_variance(4, 0)
    with pytest.raises(ValueError, match="ddof"):
        prompts.drift_ratio(4, 2)


@pytest.mark.parametrize("p", [1.0 - 2.0**-53, 1.0 - 2.0**-40, 0.875])
@pytest.mark.parametrize(("size", "ddof", "normalised"), [(2, 0, True), (16, 1, True), (513, 1, True), (513, 0, False)])
def test_noise_next_to_one_is_the_noise_next_to_zero(p: float, size: int, ddof: int, normalised: bool) -> None:
    # 1 - p is exact, and v is the same for successes and failures: the two are one sum
    assert group.noise_variance(p, size, ddof, normalised) == group.noise_variance(1.0 - p, size, ddof, normalised)


@pytest.mark.parametrize(("alpha", "beta"), [(1e6, 1e6), (1e6, 1.0), (12345.5, 3.25), (1e-6, 1e-6)])
def test_population_std_over_the_whole_domain(alpha: float, beta: float) -> None:
    with mpmath.workdps(50):
        exact = mpmath.beta(mpmath.mpf(alpha) + 0.5, mpmath.mpf(beta) + 0.5) / mpmath.beta(alpha, beta)
    assert BetaPrompts(alpha, beta).population_std() == pytest.approx(float(exact), rel=1e-11, abs=0)


def test_parameters_of_prompts_are_numbers_whatever_their_type() -> None:
    expected = BetaPrompts(100.0, 100.0).step_variance(4)
    # 100 + 100 wraps around in eight bits
    for kind in (np.int8, np.float32, Fraction):
        kinds: Any = kind(100)
        assert BetaPrompts(kinds, kinds).step_variance(4) == expected


def test_a_size_beyond_every_group_is_blamed_on_p() -> None:
    with pytest.raises(ValueError, match=r"^p = 1e-17, tolerance = 0\.0001; expected"):
        expansion.size_for_drift(1e-17, 1e-4)
