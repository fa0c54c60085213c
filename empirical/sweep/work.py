"""Run one cell, in whatever process."""

import time
from typing import Any

from empirical.sweep.cell import Cell


def one(cell: Cell) -> dict[str, Any]:
    """Run a cell on one thread.

    Returns:
        Its values, with `seconds` (of the wall) and `versions`.
    """
    import warnings

    import torch

    from empirical.loading import quiet
    from empirical.sweep import stiffness, threshold, trainer, twin
    from empirical.sweep.network import load, network_folder, usual
    from empirical.sweep.probe import Probe

    begin = time.monotonic()
    torch.set_num_threads(1)
    quiet()
    folder = network_folder(usual(cell.warm_up, cell.variant))
    model, reader = load(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of transformers and TRL, about their own next versions
        if cell.kind == "sampled":
            values = trainer.run(cell, model, reader, str(folder))
        else:
            probe = Probe.of(reader, cell.variant)
            reference = probe.logps(model).detach()
            values = twin.run(cell, model, reader)
            if cell.kind == "stiffness":
                found = stiffness.spectrum(cell, model, probe, reference)
                mode = found.pop("mode")
                values["spectrum"] = found
                if cell.beta:  # a plateau: the map can be linearised there
                    values["threshold"] = threshold.measure(cell, model, probe, reference, found["top"][0], mode)
    return {**values, "seconds": time.monotonic() - begin}
