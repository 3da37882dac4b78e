"""How fast it is: each benchmark prints ratios inside one run and asserts nothing."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two wait for each other where cores are busy
