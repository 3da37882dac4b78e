"""One verdict of several judges' by any method, and doubts about the judges.

A judge's skill is (mean_c A_kcc - 1/C) / (1 - 1/C): 1 is never wrong, 0 is chance, less is against the others.
"""

from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from nextpair.words import AggregationName, ContextMethod

from app.inference.judges.aggregation import (
    ONE_SIDED,
    Aggregate,
    Labels,
    Probabilities,
    Votes,
    average,
    is_labelled,
    majority,
    votes,
    with_labels,
)
from app.inference.judges.anchored import Dependence, dawid_skene_anchored
from app.inference.judges.labels import LabelFindings, label_findings, labels_by, next_to_label, telling
from app.inference.judges.skill_aggregation import ItemContext, Progress, by_context
from app.inference.types import Floats, Ints

CHANCE = 0.1  # skill below which a judge is as good as a coin
DEPARTS = 0.15  # share of items from which on a method is said to overrule the majority
FEWEST_VOTES = 20  # votes below which nothing is said of a judge
LISTED = 10  # items to label next

DoubtKind = Literal["chance", "against", "one_sided"]


class Doubt(NamedTuple):
    judge: int
    kind: DoubtKind
    size: float  # the skill, or the share of one class
    of: int  # that class


class GroupVerdicts(NamedTuple):
    """N items as K judges see them together, and what is to be known of the judges."""

    aggregate: Aggregate
    doubts: list[Doubt]
    dependence: Dependence
    deviation: float  # of the method from the majority, where no label tells who is right
    labels: LabelFindings | None  # where people labelled any item
    to_label: Ints  # the items to label next, the most wanted first


def needs_context(method: AggregationName) -> bool:
    return method in get_args(ContextMethod)


def has_regulariser(method: AggregationName) -> bool:
    return method in ("skill-aggregation", "skill-aggregation-x")


def examine(
    y: Probabilities,
    method: AggregationName,
    rng: np.random.Generator,
    people: Votes | None = None,
    context: ItemContext | None = None,
    progress: Progress = lambda _: None,
    *,
    regulariser: float | None = None,
    as_published: bool = False,
) -> GroupVerdicts:
    """Weigh judges, and hold them against people where there are any.

    Raises ValueError where `method` needs a context and there is none. Args: `people` (N, P, C) are people's votes;
    `regulariser` as in `by_context`; `as_published` takes average, majority and dawid-skene by the letter of SA
    (aggregation.py), without people.
    """
    people = np.empty((len(y), 0, y.shape[2])) if people is None else people
    v, labels = votes(y, to_first=as_published), labels_by(people)
    known, by_dawid_skene = is_labelled(labels), dawid_skene_anchored(v, labels, rng, equal_shares=as_published)
    if needs_context(method):
        if context is None:
            raise ValueError(f"{method} reads what the items say, and needs their texts or features")
        by_labels = by_dawid_skene if known.any() else None
        reads = cast("ContextMethod", method)
        group = by_context(y, context, reads, rng, by_labels=by_labels, regulariser=regulariser, progress=progress)
    elif method == "dawid-skene":
        group = by_dawid_skene.aggregate
    else:
        group = with_labels(average(y) if method == "average" else majority(v), labels)
    return GroupVerdicts(
        aggregate=group,
        doubts=doubts(v, by_dawid_skene.aggregate, labels),
        dependence=by_dawid_skene.dependence,
        deviation=0.0 if known.any() else deviation(group, v),
        labels=label_findings(y, labels, people, by_dawid_skene.held_out) if telling(v, labels).any() else None,
        to_label=next_to_label(v, known, LISTED, rng).item,
    )


def skill(confusion: Floats) -> Floats:
    """(K,) from (K, C, C) confusion matrices."""
    chance = 1.0 / confusion.shape[1]
    right: Floats = np.einsum("kcc->k", confusion) * chance
    return np.asarray((right - chance) / (1.0 - chance))


def doubts(v: Votes, by_dawid_skene: Aggregate, labels: Labels) -> list[Doubt]:
    """Judges who say always the same, who are no better than chance, or worse.

    Dawid-Skene tells, whatever method is used: an average or a majority counts such judges in full. Where there are
    labels a judge is validated against them, if they are as many as FEWEST_VOTES; else against what the others say.
    """
    assert by_dawid_skene.confusion is not None
    counts, known = v.sum(axis=0), is_labelled(labels)
    enough = (v[known] if known.any() else v).any(axis=2).sum(axis=0) >= FEWEST_VOTES
    judges = zip(counts, skill(by_dawid_skene.confusion), enough, strict=True)
    return [doubt for k, each in enumerate(judges) if (doubt := _doubt(k, *each))]


def deviation(group: Aggregate, v: Votes) -> float:
    """Share of the items with a clear majority in which the method decides otherwise."""
    named, by_majority = (votes(p[:, None, :])[:, 0] for p in (group.probability, majority(v).probability))
    clear = by_majority.max(axis=1) == 1.0
    agrees = (named * by_majority).sum(axis=1)
    return float(1.0 - agrees[clear].mean()) if clear.any() else 0.0


def _doubt(k: int, counts: Floats, skill_of_judge: float, enough: bool) -> Doubt | None:
    """Args: `counts` (C,) are the judge's votes; `enough` tells whether those that tell its skill are."""
    if counts.sum() < FEWEST_VOTES:
        return None
    most = int(np.argmax(counts))
    if counts[most] >= ONE_SIDED * counts.sum():
        return Doubt(k, "one_sided", float(counts[most] / counts.sum()), most)
    if not enough or skill_of_judge >= CHANCE:
        return None
    return Doubt(k, "chance" if skill_of_judge > -CHANCE else "against", skill_of_judge, most)
