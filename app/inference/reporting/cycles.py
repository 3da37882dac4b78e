"""Cycles among the pooled verdicts of a log, i over j over k over i, and how many of them chance explains."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.stats import binom

from app.inference.covariance import dense
from app.inference.experts import Expert
from app.inference.fitting.model import Model, differences
from app.inference.fitting.posterior import Posterior, scores
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import TIE, pair_numbers, pooled_directions

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


def cycles(comparisons: Comparisons, n: int) -> Cycles:
    """Contradictions of the pooled verdicts, over all judges and items: i over j over k over i.

    Verdicts of one total order have no cycle. Coin flips make a quarter of the triads cyclic on average: two of the
    eight ways to decide three pairs.
    """
    up, down = _ascending(*_edges(comparisons, n), n)
    triads = _closed(up + down, up + down)
    cyclic = _closed(up, down) + _closed(down, up)
    return Cycles(triads, cyclic, cyclic / triads if triads else None)


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


def _edges(comparisons: Comparisons, n: int) -> tuple[Ints, Ints]:
    """(E,) winners and (E,) losers of the pairs that have a winner."""
    pair, group = np.unique(pair_numbers(comparisons, n), return_inverse=True)
    direction, (low, high) = pooled_directions(comparisons, group), np.divmod(pair, n)
    winner, loser = np.where(direction > 0, (low, high), (high, low))
    return winner[direction != 0], loser[direction != 0]


def _favoured(comparisons: Comparisons, expected: Floats, n: int) -> tuple[Ints, Ints, Floats]:
    """(E,) low and high of the pairs that have a winner, and mu of low against high."""
    first, second, p, _, weight = comparisons
    claimed = np.where((p > TIE) & (p < 1.0 - TIE), np.abs(2.0 * p - 1.0), 0.0)
    sure = np.sign(expected - 0.5) * np.maximum(np.abs(2.0 * expected - 1.0), claimed)
    pair, group = np.unique(pair_numbers(comparisons, n), return_inverse=True)
    times = np.bincount(group)
    right = 0.5 + 0.5 * np.bincount(group, weight * np.where(first < second, sure, -sure)) / np.bincount(group, weight)
    won: Floats = np.asarray(binom.sf(times // 2, times, right))
    lost: Floats = np.asarray(binom.cdf((times - 1) // 2, times, right))
    decided = pooled_directions(comparisons, group) != 0
    low, high = np.divmod(pair[decided], n)
    return low, high, ((won - lost) / (won + lost))[decided]


def _matrix(values: Floats, row: Ints, column: Ints, n: int) -> csr_array | Floats:
    """(N, N) with these (E,) entries, dense where they are many: for `@` and `*` either will do."""
    matrix = coo_array((values, (row, column)), shape=(n, n))
    return np.asarray(matrix.toarray()) if len(values) > 2 * MANY * n**2 else csr_array(matrix)


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
