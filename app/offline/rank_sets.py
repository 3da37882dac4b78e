"""Prediction-powered rank-sets of a file: a row for each instance, a column for people and one for each judge."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from nextpair import schemas

from app.analysis.judged import NO_SET
from app.analysis.rank_sets import RankSetsRequest, rank_sets
from app.files.columns import encode, first_true, keys_of, texts_of, usual
from app.files.comparisons import ComparisonColumns, pair_columns
from app.files.names import WEIGHT
from app.files.outcomes import winners
from app.files.reading import read
from app.files.tables import InputError, Table, complaint
from app.inference.judges import ENOUGH, JudgedInstances, Wins, is_judged, least_seen


class Meetings(NamedTuple):
    """Systems that met, and who won by people, where they judged, and by the judges."""

    systems: list[str]  # (k,)
    verdicts: JudgedInstances

    @property
    def by_people(self) -> int:
        """Number of them that people judged."""
        return int(is_judged(self.verdicts.people).sum())


def load(file: str, people: str, judges: Sequence[str], first: str | None, second: str | None) -> Meetings:
    """The verdicts in the columns `people` and `judges`, on the prompts in the column `item`. Raises InputError."""
    if len({people, *judges}) <= len(judges):
        raise InputError("--people and each --judge need a column of their own; one is named twice")
    table = read(file)
    if weight := usual(table.columns, [WEIGHT]):
        raise InputError(f"{table.name}: rank-sets count every row once; remove the column {weight!r}")
    sides = pair_columns(table, ComparisonColumns(first, second))
    a, b = (keys_of(table, side) for side in sides)
    systems, codes = encode(a + b)
    verdicts = JudgedInstances(
        codes.reshape(2, -1),
        _wins(table, people, sides),
        [_wins(table, judge, sides) for judge in judges],
        encode(texts_of(table, "item"))[1] if usual(table.columns, ["item"]) else None,
    )
    unjudged = ~np.any([is_judged(wins) for wins in verdicts.judges], axis=0)
    if (row := first_true(unjudged)) is not None:
        raise complaint(table, row, judges[0], "empty; every row needs the verdict of a judge")
    for column, wins in zip((people, *judges), (verdicts.people, *verdicts.judges), strict=True):
        least, times = least_seen(verdicts.shown, wins, len(systems))
        if times < ENOUGH:
            rule = f"every system needs {ENOUGH} instances that {column} judged"
            raise InputError(f"{table.name}: {rule}; {systems[least]!r} is in {times}")
    return Meetings(systems, verdicts)


def rank(meetings: Meetings, request: RankSetsRequest) -> schemas.RankSets:
    """Rank-sets by people helped by the judges, and by each alone. Raises InputError."""
    systems, verdicts = meetings
    if request.lambdas is not None and len(request.lambdas) != len(request.judges):
        counts = f"{len(request.lambdas)} given, --judge: {len(request.judges)}"
        raise InputError(f"--lambda: {counts}; give one for each judge")
    return rank_sets(verdicts, systems, request, NO_SET, verdicts.shown.shape[1])


def _wins(table: Table, column: str, sides: tuple[str, str]) -> Wins:
    """The verdicts in a column, NaN where its cell is empty. Raises InputError for a cell that names no winner."""
    are_there = np.array([bool(cell) for cell in texts_of(table, column)], np.bool_)
    part = table._replace(cells=table.cells.filter(pa.array(are_there)), rows=table.rows[are_there])
    words = np.array(winners(part, column, *(keys_of(part, side) for side in sides)), dtype=object)
    wins = np.full((2, len(are_there)), np.nan)
    wins[:, are_there] = [words == word for word in ("first", "second")]
    return wins
