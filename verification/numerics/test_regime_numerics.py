"""`reference.regime` on trajectories without a step."""

from __future__ import annotations

import numpy as np
import pytest

from reference import regime

pytestmark = pytest.mark.infrastructure


@pytest.mark.parametrize("call", [regime.crossings, regime.classify, regime.settled])
@pytest.mark.parametrize("trajectory", [[], np.empty((0, 3))])
def test_a_trajectory_without_a_step_is_refused(call, trajectory) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"^trajectory = .*at least one"):
        call(trajectory, 0.0)
