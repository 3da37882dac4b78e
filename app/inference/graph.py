"""The graph whose edges are the comparisons."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from app.inference.types import Comparisons, Ints


def components(comparisons: Comparisons, n: int) -> Ints:
    """(N,) component number of each candidate, 0 for the component of candidate 0, and so on upwards."""
    edges = coo_array((np.ones(comparisons.size), (comparisons.first, comparisons.second)), shape=(n, n))
    return np.asarray(connected_components(edges, directed=False)[1], dtype=np.int64)


def appearances(comparisons: Comparisons, n: int) -> Ints:
    """(N,) how many comparisons each candidate is part of."""
    return np.bincount(comparisons.first, minlength=n) + np.bincount(comparisons.second, minlength=n)
