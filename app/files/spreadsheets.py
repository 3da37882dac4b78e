"""CSV that a spreadsheet may open: an apostrophe in front keeps text such as `=1+1` from being computed."""

import csv
import re
from collections.abc import Iterable
from typing import IO, Any

FORMULA = re.compile(r"'*(\s*[=+\-@]|[\t\r\n])")  # with the apostrophes that are its own


def write(rows: Iterable[Iterable[Any]], file: IO[str]) -> None:
    """Numbers stay numbers."""
    csv.writer(file, lineterminator="\n").writerows(
        [f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell for cell in row] for row in rows
    )


def unguarded(cell: str) -> str:
    """A cell as it was before `write`."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
