"""The command line: `python -m empirical COMMAND`, and the console script `predictable-grpo`."""

import os

import typer

from empirical.audit.command import audit
from empirical.diagnostics.command import diagnose
from empirical.errors import refusals
from empirical.evaluate import evaluate
from empirical.listing import models
from empirical.logs.command import read
from empirical.pipeline import run
from empirical.sweep.command import sweep
from empirical.training.command import train

app = typer.Typer(
    name="predictable-grpo",
    help="Audit, run and diagnose GRPO experiments against a damped-oscillator model of them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(audit)
app.command()(read)
app.command()(run)
app.command()(train)
app.command()(evaluate)
app.command()(models)
app.command()(diagnose)
app.command()(sweep)


@app.callback()
def program() -> None:
    """Audit, run and diagnose GRPO experiments against a damped-oscillator model of them."""


def main() -> None:
    """Run the program; exit 0 on success, 1 on a finding, 2 on bad input (a message, no traceback)."""
    os.environ.setdefault("TQDM_DISABLE", "1")  # the libraries' bars: it is read when tqdm is imported
    with refusals():
        app()
