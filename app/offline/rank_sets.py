"""Prediction-powered rank-sets of a file: a row for each instance, a column for people and one for the judge."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from nextpair.words import CovarianceName

from app.files.columns import encode, keys_of, texts_of
from app.files.comparisons import ComparisonColumns, pair_columns, winners
from app.files.reading import read
from app.files.tables import InputError, Table
from app.inference.judges import Instances, JudgedInstances, RankSets, Wins, by_people, prediction_powered
from app.inference.types import Bools, Ints


class Meetings(NamedTuple):
    """Systems that met, and who won by people, where they judged, and by the judge."""

    systems: list[str]  # (k,)
    judged: JudgedInstances


class SystemRanks(NamedTuple):
    """Rank-sets of k systems."""

    systems: list[str]  # (k,)
    alone: RankSets  # by people alone
    helped: RankSets  # by people and the judge
    by_people: int  # instances
    by_judge: int
    alpha: float
    covariance: CovarianceName


def load(file: str, people: str, judge: str, first: str | None, second: str | None) -> Meetings:
    """The verdicts in the columns `people` and `judge`. Raises InputError."""
    table = read(file)
    if "weight" in table.columns:
        raise InputError(f"{table.name}: rank-sets count every row once; remove the column 'weight'")
    sides = pair_columns(table, ComparisonColumns(first, second))
    a, b = (keys_of(table, side) for side in sides)
    systems, codes = encode(a + b)
    both = np.array([bool(cell) for cell in texts_of(table, people)], np.bool_)
    of_both, of_judge = _part(table, both), _part(table, ~both)
    judged = JudgedInstances(
        _instances(codes, both),
        _wins(of_both, people, sides),
        _wins(of_both, judge, sides),
        _instances(codes, ~both),
        _wins(of_judge, judge, sides),
    )
    _require(2, judged.shown, systems, f"{table.name}: every system needs two instances that {people} judged")
    _require(1, judged.more, systems, f"{table.name}: every system needs one of the judge alone")
    return Meetings(systems, judged)


def rank(meetings: Meetings, alpha: float, covariance: CovarianceName) -> SystemRanks:
    """Rank-sets that all hold with probability 1 - alpha, by people alone and with the judge's help."""
    systems, judged = meetings
    return SystemRanks(
        systems,
        by_people(judged.shown, judged.people, len(systems), alpha, covariance),
        prediction_powered(*judged, k=len(systems), alpha=alpha, covariance=covariance),
        judged.shown.size,
        judged.shown.size + judged.more.size,
        alpha,
        covariance,
    )


def _require(least: int, instances: Instances, systems: list[str], rule: str) -> None:
    """Raises InputError, which names the rule, where a system is in fewer than `least` of the instances."""
    times = np.bincount(np.concatenate(instances), minlength=len(systems))
    if times.min() < least:
        number = f"{times.min()} instance{'' if times.min() == 1 else 's'}"
        raise InputError(f"{rule}; {systems[int(np.argmin(times))]!r} is in {number}")


def _part(table: Table, keep: Bools) -> Table:
    return table._replace(cells=table.cells.filter(pa.array(keep)), rows=table.rows[keep])


def _instances(codes: Ints, keep: Bools) -> Instances:
    """The pairs that are kept, of (2M,) the codes of all first and then of all second systems."""
    first, second = np.split(codes, 2)
    return Instances(first[keep], second[keep])


def _wins(table: Table, column: str, sides: tuple[str, str]) -> Wins:
    """The verdicts in a column. Raises InputError for a cell that names no winner."""
    words = np.array(winners(table, column, *(keys_of(table, side) for side in sides)), dtype=object)
    return Wins((words == "first").astype(np.float64), (words == "second").astype(np.float64))
