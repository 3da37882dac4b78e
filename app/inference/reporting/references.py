"""Judges validated against a reference, such as people, on the pairs that both judged.

a pair        an item and two candidates, the lower-numbered and the other; verdicts are turned to the lower
truth         the direction of the mean of what the references said of the pair, each verdict counting once
agreement     share of the pairs on which the mean of the others has that direction; where either is a tie, the
              pair is left out. Random verdicts agree on half. Its interval is Wilson's (1927)
both orders   a judge's n-th answer to a pair in one order is coupled with its n-th in the other: what the two say
              together has no position bias in it
"""

from typing import NamedTuple

import numpy as np

from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import directions, lean_to_lower, means, numbered, times_before
from app.inference.wilson import wilson


class BesideReferences(NamedTuple):
    """The answers of a judge, couples counting once, beside the truth of each."""

    p: Floats  # (2, K) of the lower-numbered candidate, in both orders; the same twice where there was one order only
    outcome: Floats  # (K,) 1 where the lower-numbered one is better by the references, 0 where the other, 1/2 in a tie


class PairsAgreed(NamedTuple):
    pairs: int  # on which both sides name a winner
    share: float  # of them with the same winner
    interval: tuple[float, float]


def beside_references(comparisons: Comparisons, item: Ints, judge: int, reference: Bools) -> BesideReferences:
    """Args: `item` (K,) is what each comparison was about; `reference` (J,) says who of the judges, by number."""
    pair, lean, by_reference = _pairs(comparisons, item), lean_to_lower(comparisons), reference[comparisons.judge]
    truth = means(lean[by_reference], pair[by_reference], pair.max(initial=-1) + 1)
    answers = np.flatnonzero((comparisons.judge == judge) & ~np.isnan(truth[pair]))
    turned = (comparisons.first > comparisons.second)[answers].astype(np.int64)
    turn = times_before(2 * pair[answers] + turned)
    couples, couple = np.unique(np.column_stack([pair[answers], turn]), axis=0, return_inverse=True)
    p = np.full((2, len(couples)), np.nan)
    p[turned, couple.reshape(-1)] = np.where(turned, 1.0 - comparisons.p[answers], comparisons.p[answers])
    outcome = 0.5 + 0.5 * directions(truth[couples[:, 0]])
    return BesideReferences(np.where(np.isnan(p), p[::-1], p), np.asarray(outcome, np.float64))


def agreement_with(comparisons: Comparisons, item: Ints, reference: Bools, level: float) -> PairsAgreed | None:
    """Agreement of all other judges with the references, None without a pair; arguments as in `beside_references`."""
    pair, lean, by_reference = _pairs(comparisons, item), lean_to_lower(comparisons), reference[comparisons.judge]
    pairs = pair.max(initial=-1) + 1
    theirs, others = (means(lean[side], pair[side], pairs) for side in (by_reference, ~by_reference))
    decided = np.nan_to_num(directions(theirs) * directions(others))
    pairs, agreeing = int(np.count_nonzero(decided)), int((decided > 0.0).sum())
    if not pairs:
        return None
    return PairsAgreed(pairs, agreeing / pairs, wilson(agreeing / pairs, pairs, level))


def _pairs(comparisons: Comparisons, item: Ints) -> Ints:
    """(K,) the number of each comparison's pair, without gaps."""
    first, second, _, _, _ = comparisons
    return numbered(item, np.minimum(first, second), np.maximum(first, second))
