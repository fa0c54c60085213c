"""Audit a table of means and standard deviations over seeds, in exact rational arithmetic.

GRIM (Brown & Heathers 2017), GRIMMER (Anaya 2016, Allard 2018) and DEBIT (Heathers & Brown 2019), with every
convention behind a printed cell as an explicit hypothesis: `Rule`.
"""

from empirical.audit.audit import Audit, CellReport, Ranked, audit
from empirical.audit.cell import Cell
from empirical.audit.debit import debit, spread_bounds
from empirical.audit.explain import count, explain, explained, neighbours, permissiveness, printed
from empirical.audit.grid import Estimator, Grid, Lattice, RoundedGrid, SumGrid, grid
from empirical.audit.grim import grim
from empirical.audit.grimmer import grimmer
from empirical.audit.hypothesis import Mixed, Rule, rules
from empirical.audit.rounding import Printed, Rounding, round_fraction, round_root
from empirical.audit.table import published_cells, read_cells

__all__ = [
    "Audit",
    "Cell",
    "CellReport",
    "Estimator",
    "Grid",
    "Lattice",
    "Mixed",
    "Printed",
    "Ranked",
    "RoundedGrid",
    "Rounding",
    "Rule",
    "SumGrid",
    "audit",
    "count",
    "debit",
    "explain",
    "explained",
    "grid",
    "grim",
    "grimmer",
    "neighbours",
    "permissiveness",
    "printed",
    "published_cells",
    "read_cells",
    "round_fraction",
    "round_root",
    "rules",
    "spread_bounds",
]
