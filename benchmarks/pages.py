"""Pages of docs/ with a part that is measured: it stands between two marks, the rest is written by hand."""

from pathlib import Path


def put(page: Path, command: str, text: str) -> None:
    """Put what `command` writes in the place of what it wrote before."""
    begin, end = (f"<!-- {which} of what {command} writes -->" for which in ("begin", "end"))
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")
