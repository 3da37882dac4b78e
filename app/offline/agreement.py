"""Agreement of the judges of a file of comparisons, and what they dispute."""

from typing import NamedTuple

import numpy as np

from app.inference.judges import (
    Agreements,
    DisputedPair,
    Krippendorff,
    agreements,
    disputed_pairs,
    krippendorff,
    votes_by_pair,
)
from app.inference.types import Comparisons, Ints

MOST_CELLS = 5_000_000  # of a matrix of judges by comparisons; nothing is said of more


class JudgeAgreement(NamedTuple):
    """Judges by their number, on the pairs that several of them judged."""

    alpha: Krippendorff | None
    by_pair: Agreements
    disputes: list[DisputedPair]


def agreement_of(comparisons: Comparisons, item: Ints, n: int, judges: int) -> JudgeAgreement | None:
    """None of one judge, and of so many that it would take long; `item` (K,) is what each comparison was about."""
    if judges < 2 or judges * comparisons.size > MOST_CELLS:
        return None
    direction = votes_by_pair(comparisons, item, judges).direction
    seq = np.arange(1, comparisons.size + 1)
    return JudgeAgreement(krippendorff(direction), agreements(direction), disputed_pairs(comparisons, item, seq, n))
