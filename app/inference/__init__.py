"""Numerics, pure: arrays in, arrays out; what goes on from an earlier result is state in, (state, info) out.

Not here: I/O, a clock, a random source that is no argument; rows (storage), words and JSON (service).
"""
