"""The weights of answers that come one after the other."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from app.inference.experts.measured_bt import LONGEST, is_vote
from app.inference.fitting.verdict_weights import Hyperparameters, weighed, weighed_further, with_measured_words
from app.inference.types import Comparisons, by_one_judge, take
from tests.inference.factories import numerics

N, JUDGES, ITEMS = 4, 3, 2
answers = st.tuples(
    st.integers(0, N - 1),
    st.integers(1, N - 1),
    st.sampled_from([0.0, 0.5, 1.0, 0.3, 0.02, 0.99]),
    st.integers(0, JUDGES - 1),
    st.sampled_from([1.0, 0.4]),
    st.integers(0, ITEMS - 1),
)
LEARNT = Hyperparameters(1.0, np.array([0.5, 2.0, 3.0]), np.array([0.7, 2.0, 0.2]), np.array([0.0, 0.4, 1.0]))


@numerics
@given(rows=st.lists(answers, min_size=1, max_size=14), more=st.integers(0, 10))
def test_weights_go_on_as_if_all_were_weighed(rows: list[tuple[int, int, float, int, float, int]], more: int) -> None:
    """Any log: repeats of a judge, in either order; words of judges who measure, or begin to, or no longer do."""
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


def read(*p: float) -> list[float]:
    """How the answers of one judge read."""
    zero, values = np.zeros(len(p), np.int64), np.array(p)
    return [*map(float, with_measured_words(by_one_judge(zero, zero + 1, values)).p)]


def test_ends_of_a_judge_who_measures_are_half_as_far_as_the_nearest_probability() -> None:
    assert read(0.3, 0.01, 0.97, 0.0, 1.0) == pytest.approx([0.3, 0.01, 0.97, 0.005, 0.995])
    assert read(0.25, 0.75, 1.0) == pytest.approx([0.25, 0.75, 0.875])
    assert read(0.4, 1e-300, 1.0)[2] == pytest.approx(expit(LONGEST), abs=1e-12)


def test_voters_with_a_few_probabilities_go_on_voting() -> None:
    assert read(0.7, 0.0, 1.0) == [0.7, 0.0, 1.0]
    assert read(0.7, 0.3, 0.0, 1.0, 0.5) == [0.7, 0.3, 0.0, 1.0, np.nextafter(0.5, 1.0)]
    assert read(0.0, 0.5, 1.0) == [0.0, 0.5, 1.0]


@given(
    answers=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.0, 0.5, 1.0, 0.1, 0.8, 1e-9])), max_size=12),
    order=st.randoms(),
)
def test_how_words_read_is_the_same_seen_from_the_other_side_and_in_any_order(
    answers: list[tuple[int, float]], order: random.Random
) -> None:
    """What measures is no word any more, reads twice as once, and asks nothing of the other judges."""
    order.shuffle(answers)
    judge, p = np.array([each[0] for each in answers], np.int64), np.array([each[1] for each in answers])
    zero = np.zeros(len(p), np.int64)
    log = Comparisons(zero, zero + 1, p, judge, np.ones(len(p)))
    measured, turned = with_measured_words(log), with_measured_words(log._replace(p=1.0 - p))
    np.testing.assert_allclose(measured.p, 1.0 - turned.p, atol=1e-15)
    np.testing.assert_array_equal(with_measured_words(measured).p, measured.p)
    for each in np.unique(judge):
        own = take(log, judge == each)
        np.testing.assert_array_equal(with_measured_words(own).p, measured.p[judge == each])
        if 2 * np.count_nonzero(~is_vote(own.p)) > np.count_nonzero(own.p != 0.5):
            assert not is_vote(with_measured_words(own).p).any()
