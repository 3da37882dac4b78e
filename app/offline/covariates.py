"""Covariates of the outputs in a table: the length of their texts, and numbers in a column of a long table."""

from collections.abc import Mapping, Sequence
from math import isnan, nan

import numpy as np
from nextpair.names import normal_name

from app.files.columns import numbers_of, texts_of
from app.files.outputs import ReadOutputs, item_key
from app.files.tables import InputError, Table, complaint
from app.inference.types import Floats

Output = tuple[str, str]  # the key of its item, as `item_key` has it, and its system


def lengths_of(outputs: ReadOutputs) -> dict[Output, float]:
    """ln(1 + bytes) of each output."""
    return {
        (item, system.key): float(np.log1p(len((text or "").encode())))
        for system in outputs.candidates
        for item, text in (system.outputs or {}).items()
    }


def add_column(table: Table, outputs: ReadOutputs, column: str, numbers: dict[Output, float]) -> None:
    """Adds the number that `column` has for each output of a table without faults.

    Raises InputError where that is not one finite number for each output, or the table is wide.
    """
    if outputs.columns.system is None:
        raise InputError(
            f"{table.name}: a column of a wide table is about prompts; for {column!r} of outputs, write a long table, "
            "with a row for each system and prompt"
        )
    values = numbers_of(table, column, "write a number for each output").tolist()
    rows = list(zip(outputs.prompts, map(normal_name, texts_of(table, outputs.columns.system)), strict=True))
    for row, (output, value) in enumerate(zip(rows, values, strict=True)):
        if not isnan(value) and (before := numbers.setdefault(output, value)) != value:
            what = f"{value}, but an earlier row has {before} for the same output; write one number for each output"
            raise complaint(table, row, column, what)
    written = lengths_of(outputs)
    for row, output in enumerate(rows):
        if output in written and output not in numbers:
            raise complaint(table, row, column, "empty; write a number for each output")


def require_differences(path: str, column: str, numbers: Mapping[Output, float]) -> None:
    """Raises InputError where the outputs for each prompt are all alike in the column."""
    alike = dict[str, float]()
    if all(alike.setdefault(item, value) == value for (item, _), value in numbers.items()):
        raise InputError(
            f"{path}, column {column!r}: has the same value in all outputs for a prompt, which explains no verdict; "
            "name a column that differs between them"
        )


def of_log(items: Sequence[str], keys: Sequence[str], numbers: Mapping[Output, float]) -> Floats:
    """(I, N) the number of each candidate's output for each item of a log; NaN of what is unknown."""
    return np.array([[numbers.get((item_key(item), key), nan) for key in keys] for item in items])
