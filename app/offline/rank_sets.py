"""Prediction-powered rank-sets of a file: a row for each instance, a column for people and one for the judge."""

import sys
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from nextpair.words import CovarianceName
from rich.console import Console

from app.files.columns import encode, keys_of, texts_of
from app.files.comparisons import ComparisonColumns, pair_columns, winners
from app.files.reading import read
from app.files.tables import InputError, Table
from app.inference.judges import Instances, JudgedInstances, RankSets, Wins, by_people, prediction_powered, saved
from app.inference.types import Bools, Ints
from app.offline.printing import Format, count, grid, write_json, write_rows


class Met(NamedTuple):
    """Who met whom, and who won, by people (where they judged) and by the judge."""

    systems: list[str]  # (k,)
    said: JudgedInstances


def load(file: str, people: str, judge: str, first: str | None, second: str | None) -> Met:
    """Raises InputError."""
    table = read(file)
    if "weight" in table.columns:
        raise InputError(f"{table.name}: rank-sets count every row once; remove the column 'weight'")
    sides = pair_columns(table, ComparisonColumns(first, second))
    a, b = (keys_of(table, side) for side in sides)
    systems, numbers = encode(a + b)
    both = np.array([bool(cell) for cell in texts_of(table, people)], np.bool_)
    of_both, alone = _part(table, both), _part(table, ~both)
    said = JudgedInstances(
        Instances(*_sides(numbers, both)),
        _wins(of_both, people, sides),
        _wins(of_both, judge, sides),
        Instances(*_sides(numbers, ~both)),
        _wins(alone, judge, sides),
    )
    met = Met(systems, said)
    _require(met.said.shown, 2, met, f"{table.name}: every system needs two instances that {people} judged")
    _require(met.said.more, 1, met, f"{table.name}: every system needs one of the judge alone")
    return met


def _require(part: Instances, instances: int, met: Met, rule: str) -> None:
    """Raises InputError."""
    seen = np.bincount(np.concatenate(part), minlength=len(met.systems))
    if seen.min() < instances:
        raise InputError(f"{rule}; {met.systems[int(np.argmin(seen))]!r} is in {count(int(seen.min()), 'instance')}")


def show(met: Met, alpha: float, covariance: CovarianceName, form: Format) -> None:
    k = len(met.systems)
    alone = by_people(met.said.shown, met.said.people, k, alpha, covariance)
    helped = prediction_powered(*met.said, k=k, alpha=alpha, covariance=covariance)
    rows = [_row(met, alone, helped, m) for m in np.argsort(-helped.theta, kind="stable")]
    if form == "csv":
        write_rows(rows, sys.stdout)
    elif form == "json":
        write_json(_summary(met, alone, helped, alpha, covariance) | {"systems": rows})
    else:
        _print(_summary(met, alone, helped, alpha, covariance), rows)


def _row(met: Met, alone: RankSets, helped: RankSets, m: int) -> dict[str, Any]:
    return {
        "system": met.systems[m],
        "theta": float(helped.theta[m]),
        "sd": float(np.sqrt(helped.covariance[m, m])),
        "best_rank": int(helped.ranks[m, 0]),
        "worst_rank": int(helped.ranks[m, 1]),
        "theta_people": float(alone.theta[m]),
        "best_rank_people": int(alone.ranks[m, 0]),
        "worst_rank_people": int(alone.ranks[m, 1]),
    }


def _summary(met: Met, alone: RankSets, helped: RankSets, alpha: float, covariance: CovarianceName) -> dict[str, Any]:
    worth = saved(alone, helped, met.said.shown.size) if covariance == "sandwich" else None
    return {
        "alpha": alpha,
        "covariance": covariance,
        "lambda": helped.tuned,
        "instances_people": met.said.shown.size,
        "instances_judge": met.said.shown.size + met.said.more.size,
        "people_saved": worth,
    }


def _print(summary: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    more = summary["people_saved"]
    worth = "" if more is None else f"; the judge is worth {count(more, 'more verdict')} of people"
    people, judge = count(summary["instances_people"], "instance"), f"{summary['instances_judge']:,}"
    sure = f"lambda {summary['lambda']:.2f}, all rank-sets hold with {1.0 - summary['alpha']:.0%}"
    Console(highlight=False).print(f"{people} judged by people, {judge} by the judge, {sure}{worth}")
    columns = ["system", "theta", "sd", "ranks", "people alone", "their ranks"]
    cells = [
        [
            row["system"], f"{row['theta']:.3f}", f"{row['sd']:.3f}", f"{row['best_rank']}-{row['worst_rank']}",
            f"{row['theta_people']:.3f}", f"{row['best_rank_people']}-{row['worst_rank_people']}",
        ]
        for row in rows
    ]  # fmt: skip
    Console(highlight=False).print(grid(columns, cells))


def _part(table: Table, keep: Bools) -> Table:
    return table._replace(cells=table.cells.filter(pa.array(keep)), rows=table.rows[keep])


def _sides(numbers: Ints, keep: Bools) -> tuple[Ints, Ints]:
    a, b = np.split(numbers, 2)
    return a[keep], b[keep]


def _wins(table: Table, column: str, sides: tuple[str, str]) -> Wins:
    """Raises InputError for a cell that names no winner."""
    said = np.array(winners(table, column, *(keys_of(table, side) for side in sides)), dtype=object)
    return Wins((said == "first").astype(np.float64), (said == "second").astype(np.float64))
