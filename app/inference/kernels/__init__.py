"""Loops over small arrays, compiled by numba where numpy spends more on being called than on arithmetic.

Not here: anything that has no slow formula in numpy elsewhere, and anything that knows a model or a log.
"""
