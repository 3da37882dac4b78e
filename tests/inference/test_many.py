"""Very many candidates, of whom there is no matrix, against the same ones with it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.inference.choosing.criteria import Criterion, Policy
from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.picking import Choice, select
from app.inference.core.design import TooMany
from app.inference.fitting import posterior
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.model import Method, Model
from app.inference.fitting.posterior import Posterior
from app.inference.fitting.published import publish
from app.inference.reporting import by_posterior
from app.inference.reporting.intervals import relative_sd
from app.inference.reporting.standings import Standings, Wanted
from app.inference.types import Comparisons, join, take
from tests.inference.factories import (
    dense,
    every_pair,
    fit_rows,
    fold_rows,
    model,
    random_comparisons,
    sparse,
    together,
)

N, K = 120, 700
Limit = Callable[[int], None]


@pytest.fixture
def dense_up_to(monkeypatch: pytest.MonkeyPatch) -> Limit:
    def set_limit(candidates: int) -> None:
        monkeypatch.setattr(posterior, "DENSE", candidates)

    return set_limit


def log(count: int = K, seed: int = 0) -> Comparisons:
    return random_comparisons(N, count, seed=seed)


def both(log: Comparisons, m: Model, dense_up_to: Limit) -> tuple[Posterior, Posterior]:
    """With a matrix, and without."""
    with_matrix = posterior.fit(log, m)
    dense_up_to(N - 1)
    return with_matrix, posterior.fit(log, m)


def test_the_mean_is_the_same_and_variances_are_nearly(dense_up_to: Limit) -> None:
    with_matrix, without_matrix = both(log(), model(N), dense_up_to)

    np.testing.assert_allclose(without_matrix.mean, with_matrix.mean, atol=1e-8)
    np.testing.assert_allclose(without_matrix.covariance.diagonal, with_matrix.covariance.diagonal, rtol=0.03)


@pytest.mark.parametrize("m", [model(N, biases=1), model(N, prior="anchor")], ids=["biases", "vague"])
def test_where_the_series_says_nothing_there_is_a_matrix(m: Model, dense_up_to: Limit) -> None:
    dense_up_to(N - 1)

    assert dense(posterior.fit(log(), m).covariance).matrix().shape == (m.size, m.size)


def test_entries_are_those_of_the_matrix(dense_up_to: Limit) -> None:
    with_matrix, without_matrix = both(log(), model(N), dense_up_to)
    x = np.random.default_rng(0).standard_normal(N)

    np.testing.assert_allclose(without_matrix.covariance.times(x), with_matrix.covariance.times(x), atol=1e-6)
    for i, j in ((0, 1), (5, 80), (119, 3)):
        expected = with_matrix.covariance.variance_of_difference(i, j)
        assert without_matrix.covariance.variance_of_difference(i, j) == pytest.approx(expected, rel=0.03)
    np.testing.assert_allclose(relative_sd(without_matrix.covariance), relative_sd(with_matrix.covariance), rtol=0.03)


def test_a_matrix_of_all_pairs_is_refused(dense_up_to: Limit) -> None:
    _, without_matrix = both(log(), model(N), dense_up_to)

    with pytest.raises(TooMany, match=f"{N} candidates"):
        without_matrix.covariance.matrix()


@pytest.mark.parametrize("expert", ["soft-bt", "hard-bt", "gaussian"])
def test_a_fold_vote_by_vote_is_a_fit(expert: str, dense_up_to: Limit) -> None:
    m, some = model(N, expert=expert), log(K + 60)
    exact = posterior.fit(some, m)
    dense_up_to(N - 1)
    live = posterior.prior(m)
    for seen in (*range(K, K + 60, 7), K + 60):
        live = fold_rows(live, take(some, slice(seen)))

    assert live.edges.size == some.size
    np.testing.assert_allclose(live.mean, exact.mean, atol=1e-8)
    np.testing.assert_allclose(live.covariance.diagonal, exact.covariance.diagonal, rtol=0.03)


def test_a_fold_leaves_the_posterior_before_it_as_it_was(dense_up_to: Limit) -> None:
    """Two ways to go on from one posterior, and then its own covariance and rows."""
    m, some, other = model(N), log(K + 40), log(K + 40, seed=1)
    dense_up_to(N - 1)
    before = fit_rows(take(some, slice(K)), m)
    sigma = sparse(before.covariance)
    arrays: list[NDArray[Any]] = [sigma.precision.links.data, sigma.diagonal, *before.edges[1:], before.mean]
    kept = [array.copy() for array in arrays]

    for log_of_one in (some, join(take(some, slice(K)), take(other, slice(K, None)))):
        live = fold_rows(before, log_of_one)
        np.testing.assert_allclose(live.mean, posterior.fit(log_of_one, m).mean, atol=1e-9)

    for array, copy in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, copy)


def chosen(live: Posterior, m: Model, policy: Policy, goal: Goal, count: int = 1) -> list[Choice]:
    rng = np.random.default_rng(0)
    return select(live.mean, live.covariance, m, every_pair(N), together(N), policy, goal, count, rng)


@pytest.mark.parametrize("criterion", [Criterion.VARIANCE, Criterion.DETERMINANT, Criterion.REORDERING])
@pytest.mark.parametrize("goal", [RANKING, Goal(top_k=5), Goal(against=7)])
@pytest.mark.parametrize("seed", range(3))
def test_the_pair_is_the_best_or_nearly(criterion: Criterion, goal: Goal, seed: int, dense_up_to: Limit) -> None:
    m = model(N)
    with_matrix, without_matrix = both(log(seed=seed), m, dense_up_to)

    ((best,), (near,)) = (chosen(live, m, Policy(criterion), goal) for live in (with_matrix, without_matrix))

    assert near.score >= 0.97 * best.score
    assert near.propensity == 1.0


@pytest.mark.parametrize("policy", [Policy(Criterion.RANDOM), Policy(Criterion.REORDERING, random_share=0.5)])
def test_batches_are_of_different_open_pairs(policy: Policy, dense_up_to: Limit) -> None:
    m = model(N)
    _, live = both(log(), m, dense_up_to)

    choices = chosen(live, m, policy, RANKING, 12)

    assert len({(choice.i, choice.j) for choice in choices}) == 12
    assert any(choice.random for choice in choices)
    assert all(0.0 < choice.propensity <= 1.0 for choice in choices)


def test_candidates_that_nothing_connects_are_joined_first(dense_up_to: Limit) -> None:
    m = model(N)
    dense_up_to(N - 1)
    live, component = posterior.prior(m), np.arange(N)

    choices = select(
        live.mean,
        sparse(live.covariance),
        m,
        every_pair(N),
        component,
        Policy(Criterion.VARIANCE),
        RANKING,
        N // 2,
        np.random.default_rng(0),
    )

    assert len({who for choice in choices for who in (choice.i, choice.j)}) == N


def standings(some: Comparisons) -> Standings:
    item = np.zeros(some.size, np.int64)
    published = publish(some, item, no_absolute_scores(), Method(), N, 1)
    return by_posterior(published, Wanted(top_k=3))


def test_a_ranking_without_a_matrix_is_the_ranking(dense_up_to: Limit) -> None:
    expected = standings(log())
    dense_up_to(N - 1)

    near = standings(log())

    one, two = near.table, expected.table
    assert one.best_first.tolist() == two.best_first.tolist()
    assert near.entropy is None
    assert near.confidence is not None
    assert expected.confidence is not None
    assert near.confidence.expected_concordance == pytest.approx(expected.confidence.expected_concordance, abs=0.01)
    assert near.confidence.pairs == expected.confidence.pairs
    np.testing.assert_allclose(one.sd, two.sd, rtol=0.03)
    np.testing.assert_allclose(one.interval, two.interval, atol=0.05)
    np.testing.assert_allclose(one.rank_interval, two.rank_interval, atol=20)  # 64 draws
    np.testing.assert_allclose(one.p_best, two.p_best, atol=0.05)
    assert one.tie_group.tolist() == two.tie_group.tolist()


@pytest.mark.parametrize("m", [model(10_001, biases=1), model(10_001, prior="anchor")], ids=["biases", "vague"])
def test_a_matrix_that_few_machines_hold_is_refused_before_it_is_made(m: Model) -> None:
    with pytest.raises(TooMany, match="are the most"):
        posterior.prior(m)
    with pytest.raises(TooMany, match="are the most"):
        posterior.fit(random_comparisons(N, K, seed=0), m)
