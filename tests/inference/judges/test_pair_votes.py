"""What each judge says of each pair of outputs."""

import numpy as np

from app.inference.judges.pair_votes import votes_by_pair
from app.inference.types import once_each


def test_both_orders_of_a_pair_are_one_cell_and_repeats_are_averaged() -> None:
    log = once_each(
        np.array([2, 0, 1, 0]), np.array([0, 2, 0, 2]), np.array([0.2, 0.6, 1.0, 0.9]), np.array([0, 0, 1, 1])
    )
    found = votes_by_pair(log, np.array([5, 5, 3, 5]), 3)
    assert (found.item.tolist(), found.low.tolist(), found.high.tolist()) == ([3, 5], [0, 0], [1, 2])
    np.testing.assert_allclose(found.p, [[np.nan, 0.0, np.nan], [0.7, 0.9, np.nan]])


def test_no_comparisons_are_no_cells() -> None:
    nothing = np.empty(0, np.int64)
    found = votes_by_pair(once_each(nothing, nothing, np.empty(0), nothing), nothing, 0)
    assert found.size == 0
    assert found.p.shape == (0, 0)
