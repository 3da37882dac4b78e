"""What each choice of method is worth on real judgements: `python -m benchmarks.methods` writes docs/benchmarks.md."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # two threads wait for each other where cores are busy
