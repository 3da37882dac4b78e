"""Cycles among the pooled verdicts of a log, i over j over k over i, and whether random verdicts would have as many."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge
from app.inference.verdicts import pair_numbers, pooled_directions, potentials

DRAWS = 59
SMALLEST = 1e-300
STEPS = 30  # towards a singular value, the same for given and random verdicts


class Triads(NamedTuple):
    triads: int  # triples of candidates whose three pairs all have a winner
    cyclic: int  # those in which each beats one of the others
    share: float | None


class Circulation(NamedTuple):
    size: float
    at_random: int  # of DRAWS logs of random verdicts, how many have at least as much


def cycles(comparisons: Comparisons, n: int) -> Triads:
    """Contradictions of the pooled verdicts, over all judges and items: i over j over k over i.

    Verdicts of one total order have no cycle. Random verdicts make a quarter of the triads cyclic on average: two of
    the eight ways to decide three pairs.
    """
    up, down = _ascending(*_edges(comparisons, n), n)
    triads = _closed(up + down, up + down)
    cyclic = _closed(up, down) + _closed(down, up)
    return Triads(triads, cyclic, cyclic / triads if triads else None)


def is_decided(comparisons: Comparisons, best_first: Ints) -> bool:
    """Whether all verdicts agree with this order (N,), and each candidate was compared with the next one."""
    place = np.argsort(best_first)
    lead = place[comparisons.second] - place[comparisons.first]
    agrees = np.sign(comparisons.p - 0.5) == np.sign(lead)
    neighbours = np.unique(np.minimum(place[comparisons.first], place[comparisons.second])[np.abs(lead) == 1])
    return bool(agrees.all() and len(neighbours) == len(best_first) - 1)


def circulation(comparisons: Comparisons, n: int, rng: np.random.Generator) -> Circulation:
    """Circulation of verdicts, in what no scores explain, compared with random verdicts on the same pairs.

    y is 1 for each pair that has a winner, as winner against loser; least squares scores leave y - D s of it, which in
    an (N, N) matrix R, R_ij = -R_ji, is circulation alone. The largest singular value of R is how much of that is one
    circulation of all candidates, as when each beats the next half of a cycle. At random the signs of y are drawn.
    """
    winner, loser = _edges(comparisons, n)
    signs = np.where(rng.random((len(winner), 1 + DRAWS)) < 0.5, -1.0, 1.0)
    signs[:, 0] = 1.0
    s = potentials(signs, by_one_judge(winner, loser, np.ones(len(winner))), n)
    size, *of_random = _largest_singular_values(signs - (s[winner] - s[loser]), winner, loser, rng.standard_normal(n))
    return Circulation(float(size), int((np.array(of_random) >= size).sum()))


def _edges(comparisons: Comparisons, n: int) -> tuple[Ints, Ints]:
    """(E,) winners and (E,) losers of the pairs that have a winner."""
    pair, group = np.unique(pair_numbers(comparisons, n), return_inverse=True)
    direction, (low, high) = pooled_directions(comparisons, group), np.divmod(pair, n)
    winner, loser = np.where(direction > 0, (low, high), (high, low))
    return winner[direction != 0], loser[direction != 0]


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


def _ascending(winner: Ints, loser: Ints, n: int) -> tuple[csr_array, csr_array]:
    """Edges from fewer to more neighbours won by their lower end, and those won by their upper end, (N, N) each.

    In that order a candidate has at most sqrt(2 E) neighbours above it, which bounds the work of `_closed`.
    """
    degree = np.bincount(winner, minlength=n) + np.bincount(loser, minlength=n)
    place = np.empty(n, np.int64)
    place[np.argsort(degree, kind="stable")] = np.arange(n)
    wins, loses = place[winner], place[loser]
    return _links(wins, loses, wins < loses, n), _links(loses, wins, wins > loses, n)


def _links(row: Ints, column: Ints, chosen: Bools, n: int) -> csr_array:
    ones = np.ones(int(chosen.sum()), np.int64)
    return csr_array(coo_array((ones, (row[chosen], column[chosen])), shape=(n, n)))


def _closed(sides: csr_array, closing: csr_array) -> int:
    """Number of i < j < k that have i-j and j-k in `sides` and i-k in `closing`."""
    return int((sides @ sides).multiply(closing).sum())
