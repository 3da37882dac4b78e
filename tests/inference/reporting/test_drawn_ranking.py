"""Rankings by draws: rank intervals, and figures of votes that agree with each other."""

import numpy as np
import pytest
from scipy.stats import rankdata

from app.inference.fitting import Method, no_absolute_scores
from app.inference.reporting.confidence import concordance
from app.inference.reporting.drawn_ranking import rank_intervals, ranks_of
from app.inference.reporting.matrix import expected_wins
from app.inference.reporting.ranking import Wanted, predict, ranks
from app.inference.reporting.standings import by_posterior
from app.inference.targets import drawn_values, publish_for
from app.inference.types import Floats, by_one_judge


def leaning(n: int, draws: int, seed: int) -> Floats:
    """(D, N) values that lean to one side."""
    rng = np.random.default_rng(seed)
    return np.linspace(0.0, 1.0, n) + 3.0 / n * rng.standard_exponential((draws, n))


def test_ranks_are_those_of_scipy() -> None:
    values = np.round(np.random.default_rng(0).standard_normal((50, 30)), 1)
    np.testing.assert_array_equal(ranks_of(values), rankdata(-values, method="min", axis=1))


@pytest.mark.parametrize(("n", "draws"), [(12, 4000), (100, 1000)])
def test_they_hold_together_in_draws_that_they_have_not_seen(n: int, draws: int) -> None:
    """The ends of the draws themselves would hold in 81% of them where there are 100 candidates and 1,000 draws."""
    values = leaning(n, draws, 0)
    best, worst = rank_intervals(ranks(values.mean(axis=0)), ranks_of(values), 0.95).T
    fresh = ranks_of(leaning(n, 4000, 1))
    assert ((best <= fresh) & (fresh <= worst)).all(axis=1).mean() >= 0.93


def test_they_hold_the_rank_itself() -> None:
    """All draws have a tie of the first two where their means differ in one draw alone."""
    values = np.array([[1.0, 1.0, 0.0]] * 99 + [[1.0, 0.9, 0.0]])
    rank = ranks(values.mean(axis=0))
    assert rank.tolist() == [1, 2, 3]
    best, worst = rank_intervals(rank, ranks_of(values), 0.9).T
    assert ((best <= rank) & (rank <= worst)).all()


def test_what_is_decided_is_one_rank() -> None:
    values = np.repeat([[0.9, 0.1, 0.5, 0.5]], 200, axis=0)
    intervals = rank_intervals(ranks(values[0]), ranks_of(values), 0.95)
    assert intervals.tolist() == [[1, 1], [4, 4], [2, 2], [2, 2]]


def test_all_figures_of_votes_are_counted_in_the_same_draws() -> None:
    """Of two candidates P(best), the chance that one is better and the concordance are one number; 10 votes of 10."""
    log = by_one_judge(np.zeros(10, np.int64), np.ones(10, np.int64), np.ones(10))
    published = publish_for("latent", log, np.arange(10), no_absolute_scores(), Method(verdict_weight="learnt"), 2, 1)
    standings, scores = by_posterior(published, Wanted()), published.scores
    d = -np.diff(drawn_values(scores)).ravel()
    uncertainty, better = standings.rows[0].uncertainty, float((d > 0.0).mean())
    assert uncertainty is not None
    assert standings.confidence is not None
    assert 0.998 < better < 1.0
    assert uncertainty.p_best == better == predict(scores, 0, 1).p_first_better == expected_wins(scores)[0, 1]
    assert concordance(scores, np.array([[False, True], [False, False]])) == better
    assert standings.confidence.expected_concordance == better
    assert uncertainty.interval == pytest.approx(0.5 * np.quantile(d, [0.025, 0.975]))
    forecast = [better, *(point.expected_concordance for point in standings.forecast)]
    assert forecast == sorted(forecast)


def test_candidates_alike_in_votes_share_what_is_said_of_them() -> None:
    log = by_one_judge(np.array([0, 1, 0, 1]), np.array([2, 2, 3, 3]), np.array([1.0, 1.0, 0.0, 0.0]))
    published = publish_for("latent", log, np.arange(4), no_absolute_scores(), Method(verdict_weight="learnt"), 4, 1)
    of = {row.candidate: row.uncertainty for row in by_posterior(published, Wanted()).rows}
    one, other = of[0], of[1]
    assert one is not None
    assert other is not None
    assert (one.p_best, one.win_rate) == pytest.approx((other.p_best, other.win_rate), abs=1e-12)
    assert one.win_rate_interval == pytest.approx(other.win_rate_interval, abs=1e-12)
