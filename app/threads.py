"""How many threads linear algebra takes in a process of ours."""

import os


def one_blas_thread() -> None:
    """To be called before numpy is imported, and never by a library: others in its process may want their threads.

    Below N = 500 a second thread makes the fits up to 60 times slower; above it requests share the cores.
    """
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
