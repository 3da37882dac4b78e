"""Files of comparisons, and what is read from them."""

from pathlib import Path

import pytest

from app.files.comparisons import ComparisonColumns, GroupedComparisons, columns_of, read_grouped
from app.files.reading import read_in_parts
from tests.conftest import SHARED


def write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def grouped(path: str, columns: ComparisonColumns = ComparisonColumns()) -> GroupedComparisons:  # noqa: B008  # immutable
    return read_grouped(read_in_parts(path, columns_of(columns)), columns, [])


def case(name: str) -> str:
    """A file of those that people brought; skips where they are not here."""
    if not (SHARED / "cases" / name).exists():
        pytest.skip("needs ../shared/cases, which is not here")
    return str(SHARED / "cases" / name)
