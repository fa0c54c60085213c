"""Watched: how often a root finder looks, and from how near it starts."""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from reference.domain import Floats
from reference.scalar_root import increasing_root


def looks(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> list[Floats]:
    """Where `increasing_root`, as a module calls it from now on, looks; its starts have to lie within a tenth."""
    seen: list[Floats] = []

    def watched(
        function: Callable[[Floats], tuple[Floats, Floats]], low: Floats, high: Floats, start: Floats
    ) -> Floats:
        def counted(x: Floats) -> tuple[Floats, Floats]:
            seen.append(x)
            return function(x)

        root = increasing_root(counted, low, high, start)
        assert np.max(np.abs(start / root - 1.0)) < 0.1
        return root

    monkeypatch.setattr(module, "increasing_root", watched)
    return seen
