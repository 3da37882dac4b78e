"""Group verdicts, and how far each judge can be believed."""

import sys

import numpy as np
from rich.console import Console

from app.inference.judges import DEPARTS, Doubt, binary, departure, doubts, votes
from app.inference.types import Floats
from app.offline.aggregation import ItemAnswers, ItemVerdicts
from app.offline.printing import Format
from app.offline.printing.tables import Row, count, grid, write_json, write_rows


def show(answers: ItemAnswers, verdicts: ItemVerdicts, form: Format) -> None:
    """The items for programs, the judges for people and in JSON."""
    if form == "csv":
        write_rows(_items(answers, verdicts), sys.stdout)
    elif form == "json":
        write_json(_summary(answers, verdicts) | {"items": _items(answers, verdicts)})
    else:
        _print(_summary(answers, verdicts))


def _items(answers: ItemAnswers, verdicts: ItemVerdicts) -> list[Row]:
    return [
        {"item": item, "p": float(p), "verdict": int(yes)}
        for item, p, yes in zip(answers.items, verdicts.probability, verdicts.yes, strict=True)
    ]


def _summary(answers: ItemAnswers, verdicts: ItemVerdicts) -> Row:
    convergence = verdicts.aggregate.convergence
    return {
        "method": verdicts.method,
        "converged": convergence.converged if convergence else True,
        "items": len(answers.items),
        "yes": int(verdicts.yes.sum()),
        "accuracy": _right(verdicts.yes.astype(np.float64), answers.truth),
        "warnings": _warnings(answers, verdicts),
        "judges": [_judge(answers, verdicts, k) for k in range(len(answers.judges))],
    }


def _warnings(answers: ItemAnswers, verdicts: ItemVerdicts) -> list[str]:
    y = binary(answers.y)
    warnings = [_in_words(doubt, answers.judges[doubt.judge]) for doubt in doubts(y)]
    if (share := departure(verdicts.aggregate, y)) >= DEPARTS:
        departs = f"{verdicts.method} decides against the majority in {share:.0%} of items"
        warnings.append(f"{departs}; check some of them by hand")
    return warnings


def _in_words(doubt: Doubt, judge: str) -> str:
    if doubt.kind == "one_sided":
        always = "yes" if doubt.of else "no"
        return f"{judge} says {always} to {doubt.size:.0%} of its items; average and majority count it all the same"
    if doubt.kind == "chance":
        return f"{judge} is as good as chance by what the others say (skill {doubt.size:.2f}); leave it out"
    return f"{judge} is against the others (skill {doubt.size:.2f}); ask whether it was given the same question"


def _judge(answers: ItemAnswers, verdicts: ItemVerdicts, k: int) -> Row:
    """The agreement of a judge with the group, and what the method believes of the judge."""
    voted, skills = ~np.isnan(answers.y[:, k]), verdicts.aggregate.confusion
    yes = votes(binary(answers.y))[voted, k, 1]
    return {
        "judge": answers.judges[k],
        "votes": int(voted.sum()),
        "agreement": _right(yes, verdicts.yes[voted].astype(np.float64)),
        "p_no_if_no": None if skills is None else float(skills[k, 0, 0]),
        "p_yes_if_yes": None if skills is None else float(skills[k, 1, 1]),
        "accuracy": _right(yes, answers.truth[voted]),
    }


def _right(yes: Floats, truth: Floats) -> float | None:
    """Share of the items of known truth (N,) that yes (N,) names; half a vote is half right. None if none is known."""
    known = ~np.isnan(truth)
    return float(1.0 - np.abs(yes - truth)[known].mean()) if known.any() else None


def _print(summary: Row) -> None:
    console = Console(highlight=False)
    accuracy = "" if summary["accuracy"] is None else f", accuracy {summary['accuracy']:.4f}"
    warning = "" if summary["converged"] else ", NOT CONVERGED"
    console.print(f"{summary['method']}: {count(summary['items'], 'item')}, {summary['yes']:,} yes{accuracy}{warning}")
    for doubt in summary["warnings"]:
        console.print(f"warning: {doubt}", soft_wrap=True)
    columns = ["judge", "votes", "agreement", "p_no_if_no", "p_yes_if_yes", "accuracy"]
    known = [name for name in columns if any(row[name] is not None for row in summary["judges"])]
    console.print(grid(known, [[_cell(row[name]) for name in known] for row in summary["judges"]]))


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
