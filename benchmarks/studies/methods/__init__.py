"""What each choice of method is worth on real judgements.

`python -m benchmarks.studies.methods` writes docs/benchmarks.md.
"""
