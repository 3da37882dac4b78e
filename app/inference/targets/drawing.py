"""Draws of the scores from their posterior, a mixture or not."""

import numpy as np

from app.inference.covariance import dense
from app.inference.fitting.posterior import Scores
from app.inference.types import Floats, Ints

ROUNDING = 9  # decimals of a score, below which candidates count as equal


def best_first(posterior: Scores) -> Ints:
    """(N,) the candidates by their mean scores: in this order draws are the same whoever is listed first."""
    return np.argsort(-np.round(posterior.mean, ROUNDING), kind="stable")


def draw_scores(posterior: Scores, order: Ints, rng: np.random.Generator, draws: int) -> Floats:
    """(draws, N) scores in this order; of a mixture, each part has as many as its weight gives by chance."""
    if posterior.parts:
        counts = rng.multinomial(draws, [weight for weight, _ in posterior.parts]).tolist()
        by_part = zip(posterior.parts, counts, strict=True)
        return np.concatenate([draw_scores(part, order, rng, count) for (_, part), count in by_part])
    factor = np.linalg.cholesky(dense(posterior.covariance)[np.ix_(order, order)])
    return np.asarray(posterior.mean[order] + rng.standard_normal((draws, len(order))) @ factor.T)
