"""pass@k: the chance that at least one of k completions of a problem is correct, estimated from n >= k of them."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb


def pass_at_k(samples: int, correct: int, k: int) -> Fraction:
    """The unbiased estimate 1 - C(n-c, k)/C(n, k) for one problem (Chen et al. 2021), exactly.

    It is the share of the k-subsets of the n completions that hold a correct one. No correct completion
    scores 0 for every n, also below 2k.

    Args:
        samples: n, the completions drawn.
        correct: c, how many of them are correct, 0 ... n.
        k: completions allowed, 1 ... n.

    Returns:
        A fraction in [0, 1], without unit.

    Raises:
        ValueError: an argument outside its domain. With n < k no unbiased estimate exists.
    """
    if k < 1:
        raise ValueError(f"k = {k}; expected an integer of at least 1")
    if samples < k:
        raise ValueError(f"samples = {samples}; expected at least k = {k}: draw more completions a problem")
    if not 0 <= correct <= samples:
        raise ValueError(f"correct = {correct}; expected an integer in [0, {samples}], the completions drawn")
    return 1 - Fraction(comb(samples - correct, k), comb(samples, k))


def mean_pass_at_k(samples: Sequence[int], correct: Sequence[int], k: int) -> Fraction:
    """The mean of `pass_at_k` over problems, exactly.

    Args:
        samples: completions of each problem.
        correct: correct ones among them, in the same order.
        k: completions allowed.

    Raises:
        ValueError: no problems, unequal lengths, or a problem outside the domain of `pass_at_k`.
    """
    if not samples or len(samples) != len(correct):
        raise ValueError(f"correct has {len(correct)} problems; expected as many as samples, {len(samples)} > 0")
    total = sum((pass_at_k(n, c, k) for n, c in zip(samples, correct, strict=True)), Fraction(0))
    return total / len(samples)
