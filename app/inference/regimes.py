"""Sizes of a problem at which something else is done: all such numbers of the numerics, and no others.

Up to the number, and at it, holds what is said first; after it what comes behind "beyond". Draws, tolerances, shares
and how much is looked at are no sizes of a problem, and stand where they are used. In brackets is where it was
measured: decisions (docs/decisions), or why nowhere: "calculated", or "not kept". docs/appendix/scale.md has the same
numbers for readers.

What is done

    AT_ONCE                   32  candidates  a stage has what its own comparisons teach, within 20 ms; beyond, what
                                              those up to the stage before teach, which can be learnt ahead [42]. Votes
                                              of a set in a pool are propagated, however few; beyond, if they are
                                              enough, by Laplace's normal: a set takes 15 ms [68]
    SMALL                     64  candidates  or parameters: Newton steps by a Cholesky factor, and a fit for each
                                              verdict; beyond, by conjugate gradients, and verdicts are folded in [23].
                                              The knowledge gradient of all pairs, over all pairs, and all may contend
                                              for the top k; beyond, of a shortlist, or among so many that are least
                                              decided or in front, and components are joined first: all pairs take N^4
                                              steps, 4 ms with 64 [35, 40, 47]. A set shares its models' effects with
                                              its pool; beyond, it does not [not kept]
    MEDIUM                   200  candidates  votes by expectation propagation, and draws of them beyond normal ones;
                                              beyond, by Laplace's normal. It tries forty variances: half a second with
                                              100 [68]. Every open pair is scored for the next one; beyond, those of a
                                              shortlist [99]. A covariance that is due is made at once; beyond, beside
                                              the requests, and at once if it is three periods late [73]
    RANKED_DENSE             500  candidates  a ranking from the covariance, of any target; beyond, of latent scores
                                              alone, and from rows if the model has such a form: with 4,000 that takes
                                              0.9 s of a processor and not 88 or more. Evidence by eigenvalues or a
                                              determinant; beyond, by Lanczos' quadrature [62]. Judges who say
                                              probabilities have a position bias by default [71], and scores and judges
                                              fitted together say their discrimination, effects and influence [84]
    DENSE                  4,000  candidates  a covariance with all its entries; beyond, if the model has such a form
                                              (gaussian.py), H in rows and variances by a series. A matrix takes
                                              128 MB, and a second to make [99, 57]

What can be held, beyond which it is refused

    MOST_DENSE            10,000  parameters  a matrix where there is no other way: 800 MB [calculated]
    MOST_EFFECTS           5,000  effects     of each judge on each candidate. Each judge costs N^3 [48, 67]
    MOST_IN_A_ROUND    2,000,000  verdicts    all pairs in both orders, by all judges on all prompts, are a target.
                                              Draws of more take gigabytes, and a minute [not kept]
    MOST_IN_SLICES    10,000,000  entries     of a matrix of candidates for each prompt make rankings by tag. 100
                                              candidates on 1,000 prompts take 0.5 GB, and seconds [74]
"""

AT_ONCE = 32
SMALL = 64
MEDIUM = 200
RANKED_DENSE = 500
DENSE = 4_000

MOST_DENSE = 10_000
MOST_EFFECTS = 5_000
MOST_IN_A_ROUND = 2_000_000
MOST_IN_SLICES = 10_000_000
