"""Sizes of a problem at which something else is done: all such numbers of the numerics, and no others.

A size is a number of candidates, parameters, effects or verdicts. Up to the number, and at it, holds what is said
first; after it what comes behind "beyond". Draws, tolerances, shares and how much is looked at are no sizes of a
problem, and stand where they are used. In brackets is where it was measured: decisions (docs/decisions), or why
nowhere: "calculated", or "not kept". docs/appendix/scale.md has the same numbers for readers.

What can be held

    DENSE                  4,000  candidates  a covariance with all its entries; beyond, if the model has such a form
                                              (gaussian/sparse.py), H in rows and variances by a series. A matrix takes
                                              128 MB, and a second to make [99, 57]
    MOST_DENSE            10,000  parameters  a matrix where there is no other way; beyond, it is refused. A matrix
                                              takes 800 MB [calculated]
    RANKED_DENSE             500  candidates  a ranking from the covariance, of any target; beyond, of latent scores
                                              alone, and from rows if the model has such a form. With 4,000 that takes
                                              0.9 s of a processor and not 88 or more [62]
    COUNTED                    8  candidates  rank intervals hold together in as many draws as the level asks for;
                                              beyond, by a sum of probabilities, which no seed moves [81]
    MOST_EFFECTS           5,000  effects     of each judge on each candidate are estimated; beyond, refused. Each judge
                                              costs N^3 [48, 67]
    JUDGED_JOINTLY           500  candidates  scores and judges fitted together say the discrimination, effects and
                                              influence of a judge; beyond, nothing does. 4,000 took 130 s of a
                                              processor [84]
    MOST_IN_A_ROUND    2,000,000  verdicts    all pairs in both orders, by all judges on all prompts, are a target;
                                              beyond, refused. Draws of more take gigabytes, and a minute [not kept]
    MOST_IN_SLICES    10,000,000  entries     of a matrix of candidates for each prompt make rankings by tag; beyond,
                                              refused. 100 candidates on 1,000 prompts take 0.5 GB, and seconds [74]

How scores are fitted

    FACTORED                  64  parameters  Newton steps by a Cholesky factor, for soft-bt in one compiled loop, which
                                              fits each new verdict at once; beyond, by conjugate gradients, and
                                              verdicts are folded in, which is quicker there [23]
    INVERTED_AT_ONCE         256  candidates  a covariance that is due is made at once, within milliseconds; beyond, it
                                              is made beside the requests and taken when it is there, or at once if it
                                              is three periods late [73]
    BIASED_BY_DEFAULT        500  candidates  judges who say probabilities have a position bias; beyond, none by
                                              default, as it makes the next pair slow to choose [71]

Verdict weights

    DECOMPOSED               500  candidates  evidence by eigenvalues or a determinant, and variances of repeated pairs
                                              from a matrix; beyond, by Lanczos' quadrature and a series, which take
                                              seconds less [62]
    EVIDENCE_COMPILED         32  parameters  the evidence of votes by the compiled fit, with its covariance; beyond, by
                                              a fit without one and a factor of H, which is quicker there [not kept]
    LEARNT_AT_ONCE            32  candidates  a stage has what its own comparisons teach, within 20 ms; beyond, what
                                              those up to the stage before teach, which can be learnt ahead [42]
    PROPAGATED               200  candidates  votes by expectation propagation, and draws of them by slices; beyond, by
                                              Laplace's normal. It tries forty variances: half a second with 100, five
                                              with 300 [68]
    POOL_PROPAGATED           32  candidates  the same of a set in a pool, however few its votes; beyond, by Laplace's
                                              normal, if votes are enough. A set takes 15 ms [68]
    EFFECTS_POOLED            64  candidates  a set shares its models' effects with its pool; beyond, it does not: that
                                              takes longer than all else that is pooled [not kept]

Which pair is next

    SCANNED                  100  candidates  every open pair is scored; beyond, those of a shortlist
                                              (choosing/shortlist.py). With 1,056 all take 30 ms, the list 1 ms [99]
    FULLY_SUMMED              64  candidates  the knowledge gradient of all pairs, over all pairs; beyond, of a
                                              shortlist, or among so many candidates that are least decided, and for a
                                              ranking components are joined first. All pairs take N^4 steps: 4 ms with
                                              64 [35, 40, 47]
    CONTENDERS                64  candidates  all may contend for the top k; beyond, so many who are in front, or 2 k if
                                              that is more [not kept]
    KNOWN_QUICKLY             12  candidates  pairs by knowledge count as quick as others; beyond, as slower
                                              (state/speed.py), and beyond twice the number they get a thread [40]
"""

DENSE = 4_000
MOST_DENSE = 10_000
RANKED_DENSE = 500
COUNTED = 8
MOST_EFFECTS = 5_000
JUDGED_JOINTLY = 500
MOST_IN_A_ROUND = 2_000_000
MOST_IN_SLICES = 10_000_000

FACTORED = 64
INVERTED_AT_ONCE = 256
BIASED_BY_DEFAULT = 500

DECOMPOSED = 500
EVIDENCE_COMPILED = 32
LEARNT_AT_ONCE = 32
PROPAGATED = 200
POOL_PROPAGATED = 32
EFFECTS_POOLED = 64

SCANNED = 100
FULLY_SUMMED = 64
CONTENDERS = 64
KNOWN_QUICKLY = 12
