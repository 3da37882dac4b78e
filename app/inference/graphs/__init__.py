"""Comparisons as compressed rows, one row for each candidate: the one graph that many candidates are fitted on.

    comparison_graph.py       Graph: the comparisons; evaluate: gradient and H at given scores; Precision: H in the same
                              rows
    conjugate_gradients.py    H x = b, in one loop for every H
    variances.py              entries of H^-1, by the first terms of a series

Not here: which model the comparisons are of (fitting), what stands for the covariance (gaussian).
"""
