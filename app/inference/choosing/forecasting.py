"""Forecasts: how many comparisons a set still needs until it stops, with an interval.

Means move with each verdict, so the futures are drawn: first true scores s from the posterior. Then, for each claim
about a difference d with mean m and precision q = 1 / v, the posterior that has g times that precision is drawn,

    m(g) = (m + (g - 1) d + sqrt(v) W(g - 1)) / g        v(g) = v / g        W Brownian

to the first g at which the stop's own test is passed. Claims that all share a candidate, as those of a leader do, tell
of each other. There m and v are those that remain once the other differences are known, and with P = Sigma^-1, u = P 1,
z = s - mu less (u z / u 1) 1,

    q = P_ll - u_l^2 / (u 1)        m = d + (P z)_l / q        for the claim about l

While pairs are new, precision is expected to grow as it has on average so far. Once pairs open again each claim is
asked for by itself, w = phi w(d) more precision by each answer. So a future in which claim c needs x_c more takes

    max_c x_c / rate_c                        where that is within the pairs that are new; F of them otherwise, and
    F + sum_c (x_c - F rate_c) / (w_c rho)     rho = C / (N - 1) for C claims among N, what answers tell of other claims

and without end where pairs that open again tell nothing more. Where the posterior is a mixture, a future goes its way
by the normal of the same moments. Its test asks for as much more of ln B as the mixture's falls short of it now.

Rank widths, the entropy and the concordance are about all pairs; there precision goes on to grow as it has.

A set is as likely to be looked at half way as at any other part of its way. One that takes T comparisons is looked at
after t < T with density 1 / T, so each future counts 1 / T: read at each comparison instead, long sets would be read
more often. What is forecast is so the way of a set that stops.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.inference.choosing.goals import RANKING, Goal, goal_pairs
from app.inference.choosing.stopping import (
    Claims,
    Reason,
    Stop,
    claims_of,
    differences,
    has_width,
    log_factor,
    reason,
    shortfall,
)
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Scores, plain
from app.inference.types import Bools, Floats, Ints

FARTHEST = 100.0  # times the comparisons so far: the most that is forecast
SEED = 20_261
LEVELS = (0.1, 0.5, 0.9)
STEPS = 40
LONGEST = 200.0  # times the precision so far: the end of a future
MOST_NUMBERS = 2_000_000  # draws, claims and steps; with fewer than FEWEST draws nothing is forecast
MOST_DRAWS, FEWEST = 120, 20
LEAST_WEIGHT = 1e-100  # of an answer
NATS = 1e-12, 100.0  # that are distinguished


class Left(NamedTuple):
    """Comparisons that can still be made, before pairs open again and in all; None is without end."""

    new: int
    in_all: int | None
    again: bool = True  # whether pairs that open again tell more


class Forecast(NamedTuple):
    """Comparisons that are still needed; None where that is more than can be made, or is forecast at all."""

    low: int | None
    median: int | None
    high: int | None


NOTHING, NO_END = Forecast(None, None, None), Left(0, None)


class Missing(NamedTuple):
    """What keeps a set from stopping, whichever criterion is met."""

    prompts: int  # judged
    needed: int  # prompts
    e_value: float | None = None  # of signal, too small; None while prompts are too few


class Stopping(NamedTuple):
    reason: Reason | None  # the first criterion that is met; None while none is
    forecast: Forecast  # of an interval of 80%
    left: int | None  # comparisons that can still be made; None is without end
    e_value: float | None = None  # of its first claim, where that takes an anytime-valid test and is not met
    missing: Missing | None = None  # where that is all, or the first, that is to come


class _State(NamedTuple):
    posterior: Scores
    model: Model
    comparisons: float  # so far
    left: Left
    shortfall: Floats  # (N, N) of ln B


class _Futures(NamedTuple):
    """D futures of C differences, each turned so that it is truly positive."""

    truth: Floats  # (D, C)
    m: Floats  # (D, C)
    v: Floats  # (D, C)
    prior: float  # variance before any comparison
    rate: Floats  # (D, C) precision that a comparison has brought on average
    shortfall: Floats  # (D, C) of ln B


def distance_to_stop(
    posterior: Scores, model: Model, comparisons: float, stop: Stop, left: Left = NO_END, goal: Goal = RANKING
) -> Stopping:
    """Distance of a set of at least two candidates to its stop, after so many comparisons."""
    met = reason(posterior, model, stop, goal)
    if met is not None:
        return stopped(met, left)
    if not comparisons:
        return Stopping(None, NOTHING, left.in_all)
    order = np.argsort(-posterior.mean, kind="stable")  # of draws, so that they do not depend on who joined first
    inverse = np.argsort(order)
    best_first = Scores(posterior.mean[order], plain(posterior.covariance.matrix()[np.ix_(order, order)], np.nan))
    goal = Goal(
        goal.top_k,
        None if goal.against is None else int(inverse[goal.against]),
        None if goal.pair is None else (int(inverse[goal.pair[0]]), int(inverse[goal.pair[1]])),
    )
    missing = shortfall(differences(posterior, model))[np.ix_(order, order)]
    needs = _needs(_State(best_first, model, comparisons, left, missing), stop, goal)
    if not left.again:
        needs[needs >= left.new] = np.inf
    return Stopping(None, _quantiles(needs, comparisons, left.in_all), left.in_all)


def stopped(met: Reason, left: Left) -> Stopping:
    """State of a set whose criterion is met."""
    return Stopping(met, Forecast(0, 0, 0), left.in_all)


def _quantiles(needs: Floats, comparisons: float, left: int | None) -> Forecast:
    """Quantiles of D futures, each weighing 1 / T."""
    needs = np.sort(needs[needs <= FARTHEST * comparisons])
    if needs.size < FEWEST:
        return NOTHING
    share = np.cumsum(1.0 / (comparisons + needs))
    at = np.searchsorted(share, np.array(LEVELS) * share[-1])
    ends = np.maximum(np.ceil(needs[np.minimum(at, needs.size - 1)]), 1.0).astype(int).tolist()
    return Forecast(*(None if left is not None and end > left else end for end in ends))


def _needs(state: _State, stop: Stop, goal: Goal) -> Floats:
    """(D,) comparisons that each drawn future takes to the first criterion that it meets, infinite if none."""
    n, rng = state.model.n, np.random.default_rng(SEED)
    needs = [_need_of_claims(state, claims, rng) for claims in claims_of(stop, goal, n)]
    if has_width(stop, n):
        needs.append(_need_of_width(state, stop, rng))
    if stop.entropy_change is not None:
        needs.append(_need_of_entropy(state, stop.entropy_change, rng))
    if stop.concordance is not None:
        needs.append(_need_of_concordance(state, stop.concordance, goal, rng))
    draws = min(map(len, needs), default=0)
    return np.min([need[:draws] for need in needs], axis=0) if draws else np.empty(0)


def _need_of_claims(state: _State, claims: Claims, rng: np.random.Generator) -> Floats:
    n, new = state.model.n, state.left.new
    truth = _drawn(state.posterior, int(goal_pairs(claims.goal, state.posterior.mean).sum()), rng)
    if not len(truth):
        return np.empty(0)
    first, second = _claimed(claims.goal, truth)
    futures = (
        _among_others(state, truth, first, second) if first.shape[1] == n - 1 else _alone(state, truth, first, second)
    )
    extra, then = _passed(futures, first.shape[1] / claims.error_level, rng)
    weight = (
        _usual_weight(futures.m, then, state.model) * first.shape[1] / (np.unique([*first[0], *second[0]]).size - 1)
    )
    while_new = (extra / futures.rate).max(axis=1)
    after = new + (np.maximum(extra - new * futures.rate, 0.0) / np.maximum(weight, LEAST_WEIGHT)).sum(axis=1)
    return np.asarray(np.where(while_new <= new, while_new, after))


def _need_of_width(state: _State, stop: Stop, rng: np.random.Generator) -> Floats:
    """Rank i is as wide as there are candidates from which i is not separated."""
    n, width = state.model.n, stop.rank_width or 0
    futures, first, second = _of_pairs(state, np.triu(np.ones((n, n), np.bool_), 1), rng)
    extra, _ = _passed(futures, len(first) / stop.error_level, rng)
    needs = np.zeros((len(extra), n, n))
    needs[:, first, second] = needs[:, second, first] = extra / futures.rate
    return np.asarray(np.sort(needs, axis=2)[:, :, n - 1 - width].max(axis=1, initial=0.0))


def _need_of_entropy(state: _State, nats: float, rng: np.random.Generator) -> Floats:
    n = state.model.n
    futures, _, _ = _of_pairs(state, np.triu(np.ones((n, n), np.bool_), 1), rng)
    least = expected_weight(futures.truth, state.model) / np.expm1(2.0 * np.clip(nats, *NATS))
    return np.asarray((np.maximum(least - 1.0 / futures.v, 0.0) / futures.rate).max(axis=1))


def _need_of_concordance(state: _State, share: float, goal: Goal, rng: np.random.Generator) -> Floats:
    futures, _, _ = _of_pairs(state, goal_pairs(goal, state.posterior.mean), rng)
    needs = state.comparisons * np.geomspace(0.01, FARTHEST, STEPS)
    growth = 1.0 + (futures.v * futures.rate)[:, :, None] * needs
    means = _means(futures, growth, rng)
    reached = ndtr(np.abs(means) * np.sqrt(growth / futures.v[:, :, None])).mean(axis=1) >= share
    return np.where(reached.any(axis=1), needs[reached.argmax(axis=1)], np.inf)


def _drawn(posterior: Scores, claims: int, rng: np.random.Generator) -> Floats:
    """(D, N) scores from the posterior, as many as have space for their futures."""
    draws = min(MOST_NUMBERS // (STEPS * claims), MOST_DRAWS)
    root = np.linalg.cholesky(posterior.covariance.matrix())
    return np.asarray(posterior.mean + rng.standard_normal((draws if draws >= FEWEST else 0, len(root))) @ root.T)


def _claimed(goal: Goal, truth: Floats) -> tuple[Ints, Ints]:
    """(D, C) the pairs of the claims, were each draw the truth; a candidate that all claims share is the first."""
    draws, n = truth.shape
    if goal.pair is not None:
        return np.full((draws, 1), goal.pair[0]), np.full((draws, 1), goal.pair[1])
    if goal.against is not None:
        others = np.delete(np.arange(n), goal.against)
        return np.full((draws, n - 1), goal.against), np.tile(others, (draws, 1))
    order, k = np.argsort(-truth, axis=1), goal.top_k or 1
    top, rest = order[:, :k], order[:, k:]
    sides = np.repeat(top, n - k, axis=1), np.tile(rest, (1, k))
    return sides if n - k > 1 else sides[::-1]


def _alone(state: _State, truth: Floats, first: Ints, second: Ints) -> _Futures:
    """Each difference by its own m and v."""
    mean, sigma = state.posterior.mean, state.posterior.covariance.matrix()
    v = sigma.diagonal()[first] + sigma.diagonal()[second] - 2.0 * sigma[first, second]
    return _futures(state, truth, first, second, mean[first] - mean[second], v, 2.0 / _precision(state))


def _among_others(state: _State, truth: Floats, first: Ints, second: Ints) -> _Futures:
    """Each difference by the m and v that remain once all the others from the same `first` are known."""
    n, precision = state.model.n, np.linalg.inv(state.posterior.covariance.matrix())
    total = precision.sum(axis=1)
    z = truth - state.posterior.mean
    pull = (z - (z @ total)[:, None] / total.sum()) @ precision
    q, row = (precision.diagonal() - total**2 / total.sum())[second], np.arange(len(truth))[:, None]
    m = truth[row, first] - truth[row, second] + pull[row, second] / q
    return _futures(state, truth, first, second, m, 1.0 / q, n / ((n - 1) * _precision(state)))


def _futures(state: _State, truth: Floats, first: Ints, second: Ints, m: Floats, v: Floats, before: float) -> _Futures:
    """Args: `before` is what v was before any comparison."""
    row = np.arange(len(truth))[:, None]
    d = truth[row, first] - truth[row, second]
    rate = np.maximum(1.0 / v - 1.0 / before, 1e-9 / before) / state.comparisons
    turned = np.where(d < 0.0, -m, m)
    missing = state.shortfall[first, second]
    return _Futures(np.abs(d), turned, np.broadcast_to(v, d.shape), 2.0 / _precision(state), rate, missing)


def _of_pairs(state: _State, pairs: Bools, rng: np.random.Generator) -> tuple[_Futures, Ints, Ints]:
    first, second = np.nonzero(pairs)
    truth = _drawn(state.posterior, len(first), rng)
    return _alone(state, truth, *(np.tile(side, (len(truth), 1)) for side in (first, second))), first, second


def _precision(state: _State) -> float:
    """Precision of a score before any comparison."""
    return float(state.model.prior.precision[: state.model.n].mean())


def _means(futures: _Futures, growth: Floats, rng: np.random.Generator) -> Floats:
    """(D, C, S) what the posterior means will be once precision has grown so."""
    steps = np.diff(growth, axis=-1, prepend=1.0)
    noise = np.cumsum(rng.standard_normal((*futures.m.shape, growth.shape[-1])) * np.sqrt(steps), axis=2)
    m, truth, sd = (each[:, :, None] for each in (futures.m, futures.truth, np.sqrt(futures.v)))
    return np.asarray((m + (growth - 1.0) * truth + sd * noise) / growth)


def _passed(futures: _Futures, factor: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """(D, C) the precision that is still needed until the Bayes factor is so large, and the mean then."""
    growth = np.concatenate([[1.0], 1.0 + np.geomspace(0.01, LONGEST, STEPS - 1)])
    means, v = _means(futures, growth, rng), futures.v[:, :, None] / growth
    enough = np.log(factor) + futures.shortfall[:, :, None]
    is_sure = (means > 0.0) & (log_factor(means, v, np.full_like(v, futures.prior)) >= enough)
    at = is_sure.argmax(axis=2)
    extra = np.where(is_sure.any(axis=2), (growth[at] - 1.0) / futures.v, np.inf)
    return extra, np.take_along_axis(means, at[:, :, None], 2)[:, :, 0]


def _usual_weight(now: Floats, then: Floats, model: Model) -> Floats:
    """The weight of an answer on the way from one difference to the other."""
    ends, middle = (
        expected_weight(now, model) + expected_weight(then, model),
        expected_weight(0.5 * (now + then), model),
    )
    return np.asarray((ends + 4.0 * middle) / 6.0)
