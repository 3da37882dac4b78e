"""Do rank-sets hold, what is a judge worth? `python -m benchmarks.studies.rank_sets`: tables of rank-sets.md."""
