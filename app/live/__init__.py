"""The cache and the jobs: snapshots of the sets in use, their threads, and long computations. Never the truth.

Not here: numerics (inference), and reading what a snapshot is made of (service.posteriors).
"""
