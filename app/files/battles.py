"""Battles in a file: rows with two candidates and a verdict, as of arenas; a table into the contents of a set.

Columns are recognised by the usual names of comparisons, and by those of AlpacaEval's annotations. A row that cannot be
read is a fault; where hundreds cannot be read, the columns are wrong, and the first row is the error.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from nextpair.schemas import CandidateIn, ComparisonIn, ItemIn
from nextpair.words import in_words
from pydantic import ValidationError

from app.files.columns import chosen, places_of, texts_of, texts_or_empty, usual
from app.files.comparisons import (
    ComparisonColumns,
    find_reading,
    has_pairs,
    judge_names,
    outcome_column,
    pair_columns,
    read_keyed,
)
from app.files.names import ANNOTATIONS, ITEMS, JUDGE, WEIGHT
from app.files.outcomes import Reading
from app.files.outputs import item_key
from app.files.tables import Fault, RowError, Table, complaint

NOBODY = "import"  # the judge of a file that names none
MOST_FAULTS = 500  # rows; of more, the columns are wrong
LATER = (
    "weight",
    "late",
    "label_mass",
    "latency_ms",
    "raw",
    "order_chance",
)  # which comparisons had not when their hash was chosen
ANNOTATED = ComparisonColumns(*ANNOTATIONS)


class ReadBattles(NamedTuple):
    """The comparisons of a table with their candidates and items, and the rows at fault."""

    candidates: list[CandidateIn]
    items: list[ItemIn]
    comparisons: list[ComparisonIn]
    faults: list[Fault]  # in the order of the file


def is_like(table: Table) -> bool:
    """True where the columns are those of battles, by their usual names."""
    return has_pairs(table, ComparisonColumns()) or _is_annotated(table)


def find(table: Table, columns: ComparisonColumns) -> ComparisonColumns:
    """The columns that are named, and the others by their usual names. Raises InputError for one that is missing."""
    columns = _annotated(table, columns)
    judge, weight, item = (
        chosen(table, column, names)
        for column, names in ((columns.judge, [JUDGE]), (columns.weight, [WEIGHT]), (columns.item, ITEMS))
    )
    first, second = pair_columns(table, columns)
    outcome, in_words = outcome_column(table, columns)
    winner, p_first = (outcome, None) if in_words else (None, outcome)
    return ComparisonColumns(first, second, winner, p_first, judge, weight, item)


def _annotated(table: Table, columns: ComparisonColumns) -> ComparisonColumns:
    """The columns with those of AlpacaEval's annotations, where the table has all of these."""
    if not _is_annotated(table) or not usual([columns.first or ANNOTATIONS[0]], ANNOTATIONS[:1]):
        return columns
    filled = ComparisonColumns(*(own or name for own, name in zip(columns, ANNOTATED, strict=True)))
    return filled._replace(p_first=columns.p_first) if columns.winner else filled


def _is_annotated(table: Table) -> bool:
    return all(usual(table.columns, [column]) for column in filter(None, ANNOTATED))


def read(table: Table, columns: ComparisonColumns) -> ReadBattles:
    """The battles in columns that `find` returned, without the rows at fault. Raises InputError where all are."""
    faults = list[Fault]()
    parts = list(_readable(table, columns, find_reading(table, columns), faults))
    if not parts:
        raise faults[0].error(table.name)
    comparisons = identified(each for part in parts for each in part)
    faults = sorted([*table.content.faults, *faults], key=lambda fault: fault.line)
    return ReadBattles(candidates_of(comparisons, [table]), items_of([table], [columns]), comparisons, faults)


Rows = list[tuple[str, ComparisonIn]]  # each with its client_id, which may be empty


def _readable(table: Table, columns: ComparisonColumns, reading: Reading | None, faults: list[Fault]) -> Iterator[Rows]:
    """The comparisons of the rows that can be read, in order; the others become faults. Raises InputError."""
    waiting = [table]
    while waiting:
        part = waiting.pop()
        try:
            yield rows_of(part, columns, reading)
        except RowError as error:
            if len(faults) == MOST_FAULTS:
                raise faults[0].error(table.name) from None
            if len(part.rows) == 1:
                faults.append(error.fault)
                continue
            middle = len(part.rows) // 2
            waiting += [_slice(part, middle, len(part.rows)), _slice(part, 0, middle)]


def _slice(table: Table, start: int, end: int) -> Table:
    return table._replace(cells=table.cells.slice(start, end - start), rows=table.rows[start:end])


def rows_of(table: Table, columns: ComparisonColumns, reading: Reading | None = None) -> Rows:
    """The comparisons of all rows, in columns that `find` returned. Raises InputError."""
    verdicts, count = read_keyed(table, columns, reading), len(table.rows)
    judges = judge_names(table, columns.judge) if columns.judge else [NOBODY] * count
    items = texts_of(table, columns.item) if columns.item else [""] * count
    times, beside = texts_or_empty(table, "created_at"), _beside(table)
    rows = []
    for row in range(count):
        try:
            comparison = ComparisonIn(
                first=verdicts.first[row],
                second=verdicts.second[row],
                item=item_key(items[row]) or None,
                p_first=None if verdicts.words[row] else float(verdicts.p[row]),
                winner=verdicts.words[row],
                judge=judges[row],
                weight=float(verdicts.weight[row]),
                created_at=_time(table, row, times[row]),
                **beside[row],
            )
        except ValidationError as error:
            fault = error.errors()[0]
            name = str(fault["loc"][0])
            column = getattr(columns, name, name)
            raise complaint(table, row, column, f"{in_words(fault)}; correct it, or leave the row out") from None
        rows.append(comparison)
    return list(zip(_ids(table), rows, strict=True))


def _ids(table: Table) -> list[str]:
    """(K,) the client_id of each row; of an entry of an export that has none of its own, the place in that log."""
    own = texts_or_empty(table, "client_id")
    if not table.is_log or "set_id" not in table.columns:
        return own
    sets, restores, seqs = texts_of(table, "set_id"), places_of(table, "restores"), places_of(table, "seq")
    rows = zip(own, restores, sets, seqs, strict=True)
    return [each if each and not original else f"{set_id}/{seq}" for each, original, set_id, seq in rows]


def _beside(table: Table) -> list[dict[str, Any]]:
    """(K,) what an export has of each verdict beside its outcome."""
    if not table.is_log:
        return [{}] * len(table.rows)
    names = ("label_mass", "latency_ms", "order_chance")
    numbers = zip(*(texts_or_empty(table, name) for name in names), strict=True)
    rows = zip(texts_or_empty(table, "late"), numbers, texts_or_empty(table, "raw"), strict=True)
    return [
        {
            "late": late.casefold() == "true",
            **{name: float(number) if number else None for name, number in zip(names, of_row, strict=True)},
            "raw": json.loads(raw) if raw else None,
        }
        for late, of_row, raw in rows
    ]


def identified(rows: Iterator[tuple[str, ComparisonIn]]) -> list[ComparisonIn]:
    """Comparisons with the client_id of the file or one made of the content: a copy of the file brings nothing new.

    The same verdict twice in one file is two comparisons: the second is numbered.
    """
    seen: Counter[str] = Counter()
    comparisons = []
    for own, comparison in rows:
        unset = {name for name in LATER if getattr(comparison, name) == ComparisonIn.model_fields[name].default}
        content = hashlib.sha256(comparison.model_dump_json(exclude=unset).encode()).hexdigest()[:32]
        seen[content] += 1
        comparisons.append(comparison.model_copy(update={"client_id": own or f"{content}-{seen[content]}"}))
    return comparisons


def candidates_of(comparisons: Sequence[ComparisonIn], tables: Sequence[Table]) -> list[CandidateIn]:
    """Candidates in order of appearance, with an output that has no text for each item that was judged.

    Behind them are those that the tables have beside their comparisons.
    """
    outputs: dict[str, dict[str, None]] = {}
    for comparison in comparisons:
        for key in (comparison.first, comparison.second):
            outputs.setdefault(key, {}).update({} if comparison.item is None else {comparison.item: None})
    for item, key in (each for table in tables for each in table.uncompared):
        outputs.setdefault(key, {}).update({item_key(item): None} if item else {})
    return [CandidateIn(key=key, outputs=dict(items) or None) for key, items in outputs.items()]


def items_of(tables: Sequence[Table], columns: Sequence[ComparisonColumns]) -> list[ItemIn]:
    """Items in order of appearance; a text that is too long for a key is the prompt of its item."""
    texts = dict[str, str | None]()
    for table, used in zip(tables, columns, strict=True):
        judged = texts_of(table, used.item) if used.item else []
        for text in filter(None, [*judged, *(item for item, _ in table.uncompared)]):
            texts[item_key(text)] = text if item_key(text) != text else None
    return [ItemIn(key=key, prompt=text) for key, text in texts.items()]


def _time(table: Table, row: int, cell: str) -> datetime | None:
    """The time of an ISO 8601 cell, in UTC where it names no zone. Raises InputError."""
    if not cell:
        return None
    try:
        time = datetime.fromisoformat(cell)
    except ValueError:
        raise complaint(table, row, "created_at", f"{cell!r} is no ISO 8601 time; correct or empty it") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
