"""Certified nonlinear regressions whose models are laws of ours, to eleven digits.

Source: NIST Statistical Reference Datasets, www.itl.nist.gov/div898/strd (public domain). Chwirut's two data
sets have a model, exp(-b1 x)/(b2 + b3 x), that is none of our laws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

_X = (77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0)
_Y = (10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78)


@dataclass(frozen=True)
class Certified:
    """One problem.

    Attributes:
        level: of difficulty, as NIST has it.
        law, fixed: ours.
        x, y: the data.
        convert: from our parameters to NIST's, in their order.
        values, errors: certified parameters and their standard deviations.
        sse: certified residual sum of squares.
    """

    level: str
    law: str
    fixed: Mapping[str, float]
    x: tuple[float, ...]
    y: tuple[float, ...]
    convert: Callable[[Mapping[str, float]], tuple[float, ...]]
    values: tuple[float, ...]
    errors: tuple[float, ...]
    sse: float


def _exponential(p: Mapping[str, float]) -> tuple[float, ...]:
    return p["R_inf"], p["rate"]


PROBLEMS: dict[str, Certified] = {
    "Misra1a": Certified(
        *("lower", "single_exponential_from_zero", {}, _X, _Y, _exponential),
        *((2.3894212918e02, 5.5015643181e-04), (2.7070075241e00, 7.2668688436e-06), 1.2455138894e-01),
    ),
    "Misra1b": Certified(
        *("lower", "power_law", {"R_0": 0.0, "alpha": 2.0}, _X, _Y, lambda p: (p["R_inf"], 2 / p["T"])),
        *((3.3799746163e02, 3.9039091287e-04), (3.1643950207e00, 4.2547321834e-06), 7.5464681533e-02),
    ),
    "Misra1c": Certified(
        *("average", "power_law", {"R_0": 0.0, "alpha": 0.5}, _X, _Y, lambda p: (p["R_inf"], 0.5 / p["T"])),
        *((6.3642725809e02, 2.0813627256e-04), (4.6638326572e00, 1.7728423155e-06), 4.0966836971e-02),
    ),
    "Misra1d": Certified(
        *("average", "power_law", {"R_0": 0.0, "alpha": 1.0}, _X, _Y, lambda p: (p["R_inf"], 1 / p["T"])),
        *((4.3736970754e02, 3.0227324449e-04), (3.6489174345e00, 2.9334354479e-06), 5.6419295283e-02),
    ),
    "BoxBOD": Certified(
        *("higher", "single_exponential_from_zero", {}),
        *((1.0, 2.0, 3.0, 5.0, 7.0, 10.0), (109.0, 149.0, 149.0, 191.0, 213.0, 224.0), _exponential),
        *((2.1380940889e02, 5.4723748542e-01), (1.2354515176e01, 1.0455993237e-01), 1.1680088766e03),
    ),
    "Rat42": Certified(
        *("higher", "logistic", {"R_low": 0.0}),
        (9.0, 14.0, 21.0, 28.0, 42.0, 57.0, 63.0, 70.0, 79.0),
        (8.930, 10.800, 18.590, 22.330, 39.350, 56.110, 61.730, 64.620, 67.080),
        lambda p: (p["R_inf"], p["rate"] * p["t_mid"], p["rate"]),
        (7.2462237576e01, 2.6180768402e00, 6.7359200066e-02),
        (1.7340283401e00, 8.8295217536e-02, 3.4465663377e-03),
        8.0565229338e00,
    ),
    "Rat43": Certified(
        *("higher", "generalised_logistic", {"R_low": 0.0}),
        tuple(float(k) for k in range(1, 16)),
        (
            *(16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56),
            *(689.96, 637.56, 717.41),
        ),
        lambda p: (p["R_inf"], p["rate"] * p["t_mid"], p["rate"], p["nu"]),
        (6.9964151270e02, 5.2771253025e00, 7.5962938329e-01, 1.2792483859e00),
        (1.6302297817e01, 2.0828735829e00, 1.9566123451e-01, 6.8761936385e-01),
        8.7864049080e03,
    ),
}
