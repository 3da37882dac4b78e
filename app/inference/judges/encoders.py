"""An item's context as numbers, for aggregation that reads it (skill_aggregation.py).

An encoder takes what the N items say, each a mapping from field to text, and gives an (N, F) matrix whose rows have
about unit length. Two are here: numbers that the caller has, and hashed n-grams, which need no model at all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from zlib import crc32

import numpy as np
from scipy.sparse import csr_array

from app.inference.types import Floats, Ints

SIZE = 2**14  # columns: enough that few of some 10,000 n-grams share one
LONGEST = 2  # words in an n-gram
WORD = re.compile(r"\w+|[^\w\s]")
START, END = "\x02", "\x03"  # of a text


def standardised(columns: Floats) -> csr_array:
    """Standardised columns (N, F), each row about of unit length."""
    spread = columns.std(axis=0)
    return csr_array((columns - columns.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0) / np.sqrt(columns.shape[1]))


def hashed_ngrams(items: Sequence[Mapping[str, str]]) -> csr_array:
    """(N, SIZE): which words and pairs of neighbouring words each field has. Rows have unit length."""
    rows = [_places(item) for item in items]
    length = np.array([max(len(row), 1) for row in rows])
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    values = np.repeat(1.0 / np.sqrt(length), np.diff(ends))
    columns = np.concatenate([np.empty(0, np.int64), *rows])
    return csr_array((values, columns, ends), shape=(len(items), SIZE))


def _places(item: Mapping[str, str]) -> Ints:
    """The columns of an item's n-grams, ascending, each once."""
    return np.unique([crc32(gram.encode()) % SIZE for field, text in item.items() for gram in _grams(field, text)])


def _grams(field: str, text: str) -> Iterator[str]:
    words = [START, *WORD.findall(text.lower()), END]
    for length in range(1, LONGEST + 1):
        for start in range(len(words) - length + 1):
            yield " ".join((field, *words[start : start + length]))
