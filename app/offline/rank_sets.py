"""Prediction-powered rank-sets of a file: a row for each instance, a column for people and one for each judge."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from nextpair.words import CovarianceName, SimultaneousName

from app.files.columns import encode, first_true, keys_of, texts_of
from app.files.comparisons import ComparisonColumns, pair_columns, winners
from app.files.reading import read
from app.files.tables import InputError, Table, complaint
from app.inference.judges import (
    ENOUGH,
    Instances,
    JudgedInstances,
    RankBounds,
    Wins,
    by_people,
    least_seen,
    prediction_powered,
    ranked,
    usual_simultaneous,
)


class Meetings(NamedTuple):
    """Systems that met, and who won by people, where they judged, and by the judges."""

    systems: list[str]  # (k,)
    judges: Sequence[str]  # (J,)
    verdicts: JudgedInstances


class SystemRanks(NamedTuple):
    """Rank-sets of k systems."""

    meetings: Meetings
    helped: RankBounds  # by people and the judges
    by_people: RankBounds  # alone
    by_judges: list[RankBounds]  # each alone
    alpha: float
    covariance: CovarianceName
    simultaneous: SimultaneousName


def load(file: str, people: str, judges: Sequence[str], first: str | None, second: str | None) -> Meetings:
    """The verdicts in the columns `people` and `judges`, on the prompts in the column `item`. Raises InputError."""
    if len({people, *judges}) <= len(judges):
        raise InputError("--people and each --judge need a column of their own; one is named twice")
    table = read(file)
    if "weight" in table.columns:
        raise InputError(f"{table.name}: rank-sets count every row once; remove the column 'weight'")
    sides = pair_columns(table, ComparisonColumns(first, second))
    a, b = (keys_of(table, side) for side in sides)
    systems, codes = encode(a + b)
    verdicts = JudgedInstances(
        Instances(*np.split(codes, 2)),
        _wins(table, people, sides),
        [_wins(table, judge, sides) for judge in judges],
        encode(texts_of(table, "item"))[1] if "item" in table.columns else None,
    )
    unjudged = ~np.any([wins.are_there for wins in verdicts.judges], axis=0)
    if (row := first_true(unjudged)) is not None:
        raise complaint(table, row, judges[0], "empty; every row needs the verdict of a judge")
    for column, wins in zip((people, *judges), (verdicts.people, *verdicts.judges), strict=True):
        least, times = least_seen(verdicts.shown, wins, len(systems))
        if times < ENOUGH:
            rule = f"every system needs {ENOUGH} instances that {column} judged"
            raise InputError(f"{table.name}: {rule}; {systems[least]!r} is in {times}")
    return Meetings(systems, judges, verdicts)


def rank(
    meetings: Meetings,
    alpha: float,
    covariance: CovarianceName,
    simultaneous: SimultaneousName | None = None,
    lambdas: Sequence[float] | None = None,
) -> SystemRanks:
    """Rank-sets that all hold with probability 1 - alpha, by people helped by the judges, and by each alone.

    Raises InputError.
    """
    systems, judges, verdicts = meetings
    if lambdas is not None and len(lambdas) != len(judges):
        raise InputError(f"--lambda: {len(lambdas)} given, --judge: {len(judges)}; give one for each judge")
    k, simultaneous = len(systems), simultaneous or usual_simultaneous(covariance)
    estimates = [
        prediction_powered(*verdicts, k=k, covariance=covariance, lambdas=lambdas),
        *(
            by_people(verdicts.shown, wins, k, covariance, verdicts.item)
            for wins in (verdicts.people, *verdicts.judges)
        ),
    ]
    helped, alone, *by_judges = (ranked(estimate, alpha, simultaneous) for estimate in estimates)
    return SystemRanks(meetings, helped, alone, by_judges, alpha, covariance, simultaneous)


def _wins(table: Table, column: str, sides: tuple[str, str]) -> Wins:
    """The verdicts in a column, NaN where its cell is empty. Raises InputError for a cell that names no winner."""
    are_there = np.array([bool(cell) for cell in texts_of(table, column)], np.bool_)
    part = table._replace(cells=table.cells.filter(pa.array(are_there)), rows=table.rows[are_there])
    words = np.array(winners(part, column, *(keys_of(part, side) for side in sides)), dtype=object)
    wins = Wins(*np.full((2, len(are_there)), np.nan))
    for shares, word in zip(wins, ("first", "second"), strict=True):
        shares[are_there] = words == word
    return wins
