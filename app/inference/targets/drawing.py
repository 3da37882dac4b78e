"""Draws of the scores from their posterior, a mixture or not.

The normal that stands for votes has mass where their likelihood has none, so draws of it are moved (decision 68). With
x = theta - mu and the sites of fitting/evidence.py, the posterior is N(x; 0, Sigma) exp r(x):

    r(x) = sum_m a ln sigma(d) + b ln sigma(-d) - nu d + tau d^2 / 2        d = r_m^T (mu + x), over the rows of votes
    z ~ N(0, Sigma),  ln y = r(x) + ln u,  alpha ~ U(0, 2 pi),  [low, high] = [alpha - 2 pi, alpha]
    x <- x cos alpha + z sin alpha  where r > ln y there; else alpha ~ U(low, high) once its own end is at alpha

An elliptical slice leaves that as it is (Murray, Adams and MacKay 2010; about a normal that is near it, Nishihara,
Murray and Adams 2014). Where the two are near each other, draws of the normal are drawn again by exp r, which costs a
tenth (importance resampling: Rubin 1987); where r hardly varies, of many votes, they are what votes say. Of what a part
of the posterior has beyond its votes, as that on new prompts has, the mean is added, and the covariance as a normal.

    a, b, nu, tau    Votes.wins, .losses, .slope, .precision; slow formulas of the kernels are in the tests
"""

import math

import numpy as np

from app.inference.gaussian import Scores, Votes
from app.inference.kernels import contiguous, unchecked_kernel
from app.inference.types import Floats, Ints

ROUNDING = 9  # decimals of a score, below which candidates count as equal
DRAWS_SEED = 0  # of draws that are published: the same posterior gives the same figures
PROBES, ALIKE = 64, 0.06  # draws, and the sd of r over them below which the normal is what votes say
EFFECTIVE = 0.7  # share of the draws that they are worth once each weighs exp r, from which they are drawn by that
SLICES = 5  # of each draw: two hundred change nothing, with 24 candidates that votes separate completely either
NOTHING = 1e-9  # of a variance
FEWEST, MOST, SCORES = 2000, 10_000, 500_000  # as many draws as give so many scores in all
NARROWEST = 1e-9  # bracket of angles, at which a draw stays where it is
LARGEST = 1e200  # product whose logarithm is taken


def drawn_in_place(posterior: Scores, rng: np.random.Generator, draws: int | None = None) -> Floats:
    """(D, N) draws of the scores, in the order of candidates; more draws for fewer candidates by default."""
    order = best_first(posterior.mean)
    if draws is None:
        draws = min(max(SCORES // max(len(order), 1), FEWEST), MOST)
    values = np.empty((draws, len(order)))
    values[:, order], _ = draw_scores(posterior, order, rng, draws)
    return values


def best_first(mean: Floats) -> Ints:
    """(N,) the candidates by their mean scores: in this order draws are the same whoever is listed first."""
    return np.argsort(-np.round(mean, ROUNDING), kind="stable")


def draw_scores(posterior: Scores, order: Ints, rng: np.random.Generator, draws: int) -> tuple[Floats, Floats]:
    """(D, N) draws of the scores, in this order, and (D,) sigma2 with each, relative to that learnt.

    Of a mixture, each part has as many as its weight gives by chance.
    """
    if posterior.parts:
        counts = rng.multinomial(draws, [weight for weight, _ in posterior.parts]).tolist()
        by_part = zip(posterior.parts, counts, strict=True)
        scores, noise = zip(*(draw_scores(part, order, rng, count) for (_, part), count in by_part), strict=True)
        return np.concatenate(scores), np.concatenate(noise)
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
    return posterior.mean[order] + x, np.full(draws, posterior.noise)


def _by_votes(votes: Votes, order: Ints, rng: np.random.Generator, draws: int) -> Floats:
    """(D, N) draws of the scores in this order, less the mean of the normal that stands for these votes."""
    n, (mean, covariance, *ends) = len(order), votes[:5]
    order = np.append(order, n + best_first(mean[n:]))
    first, second, bias = (np.argsort(order)[end] for end in ends)
    rows = (contiguous(each) for each in votes[5:])
    votes = Votes(mean[order], covariance[np.ix_(order, order)], first, second, bias, *rows)
    factor = np.linalg.cholesky(votes.covariance)
    x = rng.standard_normal((draws, len(factor))) @ factor.T
    if draws > PROBES and log_ratios(x[:PROBES], votes).std() < ALIKE:
        return x[:, :n]
    ratio = log_ratios(x, votes)
    weight = np.exp(ratio - ratio.max(initial=-np.inf))
    if draws and weight.sum() ** 2 > EFFECTIVE * draws * np.square(weight).sum():
        places = weight.sum() * (np.arange(draws) + rng.random()) / draws
        return x[np.minimum(np.searchsorted(np.cumsum(weight), places), draws - 1), :n]
    for _ in range(SLICES):
        turn(x, ratio, rng.standard_normal(x.shape) @ factor.T, votes, rng)
    return x[:, :n]


@unchecked_kernel
def _log_ratio(x: Floats, votes: Votes) -> float:
    """r(x)."""
    total, product = 0.0, 1.0
    for m in range(len(votes.wins)):
        moved = x[votes.first[m]] - x[votes.second[m]]
        if len(votes.bias):
            moved += x[votes.bias[m]]
        d, wins, losses = votes.difference[m] + moved, votes.wins[m], votes.losses[m]
        flatter = 1.0 + math.exp(-abs(d))
        total += wins * min(d, 0.0) - losses * max(d, 0.0)
        total -= (votes.slope[m] - 0.5 * votes.precision[m] * moved) * moved
        if wins + losses == 1.0:  # one logarithm for many
            product *= flatter
            if product > LARGEST:
                total -= math.log(product)
                product = 1.0
        else:
            total -= (wins + losses) * math.log(flatter)
    return total - math.log(product)


@unchecked_kernel
def log_ratios(x: Floats, votes: Votes) -> Floats:
    """(D,) r of (D, P) draws less the mean."""
    ratios = np.empty(len(x))
    for k in range(len(x)):
        ratios[k] = _log_ratio(x[k], votes)
    return ratios


@unchecked_kernel
def turn(x: Floats, ratio: Floats, z: Floats, votes: Votes, rng: np.random.Generator) -> None:
    """Move `x`, (D, P) draws less the mean, and `ratio`, (D,) r of them, by draws `z` of N(0, Sigma), in place."""
    turned = np.empty(x.shape[1])
    for k in range(len(x)):
        level = ratio[k] + math.log(1.0 - rng.random())
        angle = 2.0 * math.pi * rng.random()
        low, high = angle - 2.0 * math.pi, angle
        while high - low > NARROWEST:
            along, across = math.cos(angle), math.sin(angle)
            for p in range(len(turned)):
                turned[p] = along * x[k, p] + across * z[k, p]
            reached = _log_ratio(turned, votes)
            if reached > level:
                x[k], ratio[k] = turned, reached
                break
            low, high = (angle, high) if angle < 0.0 else (low, angle)
            angle = low + (high - low) * rng.random()
