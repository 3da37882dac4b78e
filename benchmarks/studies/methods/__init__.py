"""Methods compared on real judgements.

`python -m benchmarks.studies.methods` writes docs/appendix/benchmarks.md.
"""
