"""The catalogue of a set: its items have tags, and it says how much memory it takes."""

import numpy as np

from app.inference import state

KEYS, ITEMS, LENGTHS = ("kelp", "rowan"), (("one", "Why?"), ("two", None)), np.ones((2, 2), np.int64)


def test_items_without_tags_have_none() -> None:
    assert state.make_catalogue(1, KEYS, ITEMS, LENGTHS).tags == ({}, {})


def test_tags_are_those_of_the_items_and_count_as_memory() -> None:
    tags = ({"category": "code"}, {"category": "facts", "language": "en"})
    catalogue = state.make_catalogue(1, KEYS, ITEMS, LENGTHS, tags)
    assert catalogue.tags == tags
    assert catalogue.size_bytes > state.make_catalogue(1, KEYS, ITEMS, LENGTHS).size_bytes + len("categorycode")
