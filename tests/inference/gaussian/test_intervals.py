"""Intervals that are kept through votes against the inverse at each of them."""

import numpy as np
import pytest

from app.inference.fitting.model import expected_weight
from app.inference.gaussian.certified import WIDEST, CertifiedCovariance, followed, measured
from app.inference.graphs.comparison_graph import precision_of
from app.inference.types import Floats
from tests.inference.factories import model
from tests.inference.graphs.test_push import assert_within, inverse, mixed


def width(intervals: CertifiedCovariance) -> float:
    return float((intervals.upper / intervals.lower - 1.0).max())


@pytest.mark.parametrize("step", [0.003, 0.3])
def test_the_intervals_hold_while_votes_come_and_scores_move(step: float) -> None:
    """Either few weights move beyond what may wait, or so many that all are measured again."""
    n, rng = 200, np.random.default_rng(0)
    mean, (first, second), q = rng.standard_normal(n), mixed(n, 6 * n, rng), np.full(n, 1.0)

    def weights() -> Floats:
        return np.asarray(expected_weight(mean[first] - mean[second], model(n)))

    intervals = measured(precision_of(first, second, weights(), q), mean)
    for _ in range(60):
        pair = rng.choice(n, 2, replace=False)
        first, second = np.append(first, pair[0]), np.append(second, pair[1])
        mean = mean + np.where(np.isin(np.arange(n), pair), 10.0, 1.0) * step * rng.standard_normal(n)
        intervals = followed(intervals, precision_of(first, second, weights(), q), mean)

        assert_within(inverse(first, second, weights(), q).diagonal(), *intervals.ends)
        assert width(intervals) <= WIDEST


def test_a_candidate_that_comes_later_has_the_variance_of_the_prior() -> None:
    n, rng = 100, np.random.default_rng(0)
    (first, second), weight = mixed(n, 6 * n, rng), np.full(6 * n, 0.2)
    before = measured(precision_of(first, second, weight, np.ones(n)), np.zeros(n))

    after = followed(before, precision_of(first, second, weight, np.append(np.ones(n), 4.0)), np.zeros(n + 1))

    np.testing.assert_array_equal(after.lower[:n], before.lower)
    np.testing.assert_allclose([after.lower[n], after.upper[n]], 0.25)


def test_nothing_changes_where_nothing_has_moved() -> None:
    n, rng = 100, np.random.default_rng(0)
    precision = precision_of(*mixed(n, 6 * n, rng), np.full(6 * n, 0.2), np.ones(n))
    before = measured(precision, np.zeros(n))

    after = followed(before, precision, np.zeros(n))

    np.testing.assert_allclose([after.lower, after.upper], [before.lower, before.upper], rtol=1e-14)
