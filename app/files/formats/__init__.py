"""File formats: each reads the bytes of a file into a `Content`, within bounds. To add one, write it and name it here.

Not here: where the bytes come from and how they are packed (reading), what the columns mean (columns, comparisons).
"""

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO

from app.files.formats import delimited, objects, parquet
from app.files.formats.lines import BATCH, joined
from app.files.tables import Bounds, Content

IN_PARTS: dict[str, Callable[[str, BinaryIO, Bounds, int], Iterator[Content]]] = {  # those that need no whole file
    ".csv": delimited.read_in_parts,
    ".tsv": delimited.read_in_parts,
    ".jsonl": objects.read_lines_in_parts,
}


def _as_a_whole(kind: str) -> Callable[[str, bytes, Bounds], Content]:
    return lambda name, payload, bounds: joined(IN_PARTS[kind](name, BytesIO(payload), bounds, BATCH))


READERS: dict[str, Callable[[str, bytes, Bounds], Content]] = {  # by the end of a file's name
    ".csv": _as_a_whole(".csv"),
    ".tsv": _as_a_whole(".tsv"),
    ".json": objects.read_array,
    ".jsonl": _as_a_whole(".jsonl"),
    ".parquet": parquet.read,
}
PACKED = (".csv", ".tsv", ".json", ".jsonl")  # with .gz behind it
