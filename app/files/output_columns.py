"""Columns of a table that hold the outputs of systems: those that are named, and the others by name and content.

A long table has a row for each output, with its system and its prompt. A wide one has a row for each prompt, and a
column for each system.
"""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from app.files.columns import coded, folded, require, usual
from app.files.comparisons import ComparisonColumns, has_pairs
from app.files.conversations import is_conversation
from app.files.names import CONVERSATIONS, OUTCOMES, OUTPUTS, OWN_KEYS, PROMPT_KEYS, PROMPT_TEXTS, SYSTEMS
from app.files.rivals import SENTENCE, SIMILAR, counts, has_words, two_answers
from app.files.tables import InputError, Table

REFERENCES = "reference reference_answer expected expected_output ideal target ground_truth gold context contexts"
NO_SYSTEMS = {*OUTPUTS, *REFERENCES.split()}


class OutputColumns(NamedTuple):
    """The columns of outputs; what is None or empty is recognised."""

    system: str | None = None  # of a long table
    prompt: str | None = None  # the key of a prompt, or its text where it has no key
    prompt_text: str | None = None  # what the systems were asked, or a conversation
    output: str | None = None  # of a long table; None where conversations end with it
    systems: tuple[str, ...] = ()  # of a wide table
    tags: tuple[str, ...] | None = None  # None: every other column that has one value for each prompt


def find(table: Table, columns: OutputColumns = OutputColumns()) -> OutputColumns | None:  # noqa: B008  # immutable
    """The columns of outputs, named or recognised; None where nothing is named and the table holds something else.

    Raises InputError where some are named and another is missing.
    """
    system, prompt, prompt_text, output = (column and require(table, column) for column in columns[:4])
    systems = tuple(require(table, column) for column in columns.systems)
    tags = columns.tags and tuple(require(table, column) for column in columns.tags)
    columns = OutputColumns(system, prompt, prompt_text, output, systems, tags)
    named = [*filter(None, columns[:4]), *columns.systems]
    if columns.systems and (columns.system or columns.output):
        raise InputError("--system and --output are of a long table, --systems are of a wide one; leave one out")
    if not named and _are_comparisons(table):
        return None
    used = _with_prompts(table, columns)
    if used.prompt or used.prompt_text:
        used = _with_outputs(table, used)
    missing = _missing(table, used)
    if named and missing:
        there = ", ".join(table.columns)
        raise InputError(f"{table.name}: no column of {missing} is known; name it; the columns are {there}")
    return used if named or (not missing and _has_prompts(table, used)) else None


def has_conversations(table: Table, column: str) -> bool:
    """True where the column is named for it, or its first cell that is not empty holds one."""
    first = next(iter(counts(table, column)), "")
    return _usual([column], CONVERSATIONS) is not None or is_conversation(first)


def _with_prompts(table: Table, columns: OutputColumns) -> OutputColumns:
    """Columns with key and text of a prompt; a column that is named as the key and holds texts is both."""
    key, text = columns.prompt, columns.prompt_text
    if key and text is None and _is_text(table, key):
        return columns._replace(prompt=None, prompt_text=key)
    others = [column for column in table.columns if column not in (*columns[:4], *columns.systems)]
    key = key or _usual([column for column in others if column not in table.content.nested], PROMPT_KEYS)
    readable = [column for column in others if column not in table.content.nested or has_conversations(table, column)]
    text = text or _usual([column for column in readable if column != key], PROMPT_TEXTS)
    return columns._replace(prompt=key or _own_key(table, text), prompt_text=text)


def _with_outputs(table: Table, columns: OutputColumns) -> OutputColumns:
    """Columns of a long table where it has them, else those of a wide one."""
    taken = {columns.prompt, columns.prompt_text, *table.content.nested}
    others = [column for column in table.columns if column not in taken]
    if not columns.systems:
        system = columns.system or _usual(others, SYSTEMS)
        output = columns.output or _usual([column for column in others if column != system], OUTPUTS)
        is_long = system and (output or _has_outputs(table, columns.prompt_text))
        if is_long or columns.system or columns.output:
            return columns._replace(system=system, output=output)
    return columns._replace(systems=columns.systems or _systems(table, others))


def _missing(table: Table, columns: OutputColumns) -> str:
    """Content for which no column is known, and its option; empty where nothing is missing."""
    if not (columns.prompt or columns.prompt_text):
        return "prompts (--prompt)"
    if columns.systems or (columns.system and (columns.output or _has_outputs(table, columns.prompt_text))):
        return ""
    return "outputs (--output)" if columns.system else "systems (--system, or --systems)"


def _has_outputs(table: Table, prompt_text: str | None) -> bool:
    return prompt_text is not None and has_conversations(table, prompt_text)


def _are_comparisons(table: Table) -> bool:
    return (
        usual(table.columns, OUTCOMES) is not None
        or two_answers(table) is not None
        or has_pairs(table, ComparisonColumns())
    )


def _has_prompts(table: Table, columns: OutputColumns) -> bool:
    """True for several prompts, each in a row of its own where the table is wide."""
    rows = counts(table, columns.prompt or columns.prompt_text or "")
    return len(rows) > 1 and (not columns.systems or rows.total() == len(rows))


def _systems(table: Table, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of sentences that mostly differ; none where no two of them are about as long."""
    texts = {column: counts(table, column) for column in columns if not usual([column], NO_SYSTEMS)}
    lengths = {
        column: median(map(len, cells))
        for column, cells in texts.items()
        if len(cells) > cells.total() / 2 and has_words(table, column)
    }
    systems = tuple(column for column, length in lengths.items() if length >= SENTENCE)
    longest = max(lengths.values(), default=0.0)
    alike = [column for column in systems if lengths[column] >= longest / SIMILAR]
    return systems if len(alike) > 1 else ()


def _is_text(table: Table, column: str) -> bool:
    """True for the text of a prompt, False for its key."""
    if _usual([column], PROMPT_KEYS) is not None:
        return False
    cells = counts(table, column)
    is_prose = sum(map(len, cells)) >= SENTENCE * len(cells) and has_words(table, column)
    return _usual([column], PROMPT_TEXTS) is not None or is_prose or has_conversations(table, column)


def _own_key(table: Table, text: str | None) -> str | None:
    """The column `id` or `key`, where each prompt has its own."""
    column = _usual(table.columns, OWN_KEYS)
    if text is None or column is None or column in table.content.nested:
        return None
    (keys, key), (texts, code) = coded(table, column), coded(table, text)
    return column if len(keys) == len(texts) == len(np.unique(key * len(texts) + code)) else None


def _usual(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The column that has the first of these names, whole or between dots."""
    parts = {column: [*map(folded, column.split("."))] for column in columns}
    return next((column for name in names for column in columns if folded(name) in parts[column]), None)
