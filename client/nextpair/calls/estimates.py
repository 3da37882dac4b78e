"""Estimates of sets that are not made yet."""

from nextpair.calls.description import Call, get, path_of
from nextpair.schemas import Estimate
from nextpair.words import EstimatedGoal, JudgeKind


def estimate(
    *,
    candidates: int,
    items: int = 0,
    judge: JudgeKind = "llm",
    goal: EstimatedGoal = "ranking",
    top_k: int = 1,
    concordance: float | None = None,
) -> Call[Estimate]:
    """Estimate the comparisons until the goal is known, or until this share of its pairs is in the right order."""
    return get(
        path_of("estimate"),
        Estimate.model_validate_json,
        candidates=candidates,
        items=items,
        judge=judge,
        goal=goal,
        top_k=top_k,
        concordance=concordance,
    )
