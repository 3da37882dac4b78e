"""Absolute scores in a table: what a judge said of one candidate alone.

candidate or key, score or mean    needed
variance                           of what the judge said; where it is not there, that of rounding to whole numbers
judge                              nobody in particular where it is not there
item                               what was scored; the same thing where it is not there
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.schemas.comparisons import LARGEST_VALUE, LEAST_VARIANCE

from app.files.columns import Labels, first_true, keys_of, label_rows, numbers_of, texts_of, usual
from app.files.comparisons import judge_names
from app.files.names import SCORED, SCORES, VARIANCE
from app.files.tables import Floats, InputError, Table, complaint

ROUNDED = 1.0 / 12.0  # squared steps


class KeyedScore(NamedTuple):
    candidate: str
    judge: str
    mean: float
    variance: float


def read_absolute_scores(table: Table, group_by: Sequence[str]) -> dict[Labels, list[KeyedScore]]:
    """Scores by group; of several by one judge for a candidate's output on an item the last. Raises InputError.

    A table without any of the group columns holds for every group: its only labels are ().
    """
    column = _named(table, SCORES)
    mean = _within(table, column, -LARGEST_VALUE, LARGEST_VALUE)
    variance = np.full(len(mean), ROUNDED)
    if usual(table.columns, [VARIANCE]):
        variance = _within(table, VARIANCE, LEAST_VARIANCE, LARGEST_VALUE**2)
    labels = label_rows(table, group_by if any(usual(table.columns, [column]) for column in group_by) else ())
    items = texts_of(table, "item") if usual(table.columns, ["item"]) else [""] * len(mean)
    who = zip(labels, keys_of(table, _named(table, SCORED)), judge_names(table, None), items, strict=True)
    last = dict(zip(who, zip(mean.tolist(), variance.tolist(), strict=True), strict=True))
    scores: dict[Labels, list[KeyedScore]] = {}
    for (group, candidate, judge, _), mean_and_variance in last.items():
        scores.setdefault(group, []).append(KeyedScore(candidate, judge, *mean_and_variance))
    return scores


def _named(table: Table, names: Sequence[str]) -> str:
    """The first of the columns `names` that is there. Raises InputError."""
    if column := usual(table.columns, names):
        return column
    raise InputError(f"{table.name}: no column {names[0]!r}; the columns are {', '.join(table.columns)}")


def _within(table: Table, column: str, least: float, largest: float) -> Floats:
    """(K,) numbers, all of them there and between these. Raises InputError."""
    values = numbers_of(table, column)
    if (row := first_true(~((values >= least) & (values <= largest)))) is not None:
        cell = "an empty cell" if np.isnan(values[row]) else f"{values[row]:g}"
        raise complaint(table, row, column, f"{cell}; write a number from {least:g} to {largest:g}")
    return values
