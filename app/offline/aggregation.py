"""One verdict for every row of a file in which several judges have a column each."""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from app.inference.aggregation import Aggregate, average, binary, dawid_skene, majority, votes
from app.inference.types import Bools, Floats, Ints
from app.offline.printing import Format, count, grid, write_json, write_rows
from app.tables import InputError, Table, complaint, keys, numbers, read
from app.words import AggregationName

SEED = 0  # of the draws that break ties


class Judged(NamedTuple):
    """N items and what K judges say of each."""

    items: list[str]  # (N,)
    judges: list[str]  # (K,)
    y: Floats  # (N, K) probability of yes; NaN where a judge has said nothing
    truth: Ints | None  # (N,) 0 or 1


class Verdicts(NamedTuple):
    """Under one method."""

    probability: Floats  # (N,) of yes
    yes: Bools  # (N,)
    aggregate: Aggregate


def load(file: str, judges: Sequence[str], item: str | None, truth: str | None) -> Judged:
    """Raises InputError."""
    table = read(file)
    named = list(judges) or [column for column in table.columns if column not in (item, truth)]
    if len(named) < 2:
        raise InputError(f"{table.name}: aggregation needs two judges or more; name their columns with --judge")
    names = keys(table, item) if item else [str(n + 1) for n in range(len(table.rows))]
    y = np.column_stack([_share(table, judge) for judge in named])
    return Judged(names, named, y, _share(table, truth, whole=True).astype(np.int64) if truth else None)


def aggregate(judged: Judged, method: AggregationName) -> Verdicts:
    y = binary(judged.y)
    found = average(y) if method == "average" else _by_votes(votes(y), method)
    return Verdicts(found.probability[:, 1], found.labels(np.random.default_rng(SEED)) == 1, found)


def show(judged: Judged, method: AggregationName, form: Format) -> None:
    found = aggregate(judged, method)
    if form == "csv":
        write_rows(_items(judged, found), sys.stdout)
    elif form == "json":
        write_json(_summary(judged, method, found) | {"items": _items(judged, found)})
    else:
        _print(judged, _summary(judged, method, found))


def _by_votes(b: Ints, method: AggregationName) -> Aggregate:
    return majority(b, 2) if method == "majority" else dawid_skene(b, 2)


def _items(judged: Judged, found: Verdicts) -> list[dict[str, Any]]:
    return [
        {"item": item, "p": float(p), "verdict": int(yes)}
        for item, p, yes in zip(judged.items, found.probability, found.yes, strict=True)
    ]


def _summary(judged: Judged, method: AggregationName, found: Verdicts) -> dict[str, Any]:
    convergence = found.aggregate.convergence
    return {
        "method": method,
        "converged": convergence.converged if convergence else True,
        "items": len(judged.items),
        "yes": int(found.yes.sum()),
        "accuracy": None if judged.truth is None else float((found.yes == judged.truth).mean()),
        "judges": [_judge(judged, found, k) for k in range(len(judged.judges))],
    }


def _judge(judged: Judged, found: Verdicts, k: int) -> dict[str, Any]:
    """How a judge goes with the group, and what the method believes of it."""
    said, skills = ~np.isnan(judged.y[:, k]), found.aggregate.confusion
    yes = judged.y[said, k] > 0.5
    agrees = float((yes == found.yes[said]).mean()) if said.any() else None
    own = judged.truth is not None and said.any()
    return {
        "judge": judged.judges[k],
        "votes": int(said.sum()),
        "agreement": agrees,
        "p_no_if_no": None if skills is None else float(skills[k, 0, 0]),
        "p_yes_if_yes": None if skills is None else float(skills[k, 1, 1]),
        "accuracy": float((yes == judged.truth[said]).mean()) if own and judged.truth is not None else None,
    }


def _print(judged: Judged, summary: dict[str, Any]) -> None:
    console = Console(highlight=False)
    accuracy = "" if summary["accuracy"] is None else f", accuracy {summary['accuracy']:.4f}"
    warning = "" if summary["converged"] else ", NOT CONVERGED"
    console.print(f"{summary['method']}: {count(len(judged.items), 'item')}, {summary['yes']:,} yes{accuracy}{warning}")
    columns = ["judge", "votes", "agreement", "p_no_if_no", "p_yes_if_yes", "accuracy"]
    known = [name for name in columns if any(row[name] is not None for row in summary["judges"])]
    console.print(grid(known, [[_cell(row[name]) for name in known] for row in summary["judges"]]))


def _cell(value: float | str | None) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else str(value)


def _share(table: Table, column: str, *, whole: bool = False) -> Floats:
    """(N,) numbers from 0 to 1, NaN where empty; `whole` wants 0 or 1 everywhere. Raises InputError."""
    values = numbers(table, column)
    wrong = ~np.isin(values, (0.0, 1.0)) if whole else (values < 0.0) | (values > 1.0)
    if wrong.any():
        wanted = "0 or 1" if whole else "a probability of yes from 0 to 1, or nothing"
        raise complaint(table, int(np.argmax(wrong)), column, f"write {wanted}")
    return values
