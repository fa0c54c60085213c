"""From a test run to verdicts, a page, a findings document and badges.

`items` turns the claims of `spec/` into pytest items, `collect` gathers what tests report, `assemble` judges,
`write` renders. `conftest.py` at the root hooks them into pytest.
"""
