"""The delay equation over 50 delays: error against the exact path, time beside jitcdde and ddeint."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.clock import beside
from bench.row import Row, against, worst
from reference.lag import delay_exact, delay_trajectory

Floats = NDArray[np.float64]

DELAYS = 50
EVERY = 8  # times a delay: a power of two, so that the times are exact
TOLERANCES = ((1e-4, 25), (1e-7, 25), (1e-9, 15), (1e-11, 9))  # of jitcdde, and how often to repeat


@dataclass(frozen=True)
class Equation:
    """An equation m e'' + c e' + K e(t - 1) = 0 from rest at 1."""

    name: str
    mass: int
    damping: int
    stiffness: Fraction

    def ours(self, times: Floats) -> Floats:
        """Our path."""
        return delay_trajectory(float(self.mass), float(self.damping), float(self.stiffness), 1.0, times)

    def exact(self, times: Floats) -> Floats:
        """The exact path: fractions without any error for mass 0, else 25 certified digits, both then rounded."""
        m, c, K = self.mass, self.damping, self.stiffness
        paths = (delay_exact(m, c, K, 1, Fraction(float(t)), digits=25) for t in times)
        return np.array([float(e) for e in paths])


# both close to their stability boundary (pi/2, and 1.135), where the path stays large over all delays
EQUATIONS = (
    Equation("e' + 3/2 e(t-1) = 0", 0, 1, Fraction(3, 2)),
    Equation("e'' + e' + 11/10 e(t-1) = 0", 1, 1, Fraction(11, 10)),
)


def grid(every: int) -> Floats:
    """Times from 0 to 50 delays, so many a delay."""
    return np.arange(DELAYS * every + 1) / every


class Jitcdde:
    """jitcdde's compiled integrator for one equation; it stops at the kinks of the solution, as its manual asks.

    It steps over the first delay before it gives values out, so it is asked for the times from there on.
    """

    def __init__(self, equation: Equation) -> None:
        module = import_module("jitcdde")
        y, t = module.y, module.t
        force = -float(equation.stiffness) * y(0, t - 1)
        if equation.mass == 0:
            self._past, slopes = [1.0], [force]
        else:
            self._past, slopes = [1.0, 0.0], [y(1), force - equation.damping * y(1)]
        self._system = module.jitcdde(slopes, max_delay=1.0, verbose=False)
        with (
            tempfile.TemporaryDirectory() as folder,
            chdir(folder),
        ):  # its compiler reads pyproject.toml, if there is one
            self._system.compile_C(verbose=False)

    def path(self, times: Floats, tolerance: float) -> Floats:
        """The values at the times, integrated from the start at this relative and absolute tolerance."""
        system = self._system
        system.purge_past()
        system.constant_past(self._past)
        system.set_integration_parameters(rtol=tolerance, atol=tolerance, first_step=0.1, max_step=1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # times closer than its steps: it interpolates, as wanted
            system.step_on_discontinuities()
            return np.array([system.integrate(t)[0] for t in times])


def ddeint_path(equation: Equation, times: Floats) -> Floats:
    """ddeint's path; its error is set by the distance of the times, between which it interpolates linearly."""
    K, c = float(equation.stiffness), float(equation.damping)

    def first(past: Any, t: float) -> Any:
        return -K * past(t - 1.0)

    def second(past: Any, t: float) -> Any:
        return np.array([past(t)[1], -c * past(t)[1] - K * past(t - 1.0)[0]])

    solve: Callable[..., Any] = import_module("ddeint").ddeint
    if equation.mass == 0:
        path = solve(first, lambda t: 1.0, times)
    else:
        path = solve(second, lambda t: np.array([1.0, 0.0]), times)
    return np.array([float(np.ravel(e)[0]) for e in path])


def jitcdde_rows(equation: Equation, exact: Floats) -> list[Row]:
    """Beside jitcdde, from a loose tolerance to the tightest that it keeps, where its error is nearest to ours."""
    what = f"{equation.name}, {len(exact)} times"
    if find_spec("jitcdde") is None or shutil.which("cc") is None:
        missing = "jitcdde is not installed" if find_spec("jitcdde") is None else "jitcdde needs a C compiler"
        return [Row(what, "", missing)]
    times = grid(EVERY)
    late = times >= 1.0
    peer = Jitcdde(equation)
    out = []
    for tolerance, repeats in TOLERANCES:
        error = float(np.max(np.abs(peer.path(times[late], tolerance) - exact[late])))
        ours, _, ratio = beside(lambda: equation.ours(times), lambda x=tolerance: peer.path(times[late], x), repeats, 5)  # type: ignore[misc]
        least = 1 if tolerance == TOLERANCES[-1][0] else None
        out.append(against(what, ours, f"jitcdde at error {error:.0e}, after compiling", ratio, least))
    return out


def ddeint_rows(equation: Equation, exact: Floats) -> list[Row]:
    """Beside ddeint, on a coarse and on a fine grid of times; ours is asked for the same times."""
    if find_spec("ddeint") is None:
        return [Row(equation.name, "", "ddeint is not installed")]
    out = []
    for every, repeats in ((EVERY, 5), (80, 3)):
        times = grid(every)
        error = float(np.max(np.abs(ddeint_path(equation, times)[:: every // EVERY] - exact)))
        ours, _, ratio = beside(lambda x=times: equation.ours(x), lambda x=times: ddeint_path(equation, x), repeats, 5)  # type: ignore[misc]
        out.append(against(f"{equation.name}, {len(times)} times", ours, f"ddeint at error {error:.0e}", ratio, 1))
    return out


def rows() -> list[Row]:
    """The rows of the table."""
    out = []
    for equation in EQUATIONS:
        times = grid(EVERY)
        exact = equation.exact(times)
        error = float(np.max(np.abs(equation.ours(times) - exact)))
        yardstick = "exact fractions" if equation.mass == 0 else "fractions and 25-digit exponentials"
        out.append(worst(f"{equation.name}, {DELAYS} delays: worst error", error, 1e-10, yardstick))
        out += jitcdde_rows(equation, exact)
        out += ddeint_rows(equation, exact)
    return out
