"""Troubleshooting has a row for every status and every type of problem."""

import re
from collections.abc import Iterator
from pathlib import Path

from nextpair.words import STATUSES

from app.service import errors

PAGE = (Path(__file__).parents[2] / "docs/how-to/troubleshooting.md").read_text()
ABSTRACT = (errors.NotFound, errors.Conflict, errors.Gone, errors.TooLarge, errors.Unprocessable, errors.Unavailable)


def test_every_status_has_its_row() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == sorted(STATUSES)


def test_every_type_of_problem_has_its_row_with_its_code() -> None:
    rows = re.findall(r"^\| (\d+) \| `([\w-]+)` \|", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted((str(kind.status), kind("").code) for kind in _kinds(errors.AppError))


def _kinds(kind: type[errors.AppError]) -> Iterator[type[errors.AppError]]:
    """Errors that are raised."""
    for below in kind.__subclasses__():
        if below not in ABSTRACT:
            yield below
        yield from _kinds(below)
