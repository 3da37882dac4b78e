"""The graph whose edges are the comparisons."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from app.inference.types import Comparisons, Floats, Ints
from app.inference.verdicts import firsts


def components(comparisons: Comparisons, n: int) -> Ints:
    """(N,) component number of each candidate, 0 for the component of candidate 0, and so on upwards."""
    edges = coo_array((np.ones(comparisons.size), (comparisons.first, comparisons.second)), shape=(n, n))
    return np.asarray(connected_components(edges, directed=False)[1], dtype=np.int64)


def joined(component: Ints, first: Ints, second: Ints) -> Ints:
    """(N,) components, numbered likewise, once (K,) pairs join some.

    Args: `component` (N,) is that before, np.arange(N) of candidates that nothing joins.
    """
    n = len(component)
    if not component.any() or not len(first):
        return component
    ends = np.append(np.arange(n), first), np.append(firsts(component)[component], second)
    return np.asarray(connected_components(coo_array((np.ones(len(ends[0])), ends), shape=(n, n)), False)[1], np.int64)


def potentials(values: Floats, comparisons: Comparisons, n: int) -> Floats:
    """Scores whose differences are the least squares fit to the values, with mean 0 in every component.

    Conceptually: np.linalg.pinv(W) @ values, W having +1 at first and -1 at second; weight c is c rows.

    Args: values (K,) give (N,) scores; (K, M) of them give (N, M).
    """
    first, second, weight = comparisons.first, comparisons.second, comparisons.weight
    both = np.concatenate([first * n + second, second * n + first])
    precision = np.bincount(both, np.tile(-weight, 2), n * n).reshape(n, n)
    precision[np.diag_indices(n)] -= precision.sum(axis=1)
    part = components(comparisons, n)
    precision += part[:, None] == part  # a mean of 0 costs no component anything
    rows = np.arange(comparisons.size)
    gains, losses = (csr_array((weight, (end, rows)), shape=(n, comparisons.size)) for end in (first, second))
    return cho_solve(cho_factor(precision.T, overwrite_a=True), np.asarray((gains - losses) @ values))
