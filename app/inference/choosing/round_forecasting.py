"""Forecasts of stops on the round of all pairs, by judges who repeat themselves: by the bits that are not known yet.

    b_i = h(P(i is among the top k))                            goal top k;  h(p) = -p ld p - (1 - p) ld (1 - p)
    b_i = mean of h(P(i is above j)) over the j of its pairs     other goals and the concordance
    comparisons = (N / bits) (sum of b_i) (1 - u' / u)           u the doubt that the stop's criterion has now, u' then

A candidate's W is a mean over its N - 1 pairs, so that it takes a share of N verdicts to know a bit more of it. `bits`
and `spread`, by which times either way the interval reaches, are fitted to simulated sets that stopped (decision 100).
Sets with a goal against one, or of one pair, are asked by what a verdict adds, which takes longer.

Not forecast: rank widths and the entropy, nor anything where no question can be asked about a candidate.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import entr

from app.inference.choosing.forecasting import NOTHING, Forecast, Left
from app.inference.choosing.goals import RANKING, Goal, goal_pairs
from app.inference.choosing.quantity_stopping import expected_concordance, probability
from app.inference.choosing.stopping import Stop, claims_of
from app.inference.targets import WinRates
from app.inference.types import Floats

LEAST = 0.1  # of the way, that is always to come
TINY = 1e-12


class Pace(NamedTuple):
    """What N verdicts tell, and by how much sets differ in it."""

    bits: float
    spread: float


OF_ALL, OF_ONE = Pace(5.0, 2.0), Pace(2.6, 3.0)


def forecast_of_round(ranked: WinRates, stop: Stop, left: Left, goal: Goal = RANKING) -> Forecast:
    """Comparisons that a set of at least two candidates still needs, none of whose criteria is met."""
    if not ranked.round.verdicts.all() or not ranked.round.repeats or not ranked.judged:
        return NOTHING
    values, mean = ranked.values, ranked.scores.mean
    needs = [
        _needed(values, mean, claims.goal, 1.0 - probability(values, mean, claims.goal), claims.error_level)
        for claims in claims_of(stop, goal, len(mean))
    ]
    if stop.concordance is not None:
        doubt = 1.0 - expected_concordance(values, mean, goal)
        needs.append(_needed(values, mean, goal, doubt, 1.0 - stop.concordance))
    if not needs:
        return NOTHING
    to_come = max(ranked.verdicts - ranked.judged, 1)
    ends = np.clip(np.ceil(np.min(needs, axis=0)), 1, to_come).astype(int).tolist()
    return Forecast(*(None if left.in_all is not None and end > left.in_all else end for end in ends))


def _needed(values: Floats, mean: Floats, goal: Goal, doubt: float, aim: float) -> Floats:
    """(3,) low, median and high. Args: the criterion's `doubt` now, and the one that is the `aim`."""
    pace = OF_ONE if goal.against is not None or goal.pair is not None else OF_ALL
    way = max(1.0 - aim / max(doubt, TINY), LEAST)
    median = len(mean) / pace.bits * float(_bits(values, mean, goal).sum()) * way
    return np.array([median / pace.spread, median, median * pace.spread])


def _bits(values: Floats, mean: Floats, goal: Goal) -> Floats:
    """(N,) b, by (D, N) draws of W."""
    n = values.shape[1]
    if goal.top_k is not None:
        best = np.argsort(-values, axis=1)[:, : goal.top_k]
        return _entropy(np.bincount(best.ravel(), minlength=n) / len(values))
    pairs, above = goal_pairs(goal, mean), np.empty((n, n))
    for i in range(n):
        lead = values[:, [i]] - values
        above[i] = (lead > 0.0).mean(axis=0) + 0.5 * (lead == 0.0).mean(axis=0)
    meets = pairs | pairs.T
    return np.asarray((_entropy(above) * meets).sum(axis=1) / np.maximum(meets.sum(axis=1), 1))


def _entropy(p: Floats) -> Floats:
    """Bits, elementwise."""
    return np.asarray((entr(p) + entr(1.0 - p)) / np.log(2.0))
