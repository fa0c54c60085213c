"""Benchmarks: errors against exact numbers, and speed as ratios to named peers in one run, on one core."""

import os

# before numpy is imported: the linear algebra of the peers is to run on one core, as everything else does
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
