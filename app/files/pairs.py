"""Pairs of texts that a judge is to compare, in parts of a fixed number of rows, and the verdicts on a part.

A row shows two candidates: their keys, their texts and the question. What else it tells is copied to its verdicts, so
that they can be ranked by group. A part of pairs, and of verdicts, is an Arrow table; texts never reach the verdicts.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.files import reading
from app.files.columns import first_true, folded, keys_of, texts_of, usual, usual_pair
from app.files.formats import parquet
from app.files.names import OUTCOMES, PAIRS, SHOWN, TEXT_PAIRS
from app.files.tables import EXPORTED, Content, InputError, Table, complaint

VERDICT = {
    "first": pa.string(), "second": pa.string(), "judge": pa.string(), "p_first": pa.float64(),
    "label_mass": pa.float64(), "tokens": pa.int64(), "failure": pa.string(), "reason": pa.string(),
    "model": pa.string(), "template": pa.string(),
}  # fmt: skip
OF_OTHER_VERDICTS = {*OUTCOMES, *EXPORTED, "client_id", "created_at"}


class PairColumns(NamedTuple):
    """The columns of a pair; what is None is looked for by its usual name."""

    first: str | None = None
    second: str | None = None
    first_text: str | None = None
    second_text: str | None = None
    question: str | None = None  # that of all pairs, in words


class Verdict(NamedTuple):
    """Verdict on one order of a pair: a probability that the first is better, or what failed."""

    p_first: float | None = None
    label_mass: float | None = None
    tokens: int | None = None  # of the prompt
    failure: str | None = None
    reason: str | None = None


def count_rows(file: str) -> int:
    """Raises InputError."""
    if file.lower().endswith(".parquet"):
        return parquet.count_rows(file)
    return _whole(file).cells.num_rows


def read_parts(file: str, rows: int, columns: PairColumns) -> Iterator[tuple[int, pa.Table]]:
    """Every part of a file with the row, from 0, that it begins with. A Parquet file is never in memory as a whole.

    Raises InputError.
    """
    start = 0
    for table in _tables(file, rows):
        yield start, _pairs(table, columns)
        start += table.cells.num_rows


def require_columns(file: str, columns: PairColumns) -> None:
    """Raises InputError that names every column that a file lacks."""
    is_parquet = file.lower().endswith(".parquet")
    _sources(file, parquet.column_names(file) if is_parquet else _whole(file).columns, columns)


def _tables(file: str, rows: int) -> Iterator[Table]:
    start = 0
    if file.lower().endswith(".parquet"):
        content = Content(pa.table({}), "row", lambda row: row + 1, [])
        for cells in parquet.read_in_parts(file, rows):
            yield Table(file, cells, np.arange(start, start + cells.num_rows), content)
            start += cells.num_rows
        return
    whole = _whole(file)
    for start in range(0, whole.cells.num_rows, rows):
        yield whole._replace(cells=whole.cells.slice(start, rows), rows=whole.rows[start : start + rows])


def _whole(file: str) -> Table:
    state = Path(file).stat()
    return _read_once(file, state.st_mtime_ns, state.st_size)


@lru_cache(1)
def _read_once(file: str, changed: int, size: int) -> Table:
    return reading.read(file)


def _pairs(table: Table, columns: PairColumns) -> pa.Table:
    """The columns of a part under their usual names. Raises InputError."""
    sources = _sources(table.name, table.columns, columns)
    first, second = keys_of(table, sources["first"]), keys_of(table, sources["second"])
    if (row := first_true([a == b for a, b in zip(first, second, strict=True)])) is not None:
        raise complaint(table, row, sources["second"], "compares a candidate with itself; remove this row")
    cells: dict[str, list[str]] = {"first": first, "second": second}
    for name, column in sources.items():
        cells.setdefault(name, texts_of(table, column))
    if columns.question is not None:
        cells["question"] = [columns.question] * len(first)
    read = {*map(folded, (*cells, *sources.values(), *VERDICT, *OF_OTHER_VERDICTS))}
    others = {name: table.cells[name] for name in table.columns if folded(name) not in read}
    return pa.table({**{name: pa.array(texts, pa.string()) for name, texts in cells.items()}, **others})


def _sources(name: str, there: Sequence[str], columns: PairColumns) -> dict[str, str]:
    """The column of each thing that is shown. Raises InputError."""
    keys = usual_pair(there, PAIRS) or PAIRS[0]
    texts = usual_pair(there, TEXT_PAIRS) or TEXT_PAIRS[0]
    wanted = {
        option: getattr(columns, option) or name
        for option, name in zip(("first", "second", "first_text", "second_text"), (*keys, *texts), strict=True)
    }
    shown = [name for name in SHOWN if usual(there, [name]) and not (name == "question" and columns.question)]
    wanted |= {name: name for name in shown}
    sources = {option: usual(there, [column]) or column for option, column in wanted.items()}
    missing = [
        f"{column!r} (--{option.replace('_', '-')})" for option, column in sources.items() if column not in there
    ]
    missing += ["'question' (--question)"] if "question" not in sources and columns.question is None else []
    if missing:
        raise InputError(f"{name}: no column {', '.join(missing)}; the columns are {', '.join(there)}")
    return sources


def fields_of(pairs: pa.Table) -> list[dict[str, str | None]]:
    """Fields that a template may print of each pair: its texts, the question, and any context and prompt."""
    names = {"first": "first_text", "second": "second_text", **{shown: shown for shown in SHOWN}}
    absent = [None] * pairs.num_rows
    cells = [pairs[column].to_pylist() if column in pairs.column_names else absent for column in names.values()]
    return [dict(zip(names, (text or None for text in row), strict=True)) for row in zip(*cells, strict=True)]


def verdicts_on(
    pairs: pa.Table, templates: Sequence[str], orders: int, verdicts: Sequence[Verdict], source: dict[str, str]
) -> pa.Table:
    """The verdicts on a part, of each pair by each template: with two orders, as it was and then the other way round.

    Args:
        source: judge and model.
    """
    row = np.repeat(np.arange(pairs.num_rows), len(templates) * orders)
    shown = pairs.take(row)
    swapped = pa.array(np.arange(len(row)) % orders == 1)
    keys = {
        "first": pc.if_else(swapped, shown["second"], shown["first"]),
        "second": pc.if_else(swapped, shown["first"], shown["second"]),
    }
    of_verdicts = {name: [getattr(verdict, name) for verdict in verdicts] for name in Verdict._fields}
    of_source = {name: [text] * len(row) for name, text in source.items()}
    of_source["template"] = [name for name in templates for _ in range(orders)] * pairs.num_rows
    cells = {name: pa.array(column, VERDICT[name]) for name, column in {**of_verdicts, **of_source}.items()}
    ours = {name: {**keys, **cells}[name] for name in VERDICT}
    texts = {*(name for pair in TEXT_PAIRS for name in pair), *SHOWN}
    copied = {name: shown[name] for name in shown.column_names if name not in texts and name not in ours}
    return pa.table({**ours, **copied})


def write_whole(file: Path, write: Callable[[Path], object]) -> None:
    """A file that is never seen half-written: `write` makes it beside."""
    beside = file.with_name(f".{file.name}.{uuid4().hex}")
    try:
        write(beside)
        os.replace(beside, file)
    finally:
        beside.unlink(missing_ok=True)
