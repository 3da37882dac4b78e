"""Goals: what a set wants to know, as the pairs of candidates whose order matters (methods 12b).

ranking        all pairs; so it is too where the goal leaves none, as among the top k of k candidates
top_k          pairs across the boundary of the present top k
against c      c with each of the others: who is better than c
pair (a, b)    that pair: which of the two is better
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.inference.types import Bools, Floats


class Goal(NamedTuple):
    """One of these, or none for the ranking; candidates by number."""

    top_k: int | None = None
    against: int | None = None
    pair: tuple[int, int] | None = None


RANKING = Goal()


def goal_pairs(goal: Goal, mean: Floats) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs that matter. Shared: not to be written to.

    Args: `mean` (N,) of the scores says who is in the top k at present.
    """
    n = len(mean)
    if goal == RANKING:
        return upper_triangle(n)
    matters = np.zeros((n, n), np.bool_)
    if goal.top_k is not None:
        order = np.argsort(-mean, kind="stable")
        matters[np.ix_(order[: goal.top_k], order[goal.top_k :])] = True
    elif goal.against is not None:
        matters[goal.against] = True
    elif goal.pair is not None:
        matters[goal.pair] = True
    matters = np.triu(matters | matters.T, 1)
    return matters if matters.any() else upper_triangle(n)


def favoured(open_pairs: Bools, matters: Bools) -> Bools:
    """(N, N) the open pairs that matter; if there is none, those with a candidate that does, and then all."""
    touched = np.logical_or(matters.any(axis=0), matters.any(axis=1))
    for pairs in (open_pairs & matters, open_pairs & np.logical_or.outer(touched, touched)):
        if pairs.any():
            return pairs
    return open_pairs.copy()


@lru_cache(maxsize=8)
def upper_triangle(n: int) -> Bools:
    """(N, N), True where i < j. Shared: not to be written to."""
    return np.triu(np.ones((n, n), np.bool_), 1)
