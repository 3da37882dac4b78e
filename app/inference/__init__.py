"""Numerics, pure: arrays in, arrays out; what continues an earlier result is state in, (state, info) out.

A verdict       state.advance: the log as the model reads it, and its stage, at which weights are learnt. core.Cells
                takes the verdict in, and posterior.fold of fitting goes on from the mean before
A pair          state.ask: what is due for overlap or to be repeated, which pairs are open, then choosing: the best one
A stop          state.check: first on the live posterior, then on the exact one
A ranking       state.exact, the posterior as it is published; state.quantity, what is ranked of it, by targets;
                reporting.by_posterior, its table with ranks, intervals and confidence

    state        a set: its log, its candidates, the snapshot that they amount to
    choosing     which pair next, in which order, and when to stop
    judges       several judges together: group verdicts, skills, rank-sets
    reporting    ranks and intervals of a posterior, and diagnostics of judges
    targets      the quantity that is ranked
    fitting      from comparisons to a posterior: N(mean, Sigma)
    gaussian     Sigma, as an array or in rows
    core         what was said, added up: cells and edges; the maximum given them
    kernels      compiled loops
    experts      what one comparison says of a score difference
    regimes.py   every size at which something else is done

Below them verdicts (which candidate is named) and types. Each imports only what stands
below it; who is not of inference imports what the __init__ of a package lists. docs/appendix/architecture.md draws it.
Not here: I/O, a clock, a random source that is no argument; rows (storage), schemas (service), sentences.
"""
