"""Confidence in an order: of one pair, of all that matter, with more comparisons, and as it grew with the log.

    m, v          mean and variance of s_i - s_j, from N(mu, Sigma)
    P(i above j)  Phi(m / sqrt v); of a mixture, the mean of that over its parts; of draws their share, of ties a half
    concordance   mean over the pairs that matter of the chance that their order is right; 1/2 where m = 0
    interval      of the share of the pairs that draws of all scores together have in the published order
    entropy       N (1 + ln 2 pi) / 2 + ln det(Sigma) / 2      (GPM 4.3)
    tie group     going down the ranking, a new group begins where P(s_head - s_i > epsilon) is at least
                  1 - (1 - level) / (N (N - 1)), head being the first of the group above (decision 16), or where the
                  best rank that is possible is beyond the worst one of somebody in the group. In draws only ranks part
                  groups; with epsilon, only where the head is above by more than that in a share `level` of the draws
    forecast      the concordance where comparisons tell f times as much of each difference, V its prior variance:

        1 / v'  =  1 / V + f (1 / v - 1 / V)
        E Phi(|m'| / sqrt v')  =  1 - 2 T(|m| / sqrt v, sqrt(v' / (v - v')))    over m' ~ N(m, v - v')    (Owen 1956)

Of the doubt that draws of votes leave, a forecast leaves the share that it leaves of the normals'. Of win rates m and v
are the draws', and v' = v (1 - c f) / (f (1 - c)), c the share of the pairs that is known for good.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, owens_t

from app.inference.gaussian import Covariance, Scores, SparseCovariance
from app.inference.pair_sets import Kinds, matching, of_one_kind
from app.inference.reporting import very_many
from app.inference.reporting.intervals import interval_of, ranks
from app.inference.targets import Quantity, WinRates, drawn_values, is_drawn
from app.inference.targets.drawing import ROUNDING
from app.inference.types import Bools, Floats, Ints

PairsOf = Callable[[Floats], Kinds]  # the pairs that matter, by the mean scores (N,)
Difference = tuple[float, Floats, Floats]  # weight of a part, and (K,) m and v of pairs in it

ORDERS, FEWEST = 50_000_000, 200  # of two candidates in draws that are looked at for an interval; draws
PAIRS = 50_000  # that a forecast is over, of very many candidates
TIMES = (1.25, 1.5, 2.0, 4.0)  # as many comparisons: how sure a ranking is expected to be then
LEAST_VARIANCE = np.finfo(np.float64).tiny
KNOWN = 1e-18  # variance of a difference of win rates


class PredictedVerdict(NamedTuple):
    p_first_better: float
    mean_difference: float
    sd_difference: float


class Confidence(NamedTuple):
    expected_concordance: float  # expected share of the pairs in the right order
    pairs: int  # that it is about
    interval: tuple[float, float]  # of that share, at the level asked for


class ForecastPoint(NamedTuple):
    comparisons: int  # of weight 1 in all
    expected_concordance: float


class HistoryPoint(NamedTuple):
    comparisons: int  # of the log, so far
    entropy: float  # nats
    concordance: float  # expected share of the pairs in the right order
    rank_correlation: float  # of the scores then with the scores now


def all_pairs(mean: Floats) -> Kinds:
    """What a whole ranking is about."""
    return of_one_kind(len(mean))


def scores_of(quantity: Quantity) -> Scores:
    """The scores, or those beneath win rates."""
    return quantity.scores if isinstance(quantity, WinRates) else quantity


def differences(scores: Scores, first: Ints, second: Ints) -> Iterator[Difference]:
    """s_first - s_second of (K,) pairs in each part."""
    for weight, part in scores.parts or ((1.0, scores),):
        if part.covariance.has_matrix:
            sigma = part.covariance.matrix()
            own = sigma.diagonal()
            v = own[first] + own[second] - 2.0 * sigma[first, second]
        else:
            v = part.covariance.variances(first, second)
        yield weight, part.mean[first] - part.mean[second], np.maximum(v, LEAST_VARIANCE)


def p_above(scores: Scores, first: Ints, second: Ints, by: float = 0.0) -> Floats:
    """(K,) P(s_first - s_second > by) of normals."""
    return np.asarray(sum(weight * ndtr((m - by) / np.sqrt(v)) for weight, m, v in differences(scores, first, second)))


def predict(quantity: Quantity, first: int, second: int) -> PredictedVerdict:
    """`first` beside `second`."""
    if is_drawn(quantity):
        values = drawn_values(quantity)
        apart = values[:, first] - values[:, second]
        return PredictedVerdict(share_above(apart), float(apart.mean()), float(apart.std()))
    scores = scores_of(quantity)
    p = p_above(scores, np.array([first]), np.array([second]))
    sd = np.sqrt(scores.covariance.variance_of_difference(first, second))
    return PredictedVerdict(float(p[0]), float(scores.mean[first] - scores.mean[second]), float(sd))


def share_above(differences: Floats) -> float:
    """Share of (D,) drawn differences that are above 0, half of those that are 0."""
    return float(0.5 + 0.5 * np.sign(differences).mean())


def expected_wins(quantity: Quantity) -> Floats:
    """(N, N) the probability that the row is better than the column, as `predict` has it; NaN on the diagonal."""
    if is_drawn(quantity):
        columns = np.ascontiguousarray(drawn_values(quantity).T)
        p = np.array([0.5 + 0.5 * np.sign(column - columns).mean(axis=1) for column in columns])
    else:
        scores = scores_of(quantity)
        p = np.zeros((len(scores.mean), len(scores.mean)))
        for weight, part in scores.parts or ((1.0, scores),):
            sigma = part.covariance.matrix()
            v = np.maximum(sigma.diagonal()[:, None] + sigma.diagonal() - 2.0 * sigma, LEAST_VARIANCE)
            p += weight * ndtr((part.mean[:, None] - part.mean) / np.sqrt(v))
    np.fill_diagonal(p, np.nan)
    return p


def concordance(quantity: Quantity, pairs: Bools) -> float:
    """The expected share of `pairs` in the right order: True at [i, j], i < j, somewhere."""
    scores = scores_of(quantity)
    if is_drawn(quantity):
        return float(shares_in_order(ranks(scores.mean), -drawn_values(quantity), pairs).mean())
    first, second = np.nonzero(pairs)
    p = p_above(scores, first, second)
    return float(np.where(scores.mean[first] >= scores.mean[second], p, 1.0 - p).mean())


def shares_in_order(rank: Ints, drawn: Ints | Floats, pairs: Bools) -> Floats:
    """(D',) shares of the pairs that some draws (D, N), lower for the better, have as the `rank` (N,) has them."""
    count = max(int(pairs.sum()), 1)
    some = np.ascontiguousarray(drawn[:: max(len(drawn) // max(ORDERS // count, FEWEST), 1)].T)
    wrong = np.zeros(some.shape[1])
    for i, others in enumerate(pairs):
        published = np.sign(rank[others] - rank[i])[:, None]
        wrong += 0.5 * np.abs(np.sign(some[others] - some[i]) - published).sum(axis=0)
    return np.asarray(1.0 - wrong / count)


def tie_groups(
    scores: Scores, rank_interval: Ints, level: float, epsilon: float = 0.0, drawn: Floats | None = None
) -> Ints:
    """(N,) numbers of the tie groups, 1 for the best. Args: `drawn` (D, N), where normals are not true to it."""
    n, order = len(scores.mean), np.argsort(-scores.mean, kind="stable")
    error, groups, begin = (1.0 - level) / max(n * (n - 1), 1), np.ones(n, np.int64), 0
    while True:
        head, below = order[begin], order[begin + 1 :]
        worst = np.minimum.accumulate(rank_interval[order[begin:], 1])[:-1]
        is_apart = rank_interval[below, 0] > worst
        if drawn is None:
            if isinstance(scores.covariance, SparseCovariance):
                v = very_many.variances_below(scores.covariance, head, below)
                is_proven = ndtr((epsilon + scores.mean[below] - scores.mean[head]) / np.sqrt(v)) < error
            else:
                is_proven = p_above(scores, below, np.array([head]), -epsilon) < error
            is_apart = is_proven if epsilon else is_proven | is_apart
        elif epsilon:
            is_apart &= (drawn[:, [head]] - drawn[:, below] > epsilon).mean(axis=0) >= level
        if not is_apart.any():
            return groups
        begin += 1 + int(is_apart.argmax())
        groups[order[begin:]] += 1


def confidence_of(in_order: Floats, pairs: int, level: float, expected: float | None = None) -> Confidence:
    """The confidence by the (D,) shares of so many pairs that draws have in order; `expected` by default their mean."""
    share = float(in_order.mean()) if expected is None else expected
    low, high = interval_of(in_order, level, share).tolist()
    return Confidence(share, pairs, (low, high))


def forecast(
    quantity: Quantity, sd: Floats, kinds: Kinds, prior: Floats, votes: float, now: Confidence
) -> list[ForecastPoint]:
    """The confidence with TIMES as many comparisons of the same kind; none where there is none yet.

    Args: (N,) sds of s_i - mean(s), variances of scores before any comparison, the weight of all `votes`.
    """
    if isinstance(quantity, WinRates):
        return _forecast_of_round(quantity, matching(kinds), votes)
    if not votes:
        return []
    if quantity.covariance.has_matrix:
        first, second = np.nonzero(matching(kinds))
        parts = list(differences(quantity, first, second))
    else:
        n, rng = len(sd), np.random.default_rng(0)
        first = rng.integers(n, size=PAIRS)
        second = (first + rng.integers(1, n, size=PAIRS)) % n
        v = (sd[first] ** 2 + sd[second] ** 2) * n / (n - 1)  # exact on average over the partners of any candidate
        parts = [(1.0, quantity.mean[first] - quantity.mean[second], v)]
    before, left = prior[first] + prior[second], 1.0
    if quantity.has_votes and (of_normals := 1.0 - concordance_after(parts, before, 1.0)):
        left = (1.0 - now.expected_concordance) / of_normals
    return [
        ForecastPoint(int(np.ceil(factor * votes)), 1.0 - left * (1.0 - concordance_after(parts, before, factor)))
        for factor in TIMES
    ]


def _forecast_of_round(drawn: WinRates, pairs: Bools, votes: float) -> list[ForecastPoint]:
    """New pairs all of them, as far as there are such."""
    most = votes * drawn.verdicts / max(drawn.judged, 1)
    counts = sorted({int(np.ceil(min(factor * votes, most))) for factor in TIMES if votes < most})
    (first, second), sigma, mean = np.nonzero(pairs), np.cov(drawn.values, rowvar=False), drawn.mean
    m, v = mean[first] - mean[second], sigma[first, first] + sigma[second, second] - 2.0 * sigma[first, second]
    known, points = drawn.known / drawn.verdicts, list[ForecastPoint]()
    for count in counts:
        factor = count / votes
        later = max(1.0 - known * factor, 0.0) / (factor * (1.0 - known)) if known < 1.0 else 0.0
        in_order = np.where(v > KNOWN, _in_order_after(m, v, v * later), 1.0)
        points.append(ForecastPoint(count, float(in_order.mean())))
    return points


def concordance_after(parts: Sequence[Difference], before: Floats, factor: float) -> float:
    """The concordance of scores when there are `factor` >= 1 times as many comparisons, from (K,) V `before`."""
    share = 0.0
    for weight, m, v in parts:
        learnt = np.maximum(1.0 / v - 1.0 / before, 0.0)
        share += weight * float(_in_order_after(m, v, 1.0 / (1.0 / v + (factor - 1.0) * learnt)).mean())
    return share


def _in_order_after(m: Floats, v: Floats, still: Floats) -> Floats:
    """(K,) E Phi(|m'| / sqrt v') for v' = `still`; NaN where nothing varies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.sqrt(still / np.maximum(v - still, 0.0))
        return np.asarray(1.0 - 2.0 * owens_t(np.abs(m) / np.sqrt(v), slope))


def entropy(sigma: Covariance) -> float:
    """Nats."""
    n = len(sigma.diagonal)
    return 0.5 * (n * (1.0 + float(np.log(2.0 * np.pi))) + sigma.log_det)


def ranking_history(
    size: int, moments: int, ranked_after: Callable[[int], Quantity | None], pairs_of: PairsOf = all_pairs
) -> list[HistoryPoint]:
    """Evenly spaced moments of a log of `size` comparisons, the last of which is now.

    Args: `ranked_after` tells what was ranked after so many. None leaves a moment out or, of all, the history.
    """
    counts = np.unique(np.ceil(np.linspace(0.0, size, moments + 1)))[1:].astype(int).tolist()
    ranked = [(count, quantity) for count in counts if (quantity := ranked_after(count)) is not None]
    if not ranked or ranked[-1][0] < size:
        return []
    history, now = list[HistoryPoint](), scores_of(ranked[-1][1])
    for count, quantity in ranked:
        then = scores_of(quantity)
        share = concordance(quantity, matching(pairs_of(then.mean)))
        history.append(HistoryPoint(count, entropy(then.covariance), share, rank_correlation(then.mean, now.mean)))
    return history


def rank_correlation(one: Floats | Ints, other: Floats | Ints) -> float:
    """Spearman's correlation of (N,) scores, which tie at nine equal decimals; 0 where either is constant."""
    from scipy.stats import rankdata  # slow to load, and few need it

    x, y = (rankdata(np.round(each, ROUNDING)) - 0.5 * (len(each) + 1) for each in (one, other))
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else 0.0
