"""The candidate that a verdict names, or several together: one rule says what is a tie. The graph of verdicts. Shares.

With s the share of n draws and z the normal quantile of the level, Wilson's interval (1927) has the p for which
|s - p| <= z sqrt(p (1 - p) / n); n need not be whole:

    (s + z^2 / 2n  +-  z sqrt(s (1 - s) / n + z^2 / 4n^2)) / (1 + z^2 / n)
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri

from app.inference.types import Bools, Comparisons, Floats, Ints

TIE = 1e-9  # of |p - 1/2|
TABLE, LEAST = 4, 1 << 16  # places of a table of all rows, for each row or in all: beyond, rows are sorted
MOST = 1 << 62  # different rows
ENOUGH = 10.0  # weight of verdicts that all name one side, from which that is no accident


def directions(lean: Floats) -> Floats:
    """1 where `lean`, p - 1/2, names the first candidate, -1 where the second, 0 in a tie, NaN where it is NaN."""
    return np.where(np.abs(lean) <= TIE, 0.0, np.sign(lean))


def words(p: Floats) -> Floats:
    """p as a word: 1 where the first candidate is named, 0 where the second is, 1/2 in a tie."""
    return np.asarray(0.5 * (1.0 + directions(p - 0.5)))


def lean_to_lower(comparisons: Comparisons) -> Floats:
    """(K,) how far p of the lower-numbered candidate is above 1/2."""
    first, second, p, _, _ = comparisons
    return np.where(first < second, p - 0.5, 0.5 - p)


def name_one_side(comparisons: Comparisons) -> bool:
    """Whether every verdict that decides names the same position: in a list of winners, or by habit.

    They have to weigh ENOUGH.
    """
    decided = directions(comparisons.p - 0.5)
    weights = [float(comparisons.weight @ (decided == side)) for side in (1.0, -1.0)]
    return min(weights) == 0.0 and max(weights) >= ENOUGH


def turned_alike(comparisons: Comparisons) -> Comparisons:
    """The same verdicts without positions: every pair stands the same way."""
    first, second, p, judge, weight = comparisons
    low, high = np.minimum(first, second), np.maximum(first, second)
    return Comparisons(low, high, np.where(first == low, p, 1.0 - p), judge, weight)


def among_compared(comparisons: Comparisons) -> tuple[Comparisons, int]:
    """The same with candidates numbered among those that were compared, and how many these are."""
    compared, place = np.unique(np.append(comparisons.first, comparisons.second), return_inverse=True)
    first, second = place.reshape(2, -1)
    return comparisons._replace(first=first, second=second), len(compared)


def pair_numbers(comparisons: Comparisons, n: int) -> Ints:
    """(K,) low * n + high."""
    first, second, _, _, _ = comparisons
    return np.minimum(first, second) * n + np.maximum(first, second)


def pooled_directions(comparisons: Comparisons, group: Ints) -> Ints:
    """(G,) direction of each group's mean verdict; `group` (K,) is numbered without gaps."""
    mean = means(lean_to_lower(comparisons), group, group.max(initial=-1) + 1, comparisons.weight)
    return directions(mean).astype(np.int64)


def means(values: Floats, group: Ints, groups: int, weight: Floats | None = None) -> Floats:
    """(G,) mean of the values (K,) of each group, by weight; NaN where there is none."""
    weight = np.ones(len(values)) if weight is None else weight
    total, weights = np.bincount(group, weight * values, groups), np.bincount(group, weight, groups)
    return np.asarray(np.divide(total, weights, out=np.full(groups, np.nan), where=weights > 0.0))


def numbered(*columns: Ints) -> Ints:
    """(K,) row numbers 0, 1, ... without gaps, the same where all columns are the same; columns are not negative."""
    number, size = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        span = int(column.max(initial=0)) + 1
        if size * span > MOST:
            number = np.unique(number, return_inverse=True)[1]
            size = int(number.max(initial=0)) + 1
        number, size = number * span + column, size * span
    if size > max(TABLE * len(number), LEAST):
        return np.asarray(np.unique(number, return_inverse=True)[1], np.int64)
    is_there = np.zeros(size, np.bool_)
    is_there[number] = True
    return np.asarray((np.cumsum(is_there) - 1)[number], np.int64)


def same_question(comparisons: Comparisons, item: Ints) -> Ints:
    """(K,) numbers, without gaps, of the verdicts of one judge on a pair of one item, in either order."""
    first, second, _, judge, _ = comparisons
    return numbered(judge, item, np.minimum(first, second), np.maximum(first, second))


def firsts(number: Ints) -> Ints:
    """(G,) the first row of each number; `number` (K,) has no gaps."""
    first = np.empty(int(number.max(initial=-1)) + 1, np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first


def times_before(key: Ints) -> Ints:
    """(K,) how often each key has come before."""
    order = np.argsort(key, kind="stable")
    before, ordered = np.empty(len(key), np.int64), key[order]
    before[order] = np.arange(len(key)) - np.searchsorted(ordered, ordered)
    return before


def components(comparisons: Comparisons, n: int) -> Ints:
    """(N,) component number of each candidate, 0 for the component of candidate 0, and so on upwards."""
    return joined(np.arange(n), comparisons.first, comparisons.second)


def joined(component: Ints, first: Ints, second: Ints) -> Ints:
    """(N,) components, numbered likewise, once (K,) pairs join some.

    Args: `component` (N,) is that before, np.arange(N) of candidates that nothing joins.
    """
    n = len(component)
    if not component.any() or not len(first):
        return component
    ends = np.append(np.arange(n), first), np.append(firsts(component)[component], second)
    return np.asarray(connected_components(coo_array((np.ones(len(ends[0])), ends), shape=(n, n)), False)[1], np.int64)


def potentials(values: Floats, comparisons: Comparisons, n: int) -> Floats:
    """Scores whose differences are the least squares fit to the values, with mean 0 in every component.

    Conceptually: np.linalg.pinv(W) @ values, W having +1 at first and -1 at second; weight c is c rows.

    Args: values (K,) give (N,) scores; (K, M) of them give (N, M).
    """
    first, second, weight = comparisons.first, comparisons.second, comparisons.weight
    both = np.concatenate([first * n + second, second * n + first])
    precision = np.bincount(both, np.tile(-weight, 2), n * n).reshape(n, n)
    precision[np.diag_indices(n)] -= precision.sum(axis=1)
    part = components(comparisons, n)
    precision += part[:, None] == part  # a mean of 0 costs no component anything
    rows = np.arange(comparisons.size)
    gains, losses = (csr_array((weight, (end, rows)), shape=(n, comparisons.size)) for end in (first, second))
    return cho_solve(cho_factor(precision.T, overwrite_a=True), np.asarray((gains - losses) @ values))


class Share(NamedTuple):
    """A share of some cases."""

    cases: int
    share: float
    interval: tuple[float, float]


def share_of(right: Floats | Bools, level: float) -> Share | None:
    """The mean of shares (n,), one of each case; None of nothing."""
    if not len(right):
        return None
    share = float(right.mean())
    return Share(len(right), share, wilson(share, len(right), level))


def wilson(share: float, draws: float, level: float) -> tuple[float, float]:
    low, high = wilson_of_each(np.array(share), np.array(draws), level)
    return float(low), float(high)


def wilson_of_each(share: Floats, draws: Floats, level: float) -> tuple[Floats, Floats]:
    """The lower and upper ends of many intervals; NaN where the share is."""
    z2 = float(ndtri(0.5 + level / 2.0)) ** 2
    middle = (share + z2 / (2.0 * draws)) / (1.0 + z2 / draws)
    reach = np.sqrt(z2 * (share * (1.0 - share) / draws + z2 / (4.0 * draws**2))) / (1.0 + z2 / draws)
    return np.asarray(np.maximum(middle - reach, 0.0)), np.asarray(np.minimum(middle + reach, 1.0))
