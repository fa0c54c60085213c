"""`python -m empirical`: the same program as the console script `predictable-grpo`."""

from empirical.cli import main

main()
