"""Small kernels of choosing a pair against their slow formulas."""

import numpy as np
import pytest
from hypothesis import given

from app.inference.choosing.criteria import DRAWN, Criterion
from app.inference.choosing.order import lead
from app.inference.kernels.fantasies import conditioned
from tests.inference.factories import Log, condition, logs, numerics, random_comparisons, random_state

each_scored_criterion = pytest.mark.parametrize("criterion", [c for c in Criterion if c not in DRAWN])


@pytest.mark.parametrize("n", [2, 5, 30])
@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize("votes", [1.0, 8.0])
def test_conditioned_is_condition_for_one_after_the_other(n: int, count: int, votes: float) -> None:
    mean, sigma = random_state(n, seed=count)
    log, slow = random_comparisons(n, count, seed=2), sigma
    for i, j in zip(log.first.tolist(), log.second.tolist(), strict=True):
        d = mean[i] - mean[j]
        slow = condition(slow, i, j, votes / ((1.0 + np.exp(d)) * (1.0 + np.exp(-d))))

    fast, fall = conditioned(sigma.matrix(), mean, log.first, log.second, votes)

    np.testing.assert_allclose(fast, slow.matrix(), rtol=0.0, atol=1e-13)
    np.testing.assert_array_equal(fast, fast.T)
    assert fall == pytest.approx(sigma.log_det - slow.log_det, abs=1e-12)


@numerics
@given(logs())
def test_lead_is_the_difference_of_two_counts(log: Log) -> None:
    first, second, *_ = log.comparisons

    before = np.arange(log.n)
    expected = before + np.bincount(first, minlength=log.n) - np.bincount(second, minlength=log.n)

    np.testing.assert_array_equal(lead(first, second, before), expected)
