"""The command `models`: the presets, what each needs, and what would train here."""

import sys


def models() -> None:
    """List the models that have a name, and the memory that the published settings need for each."""
    from rich.console import Console
    from rich.table import Table

    from empirical.models import PRESETS
    from empirical.training.plan import plan, settings

    table = Table(title="Models", title_justify="left", title_style="bold")
    for column in ("name", "what", "parameters", "dtype", "device", "memory", "trained on"):
        table.add_column(column)
    for preset in PRESETS.values():
        found = plan(preset, settings(preset, 16, 42), 7473)
        size = f"{preset.shape.parameters / 1e6:,.1f} M" if preset.shape else "?"
        memory = f"{found.memory:.1f} GiB" if found.memory else "?"
        device = "GPU" if preset.gpu else "CPU or GPU"
        table.add_row(preset.name, preset.source, size, preset.dtype, device, memory, preset.task)
    console = Console() if sys.stdout.isatty() else Console(width=160)
    console.print(table)
    console.print("Any other model: --model OWNER/NAME (hub) or --model FOLDER.")
