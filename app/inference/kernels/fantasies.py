"""Fantasies, compiled for Bradley-Terry with few candidates: a covariance once pairs are answered as expected.

    kernel          slow formula
    conditioned     covariance.condition for one pair after the other

The equations and signs are those of picking.py and soft_bt.py.
"""

import math

from app.inference.kernels import kernel
from app.inference.types import Floats, Ints


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
