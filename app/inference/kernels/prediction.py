"""The loop of fitting/prediction.py: one pass over a log that keeps a mean and a variance for each score and bias."""

import math

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Floats, Ints


@kernel
def filtered(
    first: Ints, second: Ints, p: Floats, judge: Ints, weight: Floats, mean: Floats, variance: Floats, block: Ints
) -> tuple[Floats, Floats, Floats]:
    """x, v and delta (K,) before the block of each verdict; `block` (K,) has the same number for those of one.

    Args: `mean` and `variance` (N + J,), scores first, are those before the first verdict.
    """
    mean, variance = mean.copy(), variance.copy()
    n = len(mean) - judge.max() - 1 if len(judge) else len(mean)
    x, v, delta = np.empty(len(p)), np.empty(len(p)), np.empty(len(p))
    begin = 0
    while begin < len(p):
        end = begin
        while end < len(p) and block[end] == block[begin]:
            a, b = first[end], second[end]
            x[end], v[end], delta[end] = mean[a] - mean[b], variance[a] + variance[b], mean[n + judge[end]]
            end += 1
        for k in range(begin, end):
            a, b, j = first[k], second[k], n + judge[k]
            of_d = variance[a] + variance[b] + variance[j]
            q = 1.0 / (1.0 + math.exp(-(mean[a] - mean[b] + mean[j]) / math.sqrt(1.0 + math.pi * of_d / 8.0)))
            w = weight[k] * q * (1.0 - q)
            gain = 1.0 / (1.0 + w * of_d)
            pull = weight[k] * (p[k] - q) * gain
            mean[a] += variance[a] * pull
            mean[b] -= variance[b] * pull
            mean[j] += variance[j] * pull
            for i in (a, b, j):
                variance[i] -= variance[i] ** 2 * w * gain
        begin = end
    return x, v, delta
