"""Draws of the scores from their posterior, a mixture or not.

The normal that stands for votes has mass where their likelihood has none: after 20 votes of 20 it puts 6% where the
loser is the better one. So draws of it are moved. With x = theta - mu and the sites of fitting/evidence.py, the
posterior is N(x; 0, Sigma) exp r(x), whatever its prior and its measurements are:

    r(x) = sum_m a ln sigma(d) + b ln sigma(-d) - nu d + tau d^2 / 2        d = r_m^T (mu + x), over the rows of votes
    z ~ N(0, Sigma),  ln y = r(x) + ln u,  alpha ~ U(0, 2 pi),  [low, high] = [alpha - 2 pi, alpha]
    x <- x cos alpha + z sin alpha  where r > ln y there; else alpha ~ U(low, high) once its own end is at alpha

An elliptical slice leaves that as it is (Murray, Adams and MacKay 2010; about a normal that is near it, Nishihara,
Murray and Adams 2014). Where the two are near each other, draws of the normal are drawn again by exp r, which costs a
tenth (importance resampling: Rubin 1987); where r hardly varies, of many votes, they are what votes say. Of what a part
of the posterior has beyond its votes, as that on new prompts has, the mean is added, and the covariance as a normal.
"""

from typing import NamedTuple

import numpy as np

from app.inference.gaussian import Scores, Votes
from app.inference.kernels import contiguous, ellipses
from app.inference.types import Floats, Ints

ROUNDING = 9  # decimals of a score, below which candidates count as equal
DRAWS_SEED = 0  # of draws that are published: the same posterior gives the same figures
PROBES, ALIKE = 64, 0.06  # draws, and the sd of r over them below which the normal is what votes say
EFFECTIVE = 0.7  # share of the draws that they are worth once each weighs exp r, from which they are drawn by that
SLICES = 5  # of each draw: two hundred change nothing, with 24 candidates that votes separate completely either
NOTHING = 1e-9  # of a variance
FEWEST, MOST, SCORES = 2000, 10_000, 500_000  # as many draws as give so many scores in all


def usual_draws(n: int) -> int:
    """Number of draws of n scores in which published figures and claims are counted."""
    return min(max(SCORES // max(n, 1), FEWEST), MOST)


def best_first(posterior: Scores) -> Ints:
    """(N,) the candidates by their mean scores: in this order draws are the same whoever is listed first."""
    return _largest_first(posterior.mean)


def _largest_first(mean: Floats) -> Ints:
    return np.argsort(-np.round(mean, ROUNDING), kind="stable")


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
    covariance = posterior.covariance.matrix()
    if posterior.votes is None:
        factor = np.linalg.cholesky(covariance[np.ix_(order, order)])
        x = rng.standard_normal((draws, len(order))) @ factor.T
    else:
        x = _by_votes(posterior.votes, order, rng, draws)
        beyond = (covariance - posterior.votes.covariance[: len(order), : len(order)])[np.ix_(order, order)]
        values, vectors = np.linalg.eigh(beyond)
        if (some := values > NOTHING * covariance.diagonal().max()).any():
            x += rng.standard_normal(x.shape) @ (vectors[:, some] * np.sqrt(values[some]) @ vectors[:, some].T)
    return ScoreDraws(posterior.mean[order] + x, np.full(draws, posterior.noise))


def _by_votes(votes: Votes, order: Ints, rng: np.random.Generator, draws: int) -> Floats:
    """(D, N) draws of the scores in this order, less the mean of the normal that stands for these votes."""
    n = len(order)
    parameters = np.append(order, n + _largest_first(votes.mean[n:]))
    place, factor = np.argsort(parameters), np.linalg.cholesky(votes.covariance[np.ix_(parameters, parameters)])
    rows = (
        place[votes.first], place[votes.second], place[votes.bias], contiguous(votes.wins), contiguous(votes.losses),
        contiguous(votes.difference), contiguous(votes.slope), contiguous(votes.precision),
    )  # fmt: skip
    x = rng.standard_normal((draws, len(factor))) @ factor.T
    if draws > PROBES and ellipses.log_ratios(x[:PROBES], *rows).std() < ALIKE:
        return x[:, :n]
    ratio = ellipses.log_ratios(x, *rows)
    weight = np.exp(ratio - ratio.max(initial=-np.inf))
    if draws and weight.sum() ** 2 > EFFECTIVE * draws * np.square(weight).sum():
        places = weight.sum() * (np.arange(draws) + rng.random()) / draws
        return x[np.minimum(np.searchsorted(np.cumsum(weight), places), draws - 1), :n]
    for _ in range(SLICES):
        ellipses.turn(x, ratio, rng.standard_normal(x.shape) @ factor.T, *rows, rng)
    return x[:, :n]


def drawn_in_place(posterior: Scores, rng: np.random.Generator, draws: int | None = None) -> Floats:
    """(D, N) draws of the scores, in the order of candidates; more draws for fewer candidates by default."""
    order = best_first(posterior)
    draws = draws or usual_draws(len(order))
    values = np.empty((draws, len(order)))
    values[:, order] = draw_scores(posterior, order, rng, draws).scores
    return values
