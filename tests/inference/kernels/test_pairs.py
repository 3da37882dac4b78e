"""Every kernel of choosing a pair against its slow formula."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inference.choosing import RANKING, selection
from app.inference.choosing.order import lead
from app.inference.choosing.selection import Criterion, Policy
from app.inference.covariance import Covariance, condition, dense
from app.inference.fitting import posterior
from app.inference.kernels import bradley_terry
from app.inference.kernels.pairs import conditioned, nth_pair
from tests.inference.factories import Log, logs, model, numerics, random_comparisons, random_state, together

each_scored_criterion = pytest.mark.parametrize("criterion", [c for c in Criterion if c is not Criterion.RANDOM])


@pytest.mark.parametrize("n", [2, 5, 30])
@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize("votes", [1.0, 8.0])
def test_conditioned_is_condition_for_one_after_the_other(n: int, count: int, votes: float) -> None:
    mean, sigma = random_state(n, seed=count)
    log, slow = random_comparisons(n, count, seed=2), sigma
    for i, j in zip(log.first.tolist(), log.second.tolist(), strict=True):
        d = mean[i] - mean[j]
        slow = condition(slow, i, j, votes / ((1.0 + np.exp(d)) * (1.0 + np.exp(-d))))

    fast, fall = conditioned(dense(sigma), mean, log.first, log.second, votes)

    np.testing.assert_allclose(fast, dense(slow), rtol=0.0, atol=1e-13)
    np.testing.assert_array_equal(fast, fast.T)
    assert fall == pytest.approx(sigma.log_det - slow.log_det, abs=1e-12)


def by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bradley_terry, "FEW", -1)


@each_scored_criterion
@pytest.mark.parametrize("batch", selection.Batch)
@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("state", [random_state, lambda n, seed: cold(n)], ids=["warm", "cold"])
def test_the_pairs_of_a_seed_are_those_of_the_slow_scan(
    criterion: Criterion,
    batch: selection.Batch,
    share: float,
    seed: int,
    state: Callable[[int, int], tuple[np.ndarray, Covariance]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n, policy = 14, Policy(criterion, 0.7, share, batch)
    mean, sigma = state(n, seed)
    open_pairs = np.random.default_rng(seed).random((n, n)) < 0.8

    def choices() -> list[selection.Choice]:
        rng = np.random.default_rng(seed)
        return selection.select(mean, sigma, model(n), open_pairs, together(n), policy, RANKING, 30, rng)

    fast = choices()
    by_numpy(monkeypatch)
    slow = choices()

    assert [(c.i, c.j, c.random) for c in fast] == [(c.i, c.j, c.random) for c in slow]
    np.testing.assert_allclose([c[2:7] for c in fast], [c[2:7] for c in slow], rtol=1e-10)


def cold(n: int) -> tuple[np.ndarray, Covariance]:
    """Every pair is tied with every other."""
    prior = posterior.prior(model(n))
    return prior.mean, prior.covariance


@numerics
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 99))
def test_nth_pair_goes_row_by_row(rows: int, columns: int, seed: int) -> None:
    pairs = np.random.default_rng(seed).random((rows, columns)) < 0.5

    found = [nth_pair(pairs, k) for k in range(int(pairs.sum()))]

    assert found == [(int(i), int(j)) for i, j in np.argwhere(pairs)]


def test_no_pair_is_no_nth_pair() -> None:
    with pytest.raises(IndexError):
        nth_pair(np.zeros((2, 2), np.bool_), 0)


@numerics
@given(logs())
def test_lead_is_the_difference_of_two_counts(log: Log) -> None:
    first, second, *_ = log.comparisons

    expected = np.bincount(first, minlength=log.n) - np.bincount(second, minlength=log.n)

    np.testing.assert_array_equal(lead(first, second, log.n), expected)
