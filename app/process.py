"""What a process of ours settles for itself: threads of linear algebra, and what the garbage collector looks at."""

import gc
import os

YOUNG = 20_000  # objects made before the collector looks at them; a request over many sets makes as many


def one_blas_thread() -> None:
    """To be called before numpy is imported, and never by a library: others in its process may want their threads.

    Below N = 500 a second thread makes the fits up to 60 times slower; above it requests share the cores.
    """
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def freeze_what_start_up_made() -> None:
    """To be called when a process has started: what is there now stays, and only what comes later is looked at."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
