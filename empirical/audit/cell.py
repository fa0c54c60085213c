"""One printed cell: a mean, perhaps a standard deviation, and what is known about how it came about."""

from dataclasses import dataclass, field

from empirical.audit.rounding import Printed


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        mean: the mean over seeds as printed.
        std: the standard deviation over seeds as printed; None where the table gives none.
        problems: number of problems; None leaves it to the rule.
        seeds: number of seeds; None leaves it to the rule.
        samples: completions a problem; None leaves it to the rule.
        k: the k of pass@k; 1 for an average of binary outcomes.
        scale: what a perfect score is printed as: 100 for percent, 1 for a proportion.
        labels: names of the cell, column to value.
        line: line of the file it was read from (0: none).
    """

    mean: Printed
    std: Printed | None = None
    problems: int | None = None
    seeds: int | None = None
    samples: int | None = None
    k: int = 1
    scale: int = 100
    labels: dict[str, str] = field(default_factory=dict, hash=False, compare=False)
    line: int = field(default=0, hash=False, compare=False)

    @property
    def name(self) -> str:
        """The labels, one after the other."""
        return " / ".join(value for value in self.labels.values() if value)

    @property
    def shown(self) -> str:
        """The cell as printed."""
        return f"{self.mean}" + (f" ± {self.std}" if self.std is not None else "")
