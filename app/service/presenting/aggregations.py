"""Aggregations: the verdict on each item, and a card for each judge."""

from collections import Counter
from collections.abc import Sequence

from nextpair import schemas

from app.analysis.judges import about_labels, warnings
from app.inference.judges import ItemVerdicts, JudgeFigures, Krippendorff
from app.inference.types import Floats


def present_aggregation(
    items: Sequence[str], judges: Sequence[str], classes: Sequence[str], verdicts: ItemVerdicts
) -> schemas.Aggregation:
    group, counts = verdicts.group, Counter(verdicts.verdict.tolist())
    convergence, labels = group.aggregate.convergence, group.labels
    return schemas.Aggregation(
        method=verdicts.method,
        converged=convergence.converged if convergence else True,
        classes={name: counts[number] for number, name in enumerate(classes)},
        people=about_labels(labels, judges),
        alpha=_alpha(verdicts.alpha),
        warnings=warnings(group, verdicts.method, judges),
        label_next=[items[item] for item in group.to_label],
        ways={way: schemas.LabelAgreement(**each._asdict()) for way, each in (labels.ways if labels else {}).items()},
        judges=[_judge(name, card, classes) for name, card in zip(judges, verdicts.cards, strict=True)],
        items=[
            schemas.ItemVerdict(item=item, verdict=classes[number], p=_by_class(p, classes))
            for item, number, p in zip(items, verdicts.verdict.tolist(), group.aggregate.probability, strict=True)
        ],
    )


def _alpha(alpha: Krippendorff | None) -> schemas.ItemAlpha | None:
    return alpha and schemas.ItemAlpha(value=alpha.value, interval=alpha.interval, items=alpha.units)


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
