"""Parts of generated pages in Markdown."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *([cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(text: str) -> str:
    """Write a text on one line, for a cell."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Write a code span; nothing for nothing."""
    return f"`{text}`" if text else ""


def anchor(name: str) -> str:
    """Write an anchor for a heading, made of a name."""
    return f"{{ #{name.replace(' ', '-').replace('_', '-').lower()} }}"
