"""The guide lists every word for how a set stands, with the meaning that pages show."""

import re
from pathlib import Path

from nextpair.words import STATUSES

GUIDE = Path(__file__).parents[2] / "docs/how-to/guide.md"


def test_the_guide_has_every_status() -> None:
    section = GUIDE.read_text().split("## How a set stands")[1].split("\n## ")[0]
    assert dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)) == STATUSES
