"""The weights of answers that come one after the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.inference.fitting.verdict_weights import Hyperparameters, weighed, weighed_further
from app.inference.types import Comparisons, take
from tests.inference.factories import numerics

N, JUDGES, ITEMS = 4, 3, 2
answers = st.tuples(
    st.integers(0, N - 1),
    st.integers(1, N - 1),
    st.sampled_from([0.0, 0.5, 1.0, 0.3]),
    st.integers(0, JUDGES - 1),
    st.sampled_from([1.0, 0.4]),
    st.integers(0, ITEMS - 1),
)
LEARNT = Hyperparameters(1.0, np.array([0.5, 2.0, 3.0]), np.array([0.7, 2.0, 0.2]), np.array([0.0, 0.4, 1.0]))


@numerics
@given(rows=st.lists(answers, min_size=1, max_size=14), more=st.integers(0, 10))
def test_weights_go_on_as_if_all_were_weighed(rows: list[tuple[int, int, float, int, float, int]], more: int) -> None:
    """Any log: repeats of a judge, in either order; ties of judges who measure, or begin to."""
    first, step, p, judge, weight, item = map(np.array, zip(*rows, strict=True))
    log = Comparisons(first, (first + step) % N, p.astype(np.float64), judge, weight.astype(np.float64))
    seen = slice(max(log.size - more, 0))
    known = weighed(take(log, seen), item[seen], N, LEARNT)

    further, all_of_them = weighed_further(known, log, item, N, LEARNT), weighed(log, item, N, LEARNT)

    for one, other in zip(further, all_of_them, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_repeats_nothing_leaves_the_rest_alone() -> None:
    """Weights that are known stay as they are, whatever they are: nothing is weighed twice."""
    log = Comparisons(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 0.3]), np.array([0, 1]), np.array([1.0, 1.0]))
    item, first = np.zeros(2, np.int64), slice(1)
    known = take(log, first)._replace(weight=np.array([123.0]))

    assert weighed_further(known, log, item, N, LEARNT).weight.tolist() == [123.0, 0.5]
