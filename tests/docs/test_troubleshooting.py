"""Troubleshooting has a row for every status and every type of problem."""

import re
from pathlib import Path

from nextpair.words import STATUSES

from docs.statuses_reference import problem_kinds

PAGE = (Path(__file__).parents[2] / "docs/how-to/troubleshooting.md").read_text()


def test_every_status_has_its_row() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == sorted(STATUSES)


def test_every_type_of_problem_has_its_row_with_its_code() -> None:
    rows = re.findall(r"^\| (\d+) \| `([\w-]+)` \|", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted((str(each.status), each.code) for each in problem_kinds())
