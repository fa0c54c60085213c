"""Knobs: learning rate, momentum, refresh interval and group size of a run, each with how it is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirical.diagnostics.groupsize import infer
from empirical.logs import Log, naming

NAMES = ("learning_rate", "momentum", "refresh", "group_size")
USUAL_MOMENTUM = 0.9  # AdamW's beta_1 in every trainer's defaults
DOMAINS = {
    "learning_rate": (0.0, 1e3, "a number in (0, 1000]"),
    "momentum": (0.0, 0.999999, "a number in [0, 0.999999]"),
    "refresh": (1, 4096, "a whole number from 1 to 4096"),
    "group_size": (2, 4096, "a whole number from 2 to 4096"),
}


@dataclass(frozen=True)
class Knob:
    """One setting of a run.

    Attributes:
        name: one of `NAMES`.
        value: nan where it is not known.
        how: where the value is from, or why there is none.
        assumed: whether the value is a usual one rather than this run's.
    """

    name: str
    value: float
    how: str
    assumed: bool = False

    @property
    def known(self) -> bool:
        """Whether the value is this run's own."""
        return bool(np.isfinite(self.value)) and not self.assumed


def allowed(name: str, value: float) -> bool:
    """Whether a knob can have a value."""
    low, high, _ = DOMAINS[name]
    whole = name not in ("refresh", "group_size") or value % 1 == 0
    return bool(np.isfinite(value)) and low <= value <= high and whole and (name != "learning_rate" or value > 0)


def knobs(log: Log, given: Mapping[str, float | None]) -> dict[str, Knob]:
    """All knobs of a run: as given by the user, from its config, read off the log, or the usual value.

    Args:
        log: the run.
        given: by the user, None where not.
    """
    settings = {naming.setting(str(key)) or str(key): value for key, value in log.settings.items()}
    found: dict[str, Callable[[Log], Knob]] = {
        "learning_rate": _learning_rate,
        "momentum": lambda _: Knob("momentum", USUAL_MOMENTUM, "taken as the trainers' default", True),
        "refresh": lambda log: _refresh(log, settings),
        "group_size": _group_size,
    }
    return {name: _knob(name, given.get(name), settings.get(name), log, find) for name, find in found.items()}


def _knob(name: str, given: float | None, told: Any, log: Log, find: Callable[[Log], Knob]) -> Knob:
    if given is not None:
        return Knob(name, float(given), "as given")
    if isinstance(told, (int, float)) and allowed(name, float(told)):
        return Knob(name, float(told), "from the run's config")
    return find(log)


def _learning_rate(log: Log) -> Knob:
    if not log.has("learning_rate"):
        return Knob("learning_rate", float("nan"), "not in the log; give --knob learning_rate=VALUE")
    values = log.table["learning_rate"].to_numpy(dtype=np.float64)
    values = values[np.isfinite(values) & (values > 0)]
    if not values.size:
        return Knob("learning_rate", float("nan"), "0 in every row of the log")
    low, middle, high = float(values.min()), float(np.median(values)), float(values.max())
    how = "in every row of the log" if high <= 1.001 * low else f"median of the log, from {low:.3g} to {high:.3g}"
    return Knob("learning_rate", middle, how)


def _refresh(log: Log, settings: Mapping[str, Any]) -> Knob:
    parts = [settings.get(n) for n in ("iterations", "steps_per_generation", "gradient_accumulation_steps")]
    if all(isinstance(part, (int, float)) and part >= 1 for part in parts):
        interval = parts[0] * parts[1] / parts[2]  # type: ignore[operator]
        if allowed("refresh", interval):
            how = "iterations x steps_per_generation / gradient_accumulation_steps of the run's config"
            return Knob("refresh", interval, how)
    if log.has("lag"):  # our own trainer's: optimizer steps since the samples were drawn
        lag = log.table["lag"].to_numpy(dtype=np.float64)
        top = float(np.nanmax(lag)) + 1
        if allowed("refresh", top):
            return Knob("refresh", top, "read off the column `lag`")
    steps = log.table["step"].to_numpy()
    rewarded = steps[log.table["reward"].notna().to_numpy()]
    each = log.settings.get("logging_interval") == 1
    if each and rewarded.size > 3 and rewarded.size < steps.size:
        return Knob("refresh", float(np.median(np.diff(rewarded))), "read off the rows that hold a reward")
    if isinstance(parts[0], (int, float)) and allowed("refresh", float(parts[0])) and parts[0] > 1:
        return Knob("refresh", float(parts[0]), "iterations of the run's config; one generation a step is assumed")
    if each and log.trainer == "trl":
        return Knob("refresh", 1.0, "every row holds a reward")
    why = "every row holds a reward, which says it for TRL alone" if each else "the log has not every step"
    return Knob("refresh", 1.0, f"taken as 1: {why}", True)


def _group_size(log: Log) -> Knob:
    size, how = infer(log)
    return Knob("group_size", float("nan") if size is None else float(size), how)
