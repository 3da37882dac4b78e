"""The logs that the peers fell over (research/peers.md 2.1): what a service holds on day one.

`nextpair` is the default method, soft-bt with a unit prior; the baselines read the same logs.
"""

from collections.abc import Callable

import numpy as np
import pytest

from app.inference.fitting import posterior
from app.inference.fitting.baselines import BASELINES, BaselineScores
from app.inference.reporting.confidence import predict
from app.inference.reporting.standings import Table, Wanted, summary_of
from app.inference.types import Comparisons, Floats, by_one_judge, no_comparisons, take
from tests.inference.factories import (
    Log,
    comparisons,
    fold_rows,
    joined,
    map_of,
    model,
    random_comparisons,
    true_scores,
)

Method = Callable[[Comparisons, int], BaselineScores]


def default(log: Comparisons, n: int) -> BaselineScores:
    mean, convergence, *_ = map_of(log, model(n))
    return BaselineScores(mean, convergence)


METHODS: dict[str, Method] = {"nextpair": default} | BASELINES
each_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())


def undefeated() -> Log:
    """Candidate 0 beats every other; the others play among themselves."""
    n = 20
    others = random_comparisons(n - 1, 200, seed=0, hard=True)
    wins = comparisons(*[(0, j, 1.0) for j in range(1, n)])
    return Log(n, joined(by_one_judge(others.first + 1, others.second + 1, others.p), wins))


def winless(count: int = 4000) -> Log:
    """Candidate 0 of 200 loses whatever it plays."""
    log = random_comparisons(200, count, seed=0, hard=True)
    p = np.where(log.first == 0, 0.0, np.where(log.second == 0, 1.0, log.p))
    return Log(200, log._replace(p=p))


def ring(*members: int, p: float = 0.8) -> Comparisons:
    """Each beats the next, the last beats the first: nobody is better."""
    return comparisons(*[(a, b, p) for a, b in zip(members, members[1:] + members[:1], strict=True)])


LOGS: dict[str, Log] = {
    "one candidate": Log(1, no_comparisons()),
    "no data": Log(5, no_comparisons()),
    "one comparison": Log(10, comparisons((0, 1, 1.0))),
    "two candidates": Log(2, comparisons((0, 1, 0.6))),
    "two candidates at three to one": Log(2, comparisons((0, 1, 1.0), (0, 1, 1.0), (1, 0, 0.0), (0, 1, 0.0))),
    "one pair a thousand times": Log(2, comparisons(*[(0, 1, 1.0)] * 1000)),
    "undefeated": undefeated(),
    "winless among 200": winless(),
    "three in a line, fully separated": Log(3, comparisons(*[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)] * 10)),
    "islands": Log(7, joined(ring(0, 1, 2), ring(3, 4, 5))),
    "bipartite": Log(6, comparisons(*[(a, b, float((a + b) % 2)) for a in range(3) for b in range(3, 6)] * 3)),
    "star": Log(50, comparisons(*[(0, j, float(j % 2)) for j in range(1, 50)] * 4)),
    "ties only": Log(6, random_comparisons(6, 40, seed=0)._replace(p=np.full(40, 0.5))),
    "certain verdicts": Log(6, random_comparisons(6, 40, seed=0, hard=True)),
    "certain and contradictory": Log(2, comparisons((0, 1, 1.0), (0, 1, 0.0), (1, 0, 1.0), (1, 0, 0.0))),
}
each_log = pytest.mark.parametrize("log", LOGS.values(), ids=LOGS.keys())


def without_first(log: Comparisons) -> Comparisons:
    """The comparisons that candidate 0 is not in."""
    stays = (log.first != 0) & (log.second != 0)
    return by_one_judge(log.first[stays], log.second[stays], log.p[stays])


def scores_of(method: Method, name: str) -> Floats:
    log = LOGS[name]
    return method(log.comparisons, log.n).score


def correlation(x: Floats, y: Floats) -> float:
    return float(np.corrcoef(x, y)[0, 1])


def published(log: Log) -> Table:
    return summary_of(posterior.fit(log.comparisons, model(log.n)).scores, Wanted())[0]


@each_method
@each_log
def test_every_method_converges_to_finite_scores(method: Method, log: Log) -> None:
    scores = method(log.comparisons, log.n)

    assert scores.convergence.converged
    assert scores.score.shape == (log.n,)
    assert np.isfinite(scores.score).all()


@each_log
def test_the_live_posterior_gets_there_a_few_votes_at_a_time(log: Log) -> None:
    m = model(log.n)
    live = posterior.prior(m)
    few = max(7, log.comparisons.size // 100)
    for stop in [*range(0, log.comparisons.size, few), log.comparisons.size]:
        live = fold_rows(live, take(log.comparisons, slice(stop)))

    assert live.convergence.converged
    np.testing.assert_allclose(live.mean, default(log.comparisons, log.n).score, atol=1e-9)


@pytest.mark.parametrize(
    "log", [log for log in LOGS.values() if log.n > 1], ids=[k for k, v in LOGS.items() if v.n > 1]
)
def test_no_interval_is_of_zero_width(log: Log) -> None:
    """One vote moves a unit prior by little, and even a thousand leave a tenth of it."""
    ranking = published(log)

    assert (ranking.sd > 0.1).all()
    assert (np.diff(ranking.interval, axis=1) > 0.4).all()
    assert np.isfinite(ranking.interval).all()


def test_a_single_candidate_is_the_average_without_variance() -> None:
    ranking = published(LOGS["one candidate"])

    assert (ranking.score.tolist(), ranking.sd.tolist(), ranking.rank_interval.tolist()) == ([0.0], [0.0], [[1, 1]])
    assert (ranking.p_best.tolist(), ranking.tie_group.tolist()) == ([1.0], [1])


@each_log
def test_the_ranking_is_complete(log: Log) -> None:
    ranking = published(log)

    assert ranking.p_best.sum() == pytest.approx(1.0)
    assert ranking.rank.min() == 1
    assert ((ranking.rank_interval >= 1) & (ranking.rank_interval <= log.n)).all()


@pytest.mark.parametrize("n", [2, 10])
def test_one_vote_leaves_nearly_all_the_uncertainty(n: int) -> None:
    live = posterior.fit(comparisons((0, 1, 1.0)), model(n)).scores

    prediction = predict(live, 0, 1)

    assert 0.8 * np.sqrt(2.0) < prediction.sd_difference < np.sqrt(2.0)
    assert 0.5 < prediction.p_first_better < 0.8
    assert summary_of(live, Wanted())[0].p_best[0] < 0.8


@each_method
def test_one_vote_puts_the_winner_above_and_the_loser_below_all_others(method: Method) -> None:
    winner, loser, *others = scores_of(method, "one comparison")

    assert loser < min(others) == max(others) < winner


@each_method
def test_the_undefeated_candidate_is_first_and_the_others_are_unharmed(method: Method) -> None:
    log, scores = LOGS["undefeated"], scores_of(method, "undefeated")

    assert np.argmax(scores) == 0
    assert correlation(scores[1:], method(without_first(log.comparisons), log.n).score[1:]) > 0.98
    assert correlation(scores[1:], true_scores(19, seed=0)) > 0.7


@each_method
def test_the_winless_candidate_is_last_and_the_others_are_unharmed(method: Method) -> None:
    log, scores = LOGS["winless among 200"], scores_of(method, "winless among 200")

    assert np.argmin(scores) == 0
    assert len(np.unique(scores.round(9))) > 100
    assert correlation(scores[1:], method(without_first(log.comparisons), log.n).score[1:]) > 0.98
    assert correlation(scores[1:], true_scores(200, seed=0)[1:]) > 0.85


def test_symmetric_islands_are_compared_by_the_prior() -> None:
    live = posterior.fit(LOGS["islands"].comparisons, model(7)).scores

    across, to_nobody = predict(live, 0, 4), predict(live, 0, 6)

    assert across.p_first_better == pytest.approx(0.5)
    assert to_nobody.p_first_better == pytest.approx(0.5)
    assert 1.0 < predict(live, 0, 1).sd_difference < across.sd_difference < to_nobody.sd_difference < np.sqrt(2.0)


def test_more_votes_within_islands_do_not_decide_the_order_across_them() -> None:
    """The two island means keep their prior variance, 1/3 each."""
    log = joined(*[ring(0, 1, 2)] * 200, *[ring(3, 4, 5)] * 200)

    assert predict(posterior.fit(log, model(6)).scores, 0, 4).sd_difference > np.sqrt(2 / 3)


@each_method
def test_symmetric_islands_hold_equals(method: Method) -> None:
    scores = scores_of(method, "islands")

    np.testing.assert_allclose(scores, scores[0], atol=1e-9)


@each_method
@pytest.mark.parametrize("name", ["no data", "ties only", "certain and contradictory"])
def test_where_nobody_wins_all_are_equal(method: Method, name: str) -> None:
    scores = scores_of(method, name)

    np.testing.assert_allclose(scores, scores[0], atol=1e-9)


@pytest.mark.parametrize("name", ["one candidate", "no data", "ties only", "islands"])
def test_equals_share_the_first_rank(name: str) -> None:
    assert set(published(LOGS[name]).rank.tolist()) == {1}


@each_method
def test_three_to_one_is_a_lead(method: Method) -> None:
    scores = scores_of(method, "two candidates at three to one")

    assert scores[0] > scores[1]


@each_method
def test_a_separated_line_comes_out_in_order(method: Method) -> None:
    scores = scores_of(method, "three in a line, fully separated")

    assert scores[0] > scores[1] > scores[2]


def test_a_thousand_wins_stay_within_reach_of_the_prior() -> None:
    """Not +-2825: a standard normal score."""
    assert abs(published(LOGS["one pair a thousand times"]).score).max() < 4.0
