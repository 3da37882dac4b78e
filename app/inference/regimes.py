"""Sizes of a problem at which something else is done: all such numbers of the numerics, and no others.

Up to the number, and at it, holds what is said first; after it what comes behind "beyond". In brackets is where it was
measured: decisions (docs/decisions), or why nowhere. docs/appendix/scale.md says more, and has the same numbers. Draws,
tolerances, shares and how much is looked at are no sizes of a problem, and stand where they are used.

    AT_ONCE                   32  candidates  a stage has what its own comparisons teach; beyond, what those up to the
                                              stage before do, learnt ahead [42]; so with votes of a set in a pool [68]
    SMALL                     64  candidates  or parameters: a fit by a Cholesky factor for each verdict; beyond, folds
                                              by conjugate gradients [23]. Knowledge of all pairs, over all pairs, and
                                              all contend for the top k; beyond, a shortlist, and joining first [35, 40,
                                              47]. A set shares its models' effects with its pool; beyond, not
    MEDIUM                   200  candidates  votes by expectation propagation; beyond, by Laplace's normal [68]. Every
                                              open pair is scored; beyond, a shortlist [99]. A covariance that is due is
                                              made at once; beyond, beside the requests, at once if very late [73]
    RANKED_DENSE             500  candidates  a ranking from the covariance, of any target; beyond, of latent scores,
                                              from rows. Evidence by eigenvalues or a determinant; beyond, by Lanczos'
                                              quadrature [62]. Judges have a position bias by default [71], and scores
                                              fitted with them say discrimination, effects and influence [84]
    DENSE                  4,000  candidates  a covariance with all its entries; beyond, H in rows [99, 57]

Beyond these it is refused:

    MOST_DENSE            10,000  parameters  a matrix where there is no other way: 800 MB [calculated]
    MOST_EFFECTS           5,000  effects     of each judge on each candidate. Each judge costs N^3 [48, 67]
    MOST_IN_A_ROUND    2,000,000  verdicts    all pairs in both orders, by all judges on all prompts [not kept]
    MOST_IN_SLICES    10,000,000  entries     of a matrix of candidates for each prompt, for rankings by tag [74]
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
