"""Strategies for hypothesis, drawn from the executable assumptions of `spec/` and from the domains of trainers."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from spec.domain import Domain

WIDE = 8
"""An unbounded side of a domain reaches this far beyond the other bound, as in `spec.domain`."""


def _ends(domain: Domain) -> tuple[Fraction, Fraction]:
    low = Fraction(str(domain.low)) if domain.low is not None else None
    high = Fraction(str(domain.high)) if domain.high is not None else None
    if low is None:
        low = (high if high is not None else Fraction(0)) - WIDE
    return low, high if high is not None else max(low, Fraction(0)) + WIDE


def floats(domain: Domain) -> st.SearchStrategy[float]:
    """Doubles of a domain of `spec.domain`, never its open ends."""
    low, high = _ends(domain)
    return st.floats(
        float(low),
        float(high),
        exclude_min=domain.low_open,
        exclude_max=domain.high_open,
        allow_subnormal=False,
    )


def rationals(domain: Domain, max_denominator: int = 1000) -> st.SearchStrategy[Fraction]:
    """Exact values of a domain of `spec.domain`, never its open ends."""
    low, high = _ends(domain)
    inside = st.fractions(low, high, max_denominator=max_denominator)
    return inside.filter(lambda v: not (domain.low_open and v == low) and not (domain.high_open and v == high))


def momenta(largest: float = 0.999) -> st.SearchStrategy[float]:
    """Momentum coefficients in [0, largest], the end points and common settings often."""
    return st.one_of(st.sampled_from([0.0, 0.5, 0.8, 0.9, largest]), st.floats(0.0, largest))


def exact_momenta(max_denominator: int = 60) -> st.SearchStrategy[Fraction]:
    """Rational momentum coefficients in [0, 1)."""
    return st.fractions(0, 1, max_denominator=max_denominator).filter(lambda v: v < 1)


def gains(smallest: float = 1e-6, largest: float = 4.0) -> st.SearchStrategy[float]:
    """Gains eta K, spread over the decades."""
    return st.one_of(st.floats(smallest, largest), st.floats(-5.0, 0.0).map(lambda x: largest * 10.0**x))


def intervals(smallest: int = 0, largest: int = 10**6) -> st.SearchStrategy[int]:
    """Refresh intervals in steps, short ones often."""
    return st.one_of(
        st.integers(smallest, min(largest, smallest + 12)),
        st.integers(smallest, largest),
    )
