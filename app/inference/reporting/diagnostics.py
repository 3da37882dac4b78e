"""Figures of the log alone, before any fit: cycles, repeats and presentation order.

    direction    of a verdict: the sign of p - 1/2; within 1e-9 of zero it is a tie, here and for a mean of verdicts
    one pair     an item and an unordered pair of candidates; where orders differ, a verdict is turned to match
    pooled       the direction of the mean p of the lower-numbered candidate over several verdicts, by their weight
    agree        two verdicts with the same direction once turned to the same order; a tie agrees with a tie only

Means go by weight, counts count verdicts. A share of nothing is None.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, tril, triu

from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge
from app.inference.verdicts import components, directions, numbered, pair_numbers, pooled_directions, potentials

DRAWS = 59  # of random verdicts
SMALLEST = 1e-300
STEPS = 30  # towards a singular value, the same for given and random verdicts


class Triads(NamedTuple):
    triads: int  # triples of candidates whose three pairs all have a winner
    cyclic: int  # those in which each beats one of the others
    share: float | None


class Circulation(NamedTuple):
    size: float
    at_random: int  # of DRAWS logs of random verdicts, how many have at least as much


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
    worst: int  # largest difference between how often a candidate was shown first and second
    mixed: float | None  # share of what verdicts say of a position bias that no scores could say as well
    first_picked: float | None  # mean p, by weight


class LogDiagnostics(NamedTuple):
    components: int
    cycles: Triads
    repeats: Consistency
    order_balance: PositionBalance


def diagnose(comparisons: Comparisons, n: int, item: Ints) -> LogDiagnostics:
    """All of the below; `item` (K,) is what each comparison was about."""
    parts = int(components(comparisons, n).max(initial=-1)) + 1
    return LogDiagnostics(parts, cycles(comparisons, n), repeats(comparisons, n, item), order_balance(comparisons, n))


def repeats(comparisons: Comparisons, n: int, item: Ints) -> Consistency:
    """Each verdict beside the judge's earliest one on the pair in the same order, and in the other order."""
    key = 2 * numbered(comparisons.judge, item, pair_numbers(comparisons, n)) + (comparisons.first > comparisons.second)
    place, earliest = np.arange(len(key)), np.full(2 * (key.max(initial=0) // 2 + 1), len(key))  # by key
    np.minimum.at(earliest, key, place)
    now, later = np.flatnonzero(earliest[key] < place), np.flatnonzero(earliest[key ^ 1] < place)
    before, other = earliest[key[now]], earliest[key[later] ^ 1]
    shown = directions(comparisons.p - 0.5)
    turned = np.where(comparisons.first < comparisons.second, shown, -shown)
    return Consistency(
        _agreed(turned[now] == turned[before]),
        _agreed(turned[later] == turned[other]),
        _agreed((shown[later] > 0) & (shown[other] > 0)).share,
        _agreed((shown[later] < 0) & (shown[other] < 0)).share,
        _agreement_by_chance(comparisons.judge[later], shown[later], shown[other]),
    )


def _agreed(agrees: Bools) -> AgreedShare:
    return AgreedShare(len(agrees), float(agrees.mean()) if len(agrees) else None)


def _agreement_by_chance(judge: Ints, now: Floats, before: Floats) -> float | None:
    """Chance that (M,) pairs of directions as shown agree, by the habits of the judge of each.

    Who names the first position in a share f of these, the second in s, neither in t, agrees in 2 f s + t^2.
    """
    if not judge.size:
        return None
    first, second, tie = (np.bincount(judge, now == way) + np.bincount(judge, before == way) for way in (1, -1, 0))
    agrees = (2.0 * first * second + tie**2) / np.maximum(first + second + tie, 1.0) ** 2
    return float(agrees[judge].mean())


def order_balance(comparisons: Comparisons, n: int) -> PositionBalance:
    """`mixed` is 1 - R^2 of the least squares fit of scores to a bias of 1: about 1 - (N - 1) / K of drawn orders."""
    first, second, p, _, weight = comparisons
    lead = np.bincount(first, minlength=n) - np.bincount(second, minlength=n)
    worst = int(np.abs(lead).max(initial=0))
    if not comparisons.size:
        return PositionBalance(worst, None, None)
    merits = potentials(np.ones(comparisons.size), comparisons, n)
    explained = float(np.average(merits[first] - merits[second], weights=weight))
    return PositionBalance(worst, min(max(1.0 - explained, 0.0), 1.0), float(np.average(p, weights=weight)))


def cycles(comparisons: Comparisons, n: int) -> Triads:
    """Of the verdicts pooled over judges and items: i over j over k over i, which random ones have in a quarter."""
    winner, loser = _edges(comparisons, n)
    degree = np.bincount(np.append(winner, loser), minlength=n)
    place = np.argsort(np.argsort(degree, kind="stable"))  # at most sqrt(2 E) neighbours are above: this bounds work
    wins = csr_array((np.ones(len(winner), np.int64), (place[winner], place[loser])), shape=(n, n))
    up, down = triu(wins, format="csr"), tril(wins).T.tocsr()  # [i, j] with i < j: won by i, won by j
    triads = _closed(up + down, up + down)
    cyclic = _closed(up, down) + _closed(down, up)
    return Triads(triads, cyclic, cyclic / triads if triads else None)


def _closed(sides: csr_array, closing: csr_array) -> int:
    """Number of i < j < k that have i-j and j-k in `sides` and i-k in `closing`."""
    return int((sides @ sides).multiply(closing).sum())


def _edges(comparisons: Comparisons, n: int) -> tuple[Ints, Ints]:
    """(E,) winners and losers of the pairs that have a winner."""
    pair, group = np.unique(pair_numbers(comparisons, n), return_inverse=True)
    direction, (low, high) = pooled_directions(comparisons, group), np.divmod(pair, n)
    winner, loser = np.where(direction > 0, (low, high), (high, low))
    return winner[direction != 0], loser[direction != 0]


def circulation(comparisons: Comparisons, n: int, rng: np.random.Generator) -> Circulation:
    """Circulation of verdicts, in what no scores explain, beside random verdicts on the same pairs (decision 45).

    y is 1 for each pair that has a winner, as winner against loser, at random of either sign; least squares scores
    leave y - D s of it. In an (N, N) matrix R, R_ij = -R_ji, the largest singular value is how much of that is one
    circulation of all candidates, as when each beats the next half of a cycle.
    """
    winner, loser = _edges(comparisons, n)
    signs = np.where(rng.random((len(winner), 1 + DRAWS)) < 0.5, -1.0, 1.0)
    signs[:, 0] = 1.0
    s = potentials(signs, by_one_judge(winner, loser, np.ones(len(winner))), n)
    size, *of_random = _largest_singular_values(signs - (s[winner] - s[loser]), winner, loser, rng.standard_normal(n))
    return Circulation(float(size), int((np.array(of_random) >= size).sum()))


def _largest_singular_values(values: Floats, row: Ints, column: Ints, start: Floats) -> Floats:
    """(M,) of the skew-symmetric (N, N) matrices with these (E, M) values at row and column, by power iteration."""
    edges, n = np.arange(len(row)), len(start)
    at_row, at_column = (csr_array((np.ones(len(end)), (end, edges)), shape=(n, len(end))) for end in (row, column))
    x, size = np.tile(start[:, None], values.shape[1]), np.empty(values.shape[1])
    for _ in range(STEPS):
        x /= np.maximum(np.linalg.norm(x, axis=0), SMALLEST)
        x = np.asarray(at_row @ (values * x[column]) - at_column @ (values * x[row]))
        size = np.linalg.norm(x, axis=0)
    return np.asarray(size)


def is_decided(comparisons: Comparisons, best_first: Ints) -> bool:
    """Whether all verdicts agree with this order (N,), and each candidate was compared with the next one."""
    place = np.argsort(best_first)
    lead = place[comparisons.second] - place[comparisons.first]
    agrees = np.sign(comparisons.p - 0.5) == np.sign(lead)
    neighbours = np.unique(np.minimum(place[comparisons.first], place[comparisons.second])[np.abs(lead) == 1])
    return bool(agrees.all() and len(neighbours) == len(best_first) - 1)
