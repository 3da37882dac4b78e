"""Stopping: when a set need ask no more, and how far off that is.

A set may stop when its top k are separated from the rest, when every rank interval is narrow, or when no further
comparison would teach much. The first two are claims about the order of pairs, read after every comparison, so they
rest on a test that may be looked at as often as one likes. For a pair with posterior difference N(m, v) and prior
difference N(0, V), the Bayes factor against s_i = s_j is (Savage and Dickey)

    B = sqrt(v / V) exp(m^2 / (2 v))

Under s_i = s_j it is a martingale with mean 1, however the pairs were chosen, so it ever exceeds 1/alpha with
probability at most alpha (Ville 1939; Robbins 1970). A claim about c pairs takes B >= c / alpha for each of them:

    top k separated      c = k (N - k) pairs
    rank intervals       c = N (N - 1) / 2 pairs; rank i lies between 1 + #(surely above i) and N - #(surely below i)
    entropy              no claim: the most that one more comparison would take off, max ln(1 + w v) / 2, is small

The forecast keeps the means and lets the comparisons' part of every precision grow in proportion to their total weight.
"""

from typing import Literal, NamedTuple

import numpy as np

from app.inference.covariance import dense
from app.inference.fitting.model import Model, expected_weight
from app.inference.fitting.posterior import Scores
from app.inference.types import Bools, Floats, Ints

Reason = Literal["top_k", "rank_width", "entropy_change"]
FARTHEST = 100.0  # times the votes so far: the most that is forecast


class Stop(NamedTuple):
    """Whichever comes first; None is never, and so is what holds of any N candidates: k >= N, a width >= N - 1."""

    top_k: int | None = None
    rank_width: int | None = None  # worst rank minus best, of every candidate
    entropy_change: float | None = None  # nats
    error_level: float = 0.05  # alpha: of ever making a false claim


class Stopping(NamedTuple):
    reason: Reason | None  # the first criterion that is met; None while none is
    forecast: int | None  # comparisons of weight 1 still needed; None where it is more than 100 times the votes so far


class _Pairs(NamedTuple):
    m: Floats  # (N, N) difference of means
    v: Floats  # (N, N) variance of the difference, positive off the diagonal
    prior: Floats  # (N, N) the same before any comparison


def can_be_met(stop: Stop, n: int) -> bool:
    """False where the criteria say what holds of any n candidates, on which nothing ever stops."""
    is_top, is_width = (
        stop.top_k is not None and stop.top_k < n,
        stop.rank_width is not None and stop.rank_width < n - 1,
    )
    return is_top or is_width or stop.entropy_change is not None


def distance_to_stop(posterior: Scores, model: Model, votes: float, stop: Stop) -> Stopping:
    """Distance of a set of at least two candidates to its stop; `votes` is the sum of its comparisons' weights."""
    pairs = _pairs(posterior, model)
    reason = _reason(pairs, model, stop)
    if reason is not None:
        return Stopping(reason, 0)
    return Stopping(None, _forecast(pairs, model, votes, stop))


def reason(posterior: Scores, model: Model, stop: Stop) -> Reason | None:
    """The first criterion that is met, of a set of at least two candidates."""
    return _reason(_pairs(posterior, model), model, stop)


def separated(m: Floats, v: Floats, prior: Floats, claims: int, error_level: float) -> Bools:
    """Differences that are surely not 0, each one of so many claims that are all to hold; `m`'s shape."""
    log_factor = 0.5 * np.log(v / prior) + 0.5 * m * m / v
    return np.asarray(log_factor >= np.log(claims / error_level))


def rank_bounds(above: Bools) -> Ints:
    """(N, 2) best and worst rank, from [i, j] True where i is surely above j."""
    return np.column_stack([1 + above.sum(axis=0), len(above) - above.sum(axis=1)])


def _pairs(posterior: Scores, model: Model) -> _Pairs:
    mean, sigma = posterior.mean, dense(posterior.covariance)
    variances, before = sigma.diagonal(), 1.0 / model.prior.precision[: model.n]
    v = variances[:, None] + variances - 2.0 * sigma
    np.fill_diagonal(v, 1.0)
    return _Pairs(mean[:, None] - mean, v, before[:, None] + before)


def _reason(pairs: _Pairs, model: Model, stop: Stop) -> Reason | None:
    n = model.n
    if stop.top_k is not None and stop.top_k < n and _top_is_apart(pairs, stop.top_k, stop.error_level):
        return "top_k"
    width = stop.rank_width
    if width is not None and width < n - 1 and _width(pairs, stop.error_level) <= width:
        return "rank_width"
    if stop.entropy_change is not None and _most_to_learn(pairs, model) <= stop.entropy_change:
        return "entropy_change"
    return None


def _top_is_apart(pairs: _Pairs, k: int, error_level: float) -> bool:
    n = len(pairs.m)
    order = np.argsort(-pairs.m[:, 0], kind="stable")
    cross = np.ix_(order[:k], order[k:])
    return bool(separated(pairs.m[cross], pairs.v[cross], pairs.prior[cross], k * (n - k), error_level).all())


def _width(pairs: _Pairs, error_level: float) -> int:
    n = len(pairs.m)
    sure = separated(pairs.m, pairs.v, pairs.prior, n * (n - 1) // 2, error_level)
    bounds = rank_bounds(sure & (pairs.m > 0.0))
    return int((bounds[:, 1] - bounds[:, 0]).max())


def _most_to_learn(pairs: _Pairs, model: Model) -> float:
    """Nats that the most telling comparison would take off the entropy of the scores."""
    gain = 0.5 * np.log1p(expected_weight(pairs.m, model) * pairs.v)
    np.fill_diagonal(gain, 0.0)
    return float(gain.max())


def _forecast(pairs: _Pairs, model: Model, votes: float, stop: Stop) -> int | None:
    """The least that suffices, to 1%, by bisection on the factor by which the votes grow."""
    low, high = 1.0, FARTHEST
    if not votes or _reason(_grown(pairs, high), model, stop) is None:
        return None
    while high > 1.01 * low:
        middle = np.sqrt(low * high)
        if _reason(_grown(pairs, middle), model, stop) is None:
            low = middle
        else:
            high = middle
    return int(np.ceil((high - 1.0) * votes))


def _grown(pairs: _Pairs, factor: float) -> _Pairs:
    learnt = np.maximum(1.0 / pairs.v - 1.0 / pairs.prior, 0.0)
    return pairs._replace(v=1.0 / (1.0 / pairs.prior + factor * learnt))
