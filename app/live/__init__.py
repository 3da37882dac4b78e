"""The live posterior of each open set: a cache of the log, never the truth."""
