"""Confidence of rankings held against what is so, on real judges and people and on simulated judges."""
