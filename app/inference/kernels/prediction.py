"""The loop of fitting/prediction.py: one pass over a log that keeps a mean and a variance for each score and bias."""

import math

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Floats, Ints


@kernel
def filtered(
    first: Ints, second: Ints, p: Floats, judge: Ints, weight: Floats, mean: Floats, variance: Floats
) -> tuple[Floats, Floats, Floats]:
    """x, v and delta (K,) before each verdict.

    Args: `mean` and `variance` (N + J,), scores first, are those before the first verdict.
    """
    mean, variance = mean.copy(), variance.copy()
    n = len(mean) - judge.max() - 1 if len(judge) else len(mean)
    x, v, delta = np.empty(len(p)), np.empty(len(p)), np.empty(len(p))
    for k in range(len(p)):
        a, b, j = first[k], second[k], n + judge[k]
        x[k], v[k], delta[k] = mean[a] - mean[b], variance[a] + variance[b], mean[j]
        of_d = v[k] + variance[j]
        q = 1.0 / (1.0 + math.exp(-(x[k] + delta[k]) / math.sqrt(1.0 + math.pi * of_d / 8.0)))
        w = weight[k] * q * (1.0 - q)
        gain = 1.0 / (1.0 + w * of_d)
        pull = weight[k] * (p[k] - q) * gain
        mean[a] += variance[a] * pull
        mean[b] -= variance[b] * pull
        mean[j] += variance[j] * pull
        for i in (a, b, j):
            variance[i] -= variance[i] ** 2 * w * gain
    return x, v, delta
