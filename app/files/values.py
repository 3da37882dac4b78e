"""Numbers by key: true values, and a judge's scores."""

from collections.abc import Sequence

import numpy as np

from app.files.columns import Labels, encode, first_true, label_rows, numbers_of
from app.files.tables import Table, complaint


def read_values(table: Table, by: Sequence[str], column: str) -> dict[Labels, float]:
    """The number in `column` by the values in the columns `by`. Raises InputError where rows repeat."""
    values, labels = numbers_of(table, column), label_rows(table, by)
    if (row := first_true(np.isnan(values))) is not None:
        raise complaint(table, row, column, "empty; every row needs a number here")
    result = dict(zip(labels, values.tolist(), strict=True))
    if len(result) < len(labels):
        raise complaint(table, _repeated(labels), by[-1], "this row repeats an earlier one; keep one of them")
    return result


def _repeated(labels: Sequence[Labels]) -> int:
    """The first row whose labels were there before."""
    newest = np.maximum.accumulate(encode(labels)[1])
    return int(np.argmax(np.diff(newest) == 0)) + 1


def read_means(table: Table, by: Sequence[str], column: str) -> dict[Labels, float]:
    """The mean of `column` over rows alike in `by`, NaN if all their cells are empty. Raises InputError."""
    values = numbers_of(table, column)
    labels, code = encode(label_rows(table, by))
    known = ~np.isnan(values)
    count = np.bincount(code[known], minlength=len(labels))
    total = np.bincount(code[known], values[known], len(labels))
    means = np.where(count, total / np.maximum(count, 1), np.nan)
    return dict(zip(labels, means.tolist(), strict=True))
