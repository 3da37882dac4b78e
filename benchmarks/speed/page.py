"""docs/performance.md: the tables of the last whole run stand between two marks; the rest is written by hand."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.speed.machine import Run
from benchmarks.speed.measuring import Row
from benchmarks.speed.tables import markdown

BEGIN, END = "<!-- begin of what make bench writes -->", "<!-- end of what make bench writes -->"


def write(page: Path, run: Run, titles: Mapping[str, str], sections: Mapping[str, Sequence[Row]]) -> None:
    parts = [f"{run.in_words}."]
    parts += [f"### {titles[name]}\n\n{markdown(rows)}" for name, rows in sections.items() if rows]
    text, tables = page.read_text(encoding="utf-8"), "\n\n".join(parts)
    marked = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    page.write_text(marked.sub(lambda _: f"{BEGIN}\n\n{tables}\n\n{END}", text), encoding="utf-8")
