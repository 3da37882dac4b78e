"""Use cases: one module per thing that a user does, each reading as its steps. presenting/ makes what they answer.

A verdict: comparisons.tell, then posteriors.learn once it is answered. A pair: asking.ask, then choosing and leases.
A ranking: rankings.rank, which results.read computes on a thread of live.jobs.

What several of them share is here too: basis, choosing, context, definitions, errors, failures, grouping,
idempotency, key_lookup, leases, limits, notices, posteriors, turns, weighing. checks/ are those of a ranking.

Not here: HTTP (api, web), SQL (storage), numerics (inference, reached by its doors alone).
"""
