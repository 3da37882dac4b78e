"""Outputs of several systems for several prompts: a table into items and candidates, and the rows at fault.

The same outputs make the same set in a long table or a wide one, whatever the order of rows and columns.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

import numpy as np
from nextpair.names import normal_name, unseen
from nextpair.schemas import LONGEST_KEY, CandidateIn, ItemIn
from nextpair.schemas.candidates import MOST_TAGS

from app.files import conversations
from app.files.candidates import NUL
from app.files.columns import Coded, coded, encode, first_true, kept_rows, texts_of
from app.files.conversations import NoConversationError
from app.files.output_columns import OutputColumns as OutputColumns
from app.files.output_columns import find as find
from app.files.output_columns import has_conversations
from app.files.tables import Fault, InputError, Table, complaint

FEW = 8  # prompts; of fewer, a tag may have another value on each
WHOLE = 180  # characters of a long key that are kept, before its hash


class ReadOutputs(NamedTuple):
    """Items and candidates as a set takes them, and what cannot be one."""

    layout: Literal["long", "wide"]
    columns: OutputColumns  # as used
    items: list[ItemIn]
    candidates: list[CandidateIn]
    prompts: list[str]  # the item of each row that is not at fault
    faults: list[Fault]  # in the order of the file
    missing: int  # outputs that are not there


class _Prompt(NamedTuple):
    key: str
    text: str
    output: str  # at the end of its conversation


class _Wrong(Exception):
    """A row that is left out: the column, what is wrong there, and the remedy."""


class _Rows:
    """Content of the rows so far."""

    def __init__(self, table: Table, columns: OutputColumns, max_chars: int | None) -> None:
        self.prompts: dict[str, str] = {}  # text by key, empty where there is none
        self.outputs: dict[str, dict[str, str]] = {
            normal_name(system): {} for system in columns.systems
        }  # by system and prompt
        self.keys: list[str] = []  # of the prompt of each row that is not at fault
        self._origins: dict[tuple[str, ...], str] = {}  # the place of a prompt's text, or of an output
        self._table, self._columns, self._max_chars = table, columns, max_chars
        used = filter(None, (*columns[:4], *columns.systems))
        self._cells = {column: texts_of(table, column) for column in used}
        self._has_conversations = columns.prompt_text is not None and has_conversations(table, columns.prompt_text)

    def add(self, row: int) -> Fault | None:
        """Adds a row; returns what is wrong with one that is left out."""
        try:
            prompt = self._prompt(row)
            outputs = list(self._outputs(row, prompt))
        except _Wrong as wrong:
            return Fault(self._table.place(row), self._table.line(row), *wrong.args)
        self.keys.append(prompt.key)
        self._keep(self.prompts, (prompt.key,), prompt.text, row)
        for system, text in outputs:
            self._keep(self.outputs.setdefault(system, {}), (prompt.key, system), text, row)
        return None

    def _keep(self, texts: dict[str, str], origin: tuple[str, ...], text: str, row: int) -> None:
        if not texts.get(origin[0]):
            texts[origin[0]] = text
            self._origins[origin] = self._table.place(row)

    def _prompt(self, row: int) -> _Prompt:
        key_column, text_column = self._columns.prompt, self._columns.prompt_text
        text, output = self._cells[text_column][row] if text_column else "", ""
        if self._has_conversations and text:
            try:
                text, output = conversations.parse(text)
            except NoConversationError as error:
                raise _Wrong(text_column, *error.args) from None
        self._check(text_column, text, self._max_chars)
        key = item_key(self._cells[key_column][row] if key_column else text)
        if not key:
            raise _Wrong(key_column or text_column, "empty", "every row needs its prompt here")
        self._check(key_column, key)
        if text and self.prompts.get(key, "") not in ("", text):
            wrong = f"another text of the prompt {key!r} is on {self._origins[(key,)]}"
            raise _Wrong(text_column, wrong, "give each prompt a key of its own, or one text")
        return _Prompt(key, text, output)

    def _outputs(self, row: int, prompt: _Prompt) -> Iterator[tuple[str, str]]:
        """The systems of a row and what they wrote, which may be empty."""
        columns = self._columns
        if columns.system is None:
            answers = [(normal_name(system), self._cells[system][row]) for system in columns.systems]
        else:
            text = self._cells[columns.output][row] if columns.output else prompt.output
            answers = [(normal_name(self._cells[columns.system][row]), text)]
        for system, text in answers:
            column = system if columns.systems else columns.output or columns.prompt_text
            if not system:
                raise _Wrong(columns.system, "empty", "every row needs the name of its system here")
            if what := unseen(system):
                raise _Wrong(columns.system, f"{system!r} has {what}, which nobody sees", "remove it")
            self._check(columns.system, system, LONGEST_KEY)
            self._check(column, text, self._max_chars)
            if text and self.outputs.get(system, {}).get(prompt.key, "") not in ("", text):
                wrong = f"another output of {system!r} for this prompt is on {self._origins[prompt.key, system]}"
                raise _Wrong(column, wrong, "keep one of them, or tell the prompts apart by keys")
            yield system, text

    def _check(self, column: str | None, text: str, most: int | None = None) -> None:
        if most is not None and len(text) > most:
            raise _Wrong(column, f"a text of {len(text):,} characters", f"shorten it to {most:,}")
        if NUL in text:
            raise _Wrong(column, "a NUL character", "remove it")


def item_key(text: str) -> str:
    """The key of a prompt, from its id or its text: a long one is cut and gets a hash of all of it."""
    return text if len(text) <= LONGEST_KEY else f"{text[:WHOLE]}-{sha256(text.encode()).hexdigest()[:8]}"


def read(table: Table, columns: OutputColumns, max_chars: int | None = None) -> ReadOutputs:
    """The outputs in columns that `find` returned, without the rows at fault.

    Raises InputError where no two systems have the same prompt, or a prompt has two values of a named tag.
    """
    rows = _Rows(table, columns, max_chars)
    wrong = [rows.add(row) for row in range(len(table.rows))]
    faults = [*table.content.faults, *(fault for fault in wrong if fault is not None)]
    outputs = {system: {key: text for key, text in texts.items() if text} for system, texts in rows.outputs.items()}
    if not faults:
        _refuse_unmet(table, columns, outputs)
    good = kept_rows(table, np.array([fault is None for fault in wrong], dtype=bool))
    tags = _tags(good, Coded(*encode(rows.keys)), columns)
    items = [
        ItemIn(key=key, prompt=text or None, tags={name: values[key] for name, values in tags.items() if key in values})
        for key, text in rows.prompts.items()
    ]
    return ReadOutputs(
        "wide" if columns.systems else "long",
        columns._replace(tags=tuple(tags)),
        items,
        [CandidateIn(key=system, outputs=dict(texts)) for system, texts in outputs.items()],
        rows.keys,
        sorted(faults, key=lambda fault: fault.line),
        len(items) * len(outputs) - sum(map(len, outputs.values())),
    )


def tags_of(table: Table, item: Coded, column: str) -> list[str | None]:
    """One value of a column for each item (I,), None where its cells are empty.

    Raises InputError where two rows of an item differ, or a value cannot be a tag.
    """
    cells = coded(table, column)
    rows = np.flatnonzero(np.array([bool(text) for text in cells.texts])[cells.code])
    first = np.full(len(item.texts), -1)
    first[item.code[rows][::-1]] = rows[::-1]
    if (n := first_true(cells.code[rows] != cells.code[first[item.code[rows]]])) is not None:
        row, before = int(rows[n]), int(first[item.code[rows[n]]])
        one, other = (cells.texts[cells.code[each]] for each in (row, before))
        what = f"{one!r}, but {table.place(before)} has {other!r} for the same prompt; write one value for each prompt"
        raise complaint(table, row, column, what)
    values = [cells.texts[cells.code[row]] if row >= 0 else None for row in first.tolist()]
    for value, row in zip(values, first.tolist(), strict=True):
        if value is not None and (len(value) > LONGEST_KEY or NUL in value):
            what = f"no tag; write at most {LONGEST_KEY} characters, without NUL, or leave the column out"
            raise complaint(table, row, column, what)
    return values


def _tags(table: Table, item: Coded, columns: OutputColumns) -> dict[str, dict[str, str]]:
    """Values by name and item: of the named columns, else of those that tell prompts apart, at most MOST_TAGS of them.

    Raises InputError.
    """
    if columns.tags is not None:
        if len(columns.tags) > MOST_TAGS:
            raise InputError(f"{table.name}: {len(columns.tags)} columns of tags; name at most {MOST_TAGS}")
        return {column: _by_item(item, tags_of(table, item, column)) for column in columns.tags}
    tags, groups = dict[str, dict[str, str]](), dict[str, int]()
    for column in table.columns:
        if column in (*columns[:4], *columns.systems, *table.content.nested) or not 0 < len(column) <= LONGEST_KEY:
            continue
        try:
            values = _by_item(item, tags_of(table, item, column))
        except InputError:
            continue  # it is about outputs, or long
        groups[column] = len({*values.values()})
        if values and (groups[column] < len(values) or len(values) < FEW):
            tags[column] = values
    fewest = sorted(tags, key=lambda name: (groups[name], name))[:MOST_TAGS]
    return {name: values for name, values in tags.items() if name in fewest}


def _by_item(item: Coded, values: Sequence[str | None]) -> dict[str, str]:
    return {key: value for key, value in zip(item.texts, values, strict=True) if value is not None}


def _refuse_unmet(table: Table, columns: OutputColumns, outputs: Mapping[str, Mapping[str, str]]) -> None:
    """Raises InputError where no two systems answered the same prompt."""
    place = table.name if columns.system is None else f"{table.name}, column {columns.system!r}"
    if len(outputs) < 2:
        raise InputError(
            f"{place}: there is one system, {next(iter(outputs))!r}; put the outputs of two or more into one file"
        )
    met = Counter(key for texts in outputs.values() for key in texts)
    if max(met.values(), default=0) < 2:
        prompt = columns.prompt or columns.prompt_text
        raise InputError(
            f"{table.name}, column {prompt!r}: no prompt has outputs of two systems; write a prompt alike in all its "
            "rows, or name its column with --prompt"
        )
