"""Estimates of sets that are not made yet: how many comparisons they will take."""

from typing import NamedTuple

from nextpair import schemas
from nextpair.words import EstimatedGoal, JudgeKind

from app.analysis.estimates import EstimateRequest, Judge, estimate, reachable_concordance
from app.inference.choosing import RANKING, Goal
from app.sentences import estimates as sentences


class EstimateQuery(NamedTuple):
    """The set that is planned."""

    candidates: int
    items: int
    judge: JudgeKind
    goal: EstimatedGoal
    top_k: int
    concordance: float | None


def read(query: EstimateQuery) -> schemas.Estimate:
    goals = {"top_k": Goal(top_k=query.top_k), "against": Goal(against=0), "pair": Goal(pair=(0, 1))}
    judge: Judge = "votes" if query.judge == "human" else "probabilities"
    goal = goals.get(query.goal, RANKING)
    request = EstimateRequest(query.candidates, query.items, judge, goal, query.concordance)
    low, median, high = estimate(request)
    sentence = sentences.estimated(low, median, high, query.items)
    return schemas.Estimate(
        low=low,
        median=median,
        high=high,
        reachable_concordance=reachable_concordance(request),
        sentence=sentence,
    )
