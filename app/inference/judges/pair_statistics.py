"""Judged pairs: how far the verdicts on each pair of outputs agree with each other, and with the ranking.

Of the m verdicts on a pair, with weights w_k, p_k is the probability that the lower-numbered candidate is better, and q
the one that the ranking expects (win_rates.py)

    agreement       the share of the m (m - 1) / 2 pairs of verdicts that name the same winner; a tie agrees with a tie
    disagreement    4 sum_k w_k (p_k - P)^2 / sum_k w_k,    P = sum_k w_k p_k / sum_k w_k
    surprise        -log2(p_k q + (1 - p_k) (1 - q)) of one verdict, in bits; of a pair, the mean by weight

Disagreement is what differs between verdicts: 4 P (1 - P), less the mean of 4 p_k (1 - p_k), which single judges are
unsure of. Votes of which a share s names one winner have 4 s (1 - s): 0 where all agree, 1 where half do. Both need two
verdicts. A tie has a surprise of 1 bit, as has any verdict on a pair of which the ranking expects nothing.

Of an item, agreement is the share over all its pairs of verdicts, disagreement the mean over its pairs with two or
more verdicts, by how many they have, and surprise the mean over its verdicts, by weight. Numbering the candidates in
another order changes none of them.
"""

from typing import NamedTuple

import numpy as np

from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import directions, lean_to_lower, means, numbered, pair_numbers


class JudgedPairs(NamedTuple):
    """P pairs of outputs, each with its verdicts, and the K comparisons by pair."""

    item: Ints  # (P,)
    low: Ints  # (P,)
    high: Ints  # (P,)
    verdicts: Ints  # (P,) how many
    last: Ints  # (P,) sequence number of the last one
    agreeing: Ints  # (P,) pairs of verdicts that name the same winner
    disagreement: Floats  # (P,) NaN of one verdict
    pair: Ints  # (K,) the pair of each comparison
    lean: Floats  # (K,) p_k - 1/2
    weight: Floats  # (K,)

    @property
    def agreement(self) -> Floats:
        """(P,) NaN of one verdict."""
        return _share(self.agreeing, _pairs_of(self.verdicts))


class ItemsJudged(NamedTuple):
    """I items; NaN where nothing is known."""

    comparisons: Ints  # (I,)
    pairs: Ints  # (I,)
    agreement: Floats  # (I,)
    disagreement: Floats  # (I,)
    surprise: Floats  # (I,)


def judged_pairs(comparisons: Comparisons, item: Ints, seq: Ints, n: int) -> JudgedPairs:
    """All pairs of outputs of n candidates that were judged.

    Args: `item` and `seq` (K,) are what each comparison was about, and its place in the log.
    """
    pair = numbered(item, pair_numbers(comparisons, n))
    _, at = np.unique(pair, return_index=True)
    size, lean, weight = len(at), lean_to_lower(comparisons), comparisons.weight
    verdicts, last = np.bincount(pair, minlength=size), np.zeros(size, np.int64)
    np.maximum.at(last, pair, seq)
    named = directions(lean)
    agreeing = sum((_pairs_of(np.bincount(pair[named == way], minlength=size)) for way in (-1.0, 0.0, 1.0)), 0 * last)
    spread = means((lean - means(lean, pair, size, weight)[pair]) ** 2, pair, size, weight)
    disagreement = np.where(verdicts > 1, 4.0 * spread, np.nan)
    first, second = comparisons.first[at], comparisons.second[at]
    return JudgedPairs(
        item=item[at],
        low=np.minimum(first, second),
        high=np.maximum(first, second),
        verdicts=verdicts,
        last=last,
        agreeing=agreeing,
        disagreement=disagreement,
        pair=pair,
        lean=lean,
        weight=weight,
    )


def chosen_pairs(pairs: JudgedPairs, chosen: Bools) -> JudgedPairs:
    """The (P,) chosen ones alone."""
    kept, number = chosen[pairs.pair], np.cumsum(chosen) - 1
    return JudgedPairs(
        item=pairs.item[chosen],
        low=pairs.low[chosen],
        high=pairs.high[chosen],
        verdicts=pairs.verdicts[chosen],
        last=pairs.last[chosen],
        agreeing=pairs.agreeing[chosen],
        disagreement=pairs.disagreement[chosen],
        pair=number[pairs.pair[kept]],
        lean=pairs.lean[kept],
        weight=pairs.weight[kept],
    )


def surprises(pairs: JudgedPairs, expected: Floats) -> Floats:
    """(K,) bits of each verdict, given the (P,) probability that the lower-numbered candidate wins."""
    probability = 0.5 + 2.0 * pairs.lean * (expected[pairs.pair] - 0.5)
    return np.asarray(-np.log2(np.maximum(probability, np.finfo(np.float64).tiny)))


def surprise_of_pairs(pairs: JudgedPairs, expected: Floats) -> Floats:
    """(P,) bits of each pair."""
    return means(surprises(pairs, expected), pairs.pair, len(pairs.item), pairs.weight)


def items_judged(pairs: JudgedPairs, expected: Floats, items: int) -> ItemsJudged:
    """What `items` items amount to."""
    of_pairs, of_verdicts = pairs.item, pairs.item[pairs.pair]
    several = pairs.verdicts > 1
    pairs_of_verdicts = np.bincount(of_pairs, _pairs_of(pairs.verdicts), items)
    return ItemsJudged(
        comparisons=np.bincount(of_verdicts, minlength=items),
        pairs=np.bincount(of_pairs, minlength=items),
        agreement=_share(np.bincount(of_pairs, pairs.agreeing, items), pairs_of_verdicts),
        disagreement=means(
            pairs.disagreement[several], of_pairs[several], items, pairs.verdicts[several].astype(np.float64)
        ),
        surprise=means(surprises(pairs, expected), of_verdicts, items, pairs.weight),
    )


def _pairs_of(count: Ints) -> Ints:
    return count * (count - 1) // 2


def _share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    return np.asarray(np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0))
