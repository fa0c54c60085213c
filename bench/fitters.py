"""Fits of the reward's laws: beside scipy's curve_fit and lmfit at the same optimum, and block-bootstrap refits."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.clock import beside, once, seconds
from bench.row import Row, against, took, worst
from reference import laws
from reference.fitters import Fit, block_bootstrap, fit
from reference.fitters.bootstrap import resampled
from reference.fitters.search import find, forget

Floats = NDArray[np.float64]

POINTS, BLOCKED, DRAWS = 15_000, 4_000, 1_000
STARTS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # of omega_n times the span: what a user without a guess tries
SEVENTH = (0.3, 0.1, -0.1, 0.1, 0.05, -0.1, 0.15)  # stationary: the moduli add up to 0.9
LAW = laws.critically_damped


def record(n: int, *phi: float) -> tuple[Floats, Floats]:
    """A noisy critically damped curve, innovations a twelfth of its rise, autoregression phi."""
    rng = np.random.default_rng(0)
    t, shocks = np.arange(float(n)), rng.standard_normal(n)
    for k in range(1, n):
        shocks[k] += sum(p * shocks[k - 1 - j] for j, p in enumerate(phi) if j < k)
    return t, LAW.curve(t, 0.2, 0.8, 15 / n) + 0.05 * shocks


def textbook(t: Floats, r_0: float, r_inf: float, omega_n: float) -> Floats:
    """The law as anybody writes it; faster than ours, which keeps the digits of the start."""
    x = omega_n * t
    path: Floats = r_inf - (r_inf - r_0) * (1 + x) * np.exp(-x)
    return path


def multi_start(t: Floats, y: Floats) -> float:
    """The least sum of squares of curve_fit over the starts, at its tightest tolerance."""
    from scipy.optimize import curve_fit

    best = np.inf
    for z in STARTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fitting: Any = curve_fit
                theta, _ = fitting(textbook, t, y, (y[0], y[-1], z / t[-1]), xtol=1e-14, ftol=1e-14, gtol=1e-14)
            except RuntimeError:
                continue
        best = min(best, float(np.sum((textbook(t, *theta) - y) ** 2)))
    return best


def by_lmfit(t: Floats, y: Floats) -> float:
    """lmfit's least squares from one start, that of the truth: the easiest that it can be asked."""
    model = import_module("lmfit").Model(textbook)
    parameters = model.make_params(r_0=0.2, r_inf=0.8, omega_n=15 / t.size)
    result = model.fit(y, parameters, t=t, fit_kws={"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14})
    return float(np.sum(result.residual**2))


def cold(t: Floats, y: Floats) -> Fit:
    """A fit that finds no grid of an earlier one."""
    forget()
    return fit(t, y, LAW.name, noise="white")


def refits(found: Fit) -> float:
    """Worst relative difference in depth between bootstrap refits and fits from nothing of the same records."""
    drawn = block_bootstrap(found, DRAWS)
    curves = resampled(found, DRAWS, drawn.block, 0)
    which = range(0, DRAWS, DRAWS // 50)
    return max(abs(float(drawn.sse[k]) / find(found.problem.with_data(curves[k])).sse - 1) for k in which)


def rows() -> list[Row]:
    """The rows of the table."""
    t, y = record(POINTS)
    kept = cold(t, y)  # as users do; with nothing kept the allocator hands every page back each time
    what = f"critically damped law, {POINTS} points, no start given"
    out = [took(what, seconds(lambda: cold(t, y), 21), 3e-3)]
    out.append(took("the same with autoregressive errors", seconds(lambda: fit(t, y, LAW.name), 9)))
    mine, _, ratio = beside(lambda: cold(t, y), lambda: multi_start(t, y), 7, calls=5)
    peer = f"curve_fit from {len(STARTS)} starts"
    out.append(against(what, mine, peer, ratio, 10))
    out.append(worst("the two minima, relative difference", abs(multi_start(t, y) / kept.sse - 1), 1e-8, peer))
    if find_spec("lmfit") is None:
        out.append(Row(what, "", "lmfit is not installed"))
    else:
        mine, _, ratio = beside(lambda: cold(t, y), lambda: by_lmfit(t, y), 7, calls=5)
        gap = abs(by_lmfit(t, y) / kept.sse - 1)
        out.append(against(what, mine, f"lmfit from the true parameters, minimum {gap:.0e} off", ratio))
    for phi, noise in (((), "white"), ((0.6,), "auto"), (SEVENTH, "auto")):
        found = fit(*record(BLOCKED, *phi), LAW.name, noise=noise)
        name = f"{DRAWS} block-bootstrap refits, {BLOCKED} points, errors AR({found.noise.order})"
        out.append(took(name, once(lambda f=found: block_bootstrap(f, DRAWS)), 5.0))  # type: ignore[misc]
        out.append(worst("50 of them against fits from nothing, sum of squares", refits(found), 1e-8))
    return out
