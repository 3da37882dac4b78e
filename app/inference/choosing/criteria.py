"""Criteria for the next pair (PoE 3.6, GPM 4.2).

For every open pair, with m_ij = mu_i - mu_j and v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij, maximise

    variance      v_ij                       GPM eq. 4
    determinant   phi w(m_ij) v_ij           PoE A.6, GPM eq. 3; w is the expert's curvature, phi the answer's votes
    reordering    v_ij / m_ij^2              GPM eq. 5: the argmax of P(order is wrong) = Phi(-|m_ij| / sqrt(v_ij))
    exponent      v_ij / |m_ij|^epsilon      GPM eq. 6
    knowledge     KG_ij                      methods 12; kernels/knowledge.py has the equation. Where win rates in
                                             all pairs are ranked, theirs; for a top k, contention.py comes first
    random        uniform over the open pairs
    covering      the same, but first over those of two candidates that were never compared, then over those of one
                  (PoE 4.2); joining.py finds them

For the ranking of more than SMALL candidates pairs that join what no comparison connects yet come before all
of these (joining.py), except for random and covering.

All but these two speak of the goal (goals.py): knowledge sums over the pairs that matter, the others choose among them
while one of them is open. Beyond SMALL candidates the sum is taken for some pairs only. For the ranking they are
those whose own term, (k, l) = (i, j), is largest; for another goal, those among the candidates that are least decided
in it.

m^2 carries a floor, (a tenth of a typical posterior sd)^2: means that are closer count as equal, and among such pairs
v decides. Without it nothing but m counts near m = 0, and a judge that ties texts exactly is asked about the tied ones
until none of their pairs is left (decision 9). The tenth is `equal` of the policy; with 0 the criteria are GPM's, and v
decides among means that are exactly equal. Scores within a relative 1e-9 count as tied and one of the tied pairs is
drawn uniformly.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from app.inference.choosing.knowledge import gain
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Covariance
from app.inference.types import Floats

EQUAL = 0.1  # of a typical posterior sd: means that are closer count as equal
EXACTLY = 1e-6  # the same where no means that differ are to


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
