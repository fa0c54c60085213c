"""pass@k against enumeration, against the chance that it estimates, and at the edges of its domain."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirical.passk import mean_pass_at_k, pass_at_k

pytestmark = pytest.mark.infrastructure


def share_by_enumeration(samples: int, correct: int, k: int) -> Fraction:
    """The share of k-subsets that hold a correct completion, by listing all subsets."""
    subsets = list(combinations([True] * correct + [False] * (samples - correct), k))
    return Fraction(sum(any(subset) for subset in subsets), len(subsets))


@pytest.mark.parametrize("samples", range(1, 9))
def test_it_is_the_share_of_subsets_with_a_correct_one(samples: int) -> None:
    for correct in range(samples + 1):
        for k in range(1, samples + 1):
            assert pass_at_k(samples, correct, k) == share_by_enumeration(samples, correct, k)


@given(st.integers(1, 12), st.data(), st.fractions(0, 1, max_denominator=20))
def test_it_is_unbiased(samples: int, data: st.DataObject, p: Fraction) -> None:
    """Its mean over Binomial(n, p) counts is 1 - (1-p)^k, exactly."""
    k = data.draw(st.integers(1, samples))
    mean = sum(
        comb(samples, c) * p**c * (1 - p) ** (samples - c) * pass_at_k(samples, c, k) for c in range(samples + 1)
    )
    assert mean == 1 - (1 - p) ** k


def test_the_plug_in_estimate_is_not_unbiased() -> None:
    """What the estimator is for: 1 - (1 - c/n)^k falls short of pass@k."""
    n, k, p = 5, 5, Fraction(1, 2)
    plug_in = sum(comb(n, c) * p**c * (1 - p) ** (n - c) * (1 - (1 - Fraction(c, n)) ** k) for c in range(n + 1))
    assert plug_in < 1 - (1 - p) ** k


@given(st.integers(1, 60), st.data())
def test_no_correct_completion_scores_nothing(samples: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, samples))
    assert pass_at_k(samples, 0, k) == 0
    assert pass_at_k(samples, samples, k) == 1


@given(st.integers(1, 40), st.data())
def test_k_1_is_the_share_of_correct_ones_and_more_tries_never_hurt(samples: int, data: st.DataObject) -> None:
    correct = data.draw(st.integers(0, samples))
    assert pass_at_k(samples, correct, 1) == Fraction(correct, samples)
    scores = [pass_at_k(samples, correct, k) for k in range(1, samples + 1)]
    assert scores == sorted(scores)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((4, 0, 5), "samples = 4"), ((5, 6, 1), "correct = 6"), ((5, -1, 1), "correct = -1"), ((5, 1, 0), "k = 0")],
)
def test_outside_its_domain_it_says_so(arguments: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pass_at_k(*arguments)


def test_the_mean_is_over_problems() -> None:
    assert mean_pass_at_k([5, 10], [1, 10], 1) == Fraction(3, 5)
    with pytest.raises(ValueError, match="correct has 1 problems"):
        mean_pass_at_k([5, 5], [1], 1)
