"""A table as it was brought: its cells, where each row stood in the file, and the errors that name such a place.

An InputError names the file, the line (the header of a CSV is line 1) or the column, and the remedy.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
EXPORTED = {"seq", "winner", "p_first", "voided_by"}  # by these columns a log that the service exported is known
JUDGED = {"p_first", "failure"}  # by these columns verdicts of `nextpair judge` are known
EXPORTED_WORD = "verdict"  # what the winner column of an export is called here, as it may be empty
Output = tuple[str, str]  # keys of its item, empty where there is none, and of its candidate
Say = Callable[[str], None]  # what was done with a file, for the person who brought it
Line = Callable[[int], int]  # the line, from 1, of a row, from 0


class InputError(Exception):
    """A file that cannot be used; the message is one line for the person who brought it."""

    exit_code = 2


class TooManyRows(InputError):
    """There are more rows than allowed."""


class Fault(NamedTuple):
    """A mistake in one line of a file, or in one of its cells, and its remedy."""

    place: str  # "line 7"
    line: int
    column: str | None
    wrong: str
    remedy: str

    def error(self, name: str) -> InputError:
        return RowError(name, self)


class Bounds(NamedTuple):
    """Limits to what a file may hold, and a way to learn whether anyone still waits for it."""

    size: float = inf  # bytes, unpacked
    rows: float = inf
    columns: float = inf
    line: float = inf  # bytes
    is_awaited: Callable[[], bool] = lambda: True

    def hold(self, name: str, size: int = 0, rows: int = 0, columns: int = 0) -> None:
        """Raises InputError for more than fits, TooManyRows if it is rows, or when nobody waits any more."""
        if size > self.size:
            raise InputError(f"{name}: unpacks to more than {self.size:,} bytes; send it in smaller parts")
        if rows > self.rows:
            raise TooManyRows(f"{name}: there are more than {self.rows:,} rows; send it in smaller parts")
        if columns > self.columns:
            raise InputError(f"{name}: there are more than {self.columns:,} columns; leave out those of no use here")
        if not self.is_awaited():
            raise InputError(f"{name}: given up, as nobody waits for it any more")


class RowError(InputError):
    """One row of a table cannot be used."""

    def __init__(self, name: str, fault: Fault) -> None:
        column = "" if fault.column is None else f", column {fault.column!r}"
        remedy = f"; {fault.remedy}" if fault.remedy else ""
        super().__init__(f"{name}, {fault.place}{column}: {fault.wrong}{remedy}")
        self.fault = fault


ANY = Bounds()


class Content(NamedTuple):
    """The cells of a file, and where each row stands in it."""

    cells: pa.Table
    unit: str  # what its rows are counted in: "line" or "row"
    line: Line
    faults: list[Fault]  # the lines that are left out
    nested: frozenset[str] = frozenset()  # the columns in which some cell was an object or a list


class Table(NamedTuple):
    """Rows of a file, all or those that were chosen."""

    name: str  # what errors call the file
    cells: pa.Table
    rows: Ints  # (K,) where each row stood in the file, from 0
    content: Content
    uncompared: Sequence[Output] = ()  # outputs that an export has beside its comparisons

    @property
    def columns(self) -> list[str]:
        return self.cells.column_names

    @property
    def is_log(self) -> bool:
        """True for the comparisons of an export, whose cells are as the service has them."""
        return {EXPORTED_WORD, "voided_by"} <= {*self.columns}

    def line(self, row: int) -> int:
        """`row` counts the rows that the table has now."""
        return self.content.line(int(self.rows[row]))

    def place(self, row: int) -> str:
        return f"{self.content.unit} {self.line(row)}"


def complaint(table: Table, row: int, column: str, what: str) -> RowError:
    """An error about one cell: what is wrong; the remedy. `row` counts the rows that the table has now."""
    wrong, _, remedy = what.partition("; ")
    return RowError(table.name, Fault(table.place(row), table.line(row), column, wrong, remedy))
