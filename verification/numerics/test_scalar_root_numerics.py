"""`reference.scalar_root` on functions whose roots are known, from starts where Newton's method alone would fail."""

import numpy as np
import pytest

from reference.scalar_root import Floats, increasing_root

pytestmark = pytest.mark.infrastructure

EPS = np.finfo(float).eps


class Counted:
    """x^3 - c, elementwise, counting its calls."""

    def __init__(self, c: Floats) -> None:
        self.c, self.calls = c, 0

    def __call__(self, x: Floats) -> tuple[Floats, Floats]:
        self.calls += 1
        return x**3 - self.c, 3 * x**2


def test_cube_roots_of_many_sizes_at_once() -> None:
    roots = np.array([1e-5, 0.3, 1.0, 7.0, 99.0])
    cube = Counted(roots**3)
    found = increasing_root(cube, np.zeros(5), np.full(5, 100.0), np.full(5, 50.0))
    # the function is rounded three times in x^3 - c, a third of which is the root's relative error, and once in c
    assert np.max(np.abs(found / roots - 1)) < 4 * EPS
    assert cube.calls <= 60


def test_a_good_start_takes_a_few_rounds() -> None:
    cube = Counted(np.array([8.0]))
    assert increasing_root(cube, np.array([1.0]), np.array([3.0]), np.array([2.01]))[0] == 2
    assert 3 <= cube.calls <= 6


@pytest.mark.parametrize("size", [1.0, 0.1, 1e-6])
@pytest.mark.parametrize("start", [1e-9, 0.5, 1.0, 1.5, 1e3])
def test_steps_out_of_the_bracket_are_bisected(start: float, size: float) -> None:
    """Newton's method on atan diverges from |x| > 1.39."""

    def shifted(x: Floats) -> tuple[Floats, Floats]:
        return size * np.arctan(50 * (x - 3)), size * 50 / (1 + (50 * (x - 3)) ** 2)

    low, high = np.array([-1e3]), np.array([1e3])
    found = increasing_root(shifted, low, high, np.array([start]))
    assert abs(found[0] - 3) <= 4 * EPS * 3
    assert (low[0], high[0]) == (-1e3, 1e3)  # the arguments are left as they were


@pytest.mark.parametrize(
    ("value", "slope"),
    [(0.0, 0.0), (1e300, 1e-300), (1.0, 0.0)],
    ids=["no number", "beyond doubles", "infinite"],
)
def test_a_step_that_is_no_number_is_bisected(value: float, slope: float) -> None:
    """The first round gives the value and slope above, the later ones those of x - 2."""
    calls = []

    def odd(x: Floats) -> tuple[Floats, Floats]:
        calls.append(x)
        return (x - 2, np.ones(1)) if len(calls) > 1 else (np.array([value]), np.array([slope]))

    with np.errstate(all="raise"):
        found = increasing_root(odd, np.array([0.0]), np.array([8.0]), np.array([2.0]))
    assert abs(found[0] - 2) <= 4 * EPS * 2


def test_a_flat_start_neither_warns_nor_stops() -> None:
    with np.errstate(all="raise"):
        found = increasing_root(Counted(np.array([8.0])), np.array([-1.0]), np.array([8.0]), np.array([0.0]))
    assert abs(found[0] - 2) <= 4 * EPS


@pytest.mark.parametrize("at", [1.0, 2.0])
def test_a_root_at_an_end_of_the_bracket_is_found(at: float) -> None:
    found = increasing_root(Counted(np.array([at**3])), np.array([1.0]), np.array([2.0]), np.array([1.5]))
    assert abs(found[0] / at - 1) <= 4 * EPS


def test_a_start_at_the_root_stays() -> None:
    cube = Counted(np.array([8.0]))
    start = np.array([2.0])
    assert increasing_root(cube, np.array([0.0]), np.array([5.0]), start)[0] == 2
    assert cube.calls == 1
    assert start[0] == 2


@pytest.mark.parametrize("at", [1.0, 2.0])
def test_a_step_onto_an_end_of_the_bracket_is_taken(at: float) -> None:
    calls = []

    def line(x: Floats) -> tuple[Floats, Floats]:
        calls.append(x)
        return x - at, np.ones(1)

    assert increasing_root(line, np.array([1.0]), np.array([2.0]), np.array([1.5]))[0] == at
    assert len(calls) == 2  # one step, and one round that confirms it
