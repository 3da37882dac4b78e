"""HTTP: one router for each noun of the contract, and around them keys, bodies, limits, problems and metrics.

Not here: what an operation does (service), its requests and answers (nextpair.schemas), pages for people (web).
"""
