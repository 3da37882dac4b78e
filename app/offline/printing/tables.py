"""Tables, JSON and CSV, as every command prints them."""

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Literal

from pydantic_core import to_json
from rich import box
from rich.markup import escape
from rich.table import Table

from app.files import spreadsheets
from app.offline.printing import Format

Row = dict[str, Any]

NARROWEST, WIDEST = 11, 48  # columns that a picture may take
LEFT = ("candidate", "judge", "system", "criterion", "curve", "")


def write_rows(rows: Iterable[Row], file: Any) -> None:
    """At least one row, each with the same columns."""
    rows = iter(rows)
    first = next(rows)
    spreadsheets.write(chain([first, first.values()], (row.values() for row in rows)), file)


def write_json(value: Any) -> None:
    print(to_json(value, indent=2).decode())


def show_as(form: Format, rows: Iterable[Row], answer: Callable[[], Any], table: Callable[[], None]) -> None:
    """One of these on stdout: CSV of `rows`, JSON of the `answer`, or what `table` prints for people."""
    if form == "csv":
        write_rows(rows, sys.stdout)
    elif form == "json":
        write_json(answer())
    else:
        table()


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False)
    for column in columns:
        fold = column == "candidate"
        side: Literal["left", "right"] = "left" if column in LEFT else "right"
        table.add_column(column, justify=side, overflow="fold", no_wrap=not fold)
    for row in rows:
        table.add_row(*map(escape, row))
    return table
