"""Sums over comparisons by their design: row k of R is e_first - e_second, and + e_bias where biases are parameters.

kernel             slow formula
precision_times    (diag(q) + R^T diag(w) R) x
precision          diag(q) + R^T diag(w) R
are_near           (np.abs(w - before) <= most * before).all()

q, w    prior, weights     (P,), (K,)
bias    the place of the judge's bias among the parameters; (0,) where there is none
"""

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Floats, Ints

NO_BIAS = np.empty(0, np.int64)


@kernel
def precision_times(x: Floats, first: Ints, second: Ints, bias: Ints, weights: Floats, prior: Floats) -> Floats:
    """H x, (P,)."""
    product = prior * x
    for k in range(len(weights)):
        i, j = first[k], second[k]
        d = x[i] - x[j]
        if len(bias):
            d += x[bias[k]]
            product[bias[k]] += weights[k] * d
        product[i] += weights[k] * d
        product[j] -= weights[k] * d
    return product


@kernel
def precision(first: Ints, second: Ints, bias: Ints, weights: Floats, prior: Floats, n: int) -> Floats:
    """H, (P, P), symmetric to the last bit.

    The diagonal of the n candidates is summed over pairs, as the rest is: sums over comparisons are rounded by more
    than the anchor prior's precision.
    """
    h = np.zeros((len(prior), len(prior)))
    for k in range(len(weights)):
        i, j, w = first[k], second[k], weights[k]
        h[i, j] -= w
        h[j, i] -= w
        if len(bias):
            b = bias[k]
            h[b, b] += w
            h[i, b] += w
            h[b, i] += w
            h[j, b] -= w
            h[b, j] -= w
    for i in range(len(prior)):
        h[i, i] = prior[i] + (h[i, i] if i >= n else -h[i, :n].sum())
    return h


@kernel
def are_near(weights: Floats, before: Floats, most: float) -> bool:
    """Whether no weight is further from what it was before than by that share of it."""
    far = 0
    for k in range(len(weights)):
        far += not abs(weights[k] - before[k]) <= most * before[k]
    return far == 0
