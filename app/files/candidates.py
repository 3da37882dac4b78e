"""Candidates in a file, or typed one to a line: which columns hold them, and every line that cannot be one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from nextpair.names import normal_name, unseen
from nextpair.schemas import LONGEST_KEY, CandidateIn

from app.files.columns import require, texts_of, usual
from app.files.comparisons import ComparisonColumns, has_pairs
from app.files.names import KEYS, OUTCOMES, TEXTS
from app.files.rivals import refuse_no_rivals
from app.files.tables import ANY, Bounds, Content, Fault, InputError, Table

TYPED = "your lines"
STRINGS = (pa.string(), pa.large_string())
PROSE = 20.0  # characters on average; a column of distinct cells that are longer holds texts
KEY_AND_TEXT = re.compile(r"(\S+):[ \t]+(.+)")
NUL = "\0"  # what PostgreSQL cannot keep


class CandidateColumns(NamedTuple):
    """The columns of key and text. None: the usual ones. Empty: none, so keys are numbers and texts are absent."""

    key: str | None = None
    text: str | None = None


class ReadCandidates(NamedTuple):
    """The candidates of a table, and the rows that cannot be one."""

    columns: CandidateColumns  # the ones that were read
    candidates: list[CandidateIn]
    faults: list[Fault]  # in the order of the file


class _CandidateRow(NamedTuple):
    place: str
    line: int
    key: str
    text: str | None


def read(
    table: Table,
    columns: CandidateColumns = CandidateColumns(),  # noqa: B008  # immutable
    max_chars: int | None = None,
) -> ReadCandidates:
    """The candidates of a table, without those that are at fault. Raises InputError where it holds none at all."""
    if has_pairs(table, ComparisonColumns()) and None in columns:
        raise InputError(f"{table.name}: these are comparisons, not candidates; use nextpair import")
    used = _used(table, columns)
    if columns.key is None or columns.text is None:
        is_text_guessed = columns.text is None and not usual([used.text or ""], TEXTS)
        refuse_no_rivals(table, used.key or "", used.text or "", is_text_guessed=is_text_guessed)
    rows = list(_rows(table, used))
    checked = list(_checked(rows, used, max_chars))
    good = [CandidateIn(key=row.key, text=row.text) for row, fault in zip(rows, checked, strict=True) if fault is None]
    faults = [*table.content.faults, *(fault for fault in checked if fault is not None)]
    return ReadCandidates(used, good, sorted(faults, key=lambda fault: fault.line))


def typed(lines: Iterable[str], bounds: Bounds = ANY) -> Table:
    """Lines `key: text`, or just texts, which are numbered. Raises InputError where there is none, or too many."""
    filled: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        filled += [(number, line.strip())] if line.strip() else []
        bounds.hold(TYPED, rows=len(filled))
    if not filled:
        raise InputError("there are no candidates yet; write one per line, or choose a file")
    pairs = [_key_and_text(n, line) for n, (_, line) in enumerate(filled, 1)]
    keys, texts = zip(*pairs, strict=True)
    content = Content(pa.table({"key": keys, "text": texts}), "line", lambda row: filled[row][0], [])
    return Table(TYPED, content.cells, np.arange(len(filled)), content)


def _key_and_text(number: int, line: str) -> tuple[str, str]:
    match = KEY_AND_TEXT.fullmatch(line)
    return (match[1], match[2]) if match else (str(number), line)


def look_like_candidates(table: Table) -> bool:
    """True where the table tells no verdicts, and a column is named or filled as texts are."""
    tells_verdicts = has_pairs(table, ComparisonColumns()) or usual(table.columns, OUTCOMES)
    return not tells_verdicts and bool(usual(table.columns, TEXTS) or _prose(table, table.columns))


def _used(table: Table, columns: CandidateColumns) -> CandidateColumns:
    """The usual names; without one the texts are the longest distinct ones, or else the last column."""
    key = columns.key and require(table, columns.key)
    key = usual(table.columns, KEYS) or "" if key is None else key
    others = [column for column in table.columns if column != key]
    text = columns.text and require(table, columns.text)
    text = usual(others, TEXTS) or _prose(table, others) or "".join(others[-1:]) if text is None else text
    return CandidateColumns(key, text)


def _prose(table: Table, columns: Sequence[str]) -> str:
    """The column of the longest texts, all different, empty where they are short."""
    lengths = {column: _length_of_distinct(table.cells[column]) for column in columns}
    longest = max(lengths, key=lengths.__getitem__, default="")
    return longest if lengths.get(longest, 0.0) >= PROSE else ""


def _length_of_distinct(cells: Any) -> float:
    """Mean number of characters in a column of texts that all differ; 0 for any other column."""
    if (cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type) not in STRINGS:
        return 0.0
    texts = cells.cast(pa.string())
    all_differ = pc.count_distinct(texts, mode="all").as_py() == len(texts)
    return float(pc.mean(pc.utf8_length(texts)).as_py() or 0.0) if all_differ else 0.0


def _rows(table: Table, columns: CandidateColumns) -> Iterator[_CandidateRow]:
    count = table.cells.num_rows
    keys = map(normal_name, texts_of(table, columns.key)) if columns.key else [str(row + 1) for row in range(count)]
    texts: list[str] | list[None] = texts_of(table, columns.text) if columns.text else [None] * count
    for row, (key, text) in enumerate(zip(keys, texts, strict=True)):
        yield _CandidateRow(table.place(row), table.line(row), key, text)


def _checked(rows: list[_CandidateRow], columns: CandidateColumns, max_chars: int | None) -> Iterator[Fault | None]:
    """The fault of each row, None for a good one."""
    seen: dict[str, str] = {}
    for row in rows:
        if wrong := _wrong_key(row.key, seen):
            yield Fault(row.place, row.line, columns.key or None, *wrong)
        elif wrong := _wrong_text(row.text, max_chars):
            yield Fault(row.place, row.line, columns.text, *wrong)
        else:
            yield None
        seen.setdefault(row.key, row.place)


def _wrong_key(key: str, seen: dict[str, str]) -> tuple[str, str] | None:
    """The mistake and its remedy; `seen` has the place of each key so far."""
    if not key:
        return "empty", "every row needs a value here"
    if len(key) > LONGEST_KEY:
        return f"a key of {len(key):,} characters", f"shorten it to {LONGEST_KEY}"
    if key in seen:
        return f"the key {key!r} is on {seen[key]} already", "give every candidate a key of its own"
    if (what := unseen(key)) and NUL not in key:
        return f"the key {key!r} has {what}, which nobody sees", "remove it"
    return _unstorable(key)


def _wrong_text(text: str | None, max_chars: int | None) -> tuple[str, str] | None:
    """The mistake and its remedy."""
    if text == "":
        return "empty", "every row needs a value here"
    if text is not None and max_chars is not None and len(text) > max_chars:
        return f"a text of {len(text):,} characters", f"shorten it to {max_chars:,}, or compare an excerpt"
    return _unstorable(text or "")


def _unstorable(value: str) -> tuple[str, str] | None:
    return ("a NUL character", "remove it") if NUL in value else None
