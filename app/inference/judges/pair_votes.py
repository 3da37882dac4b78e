"""Judged pairs of outputs, an item and two candidates, low < high: votes, disputes, agreement, surprise.

Both orders of a pair are one pair here; verdicts are turned to one side. A vote is what a judge says of a pair: the
mean of its verdicts by weight. A pair is disputed if votes name different winners; a tie disputes nothing.

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

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import directions, firsts, lean_to_lower, means, numbered


class PairVotes(NamedTuple):
    """M pairs of outputs that any of J judges judged, in the order of item, low and high, and the V votes on them."""

    item: Ints  # (M,)
    low: Ints  # (M,)
    high: Ints  # (M,)
    pair: Ints  # (V,) ascending
    judge: Ints  # (V,)
    lean: Floats  # (V,) how far the mean probability that low is better is above 1/2
    judges: int  # J

    @property
    def size(self) -> int:
        """M."""
        return len(self.item)

    @property
    def direction(self) -> Floats:
        """(V,) who each vote names: 1 for low, -1 for high, 0 for neither."""
        return directions(self.lean)

    @property
    def counts(self) -> Ints:
        """(M, 3) votes for high, for neither and for low."""
        place = 3 * self.pair + self.direction.astype(np.int64) + 1
        return np.bincount(place, minlength=3 * self.size).reshape(-1, 3)

    @property
    def p(self) -> Floats:
        """(M, J) mean probability that low is better; NaN where a judge has no verdict."""
        p = np.full((self.size, self.judges), np.nan)
        p[self.pair, self.judge] = 0.5 + self.lean
        return p

    @property
    def most_twos(self) -> int:
        """Number that the twos of judges who met on a pair do not exceed."""
        on_each = self.counts.sum(axis=1)
        return int(min(self.judges * (self.judges - 1) // 2, (on_each * (on_each - 1) // 2).sum()))

    def judged_by(self, judges: Sequence[int] | Ints) -> Bools:
        """(M,) pairs that any of these judged."""
        return np.bincount(self.pair[np.isin(self.judge, judges)], minlength=self.size) > 0

    def on(self, chosen: Bools) -> "PairVotes":
        """The votes on the (M,) chosen pairs alone."""
        kept, number = chosen[self.pair], np.cumsum(chosen) - 1
        pairs = self.item[chosen], self.low[chosen], self.high[chosen]
        return PairVotes(*pairs, number[self.pair[kept]], self.judge[kept], self.lean[kept], self.judges)


class DisputedPair(NamedTuple):
    seq: int  # of the last comparison on the pair
    item: int
    low: int
    high: int
    p_low: Mapping[int, float]  # by judge: its probability that low is better


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
        return ratio(self.agreeing, _pairs_of(self.verdicts))


class ItemsJudged(NamedTuple):
    """I items; NaN where nothing is known."""

    comparisons: Ints  # (I,)
    pairs: Ints  # (I,)
    agreement: Floats  # (I,)
    disagreement: Floats  # (I,)
    surprise: Floats  # (I,)


def votes_by_pair(comparisons: Comparisons, item: Ints, judges: int) -> PairVotes:
    """Args: `item` (K,) is what each comparison was about."""
    pair, *pairs = _outputs(comparisons, item)
    vote = numbered(pair, comparisons.judge)
    at = firsts(vote)
    lean = means(lean_to_lower(comparisons), vote, len(at), comparisons.weight)
    return PairVotes(*pairs, pair[at], comparisons.judge[at], lean, judges)


def disputed_pairs(
    comparisons: Comparisons, item: Ints, seq: Ints, *, after: int = 0, limit: int | None = None
) -> list[DisputedPair]:
    """Up to `limit` disputes, in the order of their last comparison, from behind `after` on.

    Args: `item` and `seq` (K,) are what each comparison was about, and its place in the log; judges may be any numbers.
    """
    votes, last = votes_by_pair(comparisons, item, 0), _last(_outputs(comparisons, item)[0], seq)
    for_high, _, for_low = votes.counts.T
    disputed = np.flatnonzero((for_high > 0) & (for_low > 0) & (last > after))
    disputes = []
    for row in disputed[np.argsort(last[disputed])][:limit].tolist():
        on_it = slice(*np.searchsorted(votes.pair, [row, row + 1]))
        p_low = dict(zip(votes.judge[on_it].tolist(), (0.5 + votes.lean[on_it]).tolist(), strict=True))
        place = int(votes.item[row]), int(votes.low[row]), int(votes.high[row])
        disputes.append(DisputedPair(int(last[row]), *place, p_low))
    return disputes


def judged_pairs(comparisons: Comparisons, item: Ints, seq: Ints) -> JudgedPairs:
    """All pairs of outputs that were judged; arguments as in `disputed_pairs`."""
    (pair, *pairs), lean, weight = _outputs(comparisons, item), lean_to_lower(comparisons), comparisons.weight
    direction, verdicts = directions(lean), np.bincount(pair)
    size = len(verdicts)
    alike = (np.bincount(pair[direction == way], minlength=size) for way in (-1.0, 0.0, 1.0))
    spread = means((lean - means(lean, pair, size, weight)[pair]) ** 2, pair, size, weight)
    return JudgedPairs(
        *pairs,
        verdicts=verdicts,
        last=_last(pair, seq),
        agreeing=np.sum([_pairs_of(count) for count in alike], axis=0),
        disagreement=np.where(verdicts > 1, 4.0 * spread, np.nan),
        pair=pair,
        lean=lean,
        weight=weight,
    )


def surprises(pairs: JudgedPairs, expected: Floats) -> tuple[Floats, Floats]:
    """(P,) bits of each pair and (K,) of each verdict, given the (P,) probability that the lower-numbered wins."""
    probability = 0.5 + 2.0 * pairs.lean * (expected[pairs.pair] - 0.5)
    bits = np.asarray(-np.log2(np.maximum(probability, np.finfo(np.float64).tiny)))
    return means(bits, pairs.pair, len(pairs.item), pairs.weight), bits


def items_judged(pairs: JudgedPairs, expected: Floats, items: int, chosen: Bools) -> ItemsJudged:
    """What `items` items amount to, by their pairs that are `chosen` (P,)."""
    several, among = chosen & (pairs.verdicts > 1), chosen[pairs.pair]
    of_several, of_verdicts, verdicts = pairs.item[several], pairs.item[pairs.pair][among], pairs.verdicts[several]
    agreeing = np.bincount(of_several, pairs.agreeing[several], items)
    return ItemsJudged(
        comparisons=np.bincount(of_verdicts, minlength=items),
        pairs=np.bincount(pairs.item[chosen], minlength=items),
        agreement=ratio(agreeing, np.bincount(of_several, _pairs_of(verdicts), items)),
        disagreement=means(pairs.disagreement[several], of_several, items, verdicts.astype(np.float64)),
        surprise=means(surprises(pairs, expected)[1][among], of_verdicts, items, pairs.weight[among]),
    )


def ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """NaN of nothing."""
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)


def _outputs(comparisons: Comparisons, item: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """(K,) number of the pair of outputs of each comparison, and (M,) item, low and high of each pair."""
    low, high = np.minimum(comparisons.first, comparisons.second), np.maximum(comparisons.first, comparisons.second)
    pair = numbered(item, low, high)
    at = firsts(pair)
    return pair, item[at], low[at], high[at]


def _last(pair: Ints, seq: Ints) -> Ints:
    """(P,) the last sequence number of each pair."""
    last = np.zeros(int(pair.max(initial=-1)) + 1, np.int64)
    np.maximum.at(last, pair, seq)
    return last


def _pairs_of(count: Ints) -> Ints:
    return count * (count - 1) // 2
