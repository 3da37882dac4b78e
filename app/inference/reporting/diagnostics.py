"""Figures of the log alone, before any fit: cycles, repeats, presentation order, agreement.

    direction    of a verdict: the sign of p - 1/2; within 1e-9 of zero it is a tie, here and for a mean of verdicts
    one pair     an item and an unordered pair of candidates; where orders differ, a verdict is turned to match
    pooled       the direction of the mean p of the lower-numbered candidate over several verdicts, by their weight
    agree        two verdicts with the same direction once turned to the same order; a tie agrees with a tie only

Means go by weight, counts count verdicts. A verdict is never compared with itself. A share of nothing is None.
"""

from typing import NamedTuple

import numpy as np

from app.inference.reporting.cycles import Triads, cycles
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import (
    components,
    directions,
    firsts,
    lean_to_lower,
    numbered,
    pair_numbers,
    pooled_directions,
    potentials,
)


class AgreedShare(NamedTuple):
    pairs: int  # pairs of verdicts that were compared
    share: float | None  # that agree


class Consistency(NamedTuple):
    same_order: AgreedShare
    swapped: AgreedShare
    first_both: float | None  # share of the swapped pairs in which the first position won both times
    second_both: float | None
    by_chance: float | None  # share of the swapped pairs that would agree if judges did not look at what they are shown


class PositionBalance(NamedTuple):
    lead: Ints  # (N,) how many times more often each candidate was shown first than second
    worst: int  # largest absolute lead
    mixed: float | None  # share of what verdicts say of a position bias that no scores could say as well
    first_picked: float | None  # mean p, by weight


class LogDiagnostics(NamedTuple):
    components: int
    cycles: Triads
    repeats: Consistency
    agreement: AgreedShare
    order_balance: PositionBalance


def diagnose(comparisons: Comparisons, n: int, item: Ints) -> LogDiagnostics:
    """All of the below; `item` (K,) is what each comparison was about."""
    return LogDiagnostics(
        int(components(comparisons, n).max(initial=-1)) + 1,
        cycles(comparisons, n),
        repeats(comparisons, n, item),
        agreement(comparisons, n, item),
        order_balance(comparisons, n),
    )


def repeats(comparisons: Comparisons, n: int, item: Ints) -> Consistency:
    """Consistency of judges who decide the same pair again; `item` (K,) is what each comparison was about.

    Each verdict is compared with the judge's earliest one on the pair in the same order, and with the earliest one in
    the other order, where these came before it: at most two pairs per verdict. Swapped pairs that do not agree are
    those won by the first position both times, those won by the second both times, and those with one tie.
    Who names the first position in a share f of these verdicts, the second in s and neither in t, whatever is shown,
    agrees in 2 f s + t^2: never if it is always the same position, always if nothing but ties.
    """
    key = 2 * numbered(comparisons.judge, item, pair_numbers(comparisons, n)) + (comparisons.first > comparisons.second)
    earliest = _earliest(key)
    now, before = _preceded(earliest[key])
    later, other = _preceded(earliest[key ^ 1])
    shown, turned = directions(comparisons.p - 0.5), directions(lean_to_lower(comparisons))
    return Consistency(
        _agreement(turned[now] == turned[before]),
        _agreement(turned[later] == turned[other]),
        _agreement((shown[later] > 0) & (shown[other] > 0)).share,
        _agreement((shown[later] < 0) & (shown[other] < 0)).share,
        _agreement_by_chance(comparisons.judge[later], shown[later], shown[other]),
    )


def agreement(comparisons: Comparisons, n: int, item: Ints) -> AgreedShare:
    """Agreement of two different judges of the same pair, over all pairs and all twos of their judges.

    A judge that decided a pair several times has one verdict there, the pooled one. Two random judges, without
    ties, agree in half of the pairs.
    """
    pair = numbered(item, pair_numbers(comparisons, n))
    vote = numbered(pair, comparisons.judge)  # one number for each judge of each pair
    direction, voted_on = pooled_directions(comparisons, vote), pair[firsts(vote)]
    twos, agreeing = _twos_within(voted_on), _twos_within(3 * voted_on + direction + 1)
    return AgreedShare(twos, _share(agreeing, twos))


def order_balance(comparisons: Comparisons, n: int) -> PositionBalance:
    """Balance of who was shown first, and how much of the winning the first position did.

    Where orders are balanced, a `first_picked` far from 1/2 is positional bias; where they are not, it may be merit.
    `mixed` is 1 - R^2 of the least squares fit of scores to a bias of 1 in every verdict: 1 where each candidate is
    first as often as second, about 1 - (N - 1) / K where orders are drawn, 0 in a tree or where some are always first.
    """
    leads = np.bincount(comparisons.first, minlength=n) - np.bincount(comparisons.second, minlength=n)
    worst = int(np.abs(leads).max(initial=0))
    if not comparisons.size:
        return PositionBalance(leads, worst, None, None)
    merits = potentials(np.ones(comparisons.size), comparisons, n)
    merit = merits[comparisons.first] - merits[comparisons.second]
    mixed = 1.0 - float(np.average(merit, weights=comparisons.weight))
    return PositionBalance(
        leads, worst, min(max(mixed, 0.0), 1.0), float(np.average(comparisons.p, weights=comparisons.weight))
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _agreement(agrees: Bools) -> AgreedShare:
    return AgreedShare(len(agrees), _share(int(agrees.sum()), len(agrees)))


def _agreement_by_chance(judge: Ints, now: Floats, before: Floats) -> float | None:
    """Chance that two verdicts agree, from (M,) pairs of directions as shown and the habits of the judge of each."""
    if not judge.size:
        return None
    first, second, tie = (np.bincount(judge, now == way) + np.bincount(judge, before == way) for way in (1, -1, 0))
    agrees = (2.0 * first * second + tie**2) / np.maximum(first + second + tie, 1.0) ** 2
    return float(agrees[judge].mean())


def _earliest(key: Ints) -> Ints:
    """First place of each key, at its own index; K for a key that never comes. Keys come in twos: 2g and 2g + 1."""
    earliest = np.full(2 * (key.max(initial=0) // 2 + 1), len(key))
    np.minimum.at(earliest, key, np.arange(len(key)))
    return earliest


def _preceded(earlier: Ints) -> tuple[Ints, Ints]:
    """The rows k with earlier[k] < k, and their earlier[k]."""
    now = np.flatnonzero(earlier < np.arange(len(earlier)))
    return now, earlier[now]


def _twos_within(group: Ints) -> int:
    """Number of pairs of members that the groups have in all."""
    size = np.bincount(group)
    return int((size * (size - 1) // 2).sum())
