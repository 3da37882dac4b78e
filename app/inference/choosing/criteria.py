"""What pairs are chosen by: the goal, whose order matters, and the criterion, what a pair is worth (PoE 3.6, GPM 4.2).

The goal of a set, as the pairs of candidates whose order matters (methods 12b):

    ranking        all pairs; so it is too where the goal leaves none, as among the top k of k candidates
    top_k          pairs across the boundary of the present top k
    against c      c with each of the others: who is better than c
    pair (a, b)    that pair: which of the two is better

Of the open pairs, with m_ij = mu_i - mu_j and v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij, the one that maximises

    variance      v_ij                       GPM eq. 4
    determinant   phi w(m_ij) v_ij           PoE A.6, GPM eq. 3; w is the expert's curvature, phi the answer's votes
    reordering    v_ij / m_ij^2              GPM eq. 5: the argmax of P(order is wrong) = Phi(-|m_ij| / sqrt(v_ij))
    exponent      v_ij / |m_ij|^epsilon      GPM eq. 6
    knowledge     KG_ij                      methods 12 and knowledge.py: it sums over the pairs that matter
    random        uniform over the open pairs, whatever the goal
    covering      the same, but candidates that were never compared first (PoE 4.2)

All but knowledge, random and covering choose among the pairs that matter while one of them is open. m^2 carries a
floor, (a tenth of a typical posterior sd)^2, below which v decides (decision 9). The tenth is `equal` of the policy;
with 0 the criteria are GPM's.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from app.inference.choosing.knowledge import gain
from app.inference.fitting.model import Model, expected_weight
from app.inference.pair_sets import Kinds, PairSet, among, matching, of_one_kind, size, upper_triangle
from app.inference.targets.drawing import best_first
from app.inference.types import Bools, Floats

EQUAL = 0.1  # of a typical posterior sd: means that are closer count as equal


class Goal(NamedTuple):
    """One of these, or none for the ranking; candidates by number."""

    top_k: int | None = None
    against: int | None = None
    pair: tuple[int, int] | None = None


RANKING = Goal()


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


def goal_kinds(goal: Goal, mean: Floats) -> Kinds:
    """The pairs that matter; `mean` (N,) of the scores says who is in the top k at present."""
    if goal == RANKING or (goal.top_k or 0) >= len(mean):
        return of_one_kind(len(mean))
    kind = np.zeros(len(mean), np.int64)
    if goal.pair is not None:
        kind[list(goal.pair)] = 1
        return Kinds(kind, np.array([[False, False], [False, True]]))
    kind[best_first(mean)[: goal.top_k] if goal.top_k is not None else goal.against] = 1
    return Kinds(kind, np.array([[False, True], [True, False]]))


def goal_pairs(goal: Goal, mean: Floats) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs that matter. Shared: not to be written to."""
    if goal == RANKING:
        return upper_triangle(len(mean))
    return matching(goal_kinds(goal, mean))


def favoured(open_pairs: PairSet, matters: Kinds) -> PairSet:
    """The open pairs that matter; if there is none, those with a candidate that does, and then all."""
    kind, meets = matters
    if len(meets) == 1:
        return open_pairs
    touched = meets.any(axis=1)
    for kinds in (matters, Kinds(kind, np.logical_or.outer(touched, touched))):
        pairs = among(open_pairs, kinds)
        if size(pairs):
            return pairs
    return open_pairs


def score(policy: Policy, model: Model, m: Floats, v: Floats, floor: float) -> Floats:
    """The criterion of (L,) pairs from differences m of either sign, the larger the better: it falls with |m|.

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
