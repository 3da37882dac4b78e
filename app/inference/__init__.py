"""Numerics, pure: arrays in, arrays out; what continues an earlier result is state in, (state, info) out.

A verdict       state.advance    the log, its stage (what was learnt), core.Cells (what was said), then fitting.fold:
                                 the exact mean, and the covariance with one more column; at a new stage
                                 fitting.fit computes both again
A pair          state.ask        which pairs are open, then choosing: the best one by the set's criterion
A stop          state.check      first on the live posterior, then on the exact one
A ranking       state.exact      the posterior as it is published (fitting.publish), then targets: the quantity that
                                 is ranked, then reporting: ranks, intervals, confidence

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

Each imports only what stands below it. A door is the __init__ of a package: other packages import what it lists.
Not here: I/O, a clock, a random source that is no argument; rows (storage), schemas (service),
words for people (sentences).
"""
