"""The report of a set: one HTML file that opens without a network and prints on A4, and the seal that verifies it.

Not here: its sentences (sentences), its figures from a ranking (analysis), who asks for it (service, offline).
"""
