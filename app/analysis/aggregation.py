"""One verdict on each item from several judges' answers, and a card for each judge, over HTTP and of a file."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from nextpair import schemas
from nextpair.words import AggregationName

from app.inference.judges import ItemContext, ItemVerdicts, JudgeFigures, Learner, Probabilities, Step, Votes, decide
from app.inference.types import Floats
from app.sentences.judges import about_labels, warnings

NO_YES = ("no", "yes")  # the classes where answers are probabilities of yes


class AnsweredItems(NamedTuple):
    """N items, and what K judges and P people say of each."""

    items: Sequence[str]  # (N,)
    judges: Sequence[str]  # (K,)
    classes: Sequence[str]  # (C,)
    y: Probabilities  # (N, K, C)
    people: Votes  # (N, P, C)
    context: ItemContext | None = None  # for methods that read it
    learner: Learner | None = None  # of a transformer that is trained too


class AggregationRequest(NamedTuple):
    """The aggregation that is wanted."""

    method: AggregationName
    seed: int  # of splits and of draws that break ties
    regulariser: float | None = None
    as_published: bool = False


def aggregate(
    judged: AnsweredItems, request: AggregationRequest, progress: Callable[[Step], None] = lambda _: None
) -> schemas.Aggregation:
    """Args: `progress` is called as a method that trains goes on."""
    method, seed, regulariser, as_published = request
    rng = np.random.default_rng(seed)
    verdicts = decide(
        judged.y, judged.people, method, rng, judged.context, progress, judged.learner, regulariser,
        as_published=as_published,
    )  # fmt: skip
    return _present(judged, verdicts)


def _present(judged: AnsweredItems, verdicts: ItemVerdicts) -> schemas.Aggregation:
    items, judges, classes, *_ = judged
    group, counts = verdicts.group, Counter(verdicts.verdict.tolist())
    convergence, labels, alpha = group.aggregate.convergence, group.labels, verdicts.alpha
    return schemas.Aggregation(
        method=verdicts.method,
        converged=convergence.converged if convergence else True,
        classes={name: counts[number] for number, name in enumerate(classes)},
        people=about_labels(labels, judges),
        alpha=alpha and schemas.ItemAlpha(value=alpha.value, interval=alpha.interval, items=alpha.units),
        warnings=warnings(group, verdicts.method, judges),
        label_next=[items[item] for item in group.to_label],
        ways={way: schemas.LabelAgreement(**each._asdict()) for way, each in (labels.ways if labels else {}).items()},
        judges=[_judge(name, card, classes) for name, card in zip(judges, verdicts.cards, strict=True)],
        items=[
            schemas.ItemVerdict(item=item, verdict=classes[number], p=_by_class(p, classes))
            for item, number, p in zip(items, verdicts.verdict.tolist(), group.aggregate.probability, strict=True)
        ],
    )


def _judge(name: str, card: JudgeFigures, classes: Sequence[str]) -> schemas.AggregatedJudge:
    by_people, confusion = card.by_people, card.confusion
    return schemas.AggregatedJudge(
        judge=name,
        votes=card.votes,
        agreement=card.agreement,
        confusion=None
        if confusion is None
        else {truth: _by_class(row, classes) for truth, row in zip(classes, confusion, strict=True)},
        with_people=by_people and by_people.share,
        interval=by_people and by_people.interval,
        labelled=by_people.items if by_people else 0,
    )


def _by_class(p: Floats, classes: Sequence[str]) -> dict[str, float]:
    return dict(zip(classes, p.tolist(), strict=True))
