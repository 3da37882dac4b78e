"""How far a set is to its goal: its stop rule where a forecast reaches it, else its budget, else its goal at 95%.

    share = comparisons made / (comparisons made + forecast of those still needed)

A ranking is known at 95% where so many of its pairs are expected in the right order. A narrower goal of m pairs is
where all of them are probably right: P(all) >= 1 - m (1 - expected concordance). All of it is read from the ranking by
the set's own method, which has the forecasts.
"""

from math import ceil
from typing import Literal, NamedTuple

import numpy as np
from nextpair import schemas

from app.inference.choosing import RANKING, Goal, Stop, has_claims
from app.sentences import progress as sentences
from app.sentences.progress import Told

AimName = Literal["stop", "budget", "goal"]
KNOWN = 0.95  # how sure a set without a stop rule and a budget is to be of its goal


class Aim(NamedTuple):
    """What ends a set, beside the last pair."""

    stop: Stop | None
    goal: Goal
    budget: int | None


class _Forecast(NamedTuple):
    left: int
    interval: tuple[int, int | None] | None = None
    prompts: int = 0  # further ones that the comparisons are about


def progress(ranking: schemas.Ranking, aim: Aim, cost_of_verdict: float | None) -> schemas.GoalProgress:
    """Args: `cost_of_verdict` is the mean so far; None where it is not known."""
    comparisons, stopping = ranking.comparisons, ranking.stopping
    if stopping is not None and stopping.converged:
        return _present("stop", 1.0, 0, cost_of_verdict, sentences.rule_met(stopping.sentence))
    if not comparisons:
        told = sentences.not_begun(aim.budget, has_rule=aim.stop is not None)
        return _present(
            "stop" if aim.stop else "budget" if aim.budget else None, 0.0, aim.budget, cost_of_verdict, told
        )
    room = None if aim.budget is None else max(aim.budget - comparisons, 0)
    forecast = _to_rule(ranking, aim)
    if forecast is not None and (room is None or forecast.left <= room):
        cost = _cost(forecast.left, cost_of_verdict)
        told = sentences.to_rule(forecast.left, forecast.interval, cost, forecast.prompts)
        return _present("stop", comparisons / (comparisons + forecast.left), forecast.left, cost_of_verdict, told)
    if aim.budget is not None and room is not None:
        told = sentences.of_budget(comparisons, aim.budget, _cost(room, cost_of_verdict), has_rule=aim.stop is not None)
        return _present("budget", min(comparisons / aim.budget, 1.0), room, cost_of_verdict, told)
    if stopping is not None:
        told = sentences.rule_unmet(
            stopping.sentence, is_exhausted=stopping.left == 0, is_unsupported=bool(stopping.missing)
        )
        return _present("stop", None, None, cost_of_verdict, told)
    if ranking.signal.claimed and ranking.confidence is not None:
        return _to_goal(ranking.confidence, comparisons, cost_of_verdict, is_order=aim.goal == RANKING)
    return _present(None, None, None, cost_of_verdict, sentences.no_limit(KNOWN, has_signal=False))


def _to_rule(ranking: schemas.Ranking, aim: Aim) -> _Forecast | None:
    """Comparisons to the stop rule: as it forecasts them, or as the prompts or the concordance that it asks for do."""
    stopping, prompts = ranking.stopping, ranking.prompts
    if stopping is None or aim.stop is None or stopping.missing:
        return None
    if stopping.forecast is not None:
        return _Forecast(stopping.forecast, stopping.forecast_interval)
    if has_claims(aim.stop, aim.goal, len(ranking.ranking)):
        if prompts is None or prompts.needed is None:
            return None
        more = prompts.needed - prompts.judged
        return _Forecast(ceil(ranking.comparisons * more / prompts.judged), prompts=more)
    if aim.stop.concordance is None or ranking.confidence is None:
        return None
    return _to_concordance(ranking.confidence, ranking.comparisons, aim.stop.concordance)


def _to_goal(
    confidence: schemas.Confidence, made: int, cost_of_verdict: float | None, *, is_order: bool
) -> schemas.GoalProgress:
    """To the goal known at KNOWN, which a set without a stop rule and a budget aims at."""
    level = KNOWN if is_order else 1.0 - (1.0 - KNOWN) / confidence.pairs
    if confidence.expected_concordance >= level:
        return _present("goal", 1.0, 0, cost_of_verdict, sentences.goal_reached(KNOWN, is_order=is_order))
    forecast = _to_concordance(confidence, made, level)
    if forecast is None:
        told = sentences.no_limit(KNOWN, has_signal=True)
        return _present(None, None, None, cost_of_verdict, told)
    left = forecast.left
    told = sentences.to_goal(left, KNOWN, _cost(left, cost_of_verdict), is_order=is_order)
    return _present("goal", made / (made + left), left, cost_of_verdict, told)


def _to_concordance(confidence: schemas.Confidence, made: int, level: float) -> _Forecast | None:
    """Between the forecasts on a logarithmic scale; None where the last one is below the level."""
    totals = np.array([made, *(each.comparisons for each in confidence.forecast)], np.float64)
    shares = [confidence.expected_concordance, *(each.expected_concordance for each in confidence.forecast)]
    rising = np.maximum.accumulate(shares)
    if rising[-1] < level:
        return None
    return _Forecast(max(ceil(np.exp(np.interp(level, rising, np.log(totals)))) - made, 1))


def _cost(comparisons: int | None, of_verdict: float | None) -> float | None:
    return None if comparisons is None or of_verdict is None else comparisons * of_verdict


def _present(
    aim: AimName | None, share: float | None, left: int | None, cost_of_verdict: float | None, told: Told
) -> schemas.GoalProgress:
    return schemas.GoalProgress(
        aim=aim,
        share=share,
        comparisons_left=left,
        cost_left=_cost(left, cost_of_verdict),
        words=told.words,
        sentence=told.sentence,
    )
