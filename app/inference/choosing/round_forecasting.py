"""Forecasts of stops on the round of all pairs: how many verdicts it takes yet, by playing the round on.

A future draws scores s from the posterior, and has a judge who is consistent with them. A verdict on (i, j) is a vote
for whoever has more, or the probability sigma(s_i - s_j). It asks about the pair of the goal whose order is in most
doubt, and updates the posterior and its draws of W. It goes on until the stop's own criterion is met:

    P(d > 0 | N(m, v)) = Phi(u),  u = m / sqrt(8 / pi + v)        a vote, by sigma(d) = Phi(d / sqrt(8 / pi)),
                                                                  to which N(m, v) is moment-matched
    d within sd                                                   a probability; conditioned as a normal
    s -> s + Cov(s, d) / v (d' - d),  d' = m' + (d - m) sqrt(v' / v)    each draw, so that it has the new moments
    weight of a part of the posterior                             times the chance that it gave the verdict

The posterior allows for errors that consistent judges do not make; with them it was up to twice too long for judges as
they were simulated. A future brings no errors, so the sd that is learnt from K verdicts is sd sqrt(K / (K + x)) after x
more. What is played is multiplied by `times`, and its interval reaches at least from 1 / spread of the median to spread
times it. Both are fitted, except for the top k, on sets of other seeds than those in the table of uncertainty.md
(benchmarks/studies/round_forecasts.py).

    goal top k, stop top k       played
    against, pair                played, AGAINST: these sets are asked by what a verdict adds, which takes longer
    concordance                  played, CONCORDANCE: the same by which they are sooner through
    rank width, entropy          not forecast; nor is anything of more than ROUND_FORECAST candidates, nor where no
                                 question can be asked about one of them, nor of judges who are not known to repeat
                                 themselves
"""

from typing import NamedTuple

import numpy as np

from app.inference.choosing.forecasting import LEVELS, NOTHING, Forecast, Left
from app.inference.choosing.goals import RANKING, Goal, goal_pairs
from app.inference.choosing.stopping import Stop, claims_of
from app.inference.kernels.futures import verdicts_needed
from app.inference.regimes import ROUND_FORECAST
from app.inference.targets import WinRates, best_first
from app.inference.types import Floats

SEED = 20_282
DRAWS, FUTURES, FEWEST = 64, 24, 10
MOST_NUMBERS = 6_000_000  # futures, draws and ordered pairs
SLIGHT = 0.03  # weight of a part of the posterior that is left out
ERRORS, SLACK = 4096, 128  # of verdicts, drawn once; those that several verdicts on a pair are apart
NEVER = 2.0  # a probability


class Correction(NamedTuple):
    """Correction of the futures that are played."""

    times: float
    spread: float


PLAYED, AGAINST, CONCORDANCE = Correction(1.0, 1.0), Correction(1.2, 1.75), Correction(0.85, 1.6)


def forecast_of_round(ranked: WinRates, stop: Stop, left: Left, goal: Goal = RANKING) -> Forecast:
    """Comparisons that a set of at least two candidates still needs, none of whose criteria is met."""
    n = len(ranked.mean)
    if n > ROUND_FORECAST or not ranked.round.verdicts.all() or not ranked.round.repeats or not ranked.judged:
        return NOTHING
    forecasts = [
        _corrected(
            _verdicts_needed(ranked, claims.goal, 1.0 - claims.error_level, NEVER),
            AGAINST if claims.goal.top_k is None else PLAYED,
        )
        for claims in claims_of(stop, goal, n)
    ]
    if stop.concordance is not None:
        forecasts.append(_corrected(_verdicts_needed(ranked, goal, NEVER, stop.concordance), CONCORDANCE))
    if not forecasts:
        return NOTHING
    to_come = int(ranked.round.left.sum()) // 2
    ends = np.clip(np.ceil(np.min(forecasts, axis=0)), 1, max(to_come, 1)).astype(int).tolist()
    return Forecast(*(None if left.in_all is not None and end > left.in_all else end for end in ends))


def _corrected(needs: Floats, correction: Correction) -> Floats:
    """(3,) low, median and high."""
    low, median, high = correction.times * np.quantile(needs, LEVELS, method="inverted_cdf")
    return np.array([min(low, median / correction.spread), median, max(high, median * correction.spread)])


def _verdicts_needed(ranked: WinRates, goal: Goal, claim: float, share: float) -> Floats:
    """(F,) that futures take until all the goal's pairs are as sure as `claim`, or as great a `share` in order."""
    scores, of, order = ranked.scores, ranked.round, best_first(ranked.scores)  # the same whoever joined first
    n, rng, place = len(order), np.random.default_rng(SEED), np.ix_(order, order)
    parts = [part for part in scores.parts or ((1.0, scores),) if part[0] >= SLIGHT]
    weight = np.array([weight for weight, _ in parts]) / sum(weight for weight, _ in parts)
    mean = np.array([part.mean[order] for _, part in parts])
    sigma = np.array([part.covariance.matrix()[place] for _, part in parts])
    root = np.linalg.cholesky(sigma)
    draws = np.maximum(np.rint(DRAWS * weight).astype(int), 2)
    part_of = np.repeat(np.arange(len(parts)), draws)
    s = mean[part_of] + (root[part_of] @ rng.standard_normal((len(part_of), n, 1)))[:, :, 0]
    futures = int(np.clip(MOST_NUMBERS // (len(part_of) * n * n), FEWEST, FUTURES))
    of_future = np.searchsorted(np.cumsum(weight), (np.arange(futures) + 0.5) / futures)
    truth = mean[of_future] + (root[of_future] @ rng.standard_normal((futures, n, 1)))[:, :, 0]
    noise = (rng.standard_normal if of.sd else rng.logistic)(size=ERRORS + SLACK + len(part_of))
    pairs = goal_pairs(goal, ranked.scores.mean)
    return verdicts_needed(
        truth, of.sd, mean, sigma, weight, np.append(0, np.cumsum(draws)), np.ascontiguousarray(s.T),
        of.wins[place], of.left[place], of.verdicts[order], noise, rng.integers(ERRORS, size=(n, n)),
        ranked.judged, (pairs | pairs.T)[place], goal.top_k or 0, claim, share,
    )  # fmt: skip
