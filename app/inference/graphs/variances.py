"""Variances from Sigma = H^-1 where no (N, N) array fits: the first terms of Neumann's series.

    H = D - W        D its diagonal, W >= 0 what each pair weighs; H is an M-matrix
    Sigma = sum_k (D^-1 W)^k D^-1

    b^T Sigma b ~ y^T D y + y^T W y + (W y)^T D^-1 (W y),    y = D^-1 b        b = e_i, or e_i - e_j

What is left out of Sigma_ii is positive. It is about 1% under a prior of variance 1, and a tenth under one of 16 where
candidates were compared six times (decision 99). With a bias among the parameters H has other entries.

    kernel       slow formula
    variances    Sigma_ii, or v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij, of these three terms of the series by matrices
"""

import numpy as np

from app.inference.graphs.comparison_graph import Precision
from app.inference.kernels import unchecked_kernel
from app.inference.types import Floats, Ints

NOBODY = -1


def diagonal(precision: Precision) -> Floats:
    """(N,) Sigma_ii."""
    n = len(precision.diagonal)
    return variances(precision, np.arange(n), np.full(n, NOBODY))


@unchecked_kernel
def variances(precision: Precision, first: Ints, second: Ints) -> Floats:
    """(L,) v_ij of these pairs, or Sigma_ii beside NOBODY."""
    start, rival, weight, _, d = precision
    pulled, v = np.zeros(len(d)), np.zeros(len(first))
    for pair in range(len(first)):
        ends = ((first[pair], 1.0), (second[pair], -1.0))
        for who, sign in ends:
            if who != NOBODY:
                v[pair] += 1.0 / d[who]
                for k in range(start[who], start[who + 1]):
                    pulled[rival[k]] += sign * weight[k] / d[who]
        for who, sign in ends:
            if who != NOBODY:
                v[pair] += sign * pulled[who] / d[who]
        for who, _ in ends:
            if who != NOBODY:
                for k in range(start[who], start[who + 1]):
                    v[pair] += pulled[rival[k]] ** 2 / d[rival[k]]
                    pulled[rival[k]] = 0.0
    return v
