"""Eq. 1 against exact enumeration of groups and against reference.advantage."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from reference.advantage import Advantage
from reference.group import collapsed_fraction
from spec import advantage as spec
from verification.evidence import kill, within

EPS = float(np.finfo(float).eps)

symbolic = {
    ddof: sp.lambdify(
        (spec.x_1, spec.x_2, spec.x_3, spec.epsilon),
        spec.advantages((spec.x_1, spec.x_2, spec.x_3), ddof, spec.epsilon),
    )
    for ddof in (0, 1)
}
binary = sp.lambdify((spec.k, spec.f), (spec.success, spec.failure))

# unequal rewards of a group of three; the distance keeps the rounding of the mean below 100 eps of the spread
rewards = st.tuples(*(st.floats(-3, 3) for _ in range(3))).filter(lambda r: max(r) - min(r) > 0.1)


def of_reference(values: tuple[float, ...], ddof: int = 0, epsilon: float = 0.0) -> list[float]:
    """The advantages of a group in which each completion occurs once."""
    counts = np.ones((len(values), 1))
    return [float(a) for a in Advantage(len(values), ddof, epsilon).of_group(counts, np.array(values)[:, None])[:, 0]]


def is_undefined(group: tuple[int, ...]) -> bool:
    """Whether Eq. 1, squared so that it stays rational, divides 0 by 0."""
    size = len(group)
    mean = Fraction(sum(group), size)
    variance = sum(((r - mean) ** 2 for r in group), Fraction(0)) / size
    try:
        return any((r - mean) ** 2 / variance < 0 for r in group)
    except ZeroDivisionError:
        assert all(r == mean for r in group)
        return True


@pytest.mark.claim("eq-1", step="collapsed-groups", kind="exact")
@pytest.mark.parametrize("size", [2, 3, 4, 8])
@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 8), Fraction(9, 10)])
def test_groups_without_spread(size: int, p: Fraction) -> None:
    chance = sum(
        (p ** sum(g) * (1 - p) ** (size - sum(g)) for g in itertools.product((0, 1), repeat=size) if is_undefined(g)),
        Fraction(0),
    )

    def check(expected: Callable[[Fraction], Fraction]) -> None:
        assert chance == expected(p)

    check(lambda q: q**size + (1 - q) ** size)
    kill("one-end-only", lambda: check(lambda q: q**size))
    # size + 2 roundings
    within(float(collapsed_fraction(float(p), size)) - float(chance), (size + 6) * EPS, "share of collapsed groups")


@pytest.mark.claim("eq-1", step="reference-group", kind="property")
@given(values=rewards, ddof=st.sampled_from([0, 1]), scale=st.floats(0.01, 100), offset=st.floats(-3, 3))
def test_the_reference_gives_these_advantages(
    values: tuple[float, ...], ddof: int, scale: float, offset: float
) -> None:
    spread = max(values) - min(values)
    expected = symbolic[ddof](*values, 0.0)
    # |A| <= sqrt 2; a deviation from the mean is off by 4 units of the largest reward, relative to a std of at
    # least spread/sqrt 6: 4 * 3 * sqrt(6)/spread; numerator, std and the other route bring at most that each
    bound = 4 * 4 * 3 * math.sqrt(6) / spread * EPS + 16 * EPS
    for a, b in zip(of_reference(values, ddof), expected, strict=True):
        within(a - b, bound, "advantage")
    moved = tuple(scale * r + offset for r in values)
    size = max(abs(r) for r in moved) + abs(offset)  # rounding of c r + d, relative to the spread c (max - min)
    for a, b in zip(of_reference(moved, ddof), expected, strict=True):
        within(a - b, bound + 4 * 4 * math.sqrt(6) * size / (scale * spread) * EPS, "after c r + d")


@pytest.mark.claim("eq-1", step="reference-binary", kind="property")
@given(successes=st.integers(1, 300), failures=st.integers(1, 300))
def test_binary_groups(successes: int, failures: int) -> None:
    size = successes + failures
    counts = np.array([[float(successes)], [float(failures)]])
    high, low = Advantage(size).of_group(counts, np.array([[1.0], [0.0]]))[:, 0]
    expected = binary(successes, failures)
    # phat carries half a unit; 1 - phat = f/size loses the factor size/f, and so does the std near its ends
    slack = 8 * EPS * size / min(successes, failures)
    within(high / expected[0] - 1, slack, "advantage of a success")
    within(low / expected[1] - 1, slack, "advantage of a failure")
    assert max(high, -low) <= math.sqrt(size - 1) * (1 + slack)


@pytest.mark.claim("new-guarded-advantage", step="reference", kind="property")
@given(values=rewards, ddof=st.sampled_from([0, 1]), epsilon=st.floats(1e-6, 2), scale=st.floats(0.1, 10))
def test_the_guard_is_a_unit(values: tuple[float, ...], ddof: int, epsilon: float, scale: float) -> None:
    spread = max(values) - min(values)
    guarded = of_reference(tuple(scale * r for r in values), ddof, epsilon)
    expected = symbolic[ddof](*values, epsilon / scale)
    # as above, and a guard only shrinks the advantage; the scaled rewards carry half a unit each
    bound = 5 * 4 * 3 * math.sqrt(6) / spread * EPS + 16 * EPS
    for a, b in zip(guarded, expected, strict=True):
        within(a - b, bound, "guarded advantage")
    assert of_reference((values[0],) * 3, ddof, epsilon) == [0.0, 0.0, 0.0]
