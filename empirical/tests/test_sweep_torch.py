"""The sweep with torch: the late optimizer, the expected update, and its potential."""

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from empirical.sweep import stiffness, twin  # noqa: E402
from empirical.sweep.cell import Cell  # noqa: E402
from empirical.sweep.delayed import delayed_sgd  # noqa: E402
from empirical.sweep.network import WarmUp, usual  # noqa: E402
from empirical.sweep.probe import Probe  # noqa: E402
from empirical.tiny import tokenizer, untrained  # noqa: E402
from reference.group import drift_factor  # noqa: E402

pytestmark = [pytest.mark.infrastructure, pytest.mark.train]


def path(optimizer: Any, x: Any, steps: int = 12) -> list[float]:
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        (1.5 * x * x).sum().backward()
        optimizer.step()
        found.append(float(x.detach()))
    return found


def start() -> Any:
    return torch.ones(1, dtype=torch.float64, requires_grad=True)


def test_without_a_delay_the_late_optimizer_is_sgd() -> None:
    x, y = start(), start()
    late = path(delayed_sgd([x], learning_rate=0.01, momentum=0.9, delay=0), x)
    assert late == path(torch.optim.SGD([y], lr=0.01, momentum=0.9), y)


def test_a_delay_gives_the_lagged_map_of_the_reference() -> None:
    from reference.lag import trajectory

    x = start()
    late = path(delayed_sgd([x], learning_rate=0.01, momentum=0.9, delay=4), x)
    # twelve steps of doubles, each rounded a few times at size 1
    assert late == pytest.approx(trajectory(0.9, 0.03, 4, "constant", 12)[1:].tolist(), abs=1e-13)


@pytest.mark.parametrize("size", [2, 3, 8, 16])
def test_the_advantage_gap_is_that_of_the_reference(size: int) -> None:
    p = np.linspace(0.0, 1.0, 21)
    found = twin.advantage_gap(torch.as_tensor(p), Cell("x", size=size, sequences=size)).numpy()
    assert found == pytest.approx(drift_factor(p, size, 1, twin.EPSILON), rel=1e-12)


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_on_policy_the_expected_update_descends_its_potential(beta: float) -> None:
    reader = tokenizer()
    model = untrained(WarmUp(0).recipe, len(reader)).double()
    probe, cell = Probe.of(reader, "one"), Cell("x", "twin", beta=beta)
    logps = model(input_ids=probe.ids).logits[:, -1:].log_softmax(-1)
    other = logps.detach().roll(1, 0)
    parameters = list(model.parameters())
    force = torch.autograd.grad(
        twin.expected_loss(cell, probe, logps, logps.detach(), other), parameters, retain_graph=True
    )
    slope = torch.autograd.grad(stiffness.potential(cell, probe, logps, other), parameters)
    for a, b in zip(force, slope, strict=True):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-14)


def test_one_token_keeps_its_network() -> None:
    """The frozen runs begin there: its name in the cache does not move when the other variant's recipe does."""
    assert usual(0, "one") == WarmUp(0)
    assert usual(1, "two").steps == 3000
