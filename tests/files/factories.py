"""Files of comparisons, and what is read from them."""

from pathlib import Path

from app.files.comparisons import ComparisonColumns, GroupedComparisons, columns_of, read_grouped
from app.files.reading import read_in_parts


def write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def grouped(path: str, columns: ComparisonColumns = ComparisonColumns()) -> GroupedComparisons:  # noqa: B008  # immutable
    return read_grouped(read_in_parts(path, columns_of(columns)), columns, [])
