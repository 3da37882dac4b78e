"""Matrices of who beats whom, candidate by candidate: as it was observed, and as the posterior expects it."""

import numpy as np
from scipy.special import ndtr

from app.inference.covariance import dense
from app.inference.fitting.posterior import Scores
from app.inference.types import Comparisons, Floats


def observed_wins(comparisons: Comparisons, n: int) -> Floats:
    """(N, N) mean probability that the row beats the column; NaN where they never met."""
    first, second, p, _, _ = comparisons
    at = np.concatenate([first * n + second, second * n + first])
    count = np.bincount(at, minlength=n * n)
    total = np.bincount(at, np.concatenate([p, 1.0 - p]), n * n)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(n, n)


def expected_wins(posterior: Scores) -> Floats:
    """(N, N) P(s_row > s_column), of a mixture over all its parts; NaN on the diagonal."""
    if posterior.parts:
        return np.asarray(sum(weight * expected_wins(part) for weight, part in posterior.parts))
    mean, covariance = posterior.mean, dense(posterior.covariance)
    own = covariance.diagonal()
    v = np.maximum(own[:, None] + own - 2.0 * covariance, np.finfo(np.float64).tiny)
    p = ndtr((mean[:, None] - mean) / np.sqrt(v))
    np.fill_diagonal(p, np.nan)
    return np.asarray(p)
