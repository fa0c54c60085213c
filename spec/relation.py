"""Relations as they are written: sympy decides nothing when they are built, so that a checker can."""

from sympy import Eq, Expr
from sympy.core.relational import Relational


def equal(left: Expr | int, right: Expr | int) -> Relational:
    """left = right."""
    return Eq(left, right, evaluate=False)
