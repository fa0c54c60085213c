"""One step: the twin's expected update against repeats of the sampled trainer's, on-policy and a refresh late."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from empirical.loading import quiet  # noqa: E402
from empirical.logs.numbers import Floats  # noqa: E402
from empirical.sweep import trainer, twin  # noqa: E402
from empirical.sweep.cell import Cell  # noqa: E402
from empirical.sweep.network import load, network_folder, usual  # noqa: E402
from empirical.sweep.probe import Probe  # noqa: E402

pytestmark = [pytest.mark.infrastructure, pytest.mark.train]

ALPHA = 1e-6  # of the whole test: shared by two lags and all directions
DIRECTIONS = 5  # the expected gradient's own, and random ones


def flat(tensors: Any) -> Any:
    return torch.cat([t.detach().reshape(-1) for t in tensors]).double()


def to_and_fro(parameters: list[Any], move: Any, directions: Any, found: list[Floats]) -> Any:
    """An optimizer that notes the gradient's components and moves to `start + move`, at the next step back."""

    optimizer: Any = torch.optim.Optimizer

    class ToAndFro(optimizer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(parameters, {"lr": 0.0})
            self.start = flat(parameters)
            self.there = False

        def step(self, closure: Any = None) -> None:
            found.append((directions @ flat(p.grad for p in parameters)).numpy())
            self.there = not self.there
            place = self.start + move if self.there else self.start
            torch.nn.utils.vector_to_parameters(place.float(), parameters)

    return ToAndFro()


def gradient(cell: Cell, probe: Probe, model: Any, old: Any) -> Any:
    """The twin's expected gradient where the model is, the samples being from `old`."""
    parameters = list(model.parameters())
    loss = twin.expected_loss(cell, probe, probe.logps(model), old, old)
    return flat(torch.autograd.grad(loss, parameters))


def against(expected: Floats, sampled: Floats) -> Floats:
    """p-values that the mean of the sampled components is the expected one, shape (directions,).

    Prompts come without replacement, so the mean scatters less than independent steps would: the values are too large.
    """
    error = sampled.std(axis=0, ddof=1) / np.sqrt(len(sampled))
    p: Floats = 2.0 * stats.t.sf(np.abs(sampled.mean(axis=0) - expected) / error, len(sampled) - 1)
    return p


@pytest.mark.parametrize(
    ("steps", "sequences"), [(120, 256), pytest.param(20_000, 8, marks=pytest.mark.slow)], ids=["short", "10^4-repeats"]
)
def test_the_mean_step_of_the_trainer_is_the_twins(steps: int, sequences: int, tmp_path: Path) -> None:
    quiet()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    folder = network_folder(usual(0, "one"))
    model, reader = load(folder)
    model.train()
    probe = Probe.of(reader, "one")
    cell = Cell("x", size=8, sequences=sequences, steps=steps, interval=2, seed=11)
    parameters = list(model.parameters())
    start, old = flat(parameters), probe.logps(model).detach()
    here = gradient(cell, probe, model, old)
    # so far along the expected gradient that p rises from 0.3 to about 0.45, and the ratios are far from 1
    move = -0.02 * here / here.norm()
    for _ in range(12):
        torch.nn.utils.vector_to_parameters((start + move).float(), parameters)
        if float(probe.read(model)[0].mean()) > 0.45:
            break
        move = 1.5 * move
    there = gradient(cell, probe, model, old)
    wrong = gradient(Cell("x", size=4, sequences=sequences, interval=2), probe, model, old)  # the drift of groups of 4
    without = gradient(Cell("x", size=8, sequences=sequences, interval=2, ratio=False), probe, model, old)
    torch.nn.utils.vector_to_parameters(start.float(), parameters)
    random = torch.randn(DIRECTIONS - 1, here.numel(), dtype=torch.float64)
    rows = [there / there.norm(), *(r / r.norm() for r in random)]
    directions = torch.stack(rows)

    found: list[Floats] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of transformers and TRL, about their own next versions
        step = to_and_fro(parameters, move, directions, found)
        trainer.make(cell, model, reader, str(tmp_path), str(folder), step=step).train()
    sampled = np.array(found)
    assert sampled.shape == (steps, DIRECTIONS)
    on_policy, late = sampled[0::2], sampled[1::2]

    level = ALPHA / (2 * DIRECTIONS)
    assert against((directions @ here).numpy(), on_policy).min() > level
    assert against((directions @ there).numpy(), late).min() > level
    # power: at this level the expected updates of another group size, and without the ratio, are told apart
    edge = stats.t.isf(level / 2.0, len(late) - 1)
    error = float(late[:, 0].std(ddof=1)) / np.sqrt(len(late))
    for other in (wrong, without):
        gap = abs(float(directions[0] @ (other - there)))
        assert stats.norm.sf(edge - gap / error) > 0.99, f"power {stats.norm.sf(edge - gap / error):.3f} is too small"
        assert against((directions @ other).numpy(), late)[0] < level
