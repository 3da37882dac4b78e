"""What nextpair says to people: one module for each noun, functions from numbers to sentences, for every surface alike.

The five figures of confidence have these names and this order everywhere:

    expected concordance    the share of pairs expected in the right order
    P(best)                 the probability that a candidate is the best
    rank interval           the best and the worst rank of a candidate
    interval                of a score, at the level asked for
    signal                  evidence that verdicts depend on the candidates (e-value)

Not here: the numbers (inference), how answers are laid out (analysis, service, offline.printing, web).
"""
