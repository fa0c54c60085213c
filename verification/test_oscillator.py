"""Theorem 7's coefficients, damping ratio and poles against the reference oscillator and the reference maps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from reference import lag, momentum, oscillator
from spec import oscillator as said
from spec.symbols import K, delta, eta, mu, s, tau
from verification.evidence import kill, within
from verification.strategies import exact_momenta, momenta

EPS = float(np.finfo(float).eps)
RATES = st.floats(-4.0, 1.0).map(lambda x: 10.0**x)
STIFF = st.floats(-4.0, 2.0).map(lambda x: 10.0**x)
LAGS = st.one_of(st.just(0.0), st.floats(0.0, 300.0))

Formula = Callable[[float, float, float, float], float]


def formula(expression: sp.Expr) -> Formula:
    """A formula of the spec as a function of (eta, mu, K, tau)."""
    function: Formula = sp.lambdify((eta, mu, K, tau), expression, "math")
    return function


MASS, DAMPING, STIFFNESS, ZETA = (formula(x) for x in (said.MASS_9, said.DAMPING_9, said.STIFFNESS_9, said.ZETA_10))


def coefficients(e: float, m: float, k: float, t: float) -> tuple[float, float, float]:
    mass, damping, stiffness = oscillator.coefficients(e, m, k, t)
    return float(mass), float(damping), float(stiffness)


def same_mass(other: Formula, e: float, m: float, k: float, t: float) -> None:
    # sums of positive terms, at most seven roundings on either side
    within(coefficients(e, m, k, t)[0] / other(e, m, k, t) - 1, 14 * EPS, "relative gap of the mass")


def same_damping(other: Formula, e: float, m: float, k: float, t: float) -> None:
    # at most five roundings on either side, each relative to the terms before they cancel
    scale = 1 / e + k * t
    within((coefficients(e, m, k, t)[1] - other(e, m, k, t)) / scale, 10 * EPS, "gap of the damping")


@pytest.mark.claim("theorem-7", step="reference-coefficients", kind="property")
@given(e=RATES, m=momenta(), k=STIFF, t=LAGS)
def test_substitution_is_what_the_reference_computes(e: float, m: float, k: float, t: float) -> None:
    put = said.MASS_7.subs(said.m_mu, said.MASS_6).subs(delta, 1)
    within(float(coefficients(e, m, k, t)[0] / formula(put)(e, m, k, t)) - 1, 14 * EPS, "mass by (6) in (7)")
    assert coefficients(e, m, k, t)[2] == k


@pytest.mark.claim("theorem-7", step="reference-coefficients", kind="property")
def test_the_lag_enters_the_mass_squared() -> None:
    put = said.MASS_7.subs(said.m_mu, said.MASS_6).subs(delta, 1)
    same_mass(formula(put), 0.1, 0.5, 0.3, 4.0)
    wrong = formula(put.subs(tau, sp.sqrt(tau)))
    kill("lag-squared-missing", lambda: same_mass(wrong, 0.1, 0.5, 0.3, 4.0))


@pytest.mark.claim("eq-9", step="reference-mass", kind="property")
@given(e=RATES, m=momenta(), k=STIFF, t=LAGS)
def test_mass(e: float, m: float, k: float, t: float) -> None:
    same_mass(MASS, e, m, k, t)


@pytest.mark.claim("eq-9", step="reference-damping", kind="property")
@given(e=RATES, m=momenta(), k=STIFF, t=LAGS)
def test_damping(e: float, m: float, k: float, t: float) -> None:
    same_damping(DAMPING, e, m, k, t)


@pytest.mark.claim("eq-9", step="reference-mass", kind="property")
def test_a_mass_of_the_wrong_lag_is_noticed() -> None:
    kill("unit-lag", lambda: same_mass(formula(said.MASS_9.subs(tau, 1)), 0.1, 0.5, 0.3, 4.0))


@pytest.mark.claim("eq-9", step="reference-damping", kind="property")
def test_a_damping_that_the_lag_leaves_alone_is_noticed() -> None:
    assert coefficients(0.1, 0.5, 0.3, 40.0)[1] < 0, "past the threshold of Eq. 11"
    kill("damping-kept", lambda: same_damping(formula(said.DAMPING_9.subs(tau, 0)), 0.1, 0.5, 0.3, 40.0))


def same_ratio(other: Formula, e: float, m: float, k: float, t: float) -> None:
    # the damping errs by 10 EPS of its terms, the root of K M by a relative 14 EPS; both forms
    mass, _, _ = coefficients(e, m, k, t)
    scale = (1 / e + k * t) / (2 * (k * mass) ** 0.5)
    gap = float(oscillator.damping_ratio(e, m, k, t)) - other(e, m, k, t)
    within(gap / scale, 24 * EPS, "gap of the damping ratio")


@pytest.mark.claim("eq-10", step="reference-ratio", kind="property")
@given(e=RATES, m=momenta(), k=STIFF, t=LAGS)
def test_damping_ratio(e: float, m: float, k: float, t: float) -> None:
    same_ratio(ZETA, e, m, k, t)


@pytest.mark.claim("eq-10", step="reference-ratio", kind="property")
def test_a_ratio_with_the_wrong_momentum_is_noticed() -> None:
    kill("momentum-up", lambda: same_ratio(formula(said.ZETA_10.subs(mu, -mu)), 0.1, 0.5, 0.3, 2.0))


_symbol = sp.lambdify((eta, mu, K, tau, s), said.characteristic.subs(delta, 1), "math")


@pytest.mark.claim("eq-8", step="update-symbol", kind="property")
@given(e=RATES, m=momenta(), k=STIFF, interval=st.integers(0, 20), rate=st.floats(-0.5, 0.5))
def test_a_mode_misses_the_update_by_its_symbol(e: float, m: float, k: float, interval: int, rate: float) -> None:
    # one step of the reference map from exp(s k), k <= 0, misses exp(s) by eta times the characteristic
    # function: e(1) - e_1 = eta F(s); the three products of size <= e^{10} eta K or 3 return 6 EPS each
    size = lag.order(interval, "constant")
    past = [float(np.exp(rate * j)) for j in range(1 - size, 1)]
    if size == 1:
        past = [float(np.exp(-rate)), 1.0]
    step = float(lag.trajectory(m, e * k, interval, "constant", 1, past)[1])
    scale = 6.0 + e * k * float(np.exp(abs(rate) * interval))
    within((np.exp(rate) - step - e * _symbol(e, m, k, interval, rate)) / scale, 24 * EPS)


@pytest.mark.claim("eq-8", step="update-symbol", kind="property")
def test_a_symbol_of_another_momentum_is_noticed() -> None:
    def check(m: float) -> None:
        past = [float(np.exp(0.3 * j)) for j in range(-2, 1)]
        step = float(lag.trajectory(m, 0.2, 2, "constant", 1, past)[1])
        within((np.exp(0.3) - step - 0.1 * _symbol(0.1, 0.5, 2.0, 2, 0.3)) / 7.0, 24 * EPS)

    check(0.5)
    kill("other-momentum", lambda: check(0.4))


_slow = sp.lambdify(said.root, -(1 - said.root**2) / (1 + said.root), "math")


def same_poles(m: float, gain: float) -> None:
    slow, fast = (complex(x) for x in oscillator.poles(*oscillator.coefficients(0.1, m, gain / 0.1, 0.0)))
    # the discriminant 1 - 2a errs by about 8 EPS, so that its root errs by 4 EPS / r; r >= 1e-3 here
    r = (1 - 2 * gain) ** 0.5
    within(slow.real - _slow(r), 8 * EPS / r, "slow pole")
    within(fast.real + 2 / (1 + (1 - r) / (1 + r)), 16 * EPS / r, "fast pole")
    within(slow.real * fast.real / (2 * gain) - 1, 16 * EPS, "product over 2 K eta")


@pytest.mark.claim("prop-8", step="reference-poles", kind="property")
@given(gain=st.floats(-6.0, 0.0).map(lambda x: 0.4999995 * 10.0**x))
def test_poles_without_momentum_and_lag(gain: float) -> None:
    same_poles(0.0, gain)


@pytest.mark.claim("prop-8", step="reference-poles", kind="property")
def test_momentum_moves_the_poles() -> None:
    kill("momentum-left", lambda: same_poles(0.2, 0.1))


def frontier_is(share: Fraction, n: Fraction) -> None:
    """Exactly at (1 - n)^2 the map from its double-root mode stays on it; above, its discriminant is < 0."""
    gain = share * (1 - n) ** 2
    path = momentum.trajectory(n**2, gain, Fraction(1), n, 6)
    assert list(path) == [n**k for k in range(7)]


@pytest.mark.claim("new-monotone-frontier", step="reference-frontier", kind="exact")
@given(n=exact_momenta())
def test_double_root_in_rationals(n: Fraction) -> None:
    frontier_is(Fraction(1), n)


@pytest.mark.claim("new-monotone-frontier", step="reference-frontier", kind="property")
@given(m=momenta(), share=st.floats(1e-3, 0.2))
def test_roots_turn_complex_just_past_the_frontier(m: float, share: float) -> None:
    gain = float(momentum.monotone_gain(m))
    assert abs(momentum.modes(m, gain * (1 - share))[0].imag) == 0
    if m > 0:
        # ((1-n)^2 - a)((1+n)^2 - a) < 0 needs a below the second frontier (1+n)^2, at mu = 0 the same one
        inside = min(gain * (1 + share), gain + 2 * m**0.5)
        assert abs(momentum.modes(m, inside)[0].imag) > 0
    assert float(oscillator.damping_ratio(1.0, m, gain, 0.0)) <= 1 + 4 * EPS, "zeta = 1 comes first"


@pytest.mark.claim("new-monotone-frontier", step="reference-frontier", kind="property")
def test_half_of_the_frontier_has_no_double_root() -> None:
    frontier_is(Fraction(1), Fraction(1, 3))
    kill("half-of-it", lambda: frontier_is(Fraction(1, 2), Fraction(1, 3)))


@pytest.mark.claim("new-monotone-frontier", step="reference-frontier", kind="exact")
def test_one_quarter_to_the_k_is_monotone_at_zeta_below_one() -> None:
    path = momentum.trajectory(Fraction(0), Fraction(3, 4), Fraction(1), Fraction(1, 4), 5)
    assert list(path) == [Fraction(1, 4**k) for k in range(6)]
    within(float(oscillator.damping_ratio(1.0, 0.0, 0.75, 0.0)) - (2 / 3) ** 0.5, 4 * EPS, "zeta")
