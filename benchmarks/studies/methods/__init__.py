"""Methods compared on real verdicts: `python -m benchmarks.studies.methods` writes docs/appendix/benchmarks.md."""
