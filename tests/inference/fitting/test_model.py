"""The design R of comparisons, with and without biases, against the matrix written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.inference.fitting.model import BIAS_VARIANCE, VAGUE, Model, design_of
from app.inference.types import Comparisons, Floats, once_each
from tests.inference.factories import Log, comparisons, logs, model, numerics, random_comparisons

few = settings(numerics, max_examples=40)
each_bias = pytest.mark.parametrize("biases", [0, 3])


def design(log: Comparisons, m: Model) -> Floats:
    rows = np.zeros((log.size, m.size))
    for row, first, second, judge in zip(rows, log.first, log.second, log.judge, strict=True):
        row[first], row[second] = 1.0, -1.0
        if m.has_biases:
            row[m.n + judge] = 1.0
    return rows


@each_bias
@few
@given(log=logs(judges=3), seed=st.integers(0, 99))
def test_everything_that_reads_the_design_reads_the_same_one(biases: int, log: Log, seed: int) -> None:
    m, rng = model(log.n, 0.7, biases=biases), np.random.default_rng(seed)
    theta, weights = rng.standard_normal(m.size), rng.uniform(0.0, 2.0, log.comparisons.size)
    r = design(log.comparisons, m)

    gram = r.T @ np.diag(weights) @ r
    np.testing.assert_allclose(design_of(log.comparisons, m).differences(theta), r @ theta, atol=1e-13)
    np.testing.assert_allclose(design_of(log.comparisons, m).scatter(weights), r.T @ weights, atol=1e-12)
    np.testing.assert_allclose(design_of(log.comparisons, m).information(weights), gram.diagonal(), atol=1e-12)
    np.testing.assert_allclose(
        design_of(log.comparisons, m).precision(weights, m.prior.precision),
        np.diag(m.prior.precision) + gram,
        atol=1e-12,
    )


def test_differences_are_first_minus_second() -> None:
    d = design_of(comparisons((0, 1, 0.9), (2, 0, 0.1)), model(3)).differences(np.array([3.0, 1.0, 0.5]))

    np.testing.assert_array_equal(d, [2.0, -2.5])


def test_scatter_is_the_transpose_of_differences() -> None:
    log, m, rng = random_comparisons(7, 20, seed=0), model(7), np.random.default_rng(0)
    scores, values = rng.standard_normal(7), rng.standard_normal(20)

    assert values @ design_of(log, m).differences(scores) == pytest.approx(design_of(log, m).scatter(values) @ scores)


@pytest.mark.parametrize("biases", [0, 1, 3])
def test_priors_by_hand(biases: int) -> None:
    unit, anchor = (model(3, 4.0, prior=prior, biases=biases).prior for prior in ("unit", "anchor"))

    of_biases = [1.0 / BIAS_VARIANCE] * biases
    np.testing.assert_allclose(unit.precision, [0.25, 0.25, 0.25, *of_biases])
    np.testing.assert_allclose(anchor.precision, [*[1.0 / VAGUE] * 3, *of_biases])
    assert (unit.variance, anchor.variance) == (4.0, 1.0)
    for prior in (unit, anchor):
        np.testing.assert_array_equal(prior.pull, np.zeros(3 + biases))


def test_a_bias_favours_the_first_position() -> None:
    """delta > 0 adds to d = s_first - s_second, whoever is first."""
    m = model(2, biases=1)
    log = once_each(np.array([0, 1]), np.array([1, 0]), np.full(2, 0.5), np.zeros(2, np.int64))

    np.testing.assert_allclose(design_of(log, m).differences(np.array([0.3, 0.1, 0.7])), [0.9, 0.5])
