"""Tables: what they say by hand, of candidates alike, by draws of votes, and without a matrix as with one."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from app.inference.fitting import no_absolute_scores, posterior
from app.inference.fitting.model import Method, build
from app.inference.fitting.posterior import is_sparse
from app.inference.fitting.published import publish
from app.inference.gaussian import Scores, draws, plain
from app.inference.regimes import DENSE
from app.inference.reporting import very_many
from app.inference.reporting.confidence import Confidence, all_pairs, concordance, expected_wins, forecast, predict
from app.inference.reporting.intervals import ranks, ranks_of, relative_sd
from app.inference.reporting.standings import Table, Wanted, by_posterior, interchangeable, summary_of
from app.inference.targets import drawn_values, publish_for
from app.inference.types import Comparisons, by_one_judge
from tests.inference.factories import comparisons, covariance_of, isotropic, model, random_comparisons, random_scores
from tests.inference.factories import sparse as rows_of

WANTED = Wanted(top_k=20)


def table(scores: Scores, wanted: Wanted | None = None) -> Table:
    return summary_of(scores, wanted or Wanted())[0]


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("n", [1, 2, 24, 30, 100])
def test_before_any_comparison_all_rows_are_the_same(n: int, level: float) -> None:
    ranking = table(posterior.prior(model(n)).scores, Wanted(level, top_k=2))

    assert np.unique(ranking.rank_interval, axis=0).tolist() == [[1, n]]
    np.testing.assert_allclose(ranking.p_best, 1.0 / n, atol=1e-12)
    np.testing.assert_allclose(ranking.p_top_k, min(2.0 / n, 1.0), atol=1e-12)


def test_candidates_that_were_never_compared_share_their_row() -> None:
    ranking = table(posterior.fit(random_comparisons(8, 20, 3), model(12)).scores)

    assert len(np.unique(np.column_stack([ranking.rank_interval, ranking.p_best, ranking.p_top_k])[8:], axis=0)) == 1
    assert len(np.unique(ranking.p_best[:8])) > 1


def test_interchangeable_candidates_may_swap_names() -> None:
    """0 beats 1 and 2 alike, who may swap; 3 beats 4 as 5 beats 6: 3 and 5 may swap only together with 4 and 6."""
    live = posterior.fit(comparisons((0, 1, 0.8), (2, 0, 0.2), (3, 4, 0.9), (5, 6, 0.9)), model(9)).scores
    n = len(live.mean)

    def unchanged(i: int, j: int) -> bool:
        order = np.arange(n)
        order[[i, j]] = j, i
        sigma = live.covariance.matrix()
        return np.allclose(live.mean[order], live.mean) and np.allclose(sigma[np.ix_(order, order)], sigma)

    alike = interchangeable(live)

    assert alike.tolist() == [0, 1, 1, 3, 4, 5, 6, 7, 7]
    assert all((alike[i] == alike[j]) == unchanged(i, j) for i in range(n) for j in range(i))


def test_winners_of_a_perfect_matching_are_not_interchangeable() -> None:
    """Each has an opponent of its own."""
    n = 400
    matching = posterior.fit(comparisons(*[(i, i + 1, 1.0) for i in range(0, n, 2)]), model(n))

    assert interchangeable(matching.scores).tolist() == list(range(n))


def test_candidates_are_interchangeable_up_to_the_rounding_of_their_variance() -> None:
    """Under the anchor prior that is a million times what is usual."""
    n = 400
    sigma = np.full((n, n), 1e6 / n) + np.diag(1e6 + 1e-4 * np.sin(np.arange(n)))

    assert interchangeable(Scores(np.zeros(n), plain(sigma, 0.0))).tolist() == [0] * n


def test_a_table_has_the_scores_and_their_ranks() -> None:
    live = random_scores(5, 10)
    summary = table(live)
    np.testing.assert_allclose(summary.score, live.mean - live.mean.mean(), atol=1e-12)
    np.testing.assert_array_equal(summary.rank, ranks(live.mean))
    assert summary.rank[summary.best_first].tolist() == sorted(summary.rank.tolist())


def test_the_common_level_of_all_scores_does_not_show() -> None:
    """Twenty more units of it in the mean and fifty in its variance."""
    live = random_scores(5, 10)
    lifted = Scores(live.mean + 20.0, covariance_of(live.covariance.matrix() + 50.0))

    here, there = table(live, Wanted(0.9)), table(lifted, Wanted(0.9))

    np.testing.assert_allclose(there.score, here.score, atol=1e-12)
    np.testing.assert_allclose(there.sd, here.sd, atol=1e-10)
    np.testing.assert_array_equal(there.tie_group, here.tie_group)


def test_p_top_by_hand() -> None:
    """Scores 3, 0, 0 with sd 1, the last two alike: the first is among the best two unless both are above it."""
    live = Scores(np.array([3.0, 0.0, 0.0]), isotropic(3, 1.0))
    below = quad(lambda x: norm.pdf(x, 3.0) * norm.sf(x) ** 2, -10.0, 15.0)[0]

    p_top = table(live, Wanted(top_k=2)).p_top_k

    assert p_top[0] == pytest.approx(1.0 - below, abs=4.0 * np.sqrt(below / 10_000))
    assert p_top[1] == pytest.approx((1.0 + below) / 2.0, abs=4.0 * 0.5 / np.sqrt(10_000))


@pytest.mark.parametrize("k", [1, 3, 8, 20])
def test_k_candidates_are_among_the_first_k(k: int) -> None:
    summary = table(random_scores(8, 20), Wanted(top_k=k))

    assert summary.p_top_k.sum() == pytest.approx(min(k, 8))
    assert (summary.p_top_k >= summary.p_best).all()
    assert ((summary.p_top_k == summary.p_best).all()) == (k == 1)


def test_relabelling_relabels_the_whole_table() -> None:
    live, label = random_scores(8, 30), np.array([3, 1, 7, 0, 6, 2, 5, 4])
    back = np.argsort(label)
    there = Scores(live.mean[back], covariance_of(live.covariance.matrix()[np.ix_(back, back)]))
    (here, sure), (relabelled, other) = (summary_of(scores, Wanted(0.9, 3)) for scores in (live, there))
    for mine, theirs in zip(here, relabelled, strict=True):
        np.testing.assert_allclose(theirs[label] if len(theirs) else theirs, mine, atol=1e-9)
    assert sure is not None
    assert other is not None
    assert other.expected_concordance == pytest.approx(sure.expected_concordance)
    assert other.interval == pytest.approx(sure.interval)


def test_all_figures_of_votes_are_counted_in_the_same_draws() -> None:
    """Of two candidates P(best), the chance that one is better and the concordance are one number; 10 votes of 10."""
    log = by_one_judge(np.zeros(10, np.int64), np.ones(10, np.int64), np.ones(10))
    published = publish_for("latent", log, np.arange(10), no_absolute_scores(), Method(verdict_weight="learnt"), 2, 1)
    standings, scores = by_posterior(published, Wanted()), published.scores
    d = -np.diff(drawn_values(scores)).ravel()
    ranking, better = standings.table, float((d > 0.0).mean())
    assert standings.confidence is not None
    assert 0.998 < better < 1.0
    assert ranking.p_best[0] == better == predict(scores, 0, 1).p_first_better == expected_wins(scores)[0, 1]
    assert concordance(scores, np.array([[False, True], [False, False]])) == better
    assert standings.confidence.expected_concordance == better
    assert ranking.interval[0] == pytest.approx(0.5 * np.quantile(d, [0.025, 0.975]))
    forecast = [better, *(point.expected_concordance for point in standings.forecast)]
    assert forecast == sorted(forecast)


def test_candidates_alike_in_votes_share_what_is_said_of_them() -> None:
    log = by_one_judge(np.array([0, 1, 0, 1]), np.array([2, 2, 3, 3]), np.array([1.0, 1.0, 0.0, 0.0]))
    published = publish_for("latent", log, np.arange(4), no_absolute_scores(), Method(verdict_weight="learnt"), 4, 1)
    ranking = by_posterior(published, Wanted()).table
    for column in (ranking.p_best, ranking.win_rate, ranking.win_rate_interval):
        np.testing.assert_allclose(column[0], column[1], atol=1e-12)


def rated(n: int, count: int, *, spread: float = 1.0, seed: int = 0) -> Comparisons:
    rng = np.random.default_rng(seed)
    scores, first = spread * rng.standard_normal(n), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    return by_one_judge(first, second, expit(scores[first] - scores[second] + 0.5 * rng.standard_normal(count)))


def both(comparisons: Comparisons, n: int, variance: float = 1.0) -> tuple[Scores, Scores]:
    """The posterior in rows, and with a matrix."""
    model = build(Method(prior_variance=variance), n)
    in_rows, whole = posterior.fit(comparisons, model, dense=0), posterior.fit(comparisons, model)
    return in_rows.scores, Scores(whole.mean, whole.covariance)


def tables(in_rows: Scores, whole: Scores) -> tuple[Table, Table]:
    return table(in_rows, WANTED), table(whole, WANTED)


def sure_of(scores: Scores) -> Confidence:
    _, confidence = summary_of(scores, WANTED)
    assert confidence is not None
    return confidence


@pytest.mark.parametrize(
    ("comparisons", "variance"),
    [(rated(600, 6000), 1.0), (rated(600, 600), 1.0), (rated(600, 60_000, spread=3.0), 9.0)],
    ids=["as many as usual", "few, in islands", "many, far apart"],
)
def test_a_ranking_without_a_matrix_says_what_one_with_a_matrix_says(comparisons: Comparisons, variance: float) -> None:
    """Seeds 0. Variances are within 2.5%; a share over 64 draws, and over 2000, differ by 0.05 at most."""
    scores = both(comparisons, 600, variance)
    ours, theirs = tables(*scores)
    np.testing.assert_array_equal(ours.rank, theirs.rank)
    np.testing.assert_allclose(ours.score, theirs.score, atol=1e-8)
    np.testing.assert_allclose(ours.sd, theirs.sd, rtol=0.0125)
    np.testing.assert_allclose(ours.p_best, theirs.p_best, atol=0.05)
    np.testing.assert_allclose(ours.p_top_k, theirs.p_top_k, atol=0.1)
    assert np.abs(ours.tie_group - theirs.tie_group).max() <= 1
    assert (ours.tie_group == theirs.tie_group).mean() > 0.9
    widths = [np.diff(each.rank_interval, axis=1).mean() for each in (ours, theirs)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)
    one, other = (sure_of(each) for each in scores)
    assert one.pairs == other.pairs
    assert one.expected_concordance == pytest.approx(other.expected_concordance, abs=0.003)
    np.testing.assert_allclose(one.interval, other.interval, atol=0.01)


def test_the_forecast_is_that_over_all_pairs() -> None:
    """Seed 0, 50,000 pairs: a standard error of 0.001."""
    (in_rows, whole), ones = both(rated(600, 6000), 600), np.ones(600)
    sd, kinds, now = relative_sd(whole.covariance), all_pairs(ones), sure_of(whole)
    ours, theirs = (forecast(each, sd, kinds, ones, 6000.0, now) for each in (in_rows, whole))
    assert [each.comparisons for each in ours] == [7500, 9000, 12_000, 24_000]
    here, there = ([each.expected_concordance for each in points] for points in (ours, theirs))
    np.testing.assert_allclose(here, there, atol=0.003)


def test_rank_intervals_of_very_many_hold_together_as_often_as_they_say() -> None:
    """Seed 3, 400 draws: the level 0.8 has a standard error of 0.02."""
    in_rows, _ = both(rated(500, 5000), 500)
    best, worst = table(in_rows, Wanted(level=0.8)).rank_interval.T
    drawn = draws(in_rows.mean, rows_of(in_rows.covariance).precision, 400, np.random.default_rng(3))
    places = ranks_of(np.concatenate(list(drawn)))
    assert 0.75 < ((best <= places) & (places <= worst)).all(axis=1).mean() < 0.9


def test_under_a_vague_prior_ranks_are_as_sure_as_with_a_matrix() -> None:
    """Nearly all of each variance is that of the mean score."""
    ours, theirs = tables(*both(rated(600, 24_000), 600, 1e4))

    np.testing.assert_allclose(ours.sd, theirs.sd, rtol=0.03)
    widths = [np.diff(each.rank_interval, axis=1).mean() for each in (ours, theirs)]
    assert widths[0] == pytest.approx(widths[1], rel=0.15)


@pytest.mark.parametrize(("p", "groups"), [(0.5, (1, 1)), (0.6, (1, 2))])
def test_of_two_that_many_votes_hold_together_it_is_known_who_is_ahead(p: float, groups: tuple[int, int]) -> None:
    """The variance of their difference is nearly nothing of that of each."""
    comparisons = rated(70, 181)._replace(weight=np.where(np.arange(181) < 180, 1.0, 1e6))
    best = np.argsort(-both(comparisons, 70)[0].mean)[:2]
    comparisons.first[-1], comparisons.second[-1], comparisons.p[-1] = *best, p
    ours, theirs = tables(*both(comparisons, 70))

    assert tuple(theirs.tie_group[best]) == groups
    assert tuple(ours.tie_group[best]) == groups


def test_shares_in_order_are_those_of_every_pair() -> None:
    scores, rank = np.random.default_rng(0).standard_normal((3, 30)), np.repeat([1, 4, 9], [3, 5, 22])
    i, j = np.triu_indices(30, 1)
    apart = np.sign(scores[:, j] - scores[:, i]) - np.sign(rank[i] - rank[j])
    expected = 1.0 - 0.5 * np.abs(apart).mean(axis=1)
    np.testing.assert_allclose(very_many.shares_in_order(rank, scores), expected)
    np.testing.assert_array_equal(very_many.shares_in_order(np.ones(30, np.int64), scores), 0.5)


def test_the_standings_have_a_forecast_and_no_entropy() -> None:
    comparisons, item = rated(80, 200), np.zeros(200, np.int64)
    published = publish(comparisons, item, no_absolute_scores(), Method(), 80, 1, dense=0)
    standings = by_posterior(published, WANTED)
    assert sorted(standings.table.rank.tolist()) == list(range(1, 81))
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
