"""Any way to make one verdict of several judges', and what to doubt about the judges.

A judge's skill is (mean_c A_kcc - 1/C) / (1 - 1/C): 1 is never wrong, 0 is chance, less is against the others.
"""

from typing import Literal, NamedTuple, cast, get_args

import numpy as np

from app.inference.aggregation import ONE_SIDED, Aggregate, Probabilities, average, dawid_skene, majority, votes
from app.inference.skills import Context, Learner, Progress, by_context
from app.inference.types import Floats, Ints
from app.words import AggregationName, ContextMethod

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
    context: Context | None = None,
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
    return (majority if method == "majority" else dawid_skene)(votes(y), y.shape[2])


def skill(confusion: Floats) -> Floats:
    """(K,) of (K, C, C) confusion matrices."""
    chance = 1.0 / confusion.shape[1]
    right: Floats = np.einsum("kcc->k", confusion) * chance
    return np.asarray((right - chance) / (1.0 - chance))


def doubts(y: Probabilities) -> list[Doubt]:
    """Judges who say always the same, who are no better than chance by what the others say, or against them.

    By Dawid-Skene, whatever method is used: an average or a majority counts such judges in full.
    """
    b, classes = votes(y), y.shape[2]
    confusion = dawid_skene(b, classes).confusion
    assert confusion is not None
    skills = skill(confusion)
    found = [_doubt(k, b[:, k], float(skills[k]), classes) for k in range(b.shape[1])]
    return [doubt for doubt in found if doubt is not None]


def departure(found: Aggregate, y: Probabilities) -> float:
    """Share of the items with a clear majority in which the method decides otherwise."""
    share = majority(votes(y), y.shape[2]).probability
    top = np.sort(share, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9
    differs = found.probability.argmax(axis=1) != share.argmax(axis=1)
    return float(differs[clear].mean()) if clear.any() else 0.0


def _doubt(k: int, b: Ints, skill_of_judge: float, classes: int) -> Doubt | None:
    counts = np.bincount(b[b >= 0], minlength=classes)
    if counts.sum() < FEW:
        return None
    most = int(np.argmax(counts))
    if counts[most] >= ONE_SIDED * counts.sum():
        return Doubt(k, "one_sided", float(counts[most] / counts.sum()), most)
    if abs(skill_of_judge) < CHANCE:
        return Doubt(k, "chance", skill_of_judge, most)
    return Doubt(k, "against", skill_of_judge, most) if skill_of_judge < 0.0 else None
