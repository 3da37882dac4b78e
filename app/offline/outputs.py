"""Prompts and outputs of a log: by a table of outputs beside it, or by a column of its own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from app.files.columns import chosen, coded, usual
from app.files.names import ITEMS
from app.files.outputs import OutputColumns, ReadOutputs, find, item_key, read, tags_of
from app.files.reading import read_all
from app.files.tables import InputError, Table
from app.offline.covariates import Output, add_column, lengths_of, require_differences
from app.sentences.covariates import LENGTH

Tags = Mapping[str, str]  # value by name
TagsByItem = Mapping[str, Tags]  # by the key of the item, as `item_key` has it


class OutputsBeside(NamedTuple):
    """Content of a table of outputs about a log."""

    tags: TagsByItem
    covariates: Mapping[str, Mapping[Output, float]]  # by name


NO_OUTPUTS = OutputsBeside({}, {})


def load(path: str, by: str | None = None, covariates: Sequence[str] = ()) -> OutputsBeside:
    """Content of files of outputs. Raises InputError, also where `by` can be no tag, or a column no covariate."""
    tags: dict[str, Tags] = {}
    numbers: dict[str, dict[Output, float]] = {name: {} for name in covariates}
    for table in read_all(path):
        columns = find(table)
        if columns is None:
            there = ", ".join(table.columns)
            raise InputError(f"{table.name}: no outputs of several systems are known here; the columns are {there}")
        outputs = _of_table(table, columns, by)
        tags |= {item.key: item.tags for item in outputs.items}
        for name in numbers:
            if name == LENGTH:
                numbers[name] |= lengths_of(outputs)
            else:
                add_column(table, outputs, name, numbers[name])
    for name, of_outputs in numbers.items():
        if name != LENGTH:
            require_differences(path, name, of_outputs)
    return OutputsBeside(tags, numbers)


def _of_table(table: Table, columns: OutputColumns, by: str | None) -> ReadOutputs:
    outputs = read(table, columns)
    if by and usual(table.columns, [by]) and by not in (outputs.columns.tags or ()):
        outputs = read(table, columns._replace(tags=(by,)))  # says which rows differ
    for fault in outputs.faults[:1]:
        raise fault.error(table.name)
    return outputs


def noted(tables: Iterable[Table], item: str | None, by: str, tags: dict[str, Tags]) -> Iterator[Table]:
    """The tables of a log, whose column `by` is added to the tags of their items on the way. Raises InputError."""
    for table in tables:
        if usual(table.columns, [by]) is None:
            there = ", ".join(table.columns)
            remedy = f"give --outputs FILE, the prompts with their tags; the columns are {there}"
            raise InputError(f"{table.name}: no column {by!r}; {remedy}")
        column = chosen(table, item, ITEMS)
        if column is None:
            raise InputError(f"{table.name}: no column says what was judged; name the prompts' with --item")
        items = coded(table, column)
        for key, value in zip(items.texts, tags_of(table, items, by), strict=True):
            if value is not None and tags.setdefault(item_key(key), {by: value}) != {by: value}:
                raise InputError(f"{table.name}, column {by!r}: {key!r} is {value!r} here and another in other parts")
        yield table


def matched(items: Sequence[str], tags: TagsByItem) -> list[Tags]:
    """(I,) the tags of each item of a log; none of what is unknown."""
    return [tags.get(item_key(item), {}) for item in items]
