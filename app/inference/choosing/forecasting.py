"""Forecasts: how many comparisons a set still needs until it stops, with an interval of 80%; or how many prompts.

Scores, which are tested by e-values, by futures. First true scores s are drawn from the posterior. Then, for each pair
that a criterion is about, of difference d with mean m and variance v now, the posterior that has g times the precision
is drawn,

    m(g) = (m + (g - 1) d + sqrt(v) W(g - 1)) / g        v(g) = v / g        W Brownian

where x comparisons bring g = 1 + v rate x, each as much as they have on average so far. The stop's own test says when
it is passed. Claims that all share a candidate, as those of a leader do, tell of each other. There m and v are those
that remain once the other differences are known, and with P = Sigma^-1, u = P 1, z = s - mu less (u z / u 1) 1,

    1 / v = P_ll - u_l^2 / (u 1)        m = d + (P z)_l v        for the claim about l

Pairs of claims open again once new pairs are used up; then each claim is asked for by itself. With x_c the comparisons
after which claim c is sure, F new pairs and w = phi w(d) more precision by each answer, a future takes

    max_c x_c                                 where that is within the F; otherwise, and if these tell more,
    F + sum_c (x_c - F) rate_c / (w_c rho)    rho = C / (N - 1) for C claims among N, what answers tell of others

Where the posterior is a mixture, a future goes its way by the normal of the same moments. Its test asks for as much
more of ln B as the mixture's falls short of it now.

A set is as likely to be looked at half way as at any other part of its way. One that takes T comparisons is looked at
after t < T with density 1 / T, so each future counts 1 / T: read at each comparison instead, long sets would be read
more often. What is forecast is so the way of a set that stops.

The round of all pairs, by judges who repeat themselves, by the bits that are not known yet (decision 100):

    b_i = h(P(i is among the top k))                            goal top k;  h(p) = -p ld p - (1 - p) ld (1 - p)
    b_i = mean of h(P(i is above j)) over the j of its pairs     other goals and the concordance
    comparisons = (N / bits) (sum of b_i) (1 - u' / u)           u the doubt that the stop's criterion has now, u' then

A candidate's W is a mean over its N - 1 pairs, so that it takes a share of N verdicts to know a bit more of it. `bits`
and `spread`, by which times either way the interval reaches, are fitted to sets that stopped
(decision 100). Sets with a goal against one, or of one pair, are asked by what a verdict adds,
which takes longer. Not forecast: rank widths and the entropy, nor anything where no question can be asked about a
candidate.

Other quantities have no forecast in comparisons: for new prompts see `prompts_to_decide`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import entr, ndtr

from app.inference.choosing.goals import RANKING, Goal, goal_pairs
from app.inference.choosing.stopping import (
    Claims,
    Counts,
    Differences,
    Reason,
    Stop,
    claims_of,
    counts_of,
    differences,
    has_width,
    log_factor,
    separated,
)
from app.inference.fitting.model import Model, expected_weight
from app.inference.fitting.published import Published
from app.inference.gaussian import Scores
from app.inference.pair_sets import upper_triangle
from app.inference.targets import PromptsNeeded, Quantity, WinRates, drawn_values, prompts_needed
from app.inference.targets.drawing import best_first, draw_scores
from app.inference.types import Bools, Floats, Ints

FARTHEST = 100.0  # times the comparisons so far: the most that is forecast
SEED = 20_261
LEVELS = (0.1, 0.5, 0.9)
LATER = np.append(0.0, np.geomspace(0.01, 300.0, 39))  # times the comparisons so far: where futures are looked at
MOST_NUMBERS = 2_000_000  # draws, pairs and times; with fewer than FEWEST draws nothing is forecast
MOST_DRAWS, FEWEST = 120, 20
LEAST_RATE = 1e-9  # of the precision before any comparison
LEAST_WEIGHT = 1e-100  # of an answer
NATS = 1e-12, 100.0  # that are distinguished
OF_ALL, OF_ONE = (5.0, 2.0), (2.6, 3.0)  # `bits` and `spread`, of all and of one candidate or pair
LEAST_WAY = 0.1  # of the way in a round, that is always to come
LEAST_DOUBT = 1e-12
FEW_DRAWS = 200  # for prompts
NEVER = Stop()
WHO_IS_BEST = Claims("top_k", Goal(top_k=1), 0.05)


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


def stopped(met: Reason, left: Left) -> Stopping:
    """State of a set whose criterion is met."""
    return Stopping(met, Forecast(0, 0, 0), left.in_all)


def forecast(
    quantity: Quantity, model: Model, comparisons: float, stop: Stop, left: Left = NO_END, goal: Goal = RANKING
) -> Forecast:
    """Comparisons that a set of at least two candidates still needs after so many, none of whose criteria is met.

    Args: `quantity` is the scores, by e-values, or win rates.
    """
    if not comparisons:
        return NOTHING
    ends = _in_round(quantity, stop, goal) if isinstance(quantity, WinRates) else None
    if isinstance(quantity, Scores):
        needs = _needs(differences(quantity, model), model, comparisons, stop, left.new, goal)
        ends = _quantiles(needs, comparisons, left)
    if ends is None:
        return NOTHING
    whole = np.maximum(np.ceil(ends), 1.0).astype(int).tolist()
    return Forecast(*(None if left.in_all is not None and end > left.in_all else end for end in whole))


def prompts_to_decide(
    published: Published, item: Ints, stop: Stop = NEVER, goal: Goal = RANKING
) -> PromptsNeeded | None:
    """Number of prompts that decides the stop's first claim, or, without one, who is best; None where it is decided.

    Read from few draws. Args: `item` (K,) is what each comparison was about. Raises ValueError where there is no
    telling of new items.
    """
    wanted = next(claims_of(stop, goal, published.model.n), WHO_IS_BEST)

    def figure(scores: Scores) -> float:
        return Counts(drawn_values(scores, FEW_DRAWS), scores.mean).probability(wanted.goal)

    prompts = prompts_needed(published, item, figure, 1.0 - wanted.error_level)
    return None if prompts.needed == prompts.prompts else prompts


class _Futures(NamedTuple):
    """D futures of C differences. Where there is a 1 for D, it is the same in all."""

    first: Ints  # (D, C) or (1, C)
    second: Ints  # likewise
    truth: Floats  # (D, C) d
    m: Floats  # (D, C) or (1, C), and so are the others
    v: Floats
    prior: Floats  # variance before any comparison
    shortfall: Floats  # of ln B
    rate: Floats  # precision that a comparison brings


def _quantiles(needs: Floats, comparisons: float, left: Left) -> Floats | None:
    """(3,) at LEVELS of the futures (D,) that can be reached; None of fewer than FEWEST."""
    needs = np.sort(needs[(needs <= FARTHEST * comparisons) & (left.again | (needs < left.new))])
    if needs.size < FEWEST:
        return None
    share = np.cumsum(1.0 / (comparisons + needs))
    at = np.searchsorted(share, np.array(LEVELS) * share[-1])
    return np.asarray(needs[np.minimum(at, needs.size - 1)])


def _needs(now: Differences, model: Model, comparisons: float, stop: Stop, new: int, goal: Goal) -> Floats:
    """(D,) comparisons that each future takes to the first criterion that it meets, infinite if none."""
    n, rng, later, needs = model.n, np.random.default_rng(SEED), comparisons * LATER, list[Floats]()
    for claims in claims_of(stop, goal, n):
        pairs = goal_pairs(claims.goal, now.posterior.mean)
        futures, many = _futures(now, comparisons, pairs, rng, claims.goal), int(pairs.sum())
        sure = _sure_after(futures, later, many, claims.error_level, rng)
        rho = many / (1 if claims.goal.pair is not None else n - 1)
        weight = np.maximum(expected_weight(futures.truth, model), LEAST_WEIGHT) * rho
        after = new + (np.maximum(sure - new, 0.0) * futures.rate / weight).sum(axis=1)
        while_new = sure.max(axis=1)
        needs.append(np.where(while_new <= new, while_new, after))
    if has_width(stop, n):
        futures = _futures(now, comparisons, upper_triangle(n), rng)
        apart = np.zeros((len(futures.truth), n, n))
        apart[:, futures.first[0], futures.second[0]] = _sure_after(
            futures, later, n * (n - 1) // 2, stop.error_level, rng
        )
        in_turn = np.sort(apart + apart.swapaxes(1, 2), axis=2)
        needs.append(in_turn[:, :, n - 1 - (stop.rank_width or 0)].max(axis=1, initial=0.0))
    if stop.entropy_change is not None:
        futures = _futures(now, comparisons, upper_triangle(n), rng)
        least = expected_weight(futures.truth, model) / np.expm1(2.0 * np.clip(stop.entropy_change, *NATS))
        needs.append((np.maximum(least - 1.0 / futures.v, 0.0) / futures.rate).max(axis=1))
    if stop.concordance is not None:
        futures = _futures(now, comparisons, goal_pairs(goal, now.posterior.mean), rng)
        means, v = _on_the_way(futures, later, rng)
        share = ndtr(np.abs(means) / np.sqrt(v)).mean(axis=1)
        needs.append(_first(later, np.asarray(share >= stop.concordance)))
    draws = min(map(len, needs), default=0)
    return np.min([need[:draws] for need in needs], axis=0) if draws else np.empty(0)


def _futures(
    now: Differences, comparisons: float, pairs: Bools, rng: np.random.Generator, claimed: Goal | None = None
) -> _Futures:
    """As many as there is space for, of these pairs (N, N), in the order of the means, whoever joined first.

    Args: those of a goal that is `claimed` tell of each other, and a top k is the one of each draw.
    """
    order = best_first(now.posterior.mean)
    first, second = (order[places][None] for places in np.nonzero(np.triu((pairs | pairs.T)[np.ix_(order, order)])))
    draws = min(MOST_NUMBERS // (len(LATER) * first.size), MOST_DRAWS)
    scores = np.empty((draws if draws >= FEWEST else 0, len(order)))
    normal = Scores(now.posterior.mean, now.posterior.covariance)
    scores[:, order] = draw_scores(normal, order, rng, len(scores)).scores
    if claimed and claimed.pair is None:
        first, second = _claimed(claimed, scores, order)
    row = np.arange(len(scores))[:, None]
    d = scores[row, first] - scores[row, second]
    m, v, prior, known = (column[first, second][: len(scores)] for column in now[1:])
    shortfall, before = log_factor(m, v, prior) - known, prior
    if claimed and first.shape[1] == len(order) - 1:
        (m, v), before = _among_others(now.posterior, scores, d, second), prior * len(order) / (2 * len(order) - 2)
    rate = np.maximum(1.0 / v - 1.0 / before, LEAST_RATE / before) / comparisons
    return _Futures(first, second, d, m, v, prior, shortfall, rate)


def _claimed(goal: Goal, scores: Floats, order: Ints) -> tuple[Ints, Ints]:
    """(D, C) or (1, C) pairs of a goal that is claimed; a candidate that all claims share is the first."""
    if goal.against is not None:
        others = order[order != goal.against][None]
        return np.full_like(others, goal.against), others
    best, rest = np.split(np.argsort(-scores, axis=1), [goal.top_k or 1], axis=1)
    sides = np.repeat(best, rest.shape[1], axis=1), np.tile(rest, (1, best.shape[1]))
    return sides if rest.shape[1] > 1 else sides[::-1]


def _among_others(posterior: Scores, scores: Floats, d: Floats, second: Ints) -> tuple[Floats, Floats]:
    """(D, C) m and v of differences of one candidate with all others, `second`, once the others are known."""
    precision = np.linalg.inv(posterior.covariance.matrix())
    total, z = precision.sum(axis=1), scores - posterior.mean
    pull = (z - (z @ total)[:, None] / total.sum()) @ precision
    v = 1.0 / (precision.diagonal() - total**2 / total.sum())[second]
    return d + pull[np.arange(len(d))[:, None], second] * v, v[: len(d)]


def _on_the_way(futures: _Futures, later: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """(D, C, S) m(g) and v(g) after so many comparisons each."""
    d, m, v, rate = (column[:, :, None] for column in (futures.truth, futures.m, futures.v, futures.rate))
    growth = 1.0 + v * rate * later
    steps = np.sqrt(np.diff(growth, axis=2, prepend=1.0))
    noise = np.cumsum(rng.standard_normal((*d.shape[:2], len(later))) * steps, axis=2)
    return (m + (growth - 1.0) * d + np.sqrt(v) * noise) / growth, v / growth


def _sure_after(futures: _Futures, later: Floats, claims: int, error_level: float, rng: np.random.Generator) -> Floats:
    """(D, C) comparisons after which a difference is proven to be what it truly is, one of so many claims."""
    means, v = _on_the_way(futures, later, rng)
    factors = log_factor(means, v, futures.prior[:, :, None]) - futures.shortfall[:, :, None]
    return _first(later, (means * futures.truth[:, :, None] > 0.0) & separated(factors, claims, error_level))


def _first(later: Floats, is_met: Bools) -> Floats:
    """(...) the first of the times at which (..., S) is met, infinite where it never is."""
    return np.where(is_met.any(axis=-1), later[is_met.argmax(axis=-1)], np.inf)


def _in_round(ranked: WinRates, stop: Stop, goal: Goal) -> Floats | None:
    """(3,) low, median and high; None where nothing is forecast."""
    if not ranked.round.verdicts.all() or not ranked.round.repeats or not ranked.judged:
        return None
    counts = counts_of(ranked)
    needs = [
        _need_in_round(counts, claims.goal, 1.0 - counts.probability(claims.goal), claims.error_level)
        for claims in claims_of(stop, goal, len(counts.mean))
    ]
    if stop.concordance is not None:
        needs.append(_need_in_round(counts, goal, 1.0 - counts.concordance(goal), 1.0 - stop.concordance))
    return np.minimum(np.min(needs, axis=0), max(ranked.verdicts - ranked.judged, 1)) if needs else None


def _need_in_round(counts: Counts, goal: Goal, doubt: float, aim: float) -> Floats:
    """(3,) likewise. Args: the criterion's `doubt` now, and the one that is the `aim`."""
    bits, spread = OF_ALL if goal.against is None and goal.pair is None else OF_ONE
    way = max(1.0 - aim / max(doubt, LEAST_DOUBT), LEAST_WAY)
    return len(counts.mean) / bits * float(_bits(counts, goal).sum()) * way * np.array([1.0 / spread, 1.0, spread])


def _bits(counts: Counts, goal: Goal) -> Floats:
    """(N,) b."""
    values, n = counts.values, len(counts.mean)
    if goal.top_k is not None:
        best = np.argsort(-values, axis=1)[:, : goal.top_k]
        return _entropy(np.bincount(best.ravel(), minlength=n) / len(values))
    pairs = goal_pairs(goal, counts.mean)
    meets = pairs | pairs.T
    above = np.array([0.5 + 0.5 * np.sign(values[:, [i]] - values).mean(axis=0) for i in range(n)])
    return np.asarray((_entropy(above) * meets).sum(axis=1) / np.maximum(meets.sum(axis=1), 1))


def _entropy(p: Floats) -> Floats:
    """h(p), elementwise."""
    return np.asarray((entr(p) + entr(1.0 - p)) / np.log(2.0))
