"""The cache and the jobs: snapshots of the sets in use, their threads, and long computations. Never the truth.

posteriors.py holds the snapshots, catalogue.py who is compared, jobs.py the long computations and their results;
speed.py tells what is quick enough for the event loop.

Not here: numerics (inference), and whatever brings a snapshot up to its log (service.posteriors).
"""
