"""Do rank-sets hold, how much does a judge help? `python -m benchmarks.studies.rank_sets`: tables of rank-sets.md."""
