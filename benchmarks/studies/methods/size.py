"""The size of a run: how much of everything is measured."""

from typing import NamedTuple


class Size(NamedTuple):
    documents: int = 100  # of a part, at most
    some_documents: int = 30  # where many judges or methods are compared
    parts: int = 6  # of a data set, at most
    seeds: int = 2  # where a target is held against
    batched: int = 3000  # comparisons among all stories
    stories: int | None = None


FULL = Size()
QUICK = Size(documents=4, some_documents=3, parts=1, seeds=1, batched=500, stories=120)
