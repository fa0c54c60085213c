"""Every argument of every public function of `reference/`: refused by name outside its domain, accepted at its edge."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pytest

from reference import (
    adam,
    delay,
    drift,
    expansion,
    fixed_point,
    flow,
    group,
    lag,
    laws,
    margin,
    mean_field,
    momentum,
    oscillator,
    regime,
)
from reference.bandit import SoftmaxBandit
from reference.prompts import BetaPrompts

pytestmark = pytest.mark.infrastructure

NOT_FINITE = (float("nan"), float("inf"), "much", "0.5", None, np.timedelta64(1, "s"))


@dataclass(frozen=True)
class Domain:
    """What an argument may be: values beyond every bound, values at them, and how the message names the domain."""

    refused: tuple[Any, ...]
    accepted: tuple[Any, ...]
    says: str


def whole(low: int, high: int | None = None) -> Domain:
    top = () if high is None else (high + 1,)
    edge = () if high is None else (high,)
    return Domain((*NOT_FINITE, low - 1, low + 0.5, True, *top), (low, *edge), f"whole numbers >= {low}")


ANY = Domain(NOT_FINITE, (0.0, -1.0), "finite number")
POSITIVE = Domain((*NOT_FINITE, 0.0, -1.0), (), "in (0, inf)")
NON_NEGATIVE = Domain((*NOT_FINITE, -1e-9), (0.0,), "in [0, inf)")
MOMENTUM = Domain((*NOT_FINITE, -1e-9, 1.0), (0.0, 0.5), "")
PROBABILITY = Domain((*NOT_FINITE, -1e-9, 1 + 1e-9), (0.0, 1.0), "in [0, 1]")
INSIDE = Domain((*NOT_FINITE, 0.0, 1.0), (1e-3, 0.999), "in (0, 1)")
BIT = whole(0, 1)
# a lag enters exact arithmetic, so that its check has words of its own
WORDS = Domain(("other", ""), (), "one of ")
SIZE = whole(2)

Case = tuple[Callable[..., Any], dict[str, Any], dict[str, Domain]]
BETA = BetaPrompts(2.0, 3.0)
BANDIT = SoftmaxBandit([1.0, 0.0], 0.1, size=4)
RUN = {"eta": 0.1, "mu": 0.5, "interval": 2, "stale": "advantage", "schedule": "constant", "steps": 3}
RUNS = {"eta": POSITIVE, "mu": MOMENTUM, "interval": whole(0), "stale": WORDS, "schedule": WORDS, "steps": whole(0)}
LOGITS = Domain((*NOT_FINITE, [0.0, float("nan")], [0.0], [0.0, 0.0, 0.0]), ([0.0, 700.0],), "expected")
READING = {"size": SIZE, "ddof": BIT, "epsilon": NON_NEGATIVE, "clip": POSITIVE}
RNG = np.random.default_rng(0)
M_C_K = {"mass": POSITIVE, "damping": ANY, "stiffness": POSITIVE}
LAGGED = {"mu": 0.5, "gain": 0.1, "interval": 2}
DELAYED = {"mass": 1.0, "damping": 1.0, "stiffness": 0.5}
RETARDED = {"mass": NON_NEGATIVE, "damping": NON_NEGATIVE}

CASES: dict[str, Case] = {
    "momentum.trajectory": (
        momentum.trajectory,
        {"mu": 0.5, "gain": 0.1, "e0": 1.0, "e1": 1.0, "steps": 3},
        {"mu": MOMENTUM, "gain": ANY, "e0": ANY, "e1": ANY, "steps": whole(1)},
    ),
    "momentum.modes": (momentum.modes, {"mu": 0.5, "gain": 0.1}, {"mu": MOMENTUM, "gain": ANY}),
    "momentum.closed_form": (
        momentum.closed_form,
        {"mu": 0.5, "gain": 0.1, "e0": 1.0, "e1": 1.0, "k": 3},
        {"mu": MOMENTUM, "gain": ANY, "e0": ANY, "e1": ANY, "k": whole(0, 2**53)},
    ),
    "momentum.spectral_radius": (momentum.spectral_radius, {"mu": 0.5, "gain": 0.1}, {"mu": MOMENTUM, "gain": ANY}),
    "momentum.stable_gain": (momentum.stable_gain, {"mu": 0.5}, {"mu": MOMENTUM}),
    "momentum.monotone_gain": (momentum.monotone_gain, {"mu": 0.5}, {"mu": MOMENTUM}),
    "momentum.stationary_variance": (
        momentum.stationary_variance,
        {"mu": 0.5, "gain": 0.1, "noise_variance": 1.0},
        {
            "mu": MOMENTUM,
            "gain": Domain((0.0, 3.0, -1.0), (), "in (0, 2 (1 + mu))"),
            "noise_variance": NON_NEGATIVE,
        },
    ),
    "momentum.stationary_variance, not finite": (
        momentum.stationary_variance,
        {"mu": 0.5, "gain": 0.1, "noise_variance": 1.0},
        {"gain": Domain(NOT_FINITE, (), "finite number")},
    ),
    "momentum.scaled": (
        momentum.scaled,
        {"scaling": "gain", "mu": 0.5, "gain": 0.1, "delta": 0.5},
        {
            "scaling": WORDS,
            "mu": Domain((*MOMENTUM.refused, [0.5, 0.5]), (0.0,), ""),
            "gain": Domain((*POSITIVE.refused, [0.1, 0.1]), (), ""),
            "delta": Domain((*NOT_FINITE, 0.0, -1.0, 1 + 1e-9), (1.0,), "1]"),
        },
    ),
    "momentum.ode_error": (
        momentum.ode_error,
        {"mu": 0.5, "gain": 0.1, "k": 3, "launch": "rest", "e0": 1.0, "e1": 1.0},
        {"mu": MOMENTUM, "gain": POSITIVE, "k": whole(0, 2**53), "launch": WORDS, "e0": ANY, "e1": ANY},
    ),
    "momentum.ode_error, slow": (
        momentum.ode_error,
        {"mu": 0.5, "gain": 0.01, "k": 3, "launch": "slow"},
        {"gain": Domain((0.25 / 3 + 1e-9, 0.25), (0.25 / 3 - 1e-9,), "(1 - mu)^2 / (2 (1 + mu))")},
    ),
    "oscillator.coefficients": (
        oscillator.coefficients,
        {"eta": 0.1, "mu": 0.5, "stiffness": 1.0, "tau": 1.0},
        {"eta": POSITIVE, "mu": MOMENTUM, "stiffness": POSITIVE, "tau": NON_NEGATIVE},
    ),
    "oscillator.damping_ratio": (
        oscillator.damping_ratio,
        {"eta": 0.1, "mu": 0.5, "stiffness": 1.0, "tau": 1.0},
        {"eta": POSITIVE, "mu": MOMENTUM, "stiffness": POSITIVE, "tau": NON_NEGATIVE},
    ),
    "oscillator.natural_frequency": (
        oscillator.natural_frequency,
        {"mass": 1.0, "stiffness": 1.0},
        {"mass": POSITIVE, "stiffness": POSITIVE},
    ),
    "oscillator.poles": (oscillator.poles, {"mass": 1.0, "damping": 1.0, "stiffness": 1.0}, M_C_K),
    "oscillator.response": (
        oscillator.response,
        {"t": 1.0, "mass": 1.0, "damping": 1.0, "stiffness": 1.0, "e0": 1.0, "v0": 0.0},
        {"t": NON_NEGATIVE, **M_C_K, "e0": ANY, "v0": ANY},
    ),
    "oscillator.velocity": (
        oscillator.velocity,
        {"t": 1.0, "mass": 1.0, "damping": 1.0, "stiffness": 1.0, "e0": 1.0, "v0": 0.0},
        {"t": NON_NEGATIVE, **M_C_K, "e0": ANY, "v0": ANY},
    ),
    "oscillator.inflection_time": (
        oscillator.inflection_time,
        {"mass": 1.0, "damping": 1.0, "stiffness": 1.0},
        M_C_K,
    ),
    "oscillator.overshoot": (oscillator.overshoot, {"mass": 1.0, "damping": 1.0, "stiffness": 1.0}, M_C_K),
    "oscillator.settling_time": (
        oscillator.settling_time,
        {"mass": 1.0, "damping": 1.0, "stiffness": 1.0, "band": 0.05},
        {
            "mass": Domain((*POSITIVE.refused, [1.0, 2.0]), (), ""),
            "damping": Domain((*NOT_FINITE, [1.0, 2.0]), (-1.0,), ""),
            "stiffness": Domain((*POSITIVE.refused, [1.0, 2.0]), (), ""),
            "band": INSIDE,
        },
    ),
    "oscillator.stationary_covariance": (
        oscillator.stationary_covariance,
        {"mass": 1.0, "damping": 1.0, "stiffness": 1.0, "noise_intensity": 1.0, "group_size": 2.0},
        {
            "mass": POSITIVE,
            "damping": POSITIVE,
            "stiffness": POSITIVE,
            "noise_intensity": NON_NEGATIVE,
            "group_size": POSITIVE,
        },
    ),
    "oscillator.stationary_variance": (
        oscillator.stationary_variance,
        {"damping": 1.0, "stiffness": 1.0, "noise_intensity": 1.0, "group_size": 2.0},
        {"damping": POSITIVE, "stiffness": POSITIVE, "noise_intensity": NON_NEGATIVE, "group_size": POSITIVE},
    ),
    "oscillator.step": (
        oscillator.step,
        {"mass": 1.0, "damping": 1.0, "stiffness": 1.0, "noise_intensity": 1.0, "time": 1.0},
        {
            "mass": POSITIVE,
            "damping": ANY,
            "stiffness": POSITIVE,
            "noise_intensity": NON_NEGATIVE,
            "time": NON_NEGATIVE,
        },
    ),
    "oscillator.sample": (
        lambda **k: oscillator.sample(**k, rng=RNG),
        {
            "mass": 1.0,
            "damping": 1.0,
            "stiffness": 1.0,
            "noise_intensity": 1.0,
            "time": 1.0,
            "steps": 2,
            "e0": 1.0,
            "v0": 0.0,
        },
        {
            "mass": POSITIVE,
            "damping": ANY,
            "stiffness": POSITIVE,
            "noise_intensity": NON_NEGATIVE,
            "time": NON_NEGATIVE,
            "steps": whole(1),
            "e0": ANY,
            "v0": ANY,
        },
    ),
    "laws.damping_slope": (
        laws.damping_slope,
        {"x": 1.0, "zeta": 0.5},
        {"x": NON_NEGATIVE, "zeta": Domain((*NOT_FINITE, -1.0, -2.0), (-0.999, 0.0), "in (-1, inf)")},
    ),
    "laws.second_order": (
        lambda t, R_0, R_inf, omega_n, zeta: laws.second_order(t, R_0, R_inf, omega_n, zeta),
        {"t": 1.0, "R_0": 0.1, "R_inf": 0.9, "omega_n": 0.1, "zeta": 0.5},
        {
            "t": NON_NEGATIVE,
            "R_0": ANY,
            "R_inf": ANY,
            "omega_n": POSITIVE,
            "zeta": Domain((*NOT_FINITE, -1.0, 1e131), (1e130,), "in (-1, "),
        },
    ),
    "laws.second_order.gradient": (
        lambda t, R_0, R_inf, omega_n, zeta: laws.second_order.gradient(t, R_0, R_inf, omega_n, zeta),
        {"t": 1.0, "R_0": 0.1, "R_inf": 0.9, "omega_n": 0.1, "zeta": 0.5},
        {"t": NON_NEGATIVE, "zeta": Domain((*NOT_FINITE, -1.0, 1e131), (), "in (-1, ")},
    ),
    "laws.saturation": (
        lambda t, R_inf, T: laws.saturation(t, R_inf, T),
        {"t": 1.0, "R_inf": 0.9, "T": 3.0},
        {"t": NON_NEGATIVE, "R_inf": ANY, "T": POSITIVE},
    ),
    "laws.single_exponential": (
        lambda t, R_0, R_inf, rate: laws.single_exponential(t, R_0, R_inf, rate),
        {"t": 1.0, "R_0": 0.1, "R_inf": 0.9, "rate": 3.0},
        {"t": NON_NEGATIVE, "R_0": ANY, "R_inf": ANY, "rate": POSITIVE},
    ),
    "laws.mean_field": (
        lambda t, p_0, kappa, beta: laws.mean_field(t, p_0, kappa, beta),
        {"t": 1.0, "p_0": 0.1, "kappa": 0.9, "beta": 3.0},
        {"t": NON_NEGATIVE, "p_0": INSIDE, "kappa": POSITIVE, "beta": NON_NEGATIVE},
    ),
    "mean_field.solve": (
        mean_field.solve,
        {"t": 1.0, "p_0": 0.1, "kappa": 0.9, "beta": 3.0},
        {"t": NON_NEGATIVE, "p_0": INSIDE, "kappa": POSITIVE, "beta": NON_NEGATIVE},
    ),
    "lag.order": (lag.order, {"interval": 2, "schedule": "constant"}, {"interval": whole(0), "schedule": WORDS}),
    "lag.order, periodic": (lag.order, {"interval": 2, "schedule": "periodic"}, {"interval": whole(1)}),
    "lag.trajectory": (
        lag.trajectory,
        {**LAGGED, "schedule": "constant", "steps": 4},
        {"mu": MOMENTUM, "gain": ANY, "interval": whole(0), "schedule": WORDS, "steps": whole(0)},
    ),
    "lag.period_map": (lag.period_map, LAGGED, {"mu": MOMENTUM, "gain": ANY, "interval": whole(1)}),
    "lag.multipliers": (lag.multipliers, LAGGED, {"mu": MOMENTUM, "gain": ANY, "interval": whole(1)}),
    "lag.spectrum": (
        lag.spectrum,
        {**LAGGED, "schedule": "constant"},
        {"mu": MOMENTUM, "gain": ANY, "interval": whole(0, 300), "schedule": WORDS},
    ),
    "lag.critical": (
        lag.critical,
        {"mu": 0.5, "interval": 2, "schedule": "periodic"},
        {"mu": MOMENTUM, "interval": whole(1), "schedule": WORDS},
    ),
    "lag.onset_gain": (
        lag.onset_gain,
        {"mu": 0.5, "interval": 2, "schedule": "constant"},
        {"mu": MOMENTUM, "interval": whole(0), "schedule": WORDS},
    ),
    "lag.critical_interval": (
        lag.critical_interval,
        {"mu": 0.5, "gain": 0.1},
        {"mu": MOMENTUM, "gain": POSITIVE},
    ),
    "lag.unstable_count": (
        lag.unstable_count,
        LAGGED,
        {"mu": MOMENTUM, "gain": POSITIVE, "interval": whole(0)},
    ),
    "lag.stable": (
        lag.stable,
        {**LAGGED, "schedule": "constant"},
        {"mu": MOMENTUM, "gain": ANY, "interval": whole(0), "schedule": WORDS},
    ),
    "lag.critical_delay": (lag.critical_delay, DELAYED, {**RETARDED, "stiffness": POSITIVE}),
    "lag.critical_stiffness": (
        lag.critical_stiffness,
        {"mass": 1.0, "damping": 1.0, "tau": 0.5},
        {**RETARDED, "tau": POSITIVE},
    ),
    "lag.onset_stiffness": (
        lag.onset_stiffness,
        {"mass": 1.0, "damping": 1.0, "tau": 0.5},
        {**RETARDED, "tau": POSITIVE},
    ),
    "lag.unstable_roots": (
        lag.unstable_roots,
        {**DELAYED, "tau": 0.5},
        {**RETARDED, "stiffness": POSITIVE, "tau": POSITIVE},
    ),
    "lag.winding_count": (
        lag.winding_count,
        {**DELAYED, "tau": 0.5},
        {**RETARDED, "stiffness": POSITIVE, "tau": POSITIVE},
    ),
    "lag.characteristic_roots": (
        lag.characteristic_roots,
        {**DELAYED, "tau": 0.5, "count": 2, "digits": 20},
        {**RETARDED, "stiffness": POSITIVE, "tau": POSITIVE, "count": whole(1), "digits": whole(15)},
    ),
    "delay.delay_exact": (
        delay.delay_exact,
        {**DELAYED, "tau": 0.5, "t": 1.25, "history": 1.0, "velocity": 0.0, "digits": 20},
        {
            **RETARDED,
            "stiffness": ANY,
            "tau": POSITIVE,
            "t": NON_NEGATIVE,
            "history": ANY,
            "velocity": ANY,
            "digits": whole(1),
        },
    ),
    "delay.delay_trajectory": (
        delay.delay_trajectory,
        {**DELAYED, "tau": 0.5, "t": 1.25, "history": 1.0, "velocity": 0.0},
        {**RETARDED, "stiffness": ANY, "tau": POSITIVE, "t": NON_NEGATIVE, "history": ANY, "velocity": ANY},
    ),
    "delay without mass": (
        delay.delay_trajectory,
        {"mass": 0.0, "damping": 1.0, "stiffness": 0.5, "tau": 0.5, "t": 1.25},
        {
            "damping": Domain((0.0,), (), "> 0 where mass = 0"),
            "velocity": Domain((1.0,), (0.0,), "0 where mass = 0"),
        },
    ),
    "lag.critical_delay without mass": (
        lag.critical_delay,
        {"mass": 0.0, "damping": 1.0, "stiffness": 0.5},
        {"damping": Domain((0.0,), (), "> 0 where mass = 0")},
    ),
    "margin.delayed_margin": (
        margin.delayed_margin,
        {"instantaneous": 0.1, "mu": 0.5},
        {"instantaneous": POSITIVE, "mu": MOMENTUM},
    ),
    "margin.delayed_margin, unstable": (
        margin.delayed_margin,
        {"instantaneous": 0.1, "mu": 0.5},
        {"instantaneous": Domain((3.0, 4.0), (2.99,), "below 2 (1 + mu)")},
    ),
    "regime.crossings": (
        regime.crossings,
        {"trajectory": [1.0, 0.5], "target": 0.0, "tolerance": 0.1},
        {"trajectory": Domain((*NOT_FINITE, 1.0), (), ""), "target": ANY, "tolerance": INSIDE},
    ),
    "regime.settled": (
        regime.settled,
        {"trajectory": [1.0, 0.5], "target": 0.0, "tolerance": 0.1},
        {"trajectory": Domain((*NOT_FINITE, 1.0), (), ""), "target": ANY, "tolerance": INSIDE},
    ),
    "group.drift_factor": (
        group.drift_factor,
        {"p": 0.3, "size": 4, "ddof": 0, "epsilon": 0.1},
        {"p": PROBABILITY, "size": SIZE, "ddof": BIT, "epsilon": NON_NEGATIVE},
    ),
    "group.drift_factor_slope": (
        group.drift_factor_slope,
        {"p": 0.3, "size": 4, "ddof": 0, "epsilon": 0.1},
        {"p": PROBABILITY, "size": SIZE, "ddof": BIT, "epsilon": NON_NEGATIVE},
    ),
    "group.expected_std": (
        group.expected_std,
        {"p": 0.3, "size": 4, "ddof": 0},
        {"p": PROBABILITY, "size": SIZE, "ddof": BIT},
    ),
    "group.drift_ratio": (
        group.drift_ratio,
        {"p": 0.3, "size": 4, "ddof": 0},
        {"p": PROBABILITY, "size": SIZE, "ddof": BIT},
    ),
    "group.collapsed_fraction": (
        group.collapsed_fraction,
        {"p": 0.3, "size": 4},
        {"p": PROBABILITY, "size": SIZE},
    ),
    "group.noise_variance": (
        group.noise_variance,
        {"p": 0.3, "size": 4, "ddof": 0},
        {"p": PROBABILITY, "size": SIZE, "ddof": BIT},
    ),
    "group.population_noise_variance": (group.population_noise_variance, {"p": 0.3}, {"p": PROBABILITY}),
    "expansion.drift_ratio_expansion": (
        expansion.drift_ratio_expansion,
        {"p": 0.3, "size": 4, "ddof": 0, "order": 1},
        {"p": INSIDE, "size": SIZE, "ddof": BIT, "order": whole(0, 3)},
    ),
    "expansion.noise_variance_expansion": (
        expansion.noise_variance_expansion,
        {"p": 0.3, "size": 4, "order": 1},
        {"p": INSIDE, "size": SIZE, "order": whole(0, 2)},
    ),
    "expansion.size_for_drift": (
        expansion.size_for_drift,
        {"p": 0.3, "tolerance": 0.1, "ddof": 0},
        {
            "p": Domain((*NOT_FINITE, 0.0, 1.0), (), "in (0, 1)"),
            "tolerance": Domain((*NOT_FINITE, 0.99e-4, 1 + 1e-9), (1.0,), "in [0.0001, 1]"),
            "ddof": BIT,
        },
    ),
    "BetaPrompts": (
        BetaPrompts,
        {"alpha": 2.0, "beta": 3.0},
        {name: Domain((*NOT_FINITE, 0.99e-6, 1.01e6), (1e-6, 1e6), "in [1e-06, 1e+06]") for name in ("alpha", "beta")},
    ),
    "BetaPrompts.expected_std": (BETA.expected_std, {"size": 4, "ddof": 0}, {"size": SIZE, "ddof": BIT}),
    "BetaPrompts.drift_ratio": (BETA.drift_ratio, {"size": 4, "ddof": 0}, {"size": SIZE, "ddof": BIT}),
    "BetaPrompts.collapsed_fraction": (BETA.collapsed_fraction, {"size": 4}, {"size": SIZE}),
    "BetaPrompts.step_variance": (
        BETA.step_variance,
        {"size": 4, "prompts": 2, "ddof": 0},
        {"size": whole(2, 400), "prompts": whole(1), "ddof": BIT},
    ),
    "SoftmaxBandit": (
        SoftmaxBandit,
        {"rewards": [1.0, 0.0], "beta": 0.1, "prior": [0.5, 0.5], "size": 4, "ddof": 0, "epsilon": 0.0, "clip": 0.2},
        {
            "rewards": Domain((*NOT_FINITE, [1.0], [1.0, float("nan")], [0.5, 0.5]), ([-3.0, 1e300],), "expected"),
            "beta": NON_NEGATIVE,
            "prior": Domain(([1.0], [0.5, 0.4], [0.0, 1.0], [0.5, float("nan")]), ([0.1, 0.9],), "expected"),
            **READING,
        },
    ),
    "SoftmaxBandit.binary": (
        SoftmaxBandit.binary,
        {"correct": 1, "completions": 4, "beta": 0.1, "p_ref": 0.3, "size": 4, "ddof": 0, "epsilon": 0.0, "clip": 0.2},
        {"correct": whole(1, 3), "completions": whole(2), "beta": NON_NEGATIVE, "p_ref": INSIDE, **READING},
    ),
    "SoftmaxBandit.policy": (BANDIT.policy, {"theta": [0.1, 0.2]}, {"theta": LOGITS}),
    "SoftmaxBandit.gradient": (
        BANDIT.gradient,
        {"theta": [0.1, 0.2], "theta_old": [0.0, 0.3], "stale": "sampling"},
        {"theta": LOGITS, "theta_old": LOGITS, "stale": WORDS},
    ),
    "SoftmaxBandit.moments": (
        BANDIT.moments,
        {"theta": [0.1, 0.2], "theta_old": [0.0, 0.3], "stale": "sampling"},
        {"theta": LOGITS, "theta_old": LOGITS, "stale": WORDS},
    ),
    "SoftmaxBandit.trajectory": (BANDIT.trajectory, RUN, RUNS),
    "SoftmaxBandit.trajectory, periodic": (
        BANDIT.trajectory,
        {**RUN, "schedule": "periodic"},
        {"interval": whole(1)},
    ),
    "SoftmaxBandit.sample": (
        BANDIT.sample,
        {**RUN, "seed": 0, "groups": 1},
        {**RUNS, "seed": whole(0), "groups": whole(1)},
    ),
    "drift.logit": (drift.logit, {"p": 0.3}, {"p": INSIDE}),
    "drift.reference_logit": (
        drift.reference_logit,
        {"p_ref": 0.3},
        {"p_ref": Domain((*INSIDE.refused, [0.3, 0.4]), (0.5,), "")},
    ),
    "drift.class_rate": (
        drift.class_rate,
        {"correct": 2, "completions": 4},
        {"correct": whole(1, 3)},
    ),
    "drift.class_rate, smallest": (
        drift.class_rate,
        {"correct": 1, "completions": 2},
        {"completions": whole(2)},
    ),
    "drift.drift": (
        drift.drift,
        {"p": 0.3, "p_ref": 0.2, "beta": 0.1, "kappa": 1.0, "size": 4, "ddof": 0},
        {
            "p": PROBABILITY,
            "p_ref": INSIDE,
            "beta": NON_NEGATIVE,
            "kappa": NON_NEGATIVE,
            "size": SIZE,
            "ddof": BIT,
        },
    ),
    "drift.stiffness": (
        drift.stiffness,
        {"p": 0.3, "beta": 0.1, "kappa": 1.0, "size": 4, "ddof": 0},
        {"p": INSIDE, "beta": NON_NEGATIVE, "kappa": NON_NEGATIVE, "size": SIZE, "ddof": BIT},
    ),
    "drift.early_slope": (
        drift.early_slope,
        {"p_ref": 0.3, "p_star": 0.8, "kappa": 1.0},
        {
            "p_ref": Domain((*NOT_FINITE, 0.0, 1.0), (), "in (0, 1)"),
            "p_star": Domain((*NOT_FINITE, 0.3, 1.0), (0.31, 0.99), "in (0.3, 1)"),
            "kappa": NON_NEGATIVE,
        },
    ),
    "drift.amplification_slope": (
        drift.amplification_slope,
        {"p": 0.3, "beta": 0.1},
        {"p": INSIDE, "beta": POSITIVE},
    ),
    "fixed_point.fixed_points": (
        fixed_point.fixed_points,
        {"p_ref": 0.3, "beta": 5.0},
        {"p_ref": INSIDE, "beta": POSITIVE},
    ),
    "fixed_point.finite_fixed_points": (
        fixed_point.finite_fixed_points,
        {"p_ref": 0.3, "beta": 5.0, "size": 4, "ddof": 0},
        {"p_ref": INSIDE, "beta": POSITIVE, "size": SIZE, "ddof": BIT},
    ),
    "fixed_point.critical_beta": (fixed_point.critical_beta, {"p_ref": 0.3}, {"p_ref": INSIDE}),
    "fixed_point.critical_logit": (fixed_point.critical_logit, {"beta": 0.3}, {"beta": POSITIVE}),
    "flow.free_flow": (
        flow.free_flow,
        {"t": 1.0, "p_0": 0.3, "kappa": 1.0},
        {"t": NON_NEGATIVE, "p_0": INSIDE, "kappa": POSITIVE},
    ),
    "flow.flow": (
        flow.flow,
        {"t": [0.0, 1.0], "p_0": 0.3, "p_ref": 0.2, "beta": 0.1, "kappa": 1.0, "size": 4, "ddof": 0},
        {
            "t": Domain((*NOT_FINITE, 1.0, [1.0, 1.0], [2.0, 1.0], [], [-1.0, 1.0]), ([0.0], [2.0]), ""),
            "p_0": INSIDE,
            "p_ref": INSIDE,
            "beta": NON_NEGATIVE,
            "kappa": POSITIVE,
            "size": SIZE,
            "ddof": BIT,
        },
    ),
    "adam.rates": (
        adam.rates,
        {"rate": 0.1, "steps": 3, "schedule": "linear"},
        {"rate": POSITIVE, "steps": whole(1), "schedule": WORDS},
    ),
    "adam.trajectory": (
        adam.trajectory,
        {
            "curvature": 1.0,
            "e0": 1.0,
            "rate": 0.1,
            "steps": 2,
            "schedule": "linear",
            "beta1": 0.9,
            "beta2": 0.99,
            "epsilon": 0.1,
            "weight_decay": 0.1,
            "clip": 1.0,
            "noise": 0.1,
            "seed": 0,
        },
        {
            "curvature": POSITIVE,
            "e0": ANY,
            "rate": POSITIVE,
            "steps": whole(1),
            "schedule": WORDS,
            "beta1": MOMENTUM,
            "beta2": Domain((*NOT_FINITE, -1e-9, 1.0, 1.1), (0.0,), "in [0, 1"),
            "epsilon": NON_NEGATIVE,
            "weight_decay": NON_NEGATIVE,
            "clip": Domain((float("nan"), "much", 0.0, -1.0), (float("inf"),), "in (0, inf)"),
            "noise": NON_NEGATIVE,
            "seed": whole(0),
            "second_moment": POSITIVE,
        },
    ),
    "adam.effective_gain": (
        adam.effective_gain,
        {"rate": 0.1, "curvature": 1.0, "noise": 1.0, "beta1": 0.9},
        {"rate": POSITIVE, "curvature": POSITIVE, "noise": POSITIVE, "beta1": MOMENTUM},
    ),
    "adam.cycle": (adam.cycle, {"rate": 0.1, "beta1": 0.9}, {"rate": POSITIVE, "beta1": MOMENTUM}),
}


def refused() -> Iterator[Any]:
    for name, (function, valid, domains) in CASES.items():
        for argument, domain in domains.items():
            for value in domain.refused:
                if value is None and getattr(signature(function).parameters.get(argument), "default", 0) is None:
                    continue  # it stands for "none", such as infinite groups
                yield pytest.param(function, valid, argument, value, domain.says, id=f"{name}-{argument}-{value}")


def accepted() -> Iterator[Any]:
    for name, (function, valid, domains) in CASES.items():
        yield pytest.param(function, valid, id=f"{name}")
        for argument, domain in domains.items():
            for value in domain.accepted:
                yield pytest.param(function, {**valid, argument: value}, id=f"{name}-{argument}-{value}")


def shown(value: object) -> str:
    """How a message shows a value: 1 and 1.0 are one value, of an array it shows the shape or the offender."""
    if isinstance(value, list):
        return ""
    if value is None or isinstance(value, str | bool | np.timedelta64):
        return re.escape(repr(value))
    if isinstance(value, int):
        return rf"{value}(\.0)?\b"
    number = float(value)  # type: ignore[arg-type]
    return rf"{number:.0f}(\.0)?\b" if number.is_integer() and abs(number) < 1e15 else re.escape(str(number))


@pytest.mark.parametrize(("function", "valid", "argument", "value", "says"), list(refused()))
def test_a_value_outside_the_domain_is_refused_by_name(
    function: Callable[..., Any], valid: dict[str, Any], argument: str, value: object, says: str
) -> None:
    with pytest.raises(ValueError, match=rf"^{argument} ") as caught:
        function(**{**valid, argument: value})
    assert re.match(rf"^{argument} (=|has shape) .*expected", str(caught.value))
    assert re.search(shown(value), str(caught.value)), "the message shows the value"
    assert says in str(caught.value)


@pytest.mark.parametrize(("function", "arguments"), list(accepted()))
def test_a_value_at_the_edge_is_accepted(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    function(**arguments)
