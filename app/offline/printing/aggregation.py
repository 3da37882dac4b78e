"""Group verdicts, and how far each judge can be believed."""

import sys
from collections import Counter

import numpy as np
from nextpair.words import counted
from rich.console import Console

from app.analysis.judges import about_labels, warnings
from app.inference.judges import ItemVerdicts, Krippendorff, share_right, votes
from app.offline.aggregation import ItemAnswers
from app.offline.printing import Format
from app.offline.printing.tables import Row, grid, write_json, write_rows


def show(answers: ItemAnswers, verdicts: ItemVerdicts, form: Format) -> None:
    """The items for programs, the judges for people and in JSON."""
    if form == "csv":
        write_rows(_items(answers, verdicts), sys.stdout)
    elif form == "json":
        write_json(_summary(answers, verdicts) | {"items": _items(answers, verdicts)})
    else:
        _print(_summary(answers, verdicts))


def _items(answers: ItemAnswers, verdicts: ItemVerdicts) -> list[Row]:
    """A row for each item: p of yes and 0 or 1, or the class named with the p of each class."""
    p = verdicts.group.aggregate.probability
    if not answers.names_classes:
        return [
            {"item": item, "p": float(p[n, 1]), "verdict": int(verdicts.verdict[n])}
            for n, item in enumerate(answers.items)
        ]
    return [
        {"item": item, "verdict": answers.classes[verdicts.verdict[n]]}
        | {f"p_{name}": float(share) for name, share in zip(answers.classes, p[n], strict=True)}
        for n, item in enumerate(answers.items)
    ]


def _summary(answers: ItemAnswers, verdicts: ItemVerdicts) -> Row:
    group = verdicts.group
    convergence, counts = group.aggregate.convergence, Counter(verdicts.verdict.tolist())
    return {
        "method": verdicts.method,
        "converged": convergence.converged if convergence else True,
        "items": len(answers.items),
        **({} if answers.names_classes else {"yes": counts[1]}),
        "classes": {name: counts[number] for number, name in enumerate(answers.classes)},
        "accuracy": share_right(np.eye(len(answers.classes))[verdicts.verdict], answers.scored),
        "alpha": _alpha(verdicts.alpha),
        "people": about_labels(group.labels, answers.judges),
        "warnings": warnings(group, verdicts.method, answers.judges),
        "label_next": [answers.items[item] for item in group.to_label],
        "ways": {} if group.labels is None else {way: each._asdict() for way, each in group.labels.ways.items()},
        "judges": [_judge(answers, verdicts, k) for k in range(len(answers.judges))],
    }


def _alpha(alpha: Krippendorff | None) -> Row | None:
    return None if alpha is None else {"value": alpha.value, "interval": alpha.interval, "items": alpha.units}


def _judge(answers: ItemAnswers, verdicts: ItemVerdicts, k: int) -> Row:
    """The agreement of a judge with the group and with people, and what the method believes of the judge."""
    card = verdicts.cards[k]
    return {
        "judge": answers.judges[k],
        "votes": card.votes,
        "agreement": card.agreement,
        **{
            f"p_{name}_if_{name}": None if card.confusion is None else float(card.confusion[number, number])
            for number, name in enumerate(answers.classes)
        },
        "with_people": card.by_people and card.by_people.share,
        "interval": card.by_people and card.by_people.interval,
        "labelled": 0 if card.by_people is None else card.by_people.items,
        "accuracy": share_right(votes(answers.y)[:, k], answers.scored),
    }


def _print(summary: Row) -> None:
    console = Console(highlight=False)
    accuracy = "" if summary["accuracy"] is None else f", accuracy {summary['accuracy']:.4f}"
    warning = "" if summary["converged"] else ", NOT CONVERGED"
    counts = ", ".join(f"{number:,} {name}" for name, number in summary["classes"].items())
    console.print(f"{summary['method']}: {counted(summary['items'], 'item')}, {counts}{accuracy}{warning}")
    console.print(summary["people"], soft_wrap=True)
    if summary["alpha"]:
        console.print(_in_words(**summary["alpha"]), soft_wrap=True)
    for sentence in summary["warnings"]:
        console.print(f"warning: {sentence}", soft_wrap=True)
    if summary["label_next"]:
        console.print(f"label next: {', '.join(summary['label_next'])}", soft_wrap=True)
    rows = [row | {"with_people": _interval(row)} for row in summary["judges"]]
    left_out = ("interval", "labelled", "agreement" if summary["ways"] else "")
    known = [name for name in rows[0] if name not in left_out and any(row[name] is not None for row in rows)]
    console.print(grid(known, [[_cell(row[name]) for name in known] for row in rows]))


def _in_words(value: float, interval: tuple[float, float], items: int) -> str:
    low, high = interval
    on = f"on {counted(items, 'item')} that several judged"
    return f"agreement of judges, Krippendorff's alpha: {value:.2f} ({low:.2f} to {high:.2f}) {on}"


def _interval(row: Row) -> str | None:
    if row["with_people"] is None:
        return None
    low, high = row["interval"]
    return f"{row['with_people']:.2f} [{low:.2f}, {high:.2f}]"


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
