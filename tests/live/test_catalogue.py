"""The catalogue of a set says how much memory it takes."""

import numpy as np

from app.live.catalogue import Catalogue

KEYS, ITEMS, LENGTHS = ("kelp", "rowan"), (("one", "Why?"), ("two", None)), np.ones((2, 2), np.int64)


def test_tags_count_as_memory() -> None:
    tags = ({"category": "code"}, {"category": "facts", "language": "en"})
    without, tagged = (Catalogue(1, KEYS, ITEMS, LENGTHS, each) for each in (({}, {}), tags))
    assert tagged.size_bytes > without.size_bytes + len("categorycode")
