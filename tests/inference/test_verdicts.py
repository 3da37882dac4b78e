import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from app.inference.types import take
from app.inference.verdicts import components, joined, wilson
from tests.inference.factories import Log, logs, numerics


@numerics
@given(logs())
def test_components_are_what_following_every_edge_finds(log: Log) -> None:
    """They are numbered in order of their first candidate."""
    reach = np.eye(log.n)
    reach[log.comparisons.first, log.comparisons.second] = 1.0
    reach[log.comparisons.second, log.comparisons.first] = 1.0
    linked = np.linalg.matrix_power(reach, log.n) > 0.0

    label = components(log.comparisons, log.n)
    np.testing.assert_array_equal(label[:, None] == label, linked)
    first_seen = list(dict.fromkeys(label.tolist()))
    assert first_seen == list(range(len(first_seen)))


@numerics
@given(logs(max_n=9), st.floats(0.0, 1.0))
def test_joined_candidates_are_the_components_of_the_graph(log: Log, share: float) -> None:
    first, second, *_ = log.comparisons
    seen = int(share * len(first))

    before = joined(np.arange(log.n), first[:seen], second[:seen])
    after = joined(before, first[seen:], second[seen:])

    np.testing.assert_array_equal(before, components(take(log.comparisons, slice(seen)), log.n))
    np.testing.assert_array_equal(after, components(log.comparisons, log.n))


@pytest.mark.parametrize(("right", "of", "level"), [(0, 7, 0.95), (7, 7, 0.9), (3, 11, 0.95), (400, 1000, 0.5)])
def test_wilsons_is_the_interval_of_as_many_draws(right: int, of: int, level: float) -> None:
    """SciPy's."""
    interval = binomtest(right, of).proportion_ci(level, "wilson")
    assert wilson(right / of, of, level) == pytest.approx((interval.low, interval.high))
