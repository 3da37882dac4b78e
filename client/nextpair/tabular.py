"""Tables as they are in Python, as the contents of a file that the service reads."""

import json
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

LARGEST_INTEGER = 2.0**53  # up to which floats hold every integer


class DataFrame(Protocol):
    """A data frame of pandas or polars."""

    @property
    def columns(self) -> Any: ...


Tabular: TypeAlias = str | PathLike[str] | bytes | DataFrame | Iterable[Mapping[str, Any]]


class File(NamedTuple):
    name: str
    contents: bytes


def file_of(data: Tabular, name: str | None = None) -> File:
    """The file at a path, one of bytes and its name, or JSON Lines of a data frame or of rows.

    In these NaN is a cell that is missing, and a whole number that is a float has no point: pandas makes 1.0 of an id
    beside a missing one. Raises OSError for a path, TypeError for what is no table.
    """
    if isinstance(data, bytes):
        if name is None:
            raise TypeError("bytes need the name of their file too, as in file='outputs.csv'")
        return File(name, data)
    if isinstance(data, str | PathLike):
        path = Path(data)
        return File(name or path.name, path.read_bytes())
    lines = (_line(number, row) for number, row in enumerate(_rows(data), 1))
    return File("rows.jsonl", "".join(lines).encode("utf-8", "surrogatepass"))


def _rows(data: Any) -> Iterable[object]:
    if hasattr(data, "to_dicts"):  # of polars
        return cast("Iterable[object]", data.to_dicts())
    if hasattr(data, "to_dict"):  # of pandas, which has NaN, NaT and NA for what is missing
        return cast("Iterable[object]", data.astype(object).where(data.notna(), None).to_dict("records"))
    return cast("Iterable[object]", data)


def _line(number: int, row: object) -> str:
    if not isinstance(row, Mapping):
        raise TypeError(f"row {number} is no dict but {row!r:.40}; pass a path, a data frame, or one dict for each row")
    cells = {str(name): _cell(value) for name, value in row.items()}
    return json.dumps(cells, default=_plain, ensure_ascii=False) + "\n"


def _cell(value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, float):
        return value
    if value != value:
        return None
    return int(value) if value.is_integer() and abs(value) < LARGEST_INTEGER else value


def _plain(value: Any) -> Any:
    """What JSON has no type for: an array of numpy as a list, anything else, such as a time, as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
