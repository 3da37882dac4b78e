"""Pairs out of order, counted by merging and one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.inference.kernels.inversions import inversions
from tests.inference.factories import numerics


@numerics  # the first call compiles
@given(st.lists(st.integers(0, 9), max_size=40))
def test_merging_counts_every_pair_that_is_out_of_order(values: list[int]) -> None:
    sequence = np.array(values, np.int64)
    assert inversions(sequence) == np.triu(sequence[:, None] > sequence, 1).sum()
