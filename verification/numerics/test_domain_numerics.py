"""The argument checks themselves: what they let through, its type, and the whole of what they say otherwise."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from reference import domain

pytestmark = pytest.mark.infrastructure

BEYOND = 2**62 + 1
REFUSED: dict[str, Callable[[], object]] = {
    "x = 'much'; expected finite numbers": lambda: domain.array("x", "much"),
    "x = [1.0, None]; expected finite numbers": lambda: domain.array("x", [1.0, None]),  # type: ignore[arg-type]
    "x = nan; expected a finite number": lambda: domain.array("x", math.nan),
    "x = 3.0; expected in [0, 2]": lambda: domain.array("x", [1.0, 3.0, 4.0], 0.0, 2.0),
    "x = 2.0; expected in (0, 2)": lambda: domain.array("x", [[1.0], [2.0]], 0.0, 2.0, closed=False),
    "x = -1.0; expected in [0, inf)": lambda: domain.array("x", -1.0, 0.0),
    "x = 6.0; expected in (-inf, 5]": lambda: domain.array("x", 6.0, high=5.0),
    "x has shape (2,); expected one finite number": lambda: domain.number("x", [1.0, 2.0]),
    "x has shape (1,); expected one number in [0, 1]": lambda: domain.number("x", [0.5], 0.0, 1.0),
    "x has shape (1, 2); expected one number in (0, 1)": lambda: domain.number("x", [[0.5, 0.5]], 0.0, 1.0, False),
    "mu = 1.5; expected in [0, 1)": lambda: domain.momentum("mu", [0.5, 1.5, 2.5]),
    "mu = 1.0; expected in [0, 1)": lambda: domain.momentum("mu", 1.0),
    "n = [[1], [1, 2]]; expected whole numbers >= 0": lambda: domain.integers("n", [[1], [1, 2]], 0),
    "n = True; expected whole numbers >= 0": lambda: domain.integers("n", True, 0),
    "n = '3'; expected whole numbers >= 0 and <= 9": lambda: domain.integers("n", "3", 0, 9),
    "n = 1; expected whole numbers >= 2": lambda: domain.integers("n", [5, 1, 0], 2),
    "n = 10; expected whole numbers >= 2 and <= 9": lambda: domain.integers("n", [5, 10], 2, 9),
    "n = 2.5; expected whole numbers >= 2": lambda: domain.integers("n", [3.0, 2.5, 0.5], 2),
    "n = 1.0; expected whole numbers >= 2 and <= 9": lambda: domain.integers("n", 1.0, 2, 9),
    "n = 10.0; expected whole numbers >= 2 and <= 9": lambda: domain.integers("n", 10.0, 2, 9),
    f"n = {BEYOND}; expected whole numbers >= 0": lambda: domain.integers("n", BEYOND, 0),
    "n = 4.611686018427389e+18; expected whole numbers >= 0": lambda: domain.integers("n", 4.611686018427389e18, 0),
    "n has shape (2,); expected one whole number": lambda: domain.integer("n", [1, 2], 0),
    "word = 'c'; expected one of 'a', 'b'": lambda: domain.choice("word", "c", ("a", "b")),
    "word = 1; expected one of 'a', 'b'": lambda: domain.choice("word", 1, ("a", "b")),  # type: ignore[arg-type]
    "shapes do not fit: a (2,), b (3,); expected shapes that broadcast to one (numpy's rules)": lambda: domain.shape(
        a=(2,), b=(3,)
    ),
    "x = 1e+300, y = 10000000000.0; expected a product below 1.8e308": lambda: domain.product(
        "x", 1e300, "y", np.array([1.0, 1e10, 1e20])
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_refusal_names_the_argument_the_first_offender_and_the_domain(message: str) -> None:
    with np.errstate(all="raise"), pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        REFUSED[message]()


@pytest.mark.parametrize("value", ["0.5", b"1", None, 1j, np.datetime64(1, "s"), np.array([(1,)], dtype="i4,")])
def test_what_is_no_number_is_refused_for_that(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^x = .*; expected numbers in \[0, 2\]$") as caught:
        domain.array("x", value, 0.0, 2.0)
    assert str(caught.value.__cause__) == "no number"


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.uint8(2), Fraction(2)])
def test_whole_numbers_of_every_type_become_64_bit_integers(value: Any) -> None:
    found = domain.integers("n", [value, value], 2, 2)
    assert found.dtype == np.int64
    assert found.tolist() == [2, 2]
    single = domain.integer("n", value, 2)
    assert single == 2
    assert type(single) is int


def test_integers_end_where_64_bits_may_wrap_around() -> None:
    # 2**62 is a double and the largest number that is let through, whichever type it comes as
    assert domain.integers("n", 2**62, 0) == domain.integers("n", 2.0**62, 0) == 2**62
    for beyond in (2.0**63, np.uint64(2**64 - 1), math.nextafter(2.0**62, math.inf)):
        with pytest.raises(ValueError, match=r"expected whole numbers >= 0$"):
            domain.integers("n", beyond, 0)


def test_the_ends_of_an_interval_belong_to_it_unless_it_is_open() -> None:
    assert domain.array("x", [0, 1], 0.0, 1.0).tolist() == [0.0, 1.0]
    assert domain.number("x", 1, 0.0, 1.0) == 1.0
    assert domain.probability("x", [0.0, 1.0]).tolist() == [0.0, 1.0]
    assert domain.non_negative("x", 0.0) == 0.0
    assert domain.momentum("x", 0.0) == 0.0
    for check in (domain.positive, domain.learning_rate, domain.open_probability):
        with pytest.raises(ValueError, match=r"^x = 0\.0; expected in \(0, "):
            check("x", 0.0)
    with pytest.raises(ValueError, match=r"^x = 1\.0; expected in \(0, 1\)$"):
        domain.open_probability("x", 1.0)


def test_what_fits_passes_as_it_is() -> None:
    assert domain.shape(a=(2, 1), b=(3,), c=()) == (2, 3)
    assert domain.choice("word", "b", ("a", "b")) == "b"
    domain.product("x", 1e300, "y", np.array([0.0, 1e8]))
