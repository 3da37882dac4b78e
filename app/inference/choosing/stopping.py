"""Stopping: when a set need ask no more. How far off that is: forecasting.

A set may stop when its top k are separated from the rest, when every rank interval is narrow, or when it knows its
goal. It may also stop when no further comparison would teach much, or when its order is likely enough. The first three
are claims about the order of pairs, read after every comparison. So they rest on a test that stays valid under
continuous monitoring. For a pair with posterior difference N(m, v) and prior difference N(0, V), the Bayes factor
against s_i = s_j is (Savage and Dickey)

    B = sqrt(v / V) exp(m^2 / (2 v))

Under s_i = s_j it is a martingale with mean 1, however the pairs were chosen, so it ever exceeds 1/alpha with
probability at most alpha (Ville 1939; Robbins 1970). Where the posterior is a mixture over a grid, as where verdict
weights and the spread of scores are learnt, w_g being the posterior weight of each point,

    1 / B = sum_g w_g / B_g

which is the Bayes factor whose tie has the same prior of the grid as the rest (decision 36). A claim about c pairs
takes B >= c / alpha for each of them:

    top k separated      c = k (N - k) pairs
    rank intervals       c = N (N - 1) / 2 pairs; rank i lies between 1 + #(proven above i) and N - #(proven below i)
    goal                 its pairs (goals.py), alpha = 1 - the confidence asked for
    entropy              no claim: the most that one more comparison would take off, max ln(1 + w v) / 2, is small
    concordance          no claim: the mean over the goal's pairs of Phi(|m| / sqrt v)
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing.goals import RANKING, Goal, goal_pairs
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Scores
from app.inference.reporting.confidence import concordance
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
    m: Floats  # (N, N) difference of means
    v: Floats  # (N, N) variance of the difference, positive off the diagonal
    prior: Floats  # (N, N) the same before any comparison
    log_factor: Floats  # (N, N) ln B


def reason(posterior: Scores, model: Model, stop: Stop, goal: Goal = RANKING) -> Reason | None:
    """The first criterion that is met, of a set of at least two candidates."""
    pairs = differences(posterior, model)
    for claims in claims_of(stop, goal, model.n):
        if not _undecided(pairs, goal_pairs(claims.goal, posterior.mean), claims.error_level).any():
            return claims.reason
    if has_width(stop, model.n) and _width(pairs, stop) <= (stop.rank_width or 0):
        return "rank_width"
    if stop.entropy_change is not None and information_gain(pairs, model).max() <= stop.entropy_change:
        return "entropy_change"
    if stop.concordance is not None and concordance(posterior, goal_pairs(goal, posterior.mean)) >= stop.concordance:
        return "concordance"
    return None


def needed(posterior: Scores, model: Model, stop: Stop, goal: Goal = RANKING) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs whose order keeps a criterion from being met.

    Of claims that all seem decided, as by a live posterior where a published one differs, the least decided.
    """
    pairs = differences(posterior, model)
    matters = np.zeros((model.n, model.n), np.bool_)
    for claims in claims_of(stop, goal, model.n):
        claimed = goal_pairs(claims.goal, posterior.mean)
        undecided = _undecided(pairs, claimed, claims.error_level)
        matters |= undecided if undecided.any() else _least_decided(pairs, claimed)
    if has_width(stop, model.n):
        matters |= ~separated(pairs.log_factor, model.n * (model.n - 1) // 2, stop.error_level)
    if stop.entropy_change is not None:
        matters |= information_gain(pairs, model) > stop.entropy_change
    if stop.concordance is not None:
        matters |= goal_pairs(goal, posterior.mean)
    return np.triu(matters | matters.T, 1)


def can_be_met(stop: Stop, n: int, goal: Goal = RANKING) -> bool:
    """False where the criteria say what holds of any n candidates, on which nothing ever stops."""
    has_claims = has_width(stop, n) or any(claims_of(stop, goal, n))
    return has_claims or stop.entropy_change is not None or stop.concordance is not None


def has_claims(stop: Stop, goal: Goal, n: int) -> bool:
    """Whether the first criterion is a claim about the top k or the goal."""
    return any(claims_of(stop, goal, n))


def claims_of(stop: Stop, goal: Goal, n: int) -> Iterator[Claims]:
    if stop.top_k is not None and stop.top_k < n:
        yield Claims("top_k", Goal(top_k=stop.top_k), stop.error_level)
    if stop.goal is not None and goal != RANKING and (goal.top_k or 0) < n:
        yield Claims("goal", goal, 1.0 - stop.goal)


def evidence(posterior: Scores, model: Model, goal: Goal) -> float:
    """The e-value of the goal's pairs all together: a claim takes 1 / alpha."""
    claimed = goal_pairs(goal, posterior.mean)
    log_factors = differences(posterior, model).log_factor[claimed]
    return float(np.exp(min(log_factors.min() - np.log(len(log_factors)), LARGEST)))


def has_width(stop: Stop, n: int) -> bool:
    return stop.rank_width is not None and stop.rank_width < n - 1


def separated(log_factors: Floats, claims: int, error_level: float) -> Bools:
    """Differences that are proven not 0, by their ln B, each one of so many claims that are all to hold."""
    return np.asarray(log_factors >= np.log(claims / error_level))


def log_factor(m: Floats, v: Floats, prior: Floats) -> Floats:
    """ln B of differences, elementwise."""
    return np.asarray(0.5 * np.log(v / prior) + 0.5 * m * m / v)


def shortfall(pairs: Differences) -> Floats:
    """(N, N) ln B of the normal with the posterior's moments, less that of the posterior: 0 unless it is a mixture."""
    return log_factor(pairs.m, pairs.v, pairs.prior) - pairs.log_factor


def differences(posterior: Scores, model: Model) -> Differences:
    """All differences of two scores; `model` has the prior that the claims are tested with."""
    before = 1.0 / model.prior.precision[: model.n]
    m, v = _moments(posterior)
    prior = before[:, None] + before
    if not posterior.parts:
        return Differences(m, v, prior, log_factor(m, v, prior))
    log_tie = np.full_like(m, -np.inf)
    for weight, part in posterior.parts:
        assert part.scale is not None
        of_part = log_factor(*_moments(part), np.full_like(m, 2.0 * part.scale))
        log_tie = np.logaddexp(log_tie, np.log(weight) - of_part)
    return Differences(m, v, prior, -log_tie)


def information_gain(pairs: Differences, model: Model) -> Floats:
    """(N, N) nats that a comparison of each pair is expected to take off the entropy of the scores."""
    gain = 0.5 * np.log1p(expected_weight(pairs.m, model) * pairs.v)
    np.fill_diagonal(gain, 0.0)
    return np.asarray(gain, np.float64)


def _moments(posterior: Scores) -> tuple[Floats, Floats]:
    """(N, N) mean and variance of each difference; the diagonal's variance is 1."""
    mean, sigma = posterior.mean, posterior.covariance.matrix()
    variances = sigma.diagonal()
    v = variances[:, None] + variances - 2.0 * sigma
    np.fill_diagonal(v, 1.0)
    return mean[:, None] - mean, v


def _undecided(pairs: Differences, claimed: Bools, error_level: float) -> Bools:
    """(N, N) those of the claimed pairs that are not sure."""
    return np.asarray(claimed & ~separated(pairs.log_factor, int(claimed.sum()), error_level))


def _least_decided(pairs: Differences, claimed: Bools) -> Bools:
    """(N, N) those of the claimed pairs whose ln B is nearest to the smallest."""
    return np.asarray(claimed & (pairs.log_factor <= pairs.log_factor[claimed].min() + ALIKE))


def _width(pairs: Differences, stop: Stop) -> int:
    n = len(pairs.m)
    sure = separated(pairs.log_factor, n * (n - 1) // 2, stop.error_level)
    is_above = sure & (pairs.m > 0.0)
    return int((n - 1 - is_above.sum(axis=0) - is_above.sum(axis=1)).max())
