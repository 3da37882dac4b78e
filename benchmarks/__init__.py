"""How fast it is: each benchmark prints ratios inside one run and asserts nothing."""

from app.process import one_blas_thread

one_blas_thread()
