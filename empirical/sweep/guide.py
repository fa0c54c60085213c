"""The guide: docs/refresh-sweep.md, whose numbers all come from the frozen runs.

`python -m empirical.sweep.guide [FOLDER]` freezes a sweep's folder, if one is given, and writes the guide anew. A
folder that lacks a cell of the full sweep is refused, and the frozen runs stay as they are. Exit code: 0 done, 2 for
bad input.
"""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from empirical.errors import InputError, refusals
from empirical.output import write
from empirical.sweep import design, store
from empirical.sweep.report import EFFECTS, effect_rows, table
from empirical.sweep.store import Result
from empirical.sweep.summary import advice, refresh_rows, twin_rows

ROOT = Path(__file__).parents[2]
FROZEN = ROOT / "empirical" / "runs" / "sweep" / store.PACKED
GUIDE = ROOT / "docs" / "refresh-sweep.md"

SETTING = """
A transformer of about 3e4 weights learns "a+b=" to one digit under TRL's GRPO; every prompt starts at a success
probability of 0.3. All numbers come from `empirical/runs/sweep/` and were read by the rules of
`empirical/sweep/protocol.py`: SGD with momentum 0.9, learning rate 5e-4, G = 8, 128 completions a step, 300 steps, no
clip, no KL term, where nothing else is said. Intervals are at 95%, over pairs of runs or over networks. One small
network and one task: take the directions, and measure your own numbers.
"""
READING = """
No slowing of the rise is established: at K_ref = 16 the interval includes 0, and at 64 the rise is two steps *earlier*.
Long intervals do drop now and then, in the rise as well as after it, and the noise-free twin never does: by the
protocol that is noise, and not an oscillation; the intervals of the drops include 0, so their mean size is not settled.
With the stiffness fitted to the reward Theorem 7 predicts a fall at K_ref = 64, with that of the stiffest mode one over
the whole range from K_ref = 4 on. These runs would have shown either.
"""
ARMS = """
Where Theorem 7's drop is 0.00 beside a lag, the first swing of its oscillator (a period of some 290 steps at K_ref =
64) does not end within the run. `fast`: SGD at 2e-3; `adamw`: 1e-3; `plateau`: a KL weight of 1 at 2e-3, where the
lag-0 runs themselves fall by 0.16 to 0.31 on the rise and one run at K_ref = 16 never came back; `reuse`: each batch
used 16 times; `two tokens`: an answer of two tokens, which no run learned to 0.8 in 200 steps.
"""
TWINS = """
No sampling; a number for each of two warm-ups; fast: learning rate 2e-3; adamw: 1e-3; the last two with 200 steps.
Without division by the standard deviation (`scale none`) the expected update does not depend on the sampling policy at
all: the intervals 1 and 64 agree, at half the speed.
"""
REFRESH = (
    "| K_ref | t80, steps later | largest drop, more than at lag 0 | runs that drop > 0.01 | twin's drop "
    "| Theorem 7's drop, K fitted (power) | K of the stiffest mode (power) |"
)
EXPECTED = "| arm | K_ref | gradient delay | G | t80 | largest drop |"


def _filled(text: str, indent: str = "") -> str:
    plain = " ".join(text.split())
    return textwrap.fill(plain, 119, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _item(head: str, *sentences: str) -> str:
    return _filled(f"- **{head}** " + " ".join(sentences), indent="  ")


def guide(results: Sequence[Result]) -> str:
    """The text, in Markdown.

    Args:
        results: the frozen ones.
    """
    said = advice(results)

    def about(*starts: str) -> list[str]:
        return [sentence for sentence in said if sentence.startswith(starts)]

    lines = [
        "# What refresh interval, clipping, group size and learning rate do to stability",
        "",
        _filled(SETTING),
        "",
        "## In practice",
        "",
        _item(
            "Refresh interval.",
            *about("At K_ref"),
            "The noise-free twin never falls: it takes a long interval and sampling. At K_ref = 4 no run fell.",
            *about("At a larger"),
            "So keep learning rate times interval small, or try a cap on the ratio (untried at the large rate): what "
            "grows with both is the variance of the importance ratio, of which the mean reward shows nothing until it "
            "breaks.",
        ),
        _item(
            "Late gradients are another matter.",
            *about("With gradients"),
            "That is a pipeline that applies gradients of old *weights*; there the learning rate must respect the "
            "stiffest mode.",
            *about("The stiffest", "It was"),
            "So a stiffness read off a reward curve says nothing about this limit.",
            *about("At a delay of"),
        ),
        _item(
            "Clipping.",
            *about("With a clip"),
            "The one-sided clip does not stop the falls; with the two-sided one none was seen (3 of 4 against 0 of 4 "
            "is too few to tell them apart), at the price of more than twice the steps.",
            *about("Without"),
        ),
        _item(
            "Group size.",
            *about("G = "),
            "At a fixed number of completions a step a pair of rollouts a prompt is the slow choice.",
        ),
        _item(
            "Learning rate.",
            "Four times the rate (2e-3) reaches p = 0.8 in a third of the steps, at K_ref = 1 and 64 alike (`fast`). "
            "On-policy no run fell; at K_ref = 64 all did, by 0.01 within 30 steps of the second or third generation, "
            "long after p = 0.8: a fast rise is no sign that the interval is safe.",
        ),
        "",
        "## The refresh interval against lag 0",
        "",
        "TRL itself; two warm-ups, three seeds; differences over the six pairs; stiffness: the least that was seen.",
        "",
        *table(REFRESH, refresh_rows(results)),
        _filled(READING),
        "",
        "## All sampled arms against lag 0",
        "",
        *table(EFFECTS, effect_rows(results)),
        _filled(ARMS),
        "",
        "## By the exact expected update only",
        "",
        _filled(TWINS),
        "",
        *table(EXPECTED, twin_rows(results)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def frozen(folder: Path) -> list[Result]:
    """The results of a sweep's folder, all of the full sweep's cells.

    Args:
        folder: of the sweep.

    Raises:
        InputError: it is no folder, a cell's file is broken, or a cell is missing.
    """
    if not folder.is_dir():
        raise InputError(
            folder, found="no folder", expected="the folder of a finished sweep",
            todo="name the --out of python -m empirical sweep --full",
        )  # fmt: skip
    cells = list(dict.fromkeys(design.cells(full=True)))
    results = store.load(folder, cells)
    if len(results) < len(cells):
        raise InputError(
            folder, found=f"{len(results)} of {len(cells)} cells of the full sweep", expected="all of them",
            todo=f"finish it: python -m empirical sweep --full --out {folder}; the frozen runs are as they were",
        )  # fmt: skip
    return results


def main(folders: Sequence[str]) -> int:
    """Freeze a folder, if one is named, and write the guide; nothing is written unless both can be."""
    with refusals():
        if len(folders) > 1:
            raise InputError(
                "the command line", found=f"{len(folders)} arguments", expected="one folder or none",
                todo="name the --out of python -m empirical sweep --full alone",
            )  # fmt: skip
        results = frozen(Path(folders[0])) if folders else list(store.unpack(FROZEN))
        text = guide(results)
        if folders:
            store.pack(results, FROZEN)
        write(GUIDE, text)
    print(GUIDE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
