"""Goals: what a set wants to know, as the pairs of candidates whose order matters (methods 12b).

ranking        all pairs; so it is too where the goal leaves none, as among the top k of k candidates
top_k          pairs across the boundary of the present top k
against c      c with each of the others: who is better than c
pair (a, b)    that pair: which of the two is better
"""

from typing import NamedTuple

import numpy as np

from app.inference.pair_sets import Kinds, PairSet, among, matching, of_one_kind, size, upper_triangle
from app.inference.targets.drawing import best_first
from app.inference.types import Bools, Floats


class Goal(NamedTuple):
    """One of these, or none for the ranking; candidates by number."""

    top_k: int | None = None
    against: int | None = None
    pair: tuple[int, int] | None = None


RANKING = Goal()


def goal_kinds(goal: Goal, mean: Floats) -> Kinds:
    """The pairs that matter, by who is in question and who is not.

    Args: `mean` (N,) of the scores says who is in the top k at present.
    """
    n = len(mean)
    if goal == RANKING:
        return of_one_kind(n)
    kind = np.zeros(n, np.int64)
    if goal.top_k is not None:
        kind[best_first(mean)[: goal.top_k]] = 1
    elif goal.against is not None:
        kind[goal.against] = 1
    elif goal.pair is not None:
        kind[list(goal.pair)] = 1
        return Kinds(kind, np.array([[False, False], [False, True]]))
    return Kinds(kind, np.array([[False, True], [True, False]])) if 0 < kind.sum() < n else of_one_kind(n)


def goal_pairs(goal: Goal, mean: Floats) -> Bools:
    """(N, N), True at [i, j], i < j, for the pairs that matter. Shared: not to be written to."""
    if goal == RANKING:
        return upper_triangle(len(mean))
    return matching(goal_kinds(goal, mean))


def favoured(open_pairs: PairSet, matters: Kinds) -> PairSet:
    """The open pairs that matter; if there is none, those with a candidate that does, and then all."""
    kind, meets = matters
    touched = meets.any(axis=1)
    for kinds in (matters, Kinds(kind, np.logical_or.outer(touched, touched))):
        pairs = among(open_pairs, kinds)
        if size(pairs):
            return pairs
    return open_pairs
