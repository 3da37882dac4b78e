"""By hand and by properties; whether forecasts come true is simulated here in small, and in benchmarks/studies."""

import numpy as np
import pytest
from hypothesis import given, settings

from app.inference.choosing import RANKING, Criterion, Goal, Stop, forecasting
from app.inference.choosing.forecasting import Forecast, Left, forecast
from app.inference.gaussian import Scores
from app.inference.state import Snapshot, check, distance, exact, quantity
from app.inference.targets import WinRates
from benchmarks.studies.all_pairs import STOP, RoundCampaign, RoundWorld, campaign, further
from tests.inference.choosing.test_stopping import fitted, known, mixture
from tests.inference.factories import (
    Log,
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


def test_nothing_is_forecast_from_nothing() -> None:
    assert forecast(known([0.0, 0.0], 1.0), model(2), 0, FIRST) == NOTHING


@pytest.mark.parametrize("stop", [Stop(top_k=3), Stop(rank_width=2), Stop(goal=0.95)], ids=str)
def test_what_cannot_be_met_is_not_forecast(stop: Stop) -> None:
    assert forecast(known([5.0, 0.0, -5.0], 1e-4), model(3), 100, stop) == NOTHING


def test_nothing_is_forecast_of_so_many_that_their_futures_have_no_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasting, "MOST_NUMBERS", forecasting.FEWEST * len(forecasting.LATER))
    assert forecast(known([0.1, 0.0, -0.1], 1.0), model(3), 100, FIRST) == NOTHING


def test_more_is_never_promised_than_is_left() -> None:
    live = known([0.7, 0.0, 0.0], 0.2)
    low, median, high = forecast(live, model(3), 60, FIRST)
    assert low is not None
    assert median is not None
    assert high is not None
    assert 0 < low < median < high
    for most in (low - 1, low, median - 1, median, high - 1, high):
        assert forecast(live, model(3), 60, FIRST, Left(0, most)) == tuple(
            end if end <= most else None for end in (low, median, high)
        )


def forecasts(stops: list[Stop], goal: Goal = RANKING) -> list[int]:
    """Of one state, with 60 comparisons of 6 candidates."""
    log, m = joined(cycle(6, 0), random_comparisons(6, 54, seed=1)), model(6)
    medians = [forecast(fitted(log, m), m, 60, stop, goal=goal).median for stop in stops]
    assert None not in medians
    return [each for each in medians if each is not None]


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
    medians = [forecast(live, m, 60, Stop(goal=0.95), goal=goal).median for goal in goals]
    assert None not in medians
    assert medians == sorted(medians, key=lambda median: median or 0)
    assert medians[0] != medians[1]


def test_new_pairs_are_waited_for_before_claims_are_asked_for_by_themselves() -> None:
    live = known([0.8, 0.0, -0.4, -0.9], 0.2)
    medians = [forecast(live, model(4), 30, FIRST, Left(new, None)).median for new in (0, 20, 100)]
    assert None not in medians
    assert medians == sorted(medians, key=lambda median: median or 0)
    assert medians[0] != medians[-1]


def test_where_pairs_that_open_again_tell_nothing_there_is_no_going_beyond_new_ones() -> None:
    live = known([0.8, 0.0, -0.4, -0.9], 0.2)
    endless, alone = (forecast(live, model(4), 30, FIRST, Left(100, None, again=again)) for again in (True, False))
    assert (endless.high or 0) > 100
    assert alone.high is not None
    assert alone.high < 100
    assert forecast(live, model(4), 30, FIRST, Left(0, 500, again=False)) == NOTHING


def test_a_test_that_is_stricter_than_the_normal_of_its_moments_takes_longer() -> None:
    """Of two thirds of the weight the difference is known well, of the rest badly: ln B is what the rest leaves."""
    both = mixture((0.67, [1.4, 0.0, -1.0], 0.05, 1.0), (0.33, [0.8, 0.0, -0.6], 0.25, 1.0))
    alike = both._replace(parts=())
    longer, sooner = (forecast(each, model(3), 60, FIRST).median for each in (both, alike))
    assert longer is not None
    assert sooner is not None
    assert longer > sooner


@few
@given(logs())
def test_any_log_gives_an_answer(log: Log) -> None:
    m = model(log.n)

    ends = [end for end in forecast(fitted(log.comparisons, m), m, log.comparisons.size, ALL) if end is not None]

    assert ends == sorted(ends)
    assert all(1 <= end <= 1 + 100 * log.comparisons.size for end in ends)


def test_relabelling_changes_nothing() -> None:
    log, m, label = random_comparisons(7, 200, seed=0), model(7), np.array([3, 1, 6, 0, 2, 5, 4])

    for stop in (Stop(top_k=1), Stop(top_k=3), Stop(rank_width=4), Stop(entropy_change=0.02)):
        here = forecast(fitted(log, m), m, 200, stop)
        assert forecast(fitted(relabelled(log, label), m), m, 200, stop) == here


def test_a_level_that_nobody_knows_blurs_every_score_and_no_difference() -> None:
    sharp = known([1.0, 0.0, 0.0], 0.1)
    blurred = Scores(sharp.mean + 7.0, covariance_of(0.1 * np.eye(3) + 40.0))
    ends = [forecast(live, model(3), 60, FIRST) for live in (sharp, blurred)]
    assert None not in ends[1]
    np.testing.assert_allclose(np.array(ends[0], float), np.array(ends[1], float), rtol=0.5)


N = 10
LEADER = Goal(top_k=1)
RULES = [
    (STOP, LEADER),
    (STOP, Goal(top_k=3)),
    (STOP, Goal(against=2)),
    (STOP, Goal(pair=(0, 3))),
    (Stop(concordance=0.9), RANKING),
]


def after(comparisons: int, judge: str = "votes", number: int = 5) -> tuple[RoundCampaign, Snapshot]:
    of, snapshot = campaign(RoundWorld(judge, 0.5, N), Criterion.KNOWLEDGE, number)
    of = of._replace(plan=of.plan._replace(goal=LEADER))
    while snapshot.version < comparisons:
        snapshot = further(of, snapshot)
    return of, snapshot


def win_rates(of: RoundCampaign, snapshot: Snapshot) -> WinRates:
    ranked = quantity(snapshot, exact(snapshot, target="all-pairs"), of.sought, supposing=True)
    assert isinstance(ranked, WinRates)
    return ranked


def of_round(ranked: WinRates, stop: Stop, left: Left, goal: Goal = RANKING) -> Forecast:
    return forecast(ranked, model(N), ranked.judged, stop, left, goal)


@pytest.mark.parametrize("judge", ["votes", "probabilities"])
@pytest.mark.parametrize(("stop", "goal"), RULES)
def test_no_more_is_forecast_than_is_left(stop: Stop, goal: Goal, judge: str) -> None:
    ranked = win_rates(*after(6, judge))
    left = ranked.verdicts - ranked.judged
    low, median, high = of_round(ranked, stop, Left(left, left), goal)
    assert low is not None
    assert median is not None
    assert high is not None
    assert 1 <= low <= median <= high <= left
    in_budget = of_round(ranked, stop, Left(low, low), goal)
    assert in_budget == tuple(end if end <= low else None for end in (low, median, high))


def test_the_stricter_the_rule_the_longer_the_forecast_of_a_round() -> None:
    ranked, left = win_rates(*after(6)), Left(39, 39)
    by_claim = [of_round(ranked, Stop(goal=level), left, LEADER).median or 0 for level in (0.7, 0.9, 0.99)]
    by_share = [of_round(ranked, Stop(concordance=share), left).median or 0 for share in (0.8, 0.9, 0.97)]
    assert by_claim == sorted(by_claim)
    assert by_share == sorted(by_share)
    assert by_claim[0] < by_claim[-1]
    assert by_share[0] < by_share[-1]


def test_whichever_comes_first_in_a_round_is_forecast() -> None:
    ranked, left = win_rates(*after(6)), Left(39, 39)
    one, other = Stop(goal=0.95), Stop(concordance=0.8)
    alone = [of_round(ranked, stop, left, LEADER).median or 0 for stop in (one, other)]
    assert of_round(ranked, Stop(goal=0.95, concordance=0.8), left, LEADER).median == min(alone)


@pytest.mark.parametrize("stop", [Stop(rank_width=2), Stop(entropy_change=0.01)])
def test_what_cannot_be_forecast_is_not(stop: Stop) -> None:
    assert of_round(win_rates(*after(6)), stop, Left(39, 39)) == NOTHING


def test_nothing_is_forecast_before_the_first_verdict_nor_where_answers_change() -> None:
    assert of_round(win_rates(*after(0)), STOP, Left(45, 45), LEADER) == NOTHING
    ranked = win_rates(*after(6))
    changing = ranked._replace(repeats=False)
    assert of_round(changing, STOP, Left(39, 39), LEADER) == NOTHING
    without_one = ranked._replace(about=ranked.about * (np.arange(N) > 0))
    assert of_round(without_one, STOP, Left(39, 39), LEADER) == NOTHING


def test_forecasts_fall_to_zero_on_the_way_and_are_right_about_how_long_it_is() -> None:
    """Seeds 2,000 and 2,001: the geometric mean of forecast over actual is within a factor of 2."""
    ratios, ends = [], []
    for number in range(2_000, 2_002):
        of, snapshot = after(3, number=number)
        way = [snapshot]
        while not (checked := check(snapshot, STOP, LEADER, of.sought)).reason:
            snapshot = further(of, snapshot, checked=checked)
            way.append(snapshot)
        early, late = (distance_of(of, each).median or np.inf for each in (way[0], way[2 * len(way) // 3]))
        ratios.append(early / (len(way) - 1))
        ends.append(early - late)
        assert distance_of(of, snapshot) == Forecast(0, 0, 0)
    assert 0.5 <= np.exp(np.mean(np.log(ratios))) <= 2.0
    assert np.mean(ends) > 0


def distance_of(of: RoundCampaign, snapshot: Snapshot) -> Forecast:
    left = of.pairs - snapshot.version
    return distance(snapshot, exact(snapshot, target="all-pairs"), STOP, LEADER, Left(left, left), of.sought).forecast
