"""nextpair: rank texts, models and systems by pairwise comparison."""

import os

# One BLAS thread: below N = 500 a second one makes the fits up to 60 times slower, above it requests share the cores.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

__version__ = "0.1.0"
