"""Settings: the knobs that a user gives on the command line, for all runs or for each of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from empirical.diagnostics.knobs import DOMAINS, NAMES, allowed
from empirical.errors import InputError


def settings(texts: Sequence[str], runs: int, options: Mapping[str, float | None]) -> list[dict[str, Any]]:
    """Keyword arguments of `Run` for each run.

    Args:
        texts: NAME=VALUE or NAME=VALUE,VALUE,... as typed.
        runs: number of runs.
        options: knobs that have an option of their own, None where not given; they hold for all runs.

    Raises:
        InputError: an unknown name, a value outside its domain, a wrong number of values, or a knob given twice.
    """
    out: list[dict[str, Any]] = [{k: v for k, v in options.items() if v is not None} for _ in range(runs)]
    for text in texts:
        name, sign, rest = text.partition("=")
        name = name.strip().replace("-", "_")
        if not sign or name not in NAMES:
            raise InputError(
                "--knob", found=repr(text), expected=f"NAME=VALUE, NAME one of {', '.join(NAMES)}", todo="correct it"
            )
        if name in out[0]:
            raise InputError("--knob", found=f"{name} given twice", expected="each knob once", todo="leave one out")
        values = [_value(text, name, part) for part in rest.split(",")]
        if len(values) == 1:
            values *= runs
        if len(values) != runs:
            raise InputError(
                "--knob",
                found=f"{len(values)} values in {text!r} for {runs} runs",
                expected="one value, or one for each RUN in their order",
                todo="count the runs and the values",
            )
        for told, value in zip(out, values, strict=True):
            told[name] = value
    return out


def _value(text: str, name: str, part: str) -> float | int:
    try:
        value = float(part)
    except ValueError:
        value = float("nan")
    if not allowed(name, value):
        raise InputError("--knob", found=f"{part!r} in {text!r}", expected=DOMAINS[name][2], todo="correct the value")
    return int(value) if name in ("refresh", "group_size") else value
