"""One verdict on each item from several judges' answers, and a card for each judge, over HTTP and of a file."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from nextpair import schemas
from nextpair.words import AggregationName

from app.inference.judges import (
    GroupVerdicts,
    ItemContext,
    Probabilities,
    Step,
    Votes,
    examine,
    krippendorff_of_items,
    votes,
)
from app.inference.types import Floats, Ints
from app.sentences.judges import about_labels, warnings

NO_YES = ("no", "yes")  # the classes where answers are probabilities of yes
UNKNOWN, TIE = -1, -2  # in place of the number of a class


class AnsweredItems(NamedTuple):
    """N items, and what K judges and P people say of each."""

    items: Sequence[str]  # (N,)
    judges: Sequence[str]  # (K,)
    classes: Sequence[str]  # (C,)
    y: Probabilities  # (N, K, C)
    people: Votes  # (N, P, C)
    context: ItemContext | None = None  # for methods that read it


class AggregationRequest(NamedTuple):
    """The aggregation that is wanted."""

    method: AggregationName
    seed: int  # of splits and of draws that break ties
    regulariser: float | None = None
    as_published: bool = False


def has_regulariser(method: AggregationName) -> bool:
    return method in ("skill-aggregation", "skill-aggregation-x")


def answers_of(number: Ints, classes: int) -> Probabilities:
    """(N, K, C) of the numbers (N, K) of the classes that judges name, or TIE; NaN where UNKNOWN."""
    y = np.full((*number.shape, classes), np.nan)
    named = number >= 0
    y[named] = np.eye(classes)[number[named]]
    y[number == TIE] = 1.0 / classes
    return y


def share_right(v: Floats, truth: Ints) -> float | None:
    """Share of the items of known truth (N,) that the votes (N, C) name, shares of votes included. None of nothing."""
    known = (truth != UNKNOWN) & v.any(axis=1)
    return float(v[known, truth[known]].mean()) if known.any() else None


def aggregate(
    judged: AnsweredItems, request: AggregationRequest, progress: Callable[[Step], None] = lambda _: None
) -> schemas.Aggregation:
    """Args: `progress` is called as a method that trains goes on."""
    method, seed, regulariser, as_published = request
    rng = np.random.default_rng(seed)
    group = examine(
        judged.y, method, rng, judged.people, judged.context, progress,
        regulariser=regulariser, as_published=as_published,
    )  # fmt: skip
    v, verdict = votes(judged.y, to_first=as_published), group.aggregate.labels(rng, to_first=as_published)
    return _present(judged, method, group, v, verdict)


def _present(
    judged: AnsweredItems, method: AggregationName, group: GroupVerdicts, v: Votes, verdict: Ints
) -> schemas.Aggregation:
    """Args: `v` (N, K, C) are the votes, `verdict` (N,) the classes by number."""
    items, judges, classes, *_ = judged
    counts, convergence, labels = Counter(verdict.tolist()), group.aggregate.convergence, group.labels
    alpha = krippendorff_of_items(v)
    return schemas.Aggregation(
        method=method,
        converged=convergence.converged if convergence else True,
        classes={name: counts[number] for number, name in enumerate(classes)},
        people=about_labels(labels, judges),
        alpha=alpha and schemas.ItemAlpha(value=alpha.value, interval=alpha.interval, items=alpha.units),
        warnings=warnings(group, method, judges),
        label_next=[items[item] for item in group.to_label],
        ways={
            way: schemas.LabelAgreement(items=each.cases, share=each.share, interval=each.interval)
            for way, each in (labels.ways if labels else {}).items()
        },
        judges=[_judge(name, k, group, v[:, k], verdict, classes) for k, name in enumerate(judges)],
        items=[
            schemas.ItemVerdict(item=item, verdict=classes[number], p=_by_class(p, classes))
            for item, number, p in zip(items, verdict.tolist(), group.aggregate.probability, strict=True)
        ],
    )


def _judge(
    name: str, k: int, group: GroupVerdicts, v: Votes, verdict: Ints, classes: Sequence[str]
) -> schemas.AggregatedJudge:
    """Args: `v` (N, C) are the judge's votes."""
    by_people, confusion = group.labels and group.labels.judges[k], group.aggregate.confusion
    return schemas.AggregatedJudge(
        judge=name,
        votes=int(v.any(axis=1).sum()),
        agreement=share_right(v, verdict),
        confusion=None
        if confusion is None
        else {truth: _by_class(row, classes) for truth, row in zip(classes, confusion[k], strict=True)},
        with_people=by_people and by_people.share,
        interval=by_people and by_people.interval,
        labelled=by_people.cases if by_people else 0,
    )


def _by_class(p: Floats, classes: Sequence[str]) -> dict[str, float]:
    return dict(zip(classes, p.tolist(), strict=True))
