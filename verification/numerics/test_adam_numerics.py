"""`reference.adam` against the recursion at 50 digits, and its refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import adam
from verification.evidence import within

pytestmark = pytest.mark.infrastructure

EPS = float(np.finfo(float).eps)
STEPS = 30


def recursion(
    curvature: list[float], e0: list[float], rate: float, linear: bool, clip: float, decay: float, warm: float | None
) -> list[list[Any]]:
    """AdamW written out for one run, without arrays; call it at 50 digits."""
    b1, b2, tiny = mp.mpf(0.9), mp.mpf(0.999), mp.mpf(1e-8)
    e = [mp.mpf(x) for x in e0]
    m, v = [mp.mpf(0) for _ in e], [mp.mpf(warm or 0) for _ in e]
    path = [list(e)]
    for k in range(1, STEPS + 1):
        step = mp.mpf(rate) * (1 - mp.mpf(k - 1) / STEPS if linear else 1)
        g = [mp.mpf(stiffness) * x for stiffness, x in zip(curvature, e, strict=True)]
        norm = mp.sqrt(mp.fsum(x**2 for x in g))
        if norm > clip:
            g = [x * mp.mpf(clip) / norm for x in g]
        for i, x in enumerate(g):
            m[i], v[i] = b1 * m[i] + (1 - b1) * x, b2 * v[i] + (1 - b2) * x**2
            first, second = (m[i], v[i]) if warm else (m[i] / (1 - b1**k), v[i] / (1 - b2**k))
            e[i] = e[i] * (1 - step * mp.mpf(decay)) - step * first / (mp.sqrt(second) + tiny)
        path.append(list(e))
    return path


@settings(max_examples=30)
@given(
    curvature=st.lists(st.floats(0.1, 10), min_size=2, max_size=2),
    e0=st.lists(st.floats(0.5, 3), min_size=2, max_size=2),
    rate=st.floats(1e-3, 0.1),
    linear=st.booleans(),
    clip=st.sampled_from([1.0, math.inf]),
    decay=st.sampled_from([0.0, 0.1]),
    warm=st.sampled_from([None, 4.0]),
)
def test_the_path_is_that_of_the_recursion(
    curvature: list[float], e0: list[float], rate: float, linear: bool, clip: float, decay: float, warm: float | None
) -> None:
    with mp.workdps(50):
        exact = np.array(recursion(curvature, e0, rate, linear, clip, decay, warm), dtype=np.float64)
    schedule: adam.Schedule = "linear" if linear else "constant"
    path = adam.trajectory(
        curvature, e0, rate, STEPS, schedule=schedule, clip=clip, weight_decay=decay, second_moment=warm
    )
    # A step rounds e (at most 7 in size) a few times; 1 - 0.999^k loses up to 1/0.001 of its digits, so that a step of
    # size at most 0.1 * 3 has an error of 300 eps / 2. 30 steps, times 4 for how the errors of earlier steps grow.
    within(float(np.max(np.abs(path - exact))), STEPS * (30 + 300) * 4 * EPS, "path")


def test_the_first_step_by_hand() -> None:
    # corrected moments g and g^2: a step of eta against the sign, for any curvature; then clipped (3, 4) -> (3, 4)/5
    path = adam.trajectory([3.0, 4.0], [1.0, -1.0], 0.25, 1, epsilon=0.0)
    assert path.tolist() == [[1.0, -1.0], [0.75, -0.75]]
    warm = adam.trajectory([3.0, 4.0], [1.0, 1.0], 1.0, 1, epsilon=0.0, clip=1.0, beta1=0.5, beta2=1.0, second_moment=1)
    expected = [float(1 - Fraction(1, 2) * Fraction(n, 5)) for n in (3, 4)]
    assert np.allclose(warm[1], expected, rtol=4 * EPS, atol=0)  # four roundings


def test_rates() -> None:
    assert adam.rates(1.0, 4, "linear").tolist() == [1.0, 0.75, 0.5, 0.25]
    assert adam.rates(2.0, 3).tolist() == [2.0, 2.0, 2.0]


def test_runs_are_independent_and_seeded() -> None:
    both = adam.trajectory([[1.0], [2.0]], 1.0, 0.1, 10)
    assert both.shape == (11, 2, 1)
    assert np.array_equal(both[:, 1, 0], adam.trajectory(2.0, 1.0, 0.1, 10)[:, 0])
    noisy = [adam.trajectory(1.0, 1.0, 0.1, 10, noise=1.0, seed=s) for s in (1, 1, 2)]
    assert np.array_equal(noisy[0], noisy[1])
    assert not np.array_equal(noisy[0], noisy[2])


def test_a_gradient_of_zero_does_not_move() -> None:
    assert not adam.trajectory(1.0, 0.0, 0.1, 5, epsilon=0.0, clip=1.0).any()


def test_the_cycle_keeps_its_place() -> None:
    # from +x with the moments of the cycle, built here by hand: m = -(1-b1)/(1+b1) K x before, v = (K x)^2 frozen
    x, beta_1 = float(adam.cycle(0.1, 0.5)), 0.5
    m, e = -(1 - beta_1) / (1 + beta_1) * x, x
    for _ in range(4):
        m = beta_1 * m + (1 - beta_1) * e
        before, e = e, e - 0.1 * m / x
        within(e + before, 40 * EPS * x, "mirror")  # six roundings a step, doubled by each flip at most


BAD: list[tuple[str, dict[str, Any]]] = [
    ("curvature", {"curvature": 0.0}),
    ("e0", {"e0": math.nan}),
    ("rate", {"rate": -1.0}),
    ("steps", {"steps": 2.5}),
    ("schedule", {"schedule": "cosine"}),
    ("beta1", {"beta1": 1.0}),
    ("beta2", {"beta2": 1.0}),
    ("beta2", {"beta2": -0.1}),
    ("epsilon", {"epsilon": -1e-9}),
    ("weight_decay", {"weight_decay": -0.1}),
    ("clip", {"clip": 0.0}),
    ("noise", {"noise": -1.0}),
    ("seed", {"seed": 0.5}),
    ("second_moment", {"second_moment": 0.0}),
]


@pytest.mark.parametrize(("name", "wrong"), BAD)
def test_bad_input_is_named(name: str, wrong: dict[str, Any]) -> None:
    good: dict[str, Any] = {"curvature": 1.0, "e0": 1.0, "rate": 0.1, "steps": 3}
    with pytest.raises(ValueError, match=f"^{name} = .*expected"):
        adam.trajectory(**{**good, **wrong})


@pytest.mark.parametrize(("name", "value"), [("rate", 0.0), ("curvature", -1.0), ("noise", 0.0), ("beta1", 1.0)])
def test_a_gain_outside_its_domain(name: str, value: float) -> None:
    good = {"rate": 0.1, "curvature": 1.0, "noise": 1.0}
    with pytest.raises(ValueError, match=f"^{name} = .*expected"):
        adam.effective_gain(**{**good, name: value})


def test_a_cycle_outside_its_domain() -> None:
    with pytest.raises(ValueError, match=r"^beta1 = .*expected"):
        adam.cycle(0.1, 1.0)


def test_the_seed_is_zero_unless_given() -> None:
    named = adam.trajectory(1.0, 1.0, 0.1, 3, noise=1.0, seed=0)
    assert np.array_equal(named, adam.trajectory(1.0, 1.0, 0.1, 3, noise=1.0))


@pytest.mark.parametrize("clip", [0.1, 1.0, 100.0])
def test_each_run_is_clipped_as_one_vector(clip: float) -> None:
    """One plain step (no memory, a frozen second moment of 1): e_1 = e_0 - g, the gradient g = e_0 clipped."""
    start = np.array([[3.0, 4.0], [0.3, 0.4]])
    path = adam.trajectory(1.0, start, 1.0, 1, beta1=0.0, beta2=1.0, epsilon=0.0, second_moment=1.0, clip=clip)
    shrunk = [g * min(1.0, clip / size) for g, size in zip(start, (5.0, 0.5), strict=True)]
    assert np.allclose(path[1], start - np.array(shrunk), rtol=0, atol=8 * np.finfo(float).eps * 4)


def test_noise_is_added_to_each_coordinate_before_clipping() -> None:
    start = np.array([1.0, 2.0])
    draw = np.random.default_rng(5).standard_normal(2)
    plain = adam.trajectory(1.0, start, 1.0, 1, beta1=0.0, beta2=1.0, epsilon=0.0, second_moment=1.0, noise=3.0, seed=5)
    assert np.allclose(plain[1], -3 * draw, rtol=1e-14, atol=1e-14)  # e_0 - (e_0 + 3 draw), a few roundings of 3


def test_effective_gain_and_cycle_by_hand() -> None:
    assert adam.effective_gain(0.125, 2.0, 4.0, 0.5) == 0.125 * 0.5 * 2 / 4
    assert adam.effective_gain(0.125, 2.0, 4.0) == adam.effective_gain(0.125, 2.0, 4.0, 0.9)
    assert adam.cycle(0.125, 0.5) == 0.125 * 0.5 / 3
    assert adam.cycle(0.125) == adam.cycle(0.125, 0.9)


def test_a_gradient_whose_square_is_no_double_does_not_freeze_the_run() -> None:
    """The second moment would be inf, or 0 without an epsilon, and every step 0."""
    with pytest.raises(OverflowError, match=r"at step 1$"):
        adam.trajectory(1e200, 1.0, 0.1, 3)
    with pytest.raises(ValueError, match=r"^curvature = 1e-200; expected .*epsilon"):
        adam.trajectory([1.0, 1e-200], 1.0, 0.1, 3, epsilon=0.0)
    # with an epsilon above the gradient the step is eta g/epsilon: 1e-193 of e here
    assert np.array_equal(adam.trajectory(1e-200, 1.0, 0.1, 3)[:, 0], np.ones(4))
    assert adam.trajectory(1e150, 1.0, 0.1, 1)[1, 0] == pytest.approx(0.9, abs=4 * EPS)
    assert adam.trajectory(1e-140, 1.0, 0.1, 1, epsilon=0.0)[1, 0] == pytest.approx(0.9, abs=4 * EPS)
