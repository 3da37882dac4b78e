"""The loops of choosing a pair, compiled for Bradley-Terry with few candidates.

    kernel          slow formula
    conditioned     covariance.condition for one pair after the other
    best_pairs      choosing/selection.py: score of every open pair
    nth_pair        np.argwhere

The equations and signs are those of selection.py and soft_bt.py.
"""

import math

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Bools, Floats, Ints


@kernel
def _curvature(d: float) -> float:
    e = math.exp(-abs(d))
    return e / (1.0 + e) ** 2


@kernel
def conditioned(sigma: Floats, mean: Floats, first: Ints, second: Ints, votes: float) -> tuple[Floats, float]:
    """Sigma (N, N) once these (L,) pairs are answered as soft-bt expects, and what its ln det falls by.

    Args: `votes` is how many answers alike each one stands for.
    """
    sigma, fall = sigma.copy(), 0.0
    for k in range(len(first)):
        i, j = first[k], second[k]
        column = sigma[i] - sigma[j]
        w = votes * _curvature(mean[i] - mean[j])
        growth = w * (column[i] - column[j])
        column *= math.sqrt(w / (1.0 + growth))
        fall += math.log1p(growth)
        for a in range(len(column)):
            for b in range(len(column)):
                sigma[a, b] -= column[a] * column[b]
    return sigma, fall


@kernel
def best_pairs(
    mean: Floats, sigma: Floats, open_pairs: Bools, determinant: bool, power: float, floor: float, tie: float
) -> tuple[Bools, int]:
    """(N, N), True at the open pairs i < j whose score is the best one or tied with it; and how many these are.

    Args: `determinant` takes w(m) v as the score, else it is v / (m^2 + floor)^power.
    """
    scores, best = np.full(sigma.shape, np.nan), -np.inf
    for i in range(len(mean)):
        for j in range(i + 1, len(mean)):
            if open_pairs[i, j]:
                m, v = mean[i] - mean[j], max(sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j], 0.0)
                scores[i, j] = _curvature(m) * v if determinant else v / (m * m + floor) ** power
                best = max(best, scores[i, j])
    tied = scores >= best * (1.0 - tie)
    return tied, tied.sum()


@kernel
def nth_pair(pairs: Bools, k: int) -> tuple[int, int]:
    """Row and column of the k-th True entry, row by row."""
    for i in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            k -= pairs[i, j]
            if k < 0:
                return i, j
    raise IndexError("there are not as many pairs")
