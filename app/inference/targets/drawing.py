"""Draws of the scores from their posterior, a mixture or not."""

from typing import NamedTuple

import numpy as np

from app.inference.gaussian import Scores
from app.inference.types import Floats, Ints

ROUNDING = 9  # decimals of a score, below which candidates count as equal
DRAWS_SEED = 0  # of draws that are published: the same posterior gives the same figures
FEWEST, MOST, SCORES = 2000, 10_000, 500_000  # as many draws as give so many scores in all


def usual_draws(n: int) -> int:
    """Number of draws of n scores in which published figures and claims are counted."""
    return min(max(SCORES // max(n, 1), FEWEST), MOST)


def best_first(posterior: Scores) -> Ints:
    """(N,) the candidates by their mean scores: in this order draws are the same whoever is listed first."""
    return np.argsort(-np.round(posterior.mean, ROUNDING), kind="stable")


class ScoreDraws(NamedTuple):
    """D draws from the posterior of the scores."""

    scores: Floats  # (D, N)
    noise: Floats  # (D,) sigma2, relative to that learnt


def draw_scores(posterior: Scores, order: Ints, rng: np.random.Generator, draws: int) -> ScoreDraws:
    """Draws of the scores, in this order; of a mixture, each part has as many as its weight gives by chance."""
    if posterior.parts:
        counts = rng.multinomial(draws, [weight for weight, _ in posterior.parts]).tolist()
        by_part = zip(posterior.parts, counts, strict=True)
        of_parts = [draw_scores(part, order, rng, count) for (_, part), count in by_part]
        return ScoreDraws(*(np.concatenate(columns) for columns in zip(*of_parts, strict=True)))
    factor = np.linalg.cholesky(posterior.covariance.matrix()[np.ix_(order, order)])
    scores = posterior.mean[order] + rng.standard_normal((draws, len(order))) @ factor.T
    return ScoreDraws(np.asarray(scores), np.full(draws, posterior.noise))


def drawn_in_place(posterior: Scores, rng: np.random.Generator, draws: int | None = None) -> Floats:
    """(D, N) draws of the scores, in the order of candidates; more draws for fewer candidates by default."""
    order = best_first(posterior)
    draws = draws or usual_draws(len(order))
    values = np.empty((draws, len(order)))
    values[:, order] = draw_scores(posterior, order, rng, draws).scores
    return values
