"""Comparisons as compressed rows, one row for each candidate: of them the mean and the variances of many are found.

    Graph              comparisons in rows; the gradient and H at any scores, and what one more vote moves at once
    Precision          H in the same rows
    solve, newton_step H x = b
    push               single entries of H^-1, in certified intervals

Not here: which model the comparisons are of (fitting), what stands for the covariance (gaussian).
"""
