"""Group verdicts, and how far to trust each judge."""

from functools import partial

from nextpair import schemas
from nextpair.words import counted
from rich.console import Console

from app.offline.aggregation import ScoredAggregation
from app.offline.printing import Format
from app.offline.printing.tables import Row, grid, show_as
from app.sentences.judges import agreement


def show(scored: ScoredAggregation, form: Format, *, names_classes: bool) -> None:
    """The items for programs, the judges for people and in JSON."""
    rows = (_row(item, names_classes) for item in scored.aggregation.items)
    show_as(form, rows, partial(_answer, scored), partial(_print, scored))


def _row(item: schemas.ItemVerdict, names_classes: bool) -> Row:
    """The class named with the p of each class, or p of yes and 0 or 1."""
    if names_classes:
        return {"item": item.item, "verdict": item.verdict} | {f"p_{name}": p for name, p in item.p.items()}
    return {"item": item.item, "p": item.p["yes"], "verdict": int(item.verdict == "yes")}


def _answer(scored: ScoredAggregation) -> Row:
    """The aggregation as the contract has it, with the accuracy of all verdicts and of each judge."""
    answer: Row = scored.aggregation.model_dump() | {"accuracy": scored.accuracy}
    for judge, accuracy in zip(answer["judges"], scored.of_judges, strict=True):
        judge["accuracy"] = accuracy
    return answer


def _print(scored: ScoredAggregation) -> None:
    console, aggregation = Console(highlight=False), scored.aggregation
    accuracy = "" if scored.accuracy is None else f", accuracy {scored.accuracy:.1%}"
    warning = "" if aggregation.converged else ", not converged: do not rely on it"
    counts = ", ".join(f"{number:,} {name}" for name, number in aggregation.classes.items())
    items = counted(len(aggregation.items), "item")
    console.print(f"{aggregation.method}: {items}, {counts}{accuracy}{warning}")
    console.print(aggregation.people, soft_wrap=True)
    if alpha := aggregation.alpha:
        console.print(agreement(alpha, counted(alpha.items, "item")), soft_wrap=True)
    for sentence in aggregation.warnings:
        console.print(f"Warning: {sentence}", soft_wrap=True)
    if aggregation.label_next:
        console.print(f"Label next: {', '.join(aggregation.label_next)}", soft_wrap=True)
    rows = [_cells(*judge) for judge in zip(aggregation.judges, scored.of_judges, strict=True)]
    left_out = ["agreement"] if aggregation.ways else []
    known = [name for name in rows[0] if name not in left_out and any(row[name] for row in rows)]
    console.print(grid(known, [[row[name] for name in known] for row in rows]))


def _cells(judge: schemas.AggregatedJudge, accuracy: float | None) -> dict[str, str]:
    """Empty where nothing is known."""
    confusion = {f"p_{name}_if_{name}": p[name] for name, p in (judge.confusion or {}).items()}
    low, high = judge.interval or (0.0, 0.0)
    with_people = "" if judge.with_people is None else f"{judge.with_people:.2f} [{low:.2f}, {high:.2f}]"
    return {
        "judge": judge.judge,
        "votes": str(judge.votes),
        "agreement": _rounded(judge.agreement),
        **{name: _rounded(p) for name, p in confusion.items()},
        "with_people": with_people,
        "accuracy": _rounded(accuracy),
    }


def _rounded(share: float | None) -> str:
    return "" if share is None else f"{share:.3f}"
