"""One verdict of several judges' by any method, doubts about them, what people's labels tell, and what to label next.

A judge's skill is (mean_c A_kcc - 1/C) / (1 - 1/C): 1 is never wrong, 0 is chance, less is against the others. By
labels t_nc (aggregation.py), a judge's vote on item n is right for the share sum_c v_nkc t_nc.

Which to label: the items of each vote pattern, how many judges vote for which class, are to be labelled in proportion
to their number, so that the labelled items are like all (decision 53).
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeGuard, get_args

import numpy as np
from nextpair.words import AggregationName, ContextMethod

from app.inference.judges.aggregation import (
    EQUAL,
    Aggregate,
    Dependence,
    Labels,
    Probabilities,
    Votes,
    average,
    dawid_skene_anchored,
    is_unlike,
    majority,
    one_sided,
    votes,
    with_labels,
)
from app.inference.judges.pair_votes import LEVEL
from app.inference.judges.skill_aggregation import ItemContext, Progress, by_context
from app.inference.types import Bools, Floats, Ints
from app.inference.verdicts import Share, share_of

CHANCE = 0.1  # skill below which a judge is as good as a coin
DEPARTS = 0.15  # share of items from which on a method is said to overrule the majority
FEWEST_VOTES = 20  # votes below which nothing is said of a judge
LISTED = 10  # items to label next

WayName = Literal["dawid-skene", "average", "majority", "best judge"]


class Doubt(NamedTuple):
    judge: int
    kind: Literal["chance", "against", "one_sided"]
    size: float  # the skill, or the share of one class


class LabelFindings(NamedTuple):
    """Information of people's labels about K judges."""

    items: int  # that people labelled
    among_people: Share | None  # agreement of each with the others, where several labelled the same
    judges: list[Share | None]  # (K,) agreement with people
    ways: Mapping[WayName, Share]  # to weigh judges, each on labels that it has not seen
    unlike: bool  # whether judges agree on the labelled items more, or less, than on all

    @property
    def best(self) -> int | None:
        """The judge who is right most often."""
        shares = [-1.0 if each is None else each.share for each in self.judges]
        return int(np.argmax(shares)) if max(shares, default=-1.0) >= 0.0 else None

    @property
    def advice(self) -> WayName:
        """The way that is right most often, the first of those that are alike."""
        return max(self.ways, key=lambda way: self.ways[way].share)


class GroupVerdicts(NamedTuple):
    """N items as K judges see them together, and what is to be known of the judges."""

    aggregate: Aggregate
    doubts: list[Doubt]
    dependence: Dependence
    deviation: float  # of the method from the majority, where no label tells who is right
    labels: LabelFindings | None  # where people labelled any item
    to_label: Ints  # the items to label next, the most wanted first


def needs_context(method: AggregationName) -> TypeGuard[ContextMethod]:
    return method in get_args(ContextMethod)


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
    """Weigh judges, and hold them against `people` (N, P, C) where there are any.

    Raises ValueError where `method` needs a context and there is none. Args: `regulariser` as in `by_context`;
    `as_published` takes average, majority and dawid-skene by the letter of SA (aggregation.py), without people.
    """
    people = np.empty((len(y), 0, y.shape[2])) if people is None else people
    v, labels = votes(y, to_first=as_published), labels_by(people)
    known, by_dawid_skene = np.any(labels, axis=1), dawid_skene_anchored(v, labels, rng, equal_shares=as_published)
    if needs_context(method):
        if context is None:
            raise ValueError(f"{method} reads what the items say, and needs their texts or features")
        by_labels = by_dawid_skene if known.any() else None
        group = by_context(y, context, method, rng, by_labels=by_labels, regulariser=regulariser, progress=progress)
    elif method == "dawid-skene":
        group = by_dawid_skene.aggregate
    else:
        group = with_labels(average(y) if method == "average" else majority(v), labels)
    return GroupVerdicts(
        aggregate=group,
        doubts=doubts(v, by_dawid_skene.aggregate, labels),
        dependence=by_dawid_skene.dependence,
        deviation=0.0 if known.any() else deviation(group, v),
        labels=label_findings(y, v, labels, people, by_dawid_skene.held_out),
        to_label=next_to_label(v, known, LISTED, rng)[0],
    )


def labels_by(people: Votes) -> Labels:
    """(N, C) t_nc of the (N, P, C) votes of people."""
    return np.where(np.any(people, axis=(1, 2))[:, None], majority(people).probability, 0.0)


def skill(confusion: Floats) -> Floats:
    """(K,) from (K, C, C) confusion matrices."""
    chance = 1.0 / confusion.shape[1]
    return np.asarray((np.einsum("kcc->k", confusion) * chance - chance) / (1.0 - chance))


def doubts(v: Votes, by_dawid_skene: Aggregate, labels: Labels) -> list[Doubt]:
    """Judges who say always the same, who are no better than chance, or worse: by Dawid-Skene, whatever method is used.

    Where there are labels a judge is validated against them, if they are as many as FEWEST_VOTES.
    """
    assert by_dawid_skene.confusion is not None
    known, sided, doubted = np.any(labels, axis=1), one_sided(v), []
    enough = (v[known] if known.any() else v).any(axis=2).sum(axis=0) >= FEWEST_VOTES
    for k, (counts, size) in enumerate(zip(v.sum(axis=0), skill(by_dawid_skene.confusion).tolist(), strict=True)):
        if sided[k] and counts.sum() >= FEWEST_VOTES:
            doubted.append(Doubt(k, "one_sided", float(counts.max() / counts.sum())))
        elif enough[k] and size < CHANCE:
            doubted.append(Doubt(k, "chance" if size > -CHANCE else "against", size))
    return doubted


def deviation(group: Aggregate, v: Votes) -> float:
    """Share of the items with a clear majority in which the method decides otherwise."""
    by_majority = votes(majority(v).probability)
    clear = by_majority.max(axis=1) == 1.0
    return float(1.0 - _right(group.probability, by_majority)[clear].mean()) if clear.any() else 0.0


def label_findings(y: Probabilities, v: Votes, labels: Labels, people: Votes, held_out: Floats) -> LabelFindings | None:
    """Judges, and ways to weigh them, by people's labels, if any; `v` are the votes of y, `held_out` as in Anchored."""
    known = np.any(labels, axis=1) & np.any(v, axis=(1, 2))  # and judged
    if not known.any():
        return None
    t, right = labels[known], _rights(v[known], labels[known])
    by_way: dict[WayName, Floats] = {
        "dawid-skene": _right(held_out[known], t),
        "average": _right(average(y[known]).probability, t),
        "majority": _right(majority(v[known]).probability, t),
        "best judge": _by_best_of_others(right),
    }
    return LabelFindings(
        items=int(known.sum()),
        among_people=_among(people[known]),
        judges=_of_each(right),
        ways={way: share for way, each in by_way.items() if (share := share_of(each, LEVEL))},
        unlike=is_unlike(v, known),
    )


def confirmed(v: Votes, people: Bools) -> set[int]:
    """Judges whom the labels of `people` (K,) prove to be better than chance, whatever other judges say; by number."""
    labels = labels_by(v[:, people])
    known = np.any(labels, axis=1)
    judges, chance = _of_each(_rights(v[known], labels[known])), 1.0 / v.shape[2]
    return {k for k, each in enumerate(judges) if each and each.interval[0] > chance and not people[k]}


def next_to_label(v: Votes, labelled: Bools, count: int, rng: np.random.Generator) -> tuple[Ints, Floats, Floats]:
    """Up to `count` items to label, most wanted first, with the labels that their patterns lack, and propensities."""
    _, pattern = np.unique(np.round(v.sum(axis=1), 6), axis=0, return_inverse=True)
    pattern, judged = pattern.reshape(-1), np.any(v, axis=(1, 2))
    of_all, done = (np.bincount(pattern[some], minlength=len(v)) for some in (judged, judged & labelled))
    free, share = judged & ~labelled, of_all / max(judged.sum(), 1)
    chosen: list[tuple[int, float, float]] = []
    for _ in range(min(count, int(free.sum()))):
        lacks = (share * (done.sum() + 1) - done)[pattern]
        of_most = np.flatnonzero(free & (lacks >= lacks[free].max() - EQUAL))
        item = int(rng.choice(of_most))
        chosen.append((item, float(lacks[item]), 1.0 / len(of_most)))
        free[item] = False
        done[pattern[item]] += 1
    items, lacking, propensities = np.array(chosen).reshape(-1, 3).T
    return items.astype(np.int64), lacking, propensities


def _right(probability: Floats, t: Floats) -> Floats:
    """(N,) the share in t (N, C) of the likeliest class of each item."""
    return np.asarray((votes(probability) * t).sum(axis=1))


def _rights(v: Votes, t: Labels) -> Floats:
    """(L, K) how right each judge is on each labelled item, NaN without a vote."""
    return np.where(v.any(axis=2), np.einsum("nkc,nc->nk", v, t), np.nan)


def _of_each(right: Floats) -> list[Share | None]:
    return [share_of(each[~np.isnan(each)], LEVEL) for each in right.T]


def _by_best_of_others(right: Floats) -> Floats:
    """(L,) how right that judge is on each labelled item who is right most often on the others; a half if it is silent.

    Conceptually: leave one item out, take the judge with the largest mean of `right`, look at the item.
    """
    voted, rightness = ~np.isnan(right), np.nan_to_num(right)
    others = (rightness.sum(axis=0) - rightness + 0.5) / (voted.sum(axis=0) - voted + 1.0)
    of_best = np.take_along_axis(right, np.argmax(others, axis=1)[:, None], axis=1)[:, 0]
    return np.nan_to_num(of_best, nan=0.5)


def _among(people: Votes) -> Share | None:
    """Agreement of each of the people with the mean of the others, on items that several labelled."""
    voters = people.any(axis=2).sum(axis=1)
    several = voters > 1
    together, alone = people.sum(axis=1) ** 2, people**2
    agreeing = together.sum(axis=1) - alone.sum(axis=(1, 2))
    return share_of((agreeing / np.maximum(voters * (voters - 1), 1))[several], LEVEL)
