"""Sets of pairs i < j of N candidates, and the best pairs in them, without a matrix of all pairs.

Kinds of candidates tell which pairs come into question, and a list of pairs, as compressed rows, which of those are in
the set: only the listed ones, or all but them.

    kernel      slow formula, with mask(pairs) the (N, N) matrix
    rows_of     code.searchsorted(n * np.arange(n + 1)), code % n
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

The best pairs of neighbouring means give a line to begin with, and how far apart two means may be to reach a line is
kept for some ranges of that bound: most pairs fall by one comparison of numbers, without an exponential.

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
BINS = 16  # of v, from the least to the most that it may be
HALVINGS = 10  # of the distances of two means, for each bin
RISEN = 1.02  # times a line's height, for new distances to pay
ROUNDED = 1e-12
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
    """The posterior that pairs are scored by, Sigma = base - columns^T columns."""

    mean: Floats  # (N,)
    order: Ints  # (N,) whose means ascend
    variance: Floats  # (N,) Sigma_ii
    base: Floats  # (N, N); (0, 0) where no covariance is known, and v is taken for its bound
    columns: Floats  # (M, N)
    is_positive: bool  # whether no entry of Sigma is negative


class Rule(NamedTuple):
    """A way to score pairs."""

    form: int  # POWER, DETERMINANT or OWN_TERM
    power: float
    floor: float
    votes: float  # phi


@kernel
def rows_of(code: Ints, n: int) -> tuple[Ints, Ints]:
    """`start` and `other` of the pairs with these (M,) codes i n + j, ascending."""
    start, other, i = np.full(n + 1, len(code)), np.empty(len(code), np.int64), -1
    for k in range(len(code)):
        while code[k] >= (i + 1) * n:
            i += 1
            start[i] = k
        other[k] = code[k] - i * n
    return start, other


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


class _Reach(NamedTuple):
    """How far apart two means may be, by what v may be, for a pair to score `line`."""

    line: float
    low: float  # the least v
    scale: float  # bins of v for each unit of it
    farthest: Floats  # (BINS,) the largest |m|, for all v of a bin; negative where no m will do


@kernel
def best_pairs(
    land: Landscape, rule: Rule, pairs: PairSet, places: int, tie: float, most: int
) -> tuple[Ints, Floats, bool]:
    """Codes i N + j, ascending, of the pairs of the first `places` places, and of those within a relative `tie` of it.

    With them their scores. False, with what was found so far, where this takes more than `most` entries of Sigma.
    """
    n, many, read = len(land.mean), 0, 0
    order, mean = land.order, land.mean[land.order]
    extent = land.variance[order] if land.is_positive else np.sqrt(land.variance[order])
    reach = _reach(land, rule, _line_of_neighbours(land, rule, pairs, places) * (1.0 - tie))
    line, best = reach.line, np.full(places, -np.inf)
    code, value = np.empty(4 * places, np.int64), np.empty(4 * places)
    blocks = (n + BLOCK - 1) // BLOCK
    top = np.array([extent[block * BLOCK : (block + 1) * BLOCK].max() for block in range(blocks)])
    by_top = np.argsort(-top)
    for a in range(blocks):
        p = by_top[a]
        if _score(rule, 0.0, _most(land, top[p], top[p])) < line:
            break
        for b in range(a, blocks):
            q = by_top[b]
            if line > RISEN * reach.line:
                reach = _reach(land, rule, line)
            v = _most(land, top[p], top[q])
            if _score(rule, 0.0, v) < line:
                break
            lower, upper = min(p, q) * BLOCK, max(p, q) * BLOCK
            if p != q and _score(rule, mean[upper] - mean[lower + BLOCK - 1], v) < line:
                continue
            for x in range(lower, min(lower + BLOCK, n)):
                for y in range(x + 1 if p == q else upper, min(upper + BLOCK, n)):
                    m, v = mean[y] - mean[x], _most(land, extent[x], extent[y])
                    if m > _farthest(reach, v):
                        continue
                    i, j = min(order[x], order[y]), max(order[x], order[y])
                    if _score(rule, m, v) < line or not has(pairs, i, j):
                        continue
                    if read >= most:
                        return code[:many], value[:many], False
                    read += 1
                    scored = _score(rule, m, _variance(land, i, j))
                    if scored < line:
                        continue
                    if many == len(code):
                        many, code, value = _with_room(code, value, line)
                    code[many], value[many] = i * n + j, scored
                    many += 1
                    _enter(best, scored)
                    line = max(line, best[0] * (1.0 - tie))
    best_last = np.flatnonzero(value[:many] >= line)
    ascending = best_last[np.argsort(code[best_last])]
    return code[ascending], value[ascending], True


@kernel
def _line_of_neighbours(land: Landscape, rule: Rule, pairs: PairSet, places: int) -> float:
    """What the first `places` places take at least: the scores of pairs of neighbouring means; -inf of too few."""
    order, best = land.order, np.full(places, -np.inf)
    for x in range(len(order) - 1):
        i, j = min(order[x], order[x + 1]), max(order[x], order[x + 1])
        m, v = land.mean[i] - land.mean[j], land.variance[i] + land.variance[j]
        if _score(rule, m, v) > best[0] and has(pairs, i, j):
            _enter(best, _score(rule, m, _variance(land, i, j)))
    return float(best[0])


@kernel
def _enter(best: Floats, scored: float) -> None:
    """Let a score take its place among the best so far, which are ascending, if it has one."""
    if scored > best[0]:
        place = 0
        while place + 1 < len(best) and best[place + 1] < scored:
            best[place] = best[place + 1]
            place += 1
        best[place] = scored


@kernel
def _with_room(code: Ints, value: Floats, line: float) -> tuple[int, Ints, Floats]:
    """Those that still score `line`, how many they are, and at least as much room behind them."""
    kept = np.flatnonzero(value >= line)
    roomy_code, roomy_value = np.empty(2 * len(kept) + len(code), np.int64), np.empty(2 * len(kept) + len(code))
    roomy_code[: len(kept)], roomy_value[: len(kept)] = code[kept], value[kept]
    return len(kept), roomy_code, roomy_value


@kernel
def _reach(land: Landscape, rule: Rule, line: float) -> _Reach:
    extent = land.variance if land.is_positive else np.sqrt(land.variance)
    low, high = _most(land, extent.min(), extent.min()), _most(land, extent.max(), extent.max())
    across, width = land.mean.max() - land.mean.min(), (high - low) / BINS
    farthest = np.full(BINS, across)
    for place in range(BINS):
        v = (low + (place + 1) * width) * (1.0 + ROUNDED)
        if _score(rule, 0.0, v) < line:
            farthest[place] = -1.0
        elif _score(rule, across, v) < line:
            near, far = 0.0, across
            for _ in range(HALVINGS):
                middle = 0.5 * (near + far)
                if _score(rule, middle, v) < line:
                    far = middle
                else:
                    near = middle
            farthest[place] = far
    return _Reach(line, low, 1.0 / width if width > 0.0 else 0.0, farthest)


@kernel
def _farthest(reach: _Reach, v: float) -> float:
    return float(reach.farthest[max(min(int((v - reach.low) * reach.scale), BINS - 1), 0)])


@kernel
def _most(land: Landscape, one: float, other: float) -> float:
    """The most that v may be of two candidates of these variances, or of these roots of them where not is_positive."""
    return one + other if land.is_positive else (one + other) ** 2


@kernel
def _variance(land: Landscape, i: int, j: int) -> float:
    covariance = land.base[i, j] if len(land.base) else 0.0
    for k in range(len(land.columns)):
        covariance -= land.columns[k, i] * land.columns[k, j]
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
