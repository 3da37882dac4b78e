"""How far judges agree on pairs of outputs that several of them judged: Cohen's kappa, and Krippendorff's alpha.

A vote on a pair names the one output, the other, or neither: three classes without an order. Which output is the one
depends on who joined first, so that each pair is counted both ways round: the two named classes are equally frequent.
With t_i the share of ties of judge i, a the share of the pairs on which i and j agree, of those that both judged

    Cohen           kappa = (a - e) / (1 - e),    e = t_i t_j + (1 - t_i) (1 - t_j) / 2

and with m_u votes on pair u, n_uc of them for class c, where m_u > 1; n votes in all, T of them ties (nominal data,
Krippendorff 2011)

    Krippendorff    alpha = 1 - D_o / D_e,        D_o = sum_u s_u / n,    s_u = (m_u^2 - sum_c n_uc^2) / (m_u - 1)
                                                  D_e = (4 n^2 - 2 (n - T)^2 - 4 T^2) / (2 n (2 n - 1))

Pairs of outputs are what is drawn: D_o / D_e varies as the sum over pairs of its derivative by each one,

    d_u = ((s_u - D_o m_u) / D_e - (1 - alpha) (1 - 3 T / n) (T_u - m_u T / n) / D_e) / n

and D_o is as sure as a share of so many pairs that has the same variance. The interval of alpha is Wilson's (1927) for
that share: it does not close where all agree.
"""

from typing import NamedTuple

import numpy as np

from app.inference.types import Floats, Ints
from app.inference.wilson import wilson

LEVEL = 0.95


class Agreements(NamedTuple):
    """Every two of J judges, over the pairs of outputs that both judged."""

    pairs: Ints  # (J, J) pairs of outputs
    agreeing: Ints  # (J, J) those of which they name the same winner; a tie agrees with a tie
    kappa: Floats  # (J, J) NaN where no pair is, or all are ties


class Alpha(NamedTuple):
    """The agreement of all judges, beyond what chance gives: 1 is always, 0 is like coins."""

    value: float
    interval: tuple[float, float]  # that holds it with LEVEL
    pairs: int  # of outputs, that several judged


def agreements(direction: Floats) -> Agreements:
    """Agreement of every two judges, from the (M, J) directions of their votes; NaN where there is none.

    kappa is conceptually that of the directions stacked on their negatives.
    """
    voted = (~np.isnan(direction)).astype(np.int64)
    named = [(direction == way).astype(np.int64) for way in (-1.0, 0.0, 1.0)]
    pairs, agreeing = voted.T @ voted, np.sum([way.T @ way for way in named], axis=0)
    ties = _share(named[1].T @ voted, pairs)  # of the row's judge
    chance = ties * ties.T + (1.0 - ties) * (1.0 - ties.T) / 2.0
    return Agreements(pairs, agreeing, _share(_share(agreeing, pairs) - chance, 1.0 - chance))


def krippendorff(direction: Floats) -> Alpha | None:
    """Krippendorff's alpha, from the (M, J) directions of the votes; None where no two judges met, or all are ties.

    Conceptually: alpha of the directions stacked on their negatives, by the matrix of coincidences.
    """
    counts = np.column_stack([(direction == way).sum(axis=1) for way in (-1.0, 0.0, 1.0)])
    counts = counts[counts.sum(axis=1) > 1]
    votes, ties = counts.sum(axis=1), counts[:, 1]
    n, t = int(votes.sum()), int(ties.sum())
    if t == n:
        return None
    differing = (votes**2 - (counts**2).sum(axis=1)) / (votes - 1)
    observed = float(differing.sum()) / n
    expected = (4.0 * n**2 - 2.0 * (n - t) ** 2 - 4.0 * t**2) / (2.0 * n * (2.0 * n - 1.0))
    by_ties = observed / expected * (1.0 - 3.0 * t / n) * (ties - votes * t / n)
    low, high = _interval(observed, (differing - observed * votes - by_ties) / n)
    return Alpha(1.0 - observed / expected, (1.0 - high / expected, 1.0 - low / expected), len(counts))


def _interval(share: float, moved_by: Floats) -> tuple[float, float]:
    """Interval of a share that each of U parts moves by so much; where none does, as of U draws."""
    size = len(moved_by)
    variance = float(moved_by @ moved_by) * size / max(size - 1, 1)
    draws = share * (1.0 - share) / variance if variance > 0.0 and 0.0 < share < 1.0 else float(size)
    return wilson(share, draws, LEVEL)


def _share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)
