"""The size of a run: how much of everything is measured."""

from typing import NamedTuple


class Size(NamedTuple):
    documents: int = 100  # of a part, at most
    some_documents: int = 20  # where many judges or methods are compared
    parts: int = 4  # of a data set, at most
    draws: int = 5  # of pairs that all scoring methods read
    batched: int = 2000  # comparisons among all stories
    batched_parts: int = 4
    stories: int | None = None


FULL = Size()
QUICK = Size(documents=2, some_documents=2, parts=1, draws=1, batched=400, batched_parts=1, stories=40)
