"""Figures of the log alone, before any fit: cycles, repeats, presentation order, agreement.

    direction    of a verdict: the sign of p - 1/2; within 1e-9 of zero it is a tie, here and for a mean of verdicts
    one pair     an item and an unordered pair of candidates; where orders differ, a verdict is turned to match
    pooled       the direction of the mean p of the lower-numbered candidate over several verdicts, by their weight
    agree        two verdicts with the same direction once turned to the same order; a tie agrees with a tie only

Means go by weight, counts count verdicts. A verdict is never compared with itself. A share of nothing is None.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.stats import binom

from app.inference.covariance import dense
from app.inference.experts import Expert
from app.inference.fitting.model import Model, differences
from app.inference.fitting.posterior import Posterior, scores
from app.inference.graph import components, potentials
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import TIE, directions

MANY = 0.05  # pairs, as a share of N^2, from which on a dense product is quicker
NOTHING = 1e-12  # of spread: keeps an order where there is no other sign of one


class Cycles(NamedTuple):
    triads: int  # triples of candidates whose three pairs all have a winner
    cyclic: int  # those in which each beats one of the others
    share: float | None


class ExpectedCycles(NamedTuple):
    """Cyclic triads, were verdicts drawn anew."""

    mean: float
    sd: float


class Agreement(NamedTuple):
    pairs: int  # pairs of verdicts that were compared
    share: float | None  # that agree


class Repeats(NamedTuple):
    same_order: Agreement
    swapped: Agreement
    first_both: float | None  # share of the swapped pairs in which the first position won both times
    second_both: float | None
    by_chance: float | None  # share of the swapped pairs that would agree if judges did not look at what they are shown


class OrderBalance(NamedTuple):
    lead: Ints  # (N,) how many times more often each candidate was shown first than second
    worst: int  # largest absolute lead
    mixed: float | None  # share of what verdicts say of a liking for a position that no scores could say as well
    first_picked: float | None  # mean p, by weight


class LogDiagnostics(NamedTuple):
    components: int
    cycles: Cycles
    repeats: Repeats
    agreement: Agreement
    order_balance: OrderBalance


def diagnose(comparisons: Comparisons, n: int, item: Ints) -> LogDiagnostics:
    """All of the below; `item` (K,) is what each comparison was about."""
    return LogDiagnostics(
        int(components(comparisons, n).max(initial=-1)) + 1,
        cycles(comparisons, n),
        repeats(comparisons, n, item),
        agreement(comparisons, n, item),
        order_balance(comparisons, n),
    )


def cycles(comparisons: Comparisons, n: int) -> Cycles:
    """Contradictions of the pooled verdicts, over all judges and items: i over j over k over i.

    Verdicts of one total order have no cycle. Coin flips make a quarter of the triads cyclic on average: two of the
    eight ways to decide three pairs.
    """
    up, down = _ascending(*_edges(comparisons, n), n)
    triads = _closed(up + down, up + down)
    cyclic = _closed(up, down) + _closed(down, up)
    return Cycles(triads, cyclic, _share(cyclic, triads))


def expected_cycles(
    comparisons: Comparisons, d: Floats, variance: Floats, expert: Expert, n: int, triads: int
) -> ExpectedCycles:
    """Cyclic ones of the `triads` of `cycles`, if judges followed the model's order and erred by chance.

    A verdict names whom the model favours with the probability P that its difference lets one expect, or with
    max(p, 1 - p) where a p between 0 and 1 is surer: who says 0.98 of every pair promises few cycles. Differences are
    first shrunk by sqrt(1 - mean variance / mean d^2), as fitted ones are spread by noise too. Of m verdicts on a pair
    most decide, each as probably right as their mean.

    With independent pairs, sigma_ij = 1 if i beats j and -1 else, mu its mean and v = 1 - mu^2, a triad is cyclic in

        (1 + sigma_ij sigma_jk + sigma_jk sigma_ki + sigma_ki sigma_ij) / 4

    of all cases, which gives the mean; and over all pairs, and all pairs of sides of triads,

        sd^2 = sum_ij v_ij (sum_k (mu_jk + mu_ki) / 4)^2 + sum_ij,jk v_ij v_jk / 16

    Args: `d` (K,) and `variance` (K,) are the posterior's, of first minus second in each of K >= 1 comparisons.
    """
    signal = 1.0 - float(variance.mean()) / max(float((d**2).mean()), NOTHING)
    low, high, mu = _favoured(comparisons, expert.expected(d * np.sqrt(max(signal, NOTHING))), n)
    pairs = np.append(low, high), np.append(high, low)
    linked, mean, spread = (
        _matrix(values, *pairs, n) for values in (np.ones(2 * len(mu)), np.append(mu, -mu), np.tile(1.0 - mu**2, 2))
    )
    through = linked * (mean @ linked)  # and linked * (linked @ mean) is minus its transpose, as mu_ji = -mu_ij
    slope = 0.25 * (through - through.T)
    agreeing, spread_of_sides = (0.5 * (linked * (sides @ sides)).sum() for sides in (mean, spread))
    variance_of_sum = 0.5 * (spread * slope**2).sum() + spread_of_sides / 16.0
    return ExpectedCycles(float(triads + agreeing) / 4.0, float(np.sqrt(variance_of_sum)))


def cycles_by_chance(posterior: Posterior, comparisons: Comparisons, model: Model, triads: int) -> ExpectedCycles:
    """`expected_cycles` of a posterior whose covariance is exact, given the comparisons that it has seen."""
    sigma = dense(scores(posterior, comparisons, model).covariance)
    first, second = comparisons.first, comparisons.second
    variance = sigma[first, first] + sigma[second, second] - 2.0 * sigma[first, second]
    d = differences(posterior.mean, comparisons, model)
    return expected_cycles(comparisons, d, variance, model.expert, model.n, triads)


def repeats(comparisons: Comparisons, n: int, item: Ints) -> Repeats:
    """Consistency of judges who decide the same pair again; `item` (K,) is what each comparison was about.

    Each verdict is compared with the judge's earliest one on the pair in the same order, and with the earliest one in
    the other order, where these came before it: at most two pairs per verdict. Swapped pairs that do not agree are
    those won by the first position both times, those won by the second both times, and those with one tie.
    Who names the first position in a share f of these verdicts, the second in s and neither in t, whatever is shown,
    agrees in 2 f s + t^2: never if it is always the same position, always if nothing but ties.
    """
    key = 2 * _number(comparisons.judge, item, _pair(comparisons, n)) + (comparisons.first > comparisons.second)
    earliest = _earliest(key)
    now, before = _preceded(earliest[key])
    later, other = _preceded(earliest[key ^ 1])
    shown, turned = directions(comparisons.p - 0.5), directions(_lean(comparisons))
    return Repeats(
        _agreement(turned[now] == turned[before]),
        _agreement(turned[later] == turned[other]),
        _agreement((shown[later] > 0) & (shown[other] > 0)).share,
        _agreement((shown[later] < 0) & (shown[other] < 0)).share,
        _agreement_by_chance(comparisons.judge[later], shown[later], shown[other]),
    )


def agreement(comparisons: Comparisons, n: int, item: Ints) -> Agreement:
    """Agreement of two different judges of the same pair, over all pairs and all twos of their judges.

    A judge that decided a pair several times has one verdict there, the pooled one. Two judges that flip coins, without
    ties, agree in half of the pairs.
    """
    pair = _number(item, _pair(comparisons, n))
    vote = _number(pair, comparisons.judge)  # one number for each judge of each pair
    direction, voted_on = _pooled(comparisons, vote), pair[np.unique(vote, return_index=True)[1]]
    twos, agreeing = _twos_within(voted_on), _twos_within(3 * voted_on + direction + 1)
    return Agreement(twos, _share(agreeing, twos))


def order_balance(comparisons: Comparisons, n: int) -> OrderBalance:
    """Balance of who was shown first, and how much of the winning the first position did.

    Where orders are balanced, a `first_picked` far from 1/2 is positional bias; where they are not, it may be merit.
    `mixed` is 1 - R^2 of the least squares fit of scores to a bias of 1 in every verdict: 1 where each candidate is
    first as often as second, about 1 - (N - 1) / K where orders are drawn, 0 in a tree or where some are always first.
    """
    leads = np.bincount(comparisons.first, minlength=n) - np.bincount(comparisons.second, minlength=n)
    worst = int(np.abs(leads).max(initial=0))
    if not comparisons.size:
        return OrderBalance(leads, worst, None, None)
    merits = potentials(np.ones(comparisons.size), comparisons, n)
    merit = merits[comparisons.first] - merits[comparisons.second]
    mixed = 1.0 - float(np.average(merit, weights=comparisons.weight))
    return OrderBalance(
        leads, worst, min(max(mixed, 0.0), 1.0), float(np.average(comparisons.p, weights=comparisons.weight))
    )


def _lean(comparisons: Comparisons) -> Floats:
    """(K,) how far p of the lower-numbered candidate is above 1/2."""
    first, second, p, _, _ = comparisons
    return np.where(first < second, p - 0.5, 0.5 - p)


def _pair(comparisons: Comparisons, n: int) -> Ints:
    """(K,) low * n + high."""
    first, second, _, _, _ = comparisons
    return np.minimum(first, second) * n + np.maximum(first, second)


def _number(*columns: Ints) -> Ints:
    """(K,) row numbers 0, 1, ... without gaps, the same where all columns are the same; columns are not negative."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        number = np.unique(number * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    return number


def _pooled(comparisons: Comparisons, group: Ints) -> Ints:
    """(G,) direction of each group's mean verdict; `group` (K,) is numbered without gaps."""
    votes = np.bincount(group, comparisons.weight)
    return directions(np.bincount(group, comparisons.weight * _lean(comparisons)) / votes).astype(np.int64)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _agreement(agrees: Bools) -> Agreement:
    return Agreement(len(agrees), _share(int(agrees.sum()), len(agrees)))


def _edges(comparisons: Comparisons, n: int) -> tuple[Ints, Ints]:
    """(E,) winners and (E,) losers of the pairs that have a winner."""
    pair, group = np.unique(_pair(comparisons, n), return_inverse=True)
    direction, (low, high) = _pooled(comparisons, group), np.divmod(pair, n)
    winner, loser = np.where(direction > 0, (low, high), (high, low))
    return winner[direction != 0], loser[direction != 0]


def _favoured(comparisons: Comparisons, expected: Floats, n: int) -> tuple[Ints, Ints, Floats]:
    """(E,) low and high of the pairs that have a winner, and mu of low against high."""
    first, second, p, _, weight = comparisons
    claimed = np.where((p > TIE) & (p < 1.0 - TIE), np.abs(2.0 * p - 1.0), 0.0)
    sure = np.sign(expected - 0.5) * np.maximum(np.abs(2.0 * expected - 1.0), claimed)
    pair, group = np.unique(_pair(comparisons, n), return_inverse=True)
    times = np.bincount(group)
    right = 0.5 + 0.5 * np.bincount(group, weight * np.where(first < second, sure, -sure)) / np.bincount(group, weight)
    won: Floats = np.asarray(binom.sf(times // 2, times, right))
    lost: Floats = np.asarray(binom.cdf((times - 1) // 2, times, right))
    decided = _pooled(comparisons, group) != 0
    low, high = np.divmod(pair[decided], n)
    return low, high, ((won - lost) / (won + lost))[decided]


def _matrix(values: Floats, row: Ints, column: Ints, n: int) -> csr_array | Floats:
    """(N, N) with these (E,) entries, dense where they are many: for `@` and `*` either will do."""
    matrix = coo_array((values, (row, column)), shape=(n, n))
    return np.asarray(matrix.toarray()) if len(values) > 2 * MANY * n**2 else csr_array(matrix)


def _agreement_by_chance(judge: Ints, now: Floats, before: Floats) -> float | None:
    """Chance that two verdicts agree, from (M,) pairs of directions as shown and the habits of the judge of each."""
    if not judge.size:
        return None
    first, second, tie = (np.bincount(judge, now == way) + np.bincount(judge, before == way) for way in (1, -1, 0))
    agrees = (2.0 * first * second + tie**2) / np.maximum(first + second + tie, 1.0) ** 2
    return float(agrees[judge].mean())


def _ascending(winner: Ints, loser: Ints, n: int) -> tuple[csr_array, csr_array]:
    """Edges from fewer to more neighbours won by their lower end, and those won by their upper end, (N, N) each.

    In that order a candidate has at most sqrt(2 E) neighbours above it, which bounds the work of `_closed`.
    """
    degree = np.bincount(winner, minlength=n) + np.bincount(loser, minlength=n)
    place = np.empty(n, np.int64)
    place[np.argsort(degree, kind="stable")] = np.arange(n)
    wins, loses = place[winner], place[loser]
    return _links(wins, loses, wins < loses, n), _links(loses, wins, wins > loses, n)


def _links(row: Ints, column: Ints, chosen: Bools, n: int) -> csr_array:
    ones = np.ones(int(chosen.sum()), np.int64)
    return csr_array(coo_array((ones, (row[chosen], column[chosen])), shape=(n, n)))


def _closed(sides: csr_array, closing: csr_array) -> int:
    """Number of i < j < k that have i-j and j-k in `sides` and i-k in `closing`."""
    return int((sides @ sides).multiply(closing).sum())


def _earliest(key: Ints) -> Ints:
    """Where each key comes first, at its own index; K for a key that never comes. Keys come in twos: 2g and 2g + 1."""
    earliest = np.full(2 * (key.max(initial=0) // 2 + 1), len(key))
    np.minimum.at(earliest, key, np.arange(len(key)))
    return earliest


def _preceded(earlier: Ints) -> tuple[Ints, Ints]:
    """The rows k with earlier[k] < k, and their earlier[k]."""
    now = np.flatnonzero(earlier < np.arange(len(earlier)))
    return now, earlier[now]


def _twos_within(group: Ints) -> int:
    """Number of pairs of members that the groups have in all."""
    size = np.bincount(group)
    return int((size * (size - 1) // 2).sum())
