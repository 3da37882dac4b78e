"""Columns of a table by their names, as texts, keys and numbers, and the rows that meet conditions on them.

Upper case, blanks, `_` and `-` make no difference to the name of a column. Cells are text without the spaces around
them, which only an export of the service keeps; an empty cell is empty text.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from nextpair.names import normal_name, unseen
from numpy.typing import ArrayLike, NDArray

from app.files.tables import Floats, InputError, Ints, Table, complaint

REMOVE_UNSEEN = "which nobody sees; remove it"
H = TypeVar("H", bound=Hashable)
Labels = tuple[str, ...]  # the values of some columns in one row


class Coded(NamedTuple):
    """A column of texts."""

    texts: list[str]  # the distinct ones, by first appearance
    code: Ints  # (K,) which of them each row has


def folded(name: str) -> str:
    """The name of a column without what makes no difference."""
    return re.sub(r"[\s_-]+", "", name).casefold()


def usual(columns: Iterable[str], names: Iterable[str]) -> str | None:
    """The column that has the first of these names; None where none has one."""
    exact = {column: column for column in columns}
    alike = {folded(column): column for column in reversed(exact)}
    return next((there for name in names if (there := exact.get(name) or alike.get(folded(name)))), None)


def usual_pair(columns: Iterable[str], pairs: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The two columns that have the first of these pairs of names; None where no two have them."""
    columns = list(columns)
    pairs_there = ((usual(columns, [first]), usual(columns, [second])) for first, second in pairs)
    return next(((first, second) for first, second in pairs_there if first and second), None)


def require(table: Table, column: str) -> str:
    """The column of this name. Raises InputError that lists what is there."""
    if (there := usual(table.columns, [column])) is None:
        raise InputError(f"{table.name}: no column {column!r}; the columns are {', '.join(table.columns)}")
    return there


def chosen(table: Table, column: str | None, names: Iterable[str]) -> str | None:
    """The column that somebody named, else the first usual one. Raises InputError where the named one is missing."""
    return require(table, column) if column else usual(table.columns, names)


def coded(table: Table, column: str) -> Coded:
    """A column as text, null as empty text. Raises InputError."""
    cells = table.cells[require(table, column)]
    try:
        if not len(cells) or pa.types.is_null(cells.type) or pa.types.is_float16(cells.type):
            cells = cells.cast(pa.string())  # Arrow makes no dictionary of nothing, and none of several parts of these
        encoded: Any = cells.dictionary_encode().unify_dictionaries().combine_chunks()
        values = encoded.dictionary.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"{table.name}, column {column!r}: cannot be read as text ({cells.type})") from None
    as_read = str if table.is_log else str.strip
    texts, code = encode([*(as_read(value or "") for value in values), ""])
    return _by_appearance(Coded(texts, code[encoded.indices.cast(pa.int64()).fill_null(len(values)).to_numpy()]))


def _by_appearance(cells: Coded) -> Coded:
    rows = np.arange(len(cells.code))[::-1]
    first = np.full(len(cells.texts), len(rows))
    first[cells.code[::-1]] = rows
    order = np.argsort(first)[: np.count_nonzero(first < len(rows))]
    place = np.zeros(len(first), np.int64)
    place[order] = np.arange(len(order))
    return Coded([cells.texts[code] for code in order.tolist()], place[cells.code])


def texts_of(table: Table, column: str) -> list[str]:
    """(K,) a column as text, null as empty text. Raises InputError."""
    texts, code = coded(table, column)
    return [texts[each] for each in code.tolist()]


def texts_or_empty(table: Table, column: str) -> list[str]:
    """(K,) as `texts_of`, empty where there is no such column. Raises InputError."""
    return texts_of(table, column) if usual(table.columns, [column]) else [""] * len(table.rows)


def places_of(table: Table, column: str) -> list[int]:
    """(K,) places in a log, 0 where there is none. Raises InputError."""
    places = numbers_of(table, column) if column in table.columns else np.zeros(len(table.rows))
    return list(map(int, np.nan_to_num(places).tolist()))


def coded_keys(table: Table, column: str) -> Coded:
    """Keys in their normal form, none of them empty. Raises InputError."""
    texts, code = coded(table, column)
    if "" in texts:
        row = int(np.argmax(code == texts.index("")))
        raise complaint(table, row, column, "empty; every row needs a value here")
    keys, place = encode([normal_name(text) for text in texts])
    return Coded(keys, place[code])


def coded_names(table: Table, column: str) -> Coded:
    """Keys of candidates, or names of judges: all of them is seen, or they come from a set. Raises InputError."""
    if {"seq", "voided_by"} <= {*table.columns}:
        return coded(table, column)
    names, code = coded_keys(table, column)
    for n, name in enumerate(names):
        if what := unseen(name):
            raise complaint(table, int(np.argmax(code == n)), column, f"{name!r} has {what}, {REMOVE_UNSEEN}")
    return Coded(names, code)


def keys_of(table: Table, column: str) -> list[str]:
    """(K,) text that may not be empty. Raises InputError."""
    texts, code = coded_keys(table, column)
    return [texts[each] for each in code.tolist()]


def numbers_of(table: Table, column: str, remedy: str = "correct or empty it") -> Floats:
    """(K,) a column as finite numbers, NaN where a cell is empty. Raises InputError."""
    cells = table.cells[require(table, column)]
    if cells.type == pa.float64() and not cells.null_count and np.isfinite(cells.to_numpy()).all():
        return np.asarray(cells.to_numpy())
    texts, code = coded(table, column)
    values = np.array([_number(text) for text in texts])[code]
    if (row := first_true(np.isinf(values))) is not None:
        raise complaint(table, row, column, f"{texts[code[row]]!r} is not a finite number; {remedy}")
    return values


def _number(cell: str) -> float:
    """NaN for an empty cell, infinity for one that holds no finite number."""
    try:
        value = float(cell) if cell else 0.0
    except ValueError:
        return np.inf
    return (value if np.isfinite(value) else np.inf) if cell else np.nan


def where(tables: Iterable[Table], conditions: Sequence[tuple[str, str]]) -> Iterator[Table]:
    """The rows whose columns hold the given values. Raises InputError after the last table where no row does."""
    there: list[set[str]] = [set() for _ in conditions]
    name = ""
    for table in tables:
        name, kept = name or table.name, table
        for (column, value), texts_there in zip(conditions, there, strict=True):
            texts, code = coded(kept, column)
            texts_there.update(texts)
            kept = kept_rows(kept, code == (texts.index(value) if value in texts else len(texts)))
            kept = kept._replace(uncompared=())
        if len(kept.rows) or kept.uncompared:
            yield kept
    for (column, value), texts_there in zip(conditions, there, strict=True):
        if value not in texts_there:
            raise InputError(f"{name}: no row with {column}={value}; there is {_some(texts_there)}")


def kept_rows(table: Table, keep: NDArray[np.bool_]) -> Table:
    """The rows (K,) of the table that are flagged."""
    return table._replace(cells=table.cells.filter(pa.array(keep)), rows=table.rows[keep])


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
