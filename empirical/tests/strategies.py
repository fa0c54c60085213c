"""What the property tests of the audit draw."""

from hypothesis import strategies as st

from empirical.audit import Estimator, Rounding, Rule

EXACT = (Rounding.HALF_UP, Rounding.HALF_EVEN, Rounding.TRUNCATION)


@st.composite
def rules(draw: st.DrawFn, rounding: tuple[Rounding, ...] = EXACT, largest: int = 4) -> Rule:
    """A joint hypothesis with few samples, two or three seeds and few problems."""
    return Rule(
        rounding=draw(st.sampled_from(rounding)),
        per_seed=draw(st.sampled_from((None, *EXACT))),
        ddof=draw(st.sampled_from((0, 1))),
        samples=draw(st.integers(1, largest)),
        estimator=draw(st.sampled_from(Estimator)),
        seeds=draw(st.integers(2, 3)),
        problems=draw(st.integers(1, 6)),
    )
