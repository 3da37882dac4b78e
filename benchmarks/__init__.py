"""Measurements, which print and assert nothing: of speed, as ratios inside one run, and of methods, in studies."""

from app.process import one_blas_thread

one_blas_thread()
