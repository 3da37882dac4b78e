"""Which pairs join candidates that no chain of comparisons connects yet (decision 47).

It is for the ranking of more than knowledge.EXACT candidates. Between two components of the graph of comparisons the
prior alone says who is ahead, so that no criterion has anything to go by. Until all are connected pairs are drawn:

    two candidates that were never compared, while any such pair is open
    else a candidate of the largest component and one that is outside it

Candidates with an absolute score are connected by it: it says who is ahead.
"""

import numpy as np

from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.knowledge import EXACT
from app.inference.fitting.model import Model
from app.inference.graph import components
from app.inference.types import Bools, Comparisons, Ints, by_one_judge, join


def connected(comparisons: Comparisons, first: Ints, second: Ints, model: Model, goal: Goal) -> Ints:
    """(N,) the component of each, once these (L,) pairs are answered too; one of all where nothing is to be joined."""
    if goal != RANKING or model.n <= EXACT:
        return np.zeros(model.n, np.int64)
    scored = np.flatnonzero(model.prior.absolute[: model.n])
    first, second = np.concatenate([first, scored[:-1]]), np.concatenate([second, scored[1:]])
    return components(join(comparisons, by_one_judge(first, second, np.full(len(first), np.nan))), model.n)


def joining(component: Ints, open_pairs: Bools) -> Bools:
    """(N, N), True at the open pairs to draw from; nowhere if all is connected, or no open pair is such."""
    sizes = np.bincount(component)[component]
    if sizes[0] == len(component):
        return np.zeros_like(open_pairs)
    alone, largest = sizes == 1, component == component[np.argmax(sizes)]
    never_compared: Bools = open_pairs & alone & alone[:, None]
    across: Bools = open_pairs & (largest ^ largest[:, None])
    return never_compared if never_compared.any() else across
