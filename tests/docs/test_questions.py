"""Each question of newcomers has an answer of one sentence and a page: two clicks from Home."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ENTRY = re.compile(r"^- \*\*(.+\?)\*\* (.+(?:\n  .+)*)$", re.MULTILINE)


def test_every_question_has_an_answer_and_a_page() -> None:
    text = (DOCS / "questions.md").read_text()
    entries = ENTRY.findall(text)
    assert len(entries) == text.count("\n- ") >= 30
    assert [question for question, answer in entries if not re.search(r"\]\([^)]+\)", answer)] == []


def test_home_links_to_the_questions() -> None:
    assert "](questions.md)" in (DOCS / "index.md").read_text()
