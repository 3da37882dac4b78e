"""Agreement of judges on what several of them judged: Cohen's kappa, and Krippendorff's alpha, with intervals.

A vote on a pair of outputs names the one, the other, or neither: three classes without an order. Which output is the
one depends on who joined first, so that each pair is counted both ways round: the two named classes are equally
frequent. With t_i the share of ties of judge i, a the share of the pairs on which i and j agree, of those that both
judged

    Cohen           kappa = (a - e) / (1 - e),    e = t_i t_j + (1 - t_i) (1 - t_j) / 2

and with m_u votes on unit u, n_uc of them for class c, where m_u > 1; n votes in all, p_c of them for class c (nominal
data, Krippendorff 2011)

    Krippendorff    alpha = 1 - D_o / D_e,        D_o = sum_u s_u / n,    s_u = (m_u^2 - sum_c n_uc^2) / (m_u - 1)
                                                  D_e = (1 - sum_c p_c^2) r / (r - 1)

Units are items, with r = n, or pairs of outputs, with n_uc and p_c of both ways round in D_e, and r = 2 n.

Units are what is drawn: D_o / D_e varies as the sum over units of its derivative by each one,

    alpha   d_u = ((s_u - D_o m_u) + 2 (1 - alpha) sum_c p_c (n_uc - m_u p_c)) / (n D_e)
    kappa   d_u = ((s_u - D_o) + (1 - kappa) (g_j (t_ui - t_i) + g_i (t_uj - t_j))) / (m D_e),    g = (3 t - 1) / 2

where for kappa D_o = 1 - a and D_e = 1 - e are of the m pairs that both judged, s_u is 1 where the two differ and t_ui
where i calls a tie; this is the asymptotic variance of Fleiss, Cohen and Everitt (1969). D_o is as sure as a share of
so many units that has the same variance. The intervals of alpha and kappa are Wilson's (1927) for that share: they do
not close where all agree.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, triu

from app.inference.judges.aggregation import Votes
from app.inference.judges.pair_votes import PairVotes, ratio
from app.inference.types import Floats, Ints
from app.inference.verdicts import wilson, wilson_of_each

LEVEL = 0.95  # of every interval about judges
NOTHING = 1e-12  # variance that is rounding


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


def most_twos(votes: PairVotes) -> int:
    """Number that the twos of `agreements` do not exceed."""
    on_each = votes.counts.sum(axis=1)
    return int(min(votes.judges * (votes.judges - 1) // 2, (on_each * (on_each - 1) // 2).sum()))


def agreements(votes: PairVotes) -> Agreements:
    """Agreement of every two judges who voted on the same pairs of outputs.

    kappa is conceptually that of the directions stacked on their negatives.
    """
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


def agreement_with_others(votes: PairVotes) -> tuple[Ints, Ints]:
    """(J,) how many votes of others meet those of each judge on a pair of outputs, and how many agree with them."""
    others = votes.counts
    alike = others[votes.pair, votes.direction.astype(np.int64) + 1] - 1
    meeting = others.sum(axis=1)[votes.pair] - 1
    met, agreeing = (np.bincount(votes.judge, each, votes.judges).astype(np.int64) for each in (meeting, alike))
    return met, agreeing


def krippendorff(votes: PairVotes) -> Krippendorff | None:
    """Krippendorff's alpha of the votes; None where no two judges met, or all are ties.

    Conceptually: alpha of the directions stacked on their negatives, by the matrix of coincidences.
    """
    counts = votes.counts
    return _alpha(counts, (counts + counts[:, ::-1]) / 2.0, ways=2)


def krippendorff_of_items(v: Votes) -> Krippendorff | None:
    """Krippendorff's alpha, from the (N, K, C) votes; None where no two judges met, or all say the same.

    Votes that are shared alike by the same classes, ties, are a class of their own.
    """
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
