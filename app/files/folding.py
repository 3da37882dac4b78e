"""Rows of comparisons, put together where they are alike, as they come: a few numbers for any number of rows.

Alike are rows of one group, by one judge, of the same first and the same second. What is kept of them:

    weight   sum of their weights
    p        mean of p by weight
    times    how many they are

A likelihood that is linear in p, as soft-bt's, is the same of these as of the rows.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.files.tables import Floats, InputError, Ints

Codes = NDArray[Any]  # of the smallest type that holds them


class Rows(NamedTuple):
    """K rows; what is numbered takes as few bytes as it can."""

    group: Codes  # (K,)
    judge: Codes  # (K,)
    first: Codes  # (K,)
    second: Codes  # (K,)
    item: Codes  # (K,) 0 where rows are put together
    p: Floats  # (K,)
    weight: Floats  # (K,)
    times: Codes  # (K,)


def gathered(parts: Iterable[Rows], most: float) -> Rows:
    """All rows; beyond `most` of them, put together.

    Runs that are sorted are merged with those about as long, so that each row is moved about log K times.
    """
    runs, size = list[Rows](), 0
    for part in parts:
        size += len(part.p)
        runs.append(part)
        while size > most and len(runs) > 1 and len(runs[-2].p) <= 2 * len(runs[-1].p):
            runs[-2:] = [folded(_joined(runs[-2:]))]
    return folded(_joined(runs)) if size > most else _joined(runs)


def folded(rows: Rows) -> Rows:
    """The rows put together, in the order of group, judge, first and second. Raises InputError for too many names."""
    code = np.zeros(len(rows.p), np.int64)
    names = 1
    for column in (rows.group, rows.judge, rows.first, rows.second):
        many = int(column.max(initial=0)) + 1
        names *= many
        code *= many
        code += column
    if names > np.iinfo(np.int64).max:
        raise InputError("too many groups, judges and candidates to tell all their pairs apart; leave out --group-by")
    order = np.argsort(code, kind="stable")
    code = code[order]
    begins = np.flatnonzero(np.diff(code, prepend=-1))
    weight = rows.weight[order]
    sums = np.add.reduceat(weight, begins)
    p = np.clip(np.add.reduceat(weight * rows.p[order], begins) / sums, 0.0, 1.0)
    chosen = order[begins]
    names_of = (rows.group[chosen], rows.judge[chosen], rows.first[chosen], rows.second[chosen])
    return Rows(*names_of, np.zeros(len(p), np.uint8), p, sums, np.add.reduceat(rows.times[order], begins))


def _joined(runs: Sequence[Rows]) -> Rows:
    return Rows(*map(np.concatenate, zip(*runs, strict=True)))


def compact(values: Ints, many: int) -> Codes:
    """Numbers below `many`, in as few bytes as they need."""
    return values.astype(np.min_scalar_type(max(many - 1, 0)))
