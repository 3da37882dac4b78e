"""Goals: what a set wants to know, as the pairs of candidates whose order matters (methods 12b).

ranking        all pairs; so it is too where the goal leaves none, as among the top k of k candidates
top_k          pairs across the boundary of the present top k
against c      c with each of the others: who is better than c
pair (a, b)    that pair: which of the two is better
"""

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
    """(N, N), True at [i, j], i < j, for the pairs that matter; `mean` (N,) says who is in the top k."""
    n = len(mean)
    matters = np.zeros((n, n), np.bool_)
    if goal.top_k is not None:
        order = np.argsort(-mean, kind="stable")
        matters[np.ix_(order[: goal.top_k], order[goal.top_k :])] = True
    elif goal.against is not None:
        matters[goal.against] = True
    elif goal.pair is not None:
        matters[goal.pair] = True
    matters = np.triu(matters | matters.T, 1)
    return matters if matters.any() else np.triu(np.ones((n, n), np.bool_), 1)
