"""Stopping: when a set need ask no more. How far off that is: forecasting.

Scores, which no verdict shows, are tested by e-values: claims about the order of pairs are read after every comparison,
so they rest on a test that stays valid under continuous monitoring (decision 13). For a pair with posterior difference
N(m, v) and prior difference N(0, V), the Bayes factor against s_i = s_j is (Savage and Dickey)

    B = sqrt(v / V) exp(m^2 / (2 v))

Under s_i = s_j it is a martingale with mean 1, however the pairs were chosen, so it ever exceeds 1/alpha with
probability at most alpha (Ville 1939; Robbins 1970). Of a mixture over a grid 1 / B = sum_g w_g / B_g, w_g being the
posterior weight of each point: there the tie has the same prior of the grid as the rest (decision 36). A claim about c
pairs takes B >= c / alpha for each of them:

    top k separated      c = k (N - k) pairs
    rank intervals       c = N (N - 1) / 2 pairs; rank i lies between 1 + #(proven above i) and N - #(proven below i)
    goal                 its pairs (criteria.py), alpha = 1 - the confidence asked for
    entropy              no claim: the most that one more comparison would take off, max ln(1 + w v) / 2, is small
    concordance          no claim: the mean over the goal's pairs of Phi(|m| / sqrt v)

Any other quantity is counted in draws: a criterion is met where the posterior makes it as probable as asked for.

    goal, top k          share of the draws in which nobody outside the present top k is above one of it
    goal                 of another kind: share of the draws with every pair of the goal as the means have it
    rank intervals       those that hold together with probability 1 - error_level
    entropy              as above, over the pairs whose order differs from draw to draw
    concordance          expected share of the goal's pairs in the right order
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing.criteria import RANKING, Goal, goal_pairs
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Scores
from app.inference.pair_sets import upper_triangle
from app.inference.reporting.confidence import concordance, shares_in_order
from app.inference.reporting.intervals import drawn_rank_intervals, ranks, ranks_of
from app.inference.targets import Quantity, drawn_values, ranked_by
from app.inference.targets.drawing import best_first
from app.inference.types import Bools, Floats

LARGEST = 700.0  # ln of an e-value that is distinguished
ALIKE = 1.0  # difference of ln B that makes no distinction

Reason = Literal["top_k", "rank_width", "entropy_change", "concordance", "goal"]


class Stop(NamedTuple):
    """Whichever comes first; None is never, and so is what holds of any N candidates: k >= N, a width >= N - 1."""

    top_k: int | None = None
    rank_width: int | None = None  # worst rank minus best, of every candidate
    entropy_change: float | None = None  # nats
    concordance: float | None = None  # expected share of the pairs in the right order
    goal: float | None = None  # probability of never making a false claim about the goal
    error_level: float = 0.05  # alpha of the first two: of ever making a false claim


class Claims(NamedTuple):
    """Pairs that are to be separated, all of them."""

    reason: Reason
    goal: Goal
    error_level: float


class Differences(NamedTuple):
    """All differences of two scores: the test by e-values."""

    posterior: Scores
    m: Floats  # (N, N) difference of means
    v: Floats  # (N, N) variance of the difference, positive off the diagonal
    prior: Floats  # (N, N) the same before any comparison
    log_factor: Floats  # (N, N) ln B

    def undecided(self, claims: Claims) -> Bools:
        """(N, N) those of the claimed pairs that are not sure."""
        claimed = goal_pairs(claims.goal, self.posterior.mean)
        is_sure = self.log_factor >= np.log(claimed.sum() / claims.error_level)
        return np.asarray(claimed & ~is_sure)

    def are_met(self, claims: Claims) -> bool:
        return not self.undecided(claims).any()

    def apart(self, error_level: float) -> Bools:
        """(N, N) those that are sure, were all pairs claimed."""
        n = len(self.m)
        return np.asarray(self.log_factor >= np.log(n * (n - 1) // 2 / error_level))

    def width(self, error_level: float) -> int:
        is_above = self.apart(error_level) & (self.m > 0.0)
        return int((len(self.m) - 1 - is_above.sum(axis=0) - is_above.sum(axis=1)).max())

    def doubtful(self) -> Bools:
        return upper_triangle(len(self.m))

    def concordance(self, goal: Goal) -> float:
        return concordance(self.posterior, goal_pairs(goal, self.posterior.mean))


class Counts(NamedTuple):
    """Draws of what is ranked: the test by counting."""

    values: Floats  # (D, N)
    mean: Floats  # (N,), in whose order the ranking is

    def probability(self, goal: Goal) -> float:
        """That the goal is as the means have it."""
        if goal.top_k is not None:
            order = best_first(self.mean)
            top, rest = order[: goal.top_k], order[goal.top_k :]
            return float((self.values[:, top].min(axis=1) >= self.values[:, rest].max(axis=1)).mean())
        first, second = np.nonzero(goal_pairs(goal, self.mean))
        drawn = np.sign(self.values[:, first] - self.values[:, second])
        return float((drawn == np.sign(np.round(self.mean[first] - self.mean[second], 9))).all(axis=1).mean())

    def are_met(self, claims: Claims) -> bool:
        return self.probability(claims.goal) >= 1.0 - claims.error_level

    def width(self, error_level: float) -> int:
        best_and_worst = drawn_rank_intervals(ranks(self.mean), ranks_of(self.values), 1.0 - error_level)
        return int((best_and_worst[:, 1] - best_and_worst[:, 0]).max())

    def concordance(self, goal: Goal) -> float:
        return float(shares_in_order(ranks(self.mean), ranks_of(self.values), goal_pairs(goal, self.mean)).mean())

    def doubtful(self) -> Bools:
        """(N, N) whose order differs from draw to draw, True at [i, j], i < j."""
        result = upper_triangle(len(self.mean)).copy()
        first, second = np.nonzero(result)
        order = np.sign(self.values[:, first] - self.values[:, second])
        result[first, second] = (order != order[:1]).any(axis=0)
        return result


def counts_of(quantity: Quantity) -> Counts:
    return Counts(drawn_values(quantity), ranked_by(quantity))


def reason(
    posterior: Scores, model: Model, stop: Stop, goal: Goal = RANKING, ranked: Quantity | None = None
) -> Reason | None:
    """The first criterion that is met, of a set of at least two candidates.

    Args: what is `ranked` is counted in draws; by default it is the posterior's scores, by e-values.
    """
    test = differences(posterior, model) if ranked is None else counts_of(ranked)
    for claims in claims_of(stop, goal, model.n):
        if test.are_met(claims):
            return claims.reason
    if has_width(stop, model.n) and test.width(stop.error_level) <= (stop.rank_width or 0):
        return "rank_width"
    if stop.entropy_change is not None:
        gain = information_gain(posterior, model)[test.doubtful()]
        if gain.max(initial=0.0) <= stop.entropy_change:
            return "entropy_change"
    if stop.concordance is not None and test.concordance(goal) >= stop.concordance:
        return "concordance"
    return None


def needed(posterior: Scores, model: Model, stop: Stop, goal: Goal = RANKING, ranked: Quantity | None = None) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs whose order keeps a criterion from being met.

    Of claims that all seem decided, as by a live posterior where a published one differs, the least decided. Of what is
    `ranked` and counted in draws, all pairs of those whose order with another is undecided, or all pairs.
    """
    if ranked is not None:
        doubtful = counts_of(ranked).doubtful()
        who = doubtful.any(axis=0) | doubtful.any(axis=1)
        return np.triu(np.logical_or.outer(who, who) if who.any() else np.ones_like(doubtful), 1)
    pairs = differences(posterior, model)
    matters = np.zeros((model.n, model.n), np.bool_)
    for claims in claims_of(stop, goal, model.n):
        claimed, undecided = goal_pairs(claims.goal, posterior.mean), pairs.undecided(claims)
        least = claimed & (pairs.log_factor <= pairs.log_factor[claimed].min() + ALIKE)
        matters |= undecided if undecided.any() else least
    if has_width(stop, model.n):
        matters |= ~pairs.apart(stop.error_level)
    if stop.entropy_change is not None:
        matters |= information_gain(posterior, model) > stop.entropy_change
    if stop.concordance is not None:
        matters |= goal_pairs(goal, posterior.mean)
    return np.triu(matters | matters.T, 1)


def can_be_met(stop: Stop, n: int, goal: Goal = RANKING) -> bool:
    """False where the criteria say what holds of any n candidates, on which nothing ever stops."""
    has_others = stop.entropy_change is not None or stop.concordance is not None
    return has_others or has_width(stop, n) or has_claims(stop, goal, n)


def has_claims(stop: Stop, goal: Goal, n: int) -> bool:
    """Whether the first criterion is a claim about the top k or the goal."""
    return any(claims_of(stop, goal, n))


def has_width(stop: Stop, n: int) -> bool:
    return stop.rank_width is not None and stop.rank_width < n - 1


def claims_of(stop: Stop, goal: Goal, n: int) -> Iterator[Claims]:
    if stop.top_k is not None and stop.top_k < n:
        yield Claims("top_k", Goal(top_k=stop.top_k), stop.error_level)
    if stop.goal is not None and goal != RANKING and (goal.top_k or 0) < n:
        yield Claims("goal", goal, 1.0 - stop.goal)


def e_value_of(posterior: Scores, model: Model, goal: Goal) -> float:
    """The e-value of the goal's pairs all together: a claim takes 1 / alpha."""
    log_factors = differences(posterior, model).log_factor[goal_pairs(goal, posterior.mean)]
    return float(np.exp(min(log_factors.min() - np.log(len(log_factors)), LARGEST)))


def log_factor(m: Floats, v: Floats, prior: Floats) -> Floats:
    """ln B of differences, elementwise."""
    return np.asarray(0.5 * np.log(v / prior) + 0.5 * m * m / v)


def differences(posterior: Scores, model: Model) -> Differences:
    """All differences of two scores; `model` has the prior that the claims are tested with."""
    before = 1.0 / model.prior.precision[: model.n]
    m, v = _moments(posterior)
    prior = before[:, None] + before
    if not posterior.parts:
        return Differences(posterior, m, v, prior, log_factor(m, v, prior))
    log_tie = np.full_like(m, -np.inf)
    for weight, part in posterior.parts:
        assert part.scale is not None
        of_part = log_factor(*_moments(part), np.full_like(m, 2.0 * part.scale))
        log_tie = np.logaddexp(log_tie, np.log(weight) - of_part)
    return Differences(posterior, m, v, prior, -log_tie)


def information_gain(posterior: Scores, model: Model) -> Floats:
    """(N, N) nats that a comparison of each pair is expected to take off the entropy of the scores."""
    m, v = _moments(posterior)
    gain = 0.5 * np.log1p(expected_weight(m, model) * v)
    np.fill_diagonal(gain, 0.0)
    return np.asarray(gain, np.float64)


def _moments(posterior: Scores) -> tuple[Floats, Floats]:
    """(N, N) mean and variance of each difference; the diagonal's variance is 1."""
    mean, sigma = posterior.mean, posterior.covariance.matrix()
    variances = sigma.diagonal()
    v = variances[:, None] + variances - 2.0 * sigma
    np.fill_diagonal(v, 1.0)
    return mean[:, None] - mean, v
