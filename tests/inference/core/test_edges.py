"""Sums against the comparisons that are behind them, and their derivatives."""

from typing import Any

import numpy as np
import pytest

from app.inference.core.edges import Edges, derivatives, evaluate, merged, precision_times, slopes, told_since
from app.inference.experts import MEASURED_BT
from app.inference.fitting.model import Model, rows_of
from app.inference.fitting.posterior import log_posterior
from app.inference.types import Comparisons, Floats, take
from tests.inference.factories import SOFT_BT, by_judges, each_smooth_expert, model, random_comparisons, true_scores

N, JUDGES, STEP = 6, 3, 1e-6
each_bias = pytest.mark.parametrize("biases", [0, JUDGES])


def said(biases: int) -> tuple[Comparisons, Model]:
    """Votes and measurements of different weights, by three judges; pairs come again, in both orders."""
    log = by_judges(random_comparisons(N, 90, seed=1), JUDGES)
    log = log._replace(p=np.where(log.judge == 1, np.round(log.p), log.p), weight=np.linspace(0.2, 3.0, 90))
    return log, model(N, 2.0, biases=biases)._replace(expert=MEASURED_BT)


def scores(m: Model) -> Floats:
    return np.append(true_scores(N, 3), np.linspace(-0.4, 0.6, m.size - N))


def gradient(theta: Floats, edges: Edges, m: Model) -> Floats:
    return derivatives(edges, theta, m.expert, m.prior.precision, m.prior.pull)[0]


@each_bias
def test_edges_that_are_merged_say_what_the_comparisons_say(biases: int) -> None:
    log, m = said(biases)
    rows, theta = rows_of(log, m), scores(m)
    edges = merged(rows)

    pairs = {(*sorted((i, j)), 0) if not biases else (i, j, g) for i, j, _, g, _ in zip(*log, strict=True)}
    assert edges.size == len(pairs) < log.size
    np.testing.assert_allclose(gradient(theta, edges, m), gradient(theta, rows, m), atol=1e-12)
    h_edges, h_rows = (
        each.design.precision(slopes(each, each.design.differences(theta), m.expert)[1], m.prior.precision)
        for each in (edges, rows)
    )
    np.testing.assert_allclose(h_edges, h_rows, atol=1e-12)
    apart = [log_posterior(theta, each, m) - log_posterior(0.0 * theta, each, m) for each in (edges, rows)]
    of_rows = [log.weight @ m.expert.log_density(rows.design.differences(t), log.p) for t in (theta, 0.0 * theta)]
    of_prior = -0.5 * m.prior.precision @ theta**2
    np.testing.assert_allclose(apart, of_rows[0] - of_rows[1] + of_prior, atol=1e-10)


@each_smooth_expert
@each_bias
def test_gradient_and_curvature_are_those_of_finite_differences(expert: str, biases: int) -> None:
    log, m = by_judges(random_comparisons(N, 40, seed=2), JUDGES), model(N, 2.0, expert, biases=biases)
    edges, theta = rows_of(log, m), scores(m)

    steps = STEP * np.eye(m.size)
    ends = [[log_posterior(at, edges, m) for at in (theta - e, theta + e)] for e in steps]
    rises = [(after - before) / (2.0 * STEP) for before, after in ends]
    np.testing.assert_allclose(gradient(theta, edges, m), rises, atol=1e-7)
    _, curvature = derivatives(edges, theta, m.expert, m.prior.precision, m.prior.pull)
    h = edges.design.precision(curvature.weights, m.prior.precision)
    bends = [(gradient(theta - e, edges, m) - gradient(theta + e, edges, m)) / (2.0 * STEP) for e in steps]
    np.testing.assert_allclose(h, bends, atol=1e-7)
    np.testing.assert_allclose(h.diagonal(), curvature.diagonal, atol=1e-12)
    np.testing.assert_allclose(
        precision_times(theta, *edges.design[2:5], curvature.weights, m.prior.precision), h @ theta
    )


@each_bias
@pytest.mark.parametrize("far", [0.0, 400.0])
def test_the_compiled_loop_is_its_slow_formula(biases: int, far: float) -> None:
    """Scores whose exponentials overflow too."""
    log, m = said(biases)
    edges, q, h = rows_of(log, m), m.prior.precision, m.prior.pull
    theta = scores(m) + far * (np.arange(m.size) == 0)
    design, sums = edges.design, edges[1:]

    g, w, diagonal = evaluate(theta, N, design.first, design.second, design.bias, design.offset, *sums, q, h)

    slope, weights = slopes(edges, design.differences(theta), SOFT_BT)
    np.testing.assert_allclose(g, design.scatter(slope) + h - q * theta, atol=1e-9)
    np.testing.assert_allclose(w, weights, atol=1e-12)
    np.testing.assert_allclose(diagonal, q + design.information(weights), atol=1e-12)


def test_known_biases_move_every_difference() -> None:
    log, m = said(0)
    known = m._replace(known_biases=np.array([0.5, -1.0, 0.0]))
    moved = model(N, 2.0, biases=JUDGES)._replace(expert=m.expert)
    theta = scores(m)

    with_known = gradient(theta, rows_of(log, known), known)

    np.testing.assert_allclose(with_known, gradient(np.append(theta, [0.5, -1.0, 0.0]), rows_of(log, moved), moved)[:N])


def test_what_is_told_since_is_what_came() -> None:
    log, m = said(0)
    before, now = rows_of(take(log, slice(80)), m), rows_of(log._replace(weight=log.weight + (np.arange(90) == 5)), m)

    since = told_since(now, before)

    assert since is not None
    places, told = since
    assert told_since(before, now) is None
    assert places.tolist() == [5, *range(80, 90)]
    np.testing.assert_allclose(told.votes + told.weight, [1.0, *log.weight[80:]], atol=1e-12)


def test_candidates_beyond_n_are_refused() -> None:
    log: Any = random_comparisons(5, 10, seed=0)
    with pytest.raises(IndexError, match="beyond 3"):
        rows_of(log, model(3))
