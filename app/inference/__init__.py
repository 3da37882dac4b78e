"""Numerics, pure: arrays in, arrays out; what continues an earlier result returns a new one. Only cells change.

A verdict       state.advance: extends the log, and what the model reads of it. Within a stage Cells.after adds the
                verdict (core/cells.py), and posterior.fold of fitting goes on from the mean before. At a new stage,
                or after a void, weights not fixed or learnt ahead are learnt (weights.learn), and all is fitted again
                (posterior.fit_edges); Snapshot.due says what can be computed ahead
A pair          state.ask: what is due for overlap or to be repeated, which pairs are open, then choosing: the best one
A stop          state.check: first on the live posterior, then on the exact one
A ranking       reporting.resolve: which target. state.exact: the posterior fitted from scratch by targets.publish_for,
                where a file begins, or in simple cases the live one made exact; state.under by another method.
                state.quantity: what is ranked, by targets.quantity_of. reporting.by_posterior: its table, ranks by
                scores and chances by draws (targets/drawing.py)

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
    pair_sets    sets of pairs without a matrix
    regimes.py   every size at which something else is done

Below them verdicts (which candidate is named) and types. Each imports only what stands below it; who is not of
inference imports what the __init__ of a package lists. docs/appendix/architecture.md draws it.
Not here: I/O, a clock, a random source that is neither an argument nor has a fixed seed; rows (storage), schemas
(service), sentences.
"""
