"""The best pairs of many candidates: those of a shortlist.

All criteria rise with v_ij and fall with |m_ij|, and v_ij is about Sigma_ii + Sigma_jj of two who were not compared. So
the best pair is one of large variances or of near means. For candidates of every two kinds that meet, what is listed is

    VAGUEST of either kind, whose variances are the largest, with each other
    everyone with the NEAREST of the other kind, on either side in the order of the means

and of few open pairs, which are known one by one, all. Conceptually: the argmax of criteria.score over every open pair;
what it finds is 1.00 of that (decision 99). Where no covariance is a matrix several pairs come in rounds, of pairs that
share no candidate and score nearly as much as the best.
"""

from collections.abc import Callable

import numpy as np

from app.inference.kernels.pair_sets import PairSet
from app.inference.types import Bools, Floats, Ints

VAGUEST, NEAREST = 64, 2
NEARLY = 1.15  # times the score of a pair of a round is that of the best
MORE = 8  # times the places that are looked at first: some of them are not open


def listed_by(mean: Floats, variance: Floats, pairs: PairSet, vaguest: int) -> tuple[Ints, Ints]:
    """The shortlist (L,), i < j, open or not."""
    if not pairs.leaves_out:
        return np.divmod(pairs.code, len(mean))
    ones, others = [], []
    for kind, partner in np.argwhere(np.triu(pairs.meets)):
        one, other = np.flatnonzero(pairs.kind == kind), np.flatnonzero(pairs.kind == partner)
        if not len(one) or not len(other):
            continue
        vague = [side[np.argsort(-variance[side], kind="stable")[:vaguest]] for side in (one, other)]
        ordered = other[np.argsort(mean[other], kind="stable")]
        beside = np.searchsorted(mean[ordered], mean[one])[:, None] + np.arange(-NEAREST, NEAREST + 1)
        ones += [np.repeat(vague[0], len(vague[1])), np.repeat(one, 2 * NEAREST + 1)]
        others += [np.tile(vague[1], len(vague[0])), ordered[np.clip(beside, 0, len(other) - 1)].ravel()]
    if not ones:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    first, second = np.concatenate(ones), np.concatenate(others)
    apart = first != second
    return np.minimum(first, second)[apart], np.maximum(first, second)[apart]


def shortlist(
    mean: Floats,
    variance: Floats,
    score: Callable[[Floats, Floats], Floats],
    pairs: PairSet,
    places: int,
    vaguest: int = VAGUEST,
) -> tuple[Ints, Ints]:
    """The open pairs of the first `places` places, or as many as are listed, the best first by v as of independence.

    Args: `variance` (N,) of the scores, less what they have in common; the criterion's `score` of m and v.
    """
    n, (first, second) = len(mean), listed_by(mean, variance, pairs, vaguest)
    value = score(mean[first] - mean[second], variance[first] + variance[second])
    for most in (MORE * places, len(value)):
        best = np.argpartition(-value, most - 1)[:most] if most < len(value) else np.arange(len(value))
        best = best[np.argsort(-value[best], kind="stable")]
        code, at = np.unique(first[best] * n + second[best], return_index=True)
        in_order = np.sort(at[_are_open(pairs, code)])[:places]
        if len(in_order) == places:
            break
    return first[best[in_order]], second[best[in_order]]


def apart(first: Ints, second: Ints, value: Floats, most: int) -> Ints:
    """(T,) which pairs a round takes: the best, and those that score nearly as much and share no candidate."""
    taken, busy = list[int](), set[int]()
    for k in np.argsort(-value, kind="stable").tolist():
        both = {int(first[k]), int(second[k])}
        if len(taken) == most or value[k] * NEARLY < value.max():
            break
        if not busy & both:
            taken.append(k)
            busy |= both
    return np.array(taken, np.int64)


def _are_open(pairs: PairSet, code: Ints) -> Bools:
    """(L,) which of the pairs with these codes are in the set."""
    i, j = np.divmod(code, len(pairs.kind))
    place = np.searchsorted(pairs.code, code)
    is_listed = np.append(pairs.code, -1)[place] == code
    return np.asarray((is_listed != pairs.leaves_out) & pairs.meets[pairs.kind[i], pairs.kind[j]])
