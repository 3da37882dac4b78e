"""Confidence of rankings compared with the truth, on real judges and people and on simulated judges."""
