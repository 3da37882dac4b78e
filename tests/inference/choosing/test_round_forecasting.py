"""By properties; whether forecasts come true is simulated for one kind of set."""

import numpy as np
import pytest

from app.inference.choosing import RANKING, Criterion, Forecast, Goal, Left, Stop
from app.inference.choosing.round_forecasting import forecast_of_round
from app.inference.state import Snapshot, check, distance, exact, quantity
from app.inference.targets import WinRates
from benchmarks.studies.all_pairs import STOP, RoundCampaign, RoundWorld, campaign, further

N = 10
FIRST = Goal(top_k=1)
NOTHING = Forecast(None, None, None)
RULES = [
    (STOP, FIRST),
    (STOP, Goal(top_k=3)),
    (STOP, Goal(against=2)),
    (STOP, Goal(pair=(0, 3))),
    (Stop(concordance=0.9), RANKING),
]


def after(comparisons: int, judge: str = "votes", number: int = 5) -> tuple[RoundCampaign, Snapshot]:
    of, snapshot = campaign(RoundWorld(judge, 0.5, N), Criterion.KNOWLEDGE, number)
    of = of._replace(plan=of.plan._replace(goal=FIRST))
    while snapshot.version < comparisons:
        snapshot = further(of, snapshot)
    return of, snapshot


def win_rates(of: RoundCampaign, snapshot: Snapshot) -> WinRates:
    ranked = quantity(snapshot, exact(snapshot, target="all-pairs"), of.sought, supposing=True)
    assert isinstance(ranked, WinRates)
    return ranked


@pytest.mark.parametrize("judge", ["votes", "probabilities"])
@pytest.mark.parametrize(("stop", "goal"), RULES)
def test_no_more_is_forecast_than_is_left(stop: Stop, goal: Goal, judge: str) -> None:
    ranked = win_rates(*after(6, judge))
    left = ranked.verdicts - ranked.judged
    low, median, high = forecast_of_round(ranked, stop, Left(left, left), goal)
    assert low is not None
    assert median is not None
    assert high is not None
    assert 1 <= low <= median <= high <= left
    in_budget = forecast_of_round(ranked, stop, Left(low, low), goal)
    assert in_budget == tuple(end if end <= low else None for end in (low, median, high))


def test_the_stricter_the_rule_the_longer_the_forecast() -> None:
    ranked, left = win_rates(*after(6)), Left(39, 39)
    by_claim = [forecast_of_round(ranked, Stop(goal=level), left, FIRST).median or 0 for level in (0.7, 0.9, 0.99)]
    by_share = [forecast_of_round(ranked, Stop(concordance=share), left).median or 0 for share in (0.8, 0.9, 0.97)]
    assert by_claim == sorted(by_claim)
    assert by_share == sorted(by_share)
    assert by_claim[0] < by_claim[-1]
    assert by_share[0] < by_share[-1]


def test_whichever_comes_first_is_forecast() -> None:
    ranked, left = win_rates(*after(6)), Left(39, 39)
    one, other = Stop(goal=0.95), Stop(concordance=0.8)
    alone = [forecast_of_round(ranked, stop, left, FIRST).median or 0 for stop in (one, other)]
    assert forecast_of_round(ranked, Stop(goal=0.95, concordance=0.8), left, FIRST).median == min(alone)


@pytest.mark.parametrize("stop", [Stop(rank_width=2), Stop(entropy_change=0.01)])
def test_what_cannot_be_forecast_is_not(stop: Stop) -> None:
    assert forecast_of_round(win_rates(*after(6)), stop, Left(39, 39)) == NOTHING


def test_nothing_is_forecast_before_the_first_verdict_nor_where_answers_change() -> None:
    assert forecast_of_round(win_rates(*after(0)), STOP, Left(45, 45), FIRST) == NOTHING
    ranked = win_rates(*after(6))
    changing = ranked._replace(round=ranked.round._replace(repeats=False))
    assert forecast_of_round(changing, STOP, Left(39, 39), FIRST) == NOTHING
    verdicts = ranked.round.verdicts * (np.arange(N) > 0)
    without_one = ranked._replace(round=ranked.round._replace(verdicts=verdicts))
    assert forecast_of_round(without_one, STOP, Left(39, 39), FIRST) == NOTHING


def test_forecasts_fall_to_zero_on_the_way_and_are_right_about_how_long_it_is() -> None:
    """Seeds 2,000 and 2,001: the geometric mean of forecast over actual is within a factor of 2."""
    ratios, ends = [], []
    for number in range(2_000, 2_002):
        of, snapshot = after(3, number=number)
        way = [snapshot]
        while not (checked := check(snapshot, STOP, FIRST, of.sought)).reason:
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
    return distance(snapshot, exact(snapshot, target="all-pairs"), STOP, FIRST, Left(left, left), of.sought).forecast
