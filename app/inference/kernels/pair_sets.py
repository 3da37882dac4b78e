"""Sets of pairs i < j of N candidates, and the best pairs in them, without a matrix of all pairs.

Kinds of candidates tell which pairs come into question, and a list of pairs, by their codes, which of those are in the
set: only the listed ones, or all but them.

    kernel      slow formula, with mask(pairs) the (N, N) matrix
    mask        kind i meets kind j, and (i, j) is listed or is not
    size        np.count_nonzero(mask)
    nth         np.argwhere(mask)[k]
    has         mask[i, j]
    within      np.argwhere(mask[np.ix_(who, who)])
    contenders  everyone
    best_pairs  the argmax of choosing/criteria.py: score over mask

Each pair has a mean difference m_ij and a variance v_ij of it (PairMoments).

A score rises with v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij and falls with |m_ij|, for each of the rules

    POWER           v / (m^2 + floor)^power
    DETERMINANT     phi w(m) v                          w(m) = 1 / (2 + e^m + e^-m), as soft-bt expects it,
                                                         or one constant
    OWN_TERM        g(m, v sqrt(phi w / (1 + phi w v)))  g of kernels/knowledge.py

so that most pairs need no look. No pair scores more than its m and the bound

    v_ij <= Sigma_ii + Sigma_jj                          where no entry of Sigma is negative
    v_ij <= (Sigma_ii^1/2 + Sigma_jj^1/2)^2              always

let it. The best pairs of neighbours among candidates of large variances give a line to begin with; whoever does not
reach it even with the one of the largest variance, at equal means, is out. The others are put in the order of their
means and cut into blocks, and no pair of two blocks scores more than their gap in m and the largest v could. How far
apart two means may be to reach the line is kept for some ranges of v: most pairs fall without an exponential.

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
HALVINGS_OF_V = 30
SAMPLE = 1024  # candidates, about, whose variances tell which ones are large
LEADERS, LEADERS_OF_A_PLACE = 64, 8  # candidates of the largest variances, about, who make the line to begin with
RISEN = 1.02  # times a line's height, for new distances to pay
ROUNDED = 1e-12
POWER, DETERMINANT, OWN_TERM = 0, 1, 2
ROOT_TWO, ROOT_TWO_PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)


class PairSet(NamedTuple):
    """Pairs i < j."""

    code: Ints  # (M,) of the listed pairs, i N + j, ascending
    leaves_out: bool  # whether the set is all but the listed pairs
    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric, which kinds may be in one pair


class Kinds(NamedTuple):
    """Pairs of candidates that come into question, by what each of the two is."""

    kind: Ints  # (N,)
    meets: Bools  # (C, C) symmetric


@lru_cache(maxsize=64)
def of_one_kind(n: int) -> Kinds:
    """All pairs of n candidates come into question. Shared: not to be written to."""
    return Kinds(np.zeros(n, np.int64), np.ones((1, 1), np.bool_))


def matching(kinds: Kinds) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs that come into question."""
    return np.asarray(np.triu(kinds.meets[kinds.kind[:, None], kinds.kind], 1))


class PairMoments(NamedTuple):
    """The posterior that pairs are scored by, Sigma = base - columns^T columns."""

    mean: Floats  # (N,)
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
    curvature: float = 0.0  # w where it is one constant, 0 where it is soft-bt's


@kernel
def mask(pairs: PairSet) -> Bools:
    """(N, N), True at [i, j] for the pairs in the set."""
    n = len(pairs.kind)
    result = np.zeros((n, n), np.bool_)
    for i in range(n if pairs.leaves_out else 0):
        for j in range(i + 1, n):
            result[i, j] = pairs.meets[pairs.kind[i], pairs.kind[j]]
    for code in pairs.code:
        i, j = code // n, code % n
        result[i, j] = not pairs.leaves_out and pairs.meets[pairs.kind[i], pairs.kind[j]]
    return result


def size(pairs: PairSet) -> int:
    """The number of pairs in the set."""
    if not pairs.meets.all():
        return int(in_rows(pairs).sum())
    n, many = len(pairs.kind), len(pairs.code)
    return n * (n - 1) // 2 - many if pairs.leaves_out else many


@kernel
def nth(pairs: PairSet, k: int) -> tuple[int, int]:
    """The k-th pair, row by row. Raises IndexError where there are not as many."""
    n = len(pairs.kind)
    if pairs.leaves_out:
        many = in_rows(pairs)
        for i in range(n):
            if k >= many[i]:
                k -= many[i]
                continue
            for j in range(i + 1, n):
                k -= has(pairs, i, j)
                if k < 0:
                    return i, j
    else:
        for code in pairs.code:
            k -= pairs.meets[pairs.kind[code // n], pairs.kind[code % n]]
            if k < 0:
                return code // n, code % n
    raise IndexError("there are not as many pairs")


@kernel
def has(pairs: PairSet, i: int, j: int) -> bool:
    """Tell whether the set has the pair i < j."""
    if not pairs.meets[pairs.kind[i], pairs.kind[j]]:
        return False
    code = i * len(pairs.kind) + j
    place = np.searchsorted(pairs.code, code)
    is_listed = place < len(pairs.code) and pairs.code[place] == code
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
    for i in range(n - 1 if pairs.leaves_out else -1, -1, -1):
        for kind in range(kinds):
            result[i] += of_kind[kind] * pairs.meets[pairs.kind[i], kind]
        of_kind[pairs.kind[i]] += 1
    i = 0
    for code in pairs.code:
        while code >= (i + 1) * n:
            i += 1
        result[i] += (1 - 2 * pairs.leaves_out) * pairs.meets[pairs.kind[i], pairs.kind[code - i * n]]
    return result


class _Reach(NamedTuple):
    """Largest distance of two means, by what v may be, for a pair to score `line`."""

    line: float
    low: float  # the least v
    scale: float  # bins of v for each unit of it
    farthest: Floats  # (BINS,) the largest |m|, for all v of a bin


@kernel
def contenders(moments: PairMoments, rule: Rule, pairs: PairSet, places: int, tie: float) -> tuple[Ints, float]:
    """Candidates (L,), ascending, whom all pairs that `best_pairs` looks for are of, and a score that these reach.

    Args: those of `best_pairs`.
    """
    extent, step = _extent(moments, moments.variance), max(len(moments.mean) // SAMPLE, 1)
    sample = extent[::step].copy()
    leaders = max(len(sample) - max(LEADERS, LEADERS_OF_A_PLACE * places) // step, 0)
    some = np.flatnonzero(extent >= np.partition(sample, leaders)[leaders])
    line = _line_of_neighbours(moments, some[np.argsort(moments.mean[some])], -np.inf, rule, pairs, places, tie)
    top = extent.max()
    least = _least(rule, line, _most(moments, top, top))
    return np.flatnonzero(extent >= (least if moments.is_positive else math.sqrt(least)) - top), line


@kernel
def best_pairs(
    moments: PairMoments, order: Ints, line: float, rule: Rule, pairs: PairSet, places: int, tie: float, most: int
) -> tuple[Ints, Floats, bool]:
    """Codes i N + j, ascending, of the pairs of the first `places` places, and of those within a relative `tie` of it.

    With them their scores. False, with what was found so far, where this takes more than `most` entries of Sigma.

    Args: `order` (L,) are the contenders, whose means ascend; `line` is what they reach.
    """
    n, many, read = len(order), 0, 0
    mean, extent = moments.mean[order], _extent(moments, moments.variance[order])
    line = _line_of_neighbours(moments, order, line, rule, pairs, places, tie)
    reach, best = _reach(moments, mean, extent, rule, line), np.full(places, -np.inf)
    code, value = np.empty(4 * places, np.int64), np.empty(4 * places)
    blocks = (n + BLOCK - 1) // BLOCK
    top = np.array([extent[block * BLOCK : (block + 1) * BLOCK].max() for block in range(blocks)])
    by_top = np.argsort(-top)
    for a in range(blocks):
        p = by_top[a]
        if _most(moments, top[p], top[p]) < reach.low:
            break
        for b in range(a, blocks):
            q = by_top[b]
            if line > RISEN * reach.line:
                reach = _reach(moments, mean, extent, rule, line)
            v = _most(moments, top[p], top[q])
            if v < reach.low:
                break
            lower, upper = min(p, q) * BLOCK, max(p, q) * BLOCK
            if p != q and mean[upper] - mean[lower + BLOCK - 1] > _farthest(reach, v):
                continue
            for x in range(lower, min(lower + BLOCK, n)):
                farthest = _farthest(reach, _most(moments, extent[x], top[upper // BLOCK]))
                for y in range(x + 1 if p == q else upper, min(upper + BLOCK, n)):
                    m, v = mean[y] - mean[x], _most(moments, extent[x], extent[y])
                    if m > farthest:
                        break
                    i, j = min(order[x], order[y]), max(order[x], order[y])
                    if m > _farthest(reach, v) or not pairs.meets[pairs.kind[i], pairs.kind[j]]:
                        continue
                    if not pairs.leaves_out and not has(pairs, i, j):
                        continue
                    if read >= most:
                        return code[:many], value[:many], False
                    read += 1
                    v = _variance(moments, i, j)
                    if m > _farthest(reach, v):
                        continue
                    scored = _score(rule, m, v)
                    if scored < line or not has(pairs, i, j):
                        continue
                    if many == len(code):
                        many, code, value = _with_space(code, value, line)
                    code[many], value[many] = i * len(moments.mean) + j, scored
                    many += 1
                    _enter(best, scored)
                    line = max(line, best[0] * (1.0 - tie))
    best_last = np.flatnonzero(value[:many] >= line)
    ascending = best_last[np.argsort(code[best_last])]
    return code[ascending], value[ascending], True


@kernel
def _line_of_neighbours(
    moments: PairMoments, order: Ints, line: float, rule: Rule, pairs: PairSet, places: int, tie: float
) -> float:
    """Least score of the best pairs: `line`, or more where enough pairs of neighbours in this order do."""
    best = np.full(places, -np.inf)
    for x in range(len(order) - 1):
        i, j = min(order[x], order[x + 1]), max(order[x], order[x + 1])
        m, v = moments.mean[i] - moments.mean[j], moments.variance[i] + moments.variance[j]
        if _score(rule, m, v) > max(best[0], line) and has(pairs, i, j):
            _enter(best, _score(rule, m, _variance(moments, i, j)))
    return max(line, float(best[0]) * (1.0 - tie))


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
def _with_space(code: Ints, value: Floats, line: float) -> tuple[int, Ints, Floats]:
    """Pairs that still score `line`, how many they are, and at least as much space behind them."""
    kept = np.flatnonzero(value >= line)
    longer_code, longer_value = np.empty(2 * len(kept) + len(code), np.int64), np.empty(2 * len(kept) + len(code))
    longer_code[: len(kept)], longer_value[: len(kept)] = code[kept], value[kept]
    return len(kept), longer_code, longer_value


@kernel
def _extent(moments: PairMoments, variance: Floats) -> Floats:
    """(L,) what bounds v: these Sigma_ii, or their roots."""
    return variance if moments.is_positive else np.sqrt(variance)


@kernel
def _least(rule: Rule, line: float, high: float) -> float:
    """The least v, or little less, with which a pair of equal means scores `line`; `high` where none up to it does."""
    low = 0.0
    for _ in range(HALVINGS_OF_V):
        middle = 0.5 * (low + high)
        if _score(rule, 0.0, middle) < line:
            low = middle
        else:
            high = middle
    return low * (1.0 - ROUNDED)


@kernel
def _reach(moments: PairMoments, mean: Floats, extent: Floats, rule: Rule, line: float) -> _Reach:
    high, across = _most(moments, extent.max(), extent.max()), mean[-1] - mean[0]
    low, farthest = _least(rule, line, high), np.full(BINS, across)
    width = (high - low) / BINS
    for place in range(BINS):
        v = (low + (place + 1) * width) * (1.0 + ROUNDED)
        if _score(rule, across, v) < line:
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
    """Negative where no pair with this v will do."""
    return float(reach.farthest[min(int((v - reach.low) * reach.scale), BINS - 1)]) if v >= reach.low else -1.0


@kernel
def _most(moments: PairMoments, one: float, other: float) -> float:
    """The most that v may be of two candidates of these variances, or of these roots of them where not is_positive."""
    return one + other if moments.is_positive else (one + other) ** 2


@kernel
def _variance(moments: PairMoments, i: int, j: int) -> float:
    covariance = moments.base[i, j] if len(moments.base) else 0.0
    for k in range(len(moments.columns)):
        covariance -= moments.columns[k, i] * moments.columns[k, j]
    return max(float(moments.variance[i] + moments.variance[j] - 2.0 * covariance), 0.0)


@kernel
def scores(rule: Rule, m: Floats, v: Floats) -> Floats:
    """(L,) the scores of pairs with these m and v."""
    values = np.empty(len(m))
    for k in range(len(m)):
        values[k] = _score(rule, m[k], v[k])
    return values


@kernel
def scores_at(rule: Rule, m: Floats, v: Floats, weight: Floats) -> Floats:
    """The same where answers are expected to carry these weights (L,)."""
    values = np.empty(len(m))
    for k in range(len(m)):
        values[k] = _acquisition(rule, m[k], v[k], weight[k])
    return values


@kernel
def _score(rule: Rule, m: float, v: float) -> float:
    if rule.form == POWER:
        return _acquisition(rule, m, v, 0.0)
    if rule.curvature > 0.0:
        return _acquisition(rule, m, v, rule.votes * rule.curvature)
    e = math.exp(-abs(m))
    return _acquisition(rule, m, v, rule.votes * e / (1.0 + e) ** 2)


@kernel
def _acquisition(rule: Rule, m: float, v: float, weight: float) -> float:
    """The formula of each form. Args: `weight` is phi w(m), which POWER does not read."""
    if rule.form == POWER:
        if rule.power == 0.0:
            return v
        equal = m * m + rule.floor
        return v / (equal if rule.power == 1.0 else equal**rule.power)
    if rule.form == DETERMINANT:
        return weight * v
    if rule.form != OWN_TERM:
        raise ValueError("a form without a formula")
    s = v * math.sqrt(weight / (1.0 + weight * v))
    if s <= 0.0:
        return 0.0
    z = abs(m) / s
    return 2.0 * s * math.exp(-0.5 * z * z) / ROOT_TWO_PI - abs(m) * math.erfc(z / ROOT_TWO)
