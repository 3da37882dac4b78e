"""Judged pairs of outputs, an item and two candidates, low < high: votes, disputes, surprise, agreement of judges.

Both orders of a pair are one pair here; verdicts are turned to one side. A vote is what a judge says of a pair: the
mean of its verdicts by weight. A pair is disputed if votes name different winners; a tie disputes nothing.

Of the m verdicts on a pair, with weights w_k, p_k is the probability that the lower-numbered candidate is better, and q
the one that the ranking expects (reporting/win_rates.py)

    agreement       the share of the m (m - 1) / 2 pairs of verdicts that name the same winner; a tie agrees with a tie
    disagreement    4 sum_k w_k (p_k - P)^2 / sum_k w_k,    P = sum_k w_k p_k / sum_k w_k
    surprise        -log2(p_k q + (1 - p_k) (1 - q)) of one verdict, in bits; of a pair, the mean by weight

Disagreement is 4 P (1 - P), less the mean of 4 p_k (1 - p_k), which single judges are unsure of: votes of which a share
s names one winner have 4 s (1 - s). Both need two verdicts. Of an item, agreement is the share over all its pairs of
verdicts, disagreement the mean over its pairs with two or more verdicts, by how many they have, and surprise the mean
over its verdicts, by weight.

Votes name the one output, the other, or neither: three classes without an order. Which is the one depends on who joined
first, so each pair is counted both ways round: the two named classes are equally frequent. With t_i the share of ties
of judge i, a the share of the pairs on which i and j agree, of those that both judged

    Cohen           kappa = (a - e) / (1 - e),    e = t_i t_j + (1 - t_i) (1 - t_j) / 2

and with m_u votes on unit u, n_uc of them for class c, where m_u > 1; n votes in all, p_c of them for class c (nominal
data, Krippendorff 2011)

    Krippendorff    alpha = 1 - D_o / D_e,        D_o = sum_u s_u / n,    s_u = (m_u^2 - sum_c n_uc^2) / (m_u - 1)
                                                  D_e = (1 - sum_c p_c^2) r / (r - 1)

Units are items, with r = n, or pairs of outputs, with n_uc and p_c of both ways round in D_e, and r = 2 n. They are
what is drawn: D_o / D_e varies as the sum over units of its derivative by each one,

    alpha   d_u = ((s_u - D_o m_u) + 2 (1 - alpha) sum_c p_c (n_uc - m_u p_c)) / (n D_e)
    kappa   d_u = ((s_u - D_o) + (1 - kappa) (g_j (t_ui - t_i) + g_i (t_uj - t_j))) / (m D_e),    g = (3 t - 1) / 2

where for kappa D_o = 1 - a and D_e = 1 - e are of the m pairs that both judged, s_u is 1 where the two differ and t_ui
where i calls a tie; this is the asymptotic variance of Fleiss, Cohen and Everitt (1969). D_o is as sure as a share of
so many units that has the same variance, and Wilson's (1927) intervals are for that share: they do not close where all
agree.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, triu

from app.inference.judges.aggregation import Votes
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import directions, firsts, lean_to_lower, means, numbered, wilson, wilson_of_each

LEVEL = 0.95  # of every interval about judges
NOTHING = 1e-12  # variance that is rounding


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

    @property
    def agreement_with_others(self) -> tuple[Ints, Ints]:
        """(J,) how many votes of others meet those of each judge on a pair of outputs, and how many agree with them."""
        others = self.counts
        alike = others[self.pair, self.direction.astype(np.int64) + 1] - 1
        meeting = others.sum(axis=1)[self.pair] - 1
        met, agreeing = (np.bincount(self.judge, each, self.judges).astype(np.int64) for each in (meeting, alike))
        return met, agreeing

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

    def surprises(self, expected: Floats) -> tuple[Floats, Floats]:
        """(P,) bits of each pair and (K,) of each verdict, given the (P,) probability that the lower-numbered wins."""
        probability = 0.5 + 2.0 * self.lean * (expected[self.pair] - 0.5)
        bits = np.asarray(-np.log2(np.maximum(probability, np.finfo(np.float64).tiny)))
        return means(bits, self.pair, len(self.item), self.weight), bits

    def of_items(self, expected: Floats, items: int, chosen: Bools) -> "ItemsJudged":
        """What `items` items amount to, by their pairs that are `chosen` (P,)."""
        several, among = chosen & (self.verdicts > 1), chosen[self.pair]
        of_several, of_verdicts, verdicts = self.item[several], self.item[self.pair][among], self.verdicts[several]
        agreeing = np.bincount(of_several, self.agreeing[several], items)
        return ItemsJudged(
            comparisons=np.bincount(of_verdicts, minlength=items),
            pairs=np.bincount(self.item[chosen], minlength=items),
            agreement=ratio(agreeing, np.bincount(of_several, _pairs_of(verdicts), items)),
            disagreement=means(self.disagreement[several], of_several, items, verdicts.astype(np.float64)),
            surprise=means(self.surprises(expected)[1][among], of_verdicts, items, self.weight[among]),
        )


class ItemsJudged(NamedTuple):
    """I items; NaN where nothing is known."""

    comparisons: Ints  # (I,)
    pairs: Ints  # (I,)
    agreement: Floats  # (I,)
    disagreement: Floats  # (I,)
    surprise: Floats  # (I,)


class Agreements(NamedTuple):
    """Every two of the judges who judged the same pairs of outputs: T twos, by the number of the first, then second."""

    first: Ints  # (T,) a judge
    second: Ints  # (T,) one of a higher number
    pairs: Ints  # (T,) pairs of outputs that both judged
    agreeing: Ints  # (T,) those of which they name the same winner; a tie agrees with a tie
    kappa: Floats  # (T,) NaN where all are ties
    interval: Floats  # (2, T) ends of what holds kappa with LEVEL


class Krippendorff(NamedTuple):
    """The agreement of all judges, beyond what chance gives: 1 is always, 0 is chance."""

    value: float
    interval: tuple[float, float]  # that holds it with LEVEL
    units: int  # pairs of outputs, or items, that several judged


def votes_by_pair(comparisons: Comparisons, item: Ints, judges: int) -> PairVotes:
    """Args: `item` (K,) is what each comparison was about."""
    pair, item, low, high = _outputs(comparisons, item)
    vote = numbered(pair, comparisons.judge)
    at = firsts(vote)
    lean = means(lean_to_lower(comparisons), vote, len(at), comparisons.weight)
    return PairVotes(item, low, high, pair[at], comparisons.judge[at], lean, judges)


def disputed_pairs(
    comparisons: Comparisons, item: Ints, seq: Ints, *, after: int = 0, limit: int | None = None
) -> list[DisputedPair]:
    """Up to `limit` disputes, by their last comparison, whose `seq` (K,) is behind `after`; judges are any numbers."""
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
    pair, item, low, high = _outputs(comparisons, item)
    lean, weight = lean_to_lower(comparisons), comparisons.weight
    direction, verdicts = directions(lean), np.bincount(pair)
    size = len(verdicts)
    alike = (np.bincount(pair[direction == way], minlength=size) for way in (-1.0, 0.0, 1.0))
    spread = means((lean - means(lean, pair, size, weight)[pair]) ** 2, pair, size, weight)
    return JudgedPairs(
        item, low, high, verdicts, _last(pair, seq),
        agreeing=np.sum([_pairs_of(count) for count in alike], axis=0),
        disagreement=np.where(verdicts > 1, 4.0 * spread, np.nan),
        pair=pair, lean=lean, weight=weight,
    )  # fmt: skip


def agreements(votes: PairVotes) -> Agreements:
    """Of every two judges who met. Conceptually: kappa of the directions stacked on their negatives."""
    way, shape = votes.direction, (votes.judges, votes.size)
    voted, named, tied = (
        csr_array((each, (votes.judge, votes.pair)), shape)
        for each in (np.ones(len(way)), way, np.where(way == 0.0, 1.0, 0.0))
    )
    met = triu(voted @ voted.T, 1, format="csr")
    first, second = met.nonzero()
    pairs, alike, both, of_first, of_second = (
        product[first, second] if len(first) else np.empty(0)  # of no places it is a sparse array
        for product in (met, named @ named.T, tied @ tied.T, tied @ voted.T, voted @ tied.T)
    )
    agreeing = both + (pairs - of_first - of_second + both + alike) / 2.0  # alike is agreeing less differing winners
    differing, t, u, both_tie = 1.0 - agreeing / pairs, of_first / pairs, of_second / pairs, both / pairs
    by_chance = 1.0 - t * u - (1.0 - t) * (1.0 - u) / 2.0
    relative = ratio(differing, by_chance)
    by_t, by_u = relative * (3.0 * u - 1.0) / 2.0, relative * (3.0 * t - 1.0) / 2.0
    variance = differing * (1.0 - differing) + 2.0 * by_t * by_u * (both_tie - t * u)
    for by_ties, ties in ((by_t, t), (by_u, u)):
        variance += by_ties**2 * ties * (1.0 - ties) + 2.0 * by_ties * (ties - both_tie - differing * ties)
    low, high = wilson_of_each(differing, _draws(differing, variance / np.maximum(pairs - 1, 1), pairs), LEVEL)
    interval = np.stack([1.0 - ratio(end, by_chance) for end in (high, low)])
    return Agreements(first, second, pairs.astype(np.int64), agreeing.astype(np.int64), 1.0 - relative, interval)


def krippendorff(votes: PairVotes) -> Krippendorff | None:
    """Alpha, conceptually of directions stacked on their negatives; None where no two judges met, or all are ties."""
    counts = votes.counts
    return _alpha(counts, (counts + counts[:, ::-1]) / 2.0, ways=2)


def krippendorff_of_items(v: Votes) -> Krippendorff | None:
    """The same of (N, K, C) votes; None where all say the same, too. Ties of some classes are a class of their own."""
    item, judge = np.nonzero(v.any(axis=2) & (v.max(axis=2) < 1.0))
    kinds, kind = np.unique(v[item, judge], axis=0, return_inverse=True)
    ties = np.zeros((len(v), len(kinds)))
    np.add.at(ties, (item, kind.reshape(-1)), 1.0)
    counts = np.column_stack([(v == 1.0).sum(axis=1), ties])
    return _alpha(counts, counts, ways=1)


def _alpha(counts: Floats | Ints, all_ways: Floats | Ints, *, ways: int) -> Krippendorff | None:
    """Alpha of n_uc (U, C), and of what they are as the mean of so many ways round."""
    several = counts.sum(axis=1) > 1
    counts, all_ways = counts[several], all_ways[several]
    votes, n = counts.sum(axis=1), float(counts.sum())
    p = all_ways.sum(axis=0) / max(n, 1.0)
    if not n or p.max() == 1.0:
        return None
    differing = (votes**2 - (counts**2).sum(axis=1)) / (votes - 1)
    observed, by_chance = float(differing.sum()) / n, float(1.0 - p @ p) * ways * n / (ways * n - 1.0)
    by_shares = 2.0 * observed / by_chance * ((all_ways - votes[:, None] * p) @ p)
    moved_by = (differing - observed * votes + by_shares) / n
    units = len(votes)
    variance = float(moved_by @ moved_by) * units / max(units - 1, 1)
    low, high = wilson(observed, float(_draws(observed, variance, units)), LEVEL)
    return Krippendorff(1.0 - observed / by_chance, (1.0 - high / by_chance, 1.0 - low / by_chance), units)


def _draws(share: Floats | float, variance: Floats | float, units: Floats | int) -> Floats:
    """Number of draws as sure as a share of so many units; one for each unit where nothing varies."""
    varies = np.asarray((variance > NOTHING) & (share > 0.0) & (share < 1.0))
    return np.where(varies, share * (1.0 - share) / np.where(varies, variance, 1.0), np.maximum(units, 1))


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
