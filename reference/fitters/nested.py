"""Nested tests: whether the larger of two laws is needed."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference.fitters.estimate import fit
from reference.fitters.record import checked, family_of, pose
from reference.fitters.result import Fit
from reference.fitters.search import find


@dataclass(frozen=True)
class Nested:
    """Whether a law is needed beside one that it contains.

    Attributes:
        small, large: the two fits, with the same errors: those of the large law.
        f: (sse_small - sse_large)/extra over sse_large/freedom.
        p: its probability under the small law.
    """

    small: Fit
    large: Fit
    f: float
    p: float


def inertia(t: ArrayLike, reward: ArrayLike, sigma: ArrayLike | None = None) -> Nested:
    """Test the single exponential (no inertia, Eq. 14) within the general second order (Prop. 14).

    The exponential is the limit zeta to infinity at fixed omega_n/(2 zeta), an end of the parameter's domain. So under
    the null f is 0 half of the time, and p is half of that of F(1, n - k).

    Args:
        t, reward, sigma: as in `fit`.

    Raises:
        ValueError: as `fit`.

    Source: Self and Liang 1987, case 5.
    """
    from scipy.special import fdtrc

    times, rewards, deviations = checked(t, reward, sigma)
    large = fit(times, rewards, "second_order", deviations)
    problem = pose(family_of("single_exponential"), times, rewards, deviations, {}, {}).with_noise(large.noise)
    small = Fit("single_exponential", times, rewards, deviations, problem, find(problem))
    freedom = large.degrees_of_freedom
    if freedom < 1:
        raise ValueError(f"t has {times.size} points; expected at least 5 for the test")
    gain = max(small.sse - large.sse, 0.0)
    f = gain / (large.sse / freedom) if large.sse else float("inf") if gain else 0.0
    return Nested(small, large, f, float(fdtrc(1, freedom, f)) / 2 if f else 1.0)
