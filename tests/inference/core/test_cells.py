"""Cells say what the rows say, however they come in."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from app.inference.core.cells import Cells, Hyperparameters, with_measured_words
from app.inference.core.edges import Edges
from app.inference.experts import LONGEST, MEASURED_BT, is_vote
from app.inference.fitting.model import Method, Model, build, cells_of, edges_of
from app.inference.fitting.weights import weighed
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, take
from tests.inference.factories import numerics

N, JUDGES, ITEMS = 4, 3, 2
LEARNT = Hyperparameters(1.0, np.array([0.5, 2.0, 3.0]), np.array([0.7, 2.0, 0.2]), np.array([0.0, 0.4, 1.0]))
answers = st.tuples(
    st.integers(0, N - 1),
    st.integers(1, N - 1),
    st.sampled_from([0.0, 0.5, 1.0, 0.3, 0.02, 0.99]),
    st.integers(0, JUDGES - 1),
    st.sampled_from([1.0, 0.4]),
    st.integers(0, ITEMS - 1),
)
Rows = list[tuple[int, int, float, int, float, int]]
models = st.sampled_from(
    [build(Method(verdict_weight="learnt", position_bias=bias), N, JUDGES) for bias in ("none", "estimate")]
)


def log_of(rows: Rows) -> tuple[Comparisons, Ints]:
    first, step, p, judge, weight, item = map(np.array, zip(*rows, strict=True))
    log = Comparisons(first, (first + step) % N, p.astype(np.float64), judge, weight.astype(np.float64))
    return log, item.astype(np.int64)


def table(edges: Edges) -> Floats:
    """What is said on each row, (N, N, J or 1, 4), whatever the order of edges."""
    design, *sums = edges
    at, by = np.zeros((N, N, JUDGES, 4)), design.bias - N if len(design.bias) else np.zeros(edges.size, np.int64)
    np.add.at(at, (design.first, design.second, by), np.transpose(sums))
    return at


@numerics
@given(rows=st.lists(answers, min_size=1, max_size=14), m=models)
def test_edges_are_those_of_the_rows_that_are_weighed(rows: Rows, m: Model) -> None:
    """Any log: repeats of a judge, in either order; words of judges who measure, or do not."""
    log, item = log_of(rows)

    by_cells = cells_of(log, item, m, JUDGES).read(LEARNT).edges(m.size)

    np.testing.assert_allclose(table(by_cells), table(edges_of(weighed(log, item, LEARNT), m)), atol=1e-12)


@numerics
@given(rows=st.lists(answers, min_size=1, max_size=14), more=st.integers(0, 10), m=models)
def test_one_after_the_other_is_all_at_once(rows: Rows, more: int, m: Model) -> None:
    """Words of judges who begin to measure, or no longer do; edges that were there stay where they were."""
    log, item = log_of(rows)
    seen, further = slice(max(log.size - more, 0)), slice(max(log.size - more, 0), None)
    cells = cells_of(take(log, seen), item[seen], m, JUDGES).read(LEARNT)
    before = cells.edges(m.size)
    kept = [each.copy() for each in before[1:]]

    assert cells.after(len(item[seen]), take(log, further), item[further])

    after = cells.edges(m.size)
    at_once = cells_of(log, item, m, JUDGES).read(LEARNT)
    np.testing.assert_allclose(table(after), table(at_once.edges(m.size)), atol=1e-12)
    np.testing.assert_array_equal(after.design.first[: before.size], before.design.first)
    np.testing.assert_array_equal(after.design.second[: before.size], before.design.second)
    assert all(ends.flags.carray for ends in after.design[2:4])
    for now, then in zip(before[1:], kept, strict=True):
        np.testing.assert_array_equal(now, then)
    np.testing.assert_array_equal(cells.words.decided, at_once.words.decided)


def test_who_comes_late_is_told_so() -> None:
    log, item = log_of([(0, 1, 1.0, 0, 1.0, 0), (1, 1, 0.0, 0, 1.0, 0)])
    m = build(Method(), N)
    cells = cells_of(take(log, slice(1)), item[:1], m, 1)

    assert cells.after(1, take(log, slice(1, None)), item[1:])
    assert not cells.after(1, take(log, slice(1, None)), item[1:])
    assert cells.rows == 2


def test_probabilities_are_shares_of_votes_where_nothing_measures() -> None:
    log, m = by_one_judge(np.array([0, 1]), np.array([1, 0]), np.array([0.7, 0.4])), build(Method(), N)

    edges = cells_of(log, np.zeros(2, np.int64), m, 1).edges(m.size)

    assert edges.votes.tolist() == [2.0]
    assert edges.wins == pytest.approx([1.3])
    assert not edges.weight.any()


def test_a_verdict_costs_the_same_after_many() -> None:
    """No array of cells is as long as the log once every question was asked."""
    rng = np.random.default_rng(0)
    first = rng.integers(N, size=10_000)
    log = by_one_judge(first, (first + 1) % N, np.ones(10_000))

    cells = Cells(log, np.zeros(10_000, np.int64), N, 1, MEASURED_BT, has_orders=False)

    assert cells.size == cells.edges_size == N
    assert cells.weight.sum() == 10_000


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
