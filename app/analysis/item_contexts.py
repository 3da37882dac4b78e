"""Contexts of items, for methods that read them: numbers, standardised, or hashed n-grams of texts.

Rows have about unit length.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from zlib import crc32

import numpy as np
from scipy.sparse import csr_array

from app.inference.types import Floats

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
    rows = [sorted({crc32(gram) % SIZE for field in item.items() for gram in _grams(*field)}) for item in items]
    lengths = np.array([len(row) for row in rows], np.int64)
    values = np.repeat(1.0 / np.sqrt(np.maximum(lengths, 1)), lengths)
    columns, ends = np.array([*chain(*rows)], np.int64), np.append(0, np.cumsum(lengths))
    return csr_array((values, columns, ends), (len(items), SIZE))


def _grams(field: str, text: str) -> Iterator[bytes]:
    words = [START, *WORD.findall(text.lower()), END]
    for length in range(1, LONGEST + 1):
        for start in range(len(words) - length + 1):
            yield " ".join((field, *words[start : start + length])).encode()
