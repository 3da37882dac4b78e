"""The fit of many candidates, by kernels, against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.experts import measured_bt
from app.inference.fitting import newton
from app.inference.fitting.model import Model, hessian
from app.inference.fitting.newton import Fit
from app.inference.graphs import comparison_graph
from app.inference.graphs.comparison_graph import (
    FARTHEST,
    Graph,
    Precision,
    evaluate,
    extended,
    graph_of,
    unevaluated,
    weights_of,
)
from app.inference.graphs.conjugate_gradients import ENOUGH, newton_step
from app.inference.kernels.bradley_terry import maximiser
from app.inference.regimes import FACTORED
from app.inference.types import Comparisons, Floats, no_comparisons, take
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    gradient,
    joined,
    logs,
    model,
    numerics,
    random_comparisons,
    true_scores,
)

MANY = FACTORED + 10
AIM = 1e-10


def weighted(log: Comparisons, seed: int = 0) -> Comparisons:
    return log._replace(weight=np.random.default_rng([log.size, seed]).uniform(0.2, 3.0, log.size))


def pulled(m: Model) -> Model:
    """The model with another precision and pull for each parameter, as absolute scores make them."""
    rng = np.random.default_rng(m.size)
    precision, pull = m.prior.precision + rng.random(m.size), rng.standard_normal(m.size)
    return m._replace(prior=m.prior._replace(precision=precision, pull=pull))


def graph(log: Comparisons, m: Model) -> Graph:
    y, prior = measurement_of(log, m), m.prior
    return graph_of(log.first, log.second, log.p, y, log.weight, prior.precision, prior.pull)


def measurement_of(log: Comparisons, m: Model) -> Floats:
    return np.empty(0) if m.expert.measurement is None else m.expert.measurement(log.p)


def by_numpy(log: Comparisons, m: Model) -> Fit:
    objective = newton.Objective(log, m, newton.tolerance(m))
    maximise = maximiser(newton.evaluate, newton.newton_step)
    mean, g, w, iterations = maximise(objective, np.zeros(m.size), objective.tolerance)
    return Fit(mean, newton.ended(float(np.abs(g).max()), iterations, objective.tolerance), w)


def matrix_of(precision: Precision) -> Floats:
    """H (N, N)."""
    n = len(precision.precision)
    rows = np.repeat(np.arange(n), np.diff(precision.start))
    sums = np.bincount(rows * n + precision.rival, precision.weight, n**2).reshape(n, n)
    return np.asarray(np.diag(sums.sum(axis=1) + precision.precision) - sums)


def assert_fits(one: Fit, log: Comparisons, m: Model) -> None:
    """The mean, the weights there and H are those of numpy."""
    slow = by_numpy(log, m)
    assert one.convergence.converged
    assert slow.convergence.converged
    np.testing.assert_allclose(one.mean, slow.mean, rtol=0.0, atol=1e-8)
    weights = newton.weights_of(slow, log, m)
    np.testing.assert_allclose(newton.weights_of(one, log, m), weights, rtol=0.0, atol=1e-8)
    assert (one.graph is None) == m.allows_for_biases
    if one.graph is not None:
        h, in_rows = hessian(weights, log, m), unevaluated(one.graph)
        evaluate(one.mean, one.graph, in_rows)
        np.testing.assert_allclose(matrix_of(in_rows), h, rtol=0.0, atol=1e-8 * log.size)
        np.testing.assert_allclose(in_rows.diagonal, np.diag(h), rtol=0.0, atol=1e-8 * log.size)
        is_in_order = one.graph.middle.tolist() == one.graph.start[1:].tolist()
        assert (one.precision is not None) == is_in_order
    if one.precision is not None:
        np.testing.assert_allclose(one.precision.weight, in_rows.weight, rtol=1e-12)


@numerics
@given(
    log=logs(max_n=12, max_count=40), seed=st.integers(0, 99), far=st.sampled_from([1.0, 20.0]), measures=st.booleans()
)
def test_gradient_weights_and_step_are_those_of_numpy(log: Log, seed: int, far: float, measures: bool) -> None:
    """Any log: no comparison, ties, islands, pairs again and again, certain verdicts, measurements between votes."""
    votes, m, s = weighted(log.comparisons), pulled(model(log.n)), far * true_scores(log.n, seed)
    m = m._replace(expert=measured_bt.make()) if measures else m
    of = graph(votes, m)
    at = unevaluated(of)

    g = evaluate(s, of, at)

    np.testing.assert_allclose(g, gradient(s, votes, m), atol=1e-11)
    each = newton.weights(s, votes, m)
    fast = weights_of(s, votes.first, votes.second, votes.p, votes.weight, measures)
    np.testing.assert_allclose(fast, each, rtol=1e-12, atol=1e-30)
    h = hessian(each, votes, m)
    np.testing.assert_allclose(matrix_of(at), h, atol=1e-12)
    np.testing.assert_allclose(at.diagonal, np.diag(h), atol=1e-12)
    small = 1e-6 * g / np.abs(g).max(initial=1.0)  # to be followed down to AIM
    np.testing.assert_allclose(h @ newton_step(at, small, AIM), small, atol=ENOUGH * AIM)


def test_the_rows_hold_each_vote_twice() -> None:
    log = random_comparisons(9, 30, seed=0)

    of = graph(log, model(9))

    np.testing.assert_array_equal(np.diff(of.start), np.bincount(np.concatenate([log.first, log.second]), minlength=9))
    for a in range(9):
        rivals = np.concatenate([log.second[log.first == a], log.first[log.second == a]])
        np.testing.assert_array_equal(np.sort(of.rival[of.start[a] : of.start[a + 1]]), np.sort(rivals))


@numerics
@given(log=logs(max_n=12, max_count=40), share=st.floats(0.0, 1.0), measures=st.booleans())
def test_more_comparisons_are_the_rows_of_all(log: Log, share: float, measures: bool) -> None:
    votes, m = weighted(log.comparisons), pulled(model(log.n))
    m = m._replace(expert=measured_bt.make()) if measures else m
    old, new = take(votes, slice(seen := int(share * votes.size))), take(votes, slice(seen, None))
    before = graph(old, m)
    kept = [column.copy() for column in (before.start, before.rival, before.weight, before.pull)]

    together = extended(before, new.first, new.second, new.p, measurement_of(new, m), new.weight)
    again = graph(votes, m)

    for one, other in zip(together[:5], again[:5], strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(together.pull, again.pull, atol=1e-14)
    np.testing.assert_allclose(together.answers, again.answers, rtol=1e-14)
    for column, copy in zip((before.start, before.rival, before.weight, before.pull), kept, strict=True):
        np.testing.assert_array_equal(column, copy)


def test_the_precision_has_the_rows_of_the_graph() -> None:
    m = model(9)
    of, other = (graph(random_comparisons(9, count, seed=0), m) for count in (30, 20))
    with pytest.raises(ValueError, match="rows"):
        evaluate(np.zeros(9), of, unevaluated(other))


def test_a_candidate_who_does_not_exist_is_no_row() -> None:
    votes, m = random_comparisons(9, 30, seed=0), model(9)
    one = np.array([1.0])

    with pytest.raises(IndexError):
        extended(graph(votes, m), np.array([9]), np.array([0]), one, np.empty(0), one)


@numerics
@given(log=logs(max_n=MANY, max_count=60))
def test_the_fit_of_any_log_is_the_slow_one(log: Log) -> None:
    votes, m = weighted(log.comparisons), pulled(model(MANY))

    assert_fits(newton.fit(votes, m), votes, m)


@pytest.mark.parametrize("expert", ["soft-bt", "hard-bt"])
@pytest.mark.parametrize("measures", [False, True])
@pytest.mark.parametrize("biases", ["none", "known", "estimated"])
@pytest.mark.parametrize("hard", [False, True])
def test_the_fit_of_any_model_is_the_slow_one(expert: str, measures: bool, biases: str, hard: bool) -> None:
    log = weighted(by_judges(random_comparisons(MANY, 5 * MANY, seed=1, hard=hard), 3))
    m = pulled(model(MANY, 2.0, expert, biases=3 if biases == "estimated" else 0))
    m = m._replace(known_biases=np.array([0.5, -1.0, 0.0]) if biases == "known" else None)
    m = m._replace(expert=measured_bt.make()) if measures else m

    assert_fits(newton.fit(log, m), log, m)


def test_one_score_that_is_off_among_very_many_is_mended_in_a_step() -> None:
    """The gradient is above the tolerance at few candidates, and far below it on average."""
    n = 2000
    log, m = random_comparisons(n, 10 * n, seed=0), model(n)
    start = newton.fit(log, m).mean + 1e-10 * np.eye(n)[0]
    assert np.abs(gradient(start, log, m)).max() > newton.tolerance(m)

    assert newton.fit(log, m, start=start).convergence.iterations <= 2


def test_without_a_comparison_the_fit_is_the_prior() -> None:
    m = pulled(model(MANY))

    fit = newton.fit(no_comparisons(), m)

    np.testing.assert_allclose(fit.mean, m.prior.pull / m.prior.precision, atol=1e-9)
    assert newton.weights(fit.mean, no_comparisons(), m).shape == (0,)


@pytest.mark.parametrize("prior", ["unit", "anchor"])
def test_a_start_may_be_anywhere(prior: str) -> None:
    ring = comparisons(*[(i, (i + 1) % MANY, 0.5 + 0.3 * np.sin(i)) for i in range(MANY)])
    log, m = joined(ring, random_comparisons(MANY, 300, seed=0, hard=True)), model(MANY, prior=prior)
    near = newton.fit(log, m).mean
    for far in (FARTHEST / 10.0, 3.0 * FARTHEST):
        start = far * np.sign(true_scores(MANY, 1))
        fit = newton.fit(log, m, start=start)

        assert fit.convergence.converged
        np.testing.assert_allclose(fit.mean - fit.mean.mean(), near - near.mean(), atol=1e-7)
        assert abs(start[0]) == far


def test_scores_too_far_for_an_exponential_are_found_all_the_same() -> None:
    """A chain of certain verdicts under a next to flat prior."""
    log, m = comparisons(*[(i, i + 1, 1.0) for i in range(2 * MANY - 1)]), model(2 * MANY, prior="anchor")
    fit = newton.fit(log, m)

    assert fit.convergence.converged
    assert fit.mean[0] > FARTHEST
    of = graph(log, m)
    assert not np.isfinite(evaluate(fit.mean, of, unevaluated(of))).any()


def test_a_candidate_who_does_not_exist_is_an_error() -> None:
    with pytest.raises(IndexError):
        newton.fit(comparisons((0, MANY, 0.8)), model(MANY))


def test_columns_of_any_layout_are_read() -> None:
    log, m = random_comparisons(MANY, 200, seed=0), model(MANY)
    table = np.column_stack([log.first, log.second])
    table.flags.writeable = False
    log.p.flags.writeable = False
    before = len(comparison_graph.put_in_rows.signatures)

    fit = newton.fit(log._replace(first=table[:, 0], second=table[:, 1]), m)

    assert_fits(fit, log, m)
    assert len(comparison_graph.put_in_rows.signatures) == max(before, 1)
