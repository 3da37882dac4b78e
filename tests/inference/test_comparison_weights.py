"""A comparison of weight w says what w comparisons alike say, whatever reads it."""

from collections.abc import Callable

import numpy as np
import pytest
from nextpair.words import MAX_WEIGHT, MIN_WEIGHT

from app.inference.fitting import baselines, judge_aware, posterior
from app.inference.fitting.posterior import Posterior
from app.inference.judges.pair_votes import votes_by_pair
from app.inference.reporting.diagnostics import cycles, order_balance
from app.inference.types import Comparisons, Floats, by_one_judge, take
from app.inference.verdicts import potentials
from tests.inference.factories import by_judges, cycle, each_expert, fold_rows, joined, model, random_comparisons

N, JUDGES = 7, 3
TIMES = np.random.default_rng(5).integers(1, 5, 40)


def weighted() -> Comparisons:
    """Hard verdicts too: what is certain weighs as well."""
    log = joined(cycle(N, 0), random_comparisons(N, 20, 1), random_comparisons(N, 13, 2, hard=True))
    return by_judges(log, JUDGES)._replace(weight=TIMES.astype(np.float64))


def repeated() -> Comparisons:
    return take(weighted(), np.repeat(np.arange(40), TIMES))._replace(weight=np.ones(int(TIMES.sum())))


def assert_same(one: Posterior, other: Posterior) -> None:
    assert one.convergence.converged
    np.testing.assert_allclose(one.mean, other.mean, atol=1e-8)
    np.testing.assert_allclose(one.covariance.matrix(), other.covariance.matrix(), atol=1e-8)


@each_expert
@pytest.mark.parametrize("biases", [0, JUDGES])
def test_a_weight_is_so_many_comparisons_alike(expert: str, biases: int) -> None:
    m = model(N, expert=expert, biases=biases)
    assert_same(posterior.fit(weighted(), m), posterior.fit(repeated(), m))


@each_expert
def test_weights_can_be_given_one_by_one(expert: str) -> None:
    """Learning by steps is fitting at once."""
    m, log = model(N, expert=expert), weighted()
    live = posterior.prior(m)
    for seen in range(1, log.size + 1):
        live = fold_rows(live, take(log, slice(seen)))
    assert_same(posterior.exact(live), posterior.fit(log, m))


def test_steps_by_products_know_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    m = model(N, biases=JUDGES)
    quick = posterior.fit(weighted(), m)
    monkeypatch.setattr(posterior, "SMALL", -1)
    assert_same(quick, posterior.fit(weighted(), m))


def test_parts_of_a_weight_add_up() -> None:
    log, m = weighted(), model(N)
    parts = joined(log._replace(weight=0.3 * log.weight), log._replace(weight=0.7 * log.weight))
    assert_same(posterior.fit(parts, m), posterior.fit(log, m))


def test_judge_aware_scores_know_weights() -> None:
    one, other = (judge_aware.fit(log, model(N), np.zeros(JUDGES, np.bool_)) for log in (weighted(), repeated()))
    np.testing.assert_allclose(one.of_scores.mean, other.of_scores.mean, atol=1e-6)
    weighed, as_repeated = (of.of_scores.covariance.matrix() for of in (one, other))
    np.testing.assert_allclose(weighed, as_repeated, atol=1e-5)


@pytest.mark.parametrize("baseline", [baselines.BASELINES["win-ratio"], baselines.average_probability])
def test_shares_are_weighted(baseline: Callable[[Comparisons, int], baselines.BaselineScores]) -> None:
    np.testing.assert_allclose(baseline(weighted(), N).score, baseline(repeated(), N).score, atol=1e-12)


@pytest.mark.parametrize("baseline", baselines.BASELINES.values())
def test_a_landslide_by_weight_is_one(baseline: Callable[[Comparisons, int], baselines.BaselineScores]) -> None:
    """5000 votes for the first against one for the second."""
    score = baseline(two_rows(5000.0, 1.0), 2).score
    assert score[0] > score[1]
    np.testing.assert_allclose(baseline(two_rows(3.0, 3.0), 2).score, baseline(two_rows(1.0, 1.0), 2).score, atol=1e-12)


def test_cycles_and_the_first_position_know_weights() -> None:
    """Here a row of weight 4 outvotes three of weight 1, which closes a cycle."""
    at = np.array([[0, 1], [1, 0], [1, 0], [1, 0], [1, 2], [2, 0]]).T
    log = by_one_judge(at[0], at[1], np.ones(6))._replace(weight=np.array([4.0, 1.0, 1.0, 1.0, 1.0, 1.0]))
    for one, other in ((weighted(), repeated()), (log, take(log, np.array([0, 0, 0, 0, 1, 2, 3, 4, 5])))):
        other = other._replace(weight=np.ones(other.size))
        assert cycles(one, N) == cycles(other, N)
        assert order_balance(one, N).first_picked == pytest.approx(order_balance(other, N).first_picked)
    assert cycles(log, 3).cyclic == 1


@each_expert
def test_heavy_rows_leave_nothing_unfitted_elsewhere(expert: str) -> None:
    """The rounding of 1e9 votes on one pair is no leave to stop before another is fitted."""
    pairs = np.array([[0, 1]] * 1000 + [[2, 3]] * 4).T
    log = by_one_judge(pairs[0], pairs[1], np.append(np.arange(1000) % 2, np.ones(4)).astype(np.float64))
    found = posterior.fit(log._replace(weight=np.append(np.full(1000, 1e6), np.ones(4))), model(4, expert=expert))
    alone = posterior.fit(take(log, slice(1000, None)), model(4, expert=expert))
    assert found.convergence.converged
    np.testing.assert_allclose(found.mean[2:], alone.mean[2:], atol=1e-5)


def test_the_lightest_weights_beside_the_heaviest_have_potentials() -> None:
    """Values that some scores meet exactly."""
    links = by_one_judge(np.array([0, 1, 2, 4]), np.array([1, 2, 3, 5]), np.ones(4))
    log = links._replace(weight=np.array([MAX_WEIGHT, MIN_WEIGHT, MAX_WEIGHT, MIN_WEIGHT]))
    np.testing.assert_allclose(-np.diff(potentials(np.ones(4), log, 6))[[0, 1, 2, 4]], 1.0, atol=1e-2)


def test_a_mean_verdict_is_weighted() -> None:
    np.testing.assert_allclose(votes_by_pair(two_rows(3.0, 1.0), np.zeros(2, np.int64), 1).p, [[0.75]])


def two_rows(first: float, second: float) -> Comparisons:
    """0 is better, 1 is better."""
    weight: Floats = np.array([first, second])
    zeros, ones = np.zeros(2, np.int64), np.ones(2, np.int64)
    return Comparisons(zeros, ones, np.array([1.0, 0.0]), zeros, weight)
