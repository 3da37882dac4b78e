"""Progress to a goal that no rule and no budget sets: between the forecasts of the expected concordance."""

import json
from pathlib import Path

import pytest
from nextpair import schemas

from app import api
from app.analysis.progress import Aim, progress
from app.inference.choosing import RANKING, Goal

EXAMPLES = json.loads((Path(api.__path__[0]) / "examples.json").read_text())
LATER = [(50, 0.92), (60, 0.95), (80, 0.97), (160, 0.99)]


def ranking(value: float, pairs: int = 6, *, claimed: bool = True) -> schemas.Ranking:
    """A ranking by 40 comparisons with forecasts; the rest of it does not matter here."""
    forecast = [schemas.ConfidenceForecast(comparisons=n, expected_concordance=share) for n, share in LATER]
    shown = schemas.Ranking.model_validate(EXAMPLES["ranking"]["response"])
    confidence = schemas.Confidence(expected_concordance=value, pairs=pairs, interval=(0.5, 1.0), forecast=forecast)
    signal = schemas.Signal(e_value=30.0, claimed=claimed, verdicts=40)
    changed = {"comparisons": 40, "confidence": confidence, "signal": signal, "stopping": None, "prompts": None}
    return shown.model_copy(update=changed | {"ranking": []})


def left(value: float, goal: Goal = RANKING, pairs: int = 6) -> int | None:
    return progress(ranking(value, pairs), Aim(None, goal, None), 0.5).comparisons_left


def test_an_order_is_known_where_its_forecast_says_so() -> None:
    assert left(0.9) == 20
    assert left(0.96) == 0


def test_a_narrow_goal_takes_all_of_its_pairs() -> None:
    assert left(0.9, Goal(top_k=1), pairs=1) == 20
    assert left(0.9, Goal(top_k=1), pairs=5) == 120
    assert left(0.9, Goal(top_k=1), pairs=6) is None


def test_share_and_cost_are_those_of_the_forecast() -> None:
    shown = progress(ranking(0.9), Aim(None, RANKING, None), 0.5)
    assert (shown.aim, shown.comparisons_left, shown.cost_left) == ("goal", 20, 10.0)
    assert shown.share == pytest.approx(40 / 60)
    assert shown.sentence == "About 20 more comparisons for about $10.00 would bring 95% of pairs into the right order."


def test_no_forecast_is_stated_before_a_signal() -> None:
    shown = progress(ranking(0.9, claimed=False), Aim(None, RANKING, None), 0.5)
    assert (shown.aim, shown.share, shown.comparisons_left, shown.cost_left) == (None, None, None, None)
