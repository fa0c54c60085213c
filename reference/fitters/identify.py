"""Identifiability: what the record does not pin, and why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference.fitters.result import Fit

_LEVEL = 0.95


def reason(fit: Fit) -> str:
    """Why not every fitted parameter is pinned at 95 %; empty where each is."""
    if fit.degrees_of_freedom < 1:
        used = fit.problem.count + fit.noise.order
        return f"too few points: {fit.points} for {used} parameters"
    if _constant(fit):
        return "no rise: a constant fits as well, so that any timescale would do"
    ends = fit.interval(_LEVEL)
    for name in fit.problem.family.names:
        if name in ends:
            domain = next(p for p in fit.problem.family.law.parameters if p.name == name)
            low, high = ends[name]
            if not ((math.isfinite(low) and low > domain.low) or low == domain.low == fit.parameters[name]):
                return _flat(fit, name, "lower")
            if not (math.isfinite(high) and high < domain.high):
                return _flat(fit, name, "upper")
    return ""


def _constant(fit: Fit) -> bool:
    """Whether an F test at 5 % finds no improvement over a constant."""
    from scipy.special import fdtri

    one, y = fit.problem.one, fit.problem.yw
    level = float(one @ y) / float(one @ one)
    rest = y - level * one
    flat = float(rest @ rest)
    extra = max(fit.problem.count - 1, 1)
    gain = (flat - fit.sse) / extra
    return not gain > float(fdtri(extra, fit.degrees_of_freedom, _LEVEL)) * fit.sse / fit.degrees_of_freedom


_SLOW = {"rate": "lower", "omega_n": "lower", "kappa": "lower", "T": "upper", "C_mid": "upper", "t_mid": "upper"}


def _flat(fit: Fit, name: str, side: str) -> str:
    head = f"the likelihood is flat in {name} towards its {side} bound"
    if name in _SLOW:
        if _SLOW[name] == side:
            return f"{head}: the timescale may be longer than the record (last t = {fit.t[-1]:g})"
        return f"{head}: the change may be over before the second point"
    if name in ("R_inf", "A"):
        return f"{head}: the plateau is not reached within the record (last t = {fit.t[-1]:g})"
    if name in ("R_0", "R_low"):
        return f"{head}: the start is not seen"
    return head
