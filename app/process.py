"""Settings of a process of ours: threads of linear algebra, and what the garbage collector looks at."""

import gc
import os

YOUNG = 20_000  # objects made before the collector looks at them; a request over many sets makes as many


def one_blas_thread() -> None:
    """Take one thread. Call it before numpy is imported, and never in a library: others may want their threads.

    Below N = 500 a second thread makes the fits up to 60 times slower; above it requests share the cores.
    """
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def freeze_what_start_up_made() -> None:
    """Keep what is there now. Call it when a process has started: only what comes later is looked at."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
