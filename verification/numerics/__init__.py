"""The numbers of `reference/` against independent routes: evidence for the project, not for the paper."""
