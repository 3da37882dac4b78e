"""Forecasts: how many comparisons a set still needs until it stops, with an interval of 80%; or how many prompts.

Scores, which are tested by e-values, by futures (decision 36). True scores s are drawn from the normal of the
posterior's moments; then, for each pair that a criterion is about, of difference d with mean m and variance v now, the
posterior that has g times the precision,

    m(g) = (m + (g - 1) d + sqrt(v) W(g - 1)) / g        v(g) = v / g        W Brownian

where x comparisons bring g = 1 + v rate x, each as much as they have on average so far. The stop's own test says when
it is passed; it asks for as much more of ln B as a mixture's falls short of the normal's now. Of claims that all share
a candidate m and v are those that remain once the other differences are known: with P = Sigma^-1, u = P 1, and
z = s - mu less (u z / u 1) 1,

    1 / v = P_ll - u_l^2 / (u 1)        m = d + (P z)_l v        for the claim about l

Pairs of claims open again once new pairs are used up; then each claim is asked for by itself. With x_c the comparisons
after which claim c is sure, F new pairs and w = phi w(d) more precision by each answer, a future takes

    max_c x_c                                 where that is within the F; otherwise, and if these tell more,
    F + sum_c (x_c - F) rate_c / (w_c rho)    rho = C / (N - 1) for C claims among N, what answers tell of others

One that takes T comparisons is looked at after t < T with density 1 / T, so each future counts 1 / T: what is forecast
is the way of a set that stops, as likely looked at half way as at any other part.

The round of all pairs, by judges who repeat themselves, by the bits that are not known yet (decision 100):

    b_i = h(P(i is among the top k))                            goal top k;  h(p) = -p ld p - (1 - p) ld (1 - p)
    b_i = mean of h(P(i is above j)) over the j of its pairs     other goals and the concordance
    comparisons = (N / bits) (sum of b_i) (1 - u' / u)           u the doubt that the stop's criterion has now, u' then

where `bits`, and `spread`, by which times either way the interval reaches, are fitted to sets that stopped. Not
forecast: rank widths and the entropy of a round, nor anything where no question can be asked about a candidate.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import entr, ndtr

from app.inference.choosing.criteria import RANKING, Goal, goal_pairs
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
)
from app.inference.fitting.model import Model, expected_weight
from app.inference.fitting.published import Published
from app.inference.gaussian import Scores
from app.inference.pair_sets import upper_triangle
from app.inference.targets import PromptsNeeded, Quantity, WinRates, drawn_values, prompts_needed
from app.inference.targets.drawing import best_first, drawn_in_place
from app.inference.types import Bools, Floats, Ints

FARTHEST = 100.0  # times the comparisons so far: the most that is forecast
SEED = 20_261
LEVELS = (0.1, 0.5, 0.9)
LATER = np.append(0.0, np.geomspace(0.01, 300.0, 39))  # times the comparisons so far: where futures are looked at
MOST_NUMBERS = 2_000_000  # draws, pairs and times; with fewer than FEWEST draws nothing is forecast
MOST_DRAWS, FEWEST = 120, 20
LEAST_RATE = 1e-9  # of the precision before any comparison
OF_ALL, OF_ONE = (5.0, 2.0), (2.6, 3.0)  # `bits` and `spread`, of all and of one candidate or pair
LEAST_WAY, LEAST_DOUBT = 0.1, 1e-12  # of the way in a round, that is always to come; of a criterion
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


def forecast(
    quantity: Quantity, model: Model, comparisons: float, stop: Stop, left: Left = NO_END, goal: Goal = RANKING
) -> Forecast:
    """Comparisons that a set of at least two candidates still needs after so many, none of whose criteria is met."""
    if not comparisons:
        return NOTHING
    if isinstance(quantity, WinRates):
        ends = _in_round(quantity, stop, goal)
    else:
        needs = list(_needs(differences(quantity, model), model, comparisons, stop, left.new, goal))
        ends = _quantiles(needs, comparisons, left)
    if ends is None:
        return NOTHING
    whole = np.maximum(np.ceil(ends), 1.0).astype(int).tolist()
    return Forecast(*(None if left.in_all is not None and end > left.in_all else end for end in whole))


def prompts_to_decide(
    published: Published, item: Ints, stop: Stop = NEVER, goal: Goal = RANKING
) -> PromptsNeeded | None:
    """Number of prompts that decides the stop's first claim, or, without one, who is best; None where it is decided.

    Args: `item` (K,) is what each comparison was about. Raises ValueError where there is no telling of new items.
    """
    wanted = next(claims_of(stop, goal, published.model.n), WHO_IS_BEST)

    def figure(scores: Scores) -> float:
        return Counts(drawn_values(scores, FEW_DRAWS), scores.mean).probability(wanted.goal)

    prompts = prompts_needed(published, item, figure, 1.0 - wanted.error_level)
    return None if prompts.needed == prompts.prompts else prompts


def _quantiles(needs: Sequence[Floats], comparisons: float, left: Left) -> Floats | None:
    """(3,) at LEVELS of the futures that can be reached; None of fewer than FEWEST. `needs` (D,) are by criterion."""
    draws = min(map(len, needs), default=0)
    first = np.sort(np.min([need[:draws] for need in needs] or [np.empty(0)], axis=0))
    first = first[(first <= FARTHEST * comparisons) & (left.again | (first < left.new))]
    if first.size < FEWEST:
        return None
    share = np.cumsum(1.0 / (comparisons + first))
    at = np.searchsorted(share, np.array(LEVELS) * share[-1])
    return np.asarray(first[np.minimum(at, first.size - 1)])


class _Futures(NamedTuple):
    """D futures of C differences, at S times. Where there is a 1 for D, it is the same in all."""

    truth: Floats  # (D, C) d
    rate: Floats  # (D, C) or (1, C), precision that a comparison brings
    prior: Floats  # likewise, variance before any comparison
    shortfall: Floats  # likewise, of ln B
    means: Floats  # (D, C, S) m(g)
    v: Floats  # (D, C, S) or (1, C, S) v(g)

    def sure_after(self, claims: int, error_level: float) -> Floats:
        """(D, C) when a difference is proven to be what it truly is, one of so many claims."""
        log_factors = log_factor(self.means, self.v, self.prior[:, :, None]) - self.shortfall[:, :, None]
        is_proven = log_factors >= np.log(claims / error_level)
        return _first(is_proven & (self.means * self.truth[:, :, None] > 0.0))


def _first(is_met: Bools) -> Floats:
    """(...) the first of LATER at which (..., S) is met, infinite where it never is."""
    return np.where(is_met.any(axis=-1), LATER[is_met.argmax(axis=-1)], np.inf)


def _needs(now: Differences, model: Model, comparisons: float, stop: Stop, new: int, goal: Goal) -> Iterator[Floats]:
    """(D,) comparisons that each future takes to each criterion, infinite where it does not meet it."""
    n, rng, everyone = model.n, np.random.default_rng(SEED), upper_triangle(model.n)
    for claims in claims_of(stop, goal, n):
        pairs = goal_pairs(claims.goal, now.posterior.mean)
        many, futures = int(pairs.sum()), _futures(now, comparisons, pairs, rng, claims.goal)
        sure = comparisons * futures.sure_after(many, claims.error_level)
        rho = many / (1 if claims.goal.pair is not None else n - 1)
        weight = np.maximum(expected_weight(futures.truth, model), np.finfo(np.float64).tiny) * rho
        after = new + (np.maximum(sure - new, 0.0) * futures.rate / weight).sum(axis=1)
        yield np.where(sure.max(axis=1) <= new, sure.max(axis=1), after)
    if has_width(stop, n):
        futures = _futures(now, comparisons, everyone, rng)
        apart = np.zeros((len(futures.truth), n, n))
        apart[:, *np.triu_indices(n, 1)] = futures.sure_after(n * (n - 1) // 2, stop.error_level)
        in_turn = np.sort(apart + apart.swapaxes(1, 2), axis=2)
        yield comparisons * in_turn[:, :, n - 1 - (stop.rank_width or 0)].max(axis=1, initial=0.0)
    if stop.entropy_change is not None:
        futures = _futures(now, comparisons, everyone, rng, later=LATER[:1])
        least = expected_weight(futures.truth, model) / np.expm1(2.0 * np.clip(stop.entropy_change, 1e-12, 100.0))
        yield (np.maximum(least - 1.0 / futures.v[:, :, 0], 0.0) / futures.rate).max(axis=1)
    if stop.concordance is not None:
        futures = _futures(now, comparisons, goal_pairs(goal, now.posterior.mean), rng)
        share = ndtr(np.abs(futures.means) / np.sqrt(futures.v)).mean(axis=1)
        yield comparisons * _first(np.asarray(share >= stop.concordance))


def _futures(
    now: Differences,
    comparisons: float,
    pairs: Bools,
    rng: np.random.Generator,
    claimed: Goal | None = None,
    later: Floats = LATER,
) -> _Futures:
    """As many as there is space for, of these pairs (N, N), in the order of the means, whoever joined first.

    Args: those of a goal that is `claimed` tell of each other, and a top k is the one of each draw.
    """
    order = best_first(now.posterior.mean)
    first, second = (order[places][None] for places in np.nonzero(np.triu((pairs | pairs.T)[np.ix_(order, order)])))
    draws, scores = min(MOST_NUMBERS // (len(LATER) * first.size), MOST_DRAWS), np.empty((0, len(order)))
    if draws >= FEWEST:
        scores = drawn_in_place(Scores(now.posterior.mean, now.posterior.covariance), rng, draws)
    if claimed and claimed.pair is None:
        first, second = _claimed(claimed, scores, order)
    d = scores[np.arange(len(scores))[:, None], first] - scores[np.arange(len(scores))[:, None], second]
    m, v, prior, known = (column[first, second][: len(scores)] for column in now[1:])
    shortfall, before = log_factor(m, v, prior) - known, prior
    if claimed and first.shape[1] == len(order) - 1:
        (m, v), before = _among_others(now.posterior, scores, d, second), prior * len(order) / (2 * len(order) - 2)
    rate = np.maximum(1.0 / v - 1.0 / before, LEAST_RATE / before)
    growth = 1.0 + (v * rate)[:, :, None] * later
    steps = np.sqrt(np.diff(growth, axis=2, prepend=1.0))
    noise = np.cumsum(rng.standard_normal((*d.shape, len(later))) * steps, axis=2)
    means = (m[:, :, None] + (growth - 1.0) * d[:, :, None] + np.sqrt(v)[:, :, None] * noise) / growth
    return _Futures(d, rate / comparisons, prior, shortfall, means, v[:, :, None] / growth)


def _claimed(goal: Goal, scores: Floats, order: Ints) -> tuple[Ints, Ints]:
    """(D, C) or (1, C) pairs of a goal that is claimed; a candidate that all claims share is the first."""
    best, rest = np.split(np.argsort(-scores, axis=1), [goal.top_k or 1], axis=1)
    if goal.against is not None:
        best, rest = np.array([[goal.against]]), order[order != goal.against][None]
    sides = np.repeat(best, rest.shape[1], axis=1), np.tile(rest, (1, best.shape[1]))
    return sides if rest.shape[1] > 1 else sides[::-1]


def _among_others(posterior: Scores, scores: Floats, d: Floats, second: Ints) -> tuple[Floats, Floats]:
    """(D, C) m and v of differences of one candidate with all others, `second`, once the others are known."""
    precision = np.linalg.inv(posterior.covariance.matrix())
    total, z = precision.sum(axis=1), scores - posterior.mean
    pull = (z - (z @ total)[:, None] / total.sum()) @ precision
    v = 1.0 / (precision.diagonal() - total**2 / total.sum())[second]
    return d + pull[np.arange(len(d))[:, None], second] * v, v[: len(d)]


def _in_round(ranked: WinRates, stop: Stop, goal: Goal) -> Floats | None:
    """(3,) low, median and high; None where nothing is forecast."""
    if not ranked.about.all() or not ranked.repeats or not ranked.judged:
        return None
    counts, n = counts_of(ranked), len(ranked.scores.mean)
    doubts = [
        (claims.goal, 1.0 - counts.probability(claims.goal), claims.error_level) for claims in claims_of(stop, goal, n)
    ]
    if stop.concordance is not None:
        doubts.append((goal, 1.0 - counts.concordance(goal), 1.0 - stop.concordance))
    needs = []
    for about, doubt, aim in doubts:
        bits, spread = OF_ALL if about.against is None and about.pair is None else OF_ONE
        way = max(1.0 - aim / max(doubt, LEAST_DOUBT), LEAST_WAY)
        needs.append(n / bits * _bits(counts, about).sum() * way * np.array([1.0 / spread, 1.0, spread]))
    return np.minimum(np.min(needs, axis=0), max(ranked.verdicts - ranked.judged, 1)) if needs else None


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
