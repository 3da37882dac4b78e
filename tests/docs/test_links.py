"""Links in the pages lead somewhere."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://github.com/nextpair/nextpair/blob/main/"


def test_the_readme_names_files_that_exist() -> None:
    text = (ROOT / "README.md").read_text()
    links = re.findall(r"^\[.+\]: ([^#?\n]+)", text, re.MULTILINE)
    assert links
    assert "](" not in text
    assert [link for link in links if not link.startswith(REPOSITORY)] == []  # on PyPI a relative one is dead
    assert [link for link in links if not (ROOT / link.removeprefix(REPOSITORY)).exists()] == []
