"""Forecasts of stops on the round of all pairs: how many verdicts it takes yet, by playing the round on.

A future draws scores s from the posterior, and has a judge who is consistent with them: a verdict on (i, j) is a vote
for whoever has more, or the probability sigma(s_i - s_j). It asks about the pair of the goal whose order is in most
doubt, tells that verdict to the posterior and its draws of W, and goes on until the stop's own criterion is met:

    P(d > 0 | N(m, v)) = Phi(u),  u = m / sqrt(8 / pi + v)        a vote, by sigma(d) = Phi(d / sqrt(8 / pi)),
                                                                  to which N(m, v) is moment-matched
    d within sd                                                   a probability; conditioned as a normal
    s -> s + Cov(s, d) / v (d' - d),  d' = m' + (d - m) sqrt(v' / v)    each draw, so that it has the new moments
    weight of a part of the posterior                             times the chance that it gave the verdict

The posterior allows for errors that consistent judges do not make, and of judges as they were simulated the futures
without errors foretell best: docs/uncertainty.md has what was forecast over what it took.

    goal, top k      played
    concordance      played, over SLOW: a posterior that also learns how far candidates are apart is sure sooner
    rank intervals, entropy      not forecast; nor is anything of more than MOST candidates, nor of judges who are not
                     known to repeat themselves
"""

import numpy as np

from app.inference.choosing.forecasting import LEVELS, NOTHING, Forecast, Left
from app.inference.choosing.goals import RANKING, Goal, goal_pairs
from app.inference.choosing.stopping import Stop, claims_of
from app.inference.covariance import dense
from app.inference.kernels.futures import verdicts_needed
from app.inference.targets import WinRates, best_first
from app.inference.types import Floats

SEED = 20_282
MOST = 128  # candidates
DRAWS, FUTURES, FEWEST = 64, 24, 10
MOST_NUMBERS = 6_000_000  # futures, draws and ordered pairs
SLIGHT = 0.03  # weight of a part of the posterior that is left out
ERRORS, SLACK = 4096, 128  # of verdicts, drawn once; those that several verdicts on a pair are apart
NEVER = 2.0  # a probability


def forecast_of_round(ranked: WinRates, stop: Stop, left: Left, goal: Goal = RANKING) -> Forecast:
    """Comparisons that a set of at least two candidates still needs, none of whose criteria is met."""
    n = len(ranked.mean)
    wanted = [(claims.goal, 1.0 - claims.error_level, NEVER) for claims in claims_of(stop, goal, n)]
    if stop.concordance is not None:
        wanted.append((goal, NEVER, stop.concordance))
    if not wanted or n > MOST or not ranked.round.repeats or not ranked.known:
        return NOTHING
    needs = np.min([_verdicts_needed(ranked, *each) for each in wanted], axis=0)
    ends = np.maximum(np.quantile(needs, LEVELS, method="inverted_cdf"), 1.0).astype(int).tolist()
    return Forecast(*(None if left.in_all is not None and end > left.in_all else end for end in ends))


def _verdicts_needed(ranked: WinRates, goal: Goal, claim: float, share: float) -> Floats:
    """(F,) that futures take until all the goal's pairs are as sure as `claim`, or as great a `share` in order."""
    scores, of, order = ranked.scores, ranked.round, best_first(ranked.scores)  # the same whoever joined first
    n, rng, place = len(order), np.random.default_rng(SEED), np.ix_(order, order)
    parts = [part for part in scores.parts or ((1.0, scores),) if part[0] >= SLIGHT]
    weight = np.array([weight for weight, _ in parts]) / sum(weight for weight, _ in parts)
    mean = np.array([part.mean[order] for _, part in parts])
    sigma = np.array([dense(part.covariance)[place] for _, part in parts])
    root = np.linalg.cholesky(sigma)
    draws = np.maximum(np.rint(DRAWS * weight).astype(int), 2)
    part_of = np.repeat(np.arange(len(parts)), draws)
    s = mean[part_of] + (root[part_of] @ rng.standard_normal((len(part_of), n, 1)))[:, :, 0]
    futures = int(np.clip(MOST_NUMBERS // (len(part_of) * n * n), FEWEST, FUTURES))
    of_future = np.searchsorted(np.cumsum(weight), (np.arange(futures) + 0.5) / futures)
    truth = mean[of_future] + (root[of_future] @ rng.standard_normal((futures, n, 1)))[:, :, 0]
    noise = (rng.standard_normal if of.sd else rng.logistic)(size=ERRORS + SLACK + len(part_of))
    pairs = goal_pairs(goal, ranked.mean)
    return verdicts_needed(
        truth, of.sd, mean, sigma, weight, np.append(0, np.cumsum(draws)), np.ascontiguousarray(s.T),
        of.said[place], of.left[place], of.asked[order], noise, rng.integers(ERRORS, size=(n, n)),
        ranked.known, (pairs | pairs.T)[place], goal.top_k or 0, claim, share,
    )  # fmt: skip
