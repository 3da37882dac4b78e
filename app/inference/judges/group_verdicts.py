"""One verdict of several judges' by any method, and doubts about the judges.

A judge's skill is (mean_c A_kcc - 1/C) / (1 - 1/C): 1 is never wrong, 0 is chance, less is against the others.
"""

from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from nextpair.words import AggregationName, ContextMethod

from app.inference.judges.aggregation import ONE_SIDED, Aggregate, Probabilities, average, dawid_skene, majority, votes
from app.inference.judges.skill_aggregation import ItemContext, Learner, Progress, by_context
from app.inference.types import Floats

CHANCE = 0.1  # skill below which a judge is as good as a coin
DEPARTS = 0.15  # share of items from which on a method is said to overrule the majority
FEW = 20  # votes below which nothing is said of a judge

DoubtKind = Literal["chance", "against", "one_sided"]


class Doubt(NamedTuple):
    judge: int
    kind: DoubtKind
    size: float  # the skill, or the share of one class
    of: int  # that class


def needs_context(method: AggregationName) -> bool:
    return method in get_args(ContextMethod)


def aggregate(
    y: Probabilities,
    method: AggregationName,
    rng: np.random.Generator,
    context: ItemContext | None = None,
    progress: Progress = lambda _: None,
    learner: Learner | None = None,
) -> Aggregate:
    """Raises ValueError where `method` needs a context and there is none."""
    if needs_context(method):
        if context is None:
            raise ValueError(f"{method} reads what the items say, and needs their texts or features")
        return by_context(y, context, cast("ContextMethod", method), rng, progress=progress, learner=learner)
    if method == "average":
        return average(y)
    return (majority if method == "majority" else dawid_skene)(votes(y))


def skill(confusion: Floats) -> Floats:
    """(K,) from (K, C, C) confusion matrices."""
    chance = 1.0 / confusion.shape[1]
    right: Floats = np.einsum("kcc->k", confusion) * chance
    return np.asarray((right - chance) / (1.0 - chance))


def doubts(y: Probabilities) -> list[Doubt]:
    """Judges who say always the same, who are no better than chance by what the others say, or against them.

    Dawid-Skene tells, whatever method is used: an average or a majority counts such judges in full.
    """
    v = votes(y)
    confusion = dawid_skene(v).confusion
    assert confusion is not None
    judges = zip(v.sum(axis=0), skill(confusion), strict=True)
    return [doubt for k, (counts, skill_of_k) in enumerate(judges) if (doubt := _doubt(k, counts, skill_of_k))]


def departure(group: Aggregate, y: Probabilities) -> float:
    """Share of the items with a clear majority in which the method decides otherwise."""
    named, by_majority = (votes(p[:, None, :])[:, 0] for p in (group.probability, majority(votes(y)).probability))
    clear = by_majority.max(axis=1) == 1.0
    agrees = (named * by_majority).sum(axis=1)
    return float(1.0 - agrees[clear].mean()) if clear.any() else 0.0


def _doubt(k: int, counts: Floats, skill_of_judge: float) -> Doubt | None:
    """Args: `counts` (C,) are the judge's votes."""
    if counts.sum() < FEW:
        return None
    most = int(np.argmax(counts))
    if counts[most] >= ONE_SIDED * counts.sum():
        return Doubt(k, "one_sided", float(counts[most] / counts.sum()), most)
    if abs(skill_of_judge) < CHANCE:
        return Doubt(k, "chance", skill_of_judge, most)
    return Doubt(k, "against", skill_of_judge, most) if skill_of_judge < 0.0 else None
