"""The characteristic equation of the delay at chosen points: boundaries at fifty digits, roots, counts, refusals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from reference import characteristic, lag
from verification.numerics.watched import looks

pytestmark = pytest.mark.infrastructure

UNIT = 2.0**-53
COEFFICIENTS = [(0.3, 2.5), (40.0, 3.0), (0.07, 0.2), (0.0, 1.7), (2.0, 1e-3)]
# m, c, K, tau and the number of roots on the right, from none to many; with and without mass or damping
COUNTED = [
    (0.3, 2.5, 0.4, 1.5, 0),
    (0.3, 2.5, 3.0, 1.5, 2),
    (0.3, 2.5, 30.0, 1.5, 4),
    (40.0, 3.0, 1e4, 1.7, 10),
    (0.0, 1.7, 2.0, 1.2, 0),
    (0.0, 1.7, 9.0, 3.0, 6),
    (2.0, 0.0, 7.0, 2.5, 2),
]


def equation(s: Any, m: float, c: float, K: float, tau: float) -> Any:
    return m * s**2 + c * s + K * mpmath.exp(-tau * s)


@pytest.mark.parametrize("tau", [0.1, 2.0, 30.0])
def test_boundaries_satisfy_their_equations(tau: float) -> None:
    m, c = np.array(COEFFICIENTS).T
    K, onset = lag.critical_stiffness(m, c, tau), lag.onset_stiffness(m, c, tau)
    assert K.shape == onset.shape == (5,)
    back = lag.critical_delay(m, c, K)
    with mpmath.workdps(50):
        for i, (mass, damping) in enumerate(COEFFICIENTS):
            # on the imaginary axis K e^{-i w tau} = m w^2 - i c w: the modulus gives w, its phase the delay
            stiff = mpmath.mpf(float(K[i]))
            square = (mpmath.sqrt(mpmath.mpf(damping) ** 4 + 4 * (mass * stiff) ** 2) + mpmath.mpf(damping) ** 2) / 2
            w = stiff / mpmath.sqrt(square)
            phase = mpmath.atan2(damping * w, mass * w**2)
            # the delay of this rounded K, a dozen roundings; back to tau through K's own dozen, at most doubled twice
            assert abs(mpmath.mpf(float(back[i])) / (phase / w) - 1) < 12 * UNIT
            assert abs(mpmath.mpf(float(back[i])) / tau - 1) < 64 * UNIT
            # two real roots -x merge where K = x (c - m x) e^{-x tau} is largest, at a root of a quadratic
            a, b = mpmath.mpf(mass) * tau, mpmath.mpf(damping) * tau + 2 * mpmath.mpf(mass)
            x = 2 * mpmath.mpf(damping) / (b + mpmath.sqrt(b**2 - 4 * a * damping))
            largest = x * (damping - mass * x) * mpmath.exp(-x * tau)
            # the exponent x tau is below 2, so that its roundings double
            assert abs(mpmath.mpf(float(onset[i])) / largest - 1) < 24 * UNIT


def test_the_critical_stiffness_starts_close_and_needs_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """x tan x = load/m by tan's [1/1] Pade form, whose root is within a tenth; Newton's method squares the error."""
    seen = looks(monkeypatch, characteristic)
    lag.critical_stiffness([0.5, 2.0], 3.0, np.logspace(-9.0, 9.0, 19)[:, None])
    assert 2 <= len(seen) <= 6


@pytest.mark.parametrize(("m", "c", "K", "tau", "count"), COUNTED)
def test_roots_to_the_right_are_counted_three_ways(m: float, c: float, K: float, tau: float, count: int) -> None:
    found = lag.unstable_roots(m, c, [K, K], tau)
    assert found.dtype == np.int64
    assert found.tolist() == [count, count]
    winding = lag.winding_count(m, c, K, tau)
    assert winding == count
    assert type(winding) is int
    roots = lag.characteristic_roots(m, c, K, tau, count // 2 + 2, 20)
    assert 2 * sum(z.real > 0 and z.imag > 0 for z in roots) + sum(z.real > 0 and z.imag == 0 for z in roots) == count


@pytest.mark.parametrize("digits", [15, 30, 60])
@pytest.mark.parametrize(
    ("m", "c", "K", "tau"), [case[:4] for case in COUNTED] + [(0.3, 2.5, 0.2, 1.5), (0, 2, 0.1, 3)]
)
def test_roots_are_ordered_and_have_their_digits(m: float, c: float, K: float, tau: float, digits: int) -> None:
    roots = lag.characteristic_roots(m, c, K, tau, 4, digits)
    real = [z for z in roots if z.imag == 0]
    assert len(real) == (2 if c and lag.onset_stiffness(m, c, tau) > K else 0)
    assert real == sorted(real, key=lambda z: -z.real) == roots[: len(real)]
    assert all(z.real < 0 for z in real)
    with mpmath.workdps(2 * digits + 20):
        for k, z in enumerate(roots[len(real) :], start=len(real) // 2):
            assert (2 * k - 1) * mpmath.pi < z.imag * tau < (2 * k + 1) * mpmath.pi
            assert z.imag > 0
        for z in roots:
            slope = 2 * m * z + c - tau * K * mpmath.exp(-tau * z)
            # one Newton step is the error of a simple root: half a unit in the last of the binary digits asked for,
            # of either part
            assert abs(equation(z, m, c, K, tau) / slope) < abs(z) * mpmath.mpf(10) ** -digits
    assert len(roots) == 4 + len(real) // 2


def test_defaults_of_the_roots() -> None:
    bare = lag.characteristic_roots(0.3, 2.5, 3.0, 1.5)
    assert bare == lag.characteristic_roots(0.3, 2.5, 3.0, 1.5, 8, 30)
    assert bare != lag.characteristic_roots(0.3, 2.5, 3.0, 1.5, 8, 31)
    assert len(bare) == 8


REFUSED: dict[str, Callable[[], object]] = {
    "damping = 0.0; expected > 0 where mass = 0": lambda: lag.winding_count(0.0, 0.0, 1.0, 1.0),
    "tau = 1.0; expected tau * min(K/c, sqrt(K/m)) <= 10000: use unstable_roots": lambda: lag.winding_count(
        0.0, 1.0, 10000.5, 1.0
    ),
    "tau = 2.0; expected tau * min(K/c, sqrt(K/m)) <= 10000: use unstable_roots": lambda: lag.winding_count(
        3.0, 0.0, 3 * 5000.5**2, 2.0
    ),
    "tau = 1.0; expected a delay with no root on the imaginary axis to within rounding": lambda: lag.winding_count(
        0.0, 1.0, math.pi / 2, 1.0
    ),
    "tau = 2.0; expected fewer than 2**53 roots to count": lambda: lag.unstable_roots(0.0, 1.0, 1e17, [0.5e-17, 2, 3]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals_say_what_to_do(message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        REFUSED[message]()


def test_what_lies_beyond_the_doubles_is_refused_without_a_warning() -> None:
    with (
        np.errstate(divide="raise", invalid="raise", over="raise"),
        pytest.raises(ValueError, match=r"^tau = 1e\+300;"),
    ):
        lag.unstable_roots(0.0, 1.0, 1e100, 1e300)
