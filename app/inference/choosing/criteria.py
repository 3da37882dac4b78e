"""Criteria for the next pair (PoE 3.6, GPM 4.2), and the shortlist of many candidates' best pairs.

For every open pair, with m_ij = mu_i - mu_j and v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij, maximise

    variance      v_ij                       GPM eq. 4
    determinant   phi w(m_ij) v_ij           PoE A.6, GPM eq. 3; w is the expert's curvature, phi the answer's votes
    reordering    v_ij / m_ij^2              GPM eq. 5: the argmax of P(order is wrong) = Phi(-|m_ij| / sqrt(v_ij))
    exponent      v_ij / |m_ij|^epsilon      GPM eq. 6
    knowledge     KG_ij                      methods 12; knowledge.py has the equation. Where win rates in all pairs
                                             are ranked, theirs; for a top k, contention comes first (picking.py)
    random        uniform over the open pairs
    covering      the same, but first over those of two candidates that were never compared, then over those of one
                  (PoE 4.2)

For the ranking of more than SMALL candidates pairs that join what no comparison connects yet come before all
of these (picking.py), except for random and covering.

All but these two speak of the goal (goals.py): knowledge sums over the pairs that matter, the others choose among them
while one of them is open. Beyond SMALL candidates the sum is taken for some pairs only. For the ranking they are
those whose own term, (k, l) = (i, j), is largest; for another goal, those among the candidates that are least decided
in it.

m^2 carries a floor, (a tenth of a typical posterior sd)^2: means that are closer count as equal, and among such pairs
v decides. Without it nothing but m counts near m = 0, and a judge that ties texts exactly is asked about the tied ones
until none of their pairs is left (decision 9). The tenth is `equal` of the policy; with 0 the criteria are GPM's, and v
decides among means that are exactly equal. Scores within a relative 1e-9 count as tied and one of the tied pairs is
drawn uniformly.

All criteria rise with v_ij and fall with |m_ij|, and v_ij is about Sigma_ii + Sigma_jj of two who were not compared. So
the best pair is one of large variances or of near means. For candidates of every two kinds that meet, the shortlist has

    VAGUEST of either kind, whose variances are the largest, with each other
    everyone with the NEAREST of the other kind, on either side in the order of the means

and of few open pairs, which are known one by one, all. Conceptually: the argmax of `score` over every open pair; what
it finds is 1.00 of that (decision 99). Where no covariance is a matrix several pairs come in rounds, of pairs that
share no candidate and score nearly as much as the best.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from app.inference.choosing.knowledge import gain
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Covariance
from app.inference.pair_sets import PairSet
from app.inference.types import Bools, Floats, Ints

EQUAL = 0.1  # of a typical posterior sd: means that are closer count as equal
EXACTLY = 1e-6  # the same where no means that differ are to
VAGUEST, NEAREST = 64, 2
NEARLY = 1.15  # times the score of a pair of a round is that of the best
MORE = 8  # times the places that are looked at first: some of them are not open


class Criterion(StrEnum):
    VARIANCE = "variance"
    DETERMINANT = "determinant"
    REORDERING = "reordering"
    EXPONENT = "exponent"
    KNOWLEDGE = "knowledge"
    RANDOM = "random"
    COVERING = "covering"


DRAWN = (Criterion.RANDOM, Criterion.COVERING)


class Batch(StrEnum):
    GREEDY = "greedy"
    TOP = "top"


class Policy(NamedTuple):
    criterion: Criterion
    epsilon: float = 0.5  # of exponent
    random_share: float = 0.0  # share of the picks that are drawn uniformly
    batch: Batch = Batch.GREEDY
    equal: float = EQUAL  # of reordering and exponent: the share of a typical posterior sd


def equality(sigma: Covariance, share: float = EQUAL) -> float:
    """The squared difference below which two means count as equal, for a share of a typical posterior sd."""
    typical = float(sigma.diagonal.sum()) / max(len(sigma.diagonal), 1)
    return max(share, EXACTLY) ** 2 * typical


def score(policy: Policy, model: Model, m: Floats, v: Floats, floor: float) -> Floats:
    """The criterion of (L,) pairs, the larger the better: it rises with v and falls with |m|.

    Of `knowledge` it is the pair's own term; one of DRAWN likes all alike.
    """
    match policy.criterion:
        case Criterion.VARIANCE:
            return v
        case Criterion.DETERMINANT:
            return expected_weight(m, model) * v
        case Criterion.REORDERING:
            return v / (m * m + floor)
        case Criterion.EXPONENT:
            return np.asarray(v / (m * m + floor) ** (0.5 * policy.epsilon))
        case Criterion.KNOWLEDGE:
            weight = expected_weight(m, model)
            return gain(m, v * np.sqrt(weight / (1.0 + weight * v)))
        case Criterion.RANDOM | Criterion.COVERING:
            return np.ones_like(v)


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
