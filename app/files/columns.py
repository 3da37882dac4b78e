"""Columns of a table as texts, keys and numbers, and the rows that meet conditions on them.

Cells are text without the spaces around them; an empty cell is empty text.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from app.files.tables import Floats, InputError, Ints, Table, complaint

H = TypeVar("H", bound=Hashable)
Labels = tuple[str, ...]  # the values of some columns in one row


def require(table: Table, column: str) -> str:
    """`column`, when the table has it. Raises InputError that lists what is there."""
    if column not in table.columns:
        raise InputError(f"{table.name}: no column {column!r}; the columns are {', '.join(table.columns)}")
    return column


def texts_of(table: Table, column: str) -> list[str]:
    """(K,) a column as text, null as empty text. Raises InputError."""
    cells = table.cells[require(table, column)]
    try:
        values = cells.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"{table.name}, column {column!r}: cannot be read as text ({cells.type})") from None
    return [(value or "").strip() for value in values]


def keys_of(table: Table, column: str) -> list[str]:
    """(K,) text that may not be empty. Raises InputError."""
    values = texts_of(table, column)
    if "" in values:
        raise complaint(table, values.index(""), column, "empty; every row needs a value here")
    return values


def numbers_of(table: Table, column: str) -> Floats:
    """(K,) a column as finite numbers, NaN where a cell is empty. Raises InputError."""
    cells = texts_of(table, column)
    values = np.array([_number(cell) for cell in cells])
    if (row := first_true(np.isinf(values))) is not None:
        raise complaint(table, row, column, f"{cells[row]!r} is not a finite number; correct or empty it")
    return values


def _number(cell: str) -> float:
    """NaN for an empty cell, infinity for one that holds no finite number."""
    try:
        value = float(cell) if cell else 0.0
    except ValueError:
        return np.inf
    return (value if np.isfinite(value) else np.inf) if cell else np.nan


def where(table: Table, conditions: Iterable[tuple[str, str]]) -> Table:
    """The rows whose columns hold the given values. Raises InputError where no row does."""
    for column, value in conditions:
        cells = texts_of(table, column)
        keep = np.array([cell == value for cell in cells])
        if not keep.any():
            raise InputError(f"{table.name}: no row with {column}={value}; there is {_some(cells)}")
        table = table._replace(cells=table.cells.filter(pa.array(keep)), rows=table.rows[keep])
    return table


def parse_conditions(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Column and value of each `column=value`. Raises InputError."""
    pairs = [text.partition("=") for text in texts]
    if wrong := [column for column, equals, _ in pairs if not (column and equals)]:
        raise InputError(f"--where {wrong[0]!r} is no condition; write column=value")
    return [(column.strip(), value.strip()) for column, _, value in pairs]


def _some(values: Iterable[str], limit: int = 8) -> str:
    distinct = sorted(set(values))
    return ", ".join(distinct[:limit]) + (", ..." if len(distinct) > limit else "")


def first_true(flags: ArrayLike) -> int | None:
    """The first row (K,) whose flag is set, None where there is none."""
    rows = np.flatnonzero(flags)
    return int(rows[0]) if rows.size else None


def encode(values: Sequence[H]) -> tuple[list[H], Ints]:
    """The distinct values by first appearance, and (K,) which of them each value is."""
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return list(codes), np.array([codes[value] for value in values], dtype=np.int64)


def label_rows(table: Table, columns: Sequence[str]) -> list[Labels]:
    """(K,) the values of `columns` in each row; empty tuples without columns. Raises InputError."""
    if not columns:
        return [()] * table.cells.num_rows
    return list(zip(*(keys_of(table, column) for column in columns), strict=True))
