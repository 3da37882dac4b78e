"""Sets of pairs i < j of N candidates, and the best pairs in them, without a matrix of all pairs.

Kinds of candidates tell which pairs come into question, and a list of pairs, as compressed rows, which of those are in
the set: only the listed ones, or all but them.

    kernel      slow formula, with mask(pairs) the (N, N) matrix
    mask        kind i meets kind j, and (i, j) is listed or is not
    size        np.count_nonzero(mask)
    nth         np.argwhere(mask)[k]
    has         mask[i, j]
    within      np.argwhere(mask[np.ix_(who, who)])
    best_pairs  the argmax of choosing/selection.py: score over mask

A score rises with v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij and falls with |m_ij|, for each of the rules

    POWER           v / (m^2 + floor)^power
    DETERMINANT     phi w(m) v                          w(m) = 1 / (2 + e^m + e^-m), as soft-bt expects it
    OWN_TERM        g(m, v sqrt(phi w / (1 + phi w v)))  g of kernels/knowledge.py

so that most pairs need no look. Candidates are put in the order of their means and cut into blocks. No pair
of two blocks scores more than their gap in m and the largest v could, and no pair more than its m and the bound

    v_ij <= Sigma_ii + Sigma_jj                          where no entry of Sigma is negative
    v_ij <= (Sigma_ii^1/2 + Sigma_jj^1/2)^2              always

Where the scores are all that is fitted, Sigma is the inverse of a graph's Laplacian plus a positive diagonal: of an
M-matrix, so it has no negative entry. With a bias beside them, integrated out, it may have.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Bools, Floats, Ints

BLOCK = 16
FEW_TIED = 64
POWER, DETERMINANT, OWN_TERM = 0, 1, 2
ROOT_TWO, ROOT_TWO_PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)


class PairSet(NamedTuple):
    """Pairs i < j."""

    start: Ints  # (N + 1,) the listed pairs of i are those with other[start[i] : start[i + 1]]
    other: Ints  # (M,) ascending for each i, all above i
    leaves_out: bool  # whether the set is all but the listed pairs
    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric, which kinds may be in one pair


class Kinds(NamedTuple):
    """Which pairs of candidates come into question, by what each of the two is."""

    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric


@lru_cache(maxsize=64)
def of_one_kind(n: int) -> Kinds:
    """All pairs of n candidates come into question. Shared: not to be written to."""
    return Kinds(np.zeros(n, np.int64), np.ones((1, 1), np.bool_))


def matching(kinds: Kinds) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs that come into question."""
    return np.asarray(np.triu(kinds.meets[kinds.kind[:, None], kinds.kind], 1))


class Landscape(NamedTuple):
    """The posterior that pairs are scored by, Sigma = base - columns columns^T."""

    mean: Floats  # (N,)
    variance: Floats  # (N,) Sigma_ii
    base: Floats  # (N, N); (0, 0) where no covariance is known, and v is taken for its bound
    columns: Floats  # (N, L)
    is_positive: bool  # whether no entry of Sigma is negative


class Rule(NamedTuple):
    """A way to score pairs."""

    form: int  # POWER, DETERMINANT or OWN_TERM
    power: float
    floor: float
    votes: float  # phi


@kernel
def mask(pairs: PairSet) -> Bools:
    """(N, N), True at [i, j] for the pairs in the set."""
    n = len(pairs.kind)
    result = np.zeros((n, n), np.bool_)
    for i in range(n):
        if pairs.leaves_out:
            for j in range(i + 1, n):
                result[i, j] = pairs.meets[pairs.kind[i], pairs.kind[j]]
        for j in pairs.other[pairs.start[i] : pairs.start[i + 1]]:
            result[i, j] = not pairs.leaves_out and pairs.meets[pairs.kind[i], pairs.kind[j]]
    return result


def size(pairs: PairSet) -> int:
    """The number of pairs in the set."""
    if len(pairs.meets) > 1:
        return int(in_rows(pairs).sum())
    n, many = len(pairs.kind), len(pairs.other)
    return n * (n - 1) // 2 - many if pairs.leaves_out else many


@kernel
def nth(pairs: PairSet, k: int) -> tuple[int, int]:
    """The k-th pair, row by row. Raises IndexError where there are not as many."""
    many = in_rows(pairs)
    for i in range(len(many)):
        if k >= many[i]:
            k -= many[i]
            continue
        above = np.arange(i + 1, len(many))
        for j in above if pairs.leaves_out else pairs.other[pairs.start[i] : pairs.start[i + 1]]:
            k -= has(pairs, i, j)
            if k < 0:
                return i, j
    raise IndexError("there are not as many pairs")


@kernel
def has(pairs: PairSet, i: int, j: int) -> bool:
    """Tell whether the set has the pair i < j."""
    if not pairs.meets[pairs.kind[i], pairs.kind[j]]:
        return False
    low, high = pairs.start[i], pairs.start[i + 1]
    while low < high:
        middle = (low + high) // 2
        if pairs.other[middle] < j:
            low = middle + 1
        else:
            high = middle
    is_listed = low < pairs.start[i + 1] and pairs.other[low] == j
    return bool(is_listed != pairs.leaves_out)


@kernel
def within(pairs: PairSet, who: Ints) -> tuple[Ints, Ints]:
    """The pairs of the set that have both ends in `who`, ascending, row by row, as places in it."""
    first, second = np.empty(len(who) ** 2, np.int64), np.empty(len(who) ** 2, np.int64)
    many = 0
    for a in range(len(who)):
        for b in range(a + 1, len(who)):
            if has(pairs, who[a], who[b]):
                first[many], second[many] = a, b
                many += 1
    return first[:many].copy(), second[:many].copy()


@kernel
def in_rows(pairs: PairSet) -> Ints:
    """(N,) pairs in the set, by their lower candidate."""
    n, kinds = len(pairs.kind), len(pairs.meets)
    result, of_kind = np.zeros(n, np.int64), np.zeros(kinds, np.int64)
    for i in range(n - 1, -1, -1):
        if pairs.leaves_out:
            for kind in range(kinds):
                result[i] += of_kind[kind] * pairs.meets[pairs.kind[i], kind]
        for j in pairs.other[pairs.start[i] : pairs.start[i + 1]]:
            result[i] += (1 - 2 * pairs.leaves_out) * pairs.meets[pairs.kind[i], pairs.kind[j]]
        of_kind[pairs.kind[i]] += 1
    return result


@kernel
def best_pairs(land: Landscape, rule: Rule, pairs: PairSet, places: int, tie: float, most: int) -> tuple[Ints, bool]:
    """Codes i N + j, ascending, of the pairs of the first `places` places, and of those within a relative `tie` of it.

    False where this takes more than `most` entries of Sigma.
    """
    n, nobody, best = len(land.mean), np.empty(0, np.int64), np.full(places, -np.inf)
    if sweep(land, rule, pairs, -np.inf, best, nobody, nobody, most)[1] > most:
        return nobody, False
    many, line, none_better = FEW_TIED, best[0] * (1.0 - tie), np.empty(0)
    while True:
        first, second = np.empty(many, np.int64), np.empty(many, np.int64)
        many = sweep(land, rule, pairs, line, none_better, first, second, n * n)[0]
        if many <= len(first):
            return np.sort(first[:many] * n + second[:many]), True


@kernel
def sweep(
    land: Landscape, rule: Rule, pairs: PairSet, line: float, best: Floats, first: Ints, second: Ints, most: int
) -> tuple[int, int]:
    """How many pairs score `line` or more, and how many entries of Sigma that took: more than `most` where it gave up.

    Args:
        line: what a pair has to score; it rises to best[0] where that is higher.
        best: (P,) ascending, the P best scores so far, written in place.
        first, second: (L,) the pairs that reach it are written there, as far as there is room.
    """
    n, many, read = len(land.mean), 0, 0
    order = np.argsort(land.mean)
    blocks = (n + BLOCK - 1) // BLOCK
    top, low, high = np.empty(blocks), np.empty(blocks), np.empty(blocks)
    for block in range(blocks):
        members = order[block * BLOCK : (block + 1) * BLOCK]
        top[block] = land.variance[members].max()
        low[block], high[block] = land.mean[members[0]], land.mean[members[-1]]
    by_top = np.argsort(-top)
    for a in range(blocks):
        p = by_top[a]
        if _bound(land, rule, 0.0, top[p], top[p]) < line:
            break
        for b in range(a, blocks):
            q = by_top[b]
            if _bound(land, rule, 0.0, top[p], top[q]) < line:
                break
            gap = max(low[p] - high[q], low[q] - high[p], 0.0)
            if _bound(land, rule, gap, top[p], top[q]) < line:
                continue
            for x in range(p * BLOCK, min((p + 1) * BLOCK, n)):
                for y in range(x + 1 if p == q else q * BLOCK, min((q + 1) * BLOCK, n)):
                    i, j = min(order[x], order[y]), max(order[x], order[y])
                    m = land.mean[i] - land.mean[j]
                    if _bound(land, rule, m, land.variance[i], land.variance[j]) < line or not has(pairs, i, j):
                        continue
                    if read >= most:
                        return many, read + 1
                    read += 1
                    value = _score(rule, m, _variance(land, i, j))
                    if value < line:
                        continue
                    if many < len(first):
                        first[many], second[many] = i, j
                    many += 1
                    if len(best) > 0 and value > best[0]:
                        place = 0
                        while place + 1 < len(best) and best[place + 1] < value:
                            best[place] = best[place + 1]
                            place += 1
                        best[place] = value
                        line = max(line, best[0])
    return many, read


@kernel
def _bound(land: Landscape, rule: Rule, m: float, one: float, other: float) -> float:
    """What a pair of candidates of these variances may score."""
    return _score(rule, m, one + other if land.is_positive else (math.sqrt(one) + math.sqrt(other)) ** 2)


@kernel
def _variance(land: Landscape, i: int, j: int) -> float:
    covariance = land.base[i, j] if len(land.base) else 0.0
    for k in range(land.columns.shape[1]):
        covariance -= land.columns[i, k] * land.columns[j, k]
    return max(float(land.variance[i] + land.variance[j] - 2.0 * covariance), 0.0)


@kernel
def scores(rule: Rule, m: Floats, v: Floats) -> Floats:
    """(L,) the scores of pairs with these m and v."""
    values = np.empty(len(m))
    for k in range(len(m)):
        values[k] = _score(rule, m[k], v[k])
    return values


@kernel
def _score(rule: Rule, m: float, v: float) -> float:
    if rule.form == POWER:
        if rule.power == 0.0:
            return v
        equal = m * m + rule.floor
        return v / (equal if rule.power == 1.0 else equal**rule.power)
    e = math.exp(-abs(m))
    weight = rule.votes * e / (1.0 + e) ** 2
    if rule.form == DETERMINANT:
        return weight * v
    s = v * math.sqrt(weight / (1.0 + weight * v))
    if s <= 0.0:
        return 0.0
    z = abs(m) / s
    return 2.0 * s * math.exp(-0.5 * z * z) / ROOT_TWO_PI - abs(m) * math.erfc(z / ROOT_TWO)
