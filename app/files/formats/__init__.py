"""File formats: each reads the bytes of a file into a `Content`, within bounds. To add one, write it and name it here.

Not here: where the bytes come from and how they are packed (reading), what the columns mean (columns, comparisons).
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from app.files.formats import delimited, objects, parquet
from app.files.tables import Bounds, Content

READERS: dict[str, Callable[[str, bytes, Bounds], Content]] = {  # by the end of a file's name
    ".csv": delimited.read,
    ".tsv": delimited.read,
    ".json": objects.read_array,
    ".jsonl": objects.read_lines,
    ".parquet": parquet.read,
}
IN_PARTS: dict[str, Callable[[str, BinaryIO, Bounds, int], Iterator[Content]]] = {  # those that need no whole file
    ".csv": delimited.read_in_parts,
    ".tsv": delimited.read_in_parts,
    ".jsonl": objects.read_lines_in_parts,
}
PACKED = (".csv", ".tsv", ".json", ".jsonl")  # with .gz behind it
