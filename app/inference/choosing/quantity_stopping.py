"""Stopping on what is ranked, by draws of it: a criterion is met where the posterior makes it as probable as asked for.

    goal, top k     share of the draws in which nobody outside the present top k is above one of it
    goal            of another kind: share of the draws with every pair of the goal as the means have it
    rank intervals  those that hold together with probability 1 - error_level
    concordance     expected share of the goal's pairs in the right order
    entropy         the most that one more verdict on an open pair would take off, as in stopping.py

Probabilities of a posterior mean the same however often one looks, as far as its model is right; false stops under
peeking are measured (uncertainty.md). The scores themselves, which no verdict shows, take the test of stopping.py.
"""

import numpy as np

from app.inference.choosing.goals import RANKING, Goal, goal_pairs
from app.inference.choosing.stopping import Reason, Stop, claims_of, differences, has_width, information_gain
from app.inference.fitting.model import Model
from app.inference.gaussian import Scores
from app.inference.reporting.confidence import shares_in_order
from app.inference.reporting.intervals import drawn_rank_intervals, ranks, ranks_of
from app.inference.targets import Quantity, drawn_values, ranked_by
from app.inference.types import Bools, Floats

Draws = Floats  # (D, N) of what is ranked


def reason(quantity: Quantity, scores: Scores, model: Model, stop: Stop, goal: Goal = RANKING) -> Reason | None:
    """The first criterion that is met, of at least two candidates; `scores` are the posterior beneath."""
    values, mean = drawn_values(quantity), ranked_by(quantity)
    for claims in claims_of(stop, goal, model.n):
        if probability(values, mean, claims.goal) >= 1.0 - claims.error_level:
            return claims.reason
    if has_width(stop, model.n):
        best_and_worst = drawn_rank_intervals(ranks(mean), ranks_of(values), 1.0 - stop.error_level)
        if (best_and_worst[:, 1] - best_and_worst[:, 0]).max() <= (stop.rank_width or 0):
            return "rank_width"
    if stop.entropy_change is not None:
        gain = information_gain(differences(scores, model), model)
        if gain[is_undecided(values)].max(initial=0.0) <= stop.entropy_change:
            return "entropy_change"
    if stop.concordance is not None and expected_concordance(values, mean, goal) >= stop.concordance:
        return "concordance"
    return None


def probability(values: Draws, mean: Floats, goal: Goal) -> float:
    """The posterior probability that the goal is as the (N,) means have it."""
    if goal.top_k is not None:
        order = np.argsort(-mean, kind="stable")
        top, rest = order[: goal.top_k], order[goal.top_k :]
        return float((values[:, top].min(axis=1) >= values[:, rest].max(axis=1)).mean())
    first, second = np.nonzero(goal_pairs(goal, mean))
    same = np.sign(values[:, first] - values[:, second]) == np.sign(np.round(mean[first] - mean[second], 9))
    return float(same.all(axis=1).mean())


def expected_concordance(values: Draws, mean: Floats, goal: Goal) -> float:
    """The expected share of the goal's pairs in the order of the (N,) means."""
    return float(shares_in_order(ranks(mean), ranks_of(values), goal_pairs(goal, mean)).mean())


def is_undecided(values: Draws) -> Bools:
    """(N, N) whose order differs from draw to draw, True at [i, j], i < j."""
    n = values.shape[1]
    first, second = np.triu_indices(n, 1)
    order, result = np.sign(values[:, first] - values[:, second]), np.zeros((n, n), np.bool_)
    result[first, second] = (order != order[:1]).any(axis=0)
    return result


def needed(values: Draws) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs of those whose order with another is undecided; or all pairs."""
    undecided = is_undecided(values)
    who = undecided.any(axis=0) | undecided.any(axis=1)
    pairs = np.triu(np.logical_or.outer(who, who), 1)
    return pairs if pairs.any() else np.triu(np.ones_like(pairs), 1)
