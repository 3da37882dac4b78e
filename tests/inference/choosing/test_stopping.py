"""By hand and by properties; how often the rules err is simulated in test_stopping_simulation.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import norm

from app.inference.choosing.stopping import Stop, Stopping, distance_to_stop, rank_bounds, reason, separated
from app.inference.experts import MAKERS
from app.inference.fitting import posterior
from app.inference.fitting.model import Model
from app.inference.fitting.posterior import Scores
from app.inference.types import Comparisons, Floats, no_comparisons
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    covariance_of,
    cycle,
    each_expert,
    isotropic,
    joined,
    logs,
    marginal,
    model,
    numerics,
    random_comparisons,
    relabelled,
)

ALL = Stop(top_k=1, rank_width=0, entropy_change=1e-3)
few = settings(numerics, max_examples=40)


def known(mean: list[float], variance: float) -> Scores:
    """Independent posteriors N(mean, variance)."""
    return Scores(np.array(mean), isotropic(len(mean), variance))


def fitted(log: Comparisons, m: Model) -> Scores:
    return posterior.scores(posterior.fit(log, m), log, m)


def bayes_factor(m: Floats, v: Floats, prior: Floats) -> Floats:
    """Savage and Dickey: how much less likely a difference of 0 has become."""
    return np.asarray(norm.pdf(0.0, 0.0, np.sqrt(prior)) / norm.pdf(0.0, m, np.sqrt(v)), np.float64)


@pytest.mark.parametrize(("claims", "error_level"), [(1, 0.05), (10, 0.05), (45, 0.2), (3, 0.001)])
def test_separated_is_a_bayes_factor_of_claims_over_alpha(claims: int, error_level: float) -> None:
    m, v = (grid.ravel() for grid in np.meshgrid(np.linspace(-4.0, 4.0, 41), np.array([0.05, 0.3, 1.0, 2.0])))
    prior = np.full(len(m), 2.0)

    found = separated(m, v, prior, claims, error_level)

    np.testing.assert_array_equal(found, bayes_factor(m, v, prior) >= claims / error_level)
    assert found.any()
    assert not found.all()


def test_separated_by_hand() -> None:
    """sqrt(0.5 / 2) exp(m^2 / (2 * 0.5)) = 20 at m = sqrt(ln 40)."""
    edge = np.sqrt(np.log(40.0))

    found = separated(np.array([edge - 1e-6, edge + 1e-6, -edge - 1e-6]), np.full(3, 0.5), np.full(3, 2.0), 1, 0.05)

    assert found.tolist() == [False, True, True]


def test_more_claims_take_more_evidence() -> None:
    m, v, prior = np.linspace(0.0, 4.0, 100), np.full(100, 0.5), np.full(100, 2.0)

    count = [int(separated(m, v, prior, claims, 0.05).sum()) for claims in (1, 10, 100, 1000)]

    assert count == sorted(set(count), reverse=True)


def test_overwhelming_evidence_does_not_overflow() -> None:
    assert separated(np.array([50.0]), np.array([1e-6]), np.array([2.0]), 10, 0.05).all()


def test_rank_bounds_by_hand() -> None:
    """0 above 1 and 2, 1 above 2; 3 unsure of all."""
    above = np.zeros((4, 4), np.bool_)
    above[0, 1] = above[0, 2] = above[1, 2] = True

    assert rank_bounds(above).tolist() == [[1, 2], [2, 3], [3, 4], [1, 4]]


@pytest.mark.parametrize("n", [1, 2, 7])
def test_rank_bounds_of_a_total_order_are_the_ranks_and_of_nothing_everything(n: int) -> None:
    total, nothing = np.triu(np.ones((n, n), np.bool_), 1), np.zeros((n, n), np.bool_)

    assert rank_bounds(total).tolist() == [[i + 1, i + 1] for i in range(n)]
    assert rank_bounds(nothing).tolist() == [[1, n]] * n


def test_the_top_is_apart_once_it_is_surely_above_all_others() -> None:
    """Two cross pairs of m = 2 at v = 0.2: sqrt(0.1) exp(10) = 6966 against 2 / 0.05; the others may tie."""
    live = known([2.0, 0.0, 0.0], 0.1)

    assert reason(live, model(3), Stop(top_k=1)) == "top_k"
    assert reason(live, model(3), Stop(top_k=2)) is None
    assert reason(known([0.0, 2.0, 2.0], 0.1), model(3), Stop(top_k=2)) == "top_k"


def edge(claims: int) -> float:
    """The least difference that is sure at alpha = 0.05, among so many claims, with v = 0.2 and V = 2."""
    return float(np.sqrt(0.4 * np.log(claims / 0.05 * np.sqrt(10.0))))


def test_a_claim_is_made_of_every_pair_that_it_needs() -> None:
    """k (N - k) cross pairs for the top, N (N - 1) / 2 for the rank intervals."""
    for k, n, claims in ((1, 2, 1), (1, 4, 3), (2, 4, 4)):
        above, below = ([step * edge(claims)] * k + [0.0] * (n - k) for step in (1.001, 0.999))
        assert reason(known(above, 0.1), model(n), Stop(top_k=k)) == "top_k"
        assert reason(known(below, 0.1), model(n), Stop(top_k=k)) is None
    for n, claims in ((2, 1), (3, 3), (5, 10)):
        above, below = ([step * edge(claims) * i for i in range(n)] for step in (1.001, 0.999))
        assert reason(known(above, 0.1), model(n), Stop(rank_width=0)) == "rank_width"
        assert reason(known(below, 0.1), model(n), Stop(rank_width=0)) is None


def test_one_rival_in_reach_keeps_the_top_open() -> None:
    assert reason(known([2.0, 1.9, 0.0], 0.1), model(3), Stop(top_k=1)) is None


def test_rank_width_is_that_of_the_widest_interval() -> None:
    """0 is sure, 1 and 2 may change places: their width is 1."""
    live = known([3.0, 0.1, 0.0, -3.0], 0.05)

    assert reason(live, model(4), Stop(rank_width=0)) is None
    assert reason(live, model(4), Stop(rank_width=1)) == "rank_width"
    assert reason(live, model(4), Stop(rank_width=2)) == "rank_width"


@each_expert
def test_entropy_is_about_what_the_most_telling_pair_would_take_off(expert: str) -> None:
    """max ln(1 + w v) / 2 nats."""
    log, m = random_comparisons(5, 40, seed=0), model(5, 1.0, expert)
    live = posterior.fit(log, m)
    sigma = live.covariance.base - live.covariance.columns @ live.covariance.columns.T
    i, j = np.triu_indices(5, 1)
    d = live.mean[i] - live.mean[j]
    w = m.expert.curvature(d, m.expert.expected(d))

    most = float(0.5 * np.log1p(w * (sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j])).max())

    assert reason(marginal(live), m, Stop(entropy_change=1.001 * most)) == "entropy_change"
    assert reason(marginal(live), m, Stop(entropy_change=0.999 * most)) is None


def test_the_first_reason_that_holds_is_given() -> None:
    sure, vague = known([5.0, 0.0, -5.0], 1e-4), known([0.3, 0.0, 0.0], 1e-4)
    everything = Stop(top_k=1, rank_width=0, entropy_change=1.0)

    assert reason(sure, model(3), everything) == "top_k"
    assert reason(sure, model(3), everything._replace(top_k=None)) == "rank_width"
    assert reason(sure, model(3), Stop(entropy_change=1.0)) == "entropy_change"
    assert reason(vague, model(3), everything._replace(top_k=2)) == "entropy_change"
    assert reason(sure, model(3), Stop()) is None


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize(("expert", "prior"), [(name, "unit") for name in MAKERS] + [("soft-bt", "anchor")])
def test_without_data_nothing_is_reported(expert: str, prior: str, n: int) -> None:
    """Not even of a top or a width that holds of any ranking; and there is nothing to forecast from."""
    m = model(n, 1.0, expert, prior=prior, biases=1)
    before = posterior.scores(posterior.prior(m), no_comparisons(), m)

    for k in range(1, n + 2):
        stop = Stop(top_k=k, rank_width=k - 1 if k < n else n + 5, entropy_change=1e-3, error_level=0.5)
        assert distance_to_stop(before, m, 0, stop) == Stopping(None, None)


@pytest.mark.parametrize("stop", [Stop(top_k=3), Stop(top_k=9), Stop(rank_width=2), Stop(rank_width=9)])
def test_what_holds_of_any_three_candidates_is_no_reason(stop: Stop) -> None:
    assert distance_to_stop(known([5.0, 0.0, -5.0], 1e-4), model(3), 100, stop) == Stopping(None, None)


@each_expert
def test_a_judge_that_only_ties_is_never_a_reason_to_claim_an_order(expert: str) -> None:
    log, m = random_comparisons(4, 400, seed=0)._replace(p=np.full(400, 0.5)), model(4, 1.0, expert)

    found = distance_to_stop(fitted(log, m), m, 400, Stop(top_k=1, rank_width=1))

    assert found == Stopping(None, None)


def least_factor(m: float, v: float, prior: float, threshold: float) -> float:
    """By which the comparisons' part of the precision must grow, on a fine grid."""
    factors = np.exp(np.linspace(0.0, np.log(100.0), 200_001))
    grown = 1.0 / (1.0 / prior + factors * (1.0 / v - 1.0 / prior))
    return float(factors[np.argmax(bayes_factor(np.full(200_001, m), grown, np.full(200_001, prior)) >= threshold)])


@pytest.mark.parametrize(("m", "v"), [(0.8, 0.5), (0.5, 0.3), (1.0, 1.5)])
def test_the_forecast_of_two_candidates_by_search(m: float, v: float) -> None:
    """Means stay, precision beyond the prior's grows in proportion to the comparisons."""
    found = distance_to_stop(known([m, 0.0], v / 2.0), model(2), 100, Stop(top_k=1))

    more = 100.0 * (least_factor(m, v, 2.0, 1.0 / 0.05) - 1.0)
    assert found.reason is None
    assert found.forecast is not None
    assert more - 1.0 <= found.forecast <= 1.0 + 1.02 * (more + 100.0) - 100.0


def test_the_forecast_is_nothing_once_there_and_unknown_beyond_a_hundred_times() -> None:
    there, far, never = known([5.0, 0.0], 0.1), known([0.01, 0.0], 0.5), known([0.0, 0.0], 0.1)

    assert distance_to_stop(there, model(2), 50, Stop(top_k=1)) == Stopping("top_k", 0)
    assert distance_to_stop(far, model(2), 50, Stop(top_k=1)) == Stopping(None, None)
    assert distance_to_stop(never, model(2), 50, Stop(top_k=1)) == Stopping(None, None)


def forecasts(stops: list[Stop]) -> list[int]:
    """Of one state, with 60 comparisons of 6 candidates."""
    log, m = joined(cycle(6, 0), random_comparisons(6, 54, seed=1)), model(6)
    found = [distance_to_stop(fitted(log, m), m, 60, stop).forecast for stop in stops]
    assert None not in found
    return [each for each in found if each is not None]


def test_the_stricter_the_rule_the_longer_the_forecast() -> None:
    by_error = forecasts([Stop(top_k=1, error_level=level) for level in (0.5, 0.2, 0.05, 0.001)])
    by_width = forecasts([Stop(rank_width=width) for width in (4, 3, 2)])
    by_entropy = forecasts([Stop(entropy_change=nats) for nats in (0.05, 0.02, 0.01, 0.001)])

    for rising in (by_error, by_width, by_entropy):
        assert rising == sorted(rising)
        assert rising[0] < rising[-1]


def test_whichever_comes_first_is_forecast() -> None:
    one, other = Stop(top_k=1), Stop(entropy_change=0.01)

    alone = forecasts([one, other])
    assert forecasts([Stop(top_k=1, entropy_change=0.01)]) == [min(alone)]


def test_the_forecast_is_in_comparisons_so_twice_as_many_count_twice() -> None:
    live = known([0.8, 0.0], 0.25)

    once, twice = (distance_to_stop(live, model(2), count, Stop(top_k=1)).forecast for count in (1000, 2000))

    assert once is not None
    assert twice == pytest.approx(2 * once, abs=1)


@pytest.mark.parametrize("stop", [Stop(top_k=1), Stop(rank_width=1), Stop(entropy_change=0.02)])
def test_a_forecast_that_comes_true_is_a_reason(stop: Stop) -> None:
    """The state that it speaks of, made by hand: v of each pair with the comparisons' part of 1 / v - 1 / 2 grown."""
    mean, variance, count = [0.9, 0.2, -0.5], 0.2, 1000
    found = distance_to_stop(known(mean, variance), model(3), count, stop).forecast
    assert found is not None

    def state(more: float) -> Scores:
        learnt = 1.0 / (2.0 * variance) - 0.5
        return known(mean, 0.5 / (0.5 + (1.0 + more / count) * learnt))

    assert reason(state(found), model(3), stop) is not None
    assert reason(state(0.95 * found), model(3), stop) is None


@few
@given(logs())
def test_any_log_gives_an_answer(log: Log) -> None:
    m = model(log.n)

    found = distance_to_stop(fitted(log.comparisons, m), m, log.comparisons.size, ALL)

    assert (found.forecast == 0) == (found.reason is not None)
    assert found.forecast is None or 0 <= found.forecast <= 100 * max(log.comparisons.size, 1)


def test_relabelling_changes_nothing() -> None:
    log, m, label = random_comparisons(7, 200, seed=0), model(7), np.array([3, 1, 6, 0, 2, 5, 4])

    for stop in (Stop(top_k=1), Stop(top_k=3), Stop(rank_width=4), Stop(entropy_change=0.02)):
        here = distance_to_stop(fitted(log, m), m, 200, stop)
        assert distance_to_stop(fitted(relabelled(log, label), m), m, 200, stop) == here


def test_what_is_common_to_all_scores_does_not_count() -> None:
    """A level that nobody knows blurs every score and no difference."""
    sharp = known([2.0, 0.0, 0.0], 0.1)
    blurred = Scores(sharp.mean + 7.0, covariance_of(0.1 * np.eye(3) + 40.0))

    assert distance_to_stop(blurred, model(3), 10, Stop(top_k=1)) == distance_to_stop(
        sharp, model(3), 10, Stop(top_k=1)
    )


def test_an_anchored_prior_takes_more_evidence() -> None:
    """It expects differences of thousands, so that B = sqrt(v / V) exp(m^2 / 2v) starts far lower."""
    live = known([1.5, 0.0], 0.1)

    assert reason(live, model(2), Stop(top_k=1)) == "top_k"
    assert reason(live, model(2, 1.0, prior="anchor"), Stop(top_k=1)) is None


def test_biases_do_not_count_as_candidates() -> None:
    log = by_judges(random_comparisons(4, 600, seed=0, hard=True), 2)
    m = model(4, biases=2)

    found = distance_to_stop(fitted(log, m), m, 600, Stop(top_k=1, rank_width=1))

    assert found.reason is not None or found.forecast is not None


def test_two_candidates_at_a_thousand_to_one() -> None:
    log = comparisons(*[(0, 1, 1.0)] * 1000, (0, 1, 0.0))

    assert distance_to_stop(fitted(log, model(2)), model(2), 1001, Stop(top_k=1)) == Stopping("top_k", 0)
    assert distance_to_stop(fitted(log, model(2)), model(2), 1001, Stop(rank_width=0)) == Stopping("rank_width", 0)
