"""By hand and by properties; whether forecasts come true is simulated."""

import numpy as np
import pytest
from hypothesis import given, settings

from app.inference.choosing import forecasting
from app.inference.choosing.forecasting import Forecast, Left, Stopping, distance_to_stop
from app.inference.choosing.goals import RANKING, Goal
from app.inference.choosing.stopping import Stop
from app.inference.gaussian import Scores
from tests.inference.choosing.test_stopping import fitted, known, mixture
from tests.inference.factories import (
    Log,
    by_judges,
    covariance_of,
    cycle,
    joined,
    logs,
    model,
    numerics,
    random_comparisons,
    relabelled,
)

ALL = Stop(top_k=1, rank_width=0, entropy_change=1e-3, concordance=0.9)
few = settings(numerics, max_examples=40)
FIRST = Stop(top_k=1)
NOTHING = Forecast(None, None, None)


def test_nothing_is_forecast_from_nothing_and_nothing_is_needed_once_there() -> None:
    assert distance_to_stop(known([0.0, 0.0], 1.0), model(2), 0, FIRST) == Stopping(None, NOTHING, None)
    there = distance_to_stop(known([5.0, 0.0], 0.1), model(2), 50, FIRST, Left(1, 7))
    assert there == Stopping("top_k", Forecast(0, 0, 0), 7)


@pytest.mark.parametrize("stop", [Stop(top_k=3), Stop(rank_width=2), Stop(goal=0.95)], ids=str)
def test_what_cannot_be_met_is_not_forecast(stop: Stop) -> None:
    assert distance_to_stop(known([5.0, 0.0, -5.0], 1e-4), model(3), 100, stop).forecast == NOTHING


def test_nothing_is_forecast_of_so_many_that_their_futures_have_no_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasting, "MOST_NUMBERS", forecasting.FEWEST * forecasting.STEPS)
    assert distance_to_stop(known([0.1, 0.0, -0.1], 1.0), model(3), 100, FIRST) == Stopping(None, NOTHING, None)


def test_what_is_known_for_sure_is_all_there_is_to_forecast() -> None:
    """d = 1 beyond doubt, up to 1e-4: 1 / v grows by 0.23 an answer from 1 / 0.25 of the prior's own 1 / 2."""
    live = known([1.0, 0.0], 0.02)
    low, median, high = distance_to_stop(live, model(2), 100, FIRST).forecast
    assert low is not None
    assert median is not None
    assert high is not None
    assert low <= median <= high


def test_more_is_never_promised_than_is_left() -> None:
    live = known([0.7, 0.0, 0.0], 0.2)
    low, median, high = distance_to_stop(live, model(3), 60, FIRST).forecast
    assert low is not None
    assert median is not None
    assert high is not None
    assert 0 < low < median < high
    for most in (low - 1, low, median - 1, median, high - 1, high):
        forecast = distance_to_stop(live, model(3), 60, FIRST, Left(0, most)).forecast
        assert forecast == tuple(end if end <= most else None for end in (low, median, high))


def forecasts(stops: list[Stop], goal: Goal = RANKING) -> list[int]:
    """Of one state, with 60 comparisons of 6 candidates."""
    log, m = joined(cycle(6, 0), random_comparisons(6, 54, seed=1)), model(6)
    found = [distance_to_stop(fitted(log, m), m, 60, stop, goal=goal).forecast.median for stop in stops]
    assert None not in found
    return [each for each in found if each is not None]


def test_the_stricter_the_rule_the_longer_the_forecast() -> None:
    by_error = forecasts([Stop(top_k=1, error_level=level) for level in (0.5, 0.2, 0.05, 0.001)])
    by_width = forecasts([Stop(rank_width=width) for width in (4, 3, 2)])
    by_entropy = forecasts([Stop(entropy_change=nats) for nats in (0.05, 0.02, 0.01, 0.001)])
    by_share = forecasts([Stop(concordance=share) for share in (0.85, 0.9, 0.93)])
    by_goal = forecasts([Stop(goal=confidence) for confidence in (0.8, 0.95, 0.999)], Goal(against=2))

    for rising in (by_error, by_width, by_entropy, by_share, by_goal):
        assert rising == sorted(rising)
        assert rising[0] < rising[-1]


def test_whichever_comes_first_is_forecast() -> None:
    one, other = Stop(top_k=1), Stop(entropy_change=0.01)

    alone = forecasts([one, other])
    assert min(alone) <= forecasts([Stop(top_k=1, entropy_change=0.01)])[0] < max(alone)


def test_a_pair_is_known_sooner_than_a_leader_and_a_leader_sooner_than_all() -> None:
    live, m = known([0.8, 0.0, -0.4, -0.9], 0.2), model(4)
    goals = [Goal(pair=(0, 1)), Goal(against=0)]
    medians = [distance_to_stop(live, m, 60, Stop(goal=0.95), goal=goal).forecast.median for goal in goals]
    assert None not in medians
    assert medians == sorted(medians, key=lambda median: median or 0)
    assert medians[0] != medians[1]


def test_new_pairs_are_waited_for_before_claims_are_asked_for_by_themselves() -> None:
    live = known([0.8, 0.0, -0.4, -0.9], 0.2)
    medians = [distance_to_stop(live, model(4), 30, FIRST, Left(new, None)).forecast.median for new in (0, 20, 100)]
    assert None not in medians
    assert medians == sorted(medians, key=lambda median: median or 0)
    assert medians[0] != medians[-1]


def test_where_pairs_that_open_again_tell_nothing_there_is_no_going_beyond_new_ones() -> None:
    live = known([0.8, 0.0, -0.4, -0.9], 0.2)
    endless, alone = (
        distance_to_stop(live, model(4), 30, FIRST, Left(100, None, again=again)).forecast for again in (True, False)
    )
    assert (endless.high or 0) > 100
    assert alone.high is not None
    assert alone.high < 100
    assert distance_to_stop(live, model(4), 30, FIRST, Left(0, 500, again=False)).forecast == NOTHING


def test_a_test_that_is_stricter_than_the_normal_of_its_moments_takes_longer() -> None:
    """Of two thirds of the weight the difference is known well, of the rest badly: ln B is what the rest leaves."""
    both = mixture((0.67, [1.4, 0.0, -1.0], 0.05, 1.0), (0.33, [0.8, 0.0, -0.6], 0.25, 1.0))
    alike = both._replace(parts=())
    longer, sooner = (distance_to_stop(each, model(3), 60, FIRST).forecast.median for each in (both, alike))
    assert longer is not None
    assert sooner is not None
    assert longer > sooner


@few
@given(logs())
def test_any_log_gives_an_answer(log: Log) -> None:
    m = model(log.n)

    found = distance_to_stop(fitted(log.comparisons, m), m, log.comparisons.size, ALL)

    assert (found.forecast.median == 0) == (found.reason is not None)
    ends = [end for end in found.forecast if end is not None]
    assert ends == sorted(ends)
    assert all(0 <= end <= 1 + 100 * log.comparisons.size for end in ends)


def test_relabelling_changes_nothing() -> None:
    log, m, label = random_comparisons(7, 200, seed=0), model(7), np.array([3, 1, 6, 0, 2, 5, 4])

    for stop in (Stop(top_k=1), Stop(top_k=3), Stop(rank_width=4), Stop(entropy_change=0.02)):
        here = distance_to_stop(fitted(log, m), m, 200, stop)
        assert distance_to_stop(fitted(relabelled(log, label), m), m, 200, stop) == here


def test_a_level_that_nobody_knows_blurs_every_score_and_no_difference() -> None:
    sharp = known([1.0, 0.0, 0.0], 0.1)
    blurred = Scores(sharp.mean + 7.0, covariance_of(0.1 * np.eye(3) + 40.0))
    ends = [distance_to_stop(live, model(3), 60, FIRST).forecast for live in (sharp, blurred)]
    assert None not in ends[1]
    np.testing.assert_allclose(np.array(ends[0], float), np.array(ends[1], float), rtol=0.5)


def test_biases_do_not_count_as_candidates() -> None:
    log = by_judges(random_comparisons(4, 600, seed=0, hard=True), 2)
    m = model(4, biases=2)

    found = distance_to_stop(fitted(log, m), m, 600, Stop(top_k=1, rank_width=1))

    assert found.reason is not None or found.forecast.median is not None
