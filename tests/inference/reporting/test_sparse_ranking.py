"""Rankings without a matrix against those with one, and the claims that stand on few draws."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting import posterior
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.model import Method, build
from app.inference.fitting.posterior import Posterior, is_sparse
from app.inference.fitting.published import publish
from app.inference.gaussian import Precision, Scores, draws
from app.inference.kernels.pair_sets import matching
from app.inference.regimes import DENSE
from app.inference.reporting import ranking
from app.inference.reporting.confidence import all_pairs, concordance_after
from app.inference.reporting.ranking import RankTable, Wanted
from app.inference.reporting.sparse_ranking import concordances_after, summarise
from app.inference.reporting.standings import by_posterior
from app.inference.types import Comparisons, by_one_judge
from tests.inference.factories import sparse as rows_of

WANTED = Wanted(top_k=20)


def log(n: int, count: int, *, spread: float = 1.0, seed: int = 0) -> Comparisons:
    rng = np.random.default_rng(seed)
    scores, first = spread * rng.standard_normal(n), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    return by_one_judge(first, second, expit(scores[first] - scores[second] + 0.5 * rng.standard_normal(count)))


def both(comparisons: Comparisons, n: int, variance: float = 1.0) -> tuple[Posterior, Scores]:
    model = build(Method(prior_variance=variance), n)
    dense = posterior.fit(comparisons, model)
    return posterior.fit(comparisons, model, dense=0), Scores(dense.mean, dense.covariance)


def precision_of(sparse: Posterior) -> Precision:
    return rows_of(sparse.covariance).precision


def summaries(sparse: Posterior, dense: Scores) -> tuple[RankTable, RankTable]:
    rng = np.random.default_rng(0)
    return summarise(sparse.mean, precision_of(sparse), WANTED, rng), ranking.summarise(dense, WANTED, rng)


@pytest.mark.parametrize(
    ("comparisons", "variance"),
    [(log(600, 6000), 1.0), (log(600, 600), 1.0), (log(600, 60_000, spread=3.0), 9.0)],
    ids=["as many as usual", "few, in islands", "many, far apart"],
)
def test_a_ranking_without_a_matrix_says_what_one_with_a_matrix_says(comparisons: Comparisons, variance: float) -> None:
    """Seeds 0. Variances are within 2.5%; a share over 64 draws, and over 2000, differ by 0.05 at most."""
    sparse, dense = both(comparisons, 600, variance)
    ours, theirs = summaries(sparse, dense)

    np.testing.assert_array_equal(ours.rank, theirs.rank)
    np.testing.assert_allclose(ours.score, theirs.score, atol=1e-8)
    np.testing.assert_allclose(ours.sd, theirs.sd, rtol=0.0125)
    np.testing.assert_allclose(ours.p_best, theirs.p_best, atol=0.05)
    np.testing.assert_allclose(ours.p_top, theirs.p_top, atol=0.1)
    assert np.abs(ours.tie_group - theirs.tie_group).max() <= 1
    assert (ours.tie_group == theirs.tie_group).mean() > 0.9
    widths = [np.diff(each.rank_interval, axis=1).mean() for each in (ours, theirs)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)
    assert ours.confidence is not None
    assert theirs.confidence is not None
    assert ours.confidence.pairs == theirs.confidence.pairs
    assert ours.confidence.expected_concordance == pytest.approx(theirs.confidence.expected_concordance, abs=0.003)
    np.testing.assert_allclose(ours.confidence.interval, theirs.confidence.interval, atol=0.01)


def test_the_forecast_is_that_over_all_pairs() -> None:
    """Seed 0, 200,000 pairs: a standard error of 0.0004."""
    sparse, dense = both(log(600, 6000), 600)
    sd, times = ranking.relative_sd(dense.covariance), [1.25, 4.0]
    theirs = [concordance_after(dense, np.ones(600), matching(all_pairs(dense.mean)), each) for each in times]
    np.testing.assert_allclose(concordances_after(sparse.mean, precision_of(sparse), sd, times), theirs, atol=0.003)


def test_rank_intervals_hold_together_as_often_as_they_say() -> None:
    """Seed 3, 400 draws: the level 0.8 has a standard error of 0.02."""
    sparse, _ = both(log(500, 5000), 500)
    best, worst = summarise(
        sparse.mean, precision_of(sparse), Wanted(level=0.8), np.random.default_rng(0)
    ).rank_interval.T
    scores = np.concatenate(list(draws(sparse.mean, precision_of(sparse), 400, np.random.default_rng(3))))
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    assert 0.75 < ((best <= ranks) & (ranks <= worst)).all(axis=1).mean() < 0.9


def test_under_a_vague_prior_ranks_are_as_sure_as_with_a_matrix() -> None:
    """Nearly all of each variance is that of the mean score."""
    ours, theirs = summaries(*both(log(600, 24_000), 600, 1e4))

    np.testing.assert_allclose(ours.sd, theirs.sd, rtol=0.03)
    widths = [np.diff(each.rank_interval, axis=1).mean() for each in (ours, theirs)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)


@pytest.mark.parametrize(("p", "groups"), [(0.5, (1, 1)), (0.6, (1, 2))])
def test_of_two_that_many_votes_hold_together_it_is_known_who_is_ahead(p: float, groups: tuple[int, int]) -> None:
    """The variance of their difference is nearly nothing of that of each."""
    comparisons = log(70, 181)._replace(weight=np.where(np.arange(181) < 180, 1.0, 1e6))
    best = np.argsort(-both(comparisons, 70)[0].mean)[:2]
    comparisons.first[-1], comparisons.second[-1], comparisons.p[-1] = *best, p
    ours, theirs = summaries(*both(comparisons, 70))

    assert tuple(theirs.tie_group[best]) == groups
    assert tuple(ours.tie_group[best]) == groups


def test_the_standings_have_a_forecast_and_no_entropy() -> None:
    comparisons, item = log(80, 200), np.zeros(200, np.int64)
    published = publish(comparisons, item, no_absolute_scores(), Method(), 80, 1, dense=0)
    standings = by_posterior(published, WANTED)
    assert [row.rank for row in standings.rows] == list(range(1, 81))
    assert standings.entropy is None
    assert [forecast.comparisons for forecast in standings.forecast] == [250, 300, 400, 800]


@pytest.mark.parametrize(
    "method",
    [Method(position_bias="estimate"), Method("laplace"), Method(prior="anchor"), Method(prior_variance=1e6)],
)
def test_other_models_have_no_sparse_covariance(method: Method) -> None:
    assert not is_sparse(build(method, DENSE + 1))
    assert is_sparse(build(Method("sigma-beta"), DENSE + 1))
    assert not is_sparse(build(Method("sigma-beta"), DENSE))
